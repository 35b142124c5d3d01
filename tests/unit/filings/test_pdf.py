"""The PDF reader on small PDFs laid out here, point by point."""

from __future__ import annotations

import random

import pytest

from fin_tui.errors import BadFiling
from fin_tui.filings.pdf import read_pdf
from fin_tui.records import Block, BlockKind, Document
from tests.unit.filings.pdf_writer import Page, pdf

PROSE = [
    "We design and sell measuring instruments for laboratories, and most of our products are made by",
    "outside suppliers in three countries. A shortage of parts, or the loss of one of these suppliers, would",
    "delay our deliveries and could harm our results for several quarters.",
]
LEFT = [
    "Our sales grew in each region,",
    "and the strongest growth came",
    "from customers in the public",
    "sector, where budgets rose and",
    "where several large orders were",
    "placed before the end of the year",
    "by laboratories that had waited",
    "for the new product generation.",
]
RIGHT = [
    "Costs rose more slowly than the",
    "sales did, because freight rates",
    "fell and because the new plant",
    "reached the output that we had",
    "planned for it two years before",
    "it was opened, with fewer people",
    "than expected and with a lower",
    "use of energy for each product.",
]


def prose(number: int) -> list[str]:
    """Lines that are not the same on another page."""
    return [f"In matter {number} {PROSE[0]}", f"and in plant {number}, too, {PROSE[1]}"]


def texts(document: Document, kind: BlockKind | None = None) -> list[str]:
    return [document.text[b.start : b.end] for b in document.blocks if kind is None or b.kind is kind]


def only_table(document: Document) -> tuple[Block, list[list[str]]]:
    """The one table of ``document`` and its rows as printed."""
    (block,) = [b for b in document.blocks if b.kind is BlockKind.TABLE]
    assert block.table is not None
    return block, [[cell.text for cell in row] for row in block.table.rows]


def income_statement(page: Page, top: float = 100) -> Page:
    """Three columns of figures with signs that stand apart, a wrapped label and a two-line header."""
    page.centred(top, "CONSOLIDATED STATEMENTS OF INCOME", font="bold")
    page.centred(top + 14, "(In millions, except per share data)")
    page.text(400, top + 40, "Years ended June 30,", font="bold", size=9)
    for x, year in ((392, "2021"), (462, "2020"), (532, "2019")):
        page.right(x, top + 52, year, font="bold", size=9)
    rows = [
        ("Net sales", ("14,694", "14,544", "12,861"), True),
        ("Cost of sales", ("(11,969)", "(11,724)", "(10,129)"), False),
        ("Restructuring", ("104", "\u2014", "94"), False),
        ("Net income", ("1,058", "815", "951"), True),
    ]
    for number, (label, values, signs) in enumerate(rows):
        y = top + 72 + 14 * number
        page.text(50, y, label)
        for x, value in zip((400, 470, 540), values, strict=True):
            page.right(x + (3.3 if value.endswith(")") else 0), y, value)
            if signs:
                page.text(x - 48, y, "$")
    return page


def test_paragraphs_join_their_lines_and_break_at_gaps() -> None:
    page = Page().lines(50, 80, PROSE).lines(50, 140, PROSE[:2])
    document = read_pdf(pdf([page]))
    assert texts(document) == [" ".join(PROSE), " ".join(PROSE[:2])]
    assert [b.page for b in document.blocks] == [1, 1]
    assert document.coverage == 1.0
    assert document.format == "pdf"


def test_a_new_paragraph_begins_after_a_short_line_without_a_gap() -> None:
    page = Page().lines(
        50, 80, [*PROSE, "The next paragraph stands right under it and goes on for the whole width of the page, as", "usual."]
    )
    assert len(texts(read_pdf(pdf([page])))) == 2


def test_first_line_indentation_begins_a_paragraph() -> None:
    full = "Costs of freight, of energy and of the parts that we buy rose in each of the last two fiscal years."
    page = Page().lines(50, 80, [full, full]).text(70, 104, full).lines(50, 116, [full])
    assert texts(read_pdf(pdf([page]))) == [f"{full} {full}", f"{full} {full}"]


def test_headings_have_levels() -> None:
    page = Page().text(50, 80, "Item 7. Management's Discussion and Analysis", font="bold")
    page.text(50, 100, "RESULTS OF OPERATIONS", font="bold").text(50, 120, "Net sales", font="bold").lines(50, 134, PROSE)
    document = read_pdf(pdf([page]))
    assert [(b.kind, b.level) for b in document.blocks] == [
        (BlockKind.HEADING, 1),
        (BlockKind.HEADING, 2),
        (BlockKind.HEADING, 3),
        (BlockKind.PARAGRAPH, 0),
    ]


