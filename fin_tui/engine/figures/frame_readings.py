"""A frame -> the calculations that it may mean: each an expression over figures, with the words that each is looked for by.

The reader is seldom sure what is to be computed, and a question seldom names all that goes into it. So everything that the
likelier operations could mean is made; which one stands is decided by the figures that are found for it.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from decimal import Decimal
from itertools import pairwise
from math import prod

from fin_tui.engine.figures.operands import (
    ADDED,
    BEFORE,
    BOTH_TOLD,
    TOLD,
    Operand,
    Operands,
    is_turned,
    metric_of,
    metrics_listed,
    operands_of,
    told_apart,
    ways_with_told,
    with_whole_names,
)
from fin_tui.engine.frame.meaning import Meaning
from fin_tui.engine.frame.reader import COMPUTED, QUOTIENTS, Frame
from fin_tui.engine.questions.instructions import Instructions
from fin_tui.engine.questions.question import is_year
from fin_tui.engine.questions.wanted import Across, Item, Names, Over, Part, Reading
from fin_tui.engine.questions.words import speaks_of_ending
from fin_tui.engine.rank.wanted import Beside, Wanted
from fin_tui.facts.expression import Binary, Call, Name, Node, Number, rewrite
from fin_tui.facts.figures import Figure, Mention, Metric, Unit
from fin_tui.language import runs_of

_LOOK_UP = "lookup"
_TWO = 2
_APART = frozenset("than versus vs against over above below relative compared gap between ahead exceed exceeds exceeded".split())
"""Words by which one figure is set apart from another."""
_NO_FIGURE = frozenset(("refuse", "rank", "reformat", "convert"))
_LEAST = 0.05
"""Probability from which an operation is thought of beside the likeliest."""
_YEAR_DAYS = Decimal(365)
"""What a quotient that is asked for in days is a part of."""
_NUMBER = "number of"
"""What is counted is looked for by, in front of its name."""
_SALES, _SHARES = "revenue", "diluted weighted average shares"
"""What a margin is a share of, and what a figure per share is for each of."""
LEVELS = frozenset(("usd", "shares", "count"))
"""Units of what is no quotient of others, also where it is computed."""


@dataclass(frozen=True, slots=True)
class FrameReading:
    """One thing that the frame may mean."""

    reading: Reading
    wanted: dict[str, Wanted]
    """What each figure is looked for by: by "metric/part", or the phrase of its item."""
    chance: float
    """The probability of the operations that mean this."""
    unused: int
    """Names of figures and parts in the question that it leaves out."""
    is_computed: bool
    regrouped: bool = False
    """Whether its operands are not simply the figures that the question names, each with all its parts."""
    turned: bool = False
    """Whether its second operand is named before its first, or told to be the first."""
    told: bool = False
    """Whether its operands are those that the reader tells apart."""
    is_printed: bool = False
    """Whether what sounds like a calculation is looked for as the filing prints it."""
    by_words: bool = False
    """Whether figures that a metric names are looked for by the question's words all the same."""
    given: Mapping[str, Figure] = field(default_factory=dict)
    """The operands that earlier turns were answered with, by the phrases of their items."""
    is_beside: bool = False
    """Whether what it asks for is looked for beside the figure of an earlier turn alone."""
    meant: float = 1.0
    """The probability that its words mean the metrics that no name gives."""


def readings_of(
    frame: Frame, names: Names, instructions: Instructions, told: Sequence[Figure] = (), meaning: Meaning | None = None
) -> list[FrameReading]:
    """What ``frame`` may ask of figures, the likeliest operations first; empty when no figure is asked for. ``told``: the figures
    of earlier turns, the last first. ``meaning``: what words mean that name no metric.
    """
    if not frame.is_figure or frame.refusal or frame.operation in _NO_FIGURE:
        return []
    frame = with_whole_names(frame, names)
    shares = dict(frame.operations) or {frame.operation: frame.sure["operation"]}
    likely = [one for one in sorted(shares, key=lambda one: -shares[one]) if shares[one] >= _LEAST or one == frame.operation]
    if frame.operation in COMPUTED and _LOOK_UP not in likely:
        likely.append(_LOOK_UP)  # What sounds like a calculation may be printed under all its words: "average price per share".
    named = _all_readings(frame, likely, shares, names, instructions)
    worded = _all_readings(frame, likely, shares, _NoNames(), instructions)
    others = (replace(made, by_words=True) for meaning, made in worded.items() if meaning not in named)
    found = [*named.values(), *others]
    if meaning is not None:
        meant = _all_readings(frame, likely, shares, names, instructions, meaning)
        found += [made for by, made in meant.items() if made.meant < 1 and by not in named]
    if told:
        beside = Beside(told[0].filing, told[0].fact, told[0].period)
        resting = _resting_on(frame, likely, shares, names, instructions, told)
        apart = [*worded.values(), *_resting_on(frame, likely, shares, _NoNames(), instructions, told)]
        before = frame.carried.matter if frame.carried is not None else ""
        found += [*resting, *(_beside(made, beside, before) for made in apart if made.wanted and made.reading.over == "point")]
    return found


