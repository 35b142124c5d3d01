"""Counts that stand in tables: "Ending store count", or the total of a column of stores."""

from __future__ import annotations

import datetime as dt
import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from fin_tui.engine.questions.count import Count
from fin_tui.engine.questions.question import Question
from fin_tui.engine.structures.desk import Desk, StructureAnswer, passage_in
from fin_tui.facts.words import stems
from fin_tui.records import Block, Cell, Filing, Sentence, Table

_WHOLE = re.compile(r"^(?:grand\s+)?total\b|^ending\b|\bend of\b|\byear[- ]end\b", re.I)
_NUMBER = re.compile(r"^\d{1,3}(?:,\d{3})*$")
_MEASURE = re.compile(
    r"\bsquare\b|\bfeet\b|\baverage\b|\bper\b|%|\$|\bsales\b|\bopen(?:ed|ings?)\b|\bclos(?:ed|ures?|ings?)\b|\bthousands\b|\bmillions\b",
    re.I,
)
_PLAIN = frozenset(stems("total grand ending end of the year period fiscal count counts number year-end at as in"))
_NEAR = dt.timedelta(days=10)
_YEAR = re.compile(r"\b(?:19|20)\d\d\b")


@dataclass(frozen=True, slots=True)
class _Found:
    """A cell that states the count, with its row."""

    value: int
    score: float
    label: str
    column: str
    start: int
    end: int


def count_in_cells(count: Count, question: Question, desk: Desk, filing: Filing) -> StructureAnswer | None:
    """The total that the filing's tables give for what is counted at the end of the year asked; None where they differ."""
    end = _end_asked(question, filing)
    found = [one for block in desk.document(filing).blocks for one in _of_block(block, count, end, filing)]
    best = [one for one in found if one.score == max(other.score for other in found)]
    if not best or len({one.value for one in best}) > 1:
        return None
    first = best[0]
    chunk = desk.chunks.holding(filing.id, first.start, first.end)
    if chunk is None:
        return None
    passage = passage_in(1, filing, chunk, first.start, first.end)
    told = f"{filing.company} {first.label}{f' ({first.column})' if first.column else ''}: {first.value:,}."
    return StructureAnswer((Sentence(told, (1,), "grounded"),), (passage,), float(first.value), "count")


def _end_asked(question: Question, filing: Filing) -> dt.date | None:
    """The last day of the year asked about, by the filing's own calendar."""
    periods, own = question.periods, filing.period_end
    if periods.dates:
        return periods.dates[-1]
    if own is None or filing.fiscal_year is None or not periods.years:
        return own
    return own - dt.timedelta(days=round(365.25 * (filing.fiscal_year - periods.years[-1])))


def _of_block(block: Block, count: Count, end: dt.date | None, filing: Filing) -> Iterator[_Found]:
    table = block.table
    if table is None:
        return
    company = set(stems(filing.company))
    for number in range(table.header_rows, min(len(table.rows), len(table.row_paths))):
        path = [part.strip().rstrip(":") for part in table.row_paths[number]]
        if not path or not _WHOLE.search(path[-1]) or _MEASURE.search(path[-1]):
            continue
        own = set(stems(path[-1]))
        if own - _PLAIN - count.heads - count.narrowed - company:
            continue  # The total of a part: "Total domestic stores".
        for cell in table.rows[number]:
            if cell.column and _NUMBER.match(cell.text) and (one := _read(table, path, own, cell, count, end)):
                row = table.rows[number]
                yield _Found(*one, row[0].start if row[0].end > row[0].start else cell.start, cell.end)


def _read(
    table: Table, path: Sequence[str], own: set[str], cell: Cell, count: Count, end: dt.date | None
) -> tuple[int, float, str, str] | None:
    column = table.columns[cell.column] if cell.column < len(table.columns) else None
    header = " ".join(column.header) if column else ""
    outer = " ".join(path[:-1])
    if _MEASURE.search(header) or _MEASURE.search(outer) or not _is_of(table, column.period_end if column else None, header, end):
        return None
    heads = count.heads
    named = set(stems(header))
    score = 3.0 if own & heads else 2.0 if set(stems(outer)) & heads else 1.0 if _is_head(named, header, count) else 0.0
    wanted = count.narrowed <= own | named | set(stems(outer)) | set(stems(table.title)) | _PLAIN
    if not score or not wanted:
        return None
    value = int(cell.text.replace(",", ""))
    label = path[-1] if own & heads else ", ".join(filter(None, (outer if score == 2.0 else "", path[-1].lower())))
    return value, score, label[0].lower() + label[1:], header


def _is_head(named: set[str], header: str, count: Count) -> bool:
    """Whether a column is of what is counted and nothing else: "Stores", "Number of stores, January 31, 2026"."""
    words = {word for word in named if word.isalpha()} - _MONTHS
    return bool(words & count.heads) and not words - _PLAIN - count.heads - count.narrowed and bool(header)


def _is_of(table: Table, day: dt.date | None, header: str, end: dt.date | None) -> bool:
    if end is None:
        return True
    if day is not None:
        return abs(day - end) <= _NEAR
    return not _YEAR.search(header) and all(column.period_end is None for column in table.columns)


_MONTHS = frozenset(stems("january february march april may june july august september october november december"))
