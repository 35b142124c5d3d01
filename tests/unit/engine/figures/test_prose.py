"""Figures told in a sentence, over invented filings; tables and tags are asked before it."""

from __future__ import annotations

import datetime as dt
from collections.abc import Sequence
from decimal import Decimal

import pytest

from fin_tui.engine.figures.prose import WithProse, sentences_of
from fin_tui.facts import vocabulary
from fin_tui.facts.figures import Figure, Gap, Metric
from fin_tui.records import Chunk
from tests.unit.engine.figures.book import Book
from tests.unit.engine.made import filing, hit

BACKLOG = "At December 31, 2021, our backlog was $135.4 billion compared with $147.1 billion at December 31, 2020."
PAIRED = "Advertising expenses totaled approximately $2.0 billion in 2021 and $1.8 billion in 2020."
AHEAD = "As of December 31, 2021, we had $93.2 billion of remaining performance obligations."
LISTED = "At December 31, 2021, we had loans of $865 billion, deposits of $781 billion and little else."
OWN = filing("Acme Corp.", 2021)


class Prose:
    def __init__(self, *paragraphs: str) -> None:
        self._chunks = tuple(hit(text, of=OWN, rank=rank, start=1000 * rank).chunk for rank, text in enumerate(paragraphs, 1))

    def of_filing(self, filing_id: str, /) -> Sequence[Chunk]:
        return self._chunks if filing_id == OWN.id else ()


def ask(metric_id: str, year: int, *paragraphs: str) -> Figure | Gap:
    metric = vocabulary().get(metric_id)
    assert isinstance(metric, Metric)
    return WithProse(Book({}), Prose(*paragraphs)).figure(metric, [OWN], year)


@pytest.mark.parametrize(
    ("metric", "year", "sentence", "value"),
    [
        ("advertising_expense", 2020, PAIRED, "1.8e9"),
        (
            "advertising_expense",
            2020,
            "Advertising expense, which includes media costs, amounted to $708 million, $569 million and $315 million "
            "in 2021, 2020 and 2019, respectively.",
            "569e6",
        ),
        ("rent_expense", 2021, "Rental expense, including amounts in inventories, was $280 million in 2021.", "280e6"),
        ("backlog", 2021, BACKLOG, "135.4e9"),
        ("backlog", 2020, BACKLOG, "147.1e9"),
        ("remaining_performance_obligations", 2021, AHEAD, "93.2e9"),
        ("deposits", 2021, LISTED, "781e9"),
        ("employees", 2021, "As of December 31, 2021, we had 74,067 employees.", "74067"),
    ],
)  # fmt: skip
def test_a_sentence_that_tells_it(metric: str, year: int, sentence: str, value: str) -> None:
    found = ask(metric, year, sentence)
    assert isinstance(found, Figure)
    assert found.value == Decimal(value)
    assert found.fact.source == "text"
    assert sentence[found.fact.start - 1000 : found.fact.end - 1000].strip("$ ") in found.fact.text


@pytest.mark.parametrize(
    ("metric", "year", "paragraphs"),
    [
        ("backlog", 2021, ["Aerospace backlog was $2.0 billion in 2021."]),
        ("backlog", 2021, ["Our backlog was $2.0 billion in 2021.", "Our backlog was $2.4 billion in 2021."]),
        ("backlog", 2021, ["Our backlog was $2.0 billion in 2019."]),
        ("backlog", 2021, ["Our backlog and goodwill impairment was $2.0 billion in 2021."]),
        ("backlog", 2021, ["Our backlog was $728 in 2021."]),
        ("backlog", 2021, ["Our backlog grew while income taxes paid were $2.0 billion in 2021."]),
        ("employees", 2020, ["As of December 31, 2021, we had 74,067 employees."]),
        ("deposits", 2015, ["We had deposits of $5 billion."]),
    ],
)
def test_a_sentence_that_tells_something_else(metric: str, year: int, paragraphs: list[str]) -> None:
    assert isinstance(ask(metric, year, *paragraphs), Gap)


def test_a_balance_bears_the_day_of_its_sentence() -> None:
    found = ask("backlog", 2021, "Our backlog was $618 million at November 30, 2021.")
    assert isinstance(found, Figure)
    assert found.fact.period_end == dt.date(2021, 11, 30)


def test_tables_go_first() -> None:
    metric = vocabulary().get("revenue")
    assert metric is not None
    book = WithProse(Book(), Prose("Revenue was $9.0 billion in 2021."))
    found = book.figure(metric, [filing("Acme Corp.", 2024)], 2024)
    assert isinstance(found, Figure)
    assert found.fact.source != "text"


QUARTERLY = "In the fourth quarter of 2021, advertising expense was $600 million."


def test_a_sentence_of_a_quarter_tells_that_quarter_and_not_the_year() -> None:
    metric = vocabulary().get("advertising_expense")
    assert metric is not None
    book = WithProse(Book({}), Prose(QUARTERLY))
    assert isinstance(book.figure(metric, [OWN], 2021), Gap)
    found = book.quarterly(metric, [OWN], 2021, 4)
    assert isinstance(found, Figure)
    assert (found.value, found.period.label) == (Decimal("600e6"), "Q4 FY2021")
    assert isinstance(book.quarterly(metric, [OWN], 2021, 3), Gap)


def test_a_paragraph_in_the_chunk_of_a_table_is_read_and_its_rows_are_not() -> None:
    text = f"Costs\n{PAIRED} More is told below.\nAdvertising expenses totaled\t$9.9 billion in 2020\t$7.7 billion"
    chunk = hit(text, of=OWN, table=True).chunk
    assert [chunk.text[start:end] for start, end in sentences_of(chunk)] == [PAIRED, "More is told below."]


def test_a_number_that_makes_up_another_of_its_sentence_is_no_total() -> None:
    whole = "At the end of fiscal 2021, Acme Corp. and our subsidiaries employed approximately 2.3 million employees worldwide"
    found = ask("employees", 2021, f"{whole}, with 1.5 million associates in the U.S. and 0.8 million associates abroad.")
    assert isinstance(found, Gap)  # The sentences' ranker finds the whole; the part must not go before it.
