start, end = torch.cuda.Event(), torch.cuda.Event()  # wrong: they do not time
start, end = (torch.cuda.Event(enable_timing=True) for _ in range(2))  # right
