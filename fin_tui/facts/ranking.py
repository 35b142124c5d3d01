"""Lines of a statement, and parts of a company, that can be put in order: assets, liabilities, expenses, segments, products."""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal

from fin_tui.facts import parts, row_labels, vocabulary
from fin_tui.facts.choose import choose
from fin_tui.facts.figures import Metric, Period, best_of, unit_fits
from fin_tui.facts.index import fits
from fin_tui.facts.words import member_names
from fin_tui.language import any_of, is_followed
from fin_tui.records import Fact

if TYPE_CHECKING:
    from fin_tui.facts.index import FilingFacts

Kind = Literal["asset", "liability", "expense", "segment", "product", "region"]
_SEGMENTS = "us-gaap:StatementBusinessSegmentsAxis"
_AXES: dict[Kind, tuple[str, ...]] = {
    "segment": (_SEGMENTS,),
    "product": ("srt:ProductOrServiceAxis", "us-gaap:ProductOrServiceAxis"),
    "region": ("srt:StatementGeographicalAxis", "us-gaap:StatementGeographicalAxis", _SEGMENTS),
}
_TITLES: dict[Kind, re.Pattern[str]] = {
    "segment": any_of("segment(s), division(s), business(es)"),
    "product": any_of("product(s), categor*, offering(s), service(s)"),
    "region": any_of("region(s), geograph*, countr*, area(s), segment(s)"),
}
_SHARES = {"revenue": (0.85, 1.3), "other": (0.75, 1.8)}
"""Of the whole that its parts come to: eliminations and the costs of the centre stand between them."""
_NO_SUM = any_of("*eliminat*, *intersegment*, *reconcil*, total(s), *consolidated*, *reportable*, *percent*, %")
_NO_SUM_ENDS = ("operating segment", "operating segments")
_NO_PART = any_of("*corporate*, *unallocated*, other")
_TOTAL, _NET_TOTALS = any_of("subtotal(s), total(s)"), frozenset(("net assets", "net sales", "net revenue", "net revenues"))
_LESS, _ACCUMULATED, _NET = any_of("less"), any_of("accumulated depreciation/amortization"), any_of("net")
_EQUITY = any_of(
    "equity, shareholders/shareholders'/stockholders/stockholders'/shareowners/shareowners' investment/deficit, retained, "
    "reinvested, paid-in, non-controlling, noncontrolling, minority, accumulated other/deficit, par value"
)
_OF_OWNERS = any_of("common/preferred/capital/treasury stock/shares, commitments*")
_TOTAL_ASSETS = any_of("total assets")
_END_CURRENT = any_of("total current")
_COST = any_of(
    "cost(s), expense(s), selling, marketing, research, general, depreciation, amortisation, amortization, "
    "charge(s), salaries, compensation, provision, impairment(s), benefits, rent"
)
_COST_OF, _COST_ALONE = any_of("(total) cost(s) of"), any_of("cost")
_SALES = any_of("sales, revenue(s), goods, product(s), services")
_NO_EXPENSE, _A_TOTAL = any_of("gross, before, earnings, per share, margin"), any_of("total, subtotal")
_INCOME, _TAX = any_of("income"), any_of("tax*")
_ALL_EXPENSES = frozenset(("operating expense", "operating expenses", "costs and expenses"))
_OPERATING = any_of("operating income/profit/earnings/loss")
_RESULT, _FROM = any_of("income, earnings, profit, loss"), any_of("from, before")
_ROUNDING = 1e-6
_ABOVE = 300
"""Characters above a table without a title that may say what it shows."""


_Group = list[tuple[str, Fact]]


@dataclass(frozen=True, slots=True)
class Ranking:
    """What is to be put in order."""

    kind: Kind
    narrowed: Literal["", "current", "noncurrent", "operating"] = ""
    """Only such assets, liabilities or expenses."""
    metric: Metric | None = None
    """By which segments, products or regions are compared."""
    lowest: bool = False


def find(held: FilingFacts, ranking: Ranking, year: Period) -> list[tuple[str, Fact]]:
    """(name, fact) of each line or part, largest first, or smallest where that is asked; empty when fewer than two are known."""
    if ranking.metric is not None:
        found = _parts(held, ranking.kind, ranking.metric, year)
    elif ranking.kind == "expense":
        found = _expenses(held, year, operating=ranking.narrowed == "operating")
    else:
        found = _balances(held, ranking, year)
    if len(found) < 2:
        return []
    size = (lambda pair: pair[1].value or 0.0) if ranking.metric else (lambda pair: abs(pair[1].value or 0.0))
    return sorted(found, key=size, reverse=not ranking.lowest)


