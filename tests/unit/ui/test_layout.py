"""Every character of a text is drawn once, in order, and within the width."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st
from rich.cells import cell_len

from fin_tui.ui.widgets.text_view import lay_out

TABLE = "\t2025\t2024\nNet sales:\nProducts\t$ 307,003\t$ 294,866\nTotal net sales\t$ 416,161\t$ 391,035"


def drawn(text: str, width: int) -> list[str]:
    lines = []
    for line in lay_out(text, width).lines:
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


@given(st.text(alphabet=st.sampled_from("ab \n\t$1é日-"), max_size=120), st.integers(8, 40))
def test_nothing_is_lost_and_nothing_sticks_out(text: str, width: int) -> None:
    layout = lay_out(text, width)
    pieces = [piece for line in layout.lines for piece in line]
    assert "".join(text[p.start : p.end] for p in pieces).split() == text.replace("\t", " ").split() or "".join(
        "".join(text[p.start : p.end] for p in pieces).split()
    ) == "".join(text.split())
    assert all(p.column + cell_len(text[p.start : p.end]) <= width for p in pieces)
    assert list(layout.starts) == sorted(layout.starts)
    for line in layout.lines:
        ends = [p.column + cell_len(text[p.start : p.end]) for p in line]
        assert all(p.column >= end for p, end in zip(line[1:], ends, strict=False))
