"""Every character of a text is drawn once, in order, and within the width."""

from __future__ import annotations

from itertools import pairwise

from hypothesis import given
from hypothesis import strategies as st
from rich.cells import cell_len

from fin_tui.ui.text_layout import Grid, lay_out

TABLE = "\t2025\t2024\nNet sales:\nProducts\t$ 307,003\t$ 294,866\nTotal net sales\t$ 416,161\t$ 391,035"


STATEMENT = (
    "Year ended December 31,\n(In millions)\t2021\t2020\t2019\nNet sales\t$14,082\t$11,303\t$11,503\n"
    "Transaction-related gain\t498\nRedemption of preferred stock\t(803)\nUnrealized gains\t1"
)


def grid_of(text: str, *columns: int | tuple[int, int]) -> Grid:
    """The columns of the cells of ``text``, in their order."""
    starts = [0, *(at + 1 for at, sign in enumerate(text) if sign in "\t\n")]
    return {at: (of, of) if isinstance(of, int) else of for at, of in zip(starts, columns, strict=True)}


LONE_CELLS = grid_of(STATEMENT, (1, 3), 0, 1, 2, 3, 0, 1, 2, 3, 0, 2, 0, 1, 0, 3)


def drawn(text: str, width: int, grid: Grid | None = None) -> list[str]:
    lines = []
    for line in lay_out(text, width, grid).lines:
        out = ""
        for piece in line:
            out += " " * (piece.column - cell_len(out)) + text[piece.start : piece.end]
        lines.append(out)
    return lines


def test_prose_wraps_at_words() -> None:
    assert drawn("one two three\n\nfour", 8) == ["one two", "three", "", "four"]
    assert drawn("abcdefghijkl m", 8) == ["abcdefgh", "ijkl m"]


def test_tables_align_figures_right_under_their_headers() -> None:
    assert drawn(TABLE, 60) == [
        "                      2025       2024",
        "Net sales:",
        "Products         $ 307,003  $ 294,866",
        "Total net sales  $ 416,161  $ 391,035",
    ]


def test_a_lone_figure_stands_in_the_column_it_was_read_in_whatever_the_width() -> None:
    assert drawn(STATEMENT, 60, LONE_CELLS) == [
        "                                Year ended December 31,",
        "(In millions)                     2021     2020     2019",
        "Net sales                      $14,082  $11,303  $11,503",
        "Transaction-related gain                    498",
        "Redemption of preferred stock    (803)",
        "Unrealized gains                                       1",
    ]
    for width in (45, 30, 26):
        lines = drawn(STATEMENT, width, LONE_CELLS)
        heads = next(line for line in lines if "2021" in line)
        ends = {year: heads.index(year) + 4 for year in ("2021", "2020", "2019")}
        placed = {"498": "2020", "(803)": "2021", " 1": "2019"}
        rows = {value: next(line for line in lines if line.endswith(value)) for value in placed}
        assert {value: len(row.removesuffix(")")) for value, row in rows.items()} == {
            value: ends[year] - (value[-1] == ")") for value, year in placed.items()
        }


def test_without_columns_a_row_keeps_its_figures_on_one_line_and_none_is_put_under_a_year() -> None:
    text = "2021\t2020\nResearch and development expenses\t34,550\t31,370\nA gain\t498"
    assert drawn(text, 60) == ["2021  2020", "Research and development expenses  34,550  31,370", "A gain  498"]
    assert drawn(text, 30) == ["2021  2020", "Research and", "development", "expenses  34,550  31,370", "A gain  498"]


def test_long_heads_and_words_wrap_in_their_own_column() -> None:
    text = "Name\tPosition at the company\nAda\tChief executive and director\nBob\tClerk"
    grid = grid_of(text, 0, 1, 0, 1, 0, 1)
    assert drawn(text, 20, grid) == [
        "Name  Position at",
        "      the company",
        "Ada   Chief",
        "      executive and",
        "      director",
        "Bob   Clerk",
    ]


def test_long_labels_wrap_and_the_figures_stand_on_the_last_line() -> None:
    text = "A rather long label of a row\t1\t2\nB\t3\t4"
    assert drawn(text, 20) == ["A rather long", "label of a row  1  2", "B               3  4"]


def test_a_table_wider_than_the_pane_still_shows_every_cell() -> None:
    text = "Label\t111111111\t222222222\t333333333"
    assert "".join(drawn(text, 16)).split() == ["Label", "111111111", "222222222", "333333333"]


def test_rows_and_offsets_go_together() -> None:
    text = "one two three\n\nfour\n" + TABLE
    layout = lay_out(text, 8)
    row = layout.row_of(text.index("four"))
    assert text[layout.lines[row][0].start :].startswith("four")
    assert layout.row_of(0) == 0


def test_wide_characters_count_two_cells() -> None:
    assert drawn("日本語日本語日本語", 8) == ["日本語日", "本語日本", "語"]


@given(
    st.text(alphabet=st.sampled_from("ab \n\t$1é日-"), max_size=120),
    st.integers(8, 40),
    st.lists(st.tuples(st.integers(0, 4), st.integers(0, 2)), max_size=8),
)
def test_nothing_is_lost_and_nothing_sticks_out(text: str, width: int, columns: list[tuple[int, int]]) -> None:
    starts = [0, *(at + 1 for at, sign in enumerate(text) if sign in "\t\n")]
    layout = lay_out(text, width, {at: (of, of + more) for at, (of, more) in zip(starts, columns * len(starts), strict=False)})
    pieces = [piece for line in layout.lines for piece in line]
    pieces.sort(key=lambda piece: piece.start)  # Cells that wrap go on side by side.
    assert all(before.end <= piece.start for before, piece in pairwise(pieces))
    assert "".join("".join(text[p.start : p.end] for p in pieces).split()) == "".join(text.split())
    assert all(p.column + cell_len(text[p.start : p.end]) <= width for p in pieces)
    assert list(layout.starts) == sorted(layout.starts)
    for line in layout.lines:
        ends = [p.column + cell_len(text[p.start : p.end]) for p in line]
        assert all(p.column >= end for p, end in zip(line[1:], ends, strict=False))
