torch.cuda.init()
os.environ["CUDA_VISIBLE_DEVICES"] = "1"  # wrong: CUDA has read it already; set it before the process starts
