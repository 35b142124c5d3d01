"""Numeric questions: from facts to a finished answer with sentences, passages, calculation and table."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from fin_tui.engine.events import Passage
from fin_tui.engine.figure_json import calculation_json, fact_json, number, plan_json, table_json
from fin_tui.engine.figure_text import figure_sentence, result, result_sentence
from fin_tui.engine.grid import Cell, Grid, fill
from fin_tui.engine.ground import Book
from fin_tui.engine.parts import each_part
from fin_tui.engine.places import Chunks, Places
from fin_tui.engine.plan import Subject
from fin_tui.engine.wanted import Names, Reading
from fin_tui.facts.figures import Figure
from fin_tui.records import Sentence

_MOST_OPERANDS = 6
"""With more figures behind a result, its sentence cites them and they are not told one by one."""


@dataclass(frozen=True, slots=True)
class Source:
    """What numeric answers are made from."""

    book: Book
    names: Names
    chunks: Chunks


@dataclass(frozen=True, slots=True)
class FigureAnswer:
    """An answer made of figures."""

    sentences: tuple[Sentence, ...]
    passages: tuple[Passage, ...]
    facts: tuple[Mapping[str, Any], ...]
    plan: tuple[Mapping[str, Any], ...]
    value: float | None = None
    unit: str | None = None
    calculation: Mapping[str, Any] | None = None
    table: Mapping[str, Any] | None = None
    display: str = ""
    """The one figure that was asked for, as the sentences print it."""


@dataclass(frozen=True, slots=True)
class NoFigures:
    """Why there is no answer of figures."""

    why: tuple[str, ...]
    """A line for each figure that is not there."""
    is_period: bool = False
    """No filing held covers the period."""
    close: tuple[str, ...] = ()
    """Figures that fit about equally well, one line each: a choice between them would be a guess."""


def answer_figures(reading: Reading, subjects: Sequence[Subject], source: Source) -> FigureAnswer | NoFigures:
    """Look up and compute what ``reading`` asks of ``subjects``."""
    grid = fill(reading, subjects, source.book, source.names)
    if not any(cell.measure for cell in grid.cells):
        listed = each_part(reading)
        if listed is not None:
            apart = fill(listed, subjects, source.book, source.names)
            if all(cell.measure for cell in apart.cells):
                return _Writer(apart, Places(source.chunks)).write()
        gaps = [cell.gap for cell in grid.cells if cell.gap]
        close = (f"{fact.label}: {fact.text} ({fact.period_end})" for gap in gaps for fact in gap.candidates)
        is_period = bool(gaps) and all(gap.period is None for gap in gaps)
        return NoFigures(tuple(dict.fromkeys(gap.why for gap in gaps)), is_period, tuple(dict.fromkeys(close)))
    return _Writer(grid, Places(source.chunks)).write()


def answer_of_one(reading: Reading, candidates: Sequence[Subject], source: Source) -> FigureAnswer | None:
    """The answer for the one company of ``candidates`` that has the segment or product asked about; None when not just one."""
    if not candidates or not all(item.phrase and item.metric for item in reading.items.values()):
        return None
    found = [answer for one in candidates if isinstance(answer := answer_figures(reading, [one], source), FigureAnswer)]
    return found[0] if len(found) == 1 else None


class _Writer:
    """Numbers facts and passages while it writes the sentences."""

    def __init__(self, grid: Grid, places: Places) -> None:
        self._grid = grid
        self._places = places
        self._facts: list[Figure] = []
        self._cited: list[int | None] = []
        asked = grid.reading.instructions
        self._scale, self._decimals = asked.scale, asked.places

    def write(self) -> FigureAnswer:
        grid, chosen = self._grid, self._grid.chosen
        numbers = {place: [self._number(figure) for figure in cell.figures] for place, cell in enumerate(grid.cells)}
        sentences = self._sentences()
        calculation = None
        if chosen is not None:
            own = {index: self._number(figure) for index, figure in enumerate(chosen.figures)}
            calculation = calculation_json(chosen, own, self._scale, self._decimals)
        measure = chosen.measure if chosen else None
        return FigureAnswer(
            sentences=sentences,
            passages=self._places.passages,
            facts=tuple(fact_json(figure, cited) for figure, cited in zip(self._facts, self._cited, strict=True)),
            plan=plan_json(grid, grid.reading.items),
            value=number(measure.value) if measure else None,
            unit=measure.unit if measure else None,
            calculation=calculation,
            table=table_json(grid, numbers, self._cited),
            display=result(chosen, self._scale, self._decimals) if chosen else "",
        )

    def _number(self, figure: Figure) -> int:
        """The number of a fact; the same fact is listed once."""
        for index, known in enumerate(self._facts):
            if known.fact is figure.fact and known.filing.id == figure.filing.id:
                return index
        self._facts.append(figure)
        self._cited.append(self._places.number(figure.fact, figure.filing))
        return len(self._facts) - 1

    def _citations(self, figures: Sequence[Figure]) -> tuple[int, ...]:
        numbers = (self._cited[self._number(figure)] for figure in figures)
        return tuple(dict.fromkeys(number for number in numbers if number is not None))

    def _sentences(self) -> tuple[Sentence, ...]:
        grid, chosen = self._grid, self._grid.chosen
        told: list[Sentence] = []
        if grid.reading.yes_no and chosen is not None and chosen.measure is not None:
            told.append(Sentence(_verdict(grid, chosen), self._citations(chosen.figures), "computed"))
        if chosen is not None and len(grid.cells) > 1 and grid.reading.across != "difference":
            told.append(Sentence(_extreme(grid, chosen), self._citations(chosen.figures), "computed"))
        elif chosen is not None and grid.reading.across == "difference":
            told.append(self._computed(chosen))
        for cell in grid.cells:
            told.extend(self._cell(cell))
        return tuple({sentence.text: sentence for sentence in told}.values())

    def _computed(self, cell: Cell) -> Sentence:
        return Sentence(result_sentence(cell, self._scale, self._decimals), self._citations(cell.figures), "computed")

    def _cell(self, cell: Cell) -> list[Sentence]:
        if cell.grounded is None:
            why = cell.gap.why if cell.gap else "not found"
            return [Sentence(f"{cell.company} {cell.part.label}, FY{cell.year}: {why}", (), "computed")]
        if cell.single is not None:
            return [self._stated(cell, cell.single, cell.part.label)]
        told = [self._computed(cell)]
        if len(cell.figures) <= _MOST_OPERANDS:
            labelled = zip(cell.figures, cell.grounded.labels, strict=True)
            told.extend(self._stated(cell, figure, label or figure.label) for figure, label in labelled)
        return told

    def _stated(self, cell: Cell, figure: Figure, label: str) -> Sentence:
        company = cell.company if cell.over != "difference" else figure.filing.company
        return Sentence(
            figure_sentence(company, figure, label, self._scale, own=cell.single is not None),
            self._citations([figure]),
            "grounded",
        )


def _verdict(grid: Grid, cell: Cell) -> str:
    """Yes or no for "did it grow", by the sign of the change."""
    value = cell.measure.value if cell.measure else 0
    if value == 0:
        return f"No: {cell.company} {cell.part.label} did not change."
    went = "rose" if value > 0 else "fell"
    yes = (value < 0) if grid.reading.down else (value > 0)
    return f"{'Yes' if yes else 'No'}: {cell.company} {cell.part.label} {went} from FY{cell.year - cell.back} to FY{cell.year}."


def _extreme(grid: Grid, cell: Cell) -> str:
    which = grid.reading.across if grid.reading.across != "each" else grid.reading.over
    return f"{which.capitalize()} {cell.part.label}: {cell.company}, FY{cell.year}, {result(cell)}."
