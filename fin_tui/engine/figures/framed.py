"""Figures by a question's frame: what it names is looked for among all figures of the filings, and computed as it asks.

Each reading of the frame is filled with the figures that rank highest for its words among the filing's own tagged figures, table
cells and numbers in sentences. One fitted model says of each how likely it is what was asked for; the likeliest stands, where it
is sure enough. What is not found surely enough stays a gap with its nearest candidates.
"""

from __future__ import annotations

import math
from collections.abc import Container, Mapping, Sequence
from dataclasses import replace
from decimal import Decimal
from functools import partial
from itertools import product

import numpy as np

from fin_tui.engine.evidence.numbers import find_numbers
from fin_tui.engine.figures import fitting
from fin_tui.engine.figures.answer import (
    FigureAnswer,
    Likely,
    NoFigures,
    Said,
    Source,
    Unsure,
    answer_figures,
    answer_of_grid,
    answer_of_sentence,
)
from fin_tui.engine.figures.as_json import candidate_json
from fin_tui.engine.figures.counted import counts_part
from fin_tui.engine.figures.filled import Filled, likeliest, likeliest_first, of_sentences, shares_of
from fin_tui.engine.figures.frame_readings import FrameReading, readings_of
from fin_tui.engine.figures.grid import Grid, fill
from fin_tui.engine.figures.linked_book import SURE_OF_SEVERAL, Linked, LinkedBook, Looked, Moment, nearest, row_lines
from fin_tui.engine.figures.operands import metric_of, with_whole_names
from fin_tui.engine.figures.prose import WithProse
from fin_tui.engine.figures.telling import beforehand, by_filing_told, covering, in_month, within_reach
from fin_tui.engine.figures.weighed import AGREES, ROUNDED, SAME, features_of, is_likely
from fin_tui.engine.frame.reader import COMPUTED, FIGURES, SIDE_BY_SIDE, Frame
from fin_tui.engine.questions.instructions import Instructions
from fin_tui.engine.questions.kinds import read_count
from fin_tui.engine.questions.periods import find_periods
from fin_tui.engine.questions.question import is_year
from fin_tui.engine.questions.target import Subject, subjects
from fin_tui.engine.questions.understanding import Understanding, of_known_companies
from fin_tui.engine.questions.wanted import Names, Reading, read_operation
from fin_tui.facts.expression import Binary, Name, is_product
from fin_tui.facts.figures import Figure
from fin_tui.facts.row_labels import OF_PERCENT
from fin_tui.facts.words import stems
from fin_tui.language import any_of
from fin_tui.records import Filing

_CONTESTED = 0.5
"""From this one on another figure contests the one that the question's own names give."""
_LEAST_SHARE, _WHOLE = 0.1, 100.0
"""In percent: a share of less than a thousandth is one of things of another kind."""
_MOST_NEAR = 4
_MOST_UNSURE = 8
_TRIED, _TRIED_ALONE, _MOST_CHOICES = 3, 6, 16
"""Candidates that each operand of a calculation may be, and one figure alone; choices of operands together."""
_LOOK_UP = "lookup"
_SURE_OPERATION = _SURE_FIGURE = 0.5
"""Probability from which an operation is sure, and that a figure is asked for, of whatever kind."""
_BOTH = 2
"""Years of which a change is told, figures that are set against each other."""
_OF_PARENT = any_of("parent company only, parent only, registrant only, guarantor(s), non-guarantor(s), co-issuer(s)")
_OF_COMPANY = frozenset(stems("consolidated"))
_AVERAGED = frozenset(stems("average"))


