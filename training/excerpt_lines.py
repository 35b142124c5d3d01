"""The lines of filings that are read together with a question: sentences, and rows of tables with all their figures.

What the package ranks is one figure at a time. What asks for a share of another figure, or says in everyday words which number of
a sentence it means, is told by all of them together: so the best sentences and rows are put into one short text.
"""

from __future__ import annotations

from bisect import bisect_right
from collections import defaultdict
from collections.abc import Hashable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property

from fin_tui.candidates import Candidate, unit_read
from fin_tui.clauses import leading
from fin_tui.engine.rank.filing_rows import FilingRows, numbers_of
from fin_tui.facts.figures import Period
from fin_tui.facts.index import LONGEST_QUARTER, NEAR
from fin_tui.language import split_sentences
from fin_tui.records import Chunk, Fact, Filing
from fin_tui.store import ChunkStore

_CELLS = 9
"""Figures of a row; of a longer one those around the figure that was found."""
_LABEL, _TITLE = 12, 10
"""Words of a label and of a title."""
_ABOVE = 3
"""Labels of a row: its own, and the headings next above."""
_PRINTED = 24
"""Characters of a figure."""
TOLD = " (told)"
"""What stands behind a figure that an earlier turn was answered with."""


@dataclass(frozen=True, slots=True)
class Printed:
    """A number of a line, with its span there."""

    start: int
    end: int
    candidate: Candidate


@dataclass(frozen=True, slots=True)
class Line:
    """A sentence, or a row of a table."""

    text: str
    printed: tuple[Printed, ...]

    @property
    def words(self) -> int:
        """How many it has."""
        return len(self.text.split())

    def meets(self, span: Sequence[int]) -> list[int]:
        """The places of its numbers that stand within a span of the filing's clean text."""
        return [at for at, one in enumerate(self.printed) if stands_in(one.candidate.fact, span)]


def stands_in(fact: Fact, span: Sequence[int]) -> bool:
    """Whether a figure stands, with any of its characters, within a span of the filing's clean text."""
    return fact.start < span[1] and max(fact.end, fact.start + 1) > span[0]


