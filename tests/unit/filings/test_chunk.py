import datetime as dt
from dataclasses import replace
from itertools import pairwise
from typing import Literal

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from fin_tui.config import Chunking
from fin_tui.filings.chunk import CHUNKING_VERSION, chunk_document
from fin_tui.filings.chunk_packing import by_words, column_names, linearize, pack
from fin_tui.filings.sections import find_sections
from fin_tui.records import Chunk, Document
from tests.unit.filings.build import Part, document, filing, prose

Strategy = Literal["section", "recursive", "sentence", "token"]
STRATEGIES: tuple[Strategy, ...] = ("section", "recursive", "sentence", "token")
YEARS = ["", "Year ended December 31, 2024", "Year ended December 31, 2023"]


def chunks(parts: list[Part], settings: Chunking | None = None) -> tuple[Chunk, ...]:
    made = document(parts)
    return chunk_document(made, filing(), find_sections(made), settings or Chunking())


def table(rows: int) -> list[list[str]]:
    return [YEARS, ["Assets:", "", ""], *([f"Line item number {i}", f"{i},500", f"{i},100"] for i in range(1, rows + 1))]


def assert_whole(made: Document, cut: tuple[Chunk, ...]) -> None:
    covered = bytearray(len(made.text))
    for chunk in cut:
        assert chunk.text == made.text[chunk.start : chunk.end]
        covered[chunk.start : chunk.end] = b"\1" * (chunk.end - chunk.start)
    assert "".join(c for i, c in enumerate(made.text) if not covered[i]).strip() == ""
    assert [chunk.ordinal for chunk in cut] == list(range(len(cut)))
    assert all(a.start < b.start and a.end <= b.end for a, b in pairwise(cut))


def test_paragraphs_under_one_heading_stay_together() -> None:
    cut = chunks(
        [
            ("h1", "Item 1. Business"),
            ("h2", "Products"),
            ("p", prose(60)),
            ("p", prose(70)),
            ("h2", "Competition"),
            ("p", prose(90)),
        ]
    )
    assert [chunk.heading for chunk in cut] == ["Products", "Competition"]
    assert cut[0].text.startswith("Item 1. Business")
    assert cut[0].item == "1"
    assert cut[0].header == "Acme Corp. (ACME) · 10-K · FY2024 · Item 1 Business · Products"
    assert cut[0].index_text == f"{cut[0].header}\n{cut[0].text}"
    assert cut[1].id == f"sha256:0123456789abcdef/{CHUNKING_VERSION}:1"


def test_a_heading_never_stands_alone() -> None:
    cut = chunks([("p", prose(170)), ("h2", "Alone"), ("p", prose(170)), ("h2", "Last")])
    assert [chunk.text.split("\n")[0] for chunk in cut[1:]] == ["Alone"]
    assert cut[-1].text.endswith("Last")


def test_long_paragraphs_are_cut_between_sentences_with_overlap() -> None:
    cut = chunks([("p", prose(500))])
    assert all(len(chunk.text.split()) <= 200 for chunk in cut)
    assert all(chunk.text.endswith(".") and chunk.text[0].isupper() for chunk in cut)
    assert all(second.start < first.end for first, second in pairwise(cut))


def test_no_chunk_crosses_an_item() -> None:
    made = document([("h1", "Item 2. Properties"), ("p", "None."), ("h1", "Item 3. Legal Proceedings"), ("p", "None.")])
    sections = find_sections(made)
    cut = chunk_document(made, filing(), sections, Chunking())
    assert [chunk.item for chunk in cut] == ["2", "3"]


def test_a_list_goes_with_its_lead_in() -> None:
    items: list[Part] = [("li", prose(20)) for _ in range(4)]
    cut = chunks([("p", prose(110)), ("p", "Our risks include the following matters:"), *items])
    assert cut[1].text.startswith("Our risks include")


def test_a_table_is_one_chunk_with_its_caption_and_reads_as_sentences() -> None:
    cut = chunks(
        [
            ("h2", "Assets"),
            ("p", prose(60)),
            ("p", "The following table shows our assets (in millions):"),
            ("table", table(5)),
            ("p", prose(40)),
        ]
    )
    assert [chunk.kind for chunk in cut] == ["prose", "table", "prose"]
    assert cut[1].text.startswith("The following table")
    assert "(in millions)" in cut[1].header
    assert "Assets – Line item number 3: 2024 3,500; 2023 3,100." in cut[1].index_text


def test_parts_of_a_long_table_repeat_columns_and_units() -> None:
    cut = chunks([("p", "Our assets (in thousands):"), ("table", table(120))])
    assert len(cut) > 2
    assert all(chunk.kind == "table" and "(in thousands)" in chunk.header for chunk in cut)
    assert all("2024 " in chunk.index_text for chunk in cut)
    assert all(len(chunk.text.split()) <= 260 for chunk in cut)


def test_a_layout_table_is_prose() -> None:
    cut = chunks([("p", prose(40)), ("table", [["•", "First thing to say"], ["•", "Second thing"]])])
    assert [chunk.kind for chunk in cut] == ["prose"]


