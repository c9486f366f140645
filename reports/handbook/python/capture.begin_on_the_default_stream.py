g = torch.cuda.CUDAGraph()
g.capture_begin()  # wrong: on the default stream

with torch.cuda.stream(torch.cuda.Stream()):  # right; `with torch.cuda.graph(g)` does it for you
    g.capture_begin()
    y = x * 2
    g.capture_end()
