event = torch.cuda.Event()
side.wait_event(event)  # wrong: not recorded yet, so there is nothing to wait for
event.record()
side.wait_event(event)  # right: behind record()
