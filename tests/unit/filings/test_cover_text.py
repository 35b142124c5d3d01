"""Covers in all the ways that companies print them."""

from __future__ import annotations

import datetime as dt

import pytest

from fin_tui.filings.company_names import normal_company, tidy_company
from fin_tui.filings.cover import cover_from_text, derive_fiscal_year, parse_date

HEAD = "UNITED STATES\n\nSECURITIES AND EXCHANGE COMMISSION\n\nWashington, D.C. 20549\n\n"


def cover(
    *,
    form: str = "FORM 10-K",
    period: str = "For the fiscal year ended June 30, 2011",
    number: str = "Commission file number 1-12345",
    name: str = "BRIGHTWATER PUMPS, INC.",
    caption: str = "(Exact name of registrant as specified in its charter)",
    irs: str = "Ohio\t34-7654321\n(State of incorporation)\t(I.R.S. Employer Identification No.)",
    tail: str = "",
) -> str:
    return (
        f"{HEAD}{form}\n\n[X] ANNUAL REPORT PURSUANT TO SECTION 13 OR 15(d) OF THE SECURITIES EXCHANGE ACT OF 1934\n\n"
        f"{period}\n\n"
        f"{number}\n\n{name}\n\n{caption}\n\n{irs}\n\n{tail}"
    )


def test_reads_the_usual_cover() -> None:
    made = cover_from_text(cover(tail="Brightwater Pumps, Inc. makes pumps."))
    assert (made.company, made.form, made.period_end) == ("Brightwater Pumps, Inc.", "10-K", dt.date(2011, 6, 30))
    assert (made.irs_number, made.commission_file, made.fiscal_year) == ("34-7654321", "1-12345", 2011)


@pytest.mark.parametrize(
    ("period", "expected"),
    [
        ("For the fiscal year ended December 31, 1997", dt.date(1997, 12, 31)),
        ("FOR THE YEAR ENDED DECEMBER 31, 1997", dt.date(1997, 12, 31)),
        ("For the 52 weeks ended February 1, 2003", dt.date(2003, 2, 1)),
        ("For the fiscal year ended: 31 March 2005", dt.date(2005, 3, 31)),
        ("for the fiscal year ended 9/30/98", dt.date(1998, 9, 30)),
        ("For the fiscal year ended Sept. 30, 2004", dt.date(2004, 9, 30)),
        ("For The Fiscal Year Ended\nMay 31, 2006", dt.date(2006, 5, 31)),
        ("For the annual period ended December\n28,\n2002", dt.date(2002, 12, 28)),
    ],
)
def test_reads_periods_in_all_writings(period: str, expected: dt.date) -> None:
    assert cover_from_text(cover(period=period)).period_end == expected


@pytest.mark.parametrize(
    ("form", "expected"),
    [
        ("FORM 10-K", "10-K"),
        ("Form 10-K405", "10-K405"),
        ("FORM 10-K/A\n\n(Amendment No. 2)", "10-K/A"),
        ("FORM 10-K\n\nAMENDMENT NO. 1", "10-K/A"),
        ("FORM 10-KSB", "10-KSB"),
        ("FORM 10-Q", "10-Q"),
        ("FORM 20-F", "20-F"),
        ("FORM 40-F", "40-F"),
        ("FORM 8-K", "8-K"),
        ("FORM 10-KT", "10-KT"),
        ("Form\n10\n-K", "10-K"),
    ],
)
def test_names_the_form(form: str, expected: str) -> None:
    assert cover_from_text(cover(form=form)).form == expected


def test_a_marked_transition_report_is_a_10kt_and_ends_with_its_period() -> None:
    text = cover(period="").replace("[X] ANNUAL", "[ ] ANNUAL")
    text = text.replace(
        "1934\n\n", "1934\n\n[X] TRANSITION REPORT\n\nFor the transition period from July 1, 2014 to December 31, 2014\n\n", 1
    )
    made = cover_from_text(text)
    assert (made.form, made.period_end) == ("10-KT", dt.date(2014, 12, 31))


def test_an_empty_transition_line_changes_nothing() -> None:
    made = cover_from_text(cover(period="For the fiscal year ended June 30, 2011\n\nFor the transition period from ____ to ____"))
    assert (made.form, made.period_end) == ("10-K", dt.date(2011, 6, 30))


@pytest.mark.parametrize(
    ("changes", "expected"),
    [
        ({"name": "Lindqvist & Daughters Holdings plc"}, "Lindqvist & Daughters Holdings plc"),
        (
            {"name": "____________\nMARLOW AUTO TRUST 2019-3", "caption": "(Exact name of issuing entity)"},
            "Marlow Auto Trust 2019-3",
        ),
        ({"number": "1-12345\n(COMMISSION FILE NUMBER)", "name": "NORTHERN TIN CORPORATION"}, "Northern Tin Corporation"),
        ({"caption": ""}, "Brightwater Pumps, Inc."),
        ({"name": "SABLE CORP.", "caption": "(Name of small business issuer in its charter)"}, "Sable Corp."),
    ],
)  # fmt: skip
def test_finds_the_registrant(changes: dict[str, str], expected: str) -> None:
    assert cover_from_text(cover(**changes)).company == expected


