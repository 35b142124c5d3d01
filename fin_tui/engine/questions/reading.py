"""A question -> the figures it asks for: metrics, segments, what to do with them. Rules only, nothing is looked up.

Every word must be accounted for: as a company, a period, a metric, an operation, or a word that says nothing. What is left
over names a part of the company (a segment, product, region) or is a matter that figures can't answer; it is never dropped.

What stands in brackets beside a question is an explanation, or a definition over metrics (``definitions``).
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from decimal import Decimal
from itertools import pairwise
from typing import Literal

from fin_tui.engine.questions.definitions import BRACKET, bracket_definition, read_definition
from fin_tui.engine.questions.instructions import Instructions
from fin_tui.engine.questions.question import Question
from fin_tui.engine.questions.wanted import Item, Names, Operation, Over, Part, Reading, share_cue
from fin_tui.engine.questions.words import FIRM, Words, left_over, read_words, speaks_of_ending
from fin_tui.facts.expression import Binary, Name, Node, Number
from fin_tui.facts.figures import Mention, Metric
from fin_tui.language import any_of, runs_of


def without_brackets(question: Question) -> Question | None:
    """``question`` with its brackets blanked, places kept; None when it has none that can be left out."""
    text = BRACKET.sub(lambda match: " " * len(match.group()), question.text)
    return None if text == question.text else replace(question, text=text)


_NUMERIC = any_of(
    "how much/many, what was/were/is/are/percentage/percent/share/portion/proportion/fraction, what's, by what/how, "
    "calculate, compute, total, amount, balance, number, value"
)
_YEAR_DAYS, _DAYS_OF_YEAR = Decimal(365), range(360, 372)
_HOW_MANY = any_of("how many")
_MONEY = frozenset("u us dollars million millions billion billions thousand thousands cents percent".split())
"""How many of these is asked of an amount."""
_THE_TOTAL = any_of("(the/its) total/whole/overall")
_HOW_MUCH, _MADE = any_of("how much (money) did/does/has/have"), any_of("make, made, earn, earned")
"""Without anything that was made: what is left at the end."""
_CONNECTORS: dict[str, Literal["/", "-", "+", "*"]] = {
    **dict.fromkeys(("divided by", "over", "/", "÷", "per"), "/"),
    **dict.fromkeys(("minus", "less", "net of", "-", "–", "—", "−"), "-"),
    **dict.fromkeys(("plus", "+", "added to"), "+"),
    **dict.fromkeys(("times", "multiplied by", "×", "*"), "*"),
}
_ARTICLES = frozenset(("the", "its", "their", "total"))
"""Words before a figure that change nothing about it."""
_LIST = frozenset(("", "and", "&", "or", "as well as", "versus", "vs", "vs."))
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
    listed = item.phrase.replace(" and ", ",").replace("&", ",").split(",")
    names = [name.strip() for name in listed if name.strip()]
    if len(names) < 2:
        return None
    items: dict[str, Item] = {}
    parts = tuple(_single(Item(item.metric, name), items) for name in names)
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
    asked = None if phrase else _HOW_MUCH.search(words.text)
    earned = names.get("net_income") if asked is not None and _MADE.search(words.text, asked.end()) else None
    if earned is not None:
        return (_single(Item(earned), items),)
    if not phrase or words.operation.yes_no or not (words.terse or _NUMERIC.search(words.text)):
        return ()
    return (_single(Item(None, phrase, is_counted=_asks_count(words.text)), items),)


def _asks_count(text: str) -> bool:
    """Whether it is asked how many there are, of what is no amount."""
    return any(not _MONEY.intersection(runs_of(text[asked.end() :].lower())[:1]) for asked in _HOW_MANY.finditer(text))


def _share(words: Words, items: dict[str, Item], previous: Reading | None) -> tuple[Part, ...] | None:
    """ "a as a percentage of b", "what share of b is a": None when the question asks for no share; () when it can't be read."""
    taken = [(m.start, m.end) for m in words.mentions]
    for part_first in (True, False):
        cue = share_cue(words.text, taken, part_first=part_first)
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
    if previous is None or not words.dependent or words.mentions or not _THE_TOTAL.match(words.text[end:].lstrip()):
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
        return None if phrase else _joined_by_signs(words, others, items)
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


