"""What is known of a reading once it is filled with figures: what tells how likely it is what was asked for."""

from __future__ import annotations

import json
import math
from collections.abc import Mapping, Sequence
from functools import cache
from importlib.resources import files

import numpy as np
from numpy.typing import ArrayLike

from fin_tui.candidates import words_of
from fin_tui.engine.figures.frame_readings import FrameReading
from fin_tui.engine.figures.grid import Grid
from fin_tui.engine.figures.linked_book import LEAST
from fin_tui.engine.frame.reader import Frame
from fin_tui.engine.questions.periods import find_periods
from fin_tui.engine.questions.question import is_year
from fin_tui.engine.questions.wanted import CHANGES
from fin_tui.engine.rank.wanted import Beside, names_year
from fin_tui.facts.expression import Binary, Number, is_product
from fin_tui.facts.figures import Figure
from fin_tui.facts.words import stems
from fin_tui.retrieval.shared_encoder import Array

SAME = 0.0005
"""How far two values may be apart, as a part of them, and be one."""
AGREES = 0.2
"""Probability of a value from which it bears out the figure that the question's own names give."""
ROUNDED = 0.006
"""How far two figures may be apart, as a part of them, and be one, rounded differently."""
_TAGGED = 0.97
"""Probability of a figure that is found by a tag of its name."""
_KINDS_OF: Mapping[str, tuple[str, ...]] = {
    "usd": ("money",),
    "usd/share": ("per_share", "money"),
    "%": ("percent",),
    "ratio": ("ratio",),
    "count": ("count", "ratio"),
    "shares": ("count",),
    "days": ("days",),
}
"""Unit of a result -> the kinds of figure that are told in it."""
_MOST_LEFT = 6
_USUAL = {"days": 60.0, "ratio": 1.0}
"""What results of a unit are near, by and large."""
_FARTHEST = 5.0
FEATURES = (
    "single", "chance", "single_chance", "operands", "single_operand", "least", "left", "unused", "count", "one_place", "years",
    "kind", "dated", "regrouped", "tagged", "mixed", "change", "average", "sum",
    "contribution", "cagr", "single_doubt", "doubt", "turned", "turned_ratio", "untold", "untold_part",
    "days", "times", "told", "printed", "printed_doubt", "above", "alias", "by_words",
    "beside", "beside_operands", "with", "with_computed", "near", "same_row", "listed", "given", "all_given", "bare_given",
    "follows", "computed_follows", "leans", "given_sure", "product", "meaning",
    "meant", "unsaid", "bias",
)  # fmt: skip
"""What is known of a reading once it is filled."""


def features_of(made: FrameReading, grid: Grid, frame: Frame, told: Sequence[Figure] = ()) -> tuple[float, ...]:
    """One for each of ``FEATURES``; ``told``: the figures that earlier turns were answered with, the last first."""
    left = min(len(frame.left_over), _MOST_LEFT)
    figures = [figure for cell in grid.cells for figure in cell.figures]
    given = list(made.given.values())
    sure = np.array([_surely(figure) for figure in figures if figure not in given] or [_log(_TAGGED)])
    chance = _log(made.chance)
    single = float(not made.is_computed)
    doubt = -_log(1 - math.exp(float(sure.sum())))
    in_one_place = all(len({(one.filing.id, one.fact.block) for one in cell.figures}) == 1 for cell in grid.cells)
    told = told if told and {one.filing.company_key for one in figures} == {told[0].filing.company_key} else ()
    untold, untold_part = _untold(frame, figures, made)
    computed, over = 1 - single, made.reading.over
    return (
        single, chance, single * chance, float(sure.sum()), single * float(sure.sum()), float(sure.min()), float(left),
        float(made.unused), float(len(figures)), float(in_one_place), float(over != "point"),
        _log(_kind(grid, frame)), float(all(one.fact.period_end is not None for one in figures)),
        float(made.regrouped),
        computed * sum(one.sure is None for one in figures) / max(len(figures), 1),
        computed * float(len({one.unit for one in figures}) > 1),
        *(computed * float(over == kind) for kind in ("change", "average", "sum", "contribution", "cagr")),
        single * doubt, computed * doubt,
        computed * float(made.turned), computed * float(made.turned and frame.operation == "ratio"),
        computed * untold, computed * untold_part,
        *(computed * _size(grid, unit, usual) for unit, usual in _USUAL.items()), computed * float(made.told),
        float(made.is_printed), made.is_printed * doubt, float(_is_above(made)), _alias(made, figures),
        float(made.by_words), *_beside(made, figures, frame, told, float(sure.sum())), sum(map(_surely, given)),
        float(is_product(made.reading.parts[0].node)), float(made.meant < 1), math.log(made.meant),
        float(over in _MOVES and not _says_move(frame)), 1.0,
    )  # fmt: skip


_OF_TOLD = 13


def _beside(
    made: FrameReading, figures: Sequence[Figure], frame: Frame, told: Sequence[Figure], operands: float
) -> tuple[float, ...]:
    """What binds the figures to those that earlier turns were answered with."""
    if not told:
        return (0.0,) * _OF_TOLD
    last = Beside(told[0].filing, told[0].fact, told[0].period)
    given = list(made.given.values())
    own = [one for one in figures if one not in given]
    of_filing = [one for one in own if one.filing.id == last.filing.id]
    within = sum(last.is_with(one.fact) for one in of_filing) / max(len(own), 1)
    near = sum(last.holds(one.fact) for one in of_filing) / max(len(own), 1)
    same = sum(one.row == told[0].row and one.fact.start != last.fact.start for one in own if one.row) / max(len(own), 1)
    years = {str(year) for span in frame.periods for year in find_periods(span.text).years}
    listed = sum(any(names_year(one.row, year) for year in years) for one in own) / max(len(own), 1)
    is_bare = not frame.targets and not frame.parts
    return (
        float(made.is_beside), made.is_beside * operands, within, within * made.is_computed, near, same, listed,
        float(len(given)), float(bool(given) and not own), float(bool(given) and not own and is_bare),
        1.0, float(made.is_computed), float(frame.carried is not None),
    )  # fmt: skip


