from __future__ import annotations

import datetime as dt

import pytest

from fin_tui.errors import UsageError
from fin_tui.ingest.corrections import Corrections, checked, corrected
from fin_tui.records import Cover, Filing

READ = Filing("sha256:1", "a.htm", "Exmaple", "name:exmaple", "", None, None)
HELD = Filing("x", "b.htm", "Example Corp.", "cik:0000000042", "10-K", 2022, dt.date(2022, 9, 30), cik="0000000042", ticker="EX")


@pytest.mark.parametrize("name", ["EX", "ex", "42", "Example Corporation", "cik:0000000042"])
def test_a_held_company_brings_its_whole_identity(name: str) -> None:
    filing = corrected(READ, Corrections(company=name), Cover(), [HELD])
    assert (filing.company, filing.company_key, filing.cik, filing.ticker) == ("Example Corp.", HELD.company_key, HELD.cik, "EX")


def test_a_name_that_only_resembles_a_held_one_is_another_company() -> None:
    filing = corrected(READ, Corrections(company="Example"), Cover(), [HELD])
    assert filing.company_key == HELD.company_key, "the legal form does not tell companies apart"
    filing = corrected(READ, Corrections(company="Example Energy"), Cover(), [HELD])
    assert (filing.company, filing.company_key) == ("Example Energy", "name:example energy")


def test_a_number_on_the_cover_outweighs_a_new_spelling() -> None:
    numbered = Filing("sha256:1", "a.htm", "Exmaple", "irs:123", "10-K", 2022, None)
    filing = corrected(numbered, Corrections(company="Example"), Cover(irs_number="123"), [])
    assert (filing.company, filing.company_key) == ("Example", "irs:123")


def test_digits_are_a_cik() -> None:
    filing = corrected(READ, Corrections(company="1234"), Cover(), [])
    assert (filing.cik, filing.company_key) == ("0000001234", "cik:0000001234")


def test_other_fields_replace_what_was_read() -> None:
    filing = corrected(READ, checked(None, "10-k405", None, "1997-12-31", "ibm"), Cover(), [])
    assert (filing.form, filing.period_end, filing.fiscal_year, filing.ticker) == ("10-K405", dt.date(1997, 12, 31), 1997, "IBM")
    filing = corrected(READ, checked(None, None, 1998, "1997-12-31"), Cover(), [])
    assert filing.fiscal_year == 1998


@pytest.mark.parametrize(("year", "period_end"), [(23, None), (None, "31.12.2023"), (None, "2023-02-30")])
def test_wrong_values_are_refused(year: int | None, period_end: str | None) -> None:
    with pytest.raises(UsageError, match="is not a"):
        checked(None, None, year, period_end)


def test_later_corrections_go_over_earlier_ones() -> None:
    later = Corrections(form="10-K/A").over(Corrections(form="10-K", year="2023"))
    assert later.as_mapping() == {"form": "10-K/A", "year": "2023"}
    assert Corrections.from_mapping({**later.as_mapping(), "unknown": "x"}) == later
