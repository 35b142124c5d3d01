from __future__ import annotations

from dataclasses import replace

import pytest

from fin_tui.engine.answering.compose import marked
from fin_tui.engine.evidence import as_text, cite, quoted_table, units_of
from fin_tui.engine.evidence.evidence import gather, judged
from fin_tui.engine.evidence.extract import extract, is_page_index
from fin_tui.engine.evidence.paragraphs import Near, Outlines, near_lines
from fin_tui.records import Block, BlockKind, Cell, Chunk, Column, Cover, Document, Hit, Table
from tests.unit.engine.made import hit

TEXT = (
    "Statements of Income\nYear ended\t2024\t2023\nRevenue\t$60,922\t$26,974\n"
    "Operating expenses\nResearch\t8,675\t7,339\nRevenue\t1\t2"
)
WORDS = "Statements of Income Revenue: 2024 $60,922; 2023 $26,974. Operating expenses – Research: 2024 8,675; 2023 7,339. " + (
    "Revenue: 2024 1; 2023 2."
)


def test_rows_read_as_the_index_words_them_and_point_at_their_line() -> None:
    table = hit(TEXT, start=100, table=True)
    table = replace(table, chunk=replace(table.chunk, index_text=f"{table.chunk.header}\n{WORDS}"))
    rows = {TEXT[unit.start - 100 : unit.end - 100]: unit.text for unit in units_of(table)}
    assert rows["Revenue\t$60,922\t$26,974"].endswith("Revenue: 2024 $60,922; 2023 $26,974.")
    assert rows["Research\t8,675\t7,339"] == "Operating expenses – Research: 2024 8,675; 2023 7,339."
    assert rows["Revenue\t1\t2"] == "Revenue: 2024 1; 2023 2."
    assert rows["Operating expenses"] == "Operating expenses"


def test_prose_gives_its_sentences() -> None:
    prose = hit("Sales rose. Costs of U.S. units fell.", start=7)
    assert [(unit.text, unit.start, unit.end) for unit in units_of(prose)] == [
        ("Sales rose.", 7, 18),
        ("Costs of U.S. units fell.", 19, 44),
    ]


def test_a_table_without_figures_gives_its_lines() -> None:
    assert [unit.text for unit in units_of(hit("Name\tTitle\nA. Smith\tDirector", table=True))] == [
        "Name: Title",
        "A. Smith: Director",
    ]
    assert [unit.text for unit in units_of(hit("Only words", table=True))] == ["Only words"]


HEADER = "Acme Corp. (ACM) · 10-K · FY2024, ended 2024-12-31 · Item 8 Financial Statements · PROVISION FOR TAXES · (In millions)"


def table_hit(text: str, words: str) -> Hit:
    found = hit(text, start=100, table=True)
    return replace(found, chunk=replace(found.chunk, header=HEADER, index_text=f"{HEADER}\n{words}"))


def test_a_row_stands_with_its_headings_the_title_where_it_needs_one_and_its_unit() -> None:
    text = "2024\t2023\nFederal\nCurrent\t$60\t$26\nTotal\t90\t46\nNet revenue\t8\t7\nEffective rate\t21%\t20%\n5\t4"
    words = (
        "Federal – Current: 2024 $60; 2023 $26. Total: 2024 90; 2023 46. Net revenue: 2024 8; 2023 7. "
        "Effective rate: 2024 21%; 2023 20%. Net revenue – Other: 2024 5; 2023 4."
    )
    assert [unit.text for unit in units_of(table_hit(text, words))] == [
        "2024 2023",
        "Federal",
        "Federal – Current: 2024 $60; 2023 $26 (In millions).",
        "PROVISION FOR TAXES – Total: 2024 90; 2023 46 (In millions).",
        "Net revenue: 2024 8; 2023 7 (In millions).",
        "Effective rate: 2024 21%; 2023 20%.",
        "Net revenue – Other: 2024 5; 2023 4 (In millions).",
    ]


def test_rows_of_the_second_year_of_a_table_are_not_told_for_those_of_the_first() -> None:
    text = "2020\nRegulated\nBusinesses\tOther\nRevenues\t$3,255\t$18\n2019\nRegulated\nBusinesses\tOther\nRevenues\t$3,094\t$23"
    words = (
        "Revenues: Regulated Businesses $3,255; Other $18. Regulated – Businesses: Regulated Businesses Businesses; Other Other. "
        "Revenues: Regulated Businesses $3,094; Other $23."
    )
    rows = [unit.text for unit in units_of(table_hit(text, words)) if "$" in unit.text]
    assert [("$3,255" in row, "$3,094" in row) for row in rows] == [(True, False), (False, True)]


