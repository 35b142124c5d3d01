"""Whether what the question's own names of figures give may be what its frame asks for."""

from __future__ import annotations

import math
from collections import defaultdict
from collections.abc import Sequence
from itertools import pairwise

from fin_tui.candidates import words_of
from fin_tui.engine.figures.answer import FigureAnswer
from fin_tui.engine.figures.frame_readings import LEVELS
from fin_tui.engine.figures.grid import Grid
from fin_tui.engine.figures.operands import metric_of, rests_on_answer
from fin_tui.engine.frame.reader import COMPUTED, QUOTIENTS, SIDE_BY_SIDE, Frame
from fin_tui.engine.questions.definitions import BRACKET
from fin_tui.engine.questions.periods import Periods, find_periods
from fin_tui.engine.questions.question import Question, is_year
from fin_tui.engine.questions.wanted import CHANGES, EXCLUDING, Names, Reading
from fin_tui.facts import vocabulary
from fin_tui.facts.expression import Binary
from fin_tui.facts.figures import Figure
from fin_tui.facts.row_labels import OF_PERCENT
from fin_tui.facts.words import stems
from fin_tui.language import any_of, runs_of

_SURE_OPERATION = 0.5
_SURE_KIND = 0.8
_TWO = 2
_OF_KIND: dict[str, frozenset[str]] = {
    "per_share": frozenset(("usd", "usd/share")),
    "percent": frozenset(("%", "ratio")),
    "ratio": frozenset(("%", "ratio", "count")),
    "count": frozenset(("count", "shares")),
    "days": frozenset(("days", "count", "ratio")),
}
_LEVELS = ("per_share", "count")
"""Kinds of figures whose change is told in percent."""
_AMOUNTS = ("%", "percent", "thousand", "million", "billion", "trillion")
_FEWEST_DIGITS = 3
_ALIKE = 0.5
"""Share of the words of two rows from which they are one row, of two years."""
_DEAREST = 10_000
"""Dollars that one thing of many costs at most."""
_ONE_VALUE = 0.0005
_ALL = 100
"""In percent."""
_SHARE = frozenset(stems("share"))
_OF_SHARE = frozenset(stems("as a of the total consolidated expenses"))
"""Words of a row that leave a share what it is."""
_LISTING = frozenset(("and", "&", "plus", "+", ","))
"""Words between two figures that are both asked for."""
_MOST_UNTOLD = 0.3
"""Share of the words of figures and parts that an answer may leave untold: one of four is often "total" or "spend"."""


def fits(answer: FigureAnswer, frame: Frame) -> bool:
    """Whether ``answer`` may be what is asked for: its unit is one that the kind of answer can have, where the frame is sure of
    that, and its words name each part that the frame names.
    """
    if frame.operation == "contribution" and frame.sure["operation"] >= _SURE_OPERATION:
        return False  # A share of a change is neither a share nor a change.
    is_of_before = frame.carried is not None and not frame.targets and frame.operation in COMPUTED
    if is_of_before and frame.sure["operation"] >= _SURE_OPERATION and (answer.calculation is None or _stays(answer, frame)):
        return False  # "Add both up" asks for no figure that was told.
    if rests_on_answer(frame):
        return False  # Names know nothing of what was computed.
    made_of = answer.calculation["inputs"].values() if answer.calculation else ()
    if len(made_of) > 1 and len({one["fact"] for one in made_of}) == 1:
        return False  # "What share of revenue is that revenue?"
    is_share = frame.operation == "share" and frame.sure["operation"] >= _SURE_OPERATION
    if is_share and answer.unit == "%" and answer.value is not None and answer.value < 0:
        return False
    is_one = len(frame.whole.targets) == 1 and _LISTING.isdisjoint(
        frame.whole.targets[0].text.lower().replace(",", " , ").split()
    )
    if frame.operation == "lookup" and is_one and _is_of_several(answer):
        return False  # "Interest paid in cash" is neither interest nor cash; "interest and cash" are both.
    told = told_words(answer)
    if _forgets_matter(answer, frame):
        return False
    named = (part.text for part in frame.parts if not is_year(part.text))
    parts = (frozenset(stem for stem in stems(part) if not stem.isdigit()) for part in named)
    if any(part and not told & part for part in parts):
        return False
    if answer.unit is None or not frame.is_figure or frame.sure["answer"] < _SURE_KIND:
        return True
    is_change = answer.calculation is not None and len({fact["period_end"] for fact in answer.facts}) > 1
    if frame.answer == "money" and answer.unit == "%" and not is_change:
        return False  # The percentage of a change may be told of amounts; not one that is printed, nor a figure over another.
    if answer.unit == "%" and answer.calculation is not None and frame.answer in _LEVELS and frame.operation not in QUOTIENTS:
        return {fact.get("unit") for fact in answer.facts} <= _OF_KIND[frame.answer]
    if frame.answer not in _OF_KIND:
        return True
    rows = answer.table["rows"] if answer.table and is_change else ()  # How days or ratios moved is told with those of each year.
    units = {answer.unit, *(cell["unit"] for row in rows for cell in row["cells"] if cell["value"] is not None)}
    return not units.isdisjoint(_OF_KIND[frame.answer])


