static_x = torch.ones(1024, device="cuda")
with torch.cuda.graph(g):
    y = static_x * 2

static_x = batch  # wrong: the graph reads the old memory
static_x.copy_(batch)  # right
g.replay()
