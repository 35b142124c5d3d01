from __future__ import annotations

import pytest

from fin_tui.errors import NotFound, UsageError
from fin_tui.store.library import Library
from tests.unit.store.made import make_entry


def _fill(library: Library) -> None:
    library.add(make_entry(company="Apple Inc.", cik="0000320193", ticker="AAPL", year=2023, file="aapl-2023.htm"))
    library.add(make_entry(company="Apple Inc.", cik="0000320193", ticker="AAPL", year=2024, accession="0000320193-24-000123"))
    library.add(make_entry(company="Applied Materials, Inc.", cik="0000006951", ticker="AMAT", year=2023))
    library.add(make_entry(company="Applied Signal Corporation", cik="0000006952", year=2022))


@pytest.mark.parametrize(
    ("name", "year"),
    [
        ("0000320193-24-000123", 2024),
        ("0000320193-24", 2024),
        ("000032019324000123", 2024),
        ("aapl-2023.htm", 2023),
        ("some/folder/AAPL-2023.htm", 2023),
        ("aapl-2023", 2023),
        ("AAPL:2023", 2023),
        ("aapl:FY2024", 2024),
        ("Apple:2024", 2024),
        ("320193:2024", 2024),
        ("Apple Inc.:2023", 2023),
    ],
)
def test_a_filing_has_many_names(library: Library, name: str, year: int) -> None:
    _fill(library)
    filing = library.resolve(name)
    assert (filing.company, filing.fiscal_year) == ("Apple Inc.", year)


def test_a_hash_is_found_by_its_first_digits(library: Library) -> None:
    _fill(library)
    filing = next(filing for filing in library.filings() if filing.ticker == "AMAT")
    assert library.resolve(filing.id[:14]) == filing
    assert library.resolve(filing.id.removeprefix("sha256:")[:8]) == filing


def test_an_ambiguous_name_lists_the_candidates(library: Library) -> None:
    _fill(library)
    with pytest.raises(UsageError, match=r"Apple Inc\. 10-K FY2023 .*FY2024"):
        library.resolve("AAPL")
    with pytest.raises(UsageError, match=r"Applied Materials, Inc\., Applied Signal"):
        library.resolve("Applied:2023")


def test_what_is_missing_is_answered_with_what_is_held(library: Library) -> None:
    with pytest.raises(NotFound, match="the library is empty"):
        library.resolve("AAPL:2023")
    _fill(library)
    with pytest.raises(NotFound, match=r"No filing of Apple Inc\. for 1999; held: Apple Inc\. 10-K FY2023"):
        library.resolve("AAPL:1999")
    with pytest.raises(NotFound, match="held: Apple Inc"):
        library.resolve("nonsense.pdf")


def test_an_original_goes_before_its_amendment(library: Library) -> None:
    _fill(library)
    library.add(make_entry(company="Apple Inc.", cik="0000320193", ticker="AAPL", year=2023, form="10-K/A"))
    assert library.resolve("AAPL:2023").form == "10-K"


@pytest.mark.parametrize("name", ["AAPL", "aapl", "apple", "Apple Inc", "Apple Computer Inc"[:9], "320193", "CIK0000320193"])
def test_a_company_by_ticker_name_or_number(library: Library, name: str) -> None:
    _fill(library)
    assert library.company_keys(name) == ("cik:0000320193",)


def test_a_short_word_is_not_a_misspelt_company(library: Library) -> None:
    _fill(library)
    with pytest.raises(NotFound, match="No company 'Ape'"):
        library.company_keys("Ape")
    assert library.company_keys("Aplied Materials") == ("cik:0000006951",)


@pytest.mark.parametrize("is_pdf_first", [True, False])
def test_one_company_read_from_two_formats_has_one_key(library: Library, is_pdf_first: bool) -> None:
    html = make_entry(company="Example Corp.", cik="0000000042", irs_number="94-2404110", year=2023, ticker="EX")
    pdf = make_entry(company="Example Widgets Corporation", cik="", irs_number="942404110", year=2022)
    other = make_entry(company="Other Corp.", cik="", irs_number="11-1111111", year=2022)
    for entry in (pdf, html, other) if is_pdf_first else (other, html, pdf):
        library.add(entry)
    keys = {filing.company: filing.company_key for filing in library.filings()}
    assert keys["Example Widgets Corporation"] == keys["Example Corp."] == "cik:0000000042"
    assert keys["Other Corp."] == "irs:11-1111111"


def test_file_numbers_are_one_whatever_their_zeros(library: Library) -> None:
    library.add(make_entry(company="Old Name Inc", cik="", commission_file="000-10030", year=2001))
    library.add(make_entry(company="New Name Inc", cik="0000000042", commission_file="0-10030", year=2023))
    assert {filing.company_key for filing in library.filings()} == {"cik:0000000042"}


def test_a_name_alone_joins_the_company_of_that_name(library: Library) -> None:
    library.add(make_entry(company="Example Corp.", cik="0000000042", year=2023))
    library.add(make_entry(company="EXAMPLE CORP", cik="", year=2021))
    library.add(make_entry(company="Example Holdings Energy", cik="", year=2021))
    keys = {filing.company: filing.company_key for filing in library.filings()}
    assert keys["EXAMPLE CORP"] == "cik:0000000042"
    assert keys["Example Holdings Energy"] == "name:example holdings energy"
