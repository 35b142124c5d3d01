"""The command line, a file for each command. ``main.py`` registers them; they share ``output.py``."""
