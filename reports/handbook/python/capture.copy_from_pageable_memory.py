g = torch.cuda.CUDAGraph()
with torch.cuda.graph(g):
    on_gpu.copy_(host)  # wrong where `host` is an ordinary CPU tensor
    on_gpu.copy_(pinned, non_blocking=True)  # right: pinned = host.pin_memory(), kept alive for the replays
