"""The passages that print the figures a question asks for: where the facts say a figure stands outranks any wording of it."""

from __future__ import annotations

import datetime as dt
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from fin_tui.engine.evidence.numbers import find_numbers
from fin_tui.engine.evidence.passage import scale_of
from fin_tui.engine.figures.answer import Source
from fin_tui.engine.figures.grid import fill
from fin_tui.engine.questions.hint import wants_words
from fin_tui.engine.questions.understanding import Understanding
from fin_tui.facts.expression import Measure
from fin_tui.facts.figures import Figure, Gap
from fin_tui.records import Filing, Hit, Ranks

_WHOLE = 0.5
"""Accuracy of a whole number."""
_MOST_TELLING = 2
"""Passages moved up because they tell what is computed."""
_MOST_PLACES = 3
"""Passages put first because they print the figures asked for; the rest stays with what the words find."""


@dataclass(frozen=True, slots=True)
class Printed:
    """The figures of a question, and where they are printed."""

    figures: tuple[Figure, ...] = ()
    places: tuple[Hit, ...] = ()
    """Each year's own filing before later ones that repeat the figure."""
    results: tuple[Measure, ...] = ()
    """What is computed from them: "up 41 %"."""

    def lead(self, hits: Sequence[Hit], *, is_lookup: bool) -> list[Hit]:
        """``hits`` with the places among the first; behind a first hit that already tells the figure, or that a question for more
        than plain figures (``is_lookup`` False) brings.
        """
        is_stated = bool(hits) and any(prints(hits[0], figure) for figure in self.figures)
        order = insert(self.places, hits, 1 if is_stated or not is_lookup else 0)
        telling = [hit for hit in hits if any(tells(hit, result) for result in self.results) and self._is_told(hit)]
        return insert(telling[:_MOST_TELLING], order, 1)

    def _is_told(self, hit: Hit) -> bool:
        """A table holds many percentages: one that prints a figure beside what is computed from it tells that."""
        return hit.chunk.kind == "prose" or any(prints(hit, figure) for figure in self.figures)


def find_printed(understood: Understanding, source: Source) -> Printed:
    """The figures that the question needs, and the passages that print them; nothing for a question that wants words."""
    reading = understood.reading
    if reading is None or not understood.subjects or wants_words(understood.question.text):
        return Printed()
    grid = fill(reading, understood.subjects, source.book, source.names)
    own = tuple(figure for cell in grid.cells for figure in cell.figures)
    later = _repeated(own, understood, source) if len(own) == 1 else []
    items = understood.request.scope.items
    places: dict[str, Hit] = {}
    for figure in (*own, *later):
        hit = _hit(figure, source)
        if hit is not None and (not items or hit.chunk.item in items):
            places.setdefault(hit.chunk.id, hit)
    computed = (cell.measure for cell in grid.cells if cell.measure is not None and cell.single is None)
    return Printed(own, tuple(places.values())[:_MOST_PLACES], tuple(m for m in computed if m.unit == "%"))


def is_lookup(understood: Understanding) -> bool:
    """Whether the question asks for plain figures, so that the passage that prints them is what it wants."""
    return understood.reading is not None and understood.reading.over == "point"


def prints(hit: Hit, figure: Figure) -> bool:
    """Whether a hit of the figure's filing states it, exactly or rounded ("$13.30 billion")."""
    if hit.filing.id != figure.filing.id:
        return False
    scale = scale_of(hit.chunk.header) if hit.chunk.kind == "table" else 1
    value = abs(figure.value)
    return any(
        abs(abs(number.value) * by - value) <= number.accuracy * by and abs(number.value) * by >= 2 * number.accuracy * by
        for number in find_numbers(hit.chunk.text)
        for by in ({1} if number.scaled or number.kind == "percent" else {1, scale})
        if not number.is_year
    )


def tells(hit: Hit, result: Measure) -> bool:
    """Whether a hit says the percentage that was computed, as a whole number or more closely; 0 and 100 are said of anything."""
    value = abs(float(result.value))
    return not any(abs(value - common) < 0.5 for common in (0, 100)) and any(
        number.kind == "percent" and number.accuracy <= _WHOLE and abs(abs(float(number.value)) - value) <= float(number.accuracy)
        for number in find_numbers(hit.chunk.text)
    )


def insert(places: Sequence[Hit], hits: Sequence[Hit], at: int) -> list[Hit]:
    """``hits`` with each of ``places`` no later than positions ``at``, ``at + 1``, …; what already stands before stays."""
    order = list(hits)
    for wanted, place in enumerate(places, start=at):
        now = next((i for i, hit in enumerate(order) if hit.chunk.id == place.chunk.id), None)
        if now is None:
            order.insert(wanted, place)
        elif now > wanted:
            order.insert(wanted, order.pop(now))
    return order


def _repeated(own: Iterable[Figure], understood: Understanding, source: Source) -> list[Figure]:
    """The same figure in later filings of the company: one may be restated, and either may be meant."""
    found = []
    for figure in own:
        metric = source.names.get(figure.metric)
        if metric is None or figure.fact.dimensions:
            continue
        subject = next((s for s in understood.subjects if figure.filing in s.filings), None)
        others = [f for f in subject.filings if _end(f) > _end(figure.filing)] if subject else []
        for filing in sorted(others, key=_end):
            again = source.book.figure(metric, [filing], figure.period)
            if not isinstance(again, Gap):
                found.append(again)
    return found


def _hit(figure: Figure, source: Source) -> Hit | None:
    fact = figure.fact
    if fact.end <= fact.start:
        return None
    chunk = source.chunks.holding(figure.filing.id, fact.start, fact.end)
    return Hit(0, chunk, figure.filing, 1.0, Ranks()) if chunk else None


def _end(filing: Filing) -> dt.date:
    return filing.period_end or dt.date(filing.fiscal_year or 1900, 12, 31)
