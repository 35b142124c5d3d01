"""Counts that stand only in prose: "How many employees does it have?"."""

from __future__ import annotations

import datetime as dt
import re
from dataclasses import dataclass
from decimal import Decimal

from fin_tui.engine.evidence.extract import shorten_around
from fin_tui.engine.figures.counted import counted
from fin_tui.engine.figures.prose_lines import sentences_of
from fin_tui.engine.questions.count import Count, read_count
from fin_tui.engine.questions.question import Question
from fin_tui.engine.structures.count_cells import count_in_cells
from fin_tui.engine.structures.desk import Desk, StructureAnswer, passage_in
from fin_tui.records import Chunk, Filing, Sentence

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
