"""A figure with the rows of a table that add up to it: "capital expenditures by purpose", "what the charge is made up of".

Tags break a figure down by segment, product and place alone. Any other table that breaks one down proves it by its own sum: the
rows above the figure, in its column, come to it. Which table is meant, of several with the same sum, the question's words tell.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from decimal import Decimal
from operator import itemgetter

from fin_tui.engine.evidence import as_text, quoted_table, requote
from fin_tui.engine.evidence.numbers import find_numbers
from fin_tui.engine.figures.answer import FigureAnswer, Source, answer_of_grid
from fin_tui.engine.figures.filled import Filled, shares_of
from fin_tui.engine.figures.framed import filled, readings_for
from fin_tui.engine.figures.linked_book import Linked
from fin_tui.engine.frame.reader import FIGURES, Frame
from fin_tui.engine.questions.understanding import Understanding
from fin_tui.engine.structures import FilingReader
from fin_tui.engine.structures.members import axes_named
from fin_tui.facts.figures import SCALES, printed_scale
from fin_tui.facts.words import stems
from fin_tui.language import runs_of
from fin_tui.records import Cell, Sentence, Table

_LIST, _LOOK_UP = "list", "lookup"
_LEAST = 0.25
"""Probability from which a figure may be the one that is broken down: that rows add up to it speaks for it; …"""
_SURE = 0.7
"""… and from which it may be one that is called otherwise than the question does."""
_KINDS = {"money": 0.6, "count": 0.3, "percent": 0.1}
"""Of each kind of figure how likely it is that it is broken down, where the question asks for a list."""
_FEWEST, _MOST = 2, 16
"""Parts of a figure."""
_TELLING = 4
"""Digits of a number that is hardly that of another thing by chance."""


@dataclass(frozen=True, slots=True)
class _Parts:
    """The rows of a table that add up to a figure, and that of the figure behind them."""

    table: Table
    rows: tuple[int, ...]
    is_sum: bool
    """Whether the figure is what they add up to, not one of them."""


def adding_up(understood: Understanding, source: Source, linked: Linked, reader: FilingReader) -> FigureAnswer | None:
    """The likeliest figure that the question names with the rows that add up to it; None where it asks for no list, or no table
    of the filing says what the figure is made up of.
    """
    frame = understood.frame
    if frame is None or _LIST not in (frame.operation, frame.answer) or not frame.whole.targets or frame.refusal:
        return None
    if any(map(axes_named, runs_of(frame.question.lower()))):
        return None  # By region or segment: what adds up under such a heading is often one region alone.
    asked = replace(understood, frame=_of_one(frame))
    assert asked.frame is not None
    found = filled(readings_for(asked.frame, asked, source), asked, source, linked)
    found = [one for one in found if one.place is not None and not one.is_told]
    shares = shares_of(found) if found else ()
    for one, share in sorted(zip(found, shares, strict=True), key=lambda of: -of[1]):
        parts = _of_figure(one, float(share), frame, reader) if share >= _LEAST else None
        if parts is not None:
            return _told(one, parts, source, reader)
    return None


def _of_one(frame: Frame) -> Frame:
    """The frame as that of the one figure which is broken down."""
    read = {frame.answer: 1.0} if frame.answer in FIGURES else {}
    kinds = {kind: share + read.get(kind, 0.0) for kind, share in _KINDS.items()} | {
        kind: 1.0 for kind in read if kind not in _KINDS
    }
    answer = max(kinds, key=kinds.__getitem__)
    return replace(
        frame, operation=_LOOK_UP, operations={_LOOK_UP: 1.0}, answer=answer, kinds=kinds, sure={**frame.sure, "figure": 1.0}
    )


def _of_figure(one: Filled, share: float, frame: Frame, reader: FilingReader) -> _Parts | None:
    """The parts of a figure that is meant by a probability of ``share``, by the table that has most of the question's words, its
    own before others; of a figure that is a part itself all those beside it.
    """
    figure = one.figures[0]
    printed = _value(figure.fact.text)
    if not printed:
        return None
    named = set(stems(f"{figure.row} {figure.label} {figure.fact.label}"))
    targets = {stem for span in frame.whole.targets for stem in stems(span.text)}
    asked, called = set(stems(frame.asked)) - named, targets & named
    if not called and share < _SURE:
        return None  # Mills are no wares, however well wares add up.
    found: list[tuple[tuple[bool, int, bool], _Parts]] = []
    for block in reader.document(figure.filing).blocks:
        is_own = block.start <= figure.fact.start < block.end
        for row, column in _places(block.table, printed) if block.table is not None else ():
            assert block.table is not None
            rows = parts_of(block.table, row, column)
            is_sum = bool(rows)
            rows = (*rows, row) if rows else _beside(block.table, row, column) if is_own else ()
            words = _words(block.table, rows)
            if is_sum:
                is_other = bool(called) and called <= words and len(printed.as_tuple().digits) >= _TELLING
                is_meant = is_own or is_other
            else:
                own = set(stems(" ".join(_path(block.table, row)[-1:])))
                is_meant = not own & set(stems(frame.asked)) and bool(targets & _words(block.table, rows[-1:]))
            if rows and is_meant:
                found.append(((is_sum, len(asked & words), is_own), _Parts(block.table, rows, is_sum=is_sum)))
    return max(found, key=itemgetter(0))[1] if found else None


def _beside(table: Table, row: int, column: int) -> tuple[int, ...]:
    """The rows that add up to one further down, with that, where ``row`` is one of them; empty where it is a part of nothing."""
    for below in range(row + 1, min(row + 1 + _MOST, len(table.rows))):
        rows = parts_of(table, below, column)
        if row in rows:
            return (*rows, below)
    return ()


def parts_of(table: Table, row: int, column: int) -> tuple[int, ...]:
    """The rows right above a cell that, in its column, add up to it, each of them with those that it is the sum of itself; empty
    where none do.
    """
    summed: dict[int, tuple[int, ...]] = {}
    for at in range(table.header_rows, row + 1):  # From the top down: what is a sum itself is known before it is a part.
        summed[at] = _parts_of(table, at, column, summed)
    return summed.get(row, ())


def _parts_of(table: Table, row: int, column: int, summed: Mapping[int, tuple[int, ...]]) -> tuple[int, ...]:
    """As :func:`parts_of`; ``summed`` has the parts of all rows above."""
    total, together, parts, above = _at(table, row, column), Decimal(0), 0, row - 1
    rows: list[int] = []
    while total and above >= table.header_rows and parts < _MOST:
        value, within = _at(table, above, column), summed[above]
        if value is not None:
            together, parts = together + value, parts + 1
            rows = [*within, above, *rows]
            if parts >= _FEWEST and abs(together - total) <= _unit(table, row, column) * parts / 2:
                return tuple(rows) if all(_label(table, one) for one in rows) else ()
        above = (within[0] if within else above) - 1
    return ()


def _places(table: Table, printed: Decimal) -> Iterator[tuple[int, int]]:
    """Rows and columns of the cells that print a value."""
    for number, row in enumerate(table.rows[table.header_rows :], start=table.header_rows):
        for cell in row:
            if cell.column and _value(cell.text) == printed:
                yield number, cell.column


def _words(table: Table, rows: Sequence[int]) -> set[str]:
    labels = (_label(table, row) for row in rows)
    heads = (text for column in table.columns for text in column.header)
    return set(stems(" ".join((table.title, *labels, *heads))))


def _label(table: Table, row: int) -> str:
    return " ".join(_path(table, row))


def _path(table: Table, row: int) -> Sequence[str]:
    return table.row_paths[row] if row < len(table.row_paths) else ()


def _cell(table: Table, row: int, column: int) -> Cell | None:
    return next((cell for cell in table.rows[row] if cell.column == column), None)


def _at(table: Table, row: int, column: int) -> Decimal | None:
    cell = _cell(table, row, column)
    return _value(cell.text) if cell is not None else None


def _value(text: str) -> Decimal | None:
    """The one number that a cell prints; None for words, and for a year."""
    numbers = list(find_numbers(text))
    return numbers[0].value if len(numbers) == 1 and not numbers[0].is_year else None


def _unit(table: Table, row: int, column: int) -> Decimal:
    """One unit of the last digit that a cell prints."""
    cell = _cell(table, row, column)
    numbers = list(find_numbers(cell.text)) if cell is not None else []
    return 2 * numbers[0].accuracy if numbers else Decimal(0)


def _told(one: Filled, parts: _Parts, source: Source, reader: FilingReader) -> FigureAnswer | None:
    """The figure, then the rows; where it is one of these the rows alone."""
    answer = answer_of_grid(one.grid, source)
    if not isinstance(answer, FigureAnswer) or len(answer.passages) != 1:
        return None
    first, cells = answer.passages[0], [cell for row in parts.rows for cell in parts.table.rows[row]]
    begin, end = min(cell.start for cell in cells), max(cell.end for cell in cells)
    shown = reader.passage(2, one.figures[0].filing, begin, end)
    quoted = quoted_table(parts.table, parts.rows, (shown.citation.heading or "").rpartition(" – ")[2]) if shown else None
    if shown is None or quoted is None:
        return None
    scale = SCALES.get(printed_scale(one.figures[0].fact), "")
    if scale and not quoted.header[0].strip():  # No figure stands without the scale of its table, wherever that is printed.
        quoted = replace(quoted, header=(f"in {scale}s", *quoted.header[1:]))
    is_one = shown.citation.chunk_id == first.citation.chunk_id
    passages = (requote(first, begin, end, as_text(quoted)),) if is_one else (first, requote(shown, begin, end, as_text(quoted)))
    told = Sentence(as_text(quoted), (len(passages),), "grounded", opens="paragraph", table=quoted)
    sentences = (*answer.sentences, told) if parts.is_sum else (told,)
    return replace(answer, sentences=sentences, passages=passages, value=None, single=None, is_page=True)
