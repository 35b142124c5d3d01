"""Numeric questions: from facts to a finished answer with sentences, passages, calculation and table.

What is to be decided over figures is answered here as well: "Was it profitable?" -> "Yes: …" with the figure behind it; "the
largest liability" -> that line with those next to it.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from decimal import Decimal
from typing import Protocol

from fin_tui.candidates import Candidate
from fin_tui.engine.evidence import Passage
from fin_tui.engine.figures.as_json import calculation_json, candidate_json, fact_json, number, plan_json, table_json, whole_json
from fin_tui.engine.figures.as_text import period_of, result, show_figure
from fin_tui.engine.figures.detail import Chunks, Places
from fin_tui.engine.figures.grid import Grid, fill
from fin_tui.engine.figures.ground import Book
from fin_tui.engine.figures.headline import Line, as_said, lines_of
from fin_tui.engine.figures.prose import Prose, WithProse, told_shares
from fin_tui.engine.frame.meaning import Meaning
from fin_tui.engine.questions.instructions import Instructions
from fin_tui.engine.questions.kinds import Condition, Test, read_condition, read_rank
from fin_tui.engine.questions.reading import each_part
from fin_tui.engine.questions.target import Subject, subjects
from fin_tui.engine.questions.understanding import Understanding
from fin_tui.engine.questions.wanted import Item, Names, Part, Reading
from fin_tui.facts.expression import Name
from fin_tui.facts.figures import Figure
from fin_tui.facts.ranking import Ranking
from fin_tui.records import CalculationRecord, FactRecord, Filing, PlanStep, Sentence, TableRecord


class Texts(Chunks, Prose, Protocol):
    """Chunks by their place, and all of a filing."""


@dataclass(frozen=True, slots=True)
class Source:
    """What numeric answers are made from."""

    book: Book
    names: Names
    chunks: Texts
    meaning: Meaning | None = None
    """What words mean that name no metric."""


@dataclass(frozen=True, slots=True)
class FigureAnswer:
    """An answer made of figures."""

    sentences: tuple[Sentence, ...]
    passages: tuple[Passage, ...]
    facts: tuple[FactRecord, ...]
    plan: tuple[PlanStep, ...]
    value: float | None = None
    unit: str | None = None
    calculation: CalculationRecord | None = None
    table: TableRecord | None = None
    display: str = ""
    """The one figure that was asked for, as the sentences print it."""
    whole: TableRecord | None = None
    """A table of that figure and of those that it is computed from, where ``table`` is None."""
    single: Figure | None = None
    """The figure that was asked for, where it is one that a filing states."""
    asks_reason: bool = False
    """Its question goes on to ask why: the words that tell it stand beside it."""
    is_page: bool = False
    """A whole page, such as a figure by segment: words of the filing beside it would say it once more."""


@dataclass(frozen=True, slots=True)
class Likely:
    """A figure that may be the one asked for."""

    value: float
    share: float
    """Its probability."""
    is_computed: bool
    tell: Callable[[], FigureAnswer]
    """What is told where it stands."""
    place: tuple[str, int] | None = None
    """Filing and place in its clean text where it is printed; None where it is computed."""


@dataclass(frozen=True, slots=True)
class Said:
    """A sentence one of whose numbers may be the one asked for."""

    share: float
    """The probability that one of them is."""
    place: tuple[str, int]
    """Filing and place in its clean text of the likeliest."""
    values: tuple[float, ...]
    """All that may be asked for."""
    tell: Callable[[], FigureAnswer]
    """The sentence, told without a choice between its numbers."""


@dataclass(frozen=True, slots=True)
class Unsure:
    """What may be asked for, where nothing is sure enough to stand."""

    figures: tuple[Likely, ...]
    """Each value once, the likeliest first."""
    lines: tuple[str, ...]
    """The rows and sentences that rank highest for what the question names, with their figures of several periods."""
    said: Said | None = None
    """The likeliest sentence, where it is the answer once it is sure: it is of the part and the things that are named, and no
    figure of another place is likelier.
    """
    near: tuple[tuple[tuple[Candidate, Filing], ...], ...] = ()
    """For each thing that is looked for in a filing the figures that rank highest."""


@dataclass(frozen=True, slots=True)
class NoFigures:
    """Why there is no answer of figures."""

    why: tuple[str, ...]
    """A line for each figure that is not there."""
    is_period: bool = False
    """No filing held covers the period."""
    close: tuple[str, ...] = ()
    """Figures that fit about equally well, one line each: a choice between them would be a guess."""
    candidates: tuple[FactRecord, ...] = ()
    """The same as fact objects."""
    no_statements: bool = False
    """No filing held that covers the period has financial statements in it."""
    of_quarter: bool = False
    """A quarter is asked about: sentences of the year are no answer."""
    likely: FigureAnswer | None = None
    """The closest figure found, too unsure to stand as the answer."""
    other: FigureAnswer | None = None
    """One that may be meant as well: a language model comes to it, the ranking to ``likely``."""
    unsure: Unsure | None = None
    """The figures that its words were looked through for, however unsure."""
    of_other: bool = False
    """What was found is of something else than is asked about: so is whatever states it."""


def answer_figures(reading: Reading, subjects: Sequence[Subject], source: Source) -> FigureAnswer | NoFigures:
    """Look up and compute what ``reading`` asks of ``subjects``."""
    book = WithProse(source.book, source.chunks)
    grid = fill(reading, subjects, book, source.names)
    if not any(cell.measure for cell in grid.cells):
        listed = each_part(reading)
        if listed is not None:
            apart = fill(listed, subjects, book, source.names)
            if all(cell.measure for cell in apart.cells):
                return _Writer(apart, Places(source.chunks)).write()
        told = told_shares(reading, subjects, source.chunks)
        if told is not None:
            return _Writer(told, Places(source.chunks)).write()
        gaps = [cell.gap for cell in grid.cells if cell.gap]
        near = [(fact, gap.filing) for gap in gaps for fact in gap.candidates]
        close = dict.fromkeys(f"{fact.label}: {fact.text} ({fact.period_end})" for fact, _ in near)
        is_period = bool(gaps) and all(gap.period is None for gap in gaps)
        candidates = tuple(candidate_json(fact, filing) for fact, filing in near)
        why = tuple(dict.fromkeys(gap.why for gap in gaps))
        lacks = bool(gaps) and all(gap.no_statements for gap in gaps)
        of_quarter = any(subject.quarter for subject in subjects)
        return NoFigures(why, is_period, tuple(close), candidates, lacks, of_quarter)
    return _Writer(grid, Places(source.chunks)).write()


def answer_of_one(reading: Reading, candidates: Sequence[Subject], source: Source) -> FigureAnswer | None:
    """The answer for the one company of ``candidates`` that has the segment or product asked about; None when not just one."""
    if not candidates or not all(item.phrase and item.metric for item in reading.items.values()):
        return None
    found = [answer for one in candidates if isinstance(answer := answer_figures(reading, [one], source), FigureAnswer)]
    return found[0] if len(found) == 1 else None


def answer_of_grid(grid: Grid, source: Source, lines: Sequence[Line] | None = None) -> FigureAnswer:
    """The answer that a grid gives, told by ``lines`` (by default those that fit what it holds)."""
    return _Writer(grid, Places(source.chunks)).write(lines)


def answer_of_sentence(figure: Figure, source: Source) -> FigureAnswer:
    """The sentence that ``figure`` is the likeliest number of. It lists no facts: each would be called what was asked for."""
    places = Places(source.chunks)
    cited = places.number(figure.fact, figure.filing)
    numbers = (cited,) if cited is not None else ()
    return FigureAnswer((Sentence(as_said(figure), numbers, "grounded"),), places.passages, (), ())


class _Writer:
    """Numbers facts and passages while it writes the sentences."""

    def __init__(self, grid: Grid, places: Places) -> None:
        self._grid = grid
        self._places = places
        self._facts: list[Figure] = []
        self._cited: list[int | None] = []
        asked = grid.reading.instructions
        self._scale, self._decimals = asked.scale, asked.places

    def write(self, lines: Sequence[Line] | None = None) -> FigureAnswer:
        grid, chosen = self._grid, self._grid.chosen
        numbers = {place: [self._number(figure) for figure in cell.figures] for place, cell in enumerate(grid.cells)}
        sentences = self._sentences(lines)
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
            table=(table := table_json(grid, numbers, self._cited)),
            display=result(chosen, self._scale, self._decimals) if chosen else "",
            whole=whole_json(chosen, numbers[grid.cells.index(chosen)], self._cited) if chosen and table is None else None,
            single=chosen.single if chosen else None,
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

    def _sentences(self, lines: Sequence[Line] | None) -> tuple[Sentence, ...]:
        told = lines_of(self._grid, self._scale, self._decimals) if lines is None else lines
        return tuple(Sentence(line.text, self._citations(line.figures), line.support, is_detail=line.is_detail) for line in told)


def decide(understood: Understanding, source: Source) -> FigureAnswer | None:
    """The figure that decides, the verdict before it; None when no figure does, or the one that would is not stated."""
    condition = read_condition(understood.question, source.names)
    if condition is None:
        return None
    reading = _deciding(condition)
    request = understood.request
    whose = subjects(understood.question, reading, understood.target, request.scope, understood.held)
    if len(whose) != 1 or (len(whose[0].years) != 1 and reading.over == "point"):
        return None
    answer = answer_figures(reading, whose, source)
    if not isinstance(answer, FigureAnswer) or answer.value is None or reading.over != "point":
        return answer if isinstance(answer, FigureAnswer) and answer.value is not None else None
    first, *rest = answer.sentences
    yes = _holds(Decimal(str(answer.value)), condition.test, condition.limit)
    told = f"{'Yes' if yes else 'No'}: {first.text.removesuffix('.')}{_against(answer.value, condition)}."
    return replace(answer, sentences=(replace(first, text=told, support="computed"), *rest))


def _deciding(condition: Condition) -> Reading:
    metric = condition.metric
    items = {metric.id: Item(metric)}
    part = Part(Name(metric.id), metric.names[0], metric.unit)
    if condition.test in ("rose", "fell"):
        down = condition.test == "fell"
        return Reading((part,), items, "change", yes_no=True, down=down, instructions=Instructions(""))
    return Reading((part,), items, instructions=Instructions(""))


def _holds(value: Decimal, test: Test, limit: Decimal) -> bool:
    match test:
        case "above":
            return value > limit
        case "below":
            return value < limit
        case "at least":
            return value >= limit
        case _:
            return value <= limit


def _against(value: float, condition: Condition) -> str:
    """ ", above $100 billion"; "" where the figure's sign decides."""
    limit = float(condition.limit)
    if condition.is_having or not limit:
        return ""
    said = f"${condition.said}" if condition.metric.unit == "usd" and "$" not in condition.said else condition.said
    return f", {'above' if value > limit else 'below' if value < limit else 'exactly'} {said}"


