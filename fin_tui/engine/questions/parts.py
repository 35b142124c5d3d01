"""The words of a question -> the figures and expressions that they name (pure)."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import replace
from itertools import pairwise

from fin_tui.engine.questions.operation_words import SHARE_AFTER, SHARE_BEFORE
from fin_tui.engine.questions.wanted import Item, Names, Part, Reading
from fin_tui.engine.questions.words import FIRM, Words, left_over
from fin_tui.facts.expression import Binary, Name, Node
from fin_tui.facts.figures import Mention, Metric

_NUMERIC = re.compile(
    r"\bhow\s+(?:much|many)\b|\bwhat\s+(?:was|were|is|are|percent(?:age)?|share|portion|proportion|fraction)\b|\bwhat's\b|\bby\s+(?:what|how)\b|"
    r"\b(?:calculate|compute|total|amount|balance|number|value)\b",
    re.I,
)
_HOW_MANY = re.compile(r"\bhow\s+many\b(?!\s+(?:u\.?s\.?\s+)?(?:dollars|millions?|billions?|thousands?|cents|percent)\b)", re.I)
_THE_TOTAL = re.compile(r"\s*(?:the\s+|its\s+)?(?:total|whole|overall(?:\s+(?:amount|figure))?)\b", re.I)
_MADE = re.compile(r"\bhow\s+much\s+(?:money\s+)?(?:did|does|has|have)\b[^?]*\b(?:make|made|earn|earned)\b", re.I)
"""Without anything that was made or earned: what is left at the end."""
_CONNECTORS: tuple[tuple[re.Pattern[str], str], ...] = (
    (re.compile(r"^\s*(?:divided\s+by|over|/|÷|per)\s*(?:the\s+|its\s+)?(?:total\s+)?$", re.I), "/"),
    (re.compile(r"^\s*(?:minus|less|net\s+of|[-–—−])\s*(?:the\s+|its\s+)?(?:total\s+)?$", re.I), "-"),
    (re.compile(r"^\s*(?:plus|\+|added\s+to)\s*(?:the\s+|its\s+)?(?:total\s+)?$", re.I), "+"),
    (re.compile(r"^\s*(?:times|multiplied\s+by|[×*])\s*(?:the\s+|its\s+)?$", re.I), "*"),
)
_LIST = re.compile(r"^[\s,;]*(?:and|&|or|as well as|versus|vs\.?)?[\s,]*(?:the|its|their)?\s*(?:total\s*)?$", re.I)
_LISTED = re.compile(r"\s*,\s*(?:and\s+)?|\s+and\s+|\s*&\s*")
_RATIO_OF = re.compile(r"\bratio\s+of\b", re.I)
_WORDIEST = 8
"""A part of a company is not named in more words than this."""


def read_parts(words: Words, items: dict[str, Item], names: Names, previous: Reading | None) -> tuple[Part, ...]:
    """What ``words`` ask for, its figures put into ``items``; empty when that would be a guess."""
    return _both_parts(words, items, names) or _parts(words, items, names, previous)


def _parts(words: Words, items: dict[str, Item], names: Names, previous: Reading | None) -> tuple[Part, ...]:
    mentions = words.mentions
    phrase = words.explicit or words.phrase
    if (words.explicit and words.phrase) or len(phrase.split()) > _WORDIEST:
        return ()
    share = None if words.ahead else _share(words, items, previous)
    if share is not None:
        return share
    if not mentions:
        scattered = _scattered(phrase, names)
        if scattered is not None and not words.operation.yes_no:
            return (_single(Item(scattered), items),)
        return _without_metric(words, phrase, items, names, previous)
    if len(mentions) == 1:
        return (_single(Item(_said(words, mentions[0]), phrase), items),)
    if phrase:
        return ()
    return _several(words, items)


def each_part(reading: Reading) -> Reading | None:
    """The reading of "sales in Europe and Japan" as one figure for each; None when it names no such list.

    Tried only when no part of the company is called by the whole phrase, as "Home and Accessories" may be.
    """
    item = next(iter(reading.items.values()))
    if len(reading.parts) != 1 or len(reading.items) != 1 or item.metric is None:
        return None
    names = [name for name in _LISTED.split(item.phrase) if name.strip()]
    if len(names) < 2:
        return None
    items: dict[str, Item] = {}
    parts = tuple(_single(Item(item.metric, name.strip()), items) for name in names)
    return replace(reading, parts=parts, items=items)


def _both_parts(words: Words, items: dict[str, Item], names: Names) -> tuple[Part, ...]:
    """ "term debt (current + non-current)": the sum of the two balances that go by that name."""
    if not words.both or len(words.mentions) != 1 or words.phrase:
        return ()
    mention = words.mentions[0]
    said = words.text[mention.start : mention.end]
    current, rest = (names.find(f"{which} {said}") for which in ("current portion of", "non-current"))
    if len(current) != 1 or len(rest) != 1 or current[0].metric.id == rest[0].metric.id:
        return ()
    one, other = (Name(_key(Item(found[0].metric), items)) for found in (current, rest))
    return (Part(Binary("+", one, other), f"total {said.removeprefix('total ')}"),)


def _single(item: Item, items: dict[str, Item]) -> Part:
    return Part(Name(_key(item, items)), item.label, item.metric.unit if item.metric else None)


def _key(item: Item, items: dict[str, Item]) -> str:
    key = item.metric.id if item.metric and not item.phrase else f"item_{len(items)}"
    items[key] = item
    return key


def _said(words: Words, mention: Mention) -> Metric:
    """The metric of ``mention`` with the words that name it, where they name it as it stands."""
    return replace(mention.metric, said=words.text[mention.start : mention.end]) if mention.score == 1 else mention.metric


def _scattered(phrase: str, names: Names) -> Metric | None:
    """The metric whose words the question parts: "how many shares did it have outstanding"."""
    found = names.find(phrase) if phrase else ()
    if len(found) != 1 or found[0].score < FIRM or left_over(phrase, [(found[0].start, found[0].end)]):
        return None
    return found[0].metric


def _without_metric(
    words: Words, phrase: str, items: dict[str, Item], names: Names, previous: Reading | None
) -> tuple[Part, ...]:
    if previous is not None and words.dependent:
        if not phrase:
            items.update(previous.items)
            return previous.parts
        first = next(iter(previous.items.values()))
        return (_single(Item(first.metric, phrase), items),)
    earned = names.get("net_income") if not phrase and _MADE.search(words.text) else None
    if earned is not None:
        return (_single(Item(earned), items),)
    if not phrase or words.operation.yes_no or not (words.terse or _NUMERIC.search(words.text)):
        return ()
    return (_single(Item(None, phrase, is_counted=bool(_HOW_MANY.search(words.text))), items),)


def _share(words: Words, items: dict[str, Item], previous: Reading | None) -> tuple[Part, ...] | None:
    """ "a as a percentage of b", "what share of b is a": None when the question asks for no share; () when it can't be read."""
    taken = [(m.start, m.end) for m in words.mentions]
    for pattern, part_first in ((SHARE_AFTER, True), (SHARE_BEFORE, False)):
        cue = next((c for c in pattern.finditer(words.text) if not any(a <= c.start() < b for a, b in taken)), None)
        if cue is None:
            continue
        whole = next((m for m in words.mentions if m.start >= cue.end()), None)
        if whole is None and (shared := _of_total(words, cue.end(), items, previous)) is not None:
            return shared
        if whole is None or whole.metric.unit == "%":
            return None
        others = [m for m in words.mentions if m is not whole]
        if part_first:
            others = [m for m in others if m.end <= cue.start()] or others
        top = _top(words, others, whole, items, previous)
        if top is None:
            return ()
        node, label = top
        bottom = _key(Item(whole.metric), items)
        return (Part(Binary("/", node, Name(bottom)), f"{label} as a percentage of {whole.metric.names[0]}", "%"),)
    return None


