from __future__ import annotations

from dataclasses import replace

from fin_tui.engine.answering.compose import marked
from fin_tui.engine.evidence.evidence import gather
from fin_tui.engine.evidence.extract import extract
from fin_tui.engine.evidence.judged import judged
from fin_tui.engine.evidence.nearby import Near, Outlines, near_lines
from fin_tui.engine.evidence.quoted_table import as_text, quoted_table
from fin_tui.records import Block, BlockKind, Cell, Chunk, Column, Cover, Document, Hit, Table
from tests.unit.engine.made import hit

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
