outputs = []
for batch in batches:
    static_x.copy_(batch)
    g.replay()
    outputs.append(static_y)  # wrong: the same tensor every time, overwritten by each replay
    outputs.append(static_y.clone())  # right
