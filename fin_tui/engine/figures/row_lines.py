"""Rows and sentences that were found for a question, each as one line that a language model reads."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from fin_tui.engine.figures.linked_book import Looked
from fin_tui.engine.rank.ranker import Ranker
from fin_tui.facts.figures import SCALES, Figure, printed_scale
from fin_tui.records import Fact

_OF_EACH, _MOST = 2, 10
"""Lines for each thing that is looked for, and in all."""
_PERIODS = 3
_PARTS, _LONGEST = 3, 110
"""Parts of a row that are read, and their characters."""
_UNITS = {"usd": "$", "usd/share": "$ per share", "shares": "shares", "pure": "", "count": ""}


def row_lines(looked: Looked, ranker: Ranker, found: Sequence[Figure] = ()) -> tuple[str, ...]:
    """The rows of the figures ``found``, then the best rows and sentences for each thing that was looked for; each row once."""
    rows: dict[str, list[Fact]] = {}
    for figure in found:
        rows.setdefault(_name(figure.row, figure.fact), []).append(figure.fact)
    for place in range(_OF_EACH):
        for (_, filing, _), scored in looked.ranked.items():
            for one in scored[place : place + 1]:
                periods = ranker.periods_of(one.candidate, looked.filings[filing])
                rows.setdefault(_name(one.candidate.row, one.candidate.fact), []).extend(other.fact for other in periods)
    return tuple(_line(name, facts) for name, facts in rows.items())[:_MOST]


def _name(row: str, fact: Fact) -> str:
    """The row as it is read; of a figure found by its tag its label under its headings, of one in a sentence the sentence."""
    if fact.source == "text" and row:
        return row.partition(" - ")[2].partition(" | ")[0].replace("[ ", "").replace(" ]", "")
    parts = row.split(" | ") if row else fact.label.split(" > ")[::-1]
    return " | ".join(parts[:_PARTS])[:_LONGEST]


def _line(name: str, facts: Sequence[Fact]) -> str:
    """ "Net sales | Europe: 2021-12-31 4,210; 2020-12-31 3,950 ($ million)"; a sentence as it stands."""
    if facts[0].source == "text":
        return name
    scale = SCALES.get(printed_scale(facts[0]), "")
    unit = " ".join(filter(None, (_UNITS.get(facts[0].unit, facts[0].unit), scale)))
    return f"{name}: {'; '.join(_dated(facts))}{f' ({unit})' if unit else ''}"


def _dated(facts: Sequence[Fact]) -> Iterator[str]:
    """The figures as printed, the newest first, one for each period's end."""
    ends = {fact.period_end: fact.text for fact in reversed(facts)}
    newest = sorted(ends, key=lambda end: end.toordinal() if end else 0, reverse=True)[:_PERIODS]
    yield from (f"{end or ''} {ends[end]}".strip() for end in newest)