def test_a_row_that_the_index_leaves_out_has_the_columns_of_its_table() -> None:
    text = "2024\t2023\nCost of sales (1)\t$60\t$26\nCost of moving\t9\t4"
    rows = [unit.text for unit in units_of(table_hit(text, "Cost of sales: 2024 $60; 2023 $26."))]
    assert rows[1:] == ["Cost of sales: 2024 $60; 2023 $26 (In millions).", "Cost of moving: 2024 9; 2023 4 (In millions)."]


def test_a_heading_row_of_a_table_tells_nothing() -> None:
    text = "2024\t2023\nCost of sales (1)\t$60\t$26\nCost of moving\t9\t4"
    found = table_hit(text, "Cost of sales: 2024 $60; 2023 $26.")
    assert [unit.is_told for unit in units_of(found)] == [False, True, True]
    (near,) = near_lines([found])
    assert [piece.text.partition(":")[0] for piece in near.paragraph.pieces] == ["Cost of sales", "Cost of moving"]


def test_a_citation_of_a_row_quotes_the_filing_and_says_the_row_in_words() -> None:
    text = "2024\t2023\nCost of sales\t$60\t$26\nCost of moving\t9\t4"
    found = table_hit(text, "Cost of sales: 2024 $60; 2023 $26. Cost of moving: 2024 9; 2023 4.")
    at = 100 + text.index("Cost of moving")
    citation = cite(1, found, at, 100 + len(text))
    assert (citation.quote, citation.words) == ("Cost of moving\t9\t4", "Cost of moving: 2024 9; 2023 4 (In millions).")
    prose = cite(1, hit("Sales rose. Costs fell.", start=7), 7, 18)
    assert (prose.row, prose.words) == ("", "Sales rose.")


LINES = (
    "(In millions)\t2024\t2023",
    "Plants:",
    "Tin works\t$60\t$26",
    "Steel works\t9\t4",
    "Total plants\t$69\t$30",
    "Rent\t5\t6",
)
PATHS = ((), ("Plants:",), ("Plants:", "Tin works"), ("Plants:", "Steel works"), ("Total plants",), ("Rent",))


def table_of(lines: tuple[str, ...], paths: tuple[tuple[str, ...], ...], start: int = 0) -> Table:
    rows, at = [], start
    for number, line in enumerate(lines):
        cells = []
        for column, text in enumerate(line.split("\t")):
            cells.append(Cell(text, number, column, at, at + len(text)))
            at += len(text) + 1
        rows.append(tuple(cells))
    columns = (Column(()), Column(("Year ended December 31,", "2024")), Column(("Year ended December 31,", "2023")))
    return Table(tuple(rows), 1, columns, "What plants cost:", "(In millions)", 1_000_000, paths)


def test_title_unit_and_what_all_columns_share_stand_once() -> None:
    table = quoted_table(table_of(LINES, PATHS), [2, 3, 5])
    assert table is not None
    assert table.title == "What plants cost"
    assert table.header == ("In millions, Year ended December 31", "2024", "2023")
    assert table.rows == (
        ("Plants:", "", ""), ("  Tin works", "$60", "$26"), ("  Steel works", "9", "4"), ("Rent", "5", "6"),
    )  # fmt: skip
    assert as_text(table).count("In millions") == 1
    assert quoted_table(table_of(LINES, PATHS), [0, 1]) is None


def test_rows_of_another_year_stand_under_its_name() -> None:
    lines = ("\tNorth\tSouth", "2024", "Sales\t5\t6", "2023", "Sales\t3\t4")
    table = table_of(lines, ((), ("2024",), ("Sales",), ("2023",), ("Sales",)))
    quoted = quoted_table(replace(table, columns=(Column(()), Column(("North",)), Column(("South",)))), [2, 4])
    assert quoted is not None
    assert [row[0] for row in quoted.rows] == ["2024", "  Sales", "2023", "  Sales"]


def test_a_row_called_by_a_cell_beside_its_labels_says_it_once() -> None:
    lines = ("\tMaturities\t2023", "Acme notes\t< 5 Years\t5", "\t5-10 Years\t6")
    table = table_of(lines, ((), ("Acme notes",), ("5-10 Years",)))
    cells = tuple(tuple(cell for cell in row if cell.text) for row in table.rows)
    quoted = quoted_table(replace(table, rows=cells), [1, 2])
    assert quoted is not None
    assert quoted.rows == (("Acme notes", "< 5 Years", "5"), ("", "5-10 Years", "6"))


def test_columns_that_nothing_names_make_no_table() -> None:
    bare = replace(table_of(LINES, PATHS), columns=(Column(()), Column(()), Column(())))
    assert quoted_table(bare, [2, 3]) is None
    assert quoted_table(bare, [2, 3], words="Plants – Tin works: 60; 26.") is None
    worded = quoted_table(bare, [2, 3], words="Plants – Tin works: 2024 $60; 2023 $26 (In millions).")
    assert worded is not None
    assert worded.header == ("In millions", "2024", "2023")


