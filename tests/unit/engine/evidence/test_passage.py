from __future__ import annotations

from dataclasses import replace

from fin_tui.engine.evidence.nearby import near_lines
from fin_tui.engine.evidence.passage import cite, units_of
from fin_tui.records import Hit
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