def _forgets_matter(answer: FigureAnswer, frame: Frame) -> bool:
    """Whether the rows of an ``answer`` to a follow-up that names but a part ("and how much of it is coal?") say nothing of the
    matter before, under any of its names: a row called like the part may be of anything.
    """
    if frame.carried is None or frame.targets or not frame.parts or frame.operation != "lookup":
        return False
    called = [(one.text, metric_of(one.text, vocabulary())) for one in frame.whole.targets]
    names = (name for text, metric in called for name in (text, *(metric.names if metric is not None else ())))
    return bool(called) and names_told(answer).isdisjoint(stems(" ".join(names)))


def _stays(answer: FigureAnswer, frame: Frame) -> bool:
    """Whether a change is asked for, and ``answer`` is what a formula gives of one year; what a formula takes off ("and free cash
    flow?") is a difference of no two years.
    """
    is_change = frame.operation == "growth" or (frame.operation == "difference" and CHANGES.search(frame.question) is not None)
    return is_change and len({fact["period_end"] for fact in answer.facts}) < _TWO


def _is_of_several(answer: FigureAnswer) -> bool:
    """Whether several figures of one year are told, each by another tag or name."""
    rows = answer.table["rows"] if answer.value is None and answer.table else ()
    return len(rows) > 1 and all(len(row["cells"]) == 1 for row in rows) and len({fact["concept"] for fact in answer.facts}) > 1


def names_all(answer: FigureAnswer, reading: Reading | None, frame: Frame) -> bool:
    """Whether ``answer``, made by ``reading``, tells of the words by which ``frame`` names figures and parts, under any of the
    names of its metrics, and computes what is asked.
    """
    whole = frame.whole
    asked = frozenset(stems(" ".join(span.text for span in (*whole.targets, *whole.parts) if not is_year(span.text))))
    metrics = [item.metric for item in reading.items.values() if item.metric is not None] if reading else []
    told = told_words(answer) | frozenset(stems(" ".join(name for metric in metrics for name in metric.names)))
    computes = frame.operation in COMPUTED and frame.sure["operation"] >= _SURE_OPERATION
    if frame.operation in QUOTIENTS and metrics and all("/" in metric.formula for metric in metrics):
        computes = False  # A margin of several years is one of each.
    is_told = len(asked - told) <= _MOST_UNTOLD * len(asked)
    return is_told and not is_level(answer, frame) and (answer.value is not None or not computes)


def is_sum_of_lines(answer: FigureAnswer, reading: Reading | None) -> bool:
    """Whether ``answer``, made by ``reading``, adds up the lines of a balance sheet that make up one figure."""
    items = list(reading.items.values()) if reading is not None else []
    metric = items[0].metric if len(items) == 1 and not items[0].phrase else None
    if metric is None or not metric.lines or answer.calculation is None:
        return False
    return all(item["item"] == metric.id for item in answer.calculation["inputs"].values())


