"""What a question asks for, once read: figures by name, expressions over them, what to do along years and across companies.

The words that say what to do with figures, and those that say nothing, stand here.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Literal, Protocol

from fin_tui.engine.questions.instructions import Instructions
from fin_tui.facts.expression import Node
from fin_tui.facts.figures import Mention, Metric, Unit
from fin_tui.facts.words import stems
from fin_tui.language import any_of, begin_of, is_followed, runs_of

_CHANGE = (
    "change(s|d)/changing/increase(s|d)/increasing/decrease(s|d)/decreasing/grow(n|s|ing)/grew/growth/rise(n)/rose/rising/"
    "fall(en|s)/fell/decline(s|d)/declining/drop(s|ped)/improve(s|d|ment)/improving/deteriorate(s|d)/deteriorating/"
    "worsen(ed|ing|s)/expand(ed|ing|s)/shrank/shrink/shrunk/climb(ed|s|ing)/jump(ed|s|ing)/surge(s|d)/surging/soar(ed|s|ing)/"
    "plunge(s|d)/plunging/slip(ped|s|ping)/slid(e|es|ed|ing)/contracted/contracting/swell(ed|s)/swollen/widen(ed|s|ing)/"
    "narrowed/narrowing"
)
CHANGES = any_of(f"{_CHANGE}, go(ne|es|ing)/went/move(s|d)/moving up/down, shift(ed|s) from/between")
EXCLUDING = any_of("excluding, exclusive of, excl, ex, without, other than, not including/counting, leaving out/aside, except")
"""What a part of a company leaves out is another part of it, and must not be taken for the one asked about."""
CAGR = any_of("cagr, compound/compounded (average) annual/annualized/annualised/annually")
_ANNUALIZED, _GROWTH = any_of("annualized/annualised"), any_of("growth")
_RATE = any_of(
    f"by what percent/percentage/%, percent/percentage {_CHANGE}, growth (rate), rate of change/growth, in percent/%, in "
    "percentage terms, year-over-year, year-on-year, yoy, faster/fastest/slower/slowest"
)
IN_MONEY = any_of("in dollars/usd/dollar, in $")
_PERCENT_CHANGE = any_of(f"% {_CHANGE}")
"""Behind a number: "a 10% increase"."""
_HOW_FAST = any_of("how fast/quickly/rapidly/strongly")
_PERCENT = any_of("percent, percentage, %")
_TREND = any_of("trend, trajectory, evolution, progression, over time, year by year, by year, year after year")
_COURSE = any_of("trends, trajectories, development, course, path, history, movement(s)")
_OF_WHAT, _OF_WHEN = frozenset("of in for".split()), frozenset("from between over since".split())
"""Behind the words for a course; behind "development" alone, which may belong to another name."""
MOVED = any_of(
    "develop(s|ed|ing)/evolve(s|d)/evolving/trend(s|ed|ing)/move(s|d)/moving/progress(es|ed|ing)/far(e|es|ed|ing)/"
    "perform(s|ed|ing)/vary/varies/varied/varying/fluctuate(s|d)/fluctuating/shift(s|ed|ing)/unfold(s|ed|ing)/"
    "behave(s|d)/behaving/look(s|ed|ing) (like)"
)
_HOW_DID = any_of("how did/does/do/has/have/had/is/are/was/were")
_LOOKED_LIKE, _UP_TO = any_of("look(ed) like"), any_of("to, through, over, since, between")
_OVER_PAST = any_of(
    "over/across/during/throughout (the/its) past/last/previous/prior/latest/recent, over/across/during/throughout (the/its) "
    "most recent"
)
AVERAGE = any_of("average(s), mean")
SUM = any_of(
    "sum, added/add(s)/adding/total/toted/tots up, (put) together, combined, cumulatively, cumulative, in aggregate, altogether"
)
_MOST_RECENT = "most recent"
MOST = any_of(
    f"{_MOST_RECENT}, most, highest, largest, greatest, biggest, more, higher, larger, greater, bigger, best, maximum, peak, "
    "top, fastest, faster, fattest, widest, strongest, richest, thickest"
)
LEAST = any_of(
    "least, lowest, smallest, slowest, slower, less, lower, smaller, fewest, fewer, minimum, worst, thinnest, slimmest, "
    "narrowest, weakest, trough"
)
SUPERLATIVE = any_of(
    "highest, largest, greatest, biggest, lowest, smallest, fattest, widest, strongest, richest, thickest, thinnest, "
    "slimmest, narrowest, weakest, peak, trough"
)
_BEFORE_MOST = frozenset(
    "of one company companies firm year fiscal the two these them in spent had has was is did earned made reported saw recorded "
    "generated".split()
)
"""Between "what" and what is the most."""
_YEAR_ASKED, _WHICH_OF = any_of("which/what (fiscal) year"), any_of("which (one) of the/these/those/its")
_WHEN, _YEARS = any_of("when"), any_of("years")
COMPANY_ASKED = any_of("which of/one/company/companies/firm/business, who")
DIFFERENCE = any_of("difference/gap (between), how much more/less/higher/lower/larger/smaller/greater/bigger")
TIMES = any_of(
    "how many times as large/big/high/much/great (was/is/were/as), how many times larger/bigger/higher/more/greater (than)"
)
_COMPARATIVE = frozenset("higher greater larger bigger more better faster lower less smaller fewer worse slower".split())
_EXCEEDS = any_of(
    "exceed(s|ed), above, over, outsell/outsold, outearn(ed), beat, top(ped), surpass(ed), outstrip(ped), below, under, "
    "trail(ed), " + "/".join(sorted(_COMPARATIVE))
)
LESS = frozenset("below under trail trailed lower less smaller fewer worse slower".split())
_THAN = any_of("than")
KINDS_OF_PART = frozenset(stems("segment region division unit product country business category brand geography line"))
"""Kinds of parts of which one company has several: "which segment grew most?"."""
RANK = any_of("ranked, ranking, rank(s), in order of, sorted, sort")
_TOTAL = any_of("total, sum")
_OF_ALL = any_of("across/of/over/for all/both, across/of/over/for the two/three/four")
COMPARE = any_of(
    "stack(s)/stacked/measure(s)/measured/line(s)/lined up, compare(s)/compared, comparison, versus, vs., vs, "
    "respectively, side by side"
)
_OPENS, _AUXILIARY = frozenset("and so but then".split()), frozenset("did does do is are was were has have had".split())
_IN_WORDS = any_of(
    "why/who/whom/whose/where/when/explain/describe/discuss/summarize/summarise/outline, on what date, what "
    "drove/drives/caused/causes/led/leads/contributed/pushed/triggered/made/explain(s)/factor(s)/risk(s)/type(s)/kind(s), what "
    "was/were/is/lay/stood behind, what are the, what is the purpose/reason/nature/primary/main/impact"
)
"""How a question opens that wants words."""
_MADE_UP = any_of("what made up")
_HOW_WAS = any_of("how was/were/is/are")
_TREATED = any_of(
    "stated, valued, measured, accounted, determined, recognized/recognised, treated, classified, depreciated, "
    "amortized/amortised, tested, defined"
)
_HOW_DOES = any_of("how does/do/is/are/has/have/will/can/could")
_IN_FIGURES = any_of(
    "compare*, chang*, grow*, increas*, decreas*, differ*, develop*, evolv*, trend*, move(d)/moving, progress*, fare*, perform*, "
    "fluctuat*, shift*, stack*, measure up*"
)
_WHAT_DOES = any_of("what does")
_SAY = any_of("say, state, disclose, mention, describe, predict, forecast, expect")
_WHAT, _GUIDANCE = any_of("what"), any_of("guidance")
_CLOSE, _NEAR, _REACH = 40, 60, 90
"""Characters within which words belong together."""
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
        "bigger larger greater times minus plus divided multiplied "
        "sitting hand balance balances declare declares declared turn turned express expressed decimal decimals attributable "
        "spending "
        "too yr yrs pls plz against "
        "long-run unadjusted more most less least higher lower larger smaller profile as-of in: than if any out "
    ).split()
)
"""Words that change nothing about which figure is meant."""

_SHARE_BEFORE = any_of("percent/percentage/share/portion/proportion/fraction/part/slice/chunk of, how much of")
"""What follows is the whole: "what percentage of revenue …"."""
_SHARE_AFTER = any_of("as/at a/an percent/percentage/share/%/proportion/fraction/portion of, relative to, as percent/% of")
"""What follows is the whole, what stands before it the part."""
_PERCENT_OF = any_of("% of")


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


@dataclass(frozen=True, slots=True)
class _Said:
    """A text with the places whose words say nothing about what is done with its figures, and those that do."""

    text: str
    taken: Sequence[tuple[int, int]]
    spans: list[tuple[int, int]] = field(default_factory=list)

    def free(self, pattern: re.Pattern[str]) -> Iterator[re.Match[str]]:
        """What ``pattern`` finds outside of ``taken``."""
        return (match for match in pattern.finditer(self.text) if self.is_free(match))

    def is_free(self, match: re.Match[str]) -> bool:
        return not any(match.start() >= a and match.end() <= b for a, b in self.taken)

    def find(self, pattern: re.Pattern[str]) -> re.Match[str] | None:
        """The first of these, kept in ``spans``."""
        return self.keep(next(self.free(pattern), None))

    def keep(self, match: re.Match[str] | None) -> re.Match[str] | None:
        if match is not None:
            self.spans.append(match.span())
        return match


def read_operation(text: str, taken: Sequence[tuple[int, int]], companies: int, metrics: int) -> Operation:
    """What ``text`` does with its figures. Words inside ``taken`` (metric names, companies) say nothing about it."""
    said = _Said(text, taken)
    said.spans.extend(match.span() for match in said.free(CHANGES))
    yes_no = asks_yes_no(text)
    cagr, changes, rate = _cagr(said), said.find(CHANGES), _rate(said)
    average, difference, compare = said.find(AVERAGE), said.find(DIFFERENCE), said.find(COMPARE)
    over: Over = "point"
    if cagr:
        over = "cagr"
        said.find(any_of("growth (rate), rate"))
    elif changes and (rate or changes.group().lower() == "growth") and not IN_MONEY.search(text):
        over = "growth"
    elif changes:
        over = "change"
    elif average:
        over = "average"
    elif said.find(SUM) and companies < 2:
        over = "sum"
    elif _is_trend(said):
        over = "trend"
        said.find(MOVED)
    across = _across(said, companies, yes_no=yes_no, is_difference=difference is not None)
    if difference and companies < 2 and metrics < 2 and over in ("point", "trend"):
        over = "change"
    if compare and companies < 2 and over == "point" and metrics < 2 and not yes_no:
        over = "trend"
    extreme = _extreme(said) if across == "each" and not yes_no else None
    narrative = _wants_words(text)
    if extreme is not None and companies < 2 and _asks_year(text):
        over, narrative = extreme, False
    elif extreme is not None and (companies >= 2 or COMPANY_ASKED.search(text)):
        across, narrative = extreme, False
    elif extreme is not None:
        narrative = True  # "What was its largest liability?" asks which one, not how much of a metric.
    down = bool(DOWN.search(text)) or (across == "difference" and yes_no and _is_less(text))
    return Operation(over, across, yes_no, down, compare is not None, narrative, tuple(said.spans))


def _follows(lead: re.Match[str] | None, pattern: re.Pattern[str], reach: int = _REACH) -> bool:
    """Whether ``pattern`` is found behind ``lead``, at most ``reach`` characters away."""
    found = pattern.search(lead.string, lead.end()) if lead is not None else None
    return lead is not None and found is not None and found.start() - lead.end() <= reach


def _cagr(said: _Said) -> re.Match[str] | None:
    annualized = (match for match in said.free(_ANNUALIZED) if _GROWTH.search(said.text, match.end()))
    return said.find(CAGR) or said.keep(next(annualized, None))


def _rate(said: _Said) -> bool:
    """Whether a change is wanted in percent: "how fast did it grow", "the percentage increase"."""
    signs = (match for match in said.free(_PERCENT_CHANGE) if said.text[match.start() - 1 : match.start()].isalnum())
    fast = (match for match in said.free(_HOW_FAST) if CHANGES.search(said.text, match.end()))
    found = [match for match in (next(said.free(_RATE), None), next(signs, None), next(fast, None)) if match is not None]
    ends = [
        (change.start(), last.end())
        for last in _PERCENT.finditer(said.text)
        if said.text[last.end() :].lstrip().startswith("?") and (last.group() != "%" or said.text[: last.start()][-1:].isalnum())
        for change in said.free(CHANGES)
        if 0 <= last.start() - change.end() <= _CLOSE
    ]
    said.spans.extend(ends[:1])
    return said.keep(min(found, key=re.Match.start, default=None)) is not None or bool(ends)


def _is_trend(said: _Said) -> bool:
    """Whether the course of a figure is asked for."""
    if said.find(_TREND):
        return True
    course = next(filter(_is_course, said.free(_COURSE)), None)
    past = next((m for m in said.free(_OVER_PAST) if "years" in runs_of(said.text[m.end() :].lower())[1:3]), None)
    moved = next((m for m in said.free(_HOW_DID) if MOVED.search(said.text, m.end())), None)
    looked = next((m for m in said.free(_LOOKED_LIKE) if _UP_TO.search(said.text, m.end())), None)
    return said.keep(course or past or moved or looked) is not None


def _is_course(match: re.Match[str]) -> bool:
    """Whether the word that ``match`` found is the course of what follows, or of what it ends."""
    behind = match.string[match.end() :].lstrip()
    following = set(behind.lower().split()[:1])
    alone = match.group().lower() == "development" and (behind[:1] in ("", ",", "?") or following & _OF_WHEN)
    return bool(alone or following & _OF_WHAT)


def _wants_words(text: str) -> bool:
    """Whether words are asked for, and no figure."""
    at = begin_of(text)
    if _IN_WORDS.match(text, at) and not _MADE_UP.match(text, at):
        return True
    how = _HOW_DOES.match(text, at)
    if how is not None and not _follows(how, _IN_FIGURES):
        return True
    if _follows(_HOW_WAS.match(text, at), _TREATED, _NEAR) or _follows(_WHAT_DOES.match(text, at), _SAY, _NEAR):
        return True
    return _follows(_WHAT.search(text), _GUIDANCE, _NEAR)


def _across(said: _Said, companies: int, *, yes_no: bool, is_difference: bool) -> Across:
    """What happens across the companies named, extremes aside."""
    if companies == 2 and said.find(TIMES):
        return "times"
    exceeds = (match for match, _ in exceeding(said.text) if said.is_free(match))
    if companies == 2 and (is_difference or (yes_no and said.keep(next(exceeds, None)))):
        return "difference"
    if said.find(RANK):
        return "ranked"
    return "sum" if is_followed(said.text, _TOTAL, _OF_ALL) or (companies >= 2 and said.find(SUM)) else "each"


def share_cue(text: str, taken: Sequence[tuple[int, int]], *, part_first: bool) -> re.Match[str] | None:
    """What in ``text``, outside of what is ``taken``, first leads to the whole of a share, behind its part or before it; a sign
    by itself is behind its part.
    """

    def is_meant(sign: re.Match[str]) -> bool:
        before = text[sign.start() - 1 : sign.start()]
        return before.isspace() if part_first else before.isalnum()

    cues = (*(_SHARE_AFTER if part_first else _SHARE_BEFORE).finditer(text), *filter(is_meant, _PERCENT_OF.finditer(text)))
    free = (cue for cue in cues if not any(a <= cue.start() < b for a, b in taken))
    return min(free, key=re.Match.start, default=None)


def exceeding(text: str) -> Iterator[tuple[re.Match[str], int]]:
    """What says that one figure is above or below another, and where the "than" behind it ends; 0 where it needs none."""
    for match in _EXCEEDS.finditer(text):
        than = _THAN.search(text, match.end()) if match.group().lower() in _COMPARATIVE else None
        if than is not None and than.start() - match.end() <= _NEAR:
            yield match, than.end()
        elif match.group().lower() not in _COMPARATIVE:
            yield match, 0


def _is_less(text: str) -> bool:
    return next((match.group().lower() in LESS for match, _ in exceeding(text)), False)


def _asks_year(text: str) -> bool:
    """Whether it is asked in which year something was."""
    return bool(_YEAR_ASKED.search(text) or _WHEN.match(text, begin_of(text)) or _follows(_WHICH_OF.search(text), _YEARS))


def _asks_which(before: str) -> bool:
    """Whether it is asked which one is the most, by the words before "most"."""
    if any_of("which, who").search(before):
        return True
    said = before.lower().split()
    while said and said[-1] in _BEFORE_MOST:
        said.pop()
    return said[-1:] == ["what"]


def _extreme(said: _Said) -> Literal["highest", "lowest"] | None:
    found: tuple[Literal["highest", "lowest"], re.Pattern[str]]
    for found in (("highest", MOST), ("lowest", LEAST)):
        for match in said.free(found[1]):
            is_asked = SUPERLATIVE.fullmatch(match.group()) or _asks_which(said.text[: match.start()])
            if is_asked and match.group().lower() != _MOST_RECENT:
                said.keep(match)
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
        return f"{name} excluding {self.left_out}" if name and self.left_out else f"{self.phrase} {name}".strip()

    @property
    def left_out(self) -> str:
        """The part that is only left out: "services" of "excluding services"; "" for any other."""
        out = EXCLUDING.match(self.phrase.strip())
        return self.phrase.strip()[out.end() :].strip(" -") if out is not None else ""


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