def _joined_by_signs(words: Words, mentions: Sequence[Mention], items: dict[str, Item]) -> tuple[Node, str] | None:
    """ "a plus b less c" and what it is called; None where anything but an operation stands between two of them."""
    made: dict[str, Item] = {}
    node: Node = Name(_key(Item(mentions[0].metric), made))
    label = mentions[0].metric.names[0]
    for before, mention in pairwise(mentions):
        sign = _CONNECTORS.get(_joint(words.text[before.end : mention.start]))
        if sign is None:
            return None
        node = Binary(sign, node, Name(_key(Item(mention.metric), made)))
        label = f"{label} {sign} {mention.metric.names[0]}"
    items.update(made)
    return node, label


def _several(words: Words, items: dict[str, Item]) -> tuple[Part, ...]:
    """Several metrics: joined by an operator, or a list of figures."""
    mentions = words.mentions
    between = [words.text[a.end : b.start] for a, b in pairwise(mentions)]
    if (joined := _joined_by_signs(words, mentions, items)) is not None:
        return (Part(*joined),)
    before = words.text[: mentions[0].start]
    if len(mentions) == 2 and _RATIO_OF.search(before) and _joint(between[0]) == "to":
        top, bottom = (Name(_key(Item(m.metric), items)) for m in mentions)
        return (Part(Binary("/", top, bottom), f"{mentions[0].metric.names[0]} / {mentions[1].metric.names[0]}", "ratio"),)
    if len(mentions) == 2 and any_of("difference/gap/spread/delta between").search(before) and _joint(between[0]) in _LIST:
        left, right = (Name(_key(Item(m.metric), items)) for m in mentions)
        return (Part(Binary("-", left, right), f"{mentions[0].metric.names[0]} - {mentions[1].metric.names[0]}"),)
    if any_of("sum/total of, combined (of)").search(words.text) and all(_joint(gap) in _LIST for gap in between):
        node: Node = Name(_key(Item(mentions[0].metric), items))
        for mention in mentions[1:]:
            node = Binary("+", node, Name(_key(Item(mention.metric), items)))
        return (Part(node, " + ".join(m.metric.names[0] for m in mentions)),)
    return tuple(_single(Item(mention.metric), items) for mention in {m.metric.id: m for m in mentions}.values())


def read_figures(question: Question, asked: Instructions, names: Names, previous: Reading | None = None) -> Reading | None:
    """The figures that ``question`` asks for, or None when it asks for words, or can't be read without a guess.

    ``previous`` is the reading of the question before it, for what this one leaves unsaid.
    """
    words = read_words(question, names)
    operation = words.operation
    if asked.definition:
        return _defined(asked, question, names, operation)
    own = bracket_definition(question.text, names.find)
    if own is None:
        return None  # What the figure's name stands for would be another calculation.
    if own:
        return _defined(replace(asked, definition=own), question, names, operation, as_named=True)
    reading = _named(words, asked, names, previous)
    bare = without_brackets(question)
    if bare is not None and (reading is None or len(reading.parts) > 1):
        # What a bracket says beside the question explains it; where both can't be read, the question stands for itself.
        reading = _named(read_words(bare, names), asked, names, previous) or reading
    return replace(reading, ending=True) if reading is not None and speaks_of_ending(question.text) else reading


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
    return Reading(parts, items, over, across, operation.yes_no, operation.down, words.ahead, instructions=asked)


def _inherits(words: Words, previous: Reading) -> bool:
    first, second = [*runs_of(words.text.lower()), "", ""][:2]
    return (first in ("and", "same") or (first in ("what", "how") and second == "about")) and previous.across == "each"


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
    says_days = any(word.isdigit() and int(word) in _DAYS_OF_YEAR for word in runs_of(asked.definition))
    if unit == "days" and isinstance(node, Binary) and node.operator == "/" and not says_days:
        node = Binary("*", node, Number(_YEAR_DAYS))  # "Rent over wages" is a part of a year, and no days.
    return Reading((Part(node, label, "%" if asked.percent else unit),), items, over, instructions=asked)


def with_periods_of_definition(question: Question, asked: Instructions, years: Sequence[int]) -> Question:
    """``question`` with the latest year of its definition where it names none itself."""
    if question.periods.named or not years or not asked.definition:
        return question
    return replace(question, periods=replace(question.periods, years=(max(years),)))