def _beside(made: FrameReading, beside: Beside, before: str) -> FrameReading:
    """``made`` of what stands beside the figure of an earlier turn; its operands are looked for by what was asked ``before`` too:
    "as a share of the total".
    """
    wanted = {}
    for key, one in made.wanted.items():
        matter = f"{before} {one.matter}".strip() if made.is_computed else one.matter
        wanted[key] = replace(one, matter=matter, beside=beside)
    return replace(made, wanted=wanted, is_beside=True)


def _resting_on(
    frame: Frame,
    likely: Sequence[str],
    shares: Mapping[str, float],
    names: Names,
    instructions: Instructions,
    told: Sequence[Figure],
) -> list[FrameReading]:
    """The calculations with figures that earlier turns were answered with: "the two added up", "as a share of the total"."""
    found = []
    for operation in likely:
        of = replace(frame, operation=operation)
        for place, named in enumerate(ways_with_told(of, told) if operation in COMPUTED else ()):
            made = _Making(of, named, names, instructions, told).made()
            if made is not None and made.reading.over == "point":
                found.append(replace(made, chance=shares.get(operation, 0.0), turned=bool(place % 2), regrouped=place > 1))
    return found


def _all_readings(
    frame: Frame,
    likely: Sequence[str],
    shares: Mapping[str, float],
    names: Names,
    instructions: Instructions,
    meaning: Meaning | None = None,
) -> dict[object, FrameReading]:
    """By what they mean, the readings of the likelier operations."""
    found: dict[object, FrameReading] = {}
    for operation in likely:
        meant: dict[object, FrameReading] = {}
        is_printed = operation == _LOOK_UP and frame.operation in COMPUTED
        for whole in filter(None, (frame.whole, None if is_printed else frame.alone)):
            for made in _made(replace(whole, operation=operation), names, instructions, meaning):
                meant.setdefault(
                    (_meant(made.reading.parts[0].node, made.reading), made.reading.over, made.reading.parts[0].unit), made
                )
        chance = shares.get(operation, 0.0) + (shares.get(frame.operation, 0.0) if is_printed else 0.0)
        for one, made in meant.items():
            before = found[one].chance if one in found else 0.0
            found[one] = replace(found.get(one, made), chance=chance + before, is_printed=is_printed)
    return found


def on_told(frame: Frame, pair: tuple[Figure, Figure], names: Names) -> tuple[Reading, Mapping[str, Figure]] | None:
    """What ``frame`` computes of the first and the second of two figures, with these by the words that stand for them."""
    made = _Making(frame, TOLD, names, Instructions(""), pair).made()
    return (made.reading, made.given) if made is not None else None


class _NoNames:
    """A vocabulary without names."""

    def find(self, text: str) -> list[Mention]:
        return []

    def get(self, metric_id: str) -> None:
        return None


def _made(of: Frame, names: Names, instructions: Instructions, meaning: Meaning | None) -> Iterator[FrameReading]:
    """The readings of a frame with one operation, by all that its operands may be."""
    ways, told = operands_of(of), told_apart(of)
    plain = (ways[0], ways[0][::-1])
    for named in ways if of.operation in COMPUTED else ways[:1]:
        made = _Making(of, named, names, instructions, meaning=meaning).made()
        if made is not None:
            turned = named == told[::-1] if told and named in plain else is_turned(of, named)
            yield replace(made, regrouped=named not in plain, turned=turned, told=named == told)


def _meant(node: Node, reading: Reading) -> Node:
    """The expression with what each of its names stands for in place of the name."""
    return rewrite(node, lambda name: replace(name, name=repr(reading.items[name.name])))


