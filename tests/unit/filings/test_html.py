from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from fin_tui.errors import BadFiling
from fin_tui.filings.html import coverage, read_html
from fin_tui.records import Block, BlockKind, Document

BREAK = '<hr style="page-break-after:always"/>'


def read(body: str) -> Document:
    return read_html(f"<html><body>{body}</body></html>".encode())


def shown(document: Document) -> list[tuple[str, str]]:
    return [(block.kind.value, document.text[block.start : block.end]) for block in document.blocks]


def texts(document: Document) -> list[str]:
    return [text for _, text in shown(document)]


def pages(*bodies: str) -> str:
    return BREAK.join(
        f'{body}<div style="text-align:center">Plain Goods | 2024 Form 10-K | {n}</div>' for n, body in enumerate(bodies, 1)
    )


def prose(n: int) -> str:
    return f"<p>Page {n} says a few plain words about the business of the company and ends.</p>"


def test_words_split_by_inline_tags_join_and_blocks_keep_apart() -> None:
    document = read("<p><b>N</b>ovember&nbsp;30<br>and</p><div>next<span>day</span></div>loose")
    assert texts(document) == ["November 30 and", "nextday", "loose"]


def test_two_line_breaks_or_one_after_a_bold_line_end_a_paragraph() -> None:
    assert texts(read("<p>One.<br><br>Two.</p>")) == ["One.", "Two."]
    assert shown(read("<p><b>Liquidity</b><br>We hold cash.</p>")) == [("heading", "Liquidity"), ("paragraph", "We hold cash.")]


def test_footnote_marks_do_not_run_into_numbers_but_ordinals_do() -> None:
    assert texts(read("<p>1,234<sup>1</sup> on the 4<sup>th</sup> of CO<sub>2</sub></p>")) == ["1,234(1) on the 4th of CO2"]


def test_hidden_text_is_not_read() -> None:
    document = read(
        '<p>seen</p><div style="display:none">not <p>this</p></div><p>seen<span style="visibility:hidden"> no</span></p>'
    )
    assert texts(document) == ["seen", "seen"]


@pytest.mark.parametrize(
    ("markup", "level"),
    [
        ('<p align="center"><b>PART II</b></p>', 1),
        ("<p>Item 7A. Quantitative and Qualitative Disclosures</p>", 1),
        ("<p><b>RESULTS OF OPERATIONS</b></p>", 2),
        ("<p><b>Net sales</b></p>", 3),
        ("<p><b><i>We depend on a few suppliers, and may lose them.</i></b></p>", 4),
        ("<p><u>Overview</u></p>", 4),
        ("<p><i>Americas</i></p>", 5),
        ("<p>Net sales rose.</p>", 0),
        (
            "<p>Item 7 of this report describes our results, and Item 8 holds our statements, to be read together.</p>",
            0,
        ),
    ],
)
def test_heading_levels(markup: str, level: int) -> None:
    (block,) = read(markup).blocks
    assert (block.kind is BlockKind.HEADING, block.level) == (level > 0, level)


def test_links_one_after_another_are_no_headings() -> None:
    links = '<p><a href="#i1">ITEM 1. BUSINESS</a></p><p><a href="#i2">ITEM 2. PROPERTIES</a></p>'
    back = '<p>Text.</p><p><b><a href="#toc">ITEM 1. BUSINESS</a></b></p><p>More.</p>'
    assert [kind for kind, _ in shown(read(links))] == ["paragraph", "paragraph"]
    assert ("heading", "ITEM 1. BUSINESS") in shown(read(back))


def test_layout_tables_become_headings_lists_and_prose() -> None:
    document = read(
        "<table><tr><td>Item 1.</td><td></td><td><b>Business</b></td></tr></table>"
        "<table><tr><td></td><td>•</td><td>first point</td></tr><tr><td></td><td>•</td><td>second point</td></tr></table>"
        "<table><tr><td></td><td>A paragraph in one cell.</td></tr></table>"
    )
    assert shown(document) == [
        ("heading", "Item 1. Business"),
        ("list", "• first point"),
        ("list", "• second point"),
        ("paragraph", "A paragraph in one cell."),
    ]


def test_a_contents_table_with_page_numbers_stays_a_table() -> None:
    rows = "".join(f"<tr><td>Item {n}.</td><td>Title</td><td>{n * 3}</td></tr>" for n in range(1, 6))
    (block,) = read(f"<table>{rows}</table>").blocks
    assert block.kind is BlockKind.TABLE


def test_grid_cells_keep_their_places_through_spans_and_spacers() -> None:
    document = read(
        '<table><tr><td rowspan="2">Asset</td><td></td><td colspan="3">2024</td></tr>'
        "<tr><td></td><td></td><td>End</td><td></td></tr><tr><td>Cash</td><td></td><td>$</td><td>12</td><td></td></tr></table>"
    )
    (block,) = document.blocks
    assert block.table is not None
    figure = next(cell for row in block.table.rows for cell in row if "12" in cell.text)
    assert figure.row == 2
    assert document.text[figure.start : figure.end] == figure.text


def test_a_table_inside_a_layout_table_is_read() -> None:
    inner = "<table><tr><td>Cash</td><td>12</td></tr><tr><td>Debt</td><td>7</td></tr></table>"
    document = read(f"<table><tr><td><p>Before.</p>{inner}</td><td>After.</td></tr></table>")
    assert [kind for kind, _ in shown(document)] == ["paragraph", "table", "paragraph"]