def _of_total(words: Words, end: int, items: dict[str, Item], previous: Reading | None) -> tuple[Part, ...] | None:
    """ "What percentage of the total is that?" after a figure of a part: its share of the same figure of the whole."""
    if previous is None or not words.dependent or words.mentions or not _THE_TOTAL.match(words.text[end:]):
        return None
    parts = [item for item in previous.items.values() if item.phrase and item.metric]
    if len(previous.parts) != 1 or len(previous.items) != 1 or len(parts) != 1:
        return None
    metric = parts[0].metric
    assert metric is not None
    top, bottom = Name(_key(parts[0], items)), Name(_key(Item(metric), items))
    return (Part(Binary("/", top, bottom), f"{parts[0].label} as a percentage of {metric.names[0]}", "%"),)


def _top(
    words: Words, others: Sequence[Mention], whole: Mention, items: dict[str, Item], previous: Reading | None
) -> tuple[Node, str] | None:
    """The part of a share."""
    phrase = words.explicit or words.phrase
    if len(others) == 1:
        item = Item(others[0].metric, phrase)
        return Name(_key(item, items)), item.label
    if others:
        return None
    if phrase:
        item = Item(whole.metric, phrase)
        return Name(_key(item, items)), item.label
    if previous is not None and words.dependent and len(previous.parts) == 1:
        items.update(previous.items)
        return previous.parts[0].node, previous.parts[0].label
    return None