def is_by_formulas(reading: Reading | None) -> bool:
    """Whether several figures of the whole company are asked for, each by a name of its own that stands for a formula: no one row
    is all of them.
    """
    items = list(reading.items.values()) if reading is not None else []
    return len(items) > 1 and all(item.metric is not None and item.metric.formula and not item.phrase for item in items)


def mixes_wholes(reading: Reading | None, frame: Frame) -> bool:
    """Whether ``reading`` sets a figure of a part over another figure of the whole company: "its margin" is of the part."""
    items = list(reading.items.values()) if reading is not None else []
    metrics = {item.metric.id for item in items if item.metric is not None}
    phrases = [item.phrase for item in items if item.phrase]
    if len(items) != len(metrics) or len(items) != _TWO or len(phrases) != 1 or frame.operation not in QUOTIENTS:
        return False
    return not set(stems(phrases[0])).isdisjoint(stems(" ".join(part.text for part in frame.whole.parts)))


def is_level(answer: FigureAnswer, frame: Frame) -> bool:
    """Whether ``answer`` is a plain figure, or several, or may be, where the frame asks for one over another."""
    asks_quotient = frame.operation in QUOTIENTS and frame.sure["operation"] >= _SURE_OPERATION
    if frame.operation in ("share", "margin") and frame.kind in ("money", "count") and frame.sure["answer"] >= _SURE_KIND:
        asks_quotient = False  # "How much of it was services?"
    if answer.calculation is not None and "/" in answer.calculation["expression"]:
        return False
    return asks_quotient and _units(answer) <= LEVELS


def _units(answer: FigureAnswer) -> set[str | None]:
    """The units of what is told: of one result, or of several."""
    rows = answer.table["rows"] if answer.table and answer.unit is None else ()
    return {cell["unit"] for row in rows for cell in row["cells"] if cell["value"] is not None} or {answer.unit}


def says_formula(reading: Reading) -> bool:
    """Whether a question adds or subtracts figures that it names, in just these words: "operating cash flow less capex"."""
    node = reading.parts[0].node
    whole = all(item.metric is not None and not item.phrase for item in reading.items.values())
    terms = (node, node.left) if isinstance(node, Binary) else ()
    return whole and len(reading.parts) == 1 and any(isinstance(one, Binary) and one.operator in "+-" for one in terms)


def uses_all_named(frame: Frame, reading: Reading, figures: Sequence[Figure], names: Names) -> bool:
    """Whether what ``reading`` computes of ``figures`` uses every figure that the question calls by a name of the vocabulary."""
    used = {item.metric.id for item in reading.items.values() if item.metric is not None}
    said = _said(figures)
    asked = {one.metric.id: one.metric for one in names.find(frame.question) if one.score == 1}
    left = (metric for key, metric in asked.items() if key not in used)
    return all(any(said.issuperset(stems(name)) for name in metric.names) for metric in left)


def is_moved(answer: FigureAnswer, reading: Reading | None) -> bool:
    """Whether ``answer``, made by ``reading``, is how far a figure moved over a year or more: the question says so."""
    return reading is not None and reading.over in ("change", "growth") and answer.calculation is not None


def is_end_of(value: float, answer: FigureAnswer) -> bool:
    """Whether ``value`` is one of the figures that ``answer`` is computed from: the level is not how far it moved."""
    ends = (fact.get("value") for fact in answer.facts)
    return any(end is not None and math.isclose(abs(end), abs(value), rel_tol=_ONE_VALUE) for end in ends)


def tells_of(figures: Sequence[Figure], names: Sequence[str]) -> bool:
    """Whether the words of the figures hold each of the names."""
    told = _said(figures)
    return all(told & frozenset(stems(name)) for name in names)


def tells_part(figures: Sequence[Figure], frame: Frame) -> bool:
    """Whether the words of the figures hold any of those that the frame's parts are named by, where it names some; of parts that
    are set side by side, of each.
    """
    said = _said(figures)
    parts = [frozenset(stems(part.text)) for part in frame.parts if not is_year(part.text) and stems(part.text)]
    are_told = [bool(part & said) for part in parts]
    return all(are_told) if frame.operation in SIDE_BY_SIDE else not parts or any(are_told)


