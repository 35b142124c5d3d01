"""A question -> the figures it asks for: metrics, segments, what to do with them. Rules only, nothing is looked up.

Every word must be accounted for: as a company, a period, a metric, an operation, or a word that says nothing. What is left over
names a part of the company (a segment, product, region) or is a matter that figures can't answer; it is never dropped.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Protocol

from fin_tui.engine.definition import read_definition
from fin_tui.engine.instructions import Instructions
from fin_tui.engine.operation import EMPTY, SHARE_AFTER, SHARE_BEFORE, Across, Operation, Over, read_operation
from fin_tui.engine.periods import period_spans
from fin_tui.engine.question import Question
from fin_tui.facts.expression import Binary, Name, Node
from fin_tui.facts.figures import Mention, Metric, Unit

_FROM = re.compile(
    r"\b(?:earn(?:ed|s)?|came|comes?|coming|deriv(?:ed?|es)|generat(?:ed?|es)|made|make|attributable|contributed|accounted)\s+"
    r"(?:(?:from|by|to|in|for)\s+)(?P<part>.+?)"
    r"(?=\s+(?:in|for|during|as of|at|over)\s+(?:fiscal\b|FY|the\s+(?:fiscal\s+)?(?:year|period)|(?:19|20)\d\d)|\s*[?.]?\s*$)",
    re.I,
)
_PLACE = re.compile(
    r"\b(?:from|in|on|within|using|per)\s+(?:the\s+|its\s+)?(?:consolidated\s+)?(?:balance sheets?|income statements?|cash flow statements?|"
    r"statements? of [a-z ]+?(?=\s*(?:\(|[?,.]|$|in\b|for\b))|p&l(?:\s+statement)?|cover page|notes?(?: to the financial statements)?)"
    r"(?=\W|$)",
    re.I,
)
_REFERS = re.compile(
    r"\b(?:it|that|this|those|they|them|which\s+one|same|the\s+two|these)\b|^\W*(?:and|what about|how about|so|then)\b", re.I
)
_CONTINUES = re.compile(r"^\W*(?:and\b|(?:and\s+)?(?:what|how)\s+about\b|same\b)", re.I)
_NUMERIC = re.compile(
    r"\bhow\s+(?:much|many)\b|\bwhat\s+(?:was|were|is|are|percent(?:age)?|share|portion|proportion|fraction)\b|\bwhat's\b|\bby\s+(?:what|how)\b|"
    r"\b(?:calculate|compute|total|amount|balance|number|value)\b",
    re.I,
)
_CONNECTORS: tuple[tuple[re.Pattern[str], str], ...] = (
    (re.compile(r"^\s*(?:divided\s+by|over|/|÷|per)\s*(?:the\s+|its\s+)?(?:total\s+)?$", re.I), "/"),
    (re.compile(r"^\s*(?:minus|less|net\s+of|[-–—−])\s*(?:the\s+|its\s+)?(?:total\s+)?$", re.I), "-"),
    (re.compile(r"^\s*(?:plus|\+|added\s+to)\s*(?:the\s+|its\s+)?(?:total\s+)?$", re.I), "+"),
    (re.compile(r"^\s*(?:times|multiplied\s+by|[×*])\s*(?:the\s+|its\s+)?$", re.I), "*"),
)
_LIST = re.compile(r"^[\s,;]*(?:and|&|or|as well as|versus|vs\.?)?[\s,]*(?:the|its|their)?\s*(?:total\s*)?$", re.I)
_RATIO_OF = re.compile(r"\bratio\s+of\b", re.I)
_TOKEN = re.compile(r"\S+")
_ISSUED_AND = re.compile(r"\b(?:were|are|was|is|been|be)?\s*issued\s+and\s+(?=outstanding\b)", re.I)
_BOTH = re.compile(
    r"\(?\b(?:both\s+)?(?:the\s+)?(?:current\s*(?:\+|and|&|plus)\s*(?:the\s+)?non-?\s?current|non-?\s?current\s*(?:\+|and|&|plus)\s*(?:the\s+)?current|"
    r"(?:short|current)[- ]term\s*(?:\+|and|&|plus)\s*long[- ]term)(?:\s+(?:portions?|parts?))?\b\)?"
    r"|\(?\bincluding\s+(?:the\s+|its\s+)?current\s+(?:portion|part|maturities)\b\)?",
    re.I,
)
_YEARS_LONG = re.compile(r"\b(?:\d|two|three|four|five|six|seven|eight|nine|ten)[- ]years?\b", re.I)
_WORDIEST = 8
"""A part of a company is not named in more words than this."""
_FIRM = 0.88
"""A name matched less surely than this is not taken for a metric."""


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
    instructions: Instructions = field(default_factory=lambda: Instructions(""))


@dataclass(frozen=True, slots=True)
class _Words:
    """A text with what has been understood of it."""

    text: str
    mentions: tuple[Mention, ...]
    operation: Operation
    phrase: str
    """What is left over."""
    explicit: str
    """What stands behind "came from", "earned from"."""
    dependent: bool
    both: bool
    """The current and the non-current part together."""


def read_figures(question: Question, asked: Instructions, names: Names, previous: Reading | None = None) -> Reading | None:
    """The figures that ``question`` asks for, or None when it asks for words, or can't be read without a guess.

    ``previous`` is the reading of the question before it, for what this one leaves unsaid.
    """
    words = _understand(question, names)
    operation = words.operation
    if asked.definition:
        return _defined(asked, question, names, operation)
    items: dict[str, Item] = {}
    parts = () if operation.narrative else _both_parts(words, items, names) or _parts(words, items, previous)
    if not parts:
        return None
    over, across = operation.over, operation.across
    if previous is not None and words.dependent and over == "point" and across == "each" and _inherits(words, previous):
        over, across = previous.over, previous.across
    if operation.yes_no and over == "point":
        return None
    if over == "growth" and len(parts) > 1:
        parts = parts[:1]
    return Reading(parts, items, over, across, operation.yes_no, operation.down, asked)


def _inherits(words: _Words, previous: Reading) -> bool:
    return bool(_CONTINUES.match(words.text)) and previous.across == "each"


def _understand(question: Question, names: Names) -> _Words:
    text = _blank(_ISSUED_AND, _blank(_PLACE, question.text))
    both = _BOTH.search(text)
    text = _blank(_BOTH, text)
    companies = [(named.start, named.end) for named in question.companies if named.start >= 0]
    periods = [*period_spans(text), *(match.span() for match in _YEARS_LONG.finditer(text))]
    explicit = _FROM.search(text)
    mentions = tuple(
        mention
        for mention in names.find(text)
        if mention.score >= _FIRM
        and text[mention.start : mention.end].lower() not in EMPTY
        and not any(mention.start < b and a < mention.end for a, b in (*companies, *periods))
    )
    mentions, aliases = _without_aliases(text, mentions)
    part = ""
    inner: list[tuple[int, int]] = []
    if explicit is not None:
        part, inner, mentions = _explicit(text, explicit, mentions, companies)
    taken = [*companies, *((m.start, m.end) for m in mentions), *aliases, *inner]
    operation = read_operation(text, taken, max(len(question.companies), 1))
    phrase = _left_over(text, [*taken, *periods, *operation.spans])
    return _Words(text, mentions, operation, phrase, part, bool(_REFERS.search(text)), both is not None)


def _blank(pattern: re.Pattern[str], text: str) -> str:
    """``text`` with what ``pattern`` finds turned to spaces, so that places stay."""
    return pattern.sub(lambda match: " " * len(match.group()), text)


def _without_aliases(text: str, mentions: tuple[Mention, ...]) -> tuple[tuple[Mention, ...], list[tuple[int, int]]]:
    """Metrics named twice, as in "return on assets (ROA)": what a bracket repeats is dropped."""
    kept: list[Mention] = []
    aliases = []
    for mention in mentions:
        opening, closing = text.rfind("(", 0, mention.start), text.find(")", mention.end)
        inside = (
            opening >= 0 and closing >= 0 and ")" not in text[opening : mention.start] and "(" not in text[mention.end : closing]
        )
        alone = inside and not _left_over(text[opening + 1 : closing], [(mention.start - opening - 1, mention.end - opening - 1)])
        if alone and kept:
            aliases.append((mention.start, mention.end))
        else:
            kept.append(mention)
    return tuple(kept), aliases


def _explicit(
    text: str, match: re.Match[str], mentions: tuple[Mention, ...], companies: Sequence[tuple[int, int]]
) -> tuple[str, list[tuple[int, int]], tuple[Mention, ...]]:
    """The part of the company behind "earned from", unless it is itself a metric by name."""
    start, end = match.span("part")
    if any(start < b and a < end for a, b in companies):
        return "", [], mentions
    inside = [m for m in mentions if start <= m.start and m.end <= end]
    outside = tuple(m for m in mentions if m not in inside)
    if not outside or (inside and not _left_over(text[start:end], [(m.start - start, m.end - start) for m in inside])):
        return "", [], mentions
    return match["part"].strip().rstrip("?.,"), [(start, end)], outside


def _left_over(text: str, taken: Sequence[tuple[int, int]]) -> str:
    """The words of ``text`` that nothing accounts for, as they stand; runs apart are joined."""
    runs: list[list[re.Match[str]]] = []
    broken = True
    for match in _TOKEN.finditer(text):
        word = match.group().strip(".,;:?!\"'()[]“”‘’").lower()
        bare = re.sub(r"['’]s$", "", word)
        covered = any(match.start() < b and a < match.start() + len(match.group().rstrip(".,;:?!)'’s")) for a, b in taken)
        if covered:
            broken = True
        elif not word or word in EMPTY or bare in EMPTY or not re.search(r"\w", word):
            if runs and not broken:
                runs[-1].append(match)
        elif broken:
            runs.append([match])
            broken = False
        else:
            runs[-1].append(match)
    pieces = [_trimmed(text, run) for run in runs]
    return " ".join(piece for piece in pieces if piece)


def _trimmed(text: str, run: list[re.Match[str]]) -> str:
    def is_empty(match: re.Match[str]) -> bool:
        word = match.group().strip(".,;:?!\"'()[]“”‘’").lower()
        return word in EMPTY or not re.search(r"\w", word)

    while run and is_empty(run[-1]):
        run.pop()
    piece = text[run[0].start() : run[-1].end()].strip(" .,;:?!\"'“”‘’") if run else ""
    piece = re.sub(r"['’]s$", "", piece)
    return piece if piece.count("(") == piece.count(")") else piece.strip("()")


def _parts(words: _Words, items: dict[str, Item], previous: Reading | None) -> tuple[Part, ...]:
    mentions = words.mentions
    phrase = words.explicit or words.phrase
    if (words.explicit and words.phrase) or len(phrase.split()) > _WORDIEST:
        return ()
    share = _share(words, items, previous)
    if share is not None:
        return share
    if not mentions:
        return _without_metric(words, phrase, items, previous)
    if len(mentions) == 1:
        return (_single(Item(mentions[0].metric, phrase), items),)
    if phrase:
        return ()
    return _several(words, items)


def _both_parts(words: _Words, items: dict[str, Item], names: Names) -> tuple[Part, ...]:
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


def _without_metric(words: _Words, phrase: str, items: dict[str, Item], previous: Reading | None) -> tuple[Part, ...]:
    if previous is not None and words.dependent:
        if not phrase:
            items.update(previous.items)
            return previous.parts
        first = next(iter(previous.items.values()))
        return (_single(Item(first.metric, phrase), items),)
    if not phrase or words.operation.yes_no or not _NUMERIC.search(words.text):
        return ()
    return (_single(Item(None, phrase), items),)


def _share(words: _Words, items: dict[str, Item], previous: Reading | None) -> tuple[Part, ...] | None:
    """ "a as a percentage of b", "what share of b is a": None when the question asks for no share; () when it can't be read."""
    taken = [(m.start, m.end) for m in words.mentions]
    for pattern, part_first in ((SHARE_AFTER, True), (SHARE_BEFORE, False)):
        cue = next((c for c in pattern.finditer(words.text) if not any(a <= c.start() < b for a, b in taken)), None)
        if cue is None:
            continue
        whole = next((m for m in words.mentions if m.start >= cue.end()), None)
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