class _Making:
    """Turns a frame with one operation and the words for its operands into a reading."""

    def __init__(
        self,
        frame: Frame,
        named: Operands,
        names: Names,
        instructions: Instructions,
        told: Sequence[Figure] = (),
        meaning: Meaning | None = None,
    ) -> None:
        self._frame = frame
        self._operands = named
        self._told = told
        self._given: dict[str, Figure] = {}
        self._matter = frame.matter
        self._names = names
        self._instructions = instructions
        self._meaning = meaning
        self._meant: dict[str, float] = {}
        """Words that are taken to mean a metric, with the probability that they do."""
        self._items: dict[str, Item] = {}
        self._wanted: dict[str, Wanted] = {}
        self._words: dict[str, str] = {}
        """The words of the question that each item is asked for by."""

    def made(self) -> FrameReading | None:
        """The reading; None where the frame names too little for its operation."""
        frame = self._frame
        if BEFORE in self._operands and self._before() is None:
            return None
        over: Over = "point"
        across: Across = "each"
        unit: Unit | None = None
        node: Node | None
        match frame.operation:
            case "growth" if len(self._operands) == _TWO and not self._is_of_each():
                node, unit = self._above(), "%"
            case "growth" | "cagr" as over:
                node = self._course("" if frame.kind == "percent" else frame.kind)  # A percentage of any kind.
            case "difference":
                node, over = self._difference()
                unit = "%" if over == "change" and frame.kind == "percent" else None
            case "ratio" if len(frame.periods) == _TWO and self._is_of_one_level():
                over, node = "multiple", self._course("")
            case "product":
                node = self._times()
                unit = "usd" if frame.kind == "money" else "count" if frame.kind == "count" else None
            case "contribution":
                over, node = "contribution", self._quotient()
            case one if one in QUOTIENTS:
                node = self._quotient()
                unit = "%" if frame.kind == "percent" else None
                if frame.kind == "days" and isinstance(node, Binary):  # A metric in days is one by its formula.
                    node, unit = Binary("*", node, Number(_YEAR_DAYS)), "days"
            case "sum":
                node, over = self._together("sum")
            case "average":
                node, over = self._together("avg")
            case "trend":
                over, node = "trend", self._course(frame.kind)
            case _:
                node = self._one(frame.kind)
        if node is None:
            return None
        label = frame.label
        if isinstance(node, Name):
            item = self._items[node.name]
            is_quotient = over == "point" and item.metric is not None and item.metric.unit not in LEVELS
            unit = item.metric.unit if item.metric is not None and is_quotient else unit
            unit = unit or ("%" if over == "point" and frame.kind == "percent" else None)
            label = _called(frame) if item.metric is None and item.phrase == self._matter else item.label
        elif over != "contribution":
            label = self._in_words(node, unit) or label
        ending = speaks_of_ending(self._frame.question)
        reading = Reading((Part(node, label, unit),), self._items, over, across, ending=ending, instructions=self._instructions)
        meant = prod(self._meant.values())
        unused, is_computed = self._unused(), frame.operation in COMPUTED
        return FrameReading(reading, self._wanted, 0.0, unused, is_computed, given=self._given, meant=meant)

    def _in_words(self, node: Node, unit: Unit | None = None) -> str:
        """What a calculation is called, in the order in which it is made; "" for what no short name tells."""
        match node:
            case Name(name):
                return self._words.get(name, "").removeprefix("of ")
            case Binary("/" | "-" as operator, left, right) if (one := self._in_words(left)) and (other := self._in_words(right)):
                joint = "as a percentage of" if unit == "%" else "per" if self._frame.operation == "per_unit" else "to"
                return f"{one} {'less' if operator == '-' else joint} {other}"
            case Binary("*", left, right) if (one := self._in_words(left)) and (other := self._in_words(right)):
                return f"{one} times {other}"
            case Call("sum", arguments):
                return " plus ".join(self._in_words(one) for one in arguments)
            case Call("avg", arguments):
                return f"average of {' and '.join(self._in_words(one) for one in arguments)}"
            case _:
                return ""

    def _is_of_one_level(self) -> bool:
        """Whether one figure alone is named, and none that is a quotient itself."""
        named = self._named(self._operands[0][0]) if len(self._operands) == 1 else None
        is_quotient = named is not None and bool(named.formula) and named.unit not in LEVELS
        return len(self._frame.targets) <= 1 and len(self._operands) <= 1 and not is_quotient

    def _is_of_each(self) -> bool:
        """Whether the growth of each of two figures is asked for, which "and" joins, not how far one is above the other."""
        named, question = self._frame.targets, self._frame.question.lower()
        between = (question[one.end : other.start].split() for one, other in pairwise(named))
        return any("and" in words for words in between) and _APART.isdisjoint(runs_of(question))

    def _unused(self) -> int:
        """Names that are left out; a year and a company's brand say whose figure is asked for, not which."""
        said = " ".join(f"{one.matter} {one.parts}" for one in self._wanted.values())
        whose = {(span.start, span.end) for span in self._frame.companies}
        named = [span for span in (*self._frame.targets, *self._frame.parts) if (span.start, span.end) not in whose]
        return sum(span.text not in said and not is_year(span.text) for span in named)

    def _difference(self) -> tuple[Node | None, Over]:
        frame = self._frame
        kind = frame.kind if frame.kind in ("money", "count", "per_share", "percent") else ""
        if kind == "percent" and len(self._operands) > 1 and len(frame.periods) > 1:
            return self._quotient(), "change"  # How many points a share moved.
        if len(self._operands) > 1:
            return self._less(kind), "point"
        return self._course(kind), "change"

    def _quotient(self) -> Node | None:
        """What is asked as a share or multiple of something else; a margin that names one figure is one of revenue."""
        frame, of, operation = self._frame, self._operands, self._frame.operation
        if len(of) == 2:
            return self._per() if operation == "per_unit" else self._over(of)
        if len(of) != 1:
            return None
        target, part = of[0]
        if operation in ("share", "contribution"):
            whole, part = (target, part) if part else self._parted(target)
            if part:
                return self._over(((whole, part), (whole, "")))
        quotient = self._named(target) or self._means(target)
        if quotient is not None and quotient.formula and quotient.unit not in LEVELS:
            return Name(self._keep(Item(quotient, part)))
        if operation == "per_unit" and frame.kind == "per_share":
            return self._over(((target, part), (_SHARES, "")))
        if operation == "margin":
            return self._over(((target.removesuffix(" margin"), part), (_SALES, part)), "money")
        return None

    def _less(self, kind: str) -> Node:
        """One figure less the others."""
        first, *others = (self._figure(one, kind) for one in self._operands)
        node: Node = first
        for other in others:
            node = Binary("-", node, other)
        return node

    def _over(self, named: Operands, kind: str = "") -> Node:
        """One figure over another."""
        first, second = (self._figure(one, kind) for one in named)
        return Binary("/", first, second)

    def _above(self) -> Node:
        """How far one figure is above another, as a part of that."""
        return Binary("-", self._over(self._operands), Number(Decimal(1)))

    def _times(self) -> Node | None:
        """A percentage of something, or so many at a price each."""
        return Binary("*", *(self._figure(one, "") for one in self._operands)) if len(self._operands) == _TWO else None

    def _per(self) -> Node:
        """A figure for each of what is counted: "per employee" asks for the number of employees."""
        of = "count" if self._frame.kind == "count" else "money"
        first, second = self._operands
        if second in (*TOLD, BOTH_TOLD):
            return self._over(self._operands, of)
        counted, _ = second
        return Binary("/", self._figure(first, of), Name(self._item(f"{_NUMBER} {counted}", "", "count")))

    def _together(self, function: str) -> tuple[Node | None, Over]:
        """Several figures, or one over the years, added up or averaged."""
        kind = self._frame.kind
        if len(self._operands) > 1:
            names = tuple(self._figure(one, kind) for one in self._operands)
            return Call("avg" if function == "avg" else "sum", names), "point"
        if function == "avg":
            return self._course(kind), "average"
        return self._course(kind) if self._frame.periods else self._one(kind), "sum" if self._frame.periods else "point"

    def _course(self, kind: str) -> Node | None:
        """The one figure whose course over the years is asked for."""
        if len(self._operands) == 1 and self._operands[0][0]:
            before = self._frame.carried
            if before is not None and before.operation == _LOOK_UP and before.whole.targets == self._frame.targets:
                # By all the words that found it, and of its kind.
                kind = before.kind if kind in ("money", "count", "") else kind
                return Name(self._item(*self._operands[0], kind, before.matter))
            return Name(self._item(*self._operands[0], kind))
        return self._one(kind) if len(self._operands) == len(self._frame.targets) else None

    def _one(self, kind: str) -> Node | None:
        """The one figure that the question is about, looked for by all its words."""
        frame = self._frame
        is_computed = max(frame.operations, key=frame.operations.__getitem__, default="") in COMPUTED
        is_plain = not (is_computed or frame.parts or frame.left_over) and frame.carried is None
        if is_plain and len(frame.targets) == 1:
            target = frame.targets[0].text
            if self._named(target) is not None:  # The whole matter is one metric: its own tags go first.
                return Name(self._item(target, "", kind))
        said = " ".join(span.text for span in frame.targets) if not frame.left_over else self._matter
        if not (is_computed or frame.parts) and frame.carried is None and self._means(said) is not None:
            return Name(self._item(said, "", kind))
        key = self._keep(Item(None, self._matter))
        parts = " ".join(span.text for span in frame.parts)
        kinds = frame.kinds if kind == frame.kind and frame.operation == "lookup" else {}
        self._wanted[self._matter] = Wanted(
            self._matter, kind or max(kinds, key=kinds.__getitem__, default=""), parts, _called(frame), kinds,
            question=frame.asked,
        )  # fmt: skip
        return Name(key)

    def _figure(self, operand: Operand, kind: str) -> Node:
        """An operand: a figure, what was computed before, or what earlier turns were answered with."""
        if operand in TOLD:
            return self._known(self._told[TOLD.index(operand)])
        if operand == BOTH_TOLD:
            return Call("sum", tuple(self._known(one) for one in self._told[:_TWO]))
        before = self._before() if operand == BEFORE else None
        if before is None and not operand[1] and len(listed := metrics_listed(operand[0], self._names, ADDED)) > 1:
            return Call("sum", tuple(Name(self._item(one, "", kind)) for one in listed))
        return Name(self._item(*operand, kind)) if before is None else before

    def _known(self, figure: Figure) -> Node:
        """A figure that an earlier turn was answered with."""
        label = figure.label if figure not in self._given.values() else ""
        phrase = f"{label} ({figure.period.label})" if label in self._given else label
        self._given[phrase] = figure
        key = self._keep(Item(None, phrase))
        self._words[key] = figure.label
        return Name(key)

    def _before(self) -> Node | None:
        """What the question before came to, computed from figures of this one's year; None where no expression says it."""
        before = self._frame.carried.whole if self._frame.carried is not None else None
        if before is None:
            return None
        inner = _Making(before, operands_of(before)[0], self._names, self._instructions)
        inner._items, inner._wanted, inner._words = self._items, self._wanted, self._words
        made = inner.made()
        return made.reading.parts[0].node if made is not None and made.reading.over == "point" else None

    def _parted(self, words: str) -> tuple[str, str]:
        """The words for a figure and those for its part, where a metric's name is among them: "subscription revenue"."""
        found = self._names.find(words)
        if len(found) != 1:
            return words, ""
        start, end = found[0].start, found[0].end
        return words[start:end], f"{words[:start]} {words[end:]}".strip()

    def _item(self, target: str, part: str, kind: str, said: str = "") -> str:
        """The key of a figure by the words that name it, looked for by these or by ``said``; what names a metric only together
        is no part of one.
        """
        metric = self._named(f"{part} {target}") if part else None
        if metric is not None:
            target, part = f"{part} {target}", ""
        metric = metric or self._named(target)
        is_meant = metric is None and (metric := self._means(target)) is not None
        words = f"{part} {target}".strip()
        wanted = Wanted(said or words, kind, part, is_meant=is_meant)
        self._wanted[f"{metric.id}/{part}" if metric is not None else words] = wanted
        key = self._keep(Item(None, words) if metric is None else Item(metric, part))
        self._words[key] = words.removeprefix(f"{_NUMBER} ")
        return key

    def _named(self, words: str) -> Metric | None:
        return metric_of(words, self._names)

    def _means(self, words: str) -> Metric | None:
        """The metric that words mean which name none."""
        meant = self._meaning(words) if self._meaning is not None and words else None
        if meant is None:
            return None
        self._meant[words] = meant.chance
        return meant.metric

    def _keep(self, item: Item) -> str:
        key = f"x{len(self._items)}"
        for known, other in self._items.items():
            if other == item:
                return known
        self._items[key] = item
        return key


def _called(frame: Frame) -> str:
    """What the figure is called, for people; a question that names none by a noun is no name."""
    return frame.label if frame.targets else "figure asked for"