def answer_frame(
    frame: Frame, understood: Understanding, source: Source, linked: Linked, named: FigureAnswer | None = None
) -> FigureAnswer | NoFigures | None:
    """The figures that ``frame`` asks for; None when it asks for none, or the company can't be told.

    ``named``, what the question's own names of figures give, stands where the question itself says how it is computed, and where
    the figures found for its words bear it out. What is surely something else takes its place; where nothing is sure, it is the
    closest that was found.
    """
    asked = readings_for(frame, understood, source)
    reading = understood.reading
    is_defined = reading is not None and (bool(reading.instructions.definition) or fitting.says_formula(reading))
    if not asked or (named is not None and is_defined):
        return named
    made, whose = asked[0]
    if not made.is_computed and (made.reading.over != "point" or sum(len(one.years) for one in whose) > 1):
        along = named or _along_years(made, whose, understood, source, linked)
        if isinstance(along, FigureAnswer) or not any(one.is_computed for one, _ in asked):
            return along
    looked = Looked()
    plain = [one for one in asked if not one[0].regrouped]
    found = filled(plain, understood, source, linked, looked)
    if len(plain) < len(asked) and not (found and likeliest(found)[2]):
        found = filled(asked, understood, source, linked, looked)
    if not found:
        return named or NoFigures((f"No exact figure found for {frame.label}.",))
    whole = with_whole_names(frame, source.names)
    if named is not None and reading is not None and (own := _printed(found, named, whole, reading)) is not None:
        return answer_of_grid(own.grid, source)
    chosen, share, is_sure = likeliest(found)
    if named is not None and share >= _CONTESTED and _is_over_named(chosen, named, frame):
        return answer_of_grid(chosen.grid, source)
    if named is not None and (not _by_meaning(whose, linked) or chosen.is_roughly(named) or _bears_out(found, named, frame)):
        return named
    if named is not None and fitting.is_moved(named, reading) and (chosen.is_told or fitting.is_end_of(chosen.value, named)):
        return named
    nothing, figures = _nothing(frame, chosen.grid), chosen.figures
    if not fitting.tells_of(figures, (*understood.question.brands, *fitting.numbered_names(frame))):
        return nothing  # The whole company's figure is none of its brand's, nor one model's another's.
    if is_sure and _may_stand(chosen, frame, reading, source.names):
        return answer_of_grid(chosen.grid, source)
    nothing = replace(nothing, unsure=_unsure(found, source, looked, linked, understood))
    if named is not None:
        is_contested = share >= _CONTESTED and fitting.tells_part(figures, frame)
        stands = not is_contested and not fitting.is_level(named, frame)
        is_figure = named.calculation is None and not fitting.is_level(named, frame)
        return named if stands else replace(nothing, likely=named if named.display and is_figure else None)
    return nothing


def _along_years(
    made: FrameReading, whose: Sequence[Subject], understood: Understanding, source: Source, linked: Linked
) -> FigureAnswer | NoFigures | None:
    """One figure of several years, or of several companies, by the row that is surely it; None where two are named."""
    frame = understood.frame
    assert frame is not None
    if sum(metric_of(span.text, source.names) is not None for span in frame.whole.targets) > 1:
        return None  # No one figure is both of two.
    years = {year for subject in whose for year in subject.years}
    anchor = max(years) if len(years) > 1 else None  # The figures of the others are to be like the newest one.
    is_course = made.reading.over != "point"
    book = LinkedBook(source.book, made.wanted, linked, SURE_OF_SEVERAL, newest_first=is_course, anchor=anchor)
    grid = fill(made.reading, whose, WithProse(book, source.chunks), source.names)
    by_words = [one for cell in grid.cells for one in cell.figures if one.sure is not None]
    if not (_are_of_part(by_words, frame, understood.reading) and fitting.are_of_one_row(grid)):
        return NoFigures((f"No exact figure found for {frame.label}.",))
    return answer_figures(set_apart(made.reading, whose, frame), whose, replace(source, book=book))


def printed_instead(
    frame: Frame, understood: Understanding, source: Source, linked: Linked, named: FigureAnswer
) -> FigureAnswer | None:
    """What the filing prints under the very name of the formula or the share that gives ``named``, where it comes to something
    else; None for anything but these.
    """
    reading = understood.reading
    if reading is None or named.calculation is None or not (_is_formula(reading) or fitting.is_share(reading)):
        return None
    found = filled(readings_for(frame, understood, source), understood, source, linked)
    own = _printed(found, named, with_whole_names(frame, source.names), reading)
    return answer_of_grid(own.grid, source) if own is not None else None


