"""Question sets, asked and scored. ``run.py`` is where to start; ``measures.py`` says what of a question is measured."""
