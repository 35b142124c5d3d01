from __future__ import annotations

import pytest

from fin_tui.engine.evidence.paragraphs import Paragraph, paragraphs, refers_only, says_nothing, segments_over
from fin_tui.records import Block, BlockKind, Cell, Column, Table

P, H, L, T = BlockKind.PARAGRAPH, BlockKind.HEADING, BlockKind.LIST, BlockKind.TABLE


def read(*lines: tuple[BlockKind, str], header_rows: int = 0) -> tuple[Paragraph, ...]:
    text, blocks = "", []
    for ordinal, (kind, line) in enumerate(lines):
        table = None
        if kind is T:
            rows, at = [], len(text)
            for number, row in enumerate(line.split("\n")):
                cells = []
                for column, cell in enumerate(row.split("\t")):
                    cells.append(Cell(cell, number, column, at, at + len(cell)))
                    at += len(cell) + 1
                rows.append(tuple(cells))
            table = Table(tuple(rows), header_rows, (Column(()), Column(())))
        level = (1 if line.startswith("Item ") else 2) if kind is H else 0
        blocks.append(Block(ordinal, kind, len(text), len(text) + len(line), 1, level=level, table=table))
        text += line + "\n"
    made = paragraphs(text, blocks)
    for paragraph in made:
        for piece in paragraph.pieces:
            assert piece.text.split()[-1] in text[piece.start : piece.end]
    return made


def texts(*lines: tuple[BlockKind, str]) -> list[str]:
    return [paragraph.text for paragraph in read(*lines)]


def test_a_line_that_announces_bullets_has_them() -> None:
    (one, two) = read((P, "Margins fell due to the following:"), (L, "• wages rose;"), (L, "• tin cost more."), (P, "We hope."))
    assert [piece.text for piece in one.pieces] == ["Margins fell due to the following:", "wages rose;", "tin cost more."]
    assert [piece.kind for piece in one.pieces] == ["sentence", "item", "item"]
    assert two.text == "We hope."


def test_a_line_that_announces_figures_is_left_out() -> None:
    assert texts((P, "Sales rose. They were as follows:"), (T, "2024\t5\n2023\t4")) == ["Sales rose."]


def test_footnotes_under_a_table_of_figures_are_no_sentences() -> None:
    table = (T, "2024\t5\n2023\t4")
    assert texts((P, "Sales rose."), table, (P, "(1) Net of returns."), (L, "(2) As of June."), (P, "Costs fell.")) == [
        "Sales rose.", "Costs fell.",
    ]  # fmt: skip
    assert (
        texts((P, "(1) We make tin."), (P, "(2) Refer to Item 1 of this report for more information."))[0] == "(1) We make tin."
    )
    assert not any("Refer" in text for text in texts((P, "(2) Refer to Item 1 of this report for more information.")))


def test_the_rule_under_a_table_and_its_short_forms_are_no_sentences() -> None:
    table = (T, "2024\t5\n2023\t4")
    rule = (P, "____________")
    for key in ("NM - not meaningful", "N/A = Not Applicable", "nm – not meaningful"):
        assert texts(table, rule, (P, key), (P, "Income rose in 2024.")) == ["Income rose in 2024."]
    for said in (
        "COVID-19 vaccines sold well",
        "We - and others - sold tin.",
        "EPS: it rose by a lot more than we had hoped for",
    ):
        assert texts(table, rule, (P, said))[0] == said


def test_a_table_of_words_goes_on_with_the_sentence_before_it() -> None:
    (lead, rows) = read((P, "The table shows our plants."), (T, "Tin works\tOhio\nSteel works\tIowa"))
    assert rows.lead == lead.pieces[0]
    assert rows.text == "The table shows our plants. Tin works · Ohio Steel works · Iowa"
    assert (lead.whole, lead.part, rows.whole, rows.part) == (0, 0, 0, 1)


def test_a_header_of_several_rows_makes_no_table_of_figures_a_list() -> None:
    head = "Total number\tShares that may\nof shares\tyet be bought\nPeriod\tunder the plan"
    words = (P, "The table shows our plants.")
    assert len(read(words, (T, f"{head}\nJune\t66\nJuly\t55\nMay\t44"), header_rows=3)) == 1
    (_, rows) = read(words, (T, f"{head}\nTin\tOhio\nSteel\tIowa"), header_rows=3)
    assert [piece.text for piece in rows.pieces] == ["Tin · Ohio", "Steel · Iowa"]


