from __future__ import annotations

from dataclasses import replace

from fin_tui.engine.evidence.units import units_of
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
