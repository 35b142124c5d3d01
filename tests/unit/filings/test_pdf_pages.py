"""Pages of PDFs: running lines, page numbers, rotation; files that are damaged, empty or no PDF."""

from __future__ import annotations

import random

import pytest

from fin_tui.errors import BadFiling
from fin_tui.filings.pdf import read_pdf
from tests.unit.filings.pdf_made import PROSE, income_statement, only_table, prose
from tests.unit.filings.pdf_writer import Page, pdf


def test_running_lines_and_page_numbers_are_left_out() -> None:
    pages = []
    for number in range(12):
        page = (
            Page().text(50, 30, "Table of Contents", size=8).lines(50, 80, prose(number)).text(50, 200, f"Topic {number} alone.")
        )
        pages.append(page.text(300, 760, str(number + 3)))
    document = read_pdf(pdf(pages))
    assert "Table of Contents" not in document.text
    assert document.text.count("Topic") == 12
    assert [b.page_label for b in document.blocks if b.page == 4] == ["6", "6"]
    assert document.coverage == 1.0
    assert document.pages == 12


def test_roman_and_prefixed_page_numbers() -> None:
    labels = ["i", "ii", "iii", "F-1", "F-2", "F-3"]
    pages = [Page().lines(50, 80, prose(number)).text(300, 760, label) for number, label in enumerate(labels)]
    document = read_pdf(pdf(pages))
    assert [b.page_label for b in document.blocks] == labels


def test_titles_of_statements_on_neighbouring_pages_stay() -> None:
    pages = [Page().centred(60, "Ardmore Instruments, Inc.", font="bold").lines(50, 90, prose(n)) for n in range(4)]
    pages += [Page().lines(50, 90, prose(n)) for n in range(4, 32)]
    assert read_pdf(pdf(pages)).text.count("Ardmore Instruments") == 4


def test_captions_that_repeat_at_the_top_of_pages_stay() -> None:
    pages = [Page().text(50, 60, "(In millions)").lines(50, 90, prose(n)) for n in range(12)]
    assert read_pdf(pdf(pages)).text.count("(In millions)") == 12


@pytest.mark.parametrize("rotate", [0, 90, 180, 270])
def test_rotated_pages_read_the_same(rotate: int) -> None:
    page = income_statement(Page(rotate=rotate))
    _, rows = only_table(read_pdf(pdf([page])))
    assert rows[-1] == ["Net income", "$1,058", "$815", "$951"]


def test_text_that_runs_up_a_landscape_page() -> None:
    page = Page(rotate=90)
    for number, (label, a, b) in enumerate(
        (("Goodwill", "5,366", "4,721"), ("Other assets", "159", "126"), ("Total", "5,525", "4,847"))
    ):
        x = 100 + 14 * number
        page.text(x, 700, label, matrix="0 1 -1 0").text(x, 400, a, matrix="0 1 -1 0").text(x, 300, b, matrix="0 1 -1 0")
    _, rows = only_table(read_pdf(pdf([page])))
    assert rows == [["Goodwill", "5,366", "4,721"], ["Other assets", "159", "126"], ["Total", "5,525", "4,847"]]


def test_escape_sequences_in_the_file_do_not_reach_the_text() -> None:
    page = Page().lines(50, 80, [*PROSE, r"a\033[31mred and a bell\007 in the text"])
    document = read_pdf(pdf([page]).replace(rb"\\033", rb"\033").replace(rb"\\007", rb"\007"))
    assert not any(ord(c) < 32 and c not in "\n\t" for c in document.text)


def test_a_pdf_without_text_is_refused_with_a_hint() -> None:
    with pytest.raises(BadFiling, match="no text") as caught:
        read_pdf(pdf([Page(), Page()]))
    assert "OCR" in caught.value.hint


def test_a_scan_with_only_page_numbers_is_refused() -> None:
    with pytest.raises(BadFiling, match="no text"):
        read_pdf(pdf([Page().text(300, 760, str(number)) for number in range(40)]))


def test_an_encrypted_pdf_is_refused() -> None:
    key = b"<" + b"ab" * 32 + b">"
    encryption = b"/Encrypt << /Filter /Standard /V 1 /R 2 /O " + key + b" /U " + key + b" /P -4 >> /ID [<00> <00>]"
    raw = pdf([Page().lines(50, 80, PROSE)]).replace(b"/Root 1 0 R", b"/Root 1 0 R " + encryption)
    with pytest.raises(BadFiling, match=r"encrypted|damaged"):
        read_pdf(raw)


@pytest.mark.parametrize(
    "raw", [b"", b"%PDF-1.7", b"%PDF-1.4\n%%EOF", b"not a pdf at all", b"%PDF-1.4 " + bytes(range(256)) * 40]
)
def test_bytes_that_are_no_pdf_are_refused(raw: bytes) -> None:
    with pytest.raises(BadFiling):
        read_pdf(raw)


def test_a_pdf_without_its_end_gives_what_is_left() -> None:
    raw = pdf([Page().lines(50, 80, prose(number)) for number in range(6)])
    document = read_pdf(raw[: raw.index(b"xref")])
    assert " ".join(prose(2)) in document.text
    assert any("damaged" in warning for warning in document.warnings)


def test_damaged_pdfs_never_raise_anything_else() -> None:
    whole = pdf([income_statement(Page()).lines(50, 400, PROSE) for _ in range(3)], compress=True)
    chance = random.Random(7)
    read = 0
    for _ in range(60):
        raw = bytearray(whole)
        for _ in range(chance.randint(1, 12)):
            raw[chance.randrange(len(raw))] = chance.randrange(256)
        raw = raw[: chance.randrange(len(raw) - 700, len(raw) + 1)]
        try:
            document = read_pdf(bytes(raw))
        except BadFiling:
            continue
        read += 1
        assert 0.0 <= document.coverage <= 1.0
        assert all(0 <= b.start < b.end <= len(document.text) for b in document.blocks)
    assert read > 0
