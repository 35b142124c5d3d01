"""Real filings of thirty years: who filed what for which period, and how the plain-text ones read."""

from __future__ import annotations

import os
from functools import cache
from pathlib import Path

import pytest

from fin_tui.filings.reader import make_filing, read
from fin_tui.records import Document

CORPUS = os.environ.get("FIN_TUI_CORPUS", "")
pytestmark = pytest.mark.skipif(not CORPUS, reason="FIN_TUI_CORPUS does not name a folder of real filings")

EXPECTED = [
    ("filings/GE_10-K_FY1993", "General Electric Company", "10-K", 1993, "1993-12-31", "cik:0000040545"),
    ("filings/AAPL_10-K_FY1995", "Apple Computer, Inc.", "10-K", 1995, "1995-09-29", "cik:0000320193"),
    (
        "filings/IBM_10-K405_FY1997",
        "International Business Machines Corporation",
        "10-K405",
        1997,
        "1997-12-31",
        "cik:0000051143",
    ),
    ("filings/TXT_10-K405_FY2001", "Textron Inc.", "10-K405", 2001, "2001-12-29", "irs:05-0315468"),
    ("filings/INTC_10-K_FY2002", "Intel Corporation", "10-K", 2002, "2002-12-28", "irs:94-1672743"),
    ("filings/BA_10-K_FY2003", "The Boeing Company", "10-K", 2003, "2003-12-31", "irs:91-0425694"),
    ("filings/NKE_10-K_FY2006", "NIKE, Inc.", "10-K", 2006, "2006-05-31", "irs:93-0584541"),
    ("filings/WFC_10-K_FY2008", "Wells Fargo & Company", "10-K", 2008, "2008-12-31", "irs:41-0449260"),
    ("filings/MSFT_10-K_FY2013", "Microsoft Corporation", "10-K", 2013, "2013-06-30", "irs:91-1144442"),
    ("filings/AAPL_10-K_FY2015", "Apple Inc.", "10-K", 2015, "2015-09-26", "irs:94-2404110"),
    ("filings/CARMAX-ABS-2019-3", "CarMax Auto Owner Trust 2019-3", "10-K", 2023, "2023-02-28", "cik:0001779026"),
    ("filings/GME_10-K_FY2023", "GameStop Corp.", "10-K", 2023, "2024-02-03", "cik:0001326380"),
    ("filings/NVDA_10-K_FY2022", "NVIDIA Corporation", "10-K", 2022, "2022-01-30", "cik:0001045810"),
    ("filings/SDON_10-K_FY2021", "Sandston Corporation", "10-K", 2021, "2021-12-31", "cik:0000892832"),
    ("pdf/BESTBUY_2019", "Best Buy Co., Inc.", "10-K", 2019, "2019-02-02", "irs:41-0907483"),
    ("pdf/BOEING_2018", "The Boeing Company", "10-K", 2018, "2018-12-31", "irs:91-0425694"),
    ("pdf/COSTCO_2021", "Costco Wholesale Corporation", "10-K", 2021, "2021-08-29", "irs:91-1223280"),
    ("pdf/ADOBE_2015", "Adobe Systems Incorporated", "10-K", 2015, "2015-11-27", "irs:77-0019522"),
]


@cache
def raw_and_document(stem: str) -> tuple[bytes, Document]:
    found = sorted(Path(CORPUS).glob(f"{stem}*"))
    assert len(found) == 1, f"{stem} is not in the corpus once"
    raw = found[0].read_bytes()
    return raw, read(raw, "named by nobody")


@pytest.mark.parametrize(("stem", "company", "form", "year", "period_end", "key"), EXPECTED)
def test_identity_comes_from_the_document(stem: str, company: str, form: str, year: int, period_end: str, key: str) -> None:
    raw, document = raw_and_document(stem)
    made = make_filing(document, raw, "named by nobody")
    assert (made.company, made.form, made.fiscal_year, str(made.period_end), made.company_key) == (
        company,
        form,
        year,
        period_end,
        key,
    )


@pytest.mark.parametrize(
    ("stem", "row"),
    [
        ("filings/GE_10-K_FY1993", "Sales of goods\t$29,509\t$29,575\t$29,434"),
        ("filings/GE_10-K_FY1993", "Cumulative effects of accounting changes (notes 6 and 22)\t(862)\t–\t(1,799)"),
        ("filings/AAPL_10-K_FY1995", "Selling, general and administrative\t1,583\t1,384\t1,632"),
        ("filings/AAPL_10-K_FY1995", "Earnings per common and common equivalent share\t$3.45\t$2.61\t$0.73"),
        ("filings/AAPL_10-K_FY1995", "Balance at September 25, 1992\t118,479\t$282\t$1,905\t$--\t$2,187"),
        ("filings/IBM_10-K405_FY1997", "Total revenue\t78,508\t75,947\t71,940"),
    ],
)
def test_rows_of_ascii_tables_are_whole(stem: str, row: str) -> None:
    assert row in raw_and_document(stem)[1].text


@pytest.mark.parametrize("stem", [row[0] for row in EXPECTED[:4]])
def test_plain_text_keeps_its_words_and_pages(stem: str) -> None:
    _, document = raw_and_document(stem)
    assert document.coverage > 0.999
    assert document.pages > 25
    labelled = {block.page for block in document.blocks if block.page_label}
    assert len(labelled) > document.pages * 0.8
    assert "<PAGE>" not in document.text
    assert "PRIVACY-ENHANCED" not in document.text


def test_a_submissions_exhibit_13_is_read_and_its_data_schedule_is_not() -> None:
    _, document = raw_and_document("filings/IBM_10-K405_FY1997")
    assert "notes to consolidated financial statements" in document.text.lower()
    assert "PERIOD-TYPE" not in document.text
