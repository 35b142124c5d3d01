"""Kinds of questions besides a plain figure: yes or no ("Was it profitable?"), the largest of a kind, how many, a list (pure)."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from decimal import Decimal
from typing import Literal

from fin_tui.engine.evidence.numbers import find_numbers
from fin_tui.engine.questions.periods import period_spans
from fin_tui.engine.questions.question import Question
from fin_tui.engine.questions.wanted import Names, asks_yes_no
from fin_tui.engine.questions.words import FIRM, left_over
from fin_tui.facts.figures import Mention, Metric
from fin_tui.facts.ranking import Kind, Ranking
from fin_tui.facts.words import Word, stem, words
from fin_tui.language import any_of

Test = Literal["above", "below", "at least", "at most", "rose", "fell"]

_LOSS = any_of("an/a/any (net/operating) loss(es), unprofitable, lose/losing money")
_PROFIT = any_of("profitable, an/a/any (net) profit, an/a/any operating profit, positive, make money")
_NEGATIVE = any_of("negative")
_LIMITS: tuple[tuple[Test, re.Pattern[str]], ...] = (
    ("at least", any_of("at least, no/not less than")),
    ("at most", any_of("at most, no/not more than")),
    (
        "above",
        any_of(
            "above, over, more/greater/higher/larger/bigger than, exceeded, exceeding, exceed(s), in excess of, topped, top, "
            "surpassed, surpass"
        ),
    ),
    ("below", any_of("below, under, less/lower/smaller/fewer than")),
)
_ACROSS = re.compile(
    r"\b(?P<more>higher|greater|larger|bigger|more|better)\b.{0,40}\bthan\b|\b(?P<less>lower|less|smaller|fewer|worse)\b.{0,40}\bthan\b",
    re.I | re.S,
)
_HAVING = re.compile(
    r"^(?:and|so|but)?,?\s*(?:did|does|do|has|have|had)\b.*\b(?:have|had|hold|carry|report|record|own|owe|pay|paid|repurchase[d]?|"
    r"buy\s+back|bought\s+back|issue)\b",
    re.I | re.S,
)
_PLAIN = any_of(
    "profitable, unprofitable, positive, negative, losing, money, any, cash, currently, still, have, having, had, "
    "hold, carry, own, owe, pay, paying, paid, issued, outstanding, back, its, regular, quarterly, shareholders, "
    "stockholders, to, ever, worth, net, profit, loss(es), higher, lower, greater, larger, smaller, bigger, better, "
    "worse, at, exceeded, exceed(s), above, below, over, under, excess, topped, operating"
)


@dataclass(frozen=True, slots=True)
class Condition:
    """A metric and the test that decides."""

    metric: Metric
    test: Test
    limit: Decimal = Decimal(0)
    """In the metric's unit; unused for "rose" and "fell"."""
    said: str = "zero"
    """The limit as typed."""
    is_having: bool = False
    """The question asks whether there is any: "Does it have goodwill?"."""


_EVENT = re.compile(r"\b(?:after|before|since)\s+(?:the\s+)?(?:[A-Z][a-z]+\s+\d|(?:19|20)\d\d|end\b|close\b|year\b)")
"""What happened around a day is no balance."""


def read_condition(question: Question, names: Names) -> Condition | None:
    """What decides ``question`` by a figure; None when no figure does, or words are left that could change what is meant."""
    text = question.text
    if not asks_yes_no(text):
        return None
    companies = [(named.start, named.end) for named in question.companies if named.start >= 0]
    mentions = [m for m in names.find(text) if m.score >= FIRM and not any(m.start < b and a < m.end for a, b in companies)]
    if len({mention.metric.id for mention in mentions}) != 1 or len(companies) > 1:
        metric = names.get("net_income") if not mentions and (_LOSS.search(text) or _PROFIT.search(text)) else None
        if metric is None:
            return None
    else:
        metric = mentions[0].metric
    return _test(question, text, metric, mentions, companies)


