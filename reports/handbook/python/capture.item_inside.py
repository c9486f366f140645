g = torch.cuda.CUDAGraph()
with torch.cuda.graph(g):
    y = x * 3
    if y[0].item() > 0:  # wrong: y has no value until the graph is replayed
        y = y + 1

with torch.cuda.graph(g):
    y = x * 3
    y = torch.where(y[0] > 0, y + 1, y)  # right: the choice is made on the GPU, at each replay
