"""A frame -> the calculations that it may mean: each an expression over figures, with the words that each is looked for by.

The reader is seldom sure what is to be computed, and a question seldom names all that goes into it. So everything that the
likelier operations could mean is made; which one stands is decided by the figures that are found for it.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from decimal import Decimal

from fin_tui.engine.frame.reader import QUOTIENTS, Frame
from fin_tui.engine.questions.instructions import Instructions
from fin_tui.engine.questions.operation import Across, Over
from fin_tui.engine.questions.wanted import Item, Names, Part, Reading
from fin_tui.engine.rank.ranker import Wanted
from fin_tui.facts.expression import Binary, Call, Name, Node, Number, rewrite
from fin_tui.facts.figures import Metric, Unit

COMPUTED = frozenset(("growth", "cagr", "contribution", "difference", "ratio", "margin", "share", "per_unit", "sum", "average"))
"""Operations that make a new figure."""
_NO_FIGURE = frozenset(("refuse", "rank", "reformat", "convert"))
_LEAST = 0.05
"""Probability from which an operation is thought of beside the likeliest."""
_YEAR_DAYS = Decimal(365)
"""What a quotient that is asked for in days is a part of."""
_SALES = "revenue"
"""What a margin is a share of."""


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


def readings_of(frame: Frame, names: Names, instructions: Instructions) -> list[FrameReading]:
    """What ``frame`` may ask of figures, the likeliest operations first; empty when no figure is asked for."""
    if not frame.is_figure or frame.refusal or frame.operation in _NO_FIGURE:
        return []
    shares = dict(frame.operations) or {frame.operation: frame.sure["operation"]}
    likely = [one for one in sorted(shares, key=lambda one: -shares[one]) if shares[one] >= _LEAST or one == frame.operation]
    found: dict[object, FrameReading] = {}
    for operation in likely:
        for turned in _turned(replace(frame.whole, operation=operation)):
            made = _Making(turned, names, instructions).made()
            if made is None:
                continue
            node = made.reading.parts[0].node
            meaning = (_meant(node, made.reading), made.reading.over, made.reading.parts[0].unit)
            known = found.get(meaning)
            found[meaning] = (
                replace(made, chance=shares[operation])
                if known is None
                else replace(known, chance=known.chance + shares[operation])
            )
    return list(found.values())


def _turned(frame: Frame) -> list[Frame]:
    """The frame, and with its figures the other way round where one is set against another: the whole may be named first."""
    if frame.operation in QUOTIENTS | {"contribution", "difference"} and len(frame.targets) == 2:
        return [frame, replace(frame, targets=frame.targets[::-1])]
    return [frame]


def _meant(node: Node, reading: Reading) -> Node:
    """The expression with what each of its names stands for in place of the name."""
    return rewrite(node, lambda name: replace(name, name=repr(reading.items[name.name])))


class _Making:
    """Turns a frame with one operation into a reading."""

    def __init__(self, frame: Frame, names: Names, instructions: Instructions) -> None:
        self._frame = frame
        self._matter = frame.matter
        self._names = names
        self._instructions = instructions
        self._items: dict[str, Item] = {}
        self._wanted: dict[str, Wanted] = {}

    def made(self) -> FrameReading | None:
        """The reading; None where the frame names too little for its operation."""
        frame = self._frame
        over: Over = "point"
        across: Across = "each"
        unit: Unit | None = None
        match frame.operation:
            case "growth" | "cagr" as over:
                node = self._one(_level(frame.kind), is_level=True)
            case "difference":
                node, over = self._difference()
                unit = "%" if over == "change" and frame.kind == "percent" else None
            case "ratio" if len(frame.targets) == 1 and len(frame.periods) == 2:
                over, node = "multiple", self._one("", is_level=True)
            case "contribution":
                over, node = "contribution", self._quotient()
            case one if one in QUOTIENTS:
                node = self._quotient()
                unit = "%" if frame.kind == "percent" else None
                if frame.kind == "days" and node is not None:
                    node, unit = Binary("*", node, Number(_YEAR_DAYS)), "days"
            case "sum":
                node, over = self._sum()
            case "average":
                node, over = self._sum() if len(frame.targets) > 1 else (self._one(frame.kind, is_level=True), "average")
                if len(frame.targets) > 1 and isinstance(node, Call):
                    node = Call("avg", node.arguments)
            case "trend":
                over, node = "trend", self._one(frame.kind, is_level=True)
            case _:
                node = self._one(frame.kind)
        if node is None:
            return None
        label = frame.label
        if isinstance(node, Name):
            unit = unit or ("%" if over == "point" and frame.kind == "percent" else None)
            item = self._items[node.name]
            label = frame.label if item.metric is None and item.phrase == self._matter else item.label
        reading = Reading((Part(node, label, unit),), self._items, over, across, instructions=self._instructions)
        return FrameReading(reading, self._wanted, 0.0, self._unused(), frame.operation in COMPUTED)

    def _unused(self) -> int:
        said = " ".join(f"{one.matter} {one.parts}" for one in self._wanted.values())
        return sum(span.text not in said for span in (*self._frame.targets, *self._frame.parts))

    def _difference(self) -> tuple[Node | None, Over]:
        frame = self._frame
        kind = frame.kind if frame.kind in ("money", "count", "per_share", "percent") else ""
        parts = " ".join(span.text for span in frame.parts)
        if kind == "percent" and len(frame.targets) > 1 and len(frame.periods) > 1:
            return self._quotient(), "change"  # How many points a share moved.
        if len(frame.targets) > 1:
            return self._less([(span.text, parts) for span in frame.targets], kind), "point"
        if len(frame.parts) == 2 and len(frame.periods) < 2 and frame.targets:
            return self._less([(frame.targets[0].text, part.text) for part in frame.parts], kind), "point"
        return self._one(kind, is_level=True), "change"

    def _quotient(self) -> Node | None:
        """What is asked as a share or multiple of something else; a margin that names one figure is one of revenue."""
        frame = self._frame
        targets, parts = [span.text for span in frame.targets], [span.text for span in frame.parts]
        part = " ".join(parts)
        if len(targets) >= 2:
            return self._over([(targets[0], part), (targets[1], part if frame.operation == "margin" else "")])
        if len(targets) == 1 and len(parts) == 2 and frame.operation == "ratio":
            return self._over([(targets[0], one) for one in parts])
        if len(targets) == 1 and frame.operation in ("share", "contribution") and part:
            return self._over([(targets[0], part), (targets[0], "")])
        margin = self._named(targets[0]) if len(targets) == 1 else None
        if margin is not None and margin.formula:
            return Name(self._keep(Item(margin, part)))
        if targets and frame.operation == "margin":
            return self._over([(targets[0].removesuffix(" margin"), part), (_SALES, part)], "money")
        return None

    def _less(self, named: Sequence[tuple[str, str]], kind: str) -> Node:
        """One figure (target, part) less the others."""
        first, *others = (Name(self._item(target, part, kind)) for target, part in named)
        node: Node = first
        for other in others:
            node = Binary("-", node, other)
        return node

    def _over(self, named: Sequence[tuple[str, str]], kind: str = "") -> Node:
        """One figure (target, part) over another."""
        first, second = (Name(self._item(*one, kind)) for one in named)
        return Binary("/", first, second)

    def _sum(self) -> tuple[Node | None, Over]:
        frame = self._frame
        if len(frame.targets) > 1:
            names = [self._item(span.text, " ".join(part.text for part in frame.parts), frame.kind) for span in frame.targets]
            return Call("sum", tuple(map(Name, names))), "point"
        if len(frame.parts) > 1 and frame.targets:
            names = [self._item(frame.targets[0].text, part.text, frame.kind) for part in frame.parts]
            return Call("sum", tuple(map(Name, names))), "point"
        return self._one(frame.kind, is_level=bool(frame.periods)), "sum" if frame.periods else "point"

    def _one(self, kind: str, *, is_level: bool = False) -> Node | None:
        """The one figure that the question is about, looked for by all its words; ``is_level``: its course is asked for."""
        frame = self._frame
        if is_level and len(frame.targets) == 1:
            return Name(self._item(frame.targets[0].text, " ".join(span.text for span in frame.parts), kind))
        if len(frame.targets) == 1 and not frame.parts and not frame.left_over and frame.carried is None:
            target = frame.targets[0].text
            if self._named(target) is not None:  # The whole matter is one metric: its own tags go first.
                return Name(self._item(target, "", kind))
        key = self._keep(Item(None, self._matter))
        parts = " ".join(span.text for span in frame.parts)
        kinds = frame.kinds if kind == frame.kind and frame.operation == "lookup" else {}
        self._wanted[self._matter] = Wanted(
            self._matter, kind or max(kinds, key=kinds.__getitem__, default=""), parts, frame.label, kinds
        )
        return Name(key)

    def _item(self, target: str, part: str, kind: str) -> str:
        """The key of a figure by the words that name it."""
        metric = self._named(target)
        words = f"{part} {target}".strip()
        wanted = Wanted(words, kind, part)
        if metric is not None:
            self._wanted[f"{metric.id}/{part}"] = wanted
            return self._keep(Item(metric, part))
        self._wanted[words] = wanted
        return self._keep(Item(None, words))

    def _named(self, words: str) -> Metric | None:
        found = self._names.find(words)
        return found[0].metric if len(found) == 1 and (found[0].end - found[0].start) >= len(words.strip()) - 1 else None

    def _keep(self, item: Item) -> str:
        key = f"x{len(self._items)}"
        for known, other in self._items.items():
            if other == item:
                return known
        self._items[key] = item
        return key


def _level(answer: str) -> str:
    """The kind of the figure whose growth is a percentage: any."""
    return "" if answer == "percent" else answer
