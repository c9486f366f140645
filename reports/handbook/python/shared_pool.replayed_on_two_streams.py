with torch.cuda.stream(one):
    first.replay()
with torch.cuda.stream(two):
    two.wait_stream(one)  # wrong without: graphs of one pool must not run at the same time
    second.replay()
