"""A reading of a question filled with its figures, and which of several readings stands."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from math import prod

import numpy as np

from fin_tui.engine.figures.answer import FigureAnswer
from fin_tui.engine.figures.frame_readings import FrameReading
from fin_tui.engine.figures.grid import Grid
from fin_tui.engine.figures.weighed import FEATURES, ROUNDED, by_itself, chances, weights
from fin_tui.facts.expression import Binary
from fin_tui.facts.figures import Figure, rounding_of
from fin_tui.retrieval.shared_encoder import Array

SURE, SURE_OF_SENTENCE = 0.7, 0.85
"""From the first probability on a figure and a calculation are told as the answer, from the second on one of a sentence. Of 2,008
questions in people's own words, by cross-validation: of figures from .7 on 383 of 430 are right, of calculations 124 of 144, of
figures of sentences from .85 on 255 of 267. One wrong answer costs more than five that are not found, so that too many of the
less likely are wrong: of figures from .5 to .7 72 of 119 are right, of calculations 77 of 110.
"""
_COARSE = 0.06
"""How far rounding may put a printed percentage off, as a part of it, for it to bear out what is computed: 9 % does, 2 % not."""

_PAIR = 2


@dataclass(frozen=True, slots=True)
class Filled:
    """A reading with its figures."""

    made: FrameReading
    grid: Grid
    features: tuple[float, ...]

    @property
    def figures(self) -> list[Figure]:
        """All that go into it."""
        return [figure for cell in self.grid.cells for figure in cell.figures]

    @property
    def alias(self) -> float:
        """Which share of the question's words for its tagged figures the filing does not call them by."""
        return self.features[FEATURES.index("alias")]

    @property
    def value(self) -> float:
        """The first result."""
        return next((float(cell.measure.value) for cell in self.grid.cells if cell.measure), 0.0)

    @property
    def unit(self) -> str | None:
        """That of the first result."""
        return next((cell.measure.unit for cell in self.grid.cells if cell.measure), None)

    @property
    def rests_on(self) -> float:
        """How sure the figures of earlier turns are that it is computed from."""
        return min((one.sure for one in self.made.given.values() if one.sure is not None), default=1.0)

    @property
    def is_told(self) -> bool:
        """Whether it is one figure of a sentence."""
        return len(self.figures) == 1 and self.figures[0].fact.source == "text"

    @property
    def place(self) -> tuple[str, int] | None:
        """Filing and place of the one figure, where nothing is computed."""
        figures = self.figures
        return (figures[0].filing.id, figures[0].fact.start) if len(figures) == 1 and not self.made.is_computed else None

    @property
    def _rounded_operands(self) -> float:
        """How far one figure over another may be off, for the rounding of both."""
        node = self.made.reading.parts[0].node
        if not (isinstance(node, Binary) and node.operator == "/" and self.made.reading.over == "point"):
            return 0.0
        off = sum(map(_off, self.figures))
        return off * abs(self.value) if off <= _COARSE else 0.0

    @property
    def _apart(self) -> tuple[float, float] | None:
        """How far the two amounts lie apart of which that is told, and how far that may be off for their rounding; else None."""
        reading, figures = self.made.reading, self.figures
        node = reading.parts[0].node
        takes_off = reading.over == "point" and isinstance(node, Binary) and node.operator == "-"
        is_apart = self.made.is_computed and (takes_off or reading.over in ("growth", "change"))
        if not is_apart or len(figures) != _PAIR:
            return None
        amounts = [abs(float(one.value)) for one in figures]
        return abs(amounts[0] - amounts[1]), sum(_off(one) * amount for one, amount in zip(figures, amounts, strict=True))

    @property
    def is_rough(self) -> bool:
        """Whether the rounding of the amounts of sentences leaves open how far two lie apart: those of 4.4 and 4.1 billion."""
        return (apart := self._apart) is not None and apart[1] > _COARSE * apart[0]

    def is_roughly(self, named: FigureAnswer) -> bool:
        """Whether the value of ``named`` may be what is computed here from rounded amounts."""
        apart = self._apart
        if apart is None or named.value is None or named.unit != self.unit:
            return False
        return abs(self.value - named.value) * apart[0] <= abs(self.value) * apart[1] * (1 + ROUNDED)

    @property
    def slack(self) -> float:
        """How far a percentage that is printed, an amount of a sentence, or a quotient of such may be off, being rounded; 0 for
        other figures.
        """
        figures = self.figures
        if self.made.is_computed:
            return self._rounded_operands
        if len(figures) != 1:
            return 0.0
        if self.is_told and figures[0].unit == "usd":
            off = rounding_of(figures[0].fact)
            return off if off <= ROUNDED * abs(self.value) else 0.0
        if figures[0].unit != "%":
            return 0.0
        off = 0.5 * 10.0 ** -len(figures[0].fact.text.partition(".")[2].strip("% )"))
        return off if off <= _COARSE * abs(self.value) else 0.0


