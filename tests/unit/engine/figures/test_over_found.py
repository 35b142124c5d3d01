"""What an expression over found figures comes to, and the sentence that says so."""

from __future__ import annotations

import datetime as dt
from dataclasses import replace
from decimal import Decimal
from typing import cast

import pytest

from fin_tui.engine.figures.linked_book import Linked
from fin_tui.engine.figures.over_found import told_over
from fin_tui.engine.rank.ranker import Ranker
from fin_tui.facts.expression import parse
from fin_tui.facts.figures import Figure, Period, Unit
from fin_tui.records import Fact
from tests.unit.engine.figures.book import ACME, GLOBEX, source

LINKED = Linked(cast("Ranker", None), lambda words, filing: ())


def _figure(label: str, value: float, year: int, unit: Unit = "usd") -> Figure:
    end = dt.date(year, 12, 31)
    fact = Fact(f"table:{label}{year}", label, value, f"{value:,.0f}", unit, None, end, source="table", start=year)
    return Figure(label, Decimal(str(value)), unit, fact, ACME[2], Period(end, None, f"FY{year}"))


NOW, BEFORE, LONG_AGO = _figure("Kilns", 80e6, 2024), _figure("Kilns", 64e6, 2023), _figure("Kilns", 20e6, 2022)
MILLS, STAFF = _figure("Mills", 40e6, 2024), _figure("Staff", 500, 2024, "count")
RATE, RATE_BEFORE = _figure("Scrap rate", 4.5, 2024, "%"), _figure("Scrap rate", 4.0, 2023, "%")


@pytest.mark.parametrize(
    ("expression", "figures", "value", "unit", "said"),
    [
        ("(a - b) / b * 100", (NOW, BEFORE), 25.0, "%", "Acme's Kilns rose 25.0% from FY2023 to FY2024"),
        ("(a / b - 1) * 100", (NOW, BEFORE), 25.0, "%", "Acme's Kilns rose 25.0% from FY2023 to FY2024"),
        ("((a / b) ^ (1 / 2) - 1) * 100", (NOW, LONG_AGO), 100.0, "%", "Acme's Kilns grew at a CAGR of 100.0%"),
        ("a - b", (NOW, BEFORE), 16e6, "usd", "Acme's Kilns rose $16,000,000 from FY2023 to FY2024"),
        ("a - b", (RATE, RATE_BEFORE), 0.5, "%", "Acme's Scrap rate rose 0.5 percentage points"),
        ("a / b", (NOW, BEFORE), 1.25, "ratio", "Acme's Kilns in FY2024 were 1.25 times that of FY2023"),
        ("(a + b) / 2", (NOW, BEFORE), 72e6, "usd", "Acme's Kilns averaged $72,000,000 over FY2023 to FY2024"),
        ("a / b * 100", (MILLS, NOW), 50.0, "%", "Acme's Mills were 50.0% of Kilns in FY2024: $40,000,000 of $80,000,000"),
        ("a * 100 / b", (MILLS, NOW), 50.0, "%", "Acme's Mills were 50.0% of Kilns in FY2024"),
        ("a / b", (NOW, STAFF), 160e3, "usd", "Acme's Kilns / Staff was $160,000.00 in FY2024"),
        ("a - b", (NOW, MILLS), 40e6, "usd", "Acme's Kilns - Mills were $40,000,000 in FY2024"),
        ("(a - b) / c * 100", (NOW, MILLS, BEFORE), 62.5, "%", "Acme's (Kilns FY2024 - Mills) was 62.5% of Kilns FY2023"),
        ("(a + b) / 2", (NOW, LONG_AGO), 50e6, "usd", "Acme's (Kilns FY2024 + Kilns FY2022) / 2"),
    ],
)
def test_it_is_told_as_what_it_is(
    expression: str, figures: tuple[Figure, ...], value: float, unit: str, said: str
) -> None:  # fmt: skip
    found = told_over(parse(expression), figures, source(), LINKED)
    assert found is not None
    assert found.value == pytest.approx(value)
    assert found.unit == unit
    assert found.sentences[0].text.startswith(said)
    assert found.calculation is not None
    assert sorted(fact["value"] for fact in found.facts if fact["value"] is not None) == sorted(
        float(one.value) for one in figures
    )


@pytest.mark.parametrize(
    ("expression", "figures"),
    [
        ("a", (NOW,)),
        ("a + b", (NOW, STAFF)),  # Dollars and people don't add up.
        ("a / b", (NOW, replace(BEFORE, value=Decimal(0)))),
        ("a - b", (NOW, replace(MILLS, filing=GLOBEX[0]))),
    ],
)
def test_what_can_not_be_computed_is_not_told(expression: str, figures: tuple[Figure, ...]) -> None:
    assert told_over(parse(expression), figures, source(), LINKED) is None
