from __future__ import annotations

import datetime as dt

import pytest

from fin_tui.errors import NotFound, UsageError
from fin_tui.records import Scope
from fin_tui.retrieval.scope import allowed_filings, describe_scope, form_name, item_numbers, limit_to, resolve_scope
from tests.unit.retrieval.fakes import make_filing

ACME_23 = make_filing(1, company="Acme Widgets, Inc.", cik="0000000001", ticker="ACME", file="acme23.htm")
ACME_24 = make_filing(
    11, company="Acme Widgets, Inc.", company_key=ACME_23.company_key, cik="0000000001", ticker="ACME", fiscal_year=2024,
    period_end=dt.date(2024, 12, 31), file="acme24.htm",
)  # fmt: skip
ZENITH = make_filing(2, company="Zenith Holdings Corp", cik="0000000002", form="10-K405", fiscal_year=1999, file="zenith.txt")
HELD = (ACME_23, ACME_24, ZENITH)


@pytest.mark.parametrize("name", ["ACME", "acme", "Acme Widgets", "Acme Widgets, Inc.", "1", "0000000001", "Acme Widgts"])
def test_a_company_is_known_by_ticker_cik_and_name(name: str) -> None:
    assert resolve_scope(HELD, companies=[name]).companies == (ACME_23.company_key,)


def test_everything_together() -> None:
    scope = resolve_scope(HELD, companies=["ACME"], years=[2023, 2024, 2023], items=["mda", "7", "1a"], forms=["10k"])
    assert scope == Scope((ACME_23.company_key,), (2023, 2024), ("7", "1A"), ("10-K",))
    assert allowed_filings(HELD, scope) == (ACME_23, ACME_24)


def test_a_filing_is_known_by_its_names() -> None:
    assert resolve_scope(HELD, filing_names=["acme24.htm"]).filings == ("filing-11",)
    assert resolve_scope(HELD, filing_names=["ACME:2023"]).filings == ("filing-1",)


def test_nothing_given_limits_nothing() -> None:
    assert resolve_scope(HELD) == Scope()
    assert resolve_scope(()) == Scope()


@pytest.mark.parametrize(
    ("limits", "said"),
    [
        ({"companies": ["Umbrella"]}, "Acme Widgets, Inc."),
        ({"companies": ["ACME"], "years": [2020]}, "FY2023"),
        ({"years": [1950]}, "FY1999"),
        ({"companies": ["ACME"], "forms": ["10-K405"]}, "10-K FY2024"),
        ({"filing_names": ["other.htm"]}, "which holds 3 filings"),
    ],
)
def test_what_is_not_held_is_said_with_what_is(limits: dict[str, list[str]], said: str) -> None:
    with pytest.raises(NotFound) as error:
        resolve_scope(HELD, **limits)  # type: ignore[arg-type]
    assert said in error.value.message + error.value.hint


def test_items_have_names_and_numbers() -> None:
    assert (
        item_numbers("risk_factors") == item_numbers("Item 1A") == item_numbers("1a") == item_numbers("Risk-Factors") == ("1A",)
    )
    assert item_numbers("financials") == ("8",)
    assert item_numbers("business") == ("1",)
    with pytest.raises(UsageError, match="Unknown Item"):
        item_numbers("poetry")


def test_forms_have_one_spelling() -> None:
    assert [form_name(form) for form in ("10k", "10-k405", "10-K/A")] == ["10-K", "10-K405", "10-K/A"]


def test_a_library_line_limits_further() -> None:
    scope = limit_to(Scope(fiscal_years=(2024,)), HELD, ["acme23.htm", "acme24.htm"])
    assert scope == Scope(fiscal_years=(2024,), filings=("filing-11",))
    with pytest.raises(NotFound, match="None of"):
        limit_to(Scope(fiscal_years=(2024,)), HELD, ["zenith.txt"])


def test_a_scope_is_told_to_people() -> None:
    assert describe_scope(HELD, Scope()) == "all 3 filings"
    scope = Scope((ACME_23.company_key,), (2024,), ("7",))
    assert describe_scope(HELD, scope) == "Acme Widgets, Inc. · FY2024 · Item 7"
