"""What a figure is called: by the filing's own words, where these are not those of the question."""

from __future__ import annotations

import datetime as dt
from dataclasses import replace
from decimal import Decimal
from typing import Any, Literal

import pytest

from fin_tui.engine.figures.as_text import as_written, figure_sentence, label_of, row_name, verb_of
from fin_tui.engine.figures.grid import fill
from fin_tui.engine.questions.target import Subject
from fin_tui.engine.questions.wanted import Item, Part, Reading
from fin_tui.facts import vocabulary
from fin_tui.facts.expression import Name
from fin_tui.facts.figures import Figure, Metric, Period
from fin_tui.records import Fact, Filing
from tests.unit.engine.figures.book import ACME, ACMES, Book

_YEAR = Period(dt.date(2024, 12, 31), dt.date(2024, 1, 1), "FY2024")


def _figure(
    label: str, row: str = "", *, source: Literal["xbrl", "table"] = "table", sure: float | None = None, **more: Any
) -> Figure:
    fact = Fact(label, label, 5e6, "5", "usd", _YEAR.start, _YEAR.end, source=source)
    return replace(Figure(label, Decimal(5_000_000), "usd", fact, ACME[2], _YEAR), sure=sure, row=row, **more)


@pytest.mark.parametrize(
    ("row", "name"),
    [
        ("Footwear | Revenues | EMEA Region", "Footwear (revenues, EMEA Region)"),
        ("Operating income (loss) | Europe, Middle East & Africa | Information about the operations of our segments in each year",
         "operating income (loss) (Europe, Middle East & Africa)"),
        ("Casino < Las Vegas Strip | Net revenue", "Casino (Las Vegas Strip, net revenue)"),
        ("Total net sales", "total net sales"),
        (" ".join(["word"] * 40), ""),
    ],
)  # fmt: skip
def test_a_ranked_figure_is_called_as_its_row_its_headings_and_its_column_are(row: str, name: str) -> None:
    assert row_name(_figure("x", row, sure=0.8)) == name
    assert row_name(_figure("x", row, sure=0.8), "name of another") == name
    assert row_name(_figure("x", row)) == ""
    assert row_name(_figure("x", row, source="xbrl", sure=0.8)) == ""


def test_the_words_of_the_question_do_not_stand_for_another_row() -> None:
    found = _figure("Net operating revenues", "Net operating revenues | Foreign currency contracts", sure=0.8)
    told = figure_sentence("Acme Corp.", found, "currency impact on revenues (Europe)")
    assert told.startswith("Acme's net operating revenues (foreign currency contracts) were $5 million")


def test_a_question_that_says_what_the_row_says_is_not_turned_around() -> None:
    found = _figure("Casino", "Casino | Revenues", sure=0.8)
    assert label_of(found, "casino revenue") == "casino revenue"
    assert label_of(found, "casino revenue in Ohio") == "Casino (revenues)"


def test_a_proper_name_keeps_its_capital_and_a_footnote_its_place() -> None:
    assert label_of(_figure("Japan"), "Japan revenue") == "Japan revenue"
    assert label_of(_figure("Research and development expenses(a)"), "R&D") == "research and development expenses"
    assert label_of(_figure("Accrued interest (net)"), "interest") == "accrued interest (net)"


@pytest.mark.parametrize(("name", "verb"), [("selling, general and administrative expenses", "were"), ("revenues, net", "were"),
                                            ("property, plant and equipment", "was"), ("cost of sales", "was"),
                                            ("revenue excluding sleds", "was")])  # fmt: skip
def test_the_verb_agrees_with_the_whole_name(name: str, verb: str) -> None:
    assert verb_of(name) == verb


def test_short_forms_have_their_capitals() -> None:
    assert as_written("net debt to ebitda") == "net debt to EBITDA"
    assert as_written("debit of ebitda margin") == "debit of EBITDA margin"


class _Parts(Book):
    """Gives parts by the names that their rows have."""

    def __init__(self, name: str) -> None:
        super().__init__({**ACMES, ("Acme Corp.", "Asia revenue", 2023): 8e6, ("Acme Corp.", "Asia revenue", 2024): 9e6})
        self._name = name

    def dimensioned(self, phrase: str, metric: Metric, filings: Any, period: Any) -> Any:
        return replace(super().dimensioned(phrase, metric, filings, period), label=self._name)


def _label(own: str, filings: tuple[Filing, ...] = ACME, **how: Any) -> tuple[str, list[str]]:
    revenue = vocabulary().get("revenue")
    reading = Reading((Part(Name("x0"), "Asia revenue", "usd"),), {"x0": Item(revenue, "Asia")}, **how)
    grid = fill(reading, [Subject("Acme Corp.", filings, (2024,))], _Parts(own), vocabulary())
    (cell,) = grid.cells
    assert cell.grounded is not None
    assert grid.reading.parts == (cell.part,)
    return cell.part.label, cell.grounded.labels


def test_a_place_is_called_as_the_filing_calls_it_in_line_and_operands() -> None:
    assert _label("Asia Pacific") == ("Asia Pacific revenue", ["Asia Pacific revenue"])
    assert _label("Asia Pacific", over="growth") == ("Asia Pacific revenue", ["Asia Pacific revenue"] * 2)
    assert _label("Acme Asia Pacific")[0] == "Asia Pacific revenue"
    assert _label("Net revenue")[0] == "Asia revenue"
    assert _label("Revenue of Asia Pacific")[0] == "Asia revenue"


def test_what_is_found_by_words_is_called_by_its_row_and_its_part() -> None:
    found = _figure("Operating income")
    found = replace(found, fact=replace(found.fact, dimensions={"acme:SegmentsAxis": "acme:OrbitalRocketsMember"}))
    assert label_of(found, "net income") == "net income"
    assert label_of(replace(found, sure=0.8), "net income") == "operating income (orbital rockets)"
    assert label_of(replace(found, sure=0.8, label="Total Rockets costs"), "net income") == "Total Rockets costs"
