g.replay()
with torch.cuda.stream(side):
    side.wait_stream(torch.cuda.default_stream())  # wrong without: nothing orders the side stream behind the replay
    result = y + 1
