early, late = torch.cuda.CUDAGraph(), torch.cuda.CUDAGraph()
with torch.cuda.graph(early):
    first = x * 2 + 0  # x * 2 is a temporary: its memory is free again …
with torch.cuda.graph(late, pool=early.pool()):
    second = first * 10  # … and becomes that of `second`

early.replay()
late.replay()  # right: in the order of the captures
early.replay()  # wrong: its temporary overwrites `second`
use(second)
