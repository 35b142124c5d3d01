"""Hostile input for everything that reads what others wrote: byte by byte with atheris, and swollen to a large size."""
