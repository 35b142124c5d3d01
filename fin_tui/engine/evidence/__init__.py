"""Passages and what may be cited from them: their numbers, units, quotes and citations."""