def compare_figures(frame: Frame, understood: Understanding, source: Source, linked: Linked) -> FigureAnswer | None:
    """The same figure of each of the companies that are set side by side, where a name or words are asked for: "who has more
    people"; None where one of them is not surely found.
    """
    if frame.operation not in SIDE_BY_SIDE or frame.is_figure or not frame.targets or len(understood.question.companies) < _BOTH:
        return None
    kind = max(frame.kinds, key=frame.kinds.__getitem__, default="")
    asked = replace(frame.as_look_up(), answer=kind)
    across = read_operation(understood.question.text, [], len(understood.question.companies), 1).across
    words = " ".join(span.text for span in (*frame.parts, *frame.targets))
    for made, whose in readings_for(asked, understood, source):
        if len(whose) < _BOTH or made.reading.over != "point":
            continue
        wanted = {key: replace(one, matter=words, label=words) for key, one in made.wanted.items()}
        book = LinkedBook(source.book, wanted, linked, SURE_OF_SEVERAL)
        reading = set_apart(replace(made.reading, across=across), whose, frame)
        found = answer_figures(reading, whose, replace(source, book=book))
        if isinstance(found, FigureAnswer) and found.table is not None:
            cells = [cell for row in found.table["rows"] for cell in row["cells"]]
            if len(cells) >= _BOTH and all(cell["value"] is not None for cell in cells):
                return found
    return None


def set_apart(reading: Reading, whose: Sequence[Subject], frame: Frame) -> Reading:
    """``reading`` with how far apart two companies are, where one figure of one year of each is surely set side by side."""
    is_asked = frame.operation in SIDE_BY_SIDE and frame.sure["operation"] >= _SURE_OPERATION and not reading.yes_no
    is_plain = (reading.over, reading.across, len(reading.parts)) == ("point", "each", 1)
    is_pair = [len(one.years) for one in whose] == [1, 1]
    return replace(reading, across="difference") if is_asked and is_plain and is_pair else reading


def weighed(frame: Frame, understood: Understanding, source: Source, linked: Linked) -> Unsure | None:
    """The figures that ``frame`` may ask for, whether one of them is sure or not; None where none is found."""
    looked = Looked()
    found = filled(readings_for(frame, understood, source), understood, source, linked, looked)
    return _unsure(found, source, looked, linked, understood) if found else None


def _unsure(found: Sequence[Filled], source: Source, looked: Looked, linked: Linked, understood: Understanding) -> Unsure:
    """The likeliest of the readings, each value once, with the rows of figures found by a tag and the best of all looked for."""
    likeliest: list[Likely] = []
    shares = shares_of(found)
    order = likeliest_first(found, shares)
    figures = [one for at in order[:_TRIED] for cell in found[at].grid.cells for one in cell.figures if one.sure is None]
    for at in order:
        one = found[at]
        if not any(math.isclose(abs(one.value), abs(other.value), rel_tol=ROUNDED) for other in likeliest):
            tell = partial(answer_of_grid, one.grid, source)
            likeliest.append(Likely(one.value, float(shares[at]), one.made.is_computed, tell, one.place))
    lines = row_lines(looked, linked.ranker, figures)
    said = _said(found, float(shares.max()), source, understood)
    return Unsure(tuple(likeliest[:_MOST_UNSURE]), lines, said, nearest(looked))


def _said(found: Sequence[Filled], least: float, source: Source, understood: Understanding) -> Said | None:
    """The sentence that the figure asked for likeliest stands in, if it may be told, and is as likely as ``least``."""
    best, share = max(of_sentences(found), key=lambda one: one[1], default=([], 0.0))
    if not best or share < least or not _may_be_told(best[0], understood, source.names):
        return None
    figure = best[0].figures[0]
    place, values = (figure.filing.id, figure.fact.start), tuple(one.value for one in best)
    return Said(share, place, values, partial(answer_of_sentence, figure, source))


