"""Plain text of the 1990s: prose from wrapped lines, pages, headings, and ASCII tables as grids."""

from __future__ import annotations

from dataclasses import replace

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from fin_tui.filings.reader import join_documents
from fin_tui.filings.text import read_text, unspaced
from fin_tui.records import Block, BlockKind, Document, Fact, Table


def read(text: str) -> Document:
    return read_text(text.encode())


def shown(document: Document, kind: BlockKind) -> list[str]:
    return [document.text[block.start : block.end] for block in document.blocks if block.kind is kind]


def only_table(document: Document) -> tuple[Block, Table]:
    found = [(block, block.table) for block in document.blocks if block.table]
    assert len(found) == 1
    block, table = found[0]
    assert table is not None
    return block, table


def grid(document: Document) -> list[list[str]]:
    block, _ = only_table(document)
    return [line.split("\t") for line in document.text[block.start : block.end].split("\n")]


PROSE = """
     The Company makes pumps for ships and har-
bours, and sells first-
class valves to ship yards, which use them in har-
bours all over the world. Its harbours are deep.

     It has four plants.
The   second   one  is   in  Oslo,  where  the  long   lines  of  the  text
are   justified   with  two  or  more  spaces  between  many  of  the  words
and  so  look  a  bit  like  a  table,  but  are  not  one  in  1997 or 1998.
"""


def test_wrapped_lines_become_paragraphs() -> None:
    made = read(PROSE)
    first, second, third = shown(made, BlockKind.PARAGRAPH)
    assert first == (
        "The Company makes pumps for ships and harbours, and sells first-class valves to ship yards, "
        "which use them in harbours all over the world. Its harbours are deep."
    )
    assert second == "It has four plants."
    assert third.startswith("The second one is in Oslo, where the long lines of the text are justified")
    assert not shown(made, BlockKind.TABLE)


@pytest.mark.parametrize(
    ("text", "heading", "level"),
    [
        ("ITEM 1.   BUSINESS", "ITEM 1. BUSINESS", 1),
        ("Item 7A. Disclosures\nabout Market Risk", "Item 7A. Disclosures about Market Risk", 1),
        ("I T E M  7.  M A N A G E M E N T ' S  D I S C U S S I O N", "ITEM 7. MANAGEMENT'S DISCUSSION", 1),
        ("                              PART II", "PART II", 1),
        ("RAW MATERIALS", "RAW MATERIALS", 2),
        ("Raw materials\n-------------", "Raw materials", 2),
        ("Raw Materials and Supplies", "Raw Materials and Supplies", 3),
    ],
)  # fmt: skip
def test_headings(text: str, heading: str, level: int) -> None:
    made = read(f"The plant ran all year, and it was cold.\n\n{text}\n\nCopper is bought from three makers in two lands.\n")
    found = [block for block in made.blocks if block.kind is BlockKind.HEADING]
    assert [made.text[block.start : block.end] for block in found] == [heading]
    assert found[0].level == level


def test_a_sentence_that_begins_with_an_item_is_no_heading() -> None:
    made = read(
        "The matters are told in Part II, and more of it stands under\nItem 7 of this report, which see for\nall of it.\n"
    )
    assert not shown(made, BlockKind.HEADING)


def test_list_items_stand_alone() -> None:
    made = read("We sell:\n\n  *  pumps for ships that go\n     to sea;\n  *  valves; and\n  *  hoses.\n")
    assert shown(made, BlockKind.LIST) == ["* pumps for ships that go to sea;", "* valves; and", "* hoses."]


def pages(*bodies: str, mark: str = "<PAGE>\n") -> str:
    return mark.join(
        f"     Tidewater Pump Company 1996 Form 10-K\n\n{body}\n\n                    {n + 4}\n" for n, body in enumerate(bodies)
    )


BODIES = tuple(
    f"The {word} plant was built in 19{n}0 and it is made of stone."
    for n, word in enumerate(("first", "second", "third", "fourth"))
)


@pytest.mark.parametrize("mark", ["<PAGE>\n", "\f", "<PAGE>   12\n"])
def test_pages_have_labels_and_running_lines_are_left_out(mark: str) -> None:
    made = read(pages(*BODIES, mark=mark))
    assert made.pages == 4
    plants = [block for block in made.blocks if "plant" in made.text[block.start : block.end]]
    assert [(block.page, block.page_label) for block in plants] == [(1, "4"), (2, "5"), (3, "6"), (4, "7")]
    assert made.text.count("Tidewater") == 1


