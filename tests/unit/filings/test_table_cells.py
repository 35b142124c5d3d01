from __future__ import annotations

import pytest

from fin_tui.filings.table_cells import split_markers, stands_alone


def split(text: str) -> tuple[str, tuple[str, ...]]:
    length, marks = split_markers(text, lambda part: part.strip().isdigit())
    return text[:length], marks


@pytest.mark.parametrize(
    ("text", "head", "marks"),
    [
        ("Cost (1)", "Cost", ("(1)",)),
        ("Cost ** (a)", "Cost", ("**", "(a)")),
        ("Net¹²", "Net", ("¹²",)),
        ("890  (1), (2)", "890", ("(1)", "(2)")),
        ("Plan 401(k)", "Plan 401(k)", ()),
        ("Cost", "Cost", ()),
    ],
)
def test_marks_at_the_end(text: str, head: str, marks: tuple[str, ...]) -> None:
    assert split(text) == (head, marks)


@pytest.mark.parametrize("filler", ["*", "¹", " ", "(1),", "* "])
def test_long_rows_of_what_could_be_marks_end(filler: str) -> None:
    """What is tried in every combination would outlast any patience."""
    row = f"Cost o{filler * 2000}f sales"
    assert split(row) == (row, ())
    assert not stands_alone(row)
