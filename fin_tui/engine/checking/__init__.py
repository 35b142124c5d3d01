"""The numbers of a text, held against the library."""
