x + torch.ones(x.shape)  # wrong: on the CPU
x + torch.ones_like(x)  # right; or x.new_ones(x.shape)
