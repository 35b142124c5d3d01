"""Inline XBRL: tagged facts collected while a page is read, then resolved with their contexts, units and formats."""

from __future__ import annotations

import datetime as dt
import math
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from decimal import Decimal, InvalidOperation
from typing import NamedTuple

from fin_tui.filings.dom import Attributes
from fin_tui.language import STARTS, clean, day_of, figures_of, month_number, runs_of
from fin_tui.records import Fact

_ONES = (
    "zero one two three four five six seven eight nine ten eleven twelve thirteen fourteen fifteen sixteen "
    "seventeen eighteen nineteen"
).split()
_TENS = "twenty thirty forty fifty sixty seventy eighty ninety".split()
_WORDS = {word: value for value, word in enumerate(_ONES)} | {word: 20 + 10 * step for step, word in enumerate(_TENS)}
_WORDS |= {"no": 0, "none": 0, "nil": 0, "a": 1, "an": 1}
_SCALES = {"thousand": 10**3, "million": 10**6, "billion": 10**9, "trillion": 10**12}
_ZERO = frozenset("fixedzero zerodash numdash".split())
_EMPTY = frozenset("nocontent fixedempty".split())
_COMMA_DECIMAL = frozenset("numcommadecimal numdotcomma numspacecomma".split())
_UNIT_DECIMAL = frozenset("numunitdecimal numunitdecimalin numunitdecimalapos".split())
_SPAN_UNITS = {"durday": "days", "durweek": "weeks", "durmonth": "months", "duryear": "years", "durhour": "hours"}
_SPANS = frozenset("day week month year hour".split())
_NO_SIGNS = str.maketrans("", "", "'’$€£¥%")
_TRUE = frozenset("fixedtrue booleantrue".split())
_FALSE = frozenset("fixedfalse booleanfalse".split())
_CHECKED = frozenset("☒☑✓✔þýxX")


def short_name(format_name: str) -> str:
    """A format's name without prefix, case and hyphens: "ixt:num-dot-decimal" -> "numdotdecimal"."""
    return format_name.rpartition(":")[2].lower().replace("-", "")


def parse_number(text: str, format_name: str) -> Decimal | None:
    """The unsigned, unscaled number that ``text`` prints; None when it prints none."""
    name = short_name(format_name)
    if name in _ZERO:
        return Decimal(0)
    if name in _EMPTY:
        return None
    if name == "numwordsen":
        return words_to_number(text)
    if name in _UNIT_DECIMAL:
        groups = figures_of(text, ",.")
        return _decimal(groups[0].replace(",", "") + "." + groups[1]) if len(groups) > 1 else _decimal("".join(groups))
    compact = "".join(text.split()).translate(_NO_SIGNS)
    if name in _COMMA_DECIMAL:
        return _decimal(compact.replace(".", "").replace(",", "."))
    number = _decimal(compact.replace(",", ""))
    if number is None and not name:
        return words_to_number(text)
    return number


def _is_number(text: str) -> bool:
    """Digits, with one point at most: "12", "12.", ".5"."""
    return text.isascii() and text.replace(".", "", 1).isdecimal()


def _decimal(text: str) -> Decimal | None:
    if not _is_number(text[1:] if text.startswith(("-", "+")) else text):
        return Decimal(0) if text and not text.strip("-–—−") else None
    try:
        return Decimal(text)
    except InvalidOperation:
        return None


def words_to_number(text: str) -> Decimal | None:
    """ "one hundred and twenty-five" -> 125; None when a word is not a number word. Digits among the words are read too."""
    words = [word for word in text.lower().replace(",", " ").replace("-", " ").split() if word != "and"]
    if not words:
        return None
    total = Decimal(0)
    group = Decimal(0)
    for word in words:
        if word in _WORDS:
            group += _WORDS[word]
        elif word == "hundred":
            group = (group or Decimal(1)) * 100
        elif word in _SCALES:
            total += (group or Decimal(1)) * _SCALES[word]
            group = Decimal(0)
        elif _is_number(word) and word[0] != "." != word[-1] and len(word) < 30:
            group += Decimal(word)
        else:
            return None
    return total + group


def parse_duration(text: str, format_name: str) -> tuple[Decimal, str] | None:
    """The number and unit ("years", "months", …) of a printed length of time; None when the format isn't one of those."""
    name = short_name(format_name)
    if name in _SPAN_UNITS:
        number = parse_number(text, "")
        return (number, _SPAN_UNITS[name]) if number is not None else None
    if name not in ("durwordsen", "duryearmonthday"):
        return None
    *words, unit = text.lower().replace("-", " ").split() or [""]
    number = words_to_number(" ".join(words)) if unit.removesuffix("s") in _SPANS else None
    return (number, unit.removesuffix("s") + "s") if number is not None else None


def parse_boolean(text: str, format_name: str) -> bool | None:
    """The truth value of a flag: by its format, else by the words "true" and "false"."""
    name = short_name(format_name)
    if name in _TRUE:
        return True
    if name in _FALSE:
        return False
    if name == "boolballotbox":
        return any(c in _CHECKED for c in text)
    return {"true": True, "false": False, "yes": True, "no": False}.get(text.strip().lower())


def parse_date(text: str, format_name: str = "") -> dt.date | None:
    """A full date, as printed in a US filing or in ISO form; None for anything else.

    Numeric dates are read month first, unless the format says day first.
    """
    text = " ".join(text.split())
    numbers = [int(part) for part in figures_of(text)]
    if text[:4].isdecimal() and text[4:5] == "-" and len(numbers) >= 3:
        return day_of(numbers[0], numbers[1], numbers[2])
    month = next((month_number(word) for word in runs_of(text) if word[:3].lower() in STARTS), None)
    day_first = short_name(format_name).startswith(("dateday", "dateddmm"))
    if month and len(numbers) == 2:
        return day_of(numbers[1], month, numbers[0])
    if len(numbers) == 3:
        if numbers[0] > 31:
            return day_of(numbers[0], numbers[1], numbers[2])
        first, second = (numbers[1], numbers[0]) if day_first else (numbers[0], numbers[1])
        return day_of(numbers[2] + 2000 if numbers[2] < 100 else numbers[2], first, second)
    return None


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
        self._hidden: dict[str, int] = {}
        """Id of a hidden number that no place has been found for -> its index in ``tagged``."""
        self.notes: list[str] = [""]
        """The stack of text blocks that are open, innermost last."""

    @property
    def note(self) -> str:
        """The innermost open text block: its concept, or "#" and the id of a continuation."""
        return self.notes[-1]

    def start(self, tag: str, attributes: Attributes, *, is_hidden: bool = False) -> None:
        """An ``ix:`` element opens; what stands in the header is hidden."""
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
            if is_hidden and fact.numeric and fact.identifier:
                self._hidden[fact.identifier] = len(self.tagged)
            self.open.append(len(self.tagged))
            self.tagged.append(fact)
            self._writing.append(fact)
            kind = "fact"
        self._stack.append(kind)

    def points_to(self, identifier: str) -> bool:
        """Whether the element that opens prints the hidden number with this id; it ends like an ``ix:`` one then."""
        index = self._hidden.pop(identifier, None) if len(self.open) < _MOST_OPEN else None
        if index is None:
            return False
        self.open.append(index)
        self._stack.append("place")
        return True

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
        """Whether the innermost open element is a fact, or the place of a hidden one."""
        return bool(self._stack) and self._stack[-1] in ("fact", "place")

    def end(self) -> None:
        """The innermost ``ix:`` element closes."""
        if not self._stack:
            return
        kind = self._stack.pop()
        if kind in ("fact", "place"):
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
