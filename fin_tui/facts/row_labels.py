"""Figures by the words of their row label: of filings without tags, and of what the vocabulary does not know."""

from __future__ import annotations

import re
from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import replace
from decimal import Decimal
from functools import lru_cache
from typing import TYPE_CHECKING, Literal

from fin_tui.facts.choose import Choice
from fin_tui.facts.figures import LEAST_MONEY, Gap, Metric, Period, Unit, agree, exact, unit_fits, value_of
from fin_tui.facts.index import fits
from fin_tui.facts.table_reader import counts_things
from fin_tui.facts.words import camel_words, stem, stems
from fin_tui.language import any_of
from fin_tui.records import Fact

if TYPE_CHECKING:
    from fin_tui.facts.index import FilingFacts


_PLACES: Mapping[str, Sequence[str]] = {
    "income": ("income",),
    "balance": ("balance",),
    "cash_flow": ("cash_flow",),
    "equity": ("balance",),
    "debt": ("balance", "cash_flow"),
    "lease": ("balance",),
    "tax": ("income", "cash_flow"),
    "per_share": ("income",),
    "shares": ("income", "balance"),
}
_OUTFLOWS = ("Payments", "Repayments", "Cost", "TreasuryStock", "Dividends", "Depreciation", "Amortization")
_OUTFLOW_ENDS = ("Expense", "Expenses", "Paid", "PaidNet")
LEAST = 0.9
"""The likeness from which on a row bears a metric's name."""
_PARENT = 1.02
_OWN_NAME = 0.02
_TOTAL = 0.01
_NET = 0.005
_MAIN = ("income", "balance", "cash_flow", "equity")
_ATTRIBUTABLE = any_of("attributable/available/applicable to")
_DILUTED = any_of("dilut*")
_SAYS_DILUTED = 0.04
_SAID = 0.018
"""A row called as the question says: "net sales" where the statement has "total revenues" as well."""
_TO_COMMON = any_of("available/applicable to common")
"""What is left after preferred dividends: no net income where the statement has that too."""
_AFTER_PREFERRED = 0.94
_PER_SHARE = any_of("per common/ordinary share, per share of (common) stock")
_UNTOTALLED = 0.985
_INCOME_IN_BRACKETS = ("(income)", "(gain)", "(benefit)", "(earnings)")
"""A bracketed figure of such a row is the opposite of an expense."""
_MINORITY = any_of("non-controlling, noncontrolling, minority, discontinued, continuing")
_NOTES = re.compile(r"\(?\bnotes?\s+[\dA-Z, and]+\)?|\(\d\)|\$|[\d,]{4,}")
_BRACKETS = re.compile(r"\([^)]*\)")
_RATIO_DIGITS = 3
OF_PERCENT = frozenset(stems("percentage percent rate"))
"""Words of a row that only tell its unit."""
_DETAIL = re.compile(r",\s*net$|,?\s*(?:net of|less|including|excluding|which includes|at)\b.*", re.I)


def choose(held: FilingFacts, metric: Metric, year: Period) -> Choice | None:
    """The row of the metric's own statement that bears one of its labels; else of any table, when all such rows agree."""
    best: list[tuple[float, Fact]] = []
    wanted = _names_of(metric)
    said = stems(metric.said)
    company = frozenset(stems(held.filing.company)) if metric.statement == "equity" else frozenset()
    for fact in held.numeric:
        if fact.source == "xbrl" or not unit_fits(fact.unit, metric.unit) or not _fits(held, fact, year, metric):
            continue
        if _is_of_other_term(fact, metric):
            continue
        score = _likeness(fact, metric, wanted, company)
        if score >= LEAST:
            score += _SAID if said and stems(named_row(fact.label)) == said else 0.0
            best.append((score, fact))
    if not best:
        return None
    places = _PLACES.get(metric.statement, ())
    own = [pair for pair in best if pair[1].block is not None and held.statements.get(pair[1].block) in places]
    if own:
        return _turned(held, _chosen(own, metric), metric)
    best = [(score, fact) for score, fact in best if _believable(fact, metric)]
    top = max((score for score, _ in best), default=0.0)
    sure = [fact for score, fact in best if score == top]
    stated = [fact for fact in sure if _is_stated_ratio(fact, metric, said)]
    if stated and all(agree(stated[0], fact) for fact in stated):
        return Choice(stated[0], value_of(stated[0], metric), "as the filing states it")
    expected = metric.statement in _MAIN and _is_covered(held, year, metric, places)
    # A line that its own statement does not have is taken from elsewhere only when two tables say the same.
    enough = not expected or len({fact.block for fact in sure}) > 1
    if sure and enough and top >= 1.0 and all(agree(sure[0], fact) for fact in sure):
        return _chosen(best, metric)
    return None


