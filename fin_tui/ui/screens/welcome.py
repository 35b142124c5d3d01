"""What an empty chat says: what is there, what is missing, and what can be done now. Pure."""

from __future__ import annotations

import datetime as dt
from collections.abc import Sequence

from fin_tui.records import Filing
from fin_tui.ui.text import count, one_line, year_label

_MOST_NAMES = 3


def welcome_lines(filings: Sequence[Filing] | None, notes: Sequence[str]) -> list[tuple[str, str]]:
    """Lines of text with their style; ``filings`` is None until the library is open."""
    lines = [("fin-tui", "bold $primary"), ("10-K filings, asked and answered on this machine.", "$foreground-muted"), ("", "")]
    if filings is None:
        return [*lines, ("Opening the library… you can type already.", "")]
    if filings:
        lines += [(f"{count(len(filings), 'filing')}: {_names(filings)}", ""), ("", ""), ("Try", "bold")]
        lines += [(f"  {question}", "$accent") for question in _examples(filings)]
    else:
        lines += [
            ("The library is empty.", "bold"),
            ("  fin-tui add FILE…         puts filings you have into it", ""),
            ("  fin-tui fetch COMPANY     brings them from EDGAR", ""),
            ("  fin-tui setup             brings the sample filings and the models", ""),
            ("", ""),
            ("F5 reads the library again when a filing was added.", "$foreground-muted"),
        ]
    if notes:
        lines += [("", ""), *((f"Note: {one_line(note)}", "$warning") for note in notes)]
    keys = (("Enter", "asks"), ("F2", "filings"), ("F4", "sources"), ("F1", "help"), ("Ctrl+P", "every command"))
    return [*lines, ("", ""), *((f"{key:<7} {what}", "$foreground-muted") for key, what in keys)]


def _names(filings: Sequence[Filing]) -> str:
    names = sorted({one_line(f.company) or f.file for f in filings})
    more = len(names) - _MOST_NAMES
    shown = ", ".join(names[:_MOST_NAMES])
    return f"{shown} and {more} more" if more > 0 else shown


def _examples(filings: Sequence[Filing]) -> list[str]:
    """Questions that the first filings can answer, in the reader's own library."""
    newest_last = sorted(filings, key=lambda f: (one_line(f.company), f.period_end or dt.date.min))
    by_company = {f.company_key: f for f in newest_last}
    some = list(by_company.values())[:_MOST_NAMES]
    asks = (
        "What are the main risk factors of {c} in {y}?",
        "What was the revenue of {c} in {y}?",
        "How does {c} describe its business?",
    )
    return [ask.format(c=one_line(f.company) or f.file, y=year_label(f)) for ask, f in zip(asks, some, strict=False)]
