"""Which fact of one filing is the figure of a metric for a fiscal year."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from decimal import Decimal

from fin_tui.facts.figures import Metric, Period, Unit
from fin_tui.facts.index import CLASS_AXIS, FilingFacts
from fin_tui.facts.periods import fits
from fin_tui.facts.words import camel_words, stems
from fin_tui.records import Fact

_HUNDRED = Decimal(100)
_EXACT = 99
_CURRENCY = re.compile(r"[a-z]{3}$")
_INDUSTRY_MARKS = (
    ("insurer", "us-gaap:PremiumsEarnedNet"),
    ("bank", "us-gaap:InterestAndDividendIncomeOperating"),
    ("bank", "us-gaap:Deposits"),
    ("real_estate", "us-gaap:RealEstateInvestmentPropertyNet"),
    ("retailer", "us-gaap:RetailRelatedInventoryMerchandise"),
)
_MAIN = ("income", "balance", "cash_flow")
_PARENT, _WHOLE = "us-gaap:NetIncomeLoss", "us-gaap:ProfitLoss"


@dataclass(frozen=True, slots=True)
class Choice:
    """A fact with its value as people speak of it."""

    fact: Fact
    value: Decimal
    note: str = ""
    others: tuple[Fact, ...] = ()


def choose(held: FilingFacts, metric: Metric, year: Period) -> Choice | None:
    """The figure of ``metric`` for ``year``: the row called as the question says, then what stands in the metric's own
    statement, then any, by its concepts in order of preference; None when none is tagged.
    """
    choices: list[Choice] = []
    own: list[Choice] = []
    for concept in concepts_of(held, metric):
        choice = of_concept(held, metric, concept, year)
        if choice is not None:
            choices.append(choice)
            if metric.statement in _MAIN and held.statements.get(_block(choice.fact)) == metric.statement:
                own.append(choice)
    wanted = () if _PARENT in metric.concepts else stems(metric.said)  # Net income is the parent's, whatever the rows are called.
    called = [choice for choice in own if wanted and stems(choice.fact.label.rpartition(" > ")[2]) == wanted]
    # A tag may be used for a line of another statement: what the metric's own one shows goes first.
    own = own or _by_row(held, metric, year)
    return next(iter((*called, *own, *choices)), None)


def _by_row(held: FilingFacts, metric: Metric, year: Period) -> list[Choice]:
    """The line of the metric's own statement that is called by one of its names, under a tag of the company's own."""
    if metric.statement not in _MAIN:
        return []
    names = {stems(name) for name in metric.labels}
    found = [
        fact
        for fact in held.numeric
        if not fact.dimensions
        and held.statements.get(_block(fact)) == metric.statement
        and _is_own(fact)
        and stems(fact.label.rpartition(" > ")[2]) in names
        and unit_fits(fact.unit, metric.unit)
        and fits(fact, year, instant=metric.instant)
    ]
    return [Choice(found[0], value_of(found[0], metric))] if found and all(agree(fact, found[0]) for fact in found) else []


def _is_own(fact: Fact) -> bool:
    """Whether the company made up the tag itself."""
    return fact.concept.partition(":")[0] not in ("us-gaap", "ifrs-full", "dei", "srt", "")


def _block(fact: Fact) -> int:
    return -1 if fact.block is None else fact.block


def concepts_of(held: FilingFacts, metric: Metric) -> Sequence[str]:
    """The concepts of ``metric``, those preferred in the filing's industry first."""
    if not metric.variants:
        return metric.concepts
    industry = next((name for name, concept in _INDUSTRY_MARKS if concept in held.by_concept), "")
    return tuple(dict.fromkeys((*metric.variants.get(industry, ()), *metric.concepts)))


def of_concept(held: FilingFacts, metric: Metric, concept: str, year: Period) -> Choice | None:
    """The figure that ``concept`` gives: of the whole company, else of its classes of stock."""
    facts = [fact for fact in held.by_concept.get(concept, ()) if _belongs(held, fact, metric, concept, year)]
    if facts:
        best = best_of(facts)
        note = _note(held, metric, best, year)
        return Choice(best, value_of(best, metric), note, tuple(_different(facts, best)))
    classes = [fact for fact in held.by_class.get(concept, ()) if _belongs(held, fact, metric, concept, year)]
    return _of_classes(classes, metric) if classes else None


def _belongs(held: FilingFacts, fact: Fact, metric: Metric, concept: str, year: Period) -> bool:
    if not unit_fits(fact.unit, metric.unit):
        return False
    if concept.startswith("dei:"):
        # Cover facts are dated by the cover, some months before or after the year they speak for.
        return bool(held.years) and held.years[0].label == year.label and held.filing.period_end is not None
    return fits(fact, year, instant=metric.instant) or (metric.unit == "count" and _counts(fact, year))


