host = y.to("cpu", non_blocking=True)
print(host[0])  # wrong: the copy may not have happened
torch.cuda.current_stream().synchronize()  # right: in between
print(host[0])
