"""The lines of filings that are read together with a question: sentences, and rows of tables with all their figures.

The ranker looks at one figure at a time. What asks for a share of another figure, or says in everyday words which number of a
sentence it means, is told by all of them together: so the best sentences and rows are put into one short text.
"""

from __future__ import annotations

from collections.abc import Hashable, Iterable, Iterator, Mapping, Sequence, Set
from dataclasses import dataclass
from operator import itemgetter
from typing import Protocol

from fin_tui.candidates import Candidate, unit_read
from fin_tui.clauses import leading
from fin_tui.engine.rank.filing_rows import FilingRows, RowBook, numbers_of
from fin_tui.facts.figures import Period
from fin_tui.facts.index import LONGEST_QUARTER, NEAR
from fin_tui.language import split_sentences
from fin_tui.records import Chunk, Fact, Filing

_MOST, _LONGEST, _WIDEST = 200, 90, 1_200
"""Words of an excerpt and of one line, and characters of a line: what has no spaces has few words."""
_NUMBERS, _OF_LINE = 64, 24
"""Numbers of an excerpt, and of one line."""
_CELLS = 9
"""Figures of a row; of a longer one those around the figure that was found."""
_LABEL, _TITLE = 12, 10
"""Words of a label and of a title."""
_ABOVE = 3
"""Labels of a row: its own, and the headings next above."""
_PRINTED = 24
"""Characters of a figure."""
_TOLD, _BEFORE, _FOUND = -1.0, -0.5, 0.05
_STEP, _FIRST, _ON, _NEXT = 0.8, 0.3, 0.1, 0.12
"""Figures found before and lines read before come first; then the nearest line, the best paragraph, what was found, the next
nearest lines, the best row, and so on in turns: of those after the first eight nearest lines stand for one paragraph or row. Each
line of a paragraph comes a little later than the one before it: a table has many.
"""
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
    filing: Filing
    key: Hashable
    """The same for whatever leads to this line."""

    @property
    def words(self) -> int:
        """How many it has."""
        return len(self.text.split())


@dataclass(frozen=True, slots=True)
class Place:
    """A span of the clean text of a filing."""

    filing: Filing
    start: int
    end: int


@dataclass(frozen=True, slots=True)
class Excerpt:
    """Lines of filings, as one text."""

    lines: tuple[Line, ...]
    text: str
    spans: tuple[tuple[int, int], ...]
    """Of each number in the text."""
    numbers: tuple[tuple[Candidate, Filing], ...]
    """What stands there."""


class Chunks(Protocol):
    """Finds the chunk around a span."""

    def holding(self, filing_id: str, start: int, end: int, /) -> Chunk | None: ...


class Excerpts:
    """Makes excerpts."""

    def __init__(self, book: RowBook, chunks: Chunks) -> None:
        self._book = book
        self._chunks = chunks

    def of(
        self,
        told: Sequence[Place],
        before: Sequence[Line],
        paragraphs: Sequence[Iterable[Place]],
        ranked: Sequence[Sequence[tuple[Candidate, Filing]]],
        found: Place | None = None,
        near: Sequence[Line] = (),
    ) -> Excerpt:
        """The lines where the figures stand that earlier turns were answered with (``told``), those that the turn before was
        read with, that of what was ``found``, those ``near`` to what the conversation looks for, and the sentences and rows of
        the best ``paragraphs`` and of figures ``ranked`` for each thing asked, in turns. There are as many as there is room for.
        """
        asked: list[tuple[float, Place | Line | tuple[Candidate, Filing]]] = []
        asked += ((_TOLD, place) for place in told)
        asked += ((_BEFORE, line) for line in before)
        asked += ((_FOUND, place) for place in (found,) if place is not None)
        asked += ((rank + at * _ON, place) for rank, places in enumerate(paragraphs) for at, place in enumerate(places))
        asked += ((rank * _STEP + _FIRST, one) for some in ranked for rank, one in enumerate(some))
        asked += ((at * _NEXT, line) for at, line in enumerate(near))
        asked.sort(key=itemgetter(0))
        lines = tuple(enough((line for _, one in asked if (line := self._line(one)) is not None), _MOST))
        return whole(lines, {(place.filing.id, place.start) for place in told})

    def _line(self, one: Place | Line | tuple[Candidate, Filing]) -> Line | None:
        return one if isinstance(one, Line) else self.at(one) if isinstance(one, Place) else self.around(*one)

    def at(self, place: Place) -> Line | None:
        """The sentence that a place stands in, or the row of the first figure that stands there."""
        filing, rows = place.filing, self._book.of(place.filing)
        chunk = self._chunks.holding(filing.id, place.start, place.end)
        is_prose = chunk is not None and chunk.kind == "prose"
        cell = None if is_prose else rows.at(place.start)
        if cell is None and chunk is not None:
            spans = ((first, last) for first, last in split_sentences(chunk.text) if first <= place.start - chunk.start < last)
            sentence = next((_sentence(filing, rows, chunk, first, last) for first, last in spans), None)
            if sentence is not None or is_prose:
                return sentence
            cell = rows.within(place.start, place.end)  # A row begins with its label.
        return _row(filing, rows, cell) if cell is not None else None

    def sentences(self, chunk: Chunk, filing: Filing) -> list[Line]:
        """Those of a passage of ``filing``, without rows of tables."""
        rows = self._book.of(filing)
        spans = split_sentences(chunk.text)
        return [line for first, last in spans if (line := _sentence(filing, rows, chunk, first, last)) is not None]

    def around(self, one: Candidate, filing: Filing) -> Line | None:
        """The line of a figure."""
        if one.fact.source == "text":
            return self.at(Place(filing, one.fact.start, one.fact.end))
        return _row(filing, self._book.of(filing), one)


