"""What a question asks for, once read: figures by name, expressions over them, what to do along years and across companies."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Protocol

from fin_tui.engine.questions.instructions import Instructions
from fin_tui.engine.questions.operation import Across, Over
from fin_tui.facts.expression import Node
from fin_tui.facts.figures import Mention, Metric, Unit


class Names(Protocol):
    """The vocabulary of metrics."""

    def find(self, text: str) -> Sequence[Mention]: ...
    def get(self, metric_id: str) -> Metric | None: ...


@dataclass(frozen=True, slots=True)
class Item:
    """A figure to look up."""

    metric: Metric | None
    phrase: str = ""
    """A part of the company ("Greater China"), or, without a metric, what the row is called."""
    is_counted: bool = False
    """How many of these is asked: an amount of money is no answer."""

    @property
    def label(self) -> str:
        name = self.metric.names[0] if self.metric else ""
        return f"{self.phrase} {name}".strip()


@dataclass(frozen=True, slots=True)
class Part:
    """One figure or expression that is asked for."""

    node: Node
    """Names are keys of ``Reading.items``."""
    label: str
    unit: Unit | None = None
    """Unit of a dimensionless result; None when it is a plain figure or its metric says."""


@dataclass(frozen=True, slots=True)
class Reading:
    """What is asked for, whatever the company and the year."""

    parts: tuple[Part, ...]
    items: Mapping[str, Item]
    over: Over = "point"
    across: Across = "each"
    yes_no: bool = False
    down: bool = False
    ahead: bool = False
    """What falls due, or is expected, in a year after the filing's own is asked for."""
    ending: bool = False
    """Balances at the year's end stand in place of averages in the formulas of ratios."""
    instructions: Instructions = field(default_factory=lambda: Instructions(""))