_MOVES = ("change", "growth")
_BOTH = 2


def _says_move(frame: Frame) -> bool:
    """Whether a question speaks of a change, or names the years between which there is one."""
    years = {year for span in frame.periods for year in find_periods(span.text).years}
    return len(years) >= _BOTH or CHANGES.search(frame.question) is not None


def _alias(made: FrameReading, figures: Sequence[Figure]) -> float:
    """The share of the words by which figures are looked for that those found by tags are not called by in the filing."""
    tagged = [one for one in figures if one.sure is None]
    asked = {stem for wanted in made.wanted.values() for stem in stems(wanted.matter)} if tagged else set()
    told = (f"{one.row} {one.fact.label} {words_of(one.fact.concept)}" for one in figures)
    members = (words_of(member) for one in figures for member in one.fact.dimensions.values())
    return len(asked - set(stems(" ".join((*told, *members))))) / len(asked) if asked else 0.0


def _is_above(made: FrameReading) -> bool:
    """Whether it asks how far one figure is above another, of which growth over time is asked the same way."""
    node = made.reading.parts[0].node
    return made.reading.over == "point" and isinstance(node, Binary) and node.operator == "-" and isinstance(node.right, Number)


def _untold(frame: Frame, figures: Sequence[Figure], made: FrameReading) -> tuple[float, float]:
    """How much of the words by which the question names figures, and of those for parts, no word of the figures holds."""
    told = set(stems(" ".join((*(one.row for one in figures), *(f"{one.label} {one.fact.label}" for one in figures)))))
    told |= set(stems(" ".join(words_of(member) for one in figures for member in one.fact.dimensions.values())))
    metrics = (item.metric for item in made.reading.items.values())
    told |= set(stems(" ".join(name for metric in metrics if metric is not None for name in metric.names)))
    shares = []
    for spans in (frame.targets, frame.parts):
        named = {stem for span in spans if not is_year(span.text) for stem in stems(span.text)}
        shares.append(len(named - told) / len(named) if named else 0.0)
    return shares[0], shares[1]


def _size(grid: Grid, unit: str, usual: float) -> float:
    """How far the result is from what is usual for its unit, in powers of e; 0 for another unit."""
    measure = next((cell.measure for cell in grid.cells if cell.measure), None)
    if measure is None or measure.unit != unit or not measure.value:
        return 0.0
    return min(abs(math.log(abs(float(measure.value)) / usual)), _FARTHEST)


def _surely(figure: Figure) -> float:
    return _log(figure.sure if figure.sure is not None else _TAGGED)


def _log(probability: float) -> float:
    return math.log(max(probability, LEAST))


def _kind(grid: Grid, frame: Frame) -> float:
    """The probability that a figure of the result's unit is asked for."""
    unit = next((cell.measure.unit for cell in grid.cells if cell.measure), None)
    kinds = _KINDS_OF.get(unit or "", ())
    kinds = (*kinds, "percent") if unit == "ratio" and frame.operation == "ratio" else kinds  # Of what is more than all of it.
    return sum(frame.kinds.get(kind, 0.0) for kind in kinds)


def by_itself(features: ArrayLike, weights: ArrayLike) -> Array:
    """For each filled reading of a question its own probability, none of the others speaking for it; the rest is for none."""
    raised = np.exp(np.asarray(features) @ np.asarray(weights))
    shares: Array = raised / (1 + raised.sum())
    return shares


def chances(features: ArrayLike, values: ArrayLike, slacks: ArrayLike, weights: ArrayLike) -> Array:
    """For each filled reading of a question the probability that its value is the one asked for; the rest is for none of them.

    Readings that come to the same value, but for its sign and rounding, speak for each other, a printed one also for what it is
    rounded from: ``slacks`` tells how far each may be off for that.
    """
    shares = by_itself(features, weights)
    of = np.abs(np.asarray(values))  # "A loss of 17.7 billion", in the table (17,729).
    slack = np.broadcast_to(np.asarray(slacks, np.float64), of.shape)
    near = np.maximum(ROUNDED * np.maximum(of, 1e-9)[:, None], np.maximum(slack[:, None], slack[None, :]))
    summed: Array = ((np.abs(of[:, None] - of[None, :]) <= near) * shares).sum(axis=1)
    return summed


@cache
def weights() -> Array:
    """Those that were fitted, one for each of ``FEATURES``."""
    card = json.loads(files("fin_tui.engine.figures").joinpath("readings.json").read_text(encoding="utf-8"))
    return np.array([card["weights"][name] for name in FEATURES], np.float64)


def is_likely(told: Sequence[float], values: Sequence[float], shares: ArrayLike) -> bool:
    """Whether one of the figures ``told`` is one of the ``values`` that are at all likely, but for its sign and rounding."""
    likely = [value for value, share in zip(values, np.asarray(shares), strict=True) if share >= AGREES]
    return any(math.isclose(abs(value), abs(one), rel_tol=ROUNDED) for value in likely for one in told)