def enough(lines: Iterable[Line], most: float) -> Iterator[Line]:
    """Those of ``lines`` that have numbers and are not too long, each once, until there are ``most`` words."""
    seen: set[Hashable] = set()
    words = numbers = 0
    for line in lines:
        is_short = line.words <= _LONGEST and len(line.text) <= _WIDEST and len(line.printed) <= _OF_LINE
        is_new = bool(line.printed) and seen.isdisjoint((line.key, line.text))
        if is_new and is_short and numbers + len(line.printed) <= _NUMBERS:
            seen |= {line.key, line.text}
            words += line.words
            numbers += len(line.printed)
            yield line
        if words >= most:
            return


def joined(turns: Sequence[str], year: str) -> str:
    """The question as it is read, behind the fiscal year of the filing and the last questions before it."""
    *earlier, question = turns
    before = " ; ".join(one[:160] for one in earlier[-3:])
    return f"{f'{year}: ' if year else ''}{f'{before} ; ' if before else ''}question: {question[:300]}"


def whole(lines: Sequence[Line], told: Set[tuple[str, int]]) -> Excerpt:
    """``lines`` one after the other; behind the figures ``told`` (filing, start) it is said that they were, earlier."""
    text = ""
    spans: list[tuple[int, int]] = []
    for line in lines:
        text += " \n " if text else ""
        at = 0
        for one in line.printed:
            text += line.text[at : one.start]
            spans.append((len(text), len(text) + one.end - one.start))
            text += line.text[one.start : one.end]
            text += TOLD if stands_at(one.candidate.fact, line.filing, told) else ""
            at = one.end
        text += line.text[at:]
    numbers = tuple((one.candidate, line.filing) for line in lines for one in line.printed)
    return Excerpt(tuple(lines), text, tuple(spans), numbers)


def stands_at(fact: Fact, filing: Filing, places: Set[tuple[str, int]]) -> bool:
    """Whether a figure stands at one of the places (filing, start); one that is hidden from readers stands nowhere."""
    return fact.end > fact.start and (filing.id, fact.start) in places


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


def _sentence(filing: Filing, rows: FilingRows, chunk: Chunk, first: int, last: int) -> Line | None:
    """The sentence of ``chunk`` that stands there; None for one that is a row."""
    sentence, start = chunk.text[first:last], chunk.start + first
    if "\t" in sentence:
        return None
    before = leading(chunk.text, first)
    numbers = {one.fact.start: one for one in numbers_of(sentence, start, chunk.heading, rows.ends, before, rows.scale)}
    text, places = _in_one_line(sentence)
    printed = tuple(
        Printed(places[at - start], places[_end(sentence, one.fact, start)], one) for at, one in sorted(numbers.items())
    )
    return Line(text, printed, filing, (filing.id, start))


def _row(filing: Filing, rows: FilingRows, found: Candidate) -> Line:
    """The row of a figure with all its figures: "Retail stores | Properties: Owned FY2021 12; Leased FY2021 30 ($ million)"."""
    cells = rows.line_of(found)
    is_cut = len(cells) > _CELLS
    if is_cut:
        first = max(0, next((at for at, one in enumerate(cells) if one.fact.start == found.fact.start), 0) - _CELLS // 2)
        cells = cells[first : first + _CELLS]
    label = " < ".join(_first(part, _LABEL) for part in found.path[-_ABOVE:][::-1]) or _first(found.fact.label, _LABEL)
    name = f"{label} | {_first(found.title, _TITLE)}" if found.title else label
    text, printed = f"{name}:", []
    for one in cells:
        said = (one.column if one.column and one.column not in name else "", "" if one.column else ", ".join(one.members))
        when = _when(one.fact, rows.years)
        text += "".join(f" {words}" for words in (*said, when) if words) + " "
        shown = " ".join(one.fact.text.split())[:_PRINTED] or str(one.fact.value)
        printed.append(Printed(len(text), len(text) + len(shown), one))
        text += f"{shown};"
    unit = unit_read(found.fact)
    text = text.rstrip(";") + (f" ({unit})" if unit else "")
    key = (filing.id, found.fact.block, found.path, found.title, cells[0].fact.start if is_cut else None)
    return Line(text, tuple(printed), filing, key)


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
