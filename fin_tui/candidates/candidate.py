"""One record for each figure that can answer, and the words that say what it is."""

from __future__ import annotations

from dataclasses import dataclass, field

from fin_tui.facts.words import camel_words
from fin_tui.records import Fact

_MOST_LABEL = 60
_MOST_TITLE = 12
"""Words of a label and of a title that are read: what is longer is a sentence, of which the end names the figure."""
_NO_NAME = ("Member", "Axis", "Domain")


@dataclass(frozen=True, slots=True)
class Candidate:
    """A figure of a filing with its surroundings: tagged or not, in a table or in a sentence."""

    fact: Fact
    """Value, unit, period and place."""
    path: tuple[str, ...]
    """The row's labels from the outermost heading row in; of a sentence the words that lead to the figure."""
    column: str = ""
    """What the column's header says beside its period."""
    title: str = ""
    """Title of the table, or the tagged note or heading that the figure stands under."""
    statement: str = ""
    """"income", "balance" or "cash_flow" for a line of a primary statement."""
    loose_scale: int = 1
    """The scale of the statements, for money in a table that says no unit where the statements have one."""
    count_scale: int = 1
    """What a number of things that is printed here is multiplied by: 1_000 in a table "(in thousands)" that holds no money."""
    row: str = field(init=False, compare=False)
    """What the figure is, whatever its period: the text that row vectors are made of."""

    def __post_init__(self) -> None:
        object.__setattr__(self, "row", self._row())

    @property
    def members(self) -> tuple[str, ...]:
        """The members of the fact's dimensions in words: "data center"."""
        return tuple(words_of(member) for member in self.fact.dimensions.values())

    def _row(self) -> str:
        own = _first_words(self.path[-1], _MOST_LABEL) if self.path else ""
        above = " < ".join(_last_words(part, _MOST_TITLE) for part in reversed(self.path[-3:-1]))
        tag = "" if self.fact.source != "xbrl" else words_of(self.fact.concept)
        parts = (own, above, self.column, ", ".join(self.members), tag, _first_words(self.title, _MOST_TITLE))
        return " | ".join(part for part in parts if part)


def words_of(name: str) -> str:
    """The words of a tag or member: "us-gaap:IncomeTaxesPaidNet" -> "income taxes paid net"."""
    local = name.partition(":")[2] or name
    for tail in _NO_NAME:
        local = local.removesuffix(tail)
    return " ".join(camel_words(local))


def _last_words(text: str, most: int) -> str:
    return " ".join(text.split()[-most:])


def _first_words(text: str, most: int) -> str:
    return " ".join(text.split()[:most])