def are_of_one_row(grid: Grid) -> bool:
    """Whether the figures of each company that were found by words, of several years, stand in rows of like words, and none of
    them is told of two years.
    """
    rows: defaultdict[str, list[frozenset[str]]] = defaultdict(list)
    places: set[tuple[str, int]] = set()
    for cell in grid.cells:
        found = [one for one in cell.figures if one.sure is not None]
        rows[cell.company] += [frozenset(stem for stem in stems(one.row) if not stem.isdigit()) for one in found]
        own = {(one.filing.id, one.fact.start) for one in found}
        if own & places:
            return False
        places |= own
    pairs = ((some[-1], other) for some in rows.values() for other in some[:-1])
    return all(len(last & other) >= _ALIKE * max(len(last), len(other)) for last, other in pairs)


def is_times(grid: Grid, reading: Reading) -> bool:
    """Whether one figure over another comes to more than all of it, so that it is so many times it and no percentage: debt over
    earnings.
    """
    node = reading.parts[0].node
    is_share = reading.parts[0].unit == "%" and isinstance(node, Binary) and node.operator == "/" and reading.over == "point"
    return is_share and all(cell.measure is not None and cell.measure.value > _ALL for cell in grid.cells)


def is_share(reading: Reading | None) -> bool:
    """Whether one figure in percent of another is asked for, each by a name of its own, of the whole company."""
    node = reading.parts[0].node if reading is not None and len(reading.parts) == 1 and reading.over == "point" else None
    if reading is None or not isinstance(node, Binary) or node.operator != "/" or reading.parts[0].unit != "%":
        return False
    return len(reading.items) == _TWO and all(one.metric is not None and not one.phrase for one in reading.items.values())


def names_share(label: str, reading: Reading) -> bool:
    """Whether a row says that it is the share that ``reading`` computes, and no more: "rent as a percentage of net sales"."""
    said = set(stems(label))
    metrics = [item.metric for item in reading.items.values() if item.metric is not None]
    called = [[one for name in metric.names if (one := frozenset(stems(name))) <= said] for metric in metrics]
    if not all(called) or said.isdisjoint(OF_PERCENT):
        return False
    longest = frozenset().union(*(max(names, key=len) for names in called))
    return not said - longest - OF_PERCENT - _OF_SHARE


def can_be_multiplied(figures: Sequence[Figure]) -> bool:
    """Whether they are a percentage and an amount or number, or a number of things and the price of one: of shares, what one of
    them brings.
    """
    units = sorted(one.unit for one in figures)
    if "%" in units:
        return len(set(units) & {"usd", "shares", "count"}) == 1
    if any(one.unit == "usd/share" and set(stems(f"{one.row} {words_of(one.fact.concept)}")) >= _SHARE for one in figures):
        return units == ["shares", "usd/share"]
    is_price = any(one.unit == "usd/share" or (one.unit == "usd" and abs(one.value) < _DEAREST) for one in figures)
    return is_price and sum(unit in ("shares", "count") for unit in units) == 1


def numbered_names(frame: Frame) -> tuple[str, ...]:
    """What models are called by: "800", "XB-12C"."""
    runs = (runs_of(span.text, "$%.,-_?;|") for span in (*frame.parts, *frame.targets))
    pairs = (pair for words in runs for pair in pairwise([*words, ""]))
    said = (word.rstrip(".,?;|") for word, next_word in pairs if not (word[-1:].isalnum() and next_word.startswith(_AMOUNTS)))
    return tuple(name for name in said if _is_numbered(name) and not is_year(name) and find_periods(name) == Periods())


def _is_numbered(word: str) -> bool:
    """Whether ``word`` is letters with a number behind them, or a number of three digits and more: no amount, no percentage."""
    if not word.isascii() or not word.replace("-", "").isalnum():
        return False
    at = next((at for at, char in enumerate(word) if char.isdigit()), 0)
    if at:
        return word[0].isupper() and word[:at].removesuffix("-").isalpha()
    number, hyphen, more = word.partition("-")
    return len(number) >= _FEWEST_DIGITS and number.isdigit() and (more.isdigit() or not hyphen)