_LONG, _SHORT = any_of("long-term, non-current, noncurrent"), any_of("short-term, current")


def _is_of_other_term(fact: Fact, metric: Metric) -> bool:
    """Whether a row stands under a heading of the other term: "Term debt" of the current liabilities is no long-term debt."""
    asked, heading = _term(metric.names[0]), _term(fact.label.rpartition(" > ")[0])
    return bool(asked and heading) and asked != heading


def _term(words: str) -> Literal["", "long", "short"]:
    """The term that words say: the current portion of long-term debt is short."""
    if _SHORT.search(_LONG.sub(" ", words)) is not None:
        return "short"
    return "long" if _LONG.search(words) is not None else ""


def likeness_of_row(fact: Fact, metric: Metric) -> float:
    """How surely the row of ``fact`` bears a name of ``metric``: 1 for the name itself."""
    return _likeness(fact, metric, _names_of(metric), frozenset())


def may_state(held: FilingFacts, metric: Metric) -> bool:
    """Whether a filing without tags may state ``metric`` under a longer name: a row says all words of one of its names."""
    if held.tagged:
        return False
    names = [frozenset(name) for name in _names_of(metric)]
    return held.once(("may state", metric.id), lambda: any(name <= set(row) for row in held.by_own_label for name in names))


def _names_of(metric: Metric) -> set[tuple[str, ...]]:
    return {tuple(sorted(stems(name))) for name in metric.labels}


def _likeness(fact: Fact, metric: Metric, wanted: Collection[tuple[str, ...]], company: frozenset[str]) -> float:
    score = _score(fact.label, wanted, company)
    # Where both stand, "earnings per share" alone is the basic figure.
    is_diluted = score >= LEAST and "diluted" in metric.id and _DILUTED.search(fact.label)
    return score + (_SAYS_DILUTED if is_diluted else 0.0)


def _chosen(best: Sequence[tuple[float, Fact]], metric: Metric) -> Choice:
    top = max(score for score, _ in best)
    facts = [fact for score, fact in best if score == top]
    fact = facts[0]
    return Choice(
        fact, spoken(fact, metric), "read from an untagged table", tuple(other for other in facts[1:4] if not agree(other, fact))
    )


def spoken(fact: Fact, metric: Metric) -> Decimal:
    """The value as people speak of it: statements print outflows and expenses in brackets, people say their size."""
    value = value_of(fact, metric)
    turns = (
        value < 0
        and _is_outflow(metric)
        and not any(said in fact.label.rpartition(" > ")[2].lower() for said in _INCOME_IN_BRACKETS)
    )
    return -value if turns else value


def _is_outflow(metric: Metric) -> bool:
    first = metric.concepts[0] if metric.concepts else ""
    is_outflow = first.partition(":")[2].startswith(_OUTFLOWS) or first.endswith(_OUTFLOW_ENDS)
    return is_outflow and "Income" not in first


def _believable(fact: Fact, metric: Metric) -> bool:
    """Outside of its statement a total is that of some part, and a small amount of money one whose scale was not read."""
    own = fact.label.rpartition(" > ")[2].lower()
    if own.startswith("total") and metric.statement in _MAIN:
        return False
    return metric.unit != "usd" or abs(fact.value or 0.0) >= LEAST_MONEY


def _turned(held: FilingFacts, choice: Choice, metric: Metric) -> Choice:
    """A tax expense that its statement prints in brackets, as what it takes off the income above it, turned positive."""
    if metric.id != "income_tax_expense" or choice.value >= 0:
        return choice
    column = [
        fact.value
        for fact in held.numeric
        if fact.block == choice.fact.block and fact.period_end == choice.fact.period_end and fact.start < choice.fact.start
    ]
    after = [
        fact.value
        for fact in held.numeric
        if fact.block == choice.fact.block and fact.period_end == choice.fact.period_end and fact.start > choice.fact.start
    ]
    tax = choice.fact.value or 0.0
    before = column[-1] if column else None
    if before is not None and any(value is not None and abs(before + tax - value) <= 2e-3 * abs(tax) for value in after[:3]):
        return replace(choice, value=-choice.value)
    return choice