def test_pages_without_marks_are_found_by_their_numbers() -> None:
    body = "\n\n".join(f"Line {n} of the page says something about the plant." for n in range(12))
    text = "\n".join(f"{body}\n\n                                  {number}" for number in range(2, 8))
    made = read(text)
    assert made.pages >= 6
    assert next(block.page_label for block in made.blocks if block.page == 3) == "4"


def test_a_sentence_over_a_page_break_is_whole() -> None:
    made = read("The yard was sold to a company that\n\n        1\n<PAGE>\nbuilds boats. It paid in cash.\n\n        2\n")
    assert shown(made, BlockKind.PARAGRAPH) == ["The yard was sold to a company that builds boats.", "It paid in cash."]
    assert [block.page for block in made.blocks] == [1, 2]


MARKED = """
                        STATEMENT OF EARNINGS

<TABLE>
<CAPTION>
                                                      Tidewater and affiliates
                                                    ----------------------------
For the years ended December 31 (In millions)          1996      1995      1994
- -----------------------------------------------     ----------------------------
<S>                                                 <C>       <C>       <C>
REVENUES
   Sales of goods ................................  $  29,509 $  29,575 $  29,434
   Other income (note 3)                                 735         -        (92)
   Minority interest in net earnings of consolidated
      affiliates                                         151        53         72
                                                    --------  --------  --------
      Total revenues                                $ 30,395  $ 29,628  $ 29,414
                                                    ========  ========  ========
<FN>
The notes are part of this statement.
</TABLE>
"""


def test_a_marked_table_is_a_grid() -> None:
    made = read(MARKED)
    rows = grid(made)
    assert rows[0] == ["Tidewater and affiliates"]
    assert rows[1] == ["For the years ended December 31 (In millions)", "1996", "1995", "1994"]
    assert ["Sales of goods", "$29,509", "$29,575", "$29,434"] in rows
    assert ["Other income (note 3)", "735", "–", "(92)"] in rows
    assert ["Minority interest in net earnings of consolidated affiliates", "151", "53", "72"] in rows
    _, table = only_table(made)
    assert table.scale == 1_000_000
    assert [column.header[-1] for column in table.columns[1:]] == ["1996", "1995", "1994"]
    assert all(column.header[0] == "Tidewater and affiliates" for column in table.columns[1:])
    assert table.row_paths[rows.index(["Other income (note 3)", "735", "–", "(92)"])][0] == "REVENUES"
    assert "The notes are part of this statement." in shown(made, BlockKind.PARAGRAPH)
    assert made.coverage == 1.0


UNMARKED = """
Consolidated Balance Sheets

                                                   (Dollars in millions)

September 29, 1995, and September 30, 1994              1995            1994

Assets:
Current assets:
  Cash and cash equivalents                          $   756         $ 1,203
  Accounts receivable, net of allowance for
  doubtful accounts of $87 ($91  in 1994)              1,931           1,581
                                                       2,687           2,784

Other assets                                             296             160

     The notes are an integral part of the statements and they should be
read with them at all times, as they say.
"""


def test_controls_reach_neither_text_nor_what_tables_are_called() -> None:
    rows = "Net sales             1,200     1,100\nCost of sales           700       650\nNet income              500       450\n"
    document = read(f"Item 8. Financial\x03 Statements\n\n(In thousands\x1b)\n\n<TABLE>\n<CAPTION>\n{rows}</TABLE>\n")
    table = only_table(document)[1]
    told = (document.text, table.title, table.units, *(cell.text for row in table.rows for cell in row))
    assert not [text for text in told if not text.replace("\n", "").replace("\t", "").isprintable()]
    assert "thousands" in table.units


def test_an_unmarked_table_is_found_by_its_columns() -> None:
    made = read(UNMARKED)
    rows = grid(made)
    assert ["September 29, 1995, and September 30, 1994", "1995", "1994"] in rows
    assert ["Accounts receivable, net of allowance for doubtful accounts of $87 ($91 in 1994)", "1,931", "1,581"] in rows
    assert ["2,687", "2,784"] in rows
    assert rows[-1] == ["Other assets", "296", "160"]
    assert only_table(made)[1].scale == 1_000_000
    assert shown(made, BlockKind.PARAGRAPH)[-1].startswith("The notes are an integral part of the statements and they should")


def test_headings_of_several_lines_and_words_in_cells() -> None:
    made = read(
        """
<TABLE>
<CAPTION>
                                           BALANCE AT                    BALANCE AT
                                           BEGINNING         NET            END
DESCRIPTION                                OF PERIOD      CHANGE(A)      OF PERIOD
- ---------------------------------------  -------------  -------------  -------------
<S>                                        <C>            <C>            <C>
Allowance for doubtful accounts..........  $     787      $     (12)     $     775
Reserve for pumps that came back.........  $     164      $       0      $     164
</TABLE>
"""
    )
    assert grid(made) == [
        ["DESCRIPTION", "BALANCE AT BEGINNING OF PERIOD", "NET CHANGE(A)", "BALANCE AT END OF PERIOD"],
        ["Allowance for doubtful accounts", "$787", "$(12)", "$775"],
        ["Reserve for pumps that came back", "$164", "$0", "$164"],
    ]


