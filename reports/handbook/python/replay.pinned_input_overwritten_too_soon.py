pinned.copy_(batch)
g.replay()  # reads `pinned`
torch.cuda.current_stream().synchronize()  # wrong without: the replay may not have read it yet
pinned.copy_(next_batch)
