def work():
    y = x + 1  # wrong: on the default stream, whatever stream was current in the thread that started this one

def work(stream):
    with torch.cuda.stream(stream):  # right
        y = x + 1