def _by_meaning(whose: Sequence[Subject], linked: Linked) -> bool:
    """Whether the rows that were looked through are known by meaning: words alone are too little to contest a name."""
    covered = (filing for one in whose for year in one.years[-1:] for filing, _ in covering(one.filings, year))
    return all(linked.ranker.has_vectors(filing) for filing in covered)


def _printed(found: Sequence[Filled], named: FigureAnswer, frame: Frame, reading: Reading) -> Filled | None:
    """The row that the filing prints under the very name asked for, where ``named`` is computed by a formula or as a share of two
    named figures, or stands under another name, and comes to something else: the company's own definition. None where there is
    no such row, or rows of that name differ.
    """
    is_share = fitting.is_share(reading)
    if named.value is None or frame.parts or (frame.left_over and not is_share):
        return None
    is_formula = _is_formula(reading) or is_share
    if not is_formula and not _is_called_otherwise(found, named):
        return None
    asked = set(stems(" ".join(span.text for span in frame.targets))) - _OF_COMPANY
    rows = [one for one in found if one.place is not None and not one.is_told]
    rows = [one for one in rows if (fitting.names_share(_label(one), reading) if is_share else _name_of_row(one) == asked)]
    rows = [one for one in rows if one.unit == named.unit]
    if not rows or any(not math.isclose(one.value, rows[0].value, rel_tol=ROUNDED) for one in rows):
        return None
    is_same = math.isclose(abs(rows[0].value), abs(named.value), rel_tol=ROUNDED, abs_tol=rows[0].slack)
    return None if is_same and (named.calculation is not None or not is_formula) else rows[0]


def _is_called_otherwise(found: Sequence[Filled], named: FigureAnswer) -> bool:
    """Whether ``named`` is one figure found by its tag, which the filing does not call as the question does."""
    same = (one for one in found if one.place is not None and one.alias and named.calculation is None)
    return any(math.isclose(one.value, named.value or 0.0, rel_tol=SAME) for one in same)


def _is_formula(reading: Reading) -> bool:
    """Whether one figure is asked for that is known by its formula, and nothing is computed over it."""
    node = reading.parts[0].node if len(reading.parts) == 1 and reading.over == "point" else None
    item = reading.items.get(node.name) if isinstance(node, Name) else None
    return item is not None and item.metric is not None and bool(item.metric.formula)


def _name_of_row(one: Filled) -> set[str]:
    """The words of the row that a figure stands in, without those that tell its unit, or that it is of the whole company."""
    return set(stems(_label(one))) - _OF_COMPANY - (OF_PERCENT if one.unit == "%" else set())


def _label(one: Filled) -> str:
    return one.grid.cells[0].figures[0].fact.label.rpartition(" > ")[2]


def _bears_out(found: Sequence[Filled], named: FigureAnswer, frame: Frame) -> bool:
    """Whether what the readings found makes a figure of ``named`` at all likely, and no other one likelier than not; of a plain
    figure, where one over another is asked for, only what is computed.
    """
    rows = named.table["rows"] if named.table else ()
    cells = [cell["value"] for row in rows for cell in row["cells"] if cell["value"] is not None]
    shares = shares_of(found)
    counts = np.array([one.made.is_computed for one in found]) | (not fitting.is_level(named, frame))
    told = [named.value] if named.value is not None else cells
    of_part = [fitting.tells_part(one.figures, frame) for one in found]
    known = [fact["value"] for fact in named.facts if fact["value"] is not None]
    alike = [
        is_likely([*told, *known], [one.value], [1.0]) or all(is_likely(known, [float(of.value)], [1.0]) for of in one.figures)
        for one in found
    ]
    others = [share for is_alike, share in zip(alike, shares * of_part, strict=True) if not is_alike]
    return max((shares * counts)[alike], default=0.0) >= AGREES and max(others, default=0.0) < _CONTESTED


