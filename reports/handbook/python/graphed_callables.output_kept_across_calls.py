graphed = torch.cuda.make_graphed_callables(module, (sample,))
kept = graphed(a)  # wrong: a static buffer, overwritten by the next call
kept = graphed(a).clone()  # right
other = graphed(b)
