scale = 2.0
with torch.cuda.graph(g):
    y = x * scale  # wrong where scale changes: its value is recorded
scale = 3.0
g.replay()

scale = torch.tensor(2.0, device="cuda")  # right: made before the capture; then scale.fill_(3.0)
