"""Which figure of a filing a question asks for: a shortlist by vectors and words, scores of pairs, one fitted model over them."""