def _lines(held: FilingFacts, statement: str, year: Period) -> list[Fact]:
    """The lines of a statement for ``year`` in reading order, each once."""
    blocks = {block for block, name in held.statements.items() if name == statement}
    instant = statement == "balance"
    found: dict[int, Fact] = {}
    for fact in held.numeric:
        if fact.block in blocks and not fact.dimensions and unit_fits(fact.unit, "usd") and fits(fact, year, instant=instant):
            found.setdefault(fact.start, fact)
    return [found[start] for start in sorted(found)]


def _own(fact: Fact) -> str:
    return fact.label.rpartition(" > ")[2].strip(" :")


def _balances(held: FilingFacts, ranking: Ranking, year: Period) -> list[tuple[str, Fact]]:
    lines = _lines(held, "balance", year)
    end = next((at for at, fact in enumerate(lines) if _TOTAL_ASSETS.match(_own(fact))), None)
    if end is None:
        return []
    if ranking.kind == "asset":
        side = lines[:end]
    else:
        rest = lines[end + 1 :]
        equity = next(
            (at for at, fact in enumerate(rest) if _EQUITY.search(_own(fact)) or _OF_OWNERS.match(_own(fact))), len(rest)
        )
        side = rest[:equity]
    current = next((at for at, fact in enumerate(side) if _END_CURRENT.match(_own(fact))), None)
    if ranking.narrowed:
        if current is None:
            return []
        side = side[:current] if ranking.narrowed == "current" else side[current + 1 :]
    return [(_own(fact), fact) for fact in _details(side) if fact.value]


def _details(lines: Sequence[Fact]) -> list[Fact]:
    """``lines`` without totals, and without what a line below takes off: "Property, at cost" and "Less depreciation"."""
    kept: list[Fact] = []
    for at, fact in enumerate(lines):
        own = _own(fact)
        below = _own(lines[at + 1]) if at + 1 < len(lines) else ""
        if _is_total(own) or _is_taken_off(own) or _is_taken_off(below) or _sums_up(fact, kept):
            continue
        kept.append(fact)
    return kept


def _is_total(own: str) -> bool:
    return _TOTAL.match(own) is not None or own.lower() in _NET_TOTALS


def _is_taken_off(own: str) -> bool:
    """Whether a line is taken off from the one above; what is "net" has it taken off."""
    accumulated = _ACCUMULATED.search(own)
    return bool(_LESS.match(own.removeprefix("(")) or (accumulated and not _NET.search(own, accumulated.end())))


def _sums_up(fact: Fact, before: Sequence[Fact]) -> bool:
    """Whether the lines right above add up to ``fact``."""
    wanted, total = fact.value or 0.0, 0.0
    for count, one in enumerate(reversed(before), start=1):
        total += one.value or 0.0
        if count > 1 and wanted and abs(total - wanted) <= _ROUNDING * abs(wanted):
            return True
    return False


def _expenses(held: FilingFacts, year: Period, *, operating: bool) -> list[tuple[str, Fact]]:
    lines = _lines(held, "income", year)
    results = (at for at, fact in enumerate(lines) if at and _is_result(_own(fact)) and not _COST.search(_own(fact)))
    end = next(results, len(lines))
    found = []
    for fact in _details(lines[:end]):
        own = _own(fact)
        if not _COST.search(own) or _is_no_expense(own) or (operating and _is_of_sales(own)) or not fact.value:
            continue
        found.append((own, fact))
    return found


def _is_result(own: str) -> bool:
    """Whether a line of the income statement is what is left after expenses."""
    said = own.replace("(", " ").replace(")", " ")
    return _OPERATING.search(said) is not None or is_followed(said, _RESULT, _FROM)


def _is_no_expense(own: str) -> bool:
    untaxed = _INCOME.search(own) is not None and not is_followed(own, _INCOME, _TAX)
    return bool(untaxed or _NO_EXPENSE.search(own) or _A_TOTAL.match(own)) or own.lower() in _ALL_EXPENSES


def _is_of_sales(own: str) -> bool:
    return bool(_COST_OF.match(own) or (_COST_ALONE.match(own) and _SALES.search(own)))


def _parts(held: FilingFacts, kind: Kind, metric: Metric, year: Period) -> list[tuple[str, Fact]]:
    """The parts of the group that is surest: one headed by the kind, with most parts, of those that come to about the whole.

    A group of other figures may also be known by its names: those of the parts whose revenue comes to the whole.
    """
    whole = choose(held, metric, year) if held.tagged else row_labels.choose(held, metric, year)
    revenue = vocabulary().get("revenue")
    known: frozenset[str] = frozenset()
    if metric.id != "revenue" and revenue is not None:
        known = frozenset(name for name, _ in _parts(held, kind, revenue, year))
    best: tuple[tuple[bool, int], list[tuple[str, Fact]]] = ((False, 0), [])
    for is_headed, group in _groups(held, kind, metric, year):
        found = _without_sums([(name, fact) for name, fact in group if not _is_no_part(name)])
        named = [(name, fact) for name, fact in found if not _NO_PART.search(name)]
        if metric.id == "revenue":
            named = [(name, fact) for name, fact in named if (fact.value or 0.0) > 0]
        is_known = len(known) > 1 and known == {name for name, _ in named}
        if (is_known or (whole is not None and _covers(found, float(whole.value), metric))) and (is_headed, len(named)) > best[0]:
            best = ((is_headed, len(named)), named)
    return best[1]


