"""Looks a home folder over: database, filings, vectors, indexes, weights, machine; and mends what can be made again."""
