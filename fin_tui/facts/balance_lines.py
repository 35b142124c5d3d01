"""The lines of a balance sheet that a figure is the sum of: all that says debt, all cash and securities.

Companies part these as they like: term debt and commercial paper, loans and notes payable, current and non-current securities.
"""

from __future__ import annotations

from collections.abc import Collection, Sequence
from typing import TYPE_CHECKING

from fin_tui.facts.figures import Metric, Period
from fin_tui.facts.index import fits
from fin_tui.facts.row_labels import named_row
from fin_tui.facts.words import camel_words, stems
from fin_tui.records import Fact

if TYPE_CHECKING:
    from fin_tui.facts.index import FilingFacts

_TOTAL_ASSETS = frozenset(stems("total assets"))
_CURRENT = frozenset(stems("total current liabilities"))
_BESIDE = frozenset(
    word
    for words in (
        "total accrued interest derivative receivable issuance restricted equity affiliates unrealized gain deferred",
        "accounts non nonmarketable",
    )
    for word in stems(words)
)
"""A line with one of these words only has to do with what it speaks of, or adds up other lines."""
_NET, _TOTAL = frozenset(stems("net")), frozenset(stems("total"))
_LONGEST = 80
"""Characters of a line's name; what is longer is a sentence."""
_ELSEWHERE = ("us-gaap:LongTermDebtCurrent", "us-gaap:ShortTermBorrowings", "us-gaap:CommercialPaper")
"""What falls due within a year, where the balance sheet has it among other liabilities."""


def lines_of(held: FilingFacts, metric: Metric, year: Period) -> list[Fact]:
    """The lines at the end of ``year`` that make up ``metric``, in order; empty where the balance sheet shows not all of them."""
    if not metric.lines:
        return _under_heading(held, metric, year) if metric.statement == "balance" and not metric.formula else []
    sheet = held.once(("balance sheet", year), lambda: _sheet(held, year))
    top = next((at for at, fact in enumerate(sheet) if _words(fact) == _TOTAL_ASSETS), None)
    if top is None:
        return []
    is_debt = metric.statement == "debt"
    side = sheet[top + 1 :] if is_debt else sheet[:top]
    asked = [frozenset(stems(words)) for words in metric.lines]
    found = [fact for fact in side if _tells_of(fact, asked)]
    if any(one <= frozenset(stems(fact.label.rpartition(" > ")[0])) for fact in side for one in asked if fact.value):
        return []  # The lines under "Cash and cash equivalents" part what their total tells.
    return [fact for fact in (_with_current(held, found, side, year) if is_debt else found) if fact.value]


def _under_heading(held: FilingFacts, metric: Metric, year: Period) -> list[Fact]:
    """The lines that stand under the name of ``metric`` in a balance sheet without tags, which prints no total of them."""
    if held.tagged:
        return []
    names = {frozenset(stems(name)) for name in metric.labels}
    under: dict[str, list[Fact]] = {}
    for fact in held.once(("balance sheet", year), lambda: _sheet(held, year)):
        heading = fact.label.rpartition(" > ")[0]
        if heading and frozenset(stems(heading.rpartition(" > ")[2])) - _NET in names:
            under.setdefault(heading, []).append(fact)
    found = [lines for lines in (_up_to_total(lines, names) for lines in under.values()) if len(lines) > 1]
    return [line for line in found[0] if line.value] if len(found) == 1 else []


def _up_to_total(lines: Sequence[Fact], names: Collection[frozenset[str]]) -> list[Fact]:
    """The lines before the total of those around them; none where a total of their own is printed."""
    end = next((at for at, line in enumerate(lines) if _words(line) >= _TOTAL), len(lines))
    has_own = end < len(lines) and _words(lines[end]) - _TOTAL - _NET in names
    return [] if has_own else list(lines[:end])


def name_of(line: Fact, lines: Sequence[Fact]) -> str:
    """What a line is called among others: with its heading where two are called the same."""
    if line.block is None or len(line.label) > _LONGEST or line.label.lower().startswith("less"):  # Told in a note.
        return " ".join(camel_words(line.concept.partition(":")[2]))
    heading, _, _ = line.label.rpartition(" > ")
    name = " ".join(named_row(line.label).split())
    is_one = sum(named_row(other.label) == named_row(line.label) for other in lines) == 1
    return name if is_one or not heading else f"{name} ({heading.rpartition(' > ')[2].strip(' :').lower()})"


def _with_current(held: FilingFacts, found: list[Fact], side: Sequence[Fact], year: Period) -> list[Fact]:
    """Debts with those that fall due within a year; empty where these are not known."""
    end = next((fact.start for fact in side if _words(fact) == _CURRENT), None)
    if not found or end is None or any(fact.start < end for fact in found):
        return found
    tagged = (fact for concept in _ELSEWHERE for fact in held.by_concept.get(concept, ()))
    known = {fact.concept: fact for fact in tagged if fact.value and fits(fact, year, instant=True)}
    return [*known.values(), *found] if known else []


def _sheet(held: FilingFacts, year: Period) -> list[Fact]:
    """The balances of the company itself, in order: that of the parent alone, in a schedule behind it, repeats the lines."""
    lines: dict[str, Fact] = {}
    for fact in sorted(held.numeric, key=lambda fact: fact.start):
        is_balance = fact.block is not None and held.statements.get(fact.block) == "balance"
        if is_balance and not fact.dimensions and fits(fact, year, instant=True):
            lines.setdefault(fact.label, fact)
    return sorted(lines.values(), key=lambda fact: fact.start)


def _tells_of(fact: Fact, asked: Sequence[frozenset[str]]) -> bool:
    words = _words(fact)
    return not words & _BESIDE and any(one <= words for one in asked)


def _words(fact: Fact) -> frozenset[str]:
    return frozenset(stems(named_row(fact.label)))
