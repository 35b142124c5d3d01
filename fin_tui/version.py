"""The version of the program, for the package, for reports and for those that talk to it."""

__version__ = "0.1.0"
