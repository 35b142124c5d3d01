"""The row that a turn was answered with, asked about once more: in another year, or how it moved, or what sets two apart."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from fin_tui.engine.figures.answer import FigureAnswer, Source, answer_of_grid
from fin_tui.engine.figures.frame_readings import on_told
from fin_tui.engine.figures.framed import is_of
from fin_tui.engine.figures.grid import fill
from fin_tui.engine.figures.linked_book import Linked, LinkedBook, figure_of
from fin_tui.engine.figures.prose import WithProse
from fin_tui.engine.figures.telling import years_before
from fin_tui.engine.frame.reader import Frame
from fin_tui.engine.questions.periods import find_periods
from fin_tui.engine.questions.target import Subject, subjects
from fin_tui.engine.questions.understanding import Understanding
from fin_tui.engine.questions.wanted import CHANGES, Item, Part, Reading
from fin_tui.engine.rank.ranker import Scored
from fin_tui.engine.rank.wanted import Wanted
from fin_tui.facts.expression import Name
from fin_tui.facts.figures import Figure, Period, exact
from fin_tui.facts.words import stems
from fin_tui.language import runs_of

_LOOK_UP = "lookup"
_MOVES = frozenset(("growth", "difference", "ratio"))
"""Operations that set a figure against itself in another year, or against another one."""
_SURE = 0.5
_OF_YEARS = frozenset("yoy y/y year years yr yrs annual annually".split())


def in_other_year(
    frame: Frame, figure: Figure, understood: Understanding, source: Source, linked: Linked
) -> FigureAnswer | None:  # fmt: skip
    """The row of the ``figure`` that the turn before was answered with, in the one year that is all that a follow-up names ("and
    the year before?"); None for any other turn, and where the row has no figure of that year, or several.
    """
    filing, label = figure.filing, figure.label
    if not frame.names_period_alone or frame.operation != _LOOK_UP:
        return None
    reading = Reading((Part(Name("x0"), label, None),), {"x0": Item(None, label)})
    whose = subjects(understood.question, reading, understood.target, understood.request.scope, understood.held)
    if not whose or not is_of(whose, filing) or whose[0].day or whose[0].quarter:
        return None
    found = _in_year(figure, whose[0].years[0], linked)
    if found is None:
        return None
    book = LinkedBook(source.book, {}, linked, given={label: replace(found, label=label)})
    return answer_of_grid(fill(reading, whose, WithProse(book, source.chunks), source.names), source)


def _in_year(figure: Figure, year: int, linked: Linked) -> Figure | None:
    """The row of ``figure`` in another year of its filing; None where it has none there, or several."""
    filing, label = figure.filing, figure.label
    if filing.fiscal_year is None:
        return None
    period = Period(years_before(filing, filing.fiscal_year - year), None, f"FY{year}")
    known = next((one for one in linked.ranker.figures(filing) if one.fact.start == figure.fact.start), None)
    same = linked.ranker.in_year(known, filing, period) if known is not None and period.label != figure.period.label else None
    if same is None:
        return None
    wanted = Wanted(label, "count" if figure.unit == "count" else "")
    found = figure_of([Scored(same, figure.sure if figure.sure is not None else 1.0)], wanted, filing, period)
    turned = bool(figure.fact.value) and figure.value * exact(figure.fact.value or 0.0) < 0  # Told as people speak of it.
    return replace(found, value=-found.value if turned else found.value) if found.unit == figure.unit else None


def between_told(
    frame: Frame, told: Sequence[Figure], understood: Understanding, source: Source, linked: Linked
) -> FigureAnswer | None:  # fmt: skip
    """How the figure of the turn before moved, or what sets those of the two turns before apart (``told``, the last first), where
    a follow-up names nothing but that, and perhaps the year to set it against; None for any other turn.
    """
    last, *others = told
    if not _asks_nothing_else(frame) or frame.operation not in _MOVES or frame.sure["operation"] < _SURE:
        return None
    pair = _pair(last, others[0] if others else None, frame, linked)
    if pair is None:
        return None
    reading, given = on_told(frame, pair, source.names) or (None, {})
    if reading is None:
        return None
    filing = last.filing
    whose = (Subject(filing.company, (filing,), (filing.fiscal_year or last.period.end.year,)),)
    book = LinkedBook(source.book, {}, linked, given=given)
    grid = fill(reading, whose, WithProse(book, source.chunks), source.names)
    return answer_of_grid(grid, source) if all(cell.measure for cell in grid.cells) else None


def _asks_nothing_else(frame: Frame) -> bool:
    names_more = bool(frame.targets or frame.parts or frame.companies or frame.left_over or frame.operands)
    return frame.carried is not None and not names_more


def _pair(last: Figure, other: Figure | None, frame: Frame, linked: Linked) -> tuple[Figure, Figure] | None:
    """The figures that are set against each other: of two years the later first, of one the larger."""
    years = {year for span in frame.periods for year in find_periods(span.text).years}
    of_years = bool(frame.periods) or not _OF_YEARS.isdisjoint(runs_of(frame.question.lower()))
    if other is not None and not years and _are_comparable(last, other, frame, of_years=of_years):
        return (last, other) if (last.period.end, abs(last.value)) > (other.period.end, abs(other.value)) else (other, last)
    says_move = of_years or (frame.operation != "ratio" and CHANGES.search(frame.question) is not None)
    if len(years) > 1 or not last.period.label.startswith("FY") or not says_move:
        return None
    own = int(last.period.label.removeprefix("FY"))
    same = _in_year(last, years.pop() if years else own - 1, linked)
    if same is None:
        return None
    return (last, same) if last.period.end > same.period.end else (same, last)


def _are_comparable(last: Figure, other: Figure, frame: Frame, *, of_years: bool) -> bool:
    """Whether two figures are of one row and two years, or, for a difference or a multiple that is not ``of_years``, of two rows
    and one year.
    """
    if last.unit != other.unit or last.filing.company_key != other.filing.company_key:
        return False
    is_one_row = set(stems(last.label)) == set(stems(other.label))
    if last.period.end != other.period.end:
        return is_one_row
    return frame.operation != "growth" and not is_one_row and not of_years