def _fits(held: FilingFacts, fact: Fact, year: Period, metric: Metric) -> bool:
    if fits(fact, year, instant=metric.instant):
        return True
    # A column that says only "2018" has no length; its statement tells what it is. Outside of them it may be a balance, too.
    is_note = fact.block is not None and fact.block not in held.statements
    return fits(fact, year, instant=True) if not metric.instant else is_note and fits(fact, year, instant=False)


def _is_stated_ratio(fact: Fact, metric: Metric, said: tuple[str, ...]) -> bool:
    """A ratio that the filing itself prints under the name it is asked for by, in digits enough to stand for it."""
    is_ratio = bool(metric.formula) and metric.unit in ("%", "ratio")
    unit = OF_PERCENT if metric.unit == "%" else frozenset()
    row, asked = ([word for word in of if word not in unit] for of in (stems(named_row(fact.label)), said))
    return is_ratio and row == asked and sum(map(str.isdigit, fact.text)) >= _RATIO_DIGITS


def _is_covered(held: FilingFacts, year: Period, metric: Metric, places: Sequence[str]) -> bool:
    """Whether the metric's own statement shows the year: a summary of five years reaches further back than that."""
    own = {block for block, name in held.statements.items() if name in places}
    return any(fact.block in own and _fits(held, fact, year, metric) for fact in held.numeric)


def named_row(label: str) -> str:
    """The row's own name, without notes and brackets."""
    return _BRACKETS.sub(" ", _NOTES.sub(" ", label.rpartition(" > ")[2]))


def _score(label: str, wanted: Collection[tuple[str, ...]], company: frozenset[str]) -> float:
    """1 for a label that is one of the names, less where only a detail differs ("Inventories, net of reserves"), a little more
    where it names the company itself: the parent's share goes before the total.
    """
    best = 0.0
    for words, score in _forms(label):
        if score > best and words in wanted:
            best = score
        if company and score + _OWN_NAME > best and not company.isdisjoint(words):
            kept = tuple(word for word in words if word not in company)
            if kept in wanted:
                best = score + _OWN_NAME
    return best


@lru_cache(maxsize=10_000)
def _forms(label: str) -> tuple[tuple[tuple[str, ...], float], ...]:
    """The names that a label can be read as, each as its stems in order, and how surely.

    Kept for as many labels as several filings have: each figure that is looked up is compared with all of them.
    """
    parts = label.split(" > ")
    own = _PER_SHARE.sub("per share", _NOTES.sub(" ", parts[-1]))
    bare = _BRACKETS.sub(" ", own)
    forms = [(own, 1.0), (bare, 0.98), (_DETAIL.sub("", bare), 0.95)]
    if (parent := _ATTRIBUTABLE.search(bare)) and not _MINORITY.search(bare):
        forms.append((bare[: parent.start()].rstrip(), _AFTER_PREFERRED if _TO_COMMON.search(bare) else _PARENT))
    first, _, rest = bare.partition(" ")
    if first.lower() == "total" and rest:
        forms.append((rest, _UNTOTALLED))
    if len(parts) > 1:
        whole = f"{_NOTES.sub(' ', parts[-2])} {bare}"
        forms += [(f"{parts[-2]} {bare}", 0.96), (_ATTRIBUTABLE.split(whole, 1)[0].rstrip(), 0.95)]
    total = (_TOTAL if any_of("total").match(own) else 0.0) + (_NET if any_of("net").search(own) else 0.0)
    surest: dict[str, float] = {}
    for form, score in forms:  # Most labels have neither notes nor brackets, so that several forms are the same.
        surest[form] = max(score, surest.get(form, 0.0))
    return tuple((tuple(sorted(stems(form))), score + total) for form, score in surest.items())


_COUNTED = re.compile(
    r"^(?!.*(?:\b(?:per|from|to|due|paid|deposits?|receivables?|payables?|revenues?|sales|income|costs?|expenses?|loans?|compensation|"
    r"benefits?|value|fees?|amounts?|payments?|earnings|dollars)\b|\$))(?:[\w'’&.,/()-]+\s+){0,5}?"
    r"(?:(?:\w+-?)?(?:card)?holders|(?:card)?members|memberships|customers|subscribers|employees|associates|headcount|users|guests|"
    r"stores|locations|restaurants|warehouses|hotels|rooms|branches|countries|clubs|cards(?:-in-force)?|households|visitors|patients|"
    r"beds|dealers|suppliers)\b(?:\W+\w+){0,6}\W*$",
    re.I,
)
"""A row named after people, places or things: "Total cardholders", "Stores at the end of the year"."""
_OF_SHARES = frozenset(
    map(stem, "share shares stock option options unit units award awards rsu rsus eps warrants price number".split())
)
_LEAST = 0.78
_MARGIN = 0.06
_DIMENSION = 0.1
_UNTAGGED = 0.07
_MOST = 5