@dataclass
class Lines:
    """Makes the lines of one filing."""

    filing: Filing
    rows: FilingRows
    chunks: ChunkStore
    _made: dict[Hashable, Line | None] = field(default_factory=dict)

    @cached_property
    def _by_line(self) -> Mapping[Hashable, Sequence[Candidate]]:
        found: defaultdict[Hashable, dict[Hashable, Candidate]] = defaultdict(dict)
        for one in self.rows.figures:
            found[_line_of(one)].setdefault((one.fact.start, one.fact.end, one.column), one)
        return {line: sorted(some.values(), key=lambda one: one.fact.start) for line, some in found.items()}

    @cached_property
    def _by_start(self) -> Sequence[Candidate]:
        return sorted((one for one in self.rows.figures if one.fact.end > one.fact.start), key=lambda one: one.fact.start)

    def at(self, start: int, end: int) -> Line | None:
        """The sentence or the row of a table that a span of the clean text stands in; None where there is none."""
        chunk = self.chunks.holding(self.filing.id, start, end)
        found = bisect_right(self._by_start, start, key=lambda one: one.fact.start) - 1
        cell = self._by_start[found] if found >= 0 and start < self._by_start[found].fact.end else None
        if chunk is not None and (cell is None or chunk.kind == "prose"):
            spans = ((chunk.start + first, chunk.start + last) for first, last in split_sentences(chunk.text))
            held = next(((first, last) for first, last in spans if first <= start < last), None)
            sentence = self.sentence(chunk, *held) if held is not None else None
            if sentence is not None:
                return sentence
        return self.row(cell) if cell is not None else None

    def of(self, one: Candidate) -> Line | None:
        """The line of a figure."""
        return self.at(one.fact.start, one.fact.end) if one.fact.source == "text" else self.row(one)

    def sentence(self, chunk: Chunk, start: int, end: int) -> Line | None:
        """The sentence at a span of the clean text, with its numbers; None for the row of a table."""
        if (start, end) not in self._made:
            self._made[start, end] = self._sentence(chunk, start, end)
        return self._made[start, end]

    def _sentence(self, chunk: Chunk, start: int, end: int) -> Line | None:
        sentence = chunk.text[start - chunk.start : end - chunk.start]
        if "\t" in sentence:
            return None
        before = leading(chunk.text, start - chunk.start)
        found = numbers_of(sentence, start, chunk.heading, self.rows.ends, before, self.rows.scale)
        numbers = {one.fact.start: one for one in found}
        text, places = _in_one_line(sentence)
        printed = tuple(
            Printed(places[at - start], places[_end(sentence, one.fact, start)], one) for at, one in sorted(numbers.items())
        )
        return Line(text, printed)

    def row(self, found: Candidate) -> Line:
        """The row of a figure with all its figures: "Stores | Properties: Owned FY2021 12; Leased FY2021 30"."""
        cells = self._by_line.get(_line_of(found), (found,))
        if len(cells) > _CELLS:
            first = max(0, next((at for at, one in enumerate(cells) if one.fact.start == found.fact.start), 0) - _CELLS // 2)
            cells = cells[first : first + _CELLS]
        label = " < ".join(_first(part, _LABEL) for part in found.path[-_ABOVE:][::-1]) or _first(found.fact.label, _LABEL)
        name = f"{label} | {_first(found.title, _TITLE)}" if found.title else label
        text, printed = f"{name}:", []
        for one in cells:
            said = (one.column if one.column not in name else "", "" if one.column else ", ".join(one.members))
            text += "".join(f" {words}" for words in (*said, _when(one.fact, self.rows.years)) if words) + " "
            shown = " ".join(one.fact.text.split())[:_PRINTED] or str(one.fact.value)
            printed.append(Printed(len(text), len(text) + len(shown), one))
            text += f"{shown};"
        unit = unit_read(found.fact)
        return Line(text.rstrip(";") + (f" ({unit})" if unit else ""), tuple(printed))


def whole(lines: Sequence[Line], told: frozenset[int] = frozenset()) -> tuple[str, list[tuple[int, int]]]:
    """``lines`` one after the other, and the span of each number there; behind those that stand at a place ``told`` it is said
    that they were.
    """
    text = ""
    spans: list[tuple[int, int]] = []
    for line in lines:
        text += " \n " if text else ""
        at = 0
        for one in line.printed:
            text += line.text[at : one.start]
            spans.append((len(text), len(text) + one.end - one.start))
            text += line.text[one.start : one.end] + (TOLD if one.candidate.fact.start in told else "")
            at = one.end
        text += line.text[at:]
    return text, spans


def joined(turns: Sequence[str], year: str) -> str:
    """The question as it is read, behind the fiscal year of the filing and the last questions before it."""
    *earlier, question = turns
    before = " ; ".join(one[:160] for one in earlier[-3:])
    return f"{f'{year}: ' if year else ''}{f'{before} ; ' if before else ''}question: {question[:300]}"


def _line_of(one: Candidate) -> Hashable:
    return (one.fact.block, one.path, one.title)


def _in_one_line(sentence: str) -> tuple[str, Mapping[int, int]]:
    """``sentence`` with one space for each run of white space, and where each of its characters stands then."""
    text, places = "", {}
    for at, char in enumerate(sentence):
        if char.isspace():
            text += " " if text and text[-1] != " " else ""
            places[at] = len(text)
        else:
            places[at] = len(text)
            text += char
    return text, {**places, len(sentence): len(text)}


def _end(sentence: str, fact: Fact, start: int) -> int:
    """Where a number ends in its sentence, without the white space behind it."""
    first = fact.start - start
    return first + len(sentence[first : fact.end - start].rstrip())


def _first(text: str, most: int) -> str:
    return " ".join(text.split()[:most])


def _when(fact: Fact, years: Sequence[Period]) -> str:
    """ "FY2021", "quarter to Jun 30 2021"; "" for a figure without a period."""
    start, end = fact.period_start, fact.period_end
    if end is None:
        return ""
    day = f"{end:%b} {end.day} {end.year}"
    if start is not None and (end - start).days <= LONGEST_QUARTER:
        return f"quarter to {day}"
    return next((year.label for year in years if abs((year.end - end).days) <= NEAR), "") or day