def test_running_footers_give_labels_and_leave_the_text() -> None:
    document = read(pages(*(prose(n) for n in range(1, 6))))
    assert document.pages == 5
    assert "Form 10-K" not in document.text
    assert [(block.page, block.page_label) for block in document.blocks] == [(n, str(n)) for n in range(1, 6)]
    assert document.coverage == 1.0


def test_running_headers_go_but_their_first_print_stays_as_title() -> None:
    head = "<p><b>NOTES TO THE STATEMENTS</b></p>"
    document = read(BREAK.join(f"{head}{prose(n)}<p>{n}</p>" for n in range(11, 17)))
    assert document.text.count("NOTES TO THE STATEMENTS") == 1
    assert {block.page_label for block in document.blocks} == {str(n) for n in range(11, 17)}


def test_unit_captions_at_the_top_of_pages_stay() -> None:
    document = read(BREAK.join(f"<p>(In millions)</p>{prose(n)}" for n in range(1, 6)))
    assert document.text.count("(In millions)") == 5


def test_page_numbers_above_rules_count_pages_where_no_style_does() -> None:
    document = read("<hr>".join(f"{prose(n)}<p>{n}</p>" for n in range(1, 5)) + "<hr>")
    assert document.pages == 4
    assert document.blocks[-1].page_label == "4"


def test_a_sentence_cut_by_a_page_is_whole_again() -> None:
    left, right = "<p>We buy most of our components from a few suppliers, and</p>", "<p>they may raise prices.</p>"
    document = read(pages(prose(1), left, right + prose(3), prose(4)))
    assert "from a few suppliers, and they may raise prices." in document.text


def test_a_table_continued_on_the_next_page_is_one_table() -> None:
    def table(*rows: tuple[str, str, str]) -> str:
        cells = "".join(f"<tr><td>{a}</td><td>{b}</td><td>{c}</td></tr>" for a, b, c in rows)
        return f"<table><tr><td>Exhibit</td><td>Description</td><td>Filed with</td></tr>{cells}</table>"

    document = read(
        pages(
            prose(1),
            table(("3.1", "Charter", "Form 8-K"), ("3.2", "By-laws", "Form 8-K")),
            table(("4.1", "Indenture", "S-3")),
            prose(4),
        )
    )
    (block,) = [block for block in document.blocks if block.kind is BlockKind.TABLE]
    text = document.text[block.start : block.end]
    assert text.count("Description") == 1
    assert "Indenture" in text
    assert block.page == 2


def test_tables_of_two_dates_under_each_other_stay_two() -> None:
    def table(date: str) -> str:
        return (
            f"<table><tr><td></td><td>Fair value of</td><td>Level of input</td></tr>"
            f"<tr><td>{date}</td><td>Level 1</td><td>Level 2</td></tr>"
            "<tr><td>Cash</td><td>12</td><td>7</td></tr></table>"
        )

    document = read(pages(prose(1), table("June 30, 2024"), table("June 30, 2023"), prose(4)))
    assert sum(block.kind is BlockKind.TABLE for block in document.blocks) == 2


@pytest.mark.parametrize(
    "raw", [b"", b"  \n", b"\x89PNG\r\n\x1a\n" + bytes(range(256)) * 40, b"<div style='display:none'>x</div>", b"<<<"]
)
def test_what_is_no_filing_is_refused(raw: bytes) -> None:
    with pytest.raises(BadFiling):
        read_html(raw)


@pytest.mark.parametrize("tag", ["<div>", "<table><tr><td>", "<b><p>", "<span>", '<ix:nonNumeric name="x:T">', "<ul><li>"])
def test_depth_neither_crashes_nor_loses_the_text(tag: str) -> None:
    assert "the core" in read_html((tag * 10_000 + "the core").encode()).text


_MARKUP = (
    "<p>|</p>|<div>|</div>|<table>|</table>|<tr>|<td>|<td colspan=9>|<td rowspan=3>|<b>|</b>|<br>|<hr>|<sup>|</sup>|<li>|•|word|"
    "Item 12|<ix:nonFraction>|</ix:nonFraction>|<!--x-->|&amp;|(|)|$|<pre>|</pre>|\n\n|<div style='page-break-after:always'>"
)
_PARTS = st.sampled_from(_MARKUP.split("|"))


@settings(max_examples=150, deadline=None)
@given(st.lists(_PARTS, max_size=40))
def test_any_markup_gives_a_document_with_sound_spans_and_all_words(parts: list[str]) -> None:
    document = read(" ".join(["opening", *parts]))
    at = 0
    for ordinal, block in enumerate(document.blocks):
        assert_block(document, block, ordinal, at)
        at = block.end
    assert at == len(document.text)
    assert document.coverage == 1.0


def assert_block(document: Document, block: Block, ordinal: int, after: int) -> None:
    assert block.ordinal == ordinal
    assert after <= block.start < block.end
    for row in block.table.rows if block.table else ():
        for cell in row:
            assert document.text[cell.start : cell.end].startswith(cell.text)


def test_coverage_counts_words_as_often_as_they_stand() -> None:
    assert coverage("one two two page 3", "two one", ["page 3"]) == pytest.approx(2 / 3)