def _test(
    question: Question, text: str, metric: Metric, mentions: Sequence[Mention], companies: list[tuple[int, int]]
) -> Condition | None:
    taken = [*companies, *((m.start, m.end) for m in mentions), *period_spans(text)]
    across = _ACROSS.search(text)
    if across is not None and len(question.periods.years) == 2:
        return Condition(metric, "rose" if across["more"] else "fell") if _accounted(text, [*taken, across.span()]) else None
    limits = ((test, match) for test, pattern in _LIMITS for match in pattern.finditer(text))
    test, match = next(limits, (None, None))
    if test is not None and match is not None:
        number = next((n for n in find_numbers(text) if n.start >= match.end() and not n.is_year), None)
        if number is None or not _accounted(text, [*taken, match.span(), (number.start, number.end)]):
            return None
        if (number.kind == "percent") != (metric.unit == "%"):
            return None
        return Condition(metric, test, number.value, number.text)
    return _sign(text, metric, taken)


def _sign(text: str, metric: Metric, taken: list[tuple[int, int]]) -> Condition | None:
    if not _accounted(text, taken):
        return None
    if _LOSS.search(text) or _NEGATIVE.search(text):
        return Condition(metric, "below")
    if _PROFIT.search(text):
        return Condition(metric, "above")
    return Condition(metric, "above", is_having=True) if _HAVING.match(text) and not _EVENT.search(text) else None


def _accounted(text: str, taken: list[tuple[int, int]]) -> bool:
    """Whether nothing is left over that names another matter."""
    return not left_over(text, [*taken, *(match.span() for match in _PLAIN.finditer(text))])


_MOST = r"(?P<most>largest|biggest|highest|greatest|most|top|leading|best)"
_LEAST = r"(?P<least>smallest|lowest|least|fewest|worst)"
_EXTREME = re.compile(rf"\b(?:{_MOST}|{_LEAST})\b", re.I)
_LINE = re.compile(
    r"\b(?:largest|biggest|highest|greatest|top|smallest|lowest)\s+(?:single\s+|individual\s+|reported\s+)?"
    r"(?P<narrowed>current|non-?\s?current|long-term|operating)?\s*(?P<kind>assets?|liabilit(?:y|ies)|(?:expenses?|costs?)(?!\s+of\s+(?:sales|revenues?|goods|capital|debt)\b))\b"
    r"(?!\s+(?:per|to|ratio|base|class(?:es)?)\b)",
    re.I,
)
_PART = re.compile(
    r"\b(?P<segment>segments?|divisions?|business(?:es)?(?:\s+(?:units?|lines?))?)\b|"
    r"\b(?P<product>products?(?:\s+(?:lines?|categor(?:y|ies)|groups?))?|categor(?:y|ies)|offerings?|service\s+lines?)\b|"
    r"\b(?P<region>regions?|geograph(?:y|ies|ic\s+(?:areas?|regions?|segments?|markets?))|countr(?:y|ies))\b",
    re.I,
)
_NOUN = r"(?:segments?|divisions?|products?|business(?:es)?|categor(?:y|ies)|regions?|countr(?:y|ies)|geograph\w*)"
_WHICH_PART = re.compile(rf"\b(?:which|what)\b.{{0,60}}?\b{_NOUN}\b", re.I)
_EXTREME_PART = re.compile(
    r"\b(?:largest|biggest|highest|greatest|most\s+profitable|least\s+profitable|top|leading|smallest|lowest)[\s-]+"
    rf"(?:\w+[\s-]+){{0,2}}?{_NOUN}\b(?!\s+(?:risks?|customers?|competitors?))",
    re.I,
)
_PROFITABLE = any_of("profitable, most profit/money")
_OTHER_MATTER = any_of(
    "risk(s), competitor(s), customer(s), supplier(s), shareholder(s), changed, change(s), grew, growth, grown, "
    "grow, increased, increase(s), decreased, decrease(s), declined, decline, fell, rose"
)
"""What ranks something else, or a change."""
_OF_PARTS = ("product_revenue", "service_revenue", "products_revenue", "services_revenue")
"""Found in "product by revenue", where they are not meant."""
_KINDS: dict[str, Kind] = {"a": "asset", "l": "liability", "e": "expense", "c": "expense"}