def test_a_pictured_name_is_taken_from_the_signature() -> None:
    signed = (
        "SIGNATURES\n\nPursuant to the requirements of Section 13 or 15(d) of the "
        "Securities Exchange Act of 1934, the registrant "
        "has duly caused this report to be signed on its behalf by the undersigned, "
        "thereunto duly authorized.\n\nTHE OSPREY COMPANY\n(Registrant)"
    )
    body = "The Osprey Company was founded in 1902. "
    assert cover_from_text(cover(name="", tail=body * 3 + signed)).company == "The Osprey Company"


def test_numbers_of_the_auditor_or_a_phone_are_not_the_registrants() -> None:
    made = cover_from_text(cover(tail="(216) 555-0142\n\n(Registrant's telephone number)"))
    assert made.commission_file == "1-12345"
    assert made.irs_number == "34-7654321"


@pytest.mark.parametrize(
    ("tail", "expected"),
    [
        (
            "Title of class\tTrading Symbol(s)\tName of exchange\nCommon Stock, $0.01 par value\tBWP\tNew York Stock Exchange",
            "BWP",
        ),
        ("Title of each class Trading symbol Name of each exchange\nOrdinary Shares BRK.B The Nasdaq Stock Market", "BRK.B"),
        ("Our common stock is traded on the New York Stock Exchange under the symbol “BWP”.", "BWP"),
        ("Title of each class\tName of each exchange\nCommon Stock\tNYSE", ""),
    ],
)
def test_ticker_only_where_it_is_printed(tail: str, expected: str) -> None:
    assert cover_from_text(cover(tail=tail)).ticker == expected


def test_combined_filers_are_known_by_the_first_registrant_of_their_table() -> None:
    table = (
        "Commission\tRegistrant; State of Incorporation;\tI.R.S. Employer\n"
        "File Number\tAddress; and Telephone Number\tIdentification No.\n"
        "1-3525\tNORTH LAKE POWER COMPANY, INC. (A New York Corporation)\t13-4000001\n"
        "1-3457\tSOUTH LAKE POWER COMPANY (A Virginia Corporation)\t54-0000002\n"
    )
    made = cover_from_text(cover(number="", name="", caption="", irs=table))
    assert (made.company, made.commission_file, made.irs_number) == ("North Lake Power Company, Inc.", "1-3525", "13-4000001")


def test_text_that_is_no_filing_has_an_empty_cover() -> None:
    made = cover_from_text("Dear shareholders, it was a good year. " * 50)
    assert (made.company, made.form, made.period_end) == ("", "", None)


def test_dates_that_do_not_exist_are_none() -> None:
    assert parse_date("February 30, 2001") is None
    assert parse_date("nothing here") is None
    assert parse_date("2003-02-01") == dt.date(2003, 2, 1)


@pytest.mark.parametrize(
    ("text", "end", "expected"),
    [
        ("Fiscal 2018 ended February 2, 2019 and had 52 weeks.", dt.date(2019, 2, 2), 2018),
        ("Fiscal 2019 ended February 2, 2019 and had 52 weeks.", dt.date(2019, 2, 2), 2019),
        ('the fiscal year ended January 31, 2018 ("fiscal 2018")', dt.date(2018, 1, 31), 2018),
        ("Fiscal years 2022, 2021 and 2020 ended January 29, 2023, January 30, 2022 and so on.", dt.date(2023, 1, 29), 2022),
        ("“fiscal 2016” refers to the 52 weeks ended January 28, 2017.", dt.date(2017, 1, 28), 2016),
        ("In fiscal 2020 sales grew. In fiscal 2019 they fell. " * 5, dt.date(2020, 1, 31), 2020),
        ("In fiscal 2019 sales grew. In fiscal 2018 they fell. " * 5 + "fiscal 2020 plans", dt.date(2020, 1, 31), 2019),
        ("no word of it", dt.date(2021, 1, 3), 2020),
        ("no word of it", dt.date(2019, 2, 2), 2018),
        ("no word of it", dt.date(2019, 3, 31), 2019),
        ("fiscal 2018 ended September 28, 2019", dt.date(2019, 9, 28), 2019),
    ],
)
def test_the_companys_own_label_decides_the_year(text: str, end: dt.date, expected: int) -> None:
    assert derive_fiscal_year(text, end) == expected


@pytest.mark.parametrize(
    ("name", "text", "expected"),
    [
        ("NVIDIA CORPORATION", "NVIDIA Corporation designs chips.", "NVIDIA Corporation"),
        ("QXR INDUSTRIES INC", "QXR makes parts. We at QXR are proud.", "QXR Industries Inc."),
        ("BANK OF THE VALLEY", "", "Bank of the Valley"),
        ("MCADAMS & SON, L.P.", "", "McAdams & Son, L.P."),
        ("OAK R ESORTS I NTERNATIONAL", "Oak Resorts International runs inns.", "Oak Resorts International"),
        ("ACME HOLDINGS CORP /DE/", "", "Acme Holdings Corp"),
        ("eBridge Systems", "", "eBridge Systems"),
        ("LINDQVIST GROUP plc", "", "Lindqvist Group plc"),
    ],
)
def test_names_get_the_filings_own_casing(name: str, text: str, expected: str) -> None:
    assert tidy_company(name, text) == expected


def test_a_name_is_one_key_in_all_its_writings() -> None:
    assert normal_company("The Apple Company, Incorporated") == normal_company("APPLE CO INC")
    assert normal_company("Apple") != normal_company("Maple")
