first.replay()
kept = y  # wrong: the next replay in the pool may overwrite it
kept = y.clone()  # right
second.replay()
use(kept)
