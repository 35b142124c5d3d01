"""Rows and members that go by a name a text uses, where the name alone does not say which one is meant."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from fin_tui.engine.figures.finding import Book
from fin_tui.engine.questions.wanted import Item
from fin_tui.facts.figures import Figure, Gap, Period, exact
from fin_tui.facts.labels import unit_of
from fin_tui.facts.words import camel_words, stems
from fin_tui.records import Fact, Filing

HEADINGS = frozenset(
    stems("revenue revenues income expenses assets liabilities operating costs total consolidated statement cash flows")
)
"""Words of the headings that rows stand under, which name no part of a company."""


def rivals(book: Book, filings: Sequence[Filing], item: Item, year: int) -> Iterator[Figure]:
    """The rows and members beside the one that ``item`` is taken for, whose name holds all the words of its part."""
    if item.metric is None:
        found = book.by_label(item.phrase, filings, year)
    else:
        found = book.dimensioned(item.phrase, item.metric, filings, year)
    asked = set(stems(item.phrase))
    for fact in found.candidates if isinstance(found, Gap) else found.others:
        members = [word for member in fact.dimensions.values() for word in camel_words(member)]
        if asked <= set(stems(" ".join((fact.label, *camel_words(fact.concept), *members)))):
            yield from _figure(fact, filings, item, year)


def rows_as_said(book: Book, filings: Sequence[Filing], item: Item, said: str, year: int) -> Iterator[Figure]:
    """The rows of the whole company whose label is the text's own words: "net sales" where "total revenue" is another row."""
    asked = set(stems(said))
    if not asked or item.metric is None or item.phrase:
        return
    found = book.by_label(said, filings, year)
    for fact in found.candidates if isinstance(found, Gap) else (found.fact,):
        label = set(stems(fact.label))
        if not fact.dimensions and asked <= label and label - asked <= HEADINGS and unit_of(fact) == item.metric.unit:
            yield from _figure(fact, filings, item, year)


def _figure(fact: Fact, filings: Sequence[Filing], item: Item, year: int) -> Iterator[Figure]:
    if fact.value is None or fact.period_end is None or not filings:
        return
    filing = next((one for one in filings if one.fiscal_year == year), filings[0])
    unit = item.metric.unit if item.metric else unit_of(fact)
    value = exact(fact.value) * (100 if unit == "%" and fact.unit == "pure" else 1)
    label = fact.label.rpartition(" > ")[2] or item.label
    yield Figure(label, value, unit, fact, filing, Period(fact.period_end, fact.period_start, f"FY{year}"))