def _said(figures: Sequence[Figure]) -> frozenset[str]:
    members = (words_of(member) for one in figures for member in one.fact.dimensions.values())
    return frozenset(stems(" ".join((*(f"{one.row} {one.label} {one.fact.label}" for one in figures), *members))))


def told_words(answer: FigureAnswer) -> frozenset[str]:
    """The stems of all words that the answer tells: its sentences, and the names of rows and of parts of its figures."""
    members = (words_of(member) for fact in answer.facts for member in fact["dimensions"].values())
    labels = (str(fact["label"]) for fact in answer.facts)
    return frozenset(stems(" ".join((*(one.text for one in answer.sentences), *labels, *members))))


def names_told(answer: FigureAnswer) -> frozenset[str]:
    """The stems of the names of rows, tags and parts of its figures: its sentences may call them as the question does."""
    tags = (words_of(str(tag)) for fact in answer.facts for tag in (fact["concept"], *fact["dimensions"].values()))
    return frozenset(stems(" ".join((*(str(fact["label"]) for fact in answer.facts), *tags))))


_OTHER_BASIS = any_of(
    "non-gaap, adjusted, pro-forma, organic, organically, normalized, normalised, underlying, constant-currency, "
    "like-for-like, same-store, run-rate, annualized, annualised, incremental"
)
"""Words that make a figure another one than the statements report."""
_LEFT_OUT = any_of("excluding, exclud*, exclusive, excl, ex, without, other than, not including, before, less, net of, except*")


def leaves_basis(answer: FigureAnswer, frame: Frame) -> bool:
    """Whether the question asks for a figure on another basis ("adjusted", "without the charge") that no row or sentence of
    ``answer`` tells of; what is left out may also be taken off by a calculation.
    """
    before = frame.carried if not frame.targets else None
    asked = f"{before.question if before is not None else ''} {frame.question}"
    rows = " ".join(str(fact["label"]) for fact in answer.facts)
    stated = set(stems(" ".join((rows, *(words_of(str(fact["concept"])) for fact in answer.facts)))))
    bases = (one for one in _OTHER_BASIS.finditer(asked) if not asked[: one.start()].lower().endswith("split-"))
    if any(not stated.issuperset(stems(one.group())) for one in bases):
        return True
    takes_off = answer.calculation is not None and "-" in str(answer.calculation["expression"])
    plain = BRACKET.sub(" ", asked)  # What a bracket leaves out only says which part is meant.
    return EXCLUDING.search(plain) is not None and _LEFT_OUT.search(rows) is None and not takes_off


_QUARTER, _QTR = frozenset(stems("quarter")), frozenset(stems("qtr"))


def leaves_quarter(answer: FigureAnswer, question: Question) -> bool:
    """Whether ``answer`` tells nothing of a quarter that the question speaks of, and that was not read as one of a year."""
    is_read = bool(question.periods.quarter or question.periods.by_quarter)
    said = set(stems(question.text))
    return not is_read and (said >= _QUARTER or said >= _QTR) and not told_words(answer) >= _QUARTER


def leaves_out(answer: FigureAnswer, frame: Frame, names: Names) -> bool:
    """Whether ``answer`` to a follow-up tells of none of the figures that the follow-up itself calls by their names, or, where it
    names nothing that is known, of none of its words: "and what was the charge?".
    """
    own = frozenset(stems(" ".join(frame.left_over)))
    is_bare = frame.carried is not None and not (frame.targets or frame.parts or frame.periods or frame.companies)
    if is_bare and own and answer.calculation is None and frame.operation == "lookup" and own.isdisjoint(names_told(answer)):
        return True
    named = [one.metric for one in names.find(frame.question) if one.score == 1] if frame.carried is not None else []
    told, tags = told_words(answer), {str(fact["concept"]) for fact in answer.facts}
    calls = (any(told.issuperset(stems(name)) for name in (*metric.names, *metric.labels)) for metric in named)
    return bool(named) and not any(calls) and not any(tags.intersection(metric.concepts) for metric in named)
