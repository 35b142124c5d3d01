"""fin-tui: offline questions and answers over SEC 10-K filings."""

__version__ = "0.1.0"
