x = torch.ones(8, device="cuda")
x + torch.ones(8)  # wrong: on the CPU
x + torch.ones(8, device=x.device)  # right