def test_a_mention_of_an_item_in_prose_is_no_heading() -> None:
    lines = [
        "Item 7 of this report and the notes to the statements in it hold more about the matters that are named here.",
        *PROSE,
    ]
    document = read_pdf(pdf([Page().lines(50, 80, lines)]))
    assert texts(document, BlockKind.HEADING) == []


def test_bullets_and_wrapped_bullets_are_list_items() -> None:
    page = Page()
    page.text(60, 80, "\u2022").lines(
        80, 80, ["a bullet that is long enough to need a second line, which hangs under the text of the first", "line;"]
    )
    page.text(60, 104, "\u2022").text(80, 104, "a short one.")
    page.lines(50, 128, PROSE)
    document = read_pdf(pdf([page]))
    items = texts(document, BlockKind.LIST)
    assert len(items) == 2
    assert items[0].endswith("the first line;")
    assert items[1] == "\u2022 a short one."


def test_hyphens_at_line_ends() -> None:
    page = Page().lines(
        50,
        80,
        ["Statements about the future are forward-", "looking and depend on many assump-", "tions. All assumptions may fail."],
        leading=12,
    )
    text = read_pdf(pdf([page])).text
    assert "forward-looking" in text
    assert "many assumptions." in text


def test_a_statement_becomes_a_table_with_its_header() -> None:
    document = read_pdf(pdf([income_statement(Page())]))
    block, rows = only_table(document)
    assert rows[-4] == ["Net sales", "$14,694", "$14,544", "$12,861"]
    assert rows[-3] == ["Cost of sales", "(11,969)", "(11,724)", "(10,129)"]
    assert rows[-2] == ["Restructuring", "104", "\u2014", "94"]
    assert document.text[block.start : block.end].splitlines()[-1] == "Net income\t$1,058\t$815\t$951"
    table = block.table
    assert table is not None
    assert table.title == "CONSOLIDATED STATEMENTS OF INCOME"
    assert table.scale == 1_000_000
    assert [column.header[-1] for column in table.columns[-3:]] == ["2021", "2020", "2019"]
    assert all(column.header[0] == "Years ended June 30," for column in table.columns[-3:])


def test_cells_have_their_span_in_the_text() -> None:
    document = read_pdf(pdf([income_statement(Page())]))
    block, _ = only_table(document)
    assert block.table is not None
    for row in block.table.rows:
        for cell in row:
            assert document.text[cell.start : cell.end] == cell.text


def test_wrapped_labels_are_one_label_wherever_the_figures_stand() -> None:
    page = Page()
    long = ["Receivables, less allowances of $7,293 and", "$7,867 for doubtful accounts"]
    for number, where in enumerate((0.0, 11.0, 5.5)):
        top = 100 + 40 * number
        page.lines(50, top, long, leading=11).right(400, top + where, f"{number + 1},672").right(480, top + where, "591")
    page.text(50, 220, "Inventories").right(400, 220, "95").right(480, 220, "94")
    _, rows = only_table(read_pdf(pdf([page])))
    assert rows[:3] == [[" ".join(long), f"{n},672", "591"] for n in (1, 2, 3)]
    assert rows[3] == ["Inventories", "95", "94"]


def test_group_headings_are_not_joined_to_the_row_below() -> None:
    page = Page().text(50, 100, "Current assets:").text(60, 112, "Cash").right(400, 112, "876,560").right(480, 112, "1,117,400")
    page.text(60, 124, "Investments").right(400, 124, "3,111").right(480, 124, "2,622")
    _, rows = only_table(read_pdf(pdf([page])))
    assert rows[0] == ["Current assets:"]
    assert rows[1] == ["Cash", "876,560", "1,117,400"]


def test_leader_dots_are_left_out() -> None:
    page = Page()
    for number, (label, value) in enumerate((("Goodwill", "5,366"), ("Other assets", "159"), ("Total", "5,525"))):
        page.text(50, 100 + 12 * number, label + "." * (60 - 2 * number)).right(420, 100 + 12 * number, value)
    _, rows = only_table(read_pdf(pdf([page])))
    assert rows == [["Goodwill", "5,366"], ["Other assets", "159"], ["Total", "5,525"]]


def test_spaced_leader_dots_are_left_out() -> None:
    page = Page()
    for number, (label, value) in enumerate((("Goodwill", "5,366"), ("Total", "5,525"))):
        page.text(50, 100 + 12 * number, label + " ." * 30).right(420, 100 + 12 * number, value)
    _, rows = only_table(read_pdf(pdf([page])))
    assert rows == [["Goodwill", "5,366"], ["Total", "5,525"]]


