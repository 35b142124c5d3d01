"""Kinds of questions besides a plain figure: yes or no ("Was it profitable?"), the largest of a kind, how many, a list (pure)."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from decimal import Decimal
from typing import Literal

from fin_tui.engine.evidence.numbers import find_numbers
from fin_tui.engine.questions.periods import period_spans
from fin_tui.engine.questions.question import Question
from fin_tui.engine.questions.wanted import LESS, Names, asks_yes_no, exceeding
from fin_tui.engine.questions.words import FIRM, left_over
from fin_tui.facts.figures import Mention, Metric
from fin_tui.facts.ranking import Kind, Ranking
from fin_tui.facts.words import Word, stem, words
from fin_tui.language import any_of, begin_of, runs_of

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
_MAY_HAVE = any_of("(and/so/but) did/does/do/has/have/had")
_HAVING = any_of("have, had, hold, carry, report, record, own, owe, pay, paid, repurchase(d), buy/bought back, issue")
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


_AROUND, _DAY_OF = any_of("after/before/since (the)"), frozenset("end close year".split())


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
    across = next(((match, end) for match, end in exceeding(text) if end), None)
    if across is not None and len(question.periods.years) == 2:
        match, end = across
        rose = match.group().lower() not in LESS
        return Condition(metric, "rose" if rose else "fell") if _accounted(text, [*taken, (match.start(), end)]) else None
    limits = ((test, match) for test, pattern in _LIMITS for match in pattern.finditer(text))
    test, limit = next(limits, (None, None))
    if test is not None and limit is not None:
        number = next((n for n in find_numbers(text) if n.start >= limit.end() and not n.is_year), None)
        if number is None or not _accounted(text, [*taken, limit.span(), (number.start, number.end)]):
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
    opening = _MAY_HAVE.match(text)
    is_having = opening is not None and _HAVING.search(text, opening.end()) is not None
    return Condition(metric, "above", is_having=True) if is_having and not _is_event(text) else None


def _is_event(text: str) -> bool:
    """Whether ``text`` asks what happened around a day, which is no balance."""
    for around in _AROUND.finditer(text):
        first, second = [*text[around.end() :].split()[:2], "", ""][:2]
        is_day = first[:1].isupper() and second[:1].isdigit()
        if is_day or first.startswith(("19", "20")) or first.lower().rstrip("?,.") in _DAY_OF:
            return True
    return False


def _accounted(text: str, taken: list[tuple[int, int]]) -> bool:
    """Whether nothing is left over that names another matter."""
    return not left_over(text, [*taken, *(match.span() for match in _PLAIN.finditer(text))])


_LEAST = frozenset("smallest lowest least fewest worst".split())
_EXTREME = any_of("largest, biggest, highest, greatest, most, top, leading, best, smallest, lowest, least, fewest, worst")
_LINE = any_of(
    "largest/biggest/highest/greatest/top/smallest/lowest (single/individual/reported) "
    "(current/non-current/noncurrent/long-term/operating) asset(s)/liability/liabilities/expense(s)/cost(s)"
)
_NO_LINE = any_of("per, to, ratio, base, class(es), of sales/revenue(s)/goods/capital/debt")
_PARTS: Mapping[Kind, re.Pattern[str]] = {
    "segment": any_of("segment(s), division(s), business(es) (unit/units/line/lines)"),
    "product": any_of(
        "product(s) (line/lines/category/categories/group/groups), category/categories, offering(s), service line(s)"
    ),
    "region": any_of("region(s), geography/geographies, geographic area(s)/region(s)/segment(s)/market(s), country/countries"),
}
_NOUN = any_of("segment(s), division(s), product(s), business(es), category/categories, region(s), country/countries, geograph*")
_ASKS_WHICH, _FAR, _MOST_BETWEEN = any_of("which, what"), 60, 2
_EXTREME_PART = any_of("largest, biggest, highest, greatest, most/least profitable, top, leading, smallest, lowest")
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
    lowest = extreme.group().lower() in _LEAST
    if _asks_for_part(text):
        parts = [(match.start(), kind) for kind, pattern in _PARTS.items() if (match := pattern.search(text))]
        metric = _metric_of(text, names)
        return Ranking(min(parts)[1], metric=metric, lowest=lowest) if parts and metric is not None else None
    line = next((one for one in _LINE.finditer(text) if not _NO_LINE.match(text, one.end() + 1)), None)
    if line is None:
        return None
    said = line.group().lower().split()
    kind, narrowed = _KINDS[said[-1][0]], _narrowed(line.group().lower())
    if (narrowed == "operating") != (kind == "expense") and narrowed:
        return None
    return Ranking(kind, narrowed, lowest=lowest)


def _asks_for_part(text: str) -> bool:
    """Whether it is asked which segment, product or region is the most."""
    nouns = list(_NOUN.finditer(text))
    asked = _ASKS_WHICH.search(text)
    if asked is not None and any(0 < noun.start() - asked.end() <= _FAR for noun in nouns):
        return True
    gaps = (
        text[most.end() : noun.start()] for most in _EXTREME_PART.finditer(text) for noun in nouns if noun.start() > most.end()
    )
    return any(len(runs_of(gap)) <= _MOST_BETWEEN and _are_words(gap.split()) for gap in gaps)


def _narrowed(line: str) -> Literal["", "current", "noncurrent", "operating"]:
    if "operating" in line:
        return "operating"
    if "non" in line or "long-term" in line:
        return "noncurrent"
    return "current" if "current" in line else ""


def _metric_of(text: str, names: Names) -> Metric | None:
    """The figure that parts are compared by: operating income for "profitable", else the one named, else revenue."""
    if _PROFITABLE.search(text):
        return names.get("operating_income")
    named = [mention.metric for mention in names.find(text) if mention.score >= FIRM and mention.metric.unit == "usd"]
    if not named or named[0].id in _OF_PARTS:
        return names.get("revenue")
    return named[0]


_HOW_MANY, _IS = any_of("how many"), any_of("did, does, do, were, was, are, is, has, have, had, can, could, would")
_NUMBER_OF = any_of(
    "what is/was/were/are the (total/approximate) number/count of, give/tell me the (total/approximate) number/count of, "
    "how did/does/do/has/have/is/are/was/were the (total/approximate) number/count of"
)
_CUT = any_of("of, in, at, as, for, from, that, which, who, with, on, by, during, worldwide, does, did, do")
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
    what, rest = _counted(text)
    cut = next((match for match in _CUT.finditer(what, 1) if what[match.start() - 1].isspace()), None)
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


def _counted(text: str) -> tuple[str, str]:
    """What is counted by ``text``, and what is said of it."""
    asked, number = _HOW_MANY.search(text), _NUMBER_OF.search(text)
    verb = _IS.search(text, asked.end() + 2) if asked is not None else None
    if asked is not None and verb is not None:
        return text[asked.end() : verb.start()].strip(), text[verb.end() :]
    return (text[number.end() :].strip(), "") if number is not None else ("", "")


_DETERMINERS = frozenset(
    "all the of its their his any some each main principal primary major key current currently different various individual "
    "following own other certain important largest biggest two three four five six seven eight nine ten company's companys "
    "registrant's firm's me us".split()
)
_KINDS_OF = frozenset("type types kind kinds sort sorts categories classes forms lines varieties".split())
_AUXILIARY = frozenset("does do did is are was were has have had can will".split())
_ASKING, _LISTING = frozenset("what which".split()), frozenset("list enumerate name identify give show".split())
_LISTING_CUT = frozenset(
    "of in at as for from to that which who with on by during under about it they we does do did has have had is are was were "
    "can will according disclosed mentioned listed described reported".split()
)
_AND_HOW = frozenset("how what why where when".split())
_ENDS = ",;:?.!("
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
_LONGEST, _MOST_NOUN = 5, 4


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
    text = any_of("(the) company's/registrant's/firm's").sub(" ", text)
    said = text[begin_of(text) :].split()
    low = [word.lower().replace("’", "'") for word in said]
    at = int(low[:1] in (["on"], ["please"]))
    opening = low[at : at + 1]
    asks = not _ASKING.isdisjoint(opening)
    is_are = (asks or opening == ["who"]) and low[at + 1 : at + 2] in (["are"], ["were"])
    at += 1 + is_are
    while at < len(low) and (low[at] in _DETERMINERS or low[at].isdigit()):
        at += 1
    if asks and low[at + 1 : at + 2] == ["of"] and low[at] in _KINDS_OF:
        return _listing(said[at + 2 :])
    if asks and not is_are:
        verbs = (end for end in range(min(at + _MOST_NOUN, len(low) - 1), at, -1) if low[end] in _AUXILIARY)
        end = next((end for end in verbs if low[end - 1].endswith("s") and _are_words(said[at:end])), None)
        return _listing(said[at:end], said[end + 1 :]) if end is not None else None
    return _listing(said[at:]) if is_are or not _LISTING.isdisjoint(opening) else None


def _are_words(said: Sequence[str]) -> bool:
    return all(char.isalnum() or char in "&’'-_" for word in said for char in word)


def _cut(said: Sequence[str]) -> tuple[Sequence[str], Sequence[str]]:
    """What is listed, and what is said of it."""
    for at, word in enumerate(said):
        first, following = runs_of(word.lower())[:1], [other.lower() for other in said[at + 1 : at + 2]]
        is_next = first == ["and"] and not _AND_HOW.isdisjoint(following)
        if at and (is_next or not _LISTING_CUT.isdisjoint(first)):
            return said[:at], said[at + 1 + is_next :]
        stop = next((place for place, char in enumerate(word) if char in _ENDS), None)
        if stop is not None:
            return [*said[:at], word[:stop]], [word[stop + 1 :], *said[at + 1 :]]
    return said, ()


def _listing(said: Sequence[str], behind: Sequence[str] = ()) -> Listing | None:
    noun, tail = _cut(said)
    rest = " ".join((*tail, *behind))
    named = [word for word in words(" ".join(noun)) if word.surface not in _EMPTY_LISTING]
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