def _several(words: Words, items: dict[str, Item]) -> tuple[Part, ...]:
    """Several metrics: joined by an operator, or a list of figures."""
    mentions = words.mentions
    between = [words.text[a.end : b.start] for a, b in pairwise(mentions)]
    signs = [next((sign for pattern, sign in _CONNECTORS if pattern.match(gap)), "") for gap in between]
    if all(signs):
        node: Node = Name(_key(Item(mentions[0].metric), items))
        label = mentions[0].metric.names[0]
        for sign, mention in zip(signs, mentions[1:], strict=True):
            other = Name(_key(Item(mention.metric), items))
            node = Binary("/" if sign == "/" else "*" if sign == "*" else "+" if sign == "+" else "-", node, other)
            label = f"{label} {sign} {mention.metric.names[0]}"
        return (Part(node, label),)
    before = words.text[: mentions[0].start]
    if (
        len(mentions) == 2
        and _RATIO_OF.search(before)
        and re.match(r"^\s*to\s+(?:the\s+|its\s+)?(?:total\s+)?$", between[0], re.I)
    ):
        top, bottom = (Name(_key(Item(m.metric), items)) for m in mentions)
        return (Part(Binary("/", top, bottom), f"{mentions[0].metric.names[0]} / {mentions[1].metric.names[0]}", "ratio"),)
    if (
        len(mentions) == 2
        and re.search(r"\b(?:difference|gap|spread|delta)\s+between\b", before, re.I)
        and _LIST.match(between[0])
    ):
        left, right = (Name(_key(Item(m.metric), items)) for m in mentions)
        return (Part(Binary("-", left, right), f"{mentions[0].metric.names[0]} - {mentions[1].metric.names[0]}"),)
    if re.search(r"\b(?:sum|combined|total)\s+of\b|\bcombined\b", words.text, re.I) and all(_LIST.match(gap) for gap in between):
        node = Name(_key(Item(mentions[0].metric), items))
        for mention in mentions[1:]:
            node = Binary("+", node, Name(_key(Item(mention.metric), items)))
        return (Part(node, " + ".join(m.metric.names[0] for m in mentions)),)
    return tuple(_single(Item(mention.metric), items) for mention in {m.metric.id: m for m in mentions}.values())
