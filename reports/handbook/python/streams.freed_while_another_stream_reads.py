with torch.cuda.stream(side):
    z = y * 2
y.record_stream(side)  # wrong without: y's memory can be used again while `side` still reads it
del y
