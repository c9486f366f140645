"""Turns cudasem event logs into what people read. Reads logs and nothing else, never runs, never judges."""
