"""A question -> the figures it asks for: metrics, segments, what to do with them. Rules only, nothing is looked up.

Every word must be accounted for: as a company, a period, a metric, an operation, or a word that says nothing. What is left
over names a part of the company (a segment, product, region) or is a matter that figures can't answer; it is never dropped.

What stands in brackets beside a question is an explanation, or a definition over metrics: "365 * (average accounts payable
between FY2017 and FY2018) / (FY2018 COGS + change in inventory between FY2017 and FY2018)". What can't be read completely is
no definition at all: a formula with a hole would give a wrong number.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from dataclasses import replace
from itertools import pairwise

from fin_tui.engine.questions.instructions import Instructions
from fin_tui.engine.questions.question import Question
from fin_tui.engine.questions.wanted import SHARE_AFTER, SHARE_BEFORE, Item, Names, Operation, Over, Part, Reading
from fin_tui.engine.questions.words import FIRM, Words, left_over, read_words
from fin_tui.facts.expression import Binary, CalculationError, Name, Node, parse, rewrite
from fin_tui.facts.figures import Mention, Metric
from fin_tui.language import any_of

_YEAR = re.compile(r"\b(?:FY|fiscal(?:\s+years?)?|years?)?\s*['’]?((?:19|20)\d\d)\b|\bFY\s*['’]?(\d\d)\b", re.I)
_SPAN = re.compile(
    r"\b(?:between|from|for|over)\s+(?:FY|fiscal(?:\s+years?)?)?\s*['’]?((?:19|20)?\d\d)\s*(?:and|to|-|–)\s*(?:FY|fiscal(?:\s+years?)?)?\s*"
    r"['’]?((?:19|20)?\d\d)\b",
    re.I,
)
_OPERATORS = (
    (any_of("divided by, over, ÷, per"), "/"),
    (any_of("multiplied by, times, ×, ⋅, ·"), "*"),
    (any_of("less, minus, net of, –, —, −"), "-"),
    (any_of("plus, added to, &, and"), "+"),
)
_ROUND = str.maketrans("[]", "()")
_DIVIDED = re.compile(r"\bdivided\s+by\b|(?<!\w)over\b", re.I)
_SIGNS = frozenset("()/*÷×+[]")
_FILLER = re.compile(
    r"\b(?:the|an?|of|its|their|total|net|year[- ]end|ending|annual|company'?s?|for|in|at|from|same|period|year|fiscal|"
    r"unadjusted|value|amount|both|expressed|percentage|as)\b|[,$'’]",
    re.I,
)
_THOUSANDS = re.compile(r"(?<=\d),(?=\d{3})")
_AVERAGE = re.compile(r"(?<!weighted )(?<!weighted-)\b(?:average|mean|avg\.?)\s+(?:of\s+|in\s+)?", re.I)
_CHANGE = re.compile(r"\b(?:change|increase)\s+(?:in|of)\s+", re.I)
"""Taken out before metrics are looked for: a definition means the balances that it names, no line of the cash flow statement."""
_MARK = "QZ"
"""Begins the stand-ins for metrics while the text is read."""


def read_definition(
    text: str, find: Callable[[str], Sequence[Mention]], base_year: int | None
) -> tuple[Node, dict[str, Mention]] | None:
    """The expression of ``text`` with the metric of each name in it, or None when any of it can't be read.

    Names in the tree are metric ids, ``back`` counted from ``base_year`` (the year the question is about).
    """
    text = _CHANGE.sub(" qchg ", _AVERAGE.sub(" qavg ", _THOUSANDS.sub("", text)))
    text, mentions = _mark_metrics(text, find(text))
    if not mentions:
        return None
    latest = base_year if base_year is not None else max(_years(text), default=None)
    text = _loosest(_mark_years(text))
    for pattern, sign in _OPERATORS:
        text = pattern.sub(f" {sign} ", text)
    text = _apply(_FILLER.sub(" ", text.translate(_ROUND)))
    try:
        node = parse(text)
        return rewrite(node, lambda name: _metric_named(name, mentions, latest)), {m.metric.id: m for m in mentions}
    except CalculationError:
        return None


def _loosest(text: str) -> str:
    """A division in words, the only one and beside no sign or bracket, divides all before it by all behind it."""
    found = list(_DIVIDED.finditer(text))
    if len(found) != 1 or _SIGNS & set(text):
        return text
    return f"({text[: found[0].start()]}) / ({text[found[0].end() :]})"


def _mark_metrics(text: str, mentions: Sequence[Mention]) -> tuple[str, list[Mention]]:
    """``text`` with each metric replaced by a stand-in."""
    kept: list[Mention] = []
    for mention in sorted(mentions, key=lambda m: (m.start, -m.end)):
        if not kept or mention.start >= kept[-1].end:
            kept.append(mention)
    for index in range(len(kept) - 1, -1, -1):
        mention = kept[index]
        text = f"{text[: mention.start]} {_MARK}{index} {text[mention.end :]}"
    return text, kept


def _full(digits: str) -> int:
    return int(digits) if len(digits) == 4 else 2000 + int(digits)


def _years(text: str) -> list[int]:
    return [_full(match.group(1) or match.group(2)) for match in _YEAR.finditer(text)]


def _mark_years(text: str) -> str:
    """Years as part of the stand-in next to them: "FY2017 QZ0" and "QZ0 between FY2016 and FY2017" -> "QZ0y2017"."""
    spanned = re.compile(rf"({_MARK}\d+)\s*{_SPAN.pattern}", re.I)
    text = spanned.sub(lambda m: f"{m.group(1)}y{_full(m.group(3))}", text)
    filler = r"(?:\s+(?:total|net|the|qavg|year[- ]end|unadjusted))*"
    before = re.compile(rf"(?:{_YEAR.pattern})({filler})\s+({_MARK}\d+)(?!y)", re.I)
    text = before.sub(lambda m: f"{m.group(3)} {m.group(4)}y{_full(m.group(1) or m.group(2))}", text)
    after = re.compile(rf"({_MARK}\d+)\s+(?:(?:in|for|at|of)\s+)?(?:the\s+end\s+of\s+)?(?:{_YEAR.pattern})", re.I)
    return after.sub(lambda m: f"{m.group(1)}y{_full(m.group(2) or m.group(3))}", text)


def _apply(text: str) -> str:
    """avg and change in function form, the words between taken out."""
    name = rf"({_MARK}\w+)"
    text = re.sub(rf"\bqavg\s+{name}", r" avg(\1) ", text)
    text = re.sub(rf"\bqavg\s*\(\s*{name}\s*\)", r" avg(\1) ", text)
    return re.sub(rf"\bqchg\s+{name}", r" (\1 - prior(\1)) ", text)


def _metric_named(name: Name, mentions: Sequence[Mention], latest: int | None) -> Node:
    match = re.fullmatch(rf"{_MARK}(\d+)(?:y(\d+))?", name.name)
    if match is None:
        raise CalculationError(f"{name.name!r} is no metric.")
    back = latest - int(match.group(2)) if match.group(2) and latest is not None else 0
    return replace(name, name=mentions[int(match.group(1))].metric.id, back=name.back + back)


_BRACKET = re.compile(r"\(([^()]+)\)")
_USING = re.compile(r"\busing\s+(?P<how>[^?]+?)\s*[?.]*$", re.I)
_OPERATION = re.compile(r"[-+/*÷×−–](?=\s)|/|\b(?:less|minus|plus|over|divided\s+by|net\s+of|times)\b", re.I)
_AND_YEAR = re.compile(r",?\s*\b(?:in|for)?\s*(?:fiscal(?:\s+years?)?|FY|years?)\s*['’]?(?:(?:19|20)\d\d|\d\d)\s*$", re.I)


def bracket_definition(text: str, find: Callable[[str], Sequence[Mention]]) -> str:
    """The calculation that ``text`` gives in brackets, or behind "using", of two figures or more; "" when there is none that
    can be read whole.
    """
    for match in (*_BRACKET.finditer(text), *_USING.finditer(text)):
        how = _AND_YEAR.sub("", match.group(1))
        before = find(text[: match.start()])
        if before and _OPERATION.search(how) and len(find(how)) > 1 and read_definition(how, find, None) is not None:
            return how
    return ""


def without_brackets(question: Question) -> Question | None:
    """``question`` with its brackets blanked, places kept; None when it has none that can be left out."""
    text = _BRACKET.sub(lambda match: " " * len(match.group()), question.text)
    return None if text == question.text else replace(question, text=text)


_NUMERIC = any_of(
    "how much/many, what was/were/is/are/percentage/percent/share/portion/proportion/fraction, what's, by what/how, "
    "calculate, compute, total, amount, balance, number, value"
)
_HOW_MANY = re.compile(r"\bhow\s+many\b(?!\s+(?:u\.?s\.?\s+)?(?:dollars|millions?|billions?|thousands?|cents|percent)\b)", re.I)
_THE_TOTAL = re.compile(r"\s*(?:the\s+|its\s+)?(?:total|whole|overall(?:\s+(?:amount|figure))?)\b", re.I)
_MADE = re.compile(r"\bhow\s+much\s+(?:money\s+)?(?:did|does|has|have)\b[^?]*\b(?:make|made|earn|earned)\b", re.I)
"""Without anything that was made or earned: what is left at the end."""
_CONNECTORS = {
    **dict.fromkeys(("divided by", "over", "/", "÷", "per"), "/"),
    **dict.fromkeys(("minus", "less", "net of", "-", "–", "—", "−"), "-"),
    **dict.fromkeys(("plus", "+", "added to"), "+"),
    **dict.fromkeys(("times", "multiplied by", "×", "*"), "*"),
}
_ARTICLES = frozenset(("the", "its", "their", "total"))
"""Words before a figure that change nothing about it."""
_LIST = frozenset(("", "and", "&", "or", "as well as", "versus", "vs", "vs."))
_LISTED = re.compile(r"\s*,\s*(?:and\s+)?|\s+and\s+|\s*&\s*")
_RATIO_OF = any_of("ratio of")
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


def _joint(between: str) -> str:
    """What joins two figures, without the words that belong to the second: "divided by the total" -> "divided by"."""
    words = between.casefold().replace(",", " ").replace(";", " ").split()
    while words and words[-1] in _ARTICLES:
        words.pop()
    return " ".join(words)


def _several(words: Words, items: dict[str, Item]) -> tuple[Part, ...]:
    """Several metrics: joined by an operator, or a list of figures."""
    mentions = words.mentions
    between = [words.text[a.end : b.start] for a, b in pairwise(mentions)]
    signs = [_CONNECTORS.get(_joint(gap), "") for gap in between]
    if all(signs):
        node: Node = Name(_key(Item(mentions[0].metric), items))
        label = mentions[0].metric.names[0]
        for sign, mention in zip(signs, mentions[1:], strict=True):
            other = Name(_key(Item(mention.metric), items))
            node = Binary("/" if sign == "/" else "*" if sign == "*" else "+" if sign == "+" else "-", node, other)
            label = f"{label} {sign} {mention.metric.names[0]}"
        return (Part(node, label),)
    before = words.text[: mentions[0].start]
    if len(mentions) == 2 and _RATIO_OF.search(before) and _joint(between[0]) == "to":
        top, bottom = (Name(_key(Item(m.metric), items)) for m in mentions)
        return (Part(Binary("/", top, bottom), f"{mentions[0].metric.names[0]} / {mentions[1].metric.names[0]}", "ratio"),)
    if len(mentions) == 2 and any_of("difference/gap/spread/delta between").search(before) and _joint(between[0]) in _LIST:
        left, right = (Name(_key(Item(m.metric), items)) for m in mentions)
        return (Part(Binary("-", left, right), f"{mentions[0].metric.names[0]} - {mentions[1].metric.names[0]}"),)
    if any_of("sum/total of, combined (of)").search(words.text) and all(_joint(gap) in _LIST for gap in between):
        node = Name(_key(Item(mentions[0].metric), items))
        for mention in mentions[1:]:
            node = Binary("+", node, Name(_key(Item(mention.metric), items)))
        return (Part(node, " + ".join(m.metric.names[0] for m in mentions)),)
    return tuple(_single(Item(mention.metric), items) for mention in {m.metric.id: m for m in mentions}.values())


_CONTINUES = re.compile(r"^\W*(?:and\b|(?:and\s+)?(?:what|how)\s+about\b|same\b)", re.I)


def read_figures(question: Question, asked: Instructions, names: Names, previous: Reading | None = None) -> Reading | None:
    """The figures that ``question`` asks for, or None when it asks for words, or can't be read without a guess.

    ``previous`` is the reading of the question before it, for what this one leaves unsaid.
    """
    words = read_words(question, names)
    operation = words.operation
    if asked.definition:
        return _defined(asked, question, names, operation)
    own = bracket_definition(question.text, names.find)
    if own:
        return _defined(replace(asked, definition=own), question, names, operation, as_named=True)
    reading = _named(words, asked, names, previous)
    bare = without_brackets(question)
    if bare is not None and (reading is None or len(reading.parts) > 1):
        # What a bracket says beside the question explains it; where both can't be read, the question stands for itself.
        return _named(read_words(bare, names), asked, names, previous) or reading
    return reading


def _named(words: Words, asked: Instructions, names: Names, previous: Reading | None) -> Reading | None:
    """The reading by the figures that the question names."""
    operation = words.operation
    items: dict[str, Item] = {}
    parts = () if operation.narrative else read_parts(words, items, names, previous)
    if not parts:
        return None
    over, across = operation.over, operation.across
    if previous is not None and words.dependent and over == "point" and across == "each" and _inherits(words, previous):
        over, across = previous.over, previous.across
    if operation.yes_no and over == "point" and across != "difference":
        return None
    if over == "growth" and len(parts) > 1:
        parts = parts[:1]
    return Reading(parts, items, over, across, operation.yes_no, operation.down, words.ahead, words.ending, asked)


def _inherits(words: Words, previous: Reading) -> bool:
    return bool(_CONTINUES.match(words.text)) and previous.across == "each"


def _defined(
    asked: Instructions, question: Question, names: Names, operation: Operation, *, as_named: bool = False
) -> Reading | None:
    """The reading of a question that brings its own definition; ``as_named``: in the unit of the figure that it names."""
    read = read_definition(asked.definition, names.find, max(question.periods.years, default=None))
    if read is None:
        return None
    node, mentions = read
    items = {key: Item(mention.metric) for key, mention in mentions.items()}
    said = [mention for mention in names.find(question.text) if mention.score >= FIRM]
    label = said[0].metric.names[0] if said else "the figure as defined"
    over: Over = operation.over if operation.over in ("growth", "change", "cagr") else "point"
    unit = said[0].metric.unit if as_named and said and said[0].metric.unit in ("%", "ratio", "days") else None
    return Reading((Part(node, label, "%" if asked.percent else unit),), items, over, instructions=asked)


def with_periods_of_definition(question: Question, asked: Instructions, years: Sequence[int]) -> Question:
    """``question`` with the latest year of its definition where it names none itself."""
    if question.periods.named or not years or not asked.definition:
        return question
    return replace(question, periods=replace(question.periods, years=(max(years),)))
