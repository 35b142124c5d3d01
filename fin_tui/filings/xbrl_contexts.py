"""Contexts and units of inline XBRL, collected from the events inside ``ix:header``."""

from __future__ import annotations

import datetime as dt
from collections.abc import Mapping
from dataclasses import dataclass, field

from fin_tui.filings.cleaning import clean
from fin_tui.filings.dom import Attributes
from fin_tui.filings.xbrl_formats import parse_date

_LEAVES = frozenset("instant startdate enddate explicitmember typedmember measure".split())


@dataclass(slots=True)
class Context:
    """When and of what part of the business a fact speaks."""

    start: dt.date | None = None
    end: dt.date | None = None
    dimensions: dict[str, str] = field(default_factory=dict)


@dataclass(slots=True)
class _Unit:
    over: list[str] = field(default_factory=list)
    under: list[str] = field(default_factory=list)


class HeaderReader:
    """Takes the events inside the header; ``contexts`` and ``units`` grow by id."""

    def __init__(self) -> None:
        self.contexts: dict[str, Context] = {}
        self._units: dict[str, _Unit] = {}
        self._context: Context | None = None
        self._unit: _Unit | None = None
        self._under = False
        self._leaf = ""
        self._axis = ""
        self._text: list[str] = []

    def start(self, tag: str, attributes: Attributes) -> None:
        """An element opens."""
        name = _local(tag)
        if name == "context":
            self._context = self.contexts.setdefault(attributes.get("id") or "", Context())
        elif name == "unit":
            self._unit = self._units.setdefault(attributes.get("id") or "", _Unit())
            self._under = False
        elif name == "unitdenominator":
            self._under = True
        elif name in _LEAVES:
            self._leaf = name
            self._axis = clean(attributes.get("dimension") or "")
            self._text = []

    def text(self, text: str) -> None:
        """A run of text."""
        if self._leaf:
            self._text.append(text)

    def end(self, tag: str) -> None:
        """An element closes."""
        name = _local(tag)
        if name == "context":
            self._context = None
        elif name == "unit":
            self._unit = None
        elif name == "unitdenominator":
            self._under = False
        elif name == self._leaf:
            self._leaf = ""
            self._store(name, clean("".join(self._text)))

    def _store(self, name: str, value: str) -> None:
        if name == "measure":
            if self._unit is not None:
                (self._unit.under if self._under else self._unit.over).append(_measure(value))
            return
        context = self._context
        if context is None:
            return
        if name == "instant":
            context.start, context.end = None, parse_date(value)
        elif name == "startdate":
            context.start = parse_date(value)
        elif name == "enddate":
            context.end = parse_date(value)
        elif self._axis:
            context.dimensions[self._axis] = value

    def units(self) -> Mapping[str, str]:
        """Unit names by id: usd, usd/share, shares, pure, or the lower-cased measure."""
        return {key: _unit_name(unit) for key, unit in self._units.items()}


def _local(tag: str) -> str:
    return tag.rpartition(":")[2]


def _measure(value: str) -> str:
    return _local(value).lower()


def _unit_name(unit: _Unit) -> str:
    over = "*".join(unit.over) or "pure"
    if not unit.under:
        return over
    under = ["share" if name == "shares" else name for name in unit.under]
    return f"{over}/{'*'.join(under)}"