def test_a_line_under_a_table_goes_with_it() -> None:
    cut = chunks([("table", table(6)), ("p", "See accompanying notes."), ("h2", "Next"), ("p", prose(50))])
    assert cut[0].text.endswith("See accompanying notes.")


def test_a_chunk_stands_on_the_page_where_it_begins() -> None:
    cut = chunks([("p", prose(100)), ("page", "17"), ("p", prose(150))])
    assert [(chunk.page, chunk.page_label) for chunk in cut] == [(1, ""), (2, "17")]


def test_a_chunk_over_two_pages_stands_on_the_one_with_most_of_it() -> None:
    (over,) = chunks([("h2", "Debt"), ("page", "17"), ("p", prose(60))])
    assert (over.page, over.page_label) == (2, "17")
    (under,) = chunks([("h2", "Debt"), ("p", prose(60)), ("page", "17"), ("p", prose(15))])
    assert under.page == 1


def test_columns_are_named_by_what_tells_them_apart() -> None:
    made = document([("table", [["", "2024", "2023", "Change"], ["Sales", "1,200", "1,100", "9%"]])])
    block = made.blocks[0]
    assert block.table is not None
    assert column_names(block.table) == ["", "2024", "2023", "Change"]
    assert linearize(block.table, 0, 2) == "Sales: 2024 1,200; 2023 1,100; Change 9%."


def test_a_year_keeps_the_name_that_the_table_gives_it() -> None:
    """A fiscal year may end in the calendar year after the one that names it."""
    made = document([("table", [["", "2025", "2024"], ["Sales", "1,200", "1,100"]])])
    table = made.blocks[0].table
    assert table is not None
    ends = (None, dt.date(2026, 1, 31), dt.date(2025, 2, 1))
    dated = tuple(replace(column, period_end=end) for column, end in zip(table.columns, ends, strict=True))
    assert column_names(replace(table, columns=dated)) == ["", "2025", "2024"]
    spans = tuple(replace(column, header=("", f"Period {place}")) for place, column in enumerate(dated))
    assert column_names(replace(table, columns=spans)) == ["", "2026", "2025"]


def test_linearized_rows_are_capped_at_whole_rows() -> None:
    made = document([("table", table(90))])
    block = made.blocks[0]
    assert block.table is not None
    text = linearize(block.table, 0, 92, limit=100)
    assert 60 < len(text.split()) <= 100
    assert text.endswith(".")


PARTS = st.lists(
    st.one_of(
        st.tuples(st.just("p"), st.integers(1, 400).map(prose)),
        st.tuples(st.just("p"), st.integers(200, 300).map(lambda n: "run " * n)),
        st.sampled_from(
            [
                ("h2", "Some Heading"),
                ("h1", "Item 1. Business"),
                ("h1", "Item 7."),
                ("li", "A point of a list"),
                ("p", "These are:"),
            ]
        ),
        st.tuples(st.just("table"), st.integers(1, 80).map(table)),
    ),
    max_size=10,
)


@settings(deadline=None)
@given(PARTS, st.sampled_from(STRATEGIES), st.integers(20, 200), st.integers(0, 40))
def test_every_visible_character_is_in_a_chunk(parts: list[Part], strategy: Strategy, size: int, overlap: int) -> None:
    made = document(parts)
    sections = find_sections(made)
    cut = chunk_document(made, filing(), sections, Chunking(strategy=strategy, size=size, overlap=overlap))
    assert_whole(made, cut)
    for chunk in cut:
        assert any(section.start <= chunk.start and chunk.end <= section.end for section in sections)


@pytest.mark.parametrize("strategy", STRATEGIES)
def test_prose_stays_near_the_wanted_size(strategy: Strategy) -> None:
    cut = chunks([("p", prose(90)), ("p", prose(700)), ("p", prose(30))], Chunking(strategy=strategy, size=100, overlap=20))
    assert len(cut) >= 8
    assert all(len(chunk.text.split()) <= 133 for chunk in cut)


@given(st.integers(0, 300), st.integers(1, 60), st.integers(0, 80))
def test_windows_reach_the_end_and_overlap_as_asked(words: int, size: int, overlap: int) -> None:
    text = " ".join(f"w{i}" for i in range(words))
    spans = by_words(text, size, overlap)
    assert (spans[-1][1] if spans else 0) == len(text)
    assert all(b[0] > a[0] and b[0] <= a[1] + 1 for a, b in pairwise(spans))
    assert all(len(text[a:b].split()) <= size for a, b in spans)


def test_packing_repeats_whole_atoms_only() -> None:
    text = "aa bb. cc dd. ee ff. gg hh."
    atoms = [(0, 6), (7, 13), (14, 20), (21, 27)]
    assert pack(text, atoms, 4, 2) == [(0, 13), (7, 20), (14, 27)]
    assert pack(text, atoms, 4, 1) == [(0, 13), (14, 27)]
