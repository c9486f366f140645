on_gpu = pinned.to("cuda", non_blocking=True)
copied = torch.cuda.current_stream().record_event()
copied.synchronize()  # wrong without: the copy may still be reading `pinned`
pinned.fill_(0)
