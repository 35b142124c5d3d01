"""What was understood of a question, for people: company, period and figure, and what was read otherwise than typed (pure).

The same three parts can be changed: :func:`asked_anew` puts others in their places.
"""

from __future__ import annotations

from dataclasses import dataclass

Place = tuple[int, int]


@dataclass(frozen=True, slots=True)
class Interpretation:
    """Whose figure or matter, of when; with the places of each in the question as it was read."""

    text: str = ""
    """The question as it was read."""
    companies: tuple[str, ...] = ()
    periods: tuple[str, ...] = ()
    figure: str = ""
    """The words for what is asked."""
    operation: str = ""
    """What is done with it, where it isn't just looked up."""
    corrected: tuple[tuple[str, str], ...] = ()
    """What was typed, and how it was read."""
    company_places: tuple[Place, ...] = ()
    period_places: tuple[Place, ...] = ()
    figure_places: tuple[Place, ...] = ()
    scope: str = ""
    """Where it looks, where no few companies tell that."""
    outside: tuple[str, ...] = ()
    """Companies that the question names and the scope leaves out; then ``limit`` says what it is limited to."""
    limit: str = ""

    @property
    def line(self) -> str:
        """ "Boeing · FY2024 · backlog, growth"."""
        matter = ", ".join(filter(None, (self.figure, self.operation)))
        whose = ", ".join(self.companies) or self.scope
        return " · ".join(filter(None, (whose, ", ".join(self.periods), matter)))

    @property
    def slips(self) -> str:
        """ "boing → Boeing"; "" where nothing was read otherwise than typed."""
        return ", ".join(f"{typed} → {read}" for typed, read in self.corrected)


def asked_anew(before: Interpretation, companies: str, periods: str, figure: str) -> str:
    """The question of ``before`` with these words in the places of its own, to be asked without the turns before it: what it left
    to them is said, and where that is its company or figure, the question is made of the parts alone.
    """
    parts = (companies, periods, figure) = tuple(" ".join(part.split()) for part in (companies, periods, figure))
    was = (", ".join(before.companies), ", ".join(before.periods), before.figure)
    if parts == was:
        return before.text
    if (companies and not before.company_places and was[0]) or (figure and not before.figure_places and was[2]):
        return " ".join(filter(None, (companies, figure, before.operation, periods and f"in {periods}"))) + "?"
    pieces: list[tuple[Place, str]] = []
    added: list[str] = []
    places_of = (before.company_places, before.period_places, before.figure_places)
    for now, then, places, link in zip(parts, was, places_of, ("of", "in", "–"), strict=True):
        if places and now != then:
            pieces += [(places[0], now), *((place, "") for place in places[1:])]
        elif now and not places:
            added.append(f"{link} {now}")
    text = before.text
    for (start, end), now in sorted(pieces, reverse=True):
        text = f"{_without_link(text[:start]) if not now and pieces else text[:start]}{now}{text[end:]}"
    bare = " ".join(text.split())
    mark = "?" if bare.endswith("?") else ""
    return f"{' '.join([bare.rstrip('? '), *added])}{mark}"


def _without_link(text: str) -> str:
    """``text`` without the "and" or comma before a name that goes."""
    bare = text.rstrip()
    for link in (", and", " and", " vs.", " vs", " or", ","):
        if bare.lower().endswith(link):
            return bare[: -len(link)]
    return text