def _off(figure: Figure) -> float:
    """How far an amount of a sentence may be off, being rounded, as a part of it: "$2.5 billion" by 2 %."""
    fact = figure.fact
    if fact.source != "text" or figure.unit == "%" or not figure.value:
        return 0.0
    return rounding_of(fact) / abs(float(figure.value))


def likeliest(found: Sequence[Filled]) -> tuple[Filled, float, bool]:
    """The likeliest of the readings, its probability, and whether it stands; of those that mean one value the unrounded
    one of the likelier sign.
    """
    slacks, shares, own = [one.slack for one in found], shares_of(found), by_itself([one.features for one in found], weights())
    most = max(range(len(found)), key=lambda at: float(shares[at]))
    same = [at for at in range(len(found)) if _mean_one(found[at], found[most], max(slacks[at], slacks[most]))]
    is_below = sum(own[at] for at in same if found[at].value < 0) > sum(own[at] for at in same if found[at].value >= 0)
    best = min((at for at in same if (found[at].value < 0) == is_below), key=lambda at: (slacks[at], -own[at]))
    chosen = found[best]
    alone = prod(one.sure for one in chosen.figures if one.sure is not None) if len(found) == 1 else 1.0
    share = min(float(shares[most]), chosen.rests_on, alone)  # What nothing else speaks for is no surer than its figures.
    bound = SURE_OF_SENTENCE if chosen.is_told and not chosen.made.is_computed else SURE
    printed = _printed_for(chosen, found) if chosen.made.is_computed else []
    is_sure = share >= bound and (bool(printed) or not chosen.is_rough)
    return min(printed, key=lambda one: one.slack, default=chosen), share, is_sure


def likeliest_first(found: Sequence[Filled], shares: Array) -> Sequence[int]:
    """The places of the readings in the order of their ``shares``; of those that mean one value the unrounded and the likelier
    by itself comes first.
    """
    own, slacks = by_itself([one.features for one in found], weights()), [one.slack for one in found]
    order: list[int] = np.lexsort(np.array([-own, slacks, -np.asarray(shares).round(6)])).tolist()
    return order


def _mean_one(one: Filled, other: Filled, slack: float) -> bool:
    """Whether two readings come to one value, but for its sign and for rounding."""
    return abs(abs(one.value) - abs(other.value)) <= max(slack, ROUNDED * max(abs(one.value), abs(other.value)))


def of_sentences(found: Sequence[Filled]) -> list[tuple[list[Filled], float]]:
    """The numbers of each sentence that may be the one asked for, the likeliest first and each value once, with the probability
    that one of them is. What rests on figures told before, what is computed, and what a name and not its sentence was found by
    is no number of one.
    """
    shares = shares_of(found)
    sentences: dict[tuple[str, str], dict[float, tuple[float, Filled]]] = {}
    for one, share in zip(found, map(float, shares), strict=True):
        if not one.is_told or one.made.is_computed or one.made.given:
            continue
        figure = one.figures[0]
        if figure.sure is None:
            continue
        values = sentences.setdefault((figure.filing.id, figure.fact.label), {})
        if one.value not in values or share > values[one.value][0]:
            values[one.value] = (share, one)
    made = []
    for values in sentences.values():
        order = sorted(values.values(), key=lambda of: -of[0])
        made.append(([one for _, one in order], min(sum(share for share, _ in order), 1.0)))
    return made


def _printed_for(computed: Filled, found: Sequence[Filled]) -> list[Filled]:
    """What the filing may print for what is computed from rounded figures."""
    same_unit = (one for one in found if not one.made.is_computed and one.unit == computed.unit)
    return [one for one in same_unit if abs(one.value - computed.value) <= computed.slack]


def shares_of(found: Sequence[Filled]) -> Array:
    """:func:`chances` of filled readings, by the fitted weights."""
    of = [(one.features, one.value, one.slack) for one in found]
    features, values, slacks = zip(*of, strict=True)
    return chances(features, values, slacks, weights())
