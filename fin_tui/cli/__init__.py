"""The command line, a file for each command. ``main.py`` registers them; they share ``options.py`` and ``output.py``."""