def _top(
    words: _Words, others: Sequence[Mention], whole: Mention, items: dict[str, Item], previous: Reading | None
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


def _several(words: _Words, items: dict[str, Item]) -> tuple[Part, ...]:
    """Several metrics: joined by an operator, or a list of figures."""
    mentions = words.mentions
    between = [words.text[a.end : b.start] for a, b in zip(mentions, mentions[1:], strict=False)]
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
    if len(mentions) == 2 and re.search(r"\bdifference\s+between\b", before, re.I) and _LIST.match(between[0]):
        left, right = (Name(_key(Item(m.metric), items)) for m in mentions)
        return (Part(Binary("-", left, right), f"{mentions[0].metric.names[0]} - {mentions[1].metric.names[0]}"),)
    if re.search(r"\b(?:sum|combined|total)\s+of\b|\bcombined\b", words.text, re.I) and all(_LIST.match(gap) for gap in between):
        node = Name(_key(Item(mentions[0].metric), items))
        for mention in mentions[1:]:
            node = Binary("+", node, Name(_key(Item(mention.metric), items)))
        return (Part(node, " + ".join(m.metric.names[0] for m in mentions)),)
    return tuple(_single(Item(mention.metric), items) for mention in {m.metric.id: m for m in mentions}.values())


def _defined(asked: Instructions, question: Question, names: Names, operation: Operation) -> Reading | None:
    """The reading of a question that brings its own definition."""
    read = read_definition(asked.definition, names.find, max(question.periods.years, default=None))
    if read is None:
        return None
    node, mentions = read
    items = {key: Item(mention.metric) for key, mention in mentions.items()}
    said = [mention for mention in names.find(question.text) if mention.score >= _FIRM]
    label = said[0].metric.names[0] if said else "the figure as defined"
    over: Over = operation.over if operation.over in ("growth", "change", "cagr") else "point"
    return Reading((Part(node, label, "%" if asked.percent else None),), items, over, instructions=asked)


def with_periods_of_definition(question: Question, asked: Instructions, years: Sequence[int]) -> Question:
    """``question`` with the latest year of its definition where it names none itself."""
    if question.periods.named or not years or not asked.definition:
        return question
    return replace(question, periods=replace(question.periods, years=(max(years),)))