def find_by_words(held: FilingFacts, phrase: str, year: Period) -> Choice | Gap | None:
    """The figure of ``year`` whose label says ``phrase``; a ``Gap`` with candidates when others fit nearly as well."""
    asked = stems(phrase)
    if not asked:
        return None
    scored = _scored(held, asked, year)
    scored.sort(key=lambda pair: -pair[0])
    if not scored or scored[0][0] < _LEAST:
        return None
    score, top = scored[0]
    rivals = [fact for other, fact in scored[1:] if other > score - _MARGIN and not agree(fact, top)]
    if rivals:
        return Gap("", year, f"Several rows fit “{phrase}” about equally well.", (top, *rivals[: _MOST - 1]))
    return Choice(top, _value(top), others=tuple(fact for _, fact in scored[1:_MOST]))


def unit_of(fact: Fact) -> Unit:
    """The unit in which a value is shown. An untagged row that is called by what can be counted is no money; one whose name the
    reader of tables knows for such things is money only where its table showed that.
    """
    own = fact.label.rpartition(" > ")[2]
    is_shown = fact.source == "table" and counts_things(fact.concept.removeprefix("table:"))
    if fact.source != "xbrl" and fact.unit == "usd" and "$" not in fact.text and _COUNTED.search(own) and not is_shown:
        return "count"
    if fact.unit.endswith(("/share", "/shares")):
        return "usd/share"
    if fact.unit in ("pure", "percent", "%"):
        return "%"
    if fact.unit == "shares":
        return "shares"
    return "usd" if len(fact.unit) == 3 and fact.unit.isalpha() else "count"


def _value(fact: Fact) -> Decimal:
    value = exact(fact.value or 0.0)
    return value * 100 if unit_of(fact) == "%" else value


def _scored(held: FilingFacts, asked: Sequence[str], year: Period) -> list[tuple[float, Fact]]:
    wanted = frozenset(asked)
    weights, rarest = held.label_weights, max(held.label_weights.values(), default=1.0)
    found: list[tuple[float, Fact]] = []

    def weight(some: Collection[str]) -> float:
        return sum(weights.get(word, rarest) for word in some)

    for fact, label in zip(held.numeric, held.label_stems, strict=True):
        named = _tag_stems(fact.concept)
        if not wanted & label and not wanted & named:
            continue
        if (
            not (fits(fact, year, instant=False) or fits(fact, year, instant=True))
            or not _measures(fact, wanted)
            or held.is_unscaled(fact)
        ):
            continue
        own = frozenset(stems(fact.label.rpartition(" > ")[2]))
        score = max(_overlap(wanted, own, label, weight), 0.97 * _overlap(wanted, named, named, weight))
        score -= _DIMENSION * len(fact.dimensions) + (_UNTAGGED if held.tagged and fact.source != "xbrl" else 0.0)
        if score > 0.3:
            found.append((score, fact))
    return found


def _measures(fact: Fact, wanted: frozenset[str]) -> bool:
    """Numbers of shares and amounts per share are told only to who asks for such: a balance of notes is money."""
    kind = unit_of(fact)
    return kind not in ("shares", "usd/share") or bool(wanted & _OF_SHARES)


def _overlap(
    wanted: frozenset[str], own: frozenset[str], path: frozenset[str], weight: Callable[[Collection[str]], float]
) -> float:
    """Weighted F-measure: the asked words that label and path have, the label's own words that were asked."""
    recall = weight(wanted & (own | path)) / weight(wanted)
    precision = weight(own & wanted) / weight(own) if own else 0.0
    return 2 * recall * precision / (recall + precision) if recall + precision else 0.0


@lru_cache(maxsize=20_000)
def _tag_stems(concept: str) -> frozenset[str]:
    """The stems of the words of a tag."""
    return frozenset(stem(word) for word in camel_words(concept.partition(":")[2]))