def read_rank(question: Question, names: Names) -> Ranking | None:
    """What ``question`` wants ranked within one company; None when it ranks companies or years, or nothing."""
    text = question.text
    if len(question.companies) > 1 or len(question.periods.years) > 1 or question.periods.quarter or _OTHER_MATTER.search(text):
        return None
    extreme = _EXTREME.search(text)
    if extreme is None:
        return None
    lowest = extreme["least"] is not None
    if _WHICH_PART.search(text) or _EXTREME_PART.search(text):
        part = _PART.search(text)
        metric = _metric_of(text, names)
        if part is None or metric is None:
            return None
        return Ranking("segment" if part["segment"] else "product" if part["product"] else "region", metric=metric, lowest=lowest)
    line = _LINE.search(text)
    if line is None:
        return None
    kind, narrowed = _KINDS[line["kind"][0].lower()], _narrowed(line["narrowed"] or "")
    if (narrowed == "operating") != (kind == "expense") and narrowed:
        return None
    return Ranking(kind, narrowed, lowest=lowest)


def _narrowed(word: str) -> Literal["", "current", "noncurrent", "operating"]:
    match word.lower().replace(" ", ""):
        case "":
            return ""
        case "current":
            return "current"
        case "operating":
            return "operating"
        case _:
            return "noncurrent"


def _metric_of(text: str, names: Names) -> Metric | None:
    """The figure that parts are compared by: operating income for "profitable", else the one named, else revenue."""
    if _PROFITABLE.search(text):
        return names.get("operating_income")
    named = [mention.metric for mention in names.find(text) if mention.score >= FIRM and mention.metric.unit == "usd"]
    if not named or named[0].id in _OF_PARTS:
        return names.get("revenue")
    return named[0]


_ASKED = re.compile(
    r"\bhow\s+many\s+(?P<what>.+?)\s+(?:did|does|do|were|was|are|is|has|have|had|can|could|would)\b(?P<rest>.*)"
    r"|\b(?:what\s+(?:is|was|were|are)|give\s+me|tell\s+me|how\s+(?:did|does|do|has|have|is|are|was|were))\s+the\s+"
    r"(?:total\s+|approximate\s+)?(?:number|count)\s+of\s+(?P<of>.+)",
    re.I | re.S,
)
_HOW_MANY = any_of("how many")
_CUT = re.compile(r"\s+(?:of|in|at|as|for|from|that|which|who|with|on|by|during|worldwide|does|did|do)\b", re.I)
_NO_COUNT = frozenset("share dollar percent point time year day month hour basi unit cent million billion dime".split())
"""Stems of what is measured and not counted in prose, or is a figure of the statements."""
_EMPTY = frozenset(
    (
        "a an the of in on at as for from to by with and or its their his it they he she we our there that this these those "
        "total approximate approximately about roughly currently current now overall exactly around altogether combined "
        "fiscal year years end ended ending date period december january february march april may june july august september "
        "october november q4 did does do were was are is be been has have had can could would will operate operates operated "
        "own owns owned run runs running maintain maintains maintained employ employs employed hold holds held use uses used "
        "possess report reports reported list lists listed disclose discloses disclosed exist exists say says said state "
        "states stated company company's firm group filing annual 10-k under according worldwide globally different "
        "change changes changed grow grew grown fall fell fallen rise rose develop developed evolve evolved between over "
        "compare compared comparison since "
    ).split()
)
_VERBS = frozenset(map(stem, "operate own run maintain employ hold held use lease".split()))
_MEMBER = stem("members")
_HELD = frozenset(("hold", "held"))
_HOLDERS = frozenset(map(stem, "holders shareholders stockholders shareowners".split()))
_STOCK = frozenset(map(stem, "common stock shares class a".split()))
_SAME: tuple[frozenset[str], ...] = (
    frozenset(
        map(stem, "employee employees associates colleagues people persons workers staff headcount workforce members".split())
    ),
    frozenset(map(stem, "holders holder shareholders stockholders shareowners".split())),
    frozenset(map(stem, "stores locations shops".split())),
    frozenset(map(stem, "warehouses clubs".split())),
    frozenset(map(stem, "plants factories".split())),
)
"""Names under which filings count the same."""