def test_a_row_without_a_label_has_the_name_of_its_heading() -> None:
    quoted = quoted_table(table_of(("\t2024\t2023", "\t5\t6"), ((), ("Plants:",))), [1])
    assert quoted is not None
    assert quoted.rows == (("Plants:", "5", "6"),)


class _Corpus:
    """One filing of one table."""

    def __init__(self, found: Hit) -> None:
        self.found = found
        self.chunks = self

    def holding(self, filing_id: str, start: int, end: int, /) -> Chunk:
        return self.found.chunk

    def document(self, filing_id: str, /) -> Document:
        text = self.found.chunk.text
        block = Block(0, BlockKind.TABLE, 0, len(text), 1, table=table_of(tuple(text.split("\n")), PATHS))
        return Document("html", text, (block,), 1, Cover())


def test_rows_of_one_table_are_one_sentence_with_the_table_beside_it() -> None:
    found = hit("\n".join(LINES), table=True)
    near: tuple[Near, ...] = Outlines(_Corpus(found)).near([found])
    question = "What did the tin works and the rent cost?"
    read = judged(question, question, gather(question, [found]), near, None)
    sentences, evidence = extract(read)
    (told,) = [one for one in sentences if one.table is not None]
    assert told.table is not None
    assert [row[0] for row in told.table.rows][-1] == "Rent"
    assert told.citations == (1,)
    assert marked([told]).startswith("What plants cost [1]\n\n| In millions")
    assert "Rent\t5\t6" in evidence.passages[0].citation.quote


def test_without_the_document_rows_are_told_one_by_one() -> None:
    found = hit("\n".join(LINES), table=True)
    assert all(near.table is None for near in near_lines([found]))


def test_a_column_keeps_its_name_beside_a_unit_and_a_unit_alone_is_none() -> None:
    columns = (Column(()), Column(("Stores",)), Column(("Square Feet (in thousands)",)), Column(("Sales", "(in millions)")))
    texts = ("Ohio", "65", "7,865", "9")
    cells = tuple(Cell(text, 0, at, 10 * at, 10 * at + len(text)) for at, text in enumerate(texts))
    quoted = quoted_table(Table((cells,), 0, columns, row_paths=(("Ohio",),)), [0])
    assert quoted is not None
    assert quoted.header[1:] == ("Stores", "Square Feet (in thousands)", "Sales")


def test_a_heading_of_units_alone_is_no_heading() -> None:
    found = hit("Net sales 12")
    over = "Acme · 10-K · FY2024 · Item 7 Discussion and Analysis"
    for heading, header, told in (
        ("(in millions, except per share data)", "", ""),
        ("Sales (in millions)", over, "Sales (in millions)"),
        ("", over, "Discussion and Analysis"),
        ("(in millions)", f"{over} · Selected Data · (in millions)", "Selected Data"),
    ):
        chunk = replace(found.chunk, heading=heading, header=header)
        assert cite(1, replace(found, chunk=chunk), chunk.start, chunk.end).heading == told


def _plain(*rows: tuple[str, ...]) -> Table:
    cells = tuple(tuple(Cell(text, at, 1, 0, len(text)) for at, text in enumerate(row)) for row in rows)
    return Table(cells, 1, (Column(()), Column(())))


def test_a_table_of_pages_is_told_from_one_of_figures() -> None:
    assert is_page_index(
        _plain(("Index", "Page"), ("Statements of Income", "53"), ("Part II",), ("Notes", "57-112"), ("Terms", "iii"))
    )
    assert not is_page_index(_plain(("Stores", "2024"), ("Ohio", "53"), ("Iowa", "54")))
    assert not is_page_index(_plain(("Views", "Page"), ("Home", "53,112"), ("Shop", "$5")))
    assert not is_page_index(None)


@pytest.mark.parametrize(
    ("over", "told"),
    [
        ("Impairment Assessments · Consolidated Statements of Income · (in millions)", "Consolidated Statements of Income"),
        ("Note 4 · Notional amounts in the Consolidated Balance Sheets were as follows", "Risk Factors"),
        ("Parent Only · Condensed Statements of Cash Flows", "Risk Factors"),
    ],
)
def test_a_statement_is_cited_by_its_own_title(over: str, told: str) -> None:
    found = hit("Net income\t5", table=True, header=f"Acme · 10-K · FY2024 · Item 8 Financial Statements · {over}")
    assert cite(1, found, found.chunk.start, found.chunk.end).heading == told
