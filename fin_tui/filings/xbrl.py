"""Inline XBRL: tagged facts collected while a page is read, then resolved with their contexts, units and formats."""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import NamedTuple

from fin_tui.filings.cleaning import clean
from fin_tui.filings.dom import Attributes
from fin_tui.filings.xbrl_contexts import Context, HeaderReader
from fin_tui.filings.xbrl_formats import parse_duration, parse_number
from fin_tui.records import Fact

_MOST_OPEN = 64
"""Facts nest a few deep; a page that nests more is hostile, and each open fact costs time for each run of text."""
_MOST_CONTINUED = 100
"""Links of a chain of continuations."""
_MOST_TIED = 10_000
"""Facts that one footnote may be tied to."""
_NO_CONTEXT = Context()


@dataclass(slots=True)
class Tagged:
    """A tagged element as it stands in the file."""

    concept: str
    context: str
    numeric: bool
    unit: str = ""
    format: str = ""
    scale: int = 0
    negative: bool = False
    decimals: int | None = None
    nil: bool = False
    continued: str = ""
    """Id of the continuation that carries the rest of its text."""
    identifier: str = ""
    """Its id, by which footnotes are tied to it."""
    parts: list[str] = field(default_factory=list)
    room: int = 10_000
    """Characters that ``parts`` may still take: a tag around a whole chapter is no figure."""

    @property
    def text(self) -> str:
        return " ".join("".join(self.parts).split())


class Place(NamedTuple):
    """Where a fact is printed."""

    start: int
    end: int
    block: int
    label: str


class FactReader:
    """Takes the events of ``ix:`` elements. ``tagged`` holds the facts in document order, ``open`` those being read."""

    def __init__(self) -> None:
        self.header = HeaderReader()
        self.tagged: list[Tagged] = []
        self.open: list[int] = []
        self.origins: dict[str, str] = {}
        """Continuation id -> the text block's concept, or "#" and the id of the continuation before it."""
        self._continuations: dict[str, Tagged] = {}
        self._footnotes: dict[str, Tagged] = {}
        self._tied: dict[str, list[str]] = {}
        self._stack: list[str] = []
        self._writing: list[Tagged] = []
        self._excluded = 0
        self.notes: list[str] = [""]
        """The stack of text blocks that are open, innermost last."""

    @property
    def note(self) -> str:
        """The innermost open text block: its concept, or "#" and the id of a continuation."""
        return self.notes[-1]

    def start(self, tag: str, attributes: Attributes) -> None:
        """An ``ix:`` element opens."""
        kind = "other"
        name = clean(attributes.get("name") or "")
        continued = attributes.get("continuedat") or ""
        if tag == "ix:continuation":
            kind = self._start_continuation(attributes.get("id") or "", continued)
        elif tag == "ix:relationship":
            self._tie((attributes.get("fromrefs") or "").split(), (attributes.get("torefs") or "").split())
        elif tag == "ix:footnote" and len(self._writing) < _MOST_OPEN:
            part = self._footnotes[attributes.get("id") or ""] = Tagged("", "", False, continued=continued)
            self._writing.append(part)
            kind = "footnote"
        elif tag == "ix:exclude":
            self._excluded += 1
            kind = "exclude"
        elif tag == "ix:nonnumeric" and name.lower().endswith("textblock"):
            if continued:
                self.origins[continued] = name
            self.notes.append(name)
            kind = "note"
        elif tag in ("ix:nonfraction", "ix:nonnumeric") and len(self._writing) < _MOST_OPEN:
            fact = _tagged(tag, name, attributes)
            self.open.append(len(self.tagged))
            self.tagged.append(fact)
            self._writing.append(fact)
            kind = "fact"
        self._stack.append(kind)

    def _start_continuation(self, identifier: str, continued: str) -> str:
        if continued:
            self.origins[continued] = f"#{identifier}"
        self.notes.append(f"#{identifier}")
        if len(self._writing) >= _MOST_OPEN:
            return "note"
        part = Tagged("", "", False, continued=continued)
        self._continuations[identifier] = part
        self._writing.append(part)
        return "continuation"

    def _tie(self, facts: Sequence[str], footnotes: Sequence[str]) -> None:
        for fact in facts[:_MOST_TIED]:
            self._tied.setdefault(fact, []).extend(footnotes[:_MOST_CONTINUED])

    def footnotes(self, index: int) -> tuple[str, ...]:
        """The texts of the footnotes that ``ix:relationship`` ties to the fact with this index in ``tagged``."""
        names = dict.fromkeys(self._tied.get(self.tagged[index].identifier, ())) if self.tagged[index].identifier else ()
        notes = (self._footnotes[name] for name in names if name in self._footnotes)
        return tuple(filter(None, (" ".join(filter(None, (note.text, *self._rest(note)))) for note in notes)))

    def text(self, text: str) -> None:
        """A run of text inside the elements that are open."""
        if not self._excluded:
            for fact in self._writing:
                if fact.room > 0:
                    fact.parts.append(text[: fact.room])
                    fact.room -= len(text)

    @property
    def closes_fact(self) -> bool:
        """Whether the innermost open element is a fact."""
        return bool(self._stack) and self._stack[-1] == "fact"

    def end(self) -> None:
        """The innermost ``ix:`` element closes."""
        if not self._stack:
            return
        kind = self._stack.pop()
        if kind == "fact":
            self.open.pop()
        if kind in ("fact", "continuation", "footnote"):
            self._writing.pop()
        if kind in ("note", "continuation"):
            self.notes.pop()
        if kind == "exclude":
            self._excluded -= 1

    def origin(self, note: str) -> str:
        """The concept of the text block that a note reference leads back to; empty when the chain is broken."""
        seen: set[str] = set()
        while note.startswith("#"):
            if note in seen:
                return ""
            seen.add(note)
            note = self.origins.get(note[1:], "")
        return note

    def facts(self, places: Mapping[int, Place]) -> tuple[Fact, ...]:
        """All facts in document order; ``places`` has those that are visible, by index."""
        units = self.header.units()
        contexts = self.header.contexts
        return tuple(
            _fact(tagged, contexts.get(tagged.context, _NO_CONTEXT), units, self._rest(tagged), places.get(index))
            for index, tagged in enumerate(self.tagged)
        )

    def _rest(self, tagged: Tagged) -> Sequence[str]:
        """The texts of its continuations, as far as it has room; chains may share links, or run in a circle."""
        parts: list[str] = []
        seen: set[str] = set()
        following, room = tagged.continued, tagged.room
        while following and following not in seen and room > 0 and len(seen) < _MOST_CONTINUED:
            seen.add(following)
            part = self._continuations.get(following)
            if part is None:
                break
            parts.append(part.text[:room])
            room -= len(part.text)
            following = part.continued
        return parts


