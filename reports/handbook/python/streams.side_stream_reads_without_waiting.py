y = x * 2
with torch.cuda.stream(side):
    side.wait_stream(torch.cuda.current_stream(x.device))  # wrong: `side` is current here, it waits for itself
    z = y + 1

side.wait_stream(torch.cuda.current_stream())  # right: before the side stream is current
with torch.cuda.stream(side):
    z = y + 1
