"""The one SQLite file that holds the truth. ``library.py`` is what all others see; a new table begins in ``migrations``."""
