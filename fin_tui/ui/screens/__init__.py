"""The screens, each with its keys, its help and a style sheet beside it. ``main.py`` is the one that an analyst stays in."""
