"""Filling a team's corpus: filings read, embedded and stored on a Ray cluster, or on this machine alone."""
