"""Who filed it: covers whose name is lost among their columns, and the other places that name the registrant."""

from __future__ import annotations

import datetime as dt

import pytest

from fin_tui.filings.cover import cover_from_text, registrant
from fin_tui.filings.pdf import read_pdf
from fin_tui.filings.reader import make_filing, read
from tests.unit.filings.pdf_made import prose
from tests.unit.filings.pdf_writer import Page, pdf

HEAD = (
    "UNITED STATES SECURITIES AND EXCHANGE COMMISSION\n\nWashington, D.C. 20549\n\nFORM 10-K\n\n"
    "☒ ANNUAL REPORT PURSUANT TO SECTION 13 OR 15(d) OF THE SECURITIES EXCHANGE ACT OF 1934\n\n"
    "For the fiscal year ended June 30, 2019\n\n"
)
RUN_TOGETHER = (
    "Commission file number 1-54321\n\nOREGON 93-1234567\n\n(STATE OF INCORPORATION) (I.R.S. ID)\n\n"
    "1 LARCH WAY, PORTLAND, OREGON 97201\n\n(503) 555-0100\n\n"
)
SIGNED = (
    "Pursuant to the requirements of Section 13 or 15(d) of the Securities Exchange Act of 1934, the Registrant has duly caused "
    "this report to be signed on its behalf by the undersigned; thereunto duly authorized, in the City of Portland, State of "
    "Oregon, on August 1, 2019.\n\nLARCH SYSTEMS CORPORATION\n\n/s/ A. BERG\n"
)
AUDITED = "To the Stockholders and the Board of Directors of Larch Systems Corporation:\n\nOpinion on the Financial Statements\n"
DEFINED = "Larch Systems Corporation and its subsidiaries (collectively, the “Company”) make pumps.\n\n"
TITLED = "LARCH SYSTEMS CORPORATION AND SUBSIDIARIES\n\nConsolidated Balance Sheets\n\n"
CHARTER = "3.1\tRestated Articles of Incorporation of Larch Systems Corporation, as amended\n\n"


def test_a_name_may_begin_with_a_digit_and_stand_without_a_caption() -> None:
    text = HEAD + "Commission file number 1-54321\n\n4K TOOLS COMPANY\n\nState of Incorporation: Delaware\n\n"
    assert cover_from_text(text + "We at 4K Tools Company make tools.").company == "4K Tools Company"


@pytest.mark.parametrize(
    "places", [SIGNED, AUDITED + DEFINED, DEFINED + TITLED, AUDITED + CHARTER], ids=["signed", "audited", "titled", "charter"]
)
def test_columns_that_run_together_are_no_name_and_others_are_asked(places: str) -> None:
    made = cover_from_text(HEAD + RUN_TOGETHER + places)
    assert (made.company, made.irs_number, made.commission_file) == ("Larch Systems Corporation", "93-1234567", "1-54321")


def test_a_state_under_the_caption_is_outvoted() -> None:
    cover = HEAD + "Commission file number 1-54321\n\nNEW YORK\n\n(Exact name of registrant as specified in its charter)\n\n"
    assert cover_from_text(cover + AUDITED + SIGNED).company == "Larch Systems Corporation"


def test_one_place_that_speaks_of_somebody_is_not_enough() -> None:
    lender = "Alder Bank (together with the lenders, the “Company Lender”)\n\nAlder Notes (the “Company”)\n\n"
    assert cover_from_text(HEAD + RUN_TOGETHER + lender).company == ""


def test_the_signatory_of_a_trust_does_not_outvote_its_cover() -> None:
    cover = HEAD + "Commission file number 1-54321\n\nALDER AUTO TRUST 2019-1\n\n(Exact name of issuing entity)\n\n"
    assert cover_from_text(cover + SIGNED).company == "Alder Auto Trust 2019-1"


def test_running_lines_decide_between_names_that_weigh_the_same() -> None:
    names = "Alder Pumps Limited (the “Company”)\n\nLarch Tools Limited (the “Company”)\n\n" + TITLED.replace(
        "LARCH SYSTEMS CORPORATION", "ALDER PUMPS LIMITED"
    )
    both = names + TITLED.replace("LARCH SYSTEMS CORPORATION", "LARCH TOOLS LIMITED")
    assert registrant("", both, ["Larch Tools Limited | 2019 Form 10-K | 12"]) == "Larch Tools Limited"
    assert registrant("", both, ["Alder Pumps Limited | 2019 Form 10-K | 12"]) == "Alder Pumps Limited"


def cover_page() -> Page:
    """A cover as some PDFs lay it out: the name is a picture, and the columns under it are the first words."""
    page = Page().centred(74, "SECURITIES AND EXCHANGE COMMISSION").centred(88, "Washington, D.C. 20549")
    page.centred(110, "FORM 10-K", font="bold")
    page.text(60, 130, "ANNUAL REPORT PURSUANT TO SECTION 13 OR 15(d) OF THE SECURITIES EXCHANGE ACT OF 1934")
    page.centred(150, "For the Fiscal Year Ended June 30, 2019").centred(170, "Commission File Number 1-54321")
    page.text(120, 230, "OREGON").text(400, 230, "93-1234567")
    return page.text(120, 244, "(STATE OF INCORPORATION)").text(400, 244, "(I.R.S. ID)")


def test_a_pdf_without_a_name_on_its_cover_is_known_by_its_other_pages() -> None:
    audited = Page().lines(50, 80, ["To the Stockholders and the Board of Directors of Larch Systems Corporation:"])
    signed = Page().lines(50, 80, ['Larch Systems Corporation and its subsidiaries (the "Company") make pumps.'])
    raw = pdf([cover_page(), audited.lines(50, 120, prose(1)), signed.lines(50, 120, prose(2))])
    document = read(raw, "report")
    filing = make_filing(document, raw, "report.pdf")
    assert (filing.company, filing.form, str(filing.period_end)) == ("Larch Systems Corporation", "10-K", "2019-06-30")
    assert filing.company_key == "irs:93-1234567"


def test_the_title_of_a_pdf_and_its_running_lines_stand_beside_the_text() -> None:
    pages = [Page().centred(30, "Larch Systems Corporation").lines(50, 80, prose(number)) for number in range(12)]
    document = read_pdf(pdf(pages, title="Annual Report 2019"))
    assert document.beside == ("Annual Report 2019", "Larch Systems Corporation")
    assert "Larch Systems Corporation" not in document.text


def test_the_columns_of_the_tables_date_a_filing_whose_cover_does_not() -> None:
    rows = "".join(
        f"Note {note} on costs of plants\n\n<TABLE>\n<CAPTION>\n                         June 30, 2019   June 30, 2018\n"
        "<S>                      <C>             <C>\n"
        f"Plant {note} at cost               {note + 10}              {note + 20}\n"
        f"Wells at cost                 {note + 30}              {note + 40}\n</TABLE>\n\n"
        for note in range(6)
    )
    document = read((HEAD.replace("For the fiscal year ended June 30, 2019", "") + AUDITED + rows).encode(), "report")
    assert document.cover.period_end == dt.date(2019, 6, 30)
    assert any("2019-06-30" in warning for warning in document.warnings)
