"""How a word in the prompt may go on: companies, years and Items of the library. Pure."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence

from fin_tui.facts.words import spoken_name
from fin_tui.records import Filing
from fin_tui.ui.text import one_line

_MOST_WORDS = 5
_SHORTEST = 2


def completions(filings: Iterable[Filing]) -> tuple[str, ...]:
    """All that can be completed: names as people say them, newest years first, Items in order."""
    held = list(filings)
    names = sorted({said for f in held if (said := spoken_name(one_line(f.company)))}, key=str.casefold)
    years = sorted({f.fiscal_year for f in held if f.fiscal_year}, reverse=True)
    items = sorted({item for f in held for item in f.items if item}, key=lambda i: (int(re.sub(r"\D", "", i) or 0), i))
    return (*names, *(str(year) for year in years), *(f"FY{year}" for year in years), *(f"Item {one_line(i)}" for i in items))


def completion(typed: str, known: Sequence[str]) -> str:
    """What to add to ``typed``, of which the last words begin one of ``known``; the longest such beginning counts."""
    starts = [m.start() for m in re.finditer(r"(?<!\S)\S", typed)][-_MOST_WORDS:]
    for start in starts:
        begun = typed[start:]
        if len(begun) < _SHORTEST or (begun != begun.rstrip() and begun.count(" ") < 1):
            continue
        for name in known:
            if len(name) > len(begun) and name.casefold().startswith(begun.casefold()):
                return name[len(begun) :]
    return ""
