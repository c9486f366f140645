torch.cuda.init()
multiprocessing.get_context("fork").Process(target=work).start()  # wrong: CUDA does not survive a fork
multiprocessing.get_context("spawn").Process(target=work).start()  # right
