"""Figures of filings: which fact states a metric for a period, or why none does.

``lookup.py`` is where to start; the vocabulary is ``metrics.toml``. Where no tags are, ``from_tables.py`` reads tables, and
``row_labels.py`` chooses among their rows.
"""
