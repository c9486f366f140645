flag = True
with torch.cuda.graph(g):
    y = x * 2 if flag else x * 3  # wrong: the branch is taken once, at the capture
flag = False
g.replay()  # still x * 2

with torch.cuda.graph(g):
    y = torch.where(flag_on_gpu, x * 2, x * 3)  # right: flag_on_gpu.fill_(False) changes what a replay does
