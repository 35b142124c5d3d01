"""A filing as a reader opens it: contents, Items, and what changed since the year before."""
