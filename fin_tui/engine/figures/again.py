"""The row that a turn was answered with, asked about once more: in another year, or how it moved, or what sets two apart."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace

from fin_tui.engine.figures.answer import FigureAnswer, NoFigures, Source, answer_of_grid
from fin_tui.engine.figures.frame_readings import on_told
from fin_tui.engine.figures.framed import is_of
from fin_tui.engine.figures.grid import fill
from fin_tui.engine.figures.linked_book import Linked, LinkedBook, figure_of
from fin_tui.engine.figures.prose import WithProse
from fin_tui.engine.figures.same_table import in_year_named, total_beside
from fin_tui.engine.figures.telling import years_before
from fin_tui.engine.frame.reader import Frame
from fin_tui.engine.questions.periods import find_periods, of_newest_year
from fin_tui.engine.questions.target import Subject, subjects
from fin_tui.engine.questions.understanding import Request, Understanding
from fin_tui.engine.questions.wanted import CHANGES, Item, Over, Part, Reading
from fin_tui.engine.rank.ranker import Scored
from fin_tui.engine.rank.wanted import Wanted
from fin_tui.facts.expression import Name
from fin_tui.facts.figures import Figure, Period, Unit, exact, rounding_of
from fin_tui.facts.words import stems
from fin_tui.language import runs_of

_LOOK_UP = "lookup"
_MOVES = frozenset(("growth", "difference", "ratio"))
"""Operations that set a figure against itself in another year, or against another one."""
_SIDE_BY_SIDE = frozenset(("lookup", "compare", "trend"))
"""Operations that may ask for a figure of two years, one beside the other."""
_TWO, _TELLING = 2, 3
_SURE = 0.5
_OF_TOTAL = frozenset("total whole overall all share sum".split())
_SEVERAL = frozenset("two both three these those them they together combined".split())
_OF_YEARS = frozenset("yoy year years yr yrs annual annually".split())


def in_other_year(
    frame: Frame, figure: Figure, understood: Understanding, source: Source, linked: Linked
) -> FigureAnswer | None:  # fmt: skip
    """The row of the ``figure`` that the turn before was answered with, in the one year that is all that a follow-up names ("and
    the year before?"); None for any other turn, and where the row has no figure of that year, or several.
    """
    return _in_one_year(frame, figure, understood, source, linked, _in_year)


def in_year_of_table(
    frame: Frame, figure: Figure, understood: Understanding, source: Source, linked: Linked
) -> FigureAnswer | None:  # fmt: skip
    """As :func:`in_other_year`, of a table that names years in its rows or columns: what falls due in each."""
    return _in_one_year(frame, figure, understood, source, linked, in_year_named)


def _in_one_year(
    frame: Frame,
    figure: Figure,
    understood: Understanding,
    source: Source,
    linked: Linked,
    moved: Callable[[Figure, int, Linked], Figure | None],
) -> FigureAnswer | None:
    """The ``figure`` as ``moved`` to the one year that is all that a follow-up names."""
    filing = figure.filing
    if not frame.names_period_alone or frame.operation != _LOOK_UP:
        return None
    reading = Reading((Part(Name("x0"), figure.label, None),), {"x0": Item(None, figure.label)})
    whose = subjects(understood.question, reading, understood.target, understood.request.scope, understood.held)
    if not whose or not is_of(whose, filing) or whose[0].day or whose[0].quarter:
        return None
    found = moved(figure, whose[0].years[0], linked)
    if found is None:
        return None
    reading = Reading((Part(Name("x0"), found.label, None),), {"x0": Item(None, found.label)})
    book = LinkedBook(source.book, {}, linked, given={found.label: found})
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
    told = replace(found, value=-found.value if turned else found.value, label=label)
    return told if found.unit == figure.unit else None


def in_each_year(
    understood: Understanding,
    source: Source,
    linked: Linked,
    understand: Callable[[Request], Understanding],
    look_up: Callable[[Understanding], FigureAnswer | NoFigures | None],
) -> FigureAnswer | None:
    """The figure that is surely meant in the newest of two years, and what its row states of the other: "staff 2031 vs 2030";
    None for any other question, and where no row tells of both.
    """
    frame, question = understood.frame, understood.question
    if frame is None or frame.operation not in _SIDE_BY_SIDE or len(frame.whole.targets) > 1 or CHANGES.search(question.text):
        return None
    text = of_newest_year(question.text)
    found = look_up(understand(replace(understood.request, question=text))) if text else None
    newest = found.single if isinstance(found, FigureAnswer) else None
    years = {year for span in frame.periods for year in find_periods(span.text).years}
    if newest is None or not newest.period.label.startswith("FY"):
        return None
    other = (years - {_year(newest)} or {_year(newest) - 1}) if len(years) <= _TWO else set()
    rows = {_year(newest): newest}
    for year in other:
        same = _in_year(newest, year, linked)
        if same is None and (stated := _in_year_by_value(newest, year, linked)) is not None:
            rows[_year(newest)], same = stated
        if same is None:
            return None
        rows[year] = same
    if len(rows) != _TWO:
        return None
    label = newest.label
    reading = Reading((Part(Name("x0"), label, None),), {"x0": Item(None, label)}, "trend")
    by_year = {year: replace(one, label=label) for year, one in rows.items()}
    whose = (Subject(newest.filing.company, (newest.filing,), tuple(sorted(rows))),)
    grid = fill(reading, whose, WithProse(LinkedBook(source.book, {}, linked, by_year=by_year), source.chunks), source.names)
    return answer_of_grid(grid, source) if all(cell.measure for cell in grid.cells) else None


def _in_year_by_value(figure: Figure, year: int, linked: Linked) -> tuple[Figure, Figure] | None:
    """``figure``, which is told by a sentence or once more elsewhere, as rows state it, and what they have in another year; None
    where they have none, or differ.
    """
    found = [(one, same) for one in _stated(figure, linked) if (same := _in_year(one, year, linked)) is not None]
    return found[0] if found and len({same.value for _, same in found}) == 1 else None


def _stated(figure: Figure, linked: Linked) -> list[Figure]:
    """``figure`` as the rows state it that have its value and, where some do, its name; of a sentence's amount else the rows of
    its name that it is rounded from.
    """
    fact, asked = figure.fact, set(stems(figure.label))
    if sum(map(str.isdigit, fact.text)) < _TELLING:
        return []  # Many rows state a small number.
    rows = [one for one in linked.ranker.figures(figure.filing) if one.fact.period_end == figure.period.end and one.path]
    alike = [one for one in rows if one.fact.text.strip("$() ") == fact.text.strip("$() ")]
    named = [one for one in alike if asked & set(stems(one.row))] or alike
    if named or fact.source != "text" or not fact.value:
        return [replace(figure, fact=one.fact) for one in named]
    value, off = abs(fact.value), rounding_of(fact)
    near = [one for one in rows if asked & set(stems(one.row)) and abs(abs(one.fact.value or 0.0) - value) <= off]
    return [replace(figure, fact=one.fact, value=exact(one.fact.value or 0.0)) for one in near]


def between_told(frame: Frame, told: Sequence[Figure], source: Source, linked: Linked) -> FigureAnswer | None:
    """How the figure of the turn before moved, or what sets those of the two turns before apart (``told``, the last first), where
    a follow-up names nothing but that, and perhaps the year to set it against; None for any other turn.
    """
    last, *others = told
    if not _asks_nothing_else(frame) or frame.operation not in _MOVES or frame.sure["operation"] < _SURE:
        return None
    pair = _pair(last, others[0] if others else None, frame, linked)
    if pair is None:
        return None
    if pair[0].period.end != pair[1].period.end:
        reading, by_year = _over_years(pair, frame)
        years, book = tuple(sorted(by_year)), LinkedBook(source.book, {}, linked, by_year=by_year)
    elif (made := on_told(frame, pair, source.names)) is not None:
        reading, years, book = made[0], (_year(last),), LinkedBook(source.book, {}, linked, given=made[1])
    else:
        return None
    whose = (Subject(last.filing.company, (last.filing,), years),)
    grid = fill(reading, whose, WithProse(book, source.chunks), source.names)
    return answer_of_grid(grid, source) if all(cell.measure for cell in grid.cells) else None


def of_total(frame: Frame, figure: Figure, source: Source, linked: Linked) -> FigureAnswer | None:
    """The share that the ``figure`` of the turn before has in the total of its table, where a follow-up asks for no more than
    that ("as % of the total?"); None for any other turn.
    """
    asks_more = bool(frame.targets or frame.parts or frame.companies or frame.periods or set(frame.left_over) - _OF_TOTAL)
    is_share = frame.operation == "share" and frame.sure["operation"] >= _SURE and frame.carried is not None
    said = set(runs_of(frame.question.lower()))
    is_of_one = bool(said & _OF_TOTAL) and said.isdisjoint(_SEVERAL)
    whole = total_beside(figure, linked) if is_share and not asks_more and is_of_one else None
    made = on_told(frame, (figure, replace(whole, label="total")), source.names) if whole is not None else None
    if made is None:
        return None
    own, named = figure.filing.fiscal_year or _year(figure), figure.period.label.removeprefix("FY")
    year = min(int(named), own) if named.isdigit() else own  # What falls due later is told by the year's filing.
    whose = (Subject(figure.filing.company, (figure.filing,), (year,)),)
    grid = fill(made[0], whose, WithProse(LinkedBook(source.book, {}, linked, given=made[1]), source.chunks), source.names)
    return answer_of_grid(grid, source) if all(cell.measure for cell in grid.cells) else None


def _over_years(pair: tuple[Figure, Figure], frame: Frame) -> tuple[Reading, Mapping[int, Figure]]:
    """How one row moved from the second of two figures to the first, and its figures by year."""
    label = pair[0].label
    is_percent = frame.kind == "percent" and pair[0].unit != "%"
    over: Over = "multiple" if frame.operation == "ratio" else "growth" if frame.operation == "growth" or is_percent else "change"
    unit: Unit | None = "%" if pair[0].unit == "%" else None  # How far percentages lie apart is told in points.
    reading = Reading((Part(Name("x0"), label, unit),), {"x0": Item(None, label)}, over)
    return reading, {_year(one): replace(one, label=label) for one in pair}


def _is_one_row(one: Figure, other: Figure) -> bool:
    return one.period.end != other.period.end and set(stems(one.label)) == set(stems(other.label))


def _year(figure: Figure) -> int:
    named = figure.period.label.removeprefix("FY")
    return int(named) if named.isdigit() else figure.period.end.year


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
    year = years.pop() if years else _year(last) - 1
    same = _in_year(last, year, linked)
    if same is None and (stated := _in_year_by_value(last, year, linked)) is not None:
        last, same = stated
    if same is None:
        return None
    same = replace(same, label=last.label)
    return (last, same) if last.period.end > same.period.end else (same, last)


def _are_comparable(last: Figure, other: Figure, frame: Frame, *, of_years: bool) -> bool:
    """Whether two figures are of one row and two years, or, for a difference or a multiple that is not ``of_years``, of two rows
    and one year.
    """
    if last.unit != other.unit or last.filing.company_key != other.filing.company_key:
        return False
    if last.period.end != other.period.end:  # "And in 2023?" asked for the same, whatever it is called there.
        return _is_one_row(last, other) or (frame.carried is not None and frame.carried.names_period_alone)
    return frame.operation != "growth" and set(stems(last.label)) != set(stems(other.label)) and not of_years
