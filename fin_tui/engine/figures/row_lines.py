"""Rows and sentences that were found for a question, each as one line that a language model reads."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from fin_tui.candidates import Candidate
from fin_tui.engine.figures.linked_book import Looked
from fin_tui.engine.rank.ranker import Ranker
from fin_tui.facts.figures import SCALES, printed_scale

_OF_EACH, _MOST = 2, 8
"""Lines for each thing that is looked for, and in all."""
_PERIODS = 3
_PARTS, _LONGEST = 3, 110
"""Parts of a row that are read, and their characters."""
_UNITS = {"usd": "$", "usd/share": "$ per share", "shares": "shares", "pure": "", "count": ""}


def row_lines(looked: Looked, ranker: Ranker) -> tuple[str, ...]:
    """The best rows and sentences for each thing that was looked for, the best of each first."""
    lines: dict[str, None] = {}
    for place in range(_OF_EACH):
        for (_, filing, _), scored in looked.ranked.items():
            for one in scored[place : place + 1]:
                lines[_line(one.candidate, ranker.periods_of(one.candidate, looked.filings[filing]))] = None
    return tuple(lines)[:_MOST]


def _line(one: Candidate, periods: Sequence[Candidate]) -> str:
    """ "Net sales | Europe: 2021-12-31 4,210; 2020-12-31 3,950 ($ million)"; a sentence as it stands."""
    if one.fact.source == "text":
        return one.row.partition(" - ")[2].partition(" | ")[0].replace("[ ", "").replace(" ]", "")
    label = " | ".join(one.row.split(" | ")[:_PARTS])[:_LONGEST]
    scale = SCALES.get(printed_scale(one.fact), "")
    unit = " ".join(filter(None, (_UNITS.get(one.fact.unit, one.fact.unit), scale)))
    return f"{label}: {'; '.join(_dated(periods))}{f' ({unit})' if unit else ''}"


def _dated(periods: Sequence[Candidate]) -> Iterator[str]:
    """The figures as printed, the newest first, one for each period's end."""
    ends = {one.fact.period_end: one.fact.text for one in reversed(periods)}
    newest = sorted(ends, key=lambda end: end.toordinal() if end else 0, reverse=True)[:_PERIODS]
    yield from (f"{end or ''} {ends[end]}".strip() for end in newest)