@dataclass(frozen=True, slots=True)
class Count:
    """What a question counts. All words are stems."""

    head: str
    """The noun."""
    heads: frozenset[str]
    """The noun and its other names."""
    narrowed: frozenset[str]
    """Words that a sentence must have, too: "full-time", "of record", "delivered"."""
    verbs: frozenset[str] = frozenset()
    """Words of having that speak for a sentence: "held", "operates"."""


def read_count(text: str) -> Count | None:
    """What ``text`` counts; None when it asks for no count, or for two at once. ``text`` is without the company's name."""
    if len(_HOW_MANY.findall(text)) > 1:
        return None
    match = _ASKED.search(text)
    if match is None:
        return None
    what, rest = match["what"] or match["of"] or "", match["rest"] or ""
    cut = _CUT.search(what)
    core, tail = (what[: cut.start()], what[cut.end() :]) if cut else (what, "")
    named = [word for word in words(core) if word.surface not in _EMPTY and not word.surface.isdigit()]
    if not named or named[-1].stem in _NO_COUNT:
        return None
    head = named[-1].stem
    is_group = head != _MEMBER or any(word.surface in ("team", "staff", "crew") for word in named)
    heads = next((same for same in _SAME if is_group and head in same), frozenset((head,)))
    others = [word for word in (*named[:-1], *words(tail), *words(rest)) if word.surface not in _EMPTY]
    narrowed = frozenset(word.stem for word in others if not word.surface.isdigit())
    verbs = frozenset(word.stem for word in words(rest)) & _VERBS
    verbs |= _HELD if verbs & _HELD else frozenset()
    return Count(head, heads | {head}, narrowed - _STOCK if head in _HOLDERS else narrowed, verbs)


_DETERMINERS = (
    r"(?:(?:all|the|of|its|their|his|any|some|each|main|principal|primary|major|key|current|currently|different|various|individual|"
    r"following|own|other|certain|important|largest|biggest|two|three|four|five|six|seven|eight|nine|ten|\d+|company['’]s|"
    r"companys|registrant['’]s|firm['’]s|me|us)\s+)*"
)
_AUX = r"(?:does|do|did|is|are|was|were|has|have|had|can|will)"
_LISTED_KINDS = re.compile(
    rf"^\W*(?:what|which)\s+(?:are\s+)?{_DETERMINERS}(?:types?|kinds?|sorts?|categories|classes|forms|lines|varieties)\s+of\s+"
    rf"(?P<noun>.+?)(?:\s+{_AUX}\b(?P<rest>.*))?$",
    re.I | re.S,
)
_WHICH = re.compile(
    rf"^\W*(?:on\s+)?(?:what|which)\s+{_DETERMINERS}(?P<noun>(?:[\w&’'-]+\s+){{0,3}}[\w’'-]+s)\s+{_AUX}\b(?P<rest>.*)$",
    re.I | re.S,
)
_LIST = re.compile(rf"^\W*(?:please\s+)?(?:list|enumerate|name|identify|give|show)\s+{_DETERMINERS}(?P<noun>.+)$", re.I | re.S)
_ARE = re.compile(rf"^\W*(?:what|which|who)\s+(?:are|were)\s+{_DETERMINERS}(?P<noun>.+)$", re.I | re.S)
_LISTING_CUT = re.compile(
    r"\s+(?:of|in|at|as|for|from|to|that|which|who|with|on|by|during|under|about|it|they|we|does|do|did|has|have|had|is|are|was|were|"
    r"according|disclosed|mentioned|listed|described|reported|and\s+(?:how|what|why|where|when))\b|[,;:?.!(]",
    re.I,
)
_EMPTY_LISTING = frozenset(
    (
        "a an the of in on at as for from to by with and or its their his it they he she we our there that this these those "
        "did does do was were is are be been has have had can could will would company company's companys firm group "
        "corporation registrant filing annual report 10-k form fiscal year years end ended ending date currently current now "
        "today latest most recent main principal primary major key all different various each any according under item main "
        "disclosed mentioned listed described reported identified s use used using within into "
        "old age ages name names named title titles position positions role roles called"
    ).split()
)
_ABSTRACT = frozenset(
    map(
        stem,
        (
            "factors factor reasons reason causes cause drivers driver changes change effects effect impacts impact strategies "
            "strategy steps step methods method methodology information details risks risk benefits results result purposes "
            "conditions condition terms trends trend increases decreases expectations assumptions consequences implications "
            "challenges uncertainties plans plan goals goal objectives outcomes sources source ways amounts amount measures "
            "costs cost expenses expense sales revenues income earnings margins ratios dividends shares taxes debts debt assets "
            "liabilities figures numbers values balances percentages rates timeline capabilities contents features actions "
            "activities estimates"
        ).split(),
    )
)
"""Stems of what filings discuss and do not list, and of figures."""
_LISTED_WITH = frozenset(map(stem, "accounting exhibits".split()))
_LISTED_VERBS = (
    "make manufacture produce build design develop sell market offer provide deliver supply distribute operate own run"
)
_MAKING = frozenset(
    (
        "made",
        "built",
        "sold",
        "ran",
        "running",
        *(f"{verb}{end}" for verb in _LISTED_VERBS.split() for end in ("", "s", "d", "ed", "ing")),
    )
) | frozenset(f"{verb[:-1]}ing" for verb in _LISTED_VERBS.split() if verb.endswith("e"))
"""Verbs that companies use for one another of what they do with their products."""
_LONGEST = 5


