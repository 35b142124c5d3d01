"""What only a sentence states: counts ("How many employees does it have?"), and an Item that says there is nothing."""

from __future__ import annotations

import datetime as dt
import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from decimal import Decimal

from fin_tui.engine.evidence.extract import shorten_around
from fin_tui.engine.figures.counted import counted
from fin_tui.engine.figures.prose_lines import sentences_of
from fin_tui.engine.questions.kinds import Count, read_count
from fin_tui.engine.questions.question import Question
from fin_tui.engine.structures import Desk, StructureAnswer, named, one, passage_in
from fin_tui.facts.words import stems
from fin_tui.language import MONTHS, YEAR
from fin_tui.records import Block, Cell, Chunk, Filing, Sentence, Table

_WHOLE = re.compile(r"^(?:grand\s+)?total\b|^ending\b|\bend of\b|\byear[- ]end\b", re.I)
_NUMBER = re.compile(r"^\d{1,3}(?:,\d{3})*$")
_MEASURE = re.compile(
    r"\bsquare\b|\bfeet\b|\baverage\b|\bper\b|%|\$|\bsales\b|\bopen(?:ed|ings?)\b|\bclos(?:ed|ures?|ings?)\b|\bthousands\b|\bmillions\b",
    re.I,
)
_PLAIN = frozenset(stems("total grand ending end of the year period fiscal count counts number year-end at as in"))
_NEAR = dt.timedelta(days=10)


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
    return not YEAR.search(header) and all(column.period_end is None for column in table.columns)


_MONTHS = frozenset(stems(" ".join(MONTHS)))


_LEAST = 1.05
"""A sentence that fits less well may count something else."""
_MARGIN = 0.2
"""Two different numbers closer than this are both shown, and neither is the value."""
_ITEMS = {"1": 0.15, "2": 0.15, "5": 0.1, "7": 0.05, "1A": -0.15}
_MOST = 3
_AFTER = dt.timedelta(days=70)
"""Holders of record are counted shortly before a filing is made."""


@dataclass(frozen=True, slots=True)
class _Reading:
    """A number with the sentence that gives it."""

    value: Decimal
    score: float
    chunk: Chunk
    start: int
    end: int


def counts(question: Question, desk: Desk, filing: Filing) -> StructureAnswer | None:
    """The number that a sentence of the filing gives for what is counted; every reading where several fit as well."""
    count = read_count(question.subject)
    if count is None:
        return None
    readings = _readings(count, _years(question, filing), desk, filing)
    if not readings or readings[0].score < _LEAST:
        return count_in_cells(count, question, desk, filing)
    near = [reading for reading in readings if reading.score > readings[0].score - _MARGIN][:_MOST]
    chosen = near if len({reading.value for reading in near}) > 1 else near[:1]
    passages = tuple(passage_in(n, filing, r.chunk, r.start, r.end) for n, r in enumerate(chosen, start=1))
    told = [
        Sentence(shorten_around(passage.citation.words, f"{reading.value:,}"), (passage.citation.id,), "grounded")
        for passage, reading in zip(passages, chosen, strict=True)
    ]
    if len({(reading.start, reading.end) for reading in chosen}) < len(chosen):
        return StructureAnswer(tuple(told[:1]), passages[:1])  # One sentence gives both; it tells them apart itself.
    if len(chosen) > 1:
        values = " or ".join(f"{reading.value:,}" for reading in chosen)
        head = Sentence(
            f"The filing can be read in more than one way: {values}.", tuple(p.citation.id for p in passages), "computed"
        )
        return StructureAnswer((head, *told), passages)
    return StructureAnswer(tuple(told), passages, float(chosen[0].value), "count")


def _years(question: Question, filing: Filing) -> frozenset[int]:
    end = filing.period_end
    own = {filing.fiscal_year, *((end.year, (end + _AFTER).year) if end else ())} - {None}
    asked = set(question.periods.years) | {date.year for date in question.periods.dates}
    return frozenset(year for year in asked or own if year)


def _readings(count: Count, years: frozenset[int], desk: Desk, filing: Filing) -> list[_Reading]:
    """One for each number, the best sentence of it first."""
    wanted = re.compile("|".join(re.escape(head) for head in count.heads), re.I)
    best: dict[Decimal, _Reading] = {}
    for chunk in desk.chunks.of_filing(filing.id):
        if not wanted.search(chunk.text):
            continue
        for start, end in sentences_of(chunk):
            sentence = chunk.text[start:end]
            if not wanted.search(sentence):
                continue
            for found in counted(sentence, count, years):
                score = found.score + _ITEMS.get(chunk.item, 0.0)
                known = best.get(found.value)
                if known is None or score > known.score:
                    best[found.value] = _Reading(found.value, score, chunk, chunk.start + start, chunk.start + end)
    return sorted(best.values(), key=lambda reading: -reading.score)


_EMPTY_ITEMS = (
    (re.compile(r"\bunresolved\s+(?:sec\s+)?(?:staff\s+)?comments?\b|\bstaff\s+comments?\b", re.I), "1B"),
    (re.compile(r"\bmine\s+safety\b|\bmining\s+(?:safety\s+)?violations?\b", re.I), "4"),
    (re.compile(r"\b(?:legal\s+proceedings?|lawsuits?|litigation)\b", re.I), "3"),
    (
        re.compile(
            r"\bdisagreements?\s+with\s+(?:its\s+|the\s+)?(?:accountants?|auditors?)\b|\bchanges?\s+(?:in|of)\s+accountants?\b",
            re.I,
        ),
        "9",
    ),
)
_NOTHING = re.compile(
    r"^\W*(?:none|not\s+applicable|no\b.{0,120}|nothing\b.{0,60}|(?:the\s+company|we)\s+(?:has|have)\s+(?:no|received\s+no)\b.*)\W*$",
    re.I | re.S,
)
_LONGEST = 300


def nothing(text: str, desk: Desk, filing: Filing) -> StructureAnswer | None:
    """ "No: Item 1B reads “None.”" when the Item of the question's matter says no more than that."""
    item = next((item for pattern, item in _EMPTY_ITEMS if pattern.search(text)), None)
    section = desk.section(filing, item) if item else None
    if section is None:
        return None
    body, begin = desk.body(filing, section)
    said = next((line.strip() for line in body.split("\n") if line.strip()), "")
    if not said or len(said) > _LONGEST or not _NOTHING.match(said):
        return None
    at = begin + body.index(said)
    passage = desk.passage(1, filing, at, at + len(said))
    return one(f"No: Item {item} of {filing.company}'s {named(filing)} reads “{said}”", passage)