def test_raised_footnote_marks_are_not_read_as_digits() -> None:
    page = Page()
    for number, (label, value) in enumerate((("Trademarks", "6,729"), ("Goodwill", "9,401"), ("Total", "16,130"))):
        page.text(50, 100 + 14 * number, label).right(400, 100 + 14 * number, value)
    page.text(400, 96, "2", size=6)
    document = read_pdf(pdf([page]))
    assert "6,7292" not in document.text
    assert "6,729" in document.text


def test_spanning_headers_name_the_columns_under_them() -> None:
    page = Page()
    for x, year in ((345, "2021"), (485, "2020")):
        page.text(x, 100, year, font="bold")
    for x, name in ((330, "Amount"), (400, "Share"), (470, "Amount"), (540, "Share")):
        page.right(x, 114, name, font="bold", size=9)
    for number, label in enumerate(("Europe", "Asia", "Africa")):
        page.text(50, 130 + 12 * number, label)
        for x in (330, 400, 470, 540):
            page.right(x, 130 + 12 * number, f"{x + number},000")
    block, rows = only_table(read_pdf(pdf([page])))
    assert rows[2] == ["Europe", "330,000", "400,000", "470,000", "540,000"]
    assert block.table is not None
    assert [column.header for column in block.table.columns[1:]] == [
        ("2021", "Amount"),
        ("2021", "Share"),
        ("2020", "Amount"),
        ("2020", "Share"),
    ]


def test_two_tables_with_other_columns_stay_two() -> None:
    page = Page()
    for number in range(3):
        page.text(50, 100 + 12 * number, f"Asset {number}").right(400, 100 + 12 * number, f"{number}11").right(
            540, 100 + 12 * number, f"{number}22"
        )
    page.text(50, 170, "The following table shows the maturities.")
    for number in range(3):
        page.text(50, 200 + 12 * number, f"Debt {number}")
        for x in (250, 330, 430, 520):
            page.right(x, 200 + 12 * number, f"{number}{x}")
    document = read_pdf(pdf([page]))
    kinds = [b.kind for b in document.blocks]
    assert kinds == [BlockKind.TABLE, BlockKind.PARAGRAPH, BlockKind.TABLE]


def test_a_table_that_goes_on_over_the_page_keeps_its_units() -> None:
    second = Page()
    for number, label in enumerate(("Dividends", "Share repurchases", "Other")):
        second.text(50, 60 + 12 * number, label).right(400, 60 + 12 * number, "4,061").right(470, 60 + 12 * number, "3,932")
    document = read_pdf(pdf([income_statement(Page()), second, Page().lines(50, 80, prose(1))]))
    tables = [b.table for b in document.blocks if b.table]
    assert [table.scale for table in tables] == [1_000_000, 1_000_000]
    assert [b.page for b in document.blocks if b.table] == [1, 2]


def test_a_table_after_prose_has_no_units_of_the_table_before() -> None:
    second = Page().text(50, 50, "Employees by region follow.")
    for number, label in enumerate(("Europe", "Asia")):
        second.text(50, 80 + 12 * number, label).right(400, 80 + 12 * number, "4,061").right(470, 80 + 12 * number, "3,932")
    document = read_pdf(pdf([income_statement(Page()), second]))
    assert [b.table.scale for b in document.blocks if b.table] == [1_000_000, 1]


def test_wide_word_spaces_of_justified_prose_make_no_table() -> None:
    page = Page()
    for number in range(6):
        spacing = 6.0 + 0.4 * (number % 3)
        page.text(
            50, 100 + 12 * number, f"Sales in region {number} rose by {number + 4} percent, to 1,250 million", spacing=spacing
        )
    document = read_pdf(pdf([page]))
    assert texts(document, BlockKind.TABLE) == []
    assert "Sales in region 0 rose by 4 percent, to 1,250 million Sales in region 1" in document.text


def test_two_columns_of_prose_are_read_one_after_the_other() -> None:
    page = Page().centred(80, "LETTER TO OUR SHAREHOLDERS", font="bold").lines(60, 120, LEFT).lines(330, 120, RIGHT)
    text = read_pdf(pdf([page])).text
    assert " ".join(LEFT) in text
    assert " ".join(RIGHT) in text
    assert text.index("generation.") < text.index("Costs rose")


def test_two_columns_whose_baselines_differ() -> None:
    page = Page().lines(60, 120, LEFT).lines(330, 125, RIGHT)
    text = read_pdf(pdf([page])).text
    assert " ".join(LEFT) in text
    assert " ".join(RIGHT) in text


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