def _is_over_named(chosen: Filled, named: FigureAnswer, frame: Frame) -> bool:
    """Whether ``chosen`` sets the two figures of ``named`` over each other, in the order of the question, as it surely asks."""
    known = [fact["value"] for fact in named.facts if fact["value"] is not None]
    is_asked = fitting.is_level(named, frame) and chosen.made.is_computed and not chosen.made.turned
    return is_asked and len(known) == _BOTH and sorted(known) == sorted(float(figure.value) for figure in chosen.figures)


def _may_stand(chosen: Filled, frame: Frame, reading: Reading | None, names: Names) -> bool:
    """Whether what is sure may be told: no number of a sentence where words are wanted too; no sentence, and nothing computed, of
    the whole company where the frame names a part or, of what is computed, a word beside a metric does. What rests on a figure
    told is of its part, and a row may call a part otherwise ("housewares" for "pots and pans"): of 36 that are sure 32 are right.
    """
    if chosen.is_told and (frame.wants_words_too or _counts_part(chosen.figures[0], frame)):
        return False
    if any(_OF_PARENT.search(f"{one.row} {one.fact.label}") for one in chosen.figures) and not _OF_PARENT.search(frame.question):
        return False  # What the parent holds alone is not what the company does.
    if frame.sure["figure"] < _SURE_FIGURE and frame.answer not in FIGURES and not chosen.made.is_computed:
        return False  # "Where were its plants?" is answered by no amount.
    if not (frame.whole.targets or frame.whole.parts or frame.operation in COMPUTED):
        return False  # A figure of no name answers "what did it sell?" with what came in for it.
    if len(chosen.made.reading.items) >= _BOTH and not fitting.uses_all_named(frame, chosen.made.reading, chosen.figures, names):
        return False
    if not chosen.made.is_computed and any(map(_is_of_unknown_scale, chosen.figures)):
        return False
    if chosen.made.given or not (chosen.made.is_computed or chosen.is_told):
        return True
    beside = _beside_names(frame, reading) if chosen.made.is_computed else []
    return fitting.tells_part(chosen.figures, frame) and fitting.tells_of(chosen.figures, beside)


def _counts_part(figure: Figure, frame: Frame) -> bool:
    """Whether a sentence tells a number of a part of what is counted, and the question names none."""
    is_plain = len(frame.targets) == 1 and not (frame.parts or frame.left_over)
    count = read_count(f"How many {frame.targets[0].text} are there?") if is_plain else None
    years = frozenset(year for span in frame.periods for year in find_periods(span.text).years)
    return count is not None and counts_part(figure.fact.label, float(figure.value), count, years)


def _is_of_unknown_scale(figure: Figure) -> bool:
    """Whether a table counts things with a fraction, and so in thousands or millions, but says not in which."""
    return figure.unit == "count" and figure.fact.source == "table" and figure.value % 1 != 0


def _may_be_told(chosen: Filled, understood: Understanding, names: Names) -> bool:
    """As :func:`_may_stand`, of a number of a sentence: of what is to be computed filings print percentages, else operands."""
    frame = understood.frame
    if frame is None or (frame.operation in COMPUTED and chosen.unit != "%"):
        return False
    return _may_stand(chosen, frame, understood.reading, names)


def _are_of_part(figures: Sequence[Figure], frame: Frame, reading: Reading | None) -> bool:
    """Whether figures that were found by words tell of the part that is named, where there are any."""
    beside = _beside_names(frame, reading)
    return not figures or (fitting.tells_of(figures, beside) and fitting.tells_part(figures, frame))


def _beside_names(frame: Frame, reading: Reading | None) -> list[str]:
    """The words for a part that stand beside the names of metrics; those for a period, and those that only ask ("pct"), name
    none.
    """
    named = set(stems(" ".join(span.text for span in (*frame.whole.targets, *frame.whole.parts))))
    items = reading.items.values() if reading is not None else ()
    return [item.phrase for item in items if item.metric is not None and named & set(stems(item.phrase))]


