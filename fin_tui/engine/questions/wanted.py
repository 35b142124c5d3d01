"""What a question asks for, once read: figures by name, expressions over them, what to do along years and across companies.

The words that say what to do with figures, and those that say nothing, stand here.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Literal, Protocol

from fin_tui.engine.questions.instructions import Instructions
from fin_tui.facts.expression import Node
from fin_tui.facts.figures import Mention, Metric, Unit
from fin_tui.language import any_of, runs_of

CHANGE = (
    r"chang(?:e[sd]?|ing)|increas(?:e[sd]?|ing)|decreas(?:e[sd]?|ing)|grow(?:n|s|ing)?|grew|growth|r[io]sen?|rising|"
    r"fall(?:en|s)?|fell|declin(?:e[sd]?|ing)|dropp?(?:ed|s)?|improv(?:e[sd]?|ing|ement)|deteriorat(?:e[sd]?|ing)|worsen(?:ed|ing|s)?|expand(?:ed|ing|s)?|shr[aiu]nk|"
    r"(?:go(?:ne|es|ing)?|went|mov(?:e|ed|es|ing))\s+(?:up|down)|climb(?:ed|s|ing)?|shift(?:ed|s)?(?=\s+(?:from|between)\b)|jump(?:ed|s|ing)?|surg(?:e[sd]?|ing)|soar(?:ed|s|ing)?|"
    r"plung(?:e[sd]?|ing)|slip(?:ped|s|ping)?|slid(?:e[sd]?|ing)?|contract(?:ed|ing)|swell(?:ed|s)?|swollen|widen(?:ed|s|ing)?|narrow(?:ed|ing)"
)
CHANGES = re.compile(rf"\b(?:{CHANGE})\b", re.I)
CAGR = re.compile(r"\bcagr\b|\bcompound(?:ed)?\s+(?:average\s+)?annual(?:i[sz]ed|ly)?\b|\bannuali[sz]ed\b(?=.*\bgrowth\b)", re.I)
RATE = re.compile(
    rf"\bby\s+what\s+(?:percent(?:age)?|%)|\b(?:percent(?:age)?|%)\s+(?:{CHANGE})\b|\bgrowth(?:\s+rate)?\b|"
    rf"\brate\s+of\s+(?:change|growth)\b|"
    rf"\bhow\s+(?:fast|quickly|rapidly|strongly)\b(?=.*\b(?:{CHANGE})\b)|"
    r"\bin\s+(?:percent|percentage\s+terms|%)(?=\W|$)|\byear[- ](?:over|on)[- ]year\b|\byoy\b|"
    rf"\b(?:{CHANGE})\b.{{0,40}}\b(?:percent(?:age)?|%)\s*\?",
    re.I,
)
MOVES = r"(?:develop|evolv|trend|mov|progress|far|perform|vari|fluctuat|shift|unfold|behav|look)(?:e|ed|y|s|es|ing)?"
TREND = re.compile(
    rf"(?<=\bhow)\s+(?:did|does|do|has|have|had|is|are|was|were)\b(?=.*\b{MOVES}\b)|"
    r"\b(?:trends?|trajector(?:y|ies)|evolution|development|progression|course|path|history|movements?)(?=\s+(?:of|in|for)\b)|"
    r"\bdevelopment(?=\s*(?:,|\?|$|from\b|between\b|over\b|since\b))|"
    r"\b(?:trend|trajectory|evolution|progression)\b|\bover\s+time\b|\b(?:year\s+by\s+year|by\s+year|year\s+after\s+year)\b|"
    r"\blook(?:ed)?\s+like\b(?=.*\b(?:to|through|over|since|between)\b)|"
    r"\b(?:over|across|during|throughout)\s+(?=(?:the\s+|its\s+)?(?:past|last|previous|prior|latest|(?:most\s+)?recent)\s+\w+\s+(?:\w+\s+)?years\b)",
    re.I,
)
MOVED = re.compile(rf"\b{MOVES}\b(?:\s+like\b)?", re.I)
AVERAGE = any_of("average(s), mean")
SUM = any_of(
    "sum, added/add(s)/adding/total/toted/tots up, (put) together, combined, cumulatively, cumulative, in aggregate, altogether"
)
MOST = re.compile(
    r"\b(?:most(?!\s+recent)|highest|largest|greatest|biggest|more|higher|larger|greater|bigger|best|"
    r"maximum|peak|top|fattest|widest|strongest|richest|thickest)\b",
    re.I,
)
LEAST = any_of(
    "least, lowest, smallest, slowest, less, lower, smaller, fewest, fewer, minimum, worst, thinnest, slimmest, narrowest, "
    "weakest, trough"
)
SUPERLATIVE = any_of(
    "highest, largest, greatest, biggest, lowest, smallest, fattest, widest, strongest, richest, thickest, thinnest, "
    "slimmest, narrowest, weakest, peak, trough"
)
WHICH = re.compile(
    r"\b(?:which|what|who)\b(?:\s+(?:of|one|company|companies|firm|year|fiscal|the|two|these|them|in|spent|had|has|was|is|did|earned|made|reported|saw|"
    r"recorded|generated))*\s*$",
    re.I,
)
YEAR_ASKED = re.compile(
    r"\b(?:which|what|in\s+which|in\s+what)\s+(?:fiscal\s+)?year\b|^\W*when\b|\b(?:in\s+)?which\s+(?:one\s+)?of\s+(?:the|these|those|its)\b.{0,30}\byears\b",
    re.I,
)
COMPANY_ASKED = any_of("which of/one/company/companies/firm/business, who")
DIFFERENCE = any_of("difference/gap (between), how much more/less/higher/lower/larger/smaller/greater/bigger")
TIMES = any_of(
    "how many times as large/big/high/much/great (was/is/were/as), how many times larger/bigger/higher/more/greater (than)"
)
EXCEEDS = re.compile(
    r"\b(?P<more>exceed(?:s|ed)?|above|over|outsold?|outearn(?:ed)?|beat|top(?:ped)?|surpass(?:ed)?|outstrip(?:ped)?|"
    r"(?:higher|greater|larger|bigger|more|better)(?=\b.{0,60}\bthan\b))\b|"
    r"\b(?P<less>below|under|trail(?:ed)?|(?:lower|less|smaller|fewer|worse)(?=\b.{0,60}\bthan\b))\b",
    re.I,
)
RANK = any_of("ranked, ranking, rank(s), in order of, sorted, sort")
TOTAL_OF_ALL = re.compile(r"\b(?:total|sum)\b.{0,40}\b(?:across|of|over|for)\s+(?:all|both|the\s+(?:two|three|four))\b", re.I)
COMPARE = any_of(
    "stack(s)/stacked/measure(s)/measured/line(s)/lined up, compare(s)/compared, comparison, versus, vs., vs, "
    "respectively, side by side"
)
_OPENS, _AUXILIARY = frozenset("and so but then".split()), frozenset("did does do is are was were has have had".split())
NARRATIVE = re.compile(
    r"^\W*how\s+(?:was|were|is|are)\b.{0,60}\b(?:stated|valued|measured|accounted|determined|recogni[sz]ed|treated|classified|"
    r"depreciated|amorti[sz]ed|tested|defined)\b|"
    r"^\W*(?:why|who|whom|whose|where|when|explain|describe|discuss|summari[sz]e|outline|on\s+what\s+date)\b|"
    r"^\W*how\s+(?:does|do|is|are|has|have|will|can|could)\b(?!.{0,90}\b(?:compare|chang|grow|increas|decreas|differ|develop|evolv|trend|mov(?:e|ed|ing)\b|progress|fare|perform|fluctuat|shift|stack|measure\s+up))|"
    r"^\W*what\s+(?:drove|drives|caused|causes|led|leads|contributed|pushed|triggered|(?:was|were|is|lay|stood)\s+behind|made(?!\s+up)|"
    r"explains?|factors?|risks?|types?|kinds?|are\s+the|is\s+the\s+(?:purpose|reason|nature|primary|main|impact)|"
    r"does\s+.{0,60}\b(?:say|state|disclose|mention|describe|predict|forecast|expect))\b|"
    r"\bwhat\b.{0,40}\bguidance\b",
    re.I,
)
DOWN = any_of("decreas*, declin*, fall*, fell*, drop*, worsen*, deteriorat*, shrank*, shrink*, shrunk*")

EMPTY = frozenset(
    (
        "operate operates operated fast quickly sharply strongly table tables grid chart breakdown summary overview "
        "a an the of in on for by to from at as its it it's their they that this these those with per and or but so "
        "then also again what which how much many was were is are be been being did does do has have had who whose one "
        "ones same instead now total overall amount amounts value values figure figures number numbers level levels "
        "size exactly report reports reported reporting record records recorded disclose disclosed state stated list "
        "listed show shows shown spend spends spent spending earn earns earned earning generate generated generates "
        "make makes made hold holds held pay pays paid incur incurred recognize recognized book booked post posted "
        "having own owned owed owe company company's companies firm firms registrant business corporation corporation's "
        "group please give tell me us i you can could would find calculate compute determine provide need want know get "
        "look up according based 10-k 10-ks 10k form filing filings annual statement statements financial consolidated "
        "basis fy fiscal year years year's years' period end ended ending year-end yearend date during over through "
        "throughout within between full whole each every all both respective respectively approximately about roughly "
        "around nearly dollar dollars usd us$ $ million millions billion billions thousand thousands percent percentage "
        "% terms points ratio rate share proportion portion fraction come comes came coming derive derived there here "
        "time cover page face after before until compare compared comparison versus vs vs. difference gap trend history "
        "across when large big slice chunk part "
        "carry carries carried stand stands stood sit sits sat reach reached hit bring brings brought take took taken "
        "achieve achieved "
        "amounted add adds added rank ranked ranking library up down eaten consumed absorbed swallowed "
        "bigger larger greater times "
        "sitting hand balance balances declare declares declared turn turned express expressed decimal decimals attributable "
        "spending "
        "long-run unadjusted more most less least higher lower larger smaller profile as-of in: than if any out "
    ).split()
)
"""Words that change nothing about which figure is meant."""

SHARE_BEFORE = re.compile(r"\b(?:percent(?:age)?|share|portion|proportion|fraction|%|part|slice|chunk|how\s+much)\s+of\s+", re.I)
"""What follows is the whole: "what percentage of revenue …"."""
SHARE_AFTER = re.compile(
    r"\b(?:as|at)\s+an?\s+(?:percent(?:age)?|share|%|proportion|fraction|portion)\s+of\s+|\brelative\s+to\s+|\bas\s+(?:percent|%)\s+of\s+|"
    r"(?<=\s)%\s+of\s+",
    re.I,
)
"""What follows is the whole, what stands before it the part."""


Over = Literal["point", "trend", "change", "growth", "multiple", "contribution", "cagr", "average", "sum", "highest", "lowest"]
"""What happens along the years: nothing, or one of these."""
Across = Literal["each", "difference", "times", "sum", "ranked", "highest", "lowest"]
"""What happens across companies."""


def asks_yes_no(text: str) -> bool:
    """Whether ``text`` can be answered by yes or no."""
    said = runs_of(text.lower())[:2]
    return bool(_AUXILIARY.intersection(said[1:] if _OPENS.intersection(said[:1]) else said[:1]))


@dataclass(frozen=True, slots=True)
class Operation:
    """What a question does with its figures."""

    over: Over = "point"
    across: Across = "each"
    yes_no: bool = False
    down: bool = False
    """A yes-or-no question asks whether something fell."""
    compare: bool = False
    narrative: bool = False
    """The question wants words, not a figure."""
    spans: tuple[tuple[int, int], ...] = ()
    """Where in the text the words for it stand."""


def read_operation(text: str, taken: list[tuple[int, int]], companies: int, metrics: int) -> Operation:
    """What ``text`` does with its figures. Words inside ``taken`` (metric names, companies) say nothing about it."""
    spans: list[tuple[int, int]] = []

    def find(pattern: re.Pattern[str]) -> re.Match[str] | None:
        for match in pattern.finditer(text):
            if not any(match.start() >= a and match.end() <= b for a, b in taken):
                spans.append(match.span())
                return match
        return None

    for match in CHANGES.finditer(text):
        if not any(match.start() >= a and match.end() <= b for a, b in taken):
            spans.append(match.span())
    yes_no = asks_yes_no(text)
    cagr, changes, rate = find(CAGR), find(CHANGES), find(RATE)
    average, difference, compare = find(AVERAGE), find(DIFFERENCE), find(COMPARE)
    over: Over = "point"
    if cagr:
        over = "cagr"
        find(any_of("growth (rate), rate"))
    elif changes and (rate or changes.group().lower() == "growth"):
        over = "growth"
    elif changes:
        over = "change"
    elif average:
        over = "average"
    elif find(SUM) and companies < 2:
        over = "sum"
    elif find(TREND):
        over = "trend"
        find(MOVED)
    across = _across(text, companies, yes_no=yes_no, is_difference=difference is not None, find=find)
    if difference and companies < 2 and metrics < 2 and over in ("point", "trend"):
        over = "change"
    if compare and companies < 2 and over == "point" and metrics < 2 and not yes_no:
        over = "trend"
    extreme = _extreme(text, taken, spans) if across == "each" and not yes_no else None
    narrative = bool(NARRATIVE.search(text))
    if extreme is not None and companies < 2 and YEAR_ASKED.search(text):
        over, narrative = extreme, False
    elif extreme is not None and (companies >= 2 or COMPANY_ASKED.search(text)):
        across, narrative = extreme, False
    elif extreme is not None:
        narrative = True  # "What was its largest liability?" asks which one, not how much of a metric.
    down = bool(DOWN.search(text)) or (across == "difference" and yes_no and _is_less(text))
    return Operation(over, across, yes_no, down, compare is not None, narrative, tuple(spans))


def _across(
    text: str, companies: int, *, yes_no: bool, is_difference: bool, find: Callable[[re.Pattern[str]], re.Match[str] | None]
) -> Across:
    """What happens across the companies named, extremes aside."""
    if companies == 2 and find(TIMES):
        return "times"
    if companies == 2 and (is_difference or (yes_no and find(EXCEEDS))):
        return "difference"
    if find(RANK):
        return "ranked"
    asks_all = bool(TOTAL_OF_ALL.search(text))
    return "sum" if asks_all or (companies >= 2 and find(SUM)) else "each"


def _is_less(text: str) -> bool:
    match = EXCEEDS.search(text)
    return match is not None and match["less"] is not None


def _extreme(text: str, taken: list[tuple[int, int]], spans: list[tuple[int, int]]) -> Literal["highest", "lowest"] | None:
    found: tuple[Literal["highest", "lowest"], re.Pattern[str]]
    for found in (("highest", MOST), ("lowest", LEAST)):
        for match in found[1].finditer(text):
            inside = any(match.start() >= a and match.end() <= b for a, b in taken)
            before = text[: match.start()]
            asked = WHICH.search(before) or any_of("which, who").search(before)
            if not inside and (asked or SUPERLATIVE.fullmatch(match.group())):
                spans.append(match.span())
                return found[0]
    return None


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
    is_counted: bool = False
    """How many of these is asked: an amount of money is no answer."""

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
    ahead: bool = False
    """What falls due, or is expected, in a year after the filing's own is asked for."""
    ending: bool = False
    """Balances at the year's end stand in place of averages in the formulas of ratios."""
    instructions: Instructions = field(default_factory=lambda: Instructions(""))