_MOST_TOLD = 4
"""Lines told beside the one asked for."""


def rank(understood: Understanding, source: Source) -> FigureAnswer | None:
    """The line or part that is asked for, with those next to it; None when nothing is ranked, or it can't be."""
    asked = read_rank(understood.question, source.names)
    if asked is None:
        return None
    metric = asked.metric or source.names.get("revenue")
    if metric is None:
        return None
    reading = Reading((Part(Name(metric.id), metric.names[0]),), {metric.id: Item(metric)}, instructions=Instructions(""))
    request = understood.request
    whose = subjects(understood.question, reading, understood.target, request.scope, understood.held)
    if len(whose) != 1 or len(whose[0].years) != 1:
        return None
    figures = source.book.ranked(asked, whose[0].filings, whose[0].years[0])
    return _of_rank(asked, whose[0].company, figures, source) if figures else None


def _of_rank(asked: Ranking, company: str, figures: Sequence[Figure], source: Source) -> FigureAnswer:
    places = Places(source.chunks)
    shown = figures[: _MOST_TOLD + 1]
    cited = [places.number(figure.fact, figure.filing) for figure in shown]
    first = shown[0]
    what = _ranked_name(asked)
    told = f"{company}, {what}, {period_of(first)}: {first.label}, {show_figure(first)}."
    sentences = [Sentence(told, tuple(number for number in cited[:1] if number is not None), "grounded")]
    if rest := "; ".join(f"{figure.label} {show_figure(figure)}" for figure in shown[1:]):
        numbers = tuple(dict.fromkeys(number for number in cited[1:] if number is not None))
        sentences.append(Sentence(f"Next: {rest}.", numbers, "grounded"))
    return FigureAnswer(
        sentences=tuple(sentences),
        passages=places.passages,
        facts=tuple(fact_json(figure, place) for figure, place in zip(shown, cited, strict=True)),
        plan=(),
        value=number(first.value),
        unit=first.unit,
        display=show_figure(first),
    )


def _ranked_name(asked: Ranking) -> str:
    """ "largest current liability", "segment with the lowest revenue"."""
    if asked.metric is not None:
        return f"{asked.kind} with the {'lowest' if asked.lowest else 'highest'} {asked.metric.names[0]}"
    narrowed = {"noncurrent": "non-current "}.get(asked.narrowed, f"{asked.narrowed} " if asked.narrowed else "")
    return f"{'smallest' if asked.lowest else 'largest'} {narrowed}{asked.kind}"