def _tagged(tag: str, name: str, attributes: Attributes) -> Tagged:
    return Tagged(
        concept=name,
        context=attributes.get("contextref") or "",
        numeric=tag == "ix:nonfraction",
        unit=attributes.get("unitref") or "",
        format=attributes.get("format") or "",
        scale=_integer(attributes.get("scale")) or 0,
        negative=(attributes.get("sign") or "").strip() == "-",
        decimals=_integer(attributes.get("decimals")),
        nil=(attributes.get("xsi:nil") or "").strip() in ("true", "1"),
        continued=attributes.get("continuedat") or "",
        identifier=attributes.get("id") or "",
    )


def _integer(text: str | None) -> int | None:
    try:
        number = int(text or "")
    except ValueError:
        return None
    return number if -40 <= number <= 40 else None


def _fact(tagged: Tagged, context: Context, units: Mapping[str, str], rest: Iterable[str], place: Place | None) -> Fact:
    text = " ".join(filter(None, (tagged.text, *rest)))
    value, unit = _value(tagged, text, units)
    return Fact(
        concept=tagged.concept,
        label=place.label if place else "",
        value=value,
        text=text,
        unit=unit,
        period_start=context.start,
        period_end=context.end,
        dimensions=context.dimensions,
        decimals=tagged.decimals,
        start=place.start if place else 0,
        end=place.end if place else 0,
        block=place.block if place else None,
    )


def _value(tagged: Tagged, text: str, units: Mapping[str, str]) -> tuple[float | None, str]:
    if not tagged.numeric:
        duration = parse_duration(text, tagged.format) if tagged.format else None
        return (float(duration[0]), duration[1]) if duration else (None, "")
    unit = units.get(tagged.unit, "")
    if tagged.nil:
        return None, unit
    number = parse_number(text, tagged.format)
    if number is None:
        return None, unit
    value = float(number.scaleb(tagged.scale))
    if not math.isfinite(value):
        return None, unit
    return (-value if tagged.negative else value), unit
