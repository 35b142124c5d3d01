"""What a file is comes from its bytes; what can't be a filing is refused with one clear line."""

from __future__ import annotations

import gzip
import os
import re

import pytest

from fin_tui.errors import BadFiling
from fin_tui.filings import submission
from fin_tui.filings.reader import company_key, filing_url, make_filing, read
from fin_tui.records import Cover

PLAIN = """                       SECURITIES AND EXCHANGE COMMISSION
                                   FORM 10-K

ANNUAL REPORT PURSUANT TO SECTION 13 OR 15(d) OF THE SECURITIES EXCHANGE ACT OF 1934

                  For the fiscal year ended March 31, 1999

                         Commission file number 0-4242

                               TERN FERRIES LTD
             (Exact name of registrant as specified in its charter)

ITEM 1. BUSINESS

     Tern Ferries Ltd runs boats between the islands, and has done so since the
first pier was built.  It owns four boats.
"""
PAGE = "<html><body>" + "".join(f"<p>{line.strip()}</p>" for line in PLAIN.split("\n\n")) + "</body></html>"


@pytest.mark.parametrize(
    ("raw", "kind"),
    [
        (PLAIN.encode(), "text"),
        (PAGE.encode(), "html"),
        (b"\xef\xbb\xbf" + PAGE.encode(), "html"),
        (gzip.compress(PAGE.encode()), "html"),
        (PLAIN.encode("utf-16"), "text"),
        (PLAIN.encode("utf-16-le"), "text"),
        (PLAIN.replace("boats between", "bateaux \xe9t\xe9 between").encode("cp1252"), "text"),
    ],
    ids=["text", "html", "html with a mark", "gzip", "utf-16", "utf-16 without a mark", "cp1252"],
)
def test_format_and_cover_come_from_the_content(raw: bytes, kind: str) -> None:
    made = read(raw, "misleading.pdf")
    assert made.format == kind
    assert (made.cover.company, made.cover.form, made.cover.fiscal_year) == ("Tern Ferries Ltd", "10-K", 1999)
    assert "islands" in made.text


@pytest.mark.parametrize(
    ("raw", "why"),
    [
        (b"", "empty"),
        (b" \n\t\n", "empty"),
        (b"hello there", "too short"),
        (b"PK\x03\x04" + b"x" * 500, "ZIP"),
        (b"\x89PNG\r\n\x1a\n" + b"\0" * 500, "picture"),
        (bytes(range(256)) * 40, "binary"),
        (b"\x1f\x8bbroken", "gzip"),
        (b'<?xml version="1.0"?><xbrl xmlns="http://www.xbrl.org/2003/instance"></xbrl>', "XBRL"),
    ],
)
def test_refuses_with_one_line_and_a_hint(raw: bytes, why: str) -> None:
    with pytest.raises(BadFiling, match=why) as caught:
        read(raw, "thing.txt")
    assert "\n" not in caught.value.message
    assert "thing.txt" in caught.value.message
    assert caught.value.hint


def test_large_junk_is_refused_without_reading_it() -> None:
    with pytest.raises(BadFiling, match="binary"):
        read(os.urandom(1_000_000) * 30, "noise.bin")
    with pytest.raises(BadFiling, match="does not begin as an SEC filing"):
        read(b"lorem ipsum dolor sit amet " * 1_000_000, "lorem.txt")
    with pytest.raises(BadFiling, match="no filing is that long"):
        read(b"annual report form 10-k " * 2_000_000, "long.txt")
    with pytest.raises(BadFiling, match="does not begin as an SEC filing"):
        read(b"<div>" * 6_000_000, "nest.html")


def test_the_size_limit_holds_for_packed_files(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(submission, "MAX_BYTES", 10_000)
    with pytest.raises(BadFiling, match="at most"):
        read(PLAIN.encode() * 30, "long.txt")
    with pytest.raises(BadFiling, match="at most"):
        read(gzip.compress(PLAIN.encode() * 300), "bomb.gz")


def test_html_that_is_no_filing_is_read_and_marked() -> None:
    made = read(b"<html><body><h1>Recipes</h1><p>Boil the eggs for six minutes.</p></body></html>", "eggs.html")
    assert made.cover.form == ""
    assert any("cover page" in warning for warning in made.warnings)


def test_a_filing_is_known_by_accession_else_by_its_bytes() -> None:
    document = read(PLAIN.encode(), "a.txt")
    made = make_filing(document, PLAIN.encode(), "a.txt")
    assert re.fullmatch(r"sha256:[0-9a-f]{16}", made.id)
    assert made.id == make_filing(document, PLAIN.encode(), "b.txt").id
    assert made.id != make_filing(document, PLAIN.encode() + b" ", "a.txt").id
    assert (made.file, made.url, made.company_key) == ("a.txt", "", "file:0-4242")


def test_an_accession_number_in_the_text_is_not_the_filings() -> None:
    raw = PLAIN.encode() + b"\n\nSee our report 0000320193-20-000096, filed before.\n"
    assert make_filing(read(raw, "a"), raw, "a").id.startswith("sha256:")


@pytest.mark.parametrize(
    ("cover", "key"),
    [
        (Cover(company="A Inc", cik="0000000042", irs_number="12-3456789"), "cik:0000000042"),
        (Cover(company="A Inc", irs_number="12-3456789", commission_file="1-5"), "irs:12-3456789"),
        (Cover(company="A Inc", commission_file="001-00035"), "file:1-35"),
        (Cover(company="The A. Company, Inc."), "name:a co inc"),
    ],
)
def test_company_keys_fall_back_in_order(cover: Cover, key: str) -> None:
    assert company_key(cover) == key


def test_urls_need_cik_and_accession() -> None:
    assert filing_url(Cover(cik="0000320193")) == ""
    url = filing_url(Cover(cik="0000320193", accession="0000320193-24-000123"))
    assert url == "https://www.sec.gov/Archives/edgar/data/320193/000032019324000123/0000320193-24-000123-index.htm"


def test_what_edgar_says_fills_the_gaps_of_a_document() -> None:
    known = Cover(company="Other", form="10-K405", cik="0000000007", ticker="TRN", accession="0000000007-99-000001")
    cover = read(PLAIN.encode(), "x.txt", known).cover
    assert (cover.cik, cover.ticker, cover.accession) == ("0000000007", "TRN", "0000000007-99-000001")
    assert (cover.company, cover.form) == ("Tern Ferries Ltd", "10-K405")


def test_the_file_s_own_header_goes_before_what_edgar_says() -> None:
    head = "<SEC-DOCUMENT>x\n<SEC-HEADER>x\nACCESSION NUMBER:\t0000000001-99-000001\n</SEC-HEADER>\n"
    raw = f"{head}<DOCUMENT>\n<TYPE>10-K\n<TEXT>\n{PLAIN}\n</TEXT>\n</DOCUMENT>\n".encode()
    cover = read(raw, "x.txt", Cover(ticker="TRN", accession="0000000007-99-000001")).cover
    assert (cover.accession, cover.ticker) == ("0000000001-99-000001", "TRN")
