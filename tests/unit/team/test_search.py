"""A scope as a condition of the server."""

from __future__ import annotations

from dataclasses import replace

import pytest

from fin_tui.records import Filing, Scope
from fin_tui.team import schema
from fin_tui.team import search as filters
from fin_tui.team.schema import filing_number
from fin_tui.team.search import State, limits_of
from tests.unit.team.made import make_entry

FILINGS = tuple(make_entry(company, year).filing for company in ("Acme Corp", "Zebra Inc") for year in (2023, 2024))


def state(filings: tuple[Filing, ...] = FILINGS, hidden: tuple[int, ...] = ()) -> State:
    return State(1, filings, {}, {filing_number(filing.id): filing for filing in filings}, hidden)


def test_nothing_limits_an_empty_scope_but_what_is_half_there() -> None:
    assert limits_of(state(), Scope()).condition == ""
    assert limits_of(state(hidden=(5, 7)), Scope()).condition == "filing not in [5, 7]"


def test_a_search_is_told_its_width_in_the_words_of_its_index() -> None:
    assert schema.search_parameters("flat", 300) == {}
    assert schema.search_parameters("hnsw", 300) == schema.search_parameters("hnsw_sq8", 300) == {"ef": 300}
    assert schema.search_parameters("diskann", 300) == {"search_list": 300}
    assert schema.search_parameters("ivf_sq8", 300) == {"nprobe": 37}
    assert schema.search_parameters("ivf_sq8", 99999) == {"nprobe": 1024}


def test_few_filings_are_named() -> None:
    scope = Scope(companies=(FILINGS[0].company_key,), fiscal_years=(2024,))
    limits = limits_of(state(), scope)
    assert [filing.fiscal_year for filing in limits.filings] == [2024]
    assert limits.condition == f"filing in [{filing_number(FILINGS[1].id)}]"


def test_items_are_asked_for_in_upper_case() -> None:
    assert limits_of(state(), Scope(items=("7", "1a"))).condition == 'array_contains_any(items, ["7","1A"])'


def test_many_filings_are_told_by_company_year_and_form(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(filters, "MOST_NAMED", 1)
    found = limits_of(state(hidden=(9,)), Scope(fiscal_years=(2023,), forms=("10-K",)))
    assert found.condition == 'fiscal_year in [2023] and form in ["10-K"] and filing not in [9]'


def test_a_name_can_not_end_the_condition_it_stands_in(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(filters, "MOST_NAMED", 0)
    key = 'name:a"] or key > 0 or company in ["'
    hostile = replace(FILINGS[0], company_key=key)
    condition = limits_of(state((hostile,)), Scope(companies=(key,))).condition
    assert condition == r'company in ["name:a\"] or key > 0 or company in [\""]'
