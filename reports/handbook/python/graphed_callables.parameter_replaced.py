graphed = torch.cuda.make_graphed_callables(module, (sample,))
module.weight = torch.nn.Parameter(new)  # wrong: the graph reads the old memory
with torch.no_grad():
    module.weight.copy_(new)  # right
