"""Rows and sentences as a model reads them."""

from __future__ import annotations

import datetime as dt
from dataclasses import replace
from decimal import Decimal
from typing import Literal

import pytest

from fin_tui.candidates import Candidate
from fin_tui.engine.figures.linked_book import Looked, row_lines
from fin_tui.engine.rank.ranker import Ranker, Scored
from fin_tui.facts.figures import Figure, Period
from fin_tui.records import Fact
from tests.unit.engine.made import filing

ACME = filing("Acme Corp.")


ROW = ("Sales", "Europe")
SAID = ("Our mills", "sold [ 4.2 ] tons - In 2024 we sold [ 4.2 ] tons of tin.")


def made(text: str, value: float, year: int, source: Literal["table", "text"] = "table") -> Candidate:
    start, end = dt.date(year, 1, 1), dt.date(year, 12, 31)
    return Candidate(Fact("", "Europe", value, text, "usd", start, end, source=source), ROW if source == "table" else SAID)


def test_a_row_has_its_periods_newest_first_with_unit_and_scale_and_a_sentence_stands_as_it_is(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    row = [made(f"{year},000", year * 1e9, year) for year in (2021, 2024, 2023, 2022)]
    said = made("4.2", 4.2, 2024, "text")
    looked = Looked(filings={ACME.id: ACME})
    looked.ranked["sales||", ACME.id, "FY2024"] = [Scored(row[1], 0.6), Scored(said, 0.2), Scored(row[0], 0.1)]
    looked.ranked["tin||", ACME.id, "FY2024"] = [Scored(row[1], 0.6)]
    ranker = object.__new__(Ranker)
    monkeypatch.setattr(Ranker, "periods_of", lambda self, one, filing: row if one in row else (one,))
    assert row_lines(looked, ranker) == (
        "Europe | Sales: 2024-12-31 2024,000; 2023-12-31 2023,000; 2022-12-31 2022,000 ($ million)",
        "In 2024 we sold 4.2 tons of tin.",
    )
    tagged = replace(row[1].fact, label="Revenue > Total", text="9,500", value=9.5e9)
    found = Figure("revenue", Decimal(9_500_000_000), "usd", tagged, ACME, Period(dt.date(2024, 12, 31)))
    assert row_lines(looked, ranker, (found,))[0] == "Total | Revenue: 2024-12-31 9,500 ($ million)"