def test_wrapped_words_stay_in_their_cell() -> None:
    made = read(
        """
<TABLE>
<CAPTION>
TITLE OF EACH CLASS                          EXCHANGE
- -------------------------------------------  -----------------------
<S>                                          <C>
Capital stock, par value $.50 per share      New York Stock Exchange
                                             Chicago Stock Exchange

Depositary shares each representing half
  of a share of preferred stock              New York Stock Exchange
</TABLE>
"""
    )
    assert grid(made)[1:] == [
        ["Capital stock, par value $.50 per share", "New York Stock Exchange Chicago Stock Exchange"],
        ["Depositary shares each representing half of a share of preferred stock", "New York Stock Exchange"],
    ]


def test_prose_between_table_marks_stays_prose() -> None:
    body = "\n".join(["The company runs the yard with great care and it has not been closed one day"] * 5)
    made = read(f"<TABLE>\n<S> <C>\n{body}\n</TABLE>\n")
    assert not shown(made, BlockKind.TABLE)
    assert len(shown(made, BlockKind.PARAGRAPH)) == 1


@pytest.mark.parametrize(
    ("text", "expected"), [("I T E M  7", "ITEM 7"), ("P A R T  I I", "PART II"), ("A B testing", "A B testing")]
)
def test_letter_spacing_is_closed(text: str, expected: str) -> None:
    assert unspaced(text) == expected


@settings(max_examples=60, deadline=None)
@given(
    st.lists(
        st.text(alphabet="ab Z09$,.()-=\t<>|\f", max_size=70)
        | st.sampled_from(
            [
                "<TABLE>",
                "</TABLE>",
                "<PAGE>",
                "<S>   <C>   <C>",
                "<CAPTION>",
                "<FN>",
                "Sales    1,234    (56)",
                "-----   ----",
                "",
            ]
        ),
        max_size=30,
    )
)
def test_any_text_is_read_and_every_span_holds(lines: list[str]) -> None:
    made = read("\n".join(lines))
    assert 0.0 <= made.coverage <= 1.0
    for block in made.blocks:
        assert 0 <= block.start < block.end <= len(made.text)
        assert 1 <= block.page <= made.pages
        for row in block.table.rows if block.table else ():
            for cell in row:
                assert block.start <= cell.start <= cell.end <= block.end


FIRST = b"The first report is about boats.\n\nIt has two parts.\n"
SECOND = (
    b"The second is about pumps.\n\nPumps sold         12      34\nValves sold        56      78\nHoses sold         91      23\n"
)


def with_fact(document: Document) -> Document:
    block = document.blocks[-1]
    fact = Fact(
        "table:Hoses sold", "Hoses sold", 91.0, "91", "", None, None, start=block.end - 5, end=block.end - 3, block=block.ordinal
    )
    hidden = Fact("dei:X", "", None, "x", "", None, None)
    return replace(document, facts=(fact, hidden))


def test_spans_pages_and_ordinals_move_along() -> None:
    first, second = read_text(FIRST), with_fact(read_text(SECOND))
    joined = join_documents([first, second])
    assert joined.text == f"{first.text}\n\n{second.text}"
    assert joined.pages == first.pages + second.pages
    parts = [first.text[b.start : b.end] for b in first.blocks] + [second.text[b.start : b.end] for b in second.blocks]
    assert [joined.text[block.start : block.end] for block in joined.blocks] == parts
    assert [block.ordinal for block in joined.blocks] == list(range(len(parts)))
    fact, hidden = joined.facts
    assert joined.text[fact.start : fact.end] == second.text[second.facts[0].start : second.facts[0].end]
    assert fact.block == joined.blocks[-1].ordinal
    assert (hidden.start, hidden.end, hidden.block) == (0, 0, None)
    table = joined.blocks[-1].table
    assert table is not None
    assert {joined.text[cell.start : cell.end] for row in table.rows for cell in row} >= {"Pumps sold", "12", "78"}


def test_coverage_is_weighted_and_nothing_is_an_error() -> None:
    first = replace(read_text(FIRST), coverage=0.5)
    joined = join_documents([first, replace(read_text(SECOND), coverage=1.0)])
    assert 0.5 < joined.coverage < 1.0
    assert join_documents([first]) is first
    with pytest.raises(ValueError, match="no documents"):
        join_documents([])
