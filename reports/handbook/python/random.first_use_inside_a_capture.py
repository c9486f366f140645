with torch.cuda.graph(g):
    y = torch.rand(1024, device="cuda")  # wrong if nothing random ran on this GPU before (2.14 on)

torch.cuda.manual_seed(1)  # right: makes the generator before the capture