def test_what_a_page_break_cut_is_one_sentence() -> None:
    assert texts((P, "We would incur an additional loss of about"), (P, "$275 million in all. Sales rose.")) == [
        "We would incur an additional loss of about $275 million in all. Sales rose."
    ]


def test_headings_references_and_furniture_are_no_sentences() -> None:
    (one,) = read((H, "Litigation"), (H, "Acme v. Globex"), (P, "12"), (P, "We won the case. See Note 4 of the statements."))
    assert one.text == "We won the case."
    assert one.heading == "Acme v. Globex"


def test_a_long_paragraph_is_given_in_parts_that_know_each_other() -> None:
    sentence = "The company makes tin in very many places of the world and sells it. "
    parts = read((P, sentence * 20))
    assert len(parts) > 2
    assert {part.whole for part in parts} == {0}
    assert [part.part for part in parts] == list(range(len(parts)))
    assert all(40 <= len(part.text.split()) <= 140 for part in parts)
    assert " ".join(part.text for part in parts) == (sentence * 20).strip()


def test_a_part_of_a_long_list_knows_what_announces_it() -> None:
    bullets = [
        (L, f"• reason {n} " + "is long and tells of very many matters that came together in the year now ended " * 2)
        for n in range(6)
    ]
    parts = read((P, "Margins fell due to the following:"), *bullets)
    assert len(parts) > 1
    assert all(part.text.startswith("Margins fell due to the following:") for part in parts)


def test_a_heading_that_is_a_sentence_begins_its_paragraph() -> None:
    said = "The company depends on others for most of what it makes."
    (one,) = read((H, "Risks of supply"), (H, said), (P, "They may fail us."))
    assert (one.text, one.heading) == (f"{said} They may fail us.", "Risks of supply")


def test_lines_of_the_form_on_the_cover_say_nothing() -> None:
    cover = (
        (P, "For the fiscal year ended June 30, 2024"),
        (P, "or"),
        (L, "☐ TRANSITION REPORT PURSUANT TO SECTION 13 OR 15(d) OF THE ACT"),
        (P, "Shares held by others were worth $5 million on December 31, 2023."),
    )
    assert texts(*cover, (H, "Item 1. Business"), (P, "We make pads for all who land")) == [
        "Shares held by others were worth $5 million on December 31, 2023.",
        "We make pads for all who land",
    ]


@pytest.mark.parametrize(
    ("sentence", "only"),
    [
        ("See Note 4 of the statements.", True),
        ("For further discussion, see Part I, Item 1A.", True),
        (
            "For additional information about government regulation, see Item 1A Risk Factors; Trends in Item 7; and Note 10.",
            True,
        ),
        ("See Note 4; revenue rose by 5% in the year.", False),
        ("For the details of the plan the board asked a committee; it met twice.", False),
        ("We won the case.", False),
    ],
)
def test_a_sentence_that_only_points_elsewhere_is_known(sentence: str, only: bool) -> None:
    assert refers_only(sentence) is only


@pytest.mark.parametrize(
    ("said", "nothing"), [("None.", True), ("Not applicable", True), ("None of the plants is leased.", False)]
)
def test_the_none_of_an_item_says_nothing_without_its_heading(said: str, nothing: bool) -> None:
    assert says_nothing(said) is nothing


def test_what_stands_under_a_segment_is_told_of_it_and_nothing_else_is() -> None:
    rows = ["Segment sales", "Widgets", "Gadgets", "Interest expense"]
    cells = [(Cell(name, at, 0, 0, 1), *(Cell("1", at, 1, 0, 1) for _ in [0] if at)) for at, name in enumerate(rows)]
    table = Table(tuple(cells), 1, (Column(()), Column(())), scale=1_000_000, row_paths=((), *((name,) for name in rows[1:])))
    table = Table(table.rows, 1, table.columns, title="Segment sales", scale=1_000_000, row_paths=table.row_paths)
    names = ["1 Item 7", "2 Widgets", "3 Results", "3 Only here", "2 Gadgets:", "2 Results", "2 Liquidity", "2 Results"]
    text = "\n".join(name[2:] for name in names)
    blocks = [Block(0, T, 0, 0, 1, table=table)]
    for name in names:
        start = blocks[-1].end + (len(blocks) > 1)
        blocks.append(Block(len(blocks), H, start, start + len(name) - 2, 1, level=int(name[0])))
    found = [name for _, name in segments_over(text, blocks)]
    assert found == ["", "Widgets", "Widgets", "", "Gadgets", "Gadgets", "", ""]
