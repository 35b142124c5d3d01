"""Which fact of one filing is the figure of a metric for a fiscal year."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from decimal import Decimal

from fin_tui.facts.figures import Figure, Metric, Period, agree, best_of, exactness, unit_fits, value_of
from fin_tui.facts.index import CLASS_AXIS, FilingFacts, fits
from fin_tui.facts.words import camel_words, stems
from fin_tui.records import Fact

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
    first = next(iter((*called, *own, *choices)), None)
    if first is not None and not first.value and metric.statement == "debt":  # A dash in a note is no line of the balance sheet.
        return next((one for one in choices if one.value and held.statements.get(_block(one.fact)) == "balance"), first)
    return first


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


def _different(facts: Iterable[Fact], best: Fact) -> list[Fact]:
    return [fact for fact in facts if not agree(fact, best)][:3]


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
    # The other figure is not cited, so no number of it is told.
    return "without noncontrolling interests" if fact.concept == _PARENT else "with noncontrolling interests"


_TINY = Decimal("0.0005")
_SPLITS = (2, 3, 4, 5, 6, 7, 8, 10, 12, 15, 20, 25, 30, 40, 50)
_SPLIT_TOLERANCE = Decimal("0.012")


def with_restatement(first: Figure, later: Sequence[Figure]) -> Figure:
    """``first`` with the different value that the last of ``later`` gives for the same period, when there is one."""
    for figure in reversed(later):
        if differs(first, figure):
            split = split_between(first, figure)
            note = f"restated for a {split} stock split" if split else ""
            return replace(
                first,
                restated=figure.value,
                restated_in=figure.filing,
                note="; ".join(filter(None, (first.note, note))),
            )
    return first


def differs(one: Figure, other: Figure) -> bool:
    """Whether two figures of one period state different values, beyond the rounding of the coarser."""
    gap = abs(one.value - other.value)
    if gap == 0:
        return False
    coarser = min(exactness(one.fact), exactness(other.fact))
    percent = Decimal(100) if one.unit == "%" else Decimal(1)
    accuracy = Decimal(0) if coarser >= 90 else Decimal(10) ** -coarser * percent
    return gap > max(accuracy, _TINY * abs(one.value)) if one.unit != "usd/share" else gap > Decimal("0.005")


def split_factor(first: Figure, later: Figure) -> Decimal | None:
    """Shares after one share before, when the two values of one period differ by a stock split; None otherwise."""
    if first.unit not in ("usd/share", "shares") or not first.value or not later.value:
        return None
    ratio = first.value / later.value if first.unit == "usd/share" else later.value / first.value
    for size in _SPLITS:
        for factor in (Decimal(size), 1 / Decimal(size)):
            # Per-share data are rounded to cents, so small amounts give the ratio only roughly.
            slack = _SPLIT_TOLERANCE + (
                Decimal("0.006") / abs(min(first.value, later.value, key=abs)) if first.unit == "usd/share" else 0
            )
            if abs(ratio / factor - 1) <= slack:
                return factor
    return None


def split_between(first: Figure, later: Figure) -> str:
    """ "10-for-1" (or "1-for-8" for a reverse split) when a split explains the difference; "" otherwise."""
    factor = split_factor(first, later)
    if factor is None:
        return ""
    return f"{int(factor)}-for-1" if factor > 1 else f"1-for-{round(1 / factor)}"


def on_basis(figure: Figure, metric: Metric, factor: Decimal, split: str) -> Figure:
    """``figure`` of before a split, put on the basis of after it."""
    if metric.unit == "usd/share":
        value = figure.value / factor
    elif metric.unit == "shares":
        value = figure.value * factor
    else:
        return figure
    note = f"as reported {figure.value:,}, put on the basis after a {split} stock split"
    return replace(figure, value=value.quantize(Decimal("0.0001")), note="; ".join(filter(None, (figure.note, note))))