def _counts(fact: Fact, year: Period) -> bool:
    """Numbers of segments or stores are tagged for the day as well as for the year."""
    return fits(fact, year, instant=True) or fits(fact, year, instant=False)


def unit_fits(unit: str, wanted: Unit) -> bool:
    """Whether a fact's unit can give a figure in ``wanted``; foreign money counts as money."""
    match wanted:
        case "usd":
            return bool(_CURRENCY.match(unit))
        case "usd/share":
            return unit.endswith("/share") or unit.endswith("/shares")
        case "%" | "ratio":
            return unit in ("pure", "percent", "%")
        case "shares":
            return unit == "shares"
        case _:
            return not _CURRENCY.match(unit)


def best_of(facts: Sequence[Fact]) -> Fact:
    """Of facts that state the same: the value that most agree on, in its most exact form that is printed, first in order."""
    votes: Counter[float] = Counter()
    for fact in facts:
        for other in facts:
            votes[_number(fact)] += agree(fact, other)
    return min(
        enumerate(facts),
        key=lambda pair: (
            -votes[_number(pair[1])] / _repeats(facts, pair[1]),
            pair[1].block is None,
            -exactness(pair[1]),
            pair[0],
        ),
    )[1]


def _repeats(facts: Sequence[Fact], fact: Fact) -> int:
    return sum(other.value == fact.value for other in facts)


def _number(fact: Fact) -> float:
    return fact.value if fact.value is not None else 0.0


def exactness(fact: Fact) -> int:
    """Decimals of a fact; unlimited when none are given."""
    return _EXACT if fact.decimals is None else fact.decimals


def agree(one: Fact, other: Fact) -> bool:
    """Whether two facts state one value, allowing for the rounding of the coarser."""
    if one.value is None or other.value is None:
        return False
    if one.value == other.value:
        return True
    coarser = min(exactness(one), exactness(other))
    return coarser < _EXACT and abs(one.value - other.value) <= 0.5 * 10.0**-coarser


def _different(facts: Iterable[Fact], best: Fact) -> list[Fact]:
    return [fact for fact in facts if not agree(fact, best)][:3]


def value_of(fact: Fact, metric: Metric) -> Decimal:
    """The value in the metric's unit and sign: percentages as 14.2, money in base units."""
    value = exact(fact.value or 0.0)
    if metric.unit == "%" and fact.unit == "pure":
        value *= _HUNDRED
    return -value if metric.negate else value


def exact(value: float) -> Decimal:
    """The decimal that prints as the float does: 6.13, not 6.1299999."""
    return Decimal(int(value)) if value.is_integer() else Decimal(repr(value))


def _of_classes(facts: Sequence[Fact], metric: Metric) -> Choice:
    """One figure from several classes of stock: a sum of shares on the cover, otherwise the first class, named."""
    by_class: dict[str, Fact] = {}
    for fact in facts:
        by_class.setdefault(fact.dimensions[CLASS_AXIS], fact)
    first, *others = by_class.values()
    if not others:
        return Choice(first, value_of(first, metric))
    if len({fact.value for fact in by_class.values()}) == 1:
        return Choice(first, value_of(first, metric), "the same for each class of stock", tuple(others))
    names = [class_name(member) for member in by_class]
    if metric.unit == "shares":
        total = sum((value_of(fact, metric) for fact in by_class.values()), Decimal(0))
        parts = ", ".join(f"{name} {value_of(fact, metric):,}" for name, fact in zip(names, by_class.values(), strict=True))
        return Choice(first, total, f"sum of {parts}", tuple(others))
    return Choice(first, value_of(first, metric), f"{names[0]}; other classes differ", tuple(others))


def class_name(member: str) -> str:
    """ "us-gaap:CommonClassAMember" -> "common class a"."""
    return " ".join(camel_words(member.partition(":")[2].removesuffix("Member")))


def _note(held: FilingFacts, metric: Metric, fact: Fact, year: Period) -> str:
    if fact.concept not in (_PARENT, _WHOLE) or _PARENT not in metric.concepts:
        return "" if fact.unit.startswith("usd") or metric.unit not in ("usd", "usd/share") else f"in {fact.unit.upper()}"
    other = _WHOLE if fact.concept == _PARENT else _PARENT
    found = [candidate for candidate in held.by_concept.get(other, ()) if fits(candidate, year, instant=False)]
    if not found or agree(best_of(found), fact):
        return ""
    amount = f"{value_of(best_of(found), metric):,}"
    if fact.concept == _PARENT:
        return f"net income of the parent; {amount} with noncontrolling interests"
    return f"with noncontrolling interests; {amount} of the parent"
