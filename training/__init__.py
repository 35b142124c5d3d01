"""What fits the weights of the package, and decides on which questions. The package itself imports none of it."""
