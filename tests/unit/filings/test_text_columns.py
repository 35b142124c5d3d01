from __future__ import annotations

from fin_tui.filings.text_tables import Token, number_columns


def row(*places: tuple[str, int]) -> list[Token]:
    return [Token(text, at, at + len(text)) for text, at in places]


def test_numbers_that_stand_over_one_another_are_a_column() -> None:
    rows = [row(("1,234", 10), ("567", 30)), row(("890", 12), ("5", 32))]
    assert number_columns(rows) == [(10, 15), (30, 33)]


def test_rows_that_share_no_place_and_collide_still_have_columns() -> None:
    """Two numbers of one row in one interval, and no interval that two rows use."""
    rows = [row(("1", 10), ("2", 12)), *(row((str(n), 20 + 5 * n)) for n in range(6)), row(("7", 11), ("8", 13))]
    assert number_columns(rows)
    assert number_columns([[]]) == []
