with torch.cuda.graph(g):
    y = x * 2
del x  # wrong: the memory that the graph reads is given to the next tensor; right: keep x as long as the graph
g.replay()
