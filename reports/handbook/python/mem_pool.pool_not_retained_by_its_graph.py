pool = torch.cuda.MemPool()
with torch.cuda.graph(g):
    with torch.cuda.use_mem_pool(pool):
        scratch = x * 2
    result.copy_(scratch)
del scratch, pool  # wrong: nothing keeps the memory that the graph uses; keep the pool as long as the graph
torch.cuda.empty_cache()
g.replay()