@dataclass(frozen=True, slots=True)
class Listing:
    """What is to be listed. All words are stems."""

    name: str
    """The noun phrase as typed: "reportable segments"."""
    head: str
    """Its last word."""
    kinds: frozenset[str]
    """Its other words: "hybrid", "reportable"."""
    rest: frozenset[str]
    """What the question says of it: "deliver"."""
    is_making: bool
    """The question asks what is made, sold or offered."""
    surface: str
    """The noun as typed."""

    @property
    def words(self) -> frozenset[str]:
        return self.kinds | {self.head}


def read_listing(text: str) -> Listing | None:
    """What ``text`` wants listed; None when it wants something else. ``text`` is without the company's name."""
    text = " ".join(any_of("(the) company's/registrant's/firm's").sub(" ", text).split())
    for pattern in (_LISTED_KINDS, _WHICH, _LIST, _ARE):
        match = pattern.match(text)
        if match is not None:
            groups = match.groupdict()
            return _listing(groups["noun"], groups.get("rest") or "")
    return None


def _listing(noun: str, rest: str) -> Listing | None:
    cut = _LISTING_CUT.search(noun)
    if cut is not None:
        noun, rest = noun[: cut.start()], f"{noun[cut.end() :]} {rest}"
    named = [word for word in words(noun) if word.surface not in _EMPTY_LISTING]
    if not named or len(named) > _LONGEST:
        return None
    head, kinds = named[-1], named[:-1]
    allowed = any(word.stem in _LISTED_WITH for word in kinds)
    if not _is_plural(head) or (head.stem in _ABSTRACT and not allowed):
        return None
    others = [word for word in words(rest) if word.surface not in _EMPTY_LISTING and not word.surface.isdigit()]
    making = [word for word in others if is_making(word)]
    return Listing(
        " ".join(word.surface for word in named),
        head.stem,
        frozenset(word.stem for word in kinds),
        frozenset(word.stem for word in others if word not in making),
        bool(making),
        head.surface,
    )


def _is_plural(word: Word) -> bool:
    return word.surface in ("people", "personnel", "stock", "software", "equipment") or (
        word.surface.endswith("s") and not word.surface.endswith(("ss", "us"))
    )


def is_making(word: Word) -> bool:
    """Whether ``word`` is one of the verbs of making and selling; "operations" and "manufacturers" are none."""
    return word.surface in _MAKING
