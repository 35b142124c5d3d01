"""A question or target to the passages that bear on it."""