def readings_for(frame: Frame, understood: Understanding, source: Source) -> list[tuple[FrameReading, tuple[Subject, ...]]]:
    """What ``frame`` may mean, each with the companies and years that it is asked of."""
    frame = of_known_companies(frame, understood.question)
    found = _readings_for(frame, understood, source)
    if any(subject.day or subject.quarter for _, whose in found for subject in whose):
        # Rows and sentences name days and quarters, as they do figures.
        years = tuple(span for span in frame.periods if is_year(span.text))
        return _readings_for(replace(frame, periods=years), understood, source)
    return found


def _readings_for(frame: Frame, understood: Understanding, source: Source) -> list[tuple[FrameReading, tuple[Subject, ...]]]:
    instructions = understood.reading.instructions if understood.reading else Instructions("")
    found = []
    for made in readings_of(frame, source.names, instructions, understood.told, source.meaning):
        whose = subjects(understood.question, made.reading, understood.target, understood.request.scope, understood.held)
        if not made.is_computed and made.reading.over == "point":
            whose = tuple(beforehand(subject, frame) for subject in whose)
            if frame.operation in COMPUTED:  # What is printed of several years stands with the last.
                whose = tuple(replace(subject, years=subject.years[-1:]) for subject in whose)
        if made.reading.over == "point":
            whose = tuple(within_reach(in_month(subject, frame)) for subject in whose)
        rests = made.is_beside or bool(made.given)
        if whose and (not rests or is_of(whose, understood.told[0].filing)):
            found.append((made, whose))
        if not (rests or made.is_computed):
            found += [(replace(made), (other,)) for other in by_filing_told(whose, frame, understood.told)]
    return found


def is_of(whose: Sequence[Subject], filing: Filing) -> bool:
    """Whether one year of one company is asked about, that of ``filing``."""
    keys = {one.company_key for subject in whose for one in subject.filings}
    return keys == {filing.company_key} and len(whose) == len(whose[0].years) == 1


def filled(
    asked: Sequence[tuple[FrameReading, tuple[Subject, ...]]],
    understood: Understanding,
    source: Source,
    linked: Linked,
    looked: Looked | None = None,
) -> list[Filled]:
    """Those of the readings for which all figures were found and that can be meant, with their figures; ``looked`` has what was
    looked up for the question before.
    """
    assert understood.frame is not None
    found: dict[object, Filled] = {}
    looked = Looked() if looked is None else looked
    told = WithProse(source.book, source.chunks)
    asked_with = {number.text.strip("$() ").rstrip(".") for number in find_numbers(understood.frame.question)}
    for made, whose in asked:
        if made.reading.over == "sum" and all(len(subject.years) == 1 for subject in whose):
            continue  # Of one year there is nothing to add up.
        if made.by_words and found and not any(one.alias for one in found.values()):
            continue  # Where filings call figures as the question does, their tags say all.
        newest_first = made.reading.over != "point"
        moment = next((Moment(one.day, one.quarter) for one in whose if one.day or one.quarter), None)
        years = [replace(subject, day=None, quarter=0) for subject in whose]
        anchor = max((subject.years[-1] for subject in years), default=None) if newest_first else None
        for choice in _choices(made):
            book = LinkedBook(
                told, made.wanted, linked, newest_first=newest_first, looked=looked, choice=choice, moment=moment, anchor=anchor,
                given=made.given,
            )  # fmt: skip
            grid = fill(made.reading, years, book, source.names)
            if understood.frame.operation == "ratio" and fitting.is_times(grid, made.reading):
                told_as = replace(made.reading, parts=tuple(replace(part, unit=None) for part in made.reading.parts))
                made, grid = replace(made, reading=told_as), fill(told_as, years, book, source.names)
            is_full = all(cell.measure and cell.figures for cell in grid.cells)
            if is_full and not _is_absurd(grid, made) and (made.is_computed or not _is_asked_with(grid, asked_with)):
                resting_on = tuple((one.filing.id, one.fact.start, one.value) for cell in grid.cells for one in cell.figures)
                features = features_of(made, grid, understood.frame, understood.told)
                found.setdefault((id(made), resting_on), Filled(made, grid, features))
    return list(found.values())


