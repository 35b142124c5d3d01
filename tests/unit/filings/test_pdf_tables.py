"""Tables of PDFs laid out here: cells, headers, footnotes, tables over a page break."""

from __future__ import annotations

from fin_tui.filings.pdf import read_pdf
from fin_tui.filings.pdf_grid import Band, header_spans
from fin_tui.filings.pdf_lines import Segment
from fin_tui.records import BlockKind
from tests.unit.filings.pdf_made import income_statement, only_table, prose
from tests.unit.filings.pdf_writer import Page, pdf


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


def test_words_over_the_mark_of_a_footnote_head_its_column_alone() -> None:
    bands = [Band(202, 258, 202), Band(401, 459, 401), Band(467, 525, 467), Band(533, 591, 533)]

    def text(words: str, x0: float, x1: float) -> Segment:
        return Segment([], words, x0, x1, x0, False)

    below = [text("USCS", 242, 260), text("GMNS", 439, 459), text("(a)", 521, 526), text("All", 570, 593)]
    over = [text("Corporate & Other", 472, 526)]
    assert header_spans(over, bands, below) == [(2, 2)]
    below[2] = text("2021", 506, 520)
    assert header_spans(over, bands, below) == [(1, 3)]