def _is_no_part(name: str) -> bool:
    return _NO_SUM.search(name) is not None or name.lower().endswith(_NO_SUM_ENDS)


def _covers(found: Sequence[tuple[str, Fact]], whole: float, metric: Metric) -> bool:
    """Whether the parts come to about the whole."""
    least, most = _SHARES["revenue" if metric.id == "revenue" else "other"]
    return whole != 0 and least <= sum(fact.value or 0.0 for _, fact in found) / whole <= most


def _groups(held: FilingFacts, kind: Kind, metric: Metric, year: Period) -> Iterator[tuple[bool, _Group]]:
    """Figures that may be those of all parts, and whether the line above them names the kind."""
    if held.tagged:
        yield from ((True, group) for group in _tagged_groups(held, kind, metric, year))
    else:
        yield from _untagged_groups(held, kind, metric, year)


def _tagged_groups(held: FilingFacts, kind: Kind, metric: Metric, year: Period) -> Iterator[list[tuple[str, Fact]]]:
    for axis in _AXES[kind]:
        for concept in metric.concepts:
            groups: defaultdict[str, list[Fact]] = defaultdict(list)
            for fact in held.dimensioned:
                if (
                    fact.concept != concept
                    or not unit_fits(fact.unit, metric.unit)
                    or not fits(fact, year, instant=metric.instant)
                ):
                    continue
                kept = {one: member for one, member in fact.dimensions.items() if one != "srt:ConsolidationItemsAxis"}
                if set(kept) == {axis}:
                    groups[kept[axis]].append(fact)
            yield [(_part_name(member, held, facts), best_of(facts)) for member, facts in groups.items()]


def _part_name(member: str, held: FilingFacts, facts: Sequence[Fact]) -> str:
    """The label of the row that is called by the member, else the member's name in words."""
    names = member_names(member, held.filing.company)
    squeezed = {name.replace(" ", "") for name in names}
    labels = [_own(fact) for fact in facts if fact.label]
    return next((label for label in labels if "".join(label.lower().split()) in squeezed), names[0].title())


def _untagged_groups(held: FilingFacts, kind: Kind, metric: Metric, year: Period) -> Iterator[tuple[bool, _Group]]:
    """The parts that stand together: in one table, under one line."""
    titles = _titles(held)
    groups: defaultdict[tuple[int, str], dict[str, Fact]] = defaultdict(dict)
    for name, fact in parts.all_of(held, metric, year):
        above = fact.label.rpartition(" > ")[0]
        if fact.block is not None and _TITLES[kind].search(f"{titles.get(fact.block, '')} {above}"):
            groups[fact.block, above].setdefault(name, fact)
    for (_, above), group in groups.items():
        yield _TITLES[kind].search(above) is not None, list(group.items())


def _titles(held: FilingFacts) -> dict[int, str]:
    """What stands over each table: its title, else the words right above it."""
    blocks, text = held.library.document(held.filing.id).blocks, held.library.text(held.filing.id)
    found: dict[int, str] = {}
    for at, block in enumerate(blocks):
        if block.table is not None:
            above = [one for one in blocks[max(0, at - 2) : at] if one.table is None]
            found[block.ordinal] = block.table.title or " ".join(text[one.start : one.end][-_ABOVE:] for one in above)
    return found


def _without_sums(found: list[tuple[str, Fact]]) -> list[tuple[str, Fact]]:
    """Without the parts that two or more others add up to: "Products" beside each of them."""
    ordered = sorted(found, key=lambda pair: -(pair[1].value or 0.0))
    kept = []
    for at, (name, fact) in enumerate(ordered):
        rest = [one.value or 0.0 for _, one in ordered[at + 1 :]]
        if len(rest) < 2 or not _some_add_up(fact.value or 0.0, rest):
            kept.append((name, fact))
    return kept if len(kept) > 1 else found


def _some_add_up(wanted: float, values: list[float]) -> bool:
    """Whether two or more of ``values`` (at most twelve) sum to ``wanted``."""
    sums: dict[float, int] = {0.0: 0}
    for value in values[:12]:
        for total, count in list(sums.items()):
            new = round(total + value, 6)
            sums[new] = max(sums.get(new, 0), count + 1)
    return any(count > 1 and wanted and abs(total - wanted) <= _ROUNDING * abs(wanted) for total, count in sums.items())