def _choices(made: FrameReading) -> list[Mapping[str, int]]:
    """Which of the best candidates each operand may be: any of the first, the likeliest together."""
    matters = [one.matter for one in made.wanted.values()]
    if made.reading.over != "point" and not made.is_computed:
        return [{}]
    places = product(range(_TRIED if made.is_computed else _TRIED_ALONE), repeat=len(matters))
    likeliest = sorted(places, key=sum)[:_MOST_CHOICES]
    return [dict(zip(matters, one, strict=True)) for one in likeliest]


def _is_absurd(grid: Grid, made: FrameReading) -> bool:
    """Whether what was computed can't be meant: from one figure twice or from none, a share of more than all, of another unit,
    of shares, an average of averages.
    """
    if not made.is_computed:
        return False
    figures = [figure for cell in grid.cells for figure in cell.figures]
    items = len(made.reading.items)
    combines = not isinstance(made.reading.parts[0].node, Name)
    if any(cell.grounded and cell.grounded.single is None and len(cell.figures) == 1 for cell in grid.cells):
        return True  # Also of a metric's formula: a margin is of two.
    if combines and not all(one.value for one in figures):
        return True  # A dash, or nothing at all, is no operand: nobody asks for the rest of it.
    if combines and (len(figures) < items or any(_is_one_value(cell.figures) for cell in grid.cells)):
        return True
    if made.reading.over == "contribution" and len(figures) < _BOTH * items:
        return True
    if made.reading.over == "average" and any(_AVERAGED & set(stems(f"{one.row} {one.fact.label}")) for one in figures):
        return True
    if made.reading.over in ("growth", "cagr") and figures and all(one.unit == "%" for one in figures):
        return True  # What is printed in percent is told to change by points.
    # What two sentences tell in the same words is one year's figure told twice.
    places = {(0 if one.fact.source == "text" else one.fact.start, one.value) for one in figures}
    if made.reading.over not in ("point", "average", "sum") and len(places) < _BOTH:
        return True
    node = made.reading.parts[0].node
    is_share = made.reading.parts[0].unit == "%" and isinstance(node, Binary) and node.operator == "/"
    percent = is_share and made.reading.over == "point" and items > 1
    value = next((cell.measure.value for cell in grid.cells if cell.measure), Decimal(0))
    units = {figure.unit for figure in figures}
    rates = [item.metric is not None and item.metric.unit in ("%", "ratio") for item in made.reading.items.values()]
    if percent and all(rates):
        return True  # A margin is no share of another.
    if is_product(node):
        is_told = all(cell.measure is None or cell.measure.unit != "ratio" for cell in grid.cells)
        return not (is_told and all(fitting.can_be_multiplied(cell.figures) for cell in grid.cells))
    return percent and (not _LEAST_SHARE <= value <= _WHOLE or len(units) > 1 or units == {"%"})


def _is_one_value(figures: Sequence[Figure]) -> bool:
    """Whether they are one figure, or one printed in two scales."""
    printed = {(figure.fact.text.strip("$ "), figure.fact.label.rpartition(" > ")[2]) for figure in figures}
    return len({abs(figure.value) for figure in figures}) < _BOTH or len(printed) < _BOTH


def _is_asked_with(grid: Grid, numbers: Container[str]) -> bool:
    """Whether the one figure is a number that the question says itself: "Model 360 units"."""
    figures = [figure for cell in grid.cells for figure in cell.figures]
    return len(figures) == 1 and figures[0].unit != "%" and figures[0].fact.text.strip("$ ") in numbers


def _nothing(frame: Frame, grid: Grid) -> NoFigures:
    """What was found, not surely enough, as the nearest candidates."""
    near = [(fact, one.filing) for cell in grid.cells for one in cell.figures for fact in (one.fact, *one.others)][:_MOST_NEAR]
    close = dict.fromkeys(f"{fact.label}: {fact.text} ({fact.period_end})" for fact, _ in near)
    why = (f"No exact figure found for {frame.label}.",)
    return NoFigures(why, close=tuple(close), candidates=tuple(candidate_json(fact, filing) for fact, filing in near))
