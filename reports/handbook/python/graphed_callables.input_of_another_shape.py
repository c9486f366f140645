graphed = torch.cuda.make_graphed_callables(module, (torch.randn(1024, device="cuda"),))
graphed(torch.randn(2048, device="cuda"))  # wrong: the shape of the sample is the only one
