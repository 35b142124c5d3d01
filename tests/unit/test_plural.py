from __future__ import annotations

from fin_tui.plural import count


def test_only_one_is_singular() -> None:
    assert [count(number, "filing") for number in (0, 1, 2, 1204)] == ["0 filings", "1 filing", "2 filings", "1,204 filings"]
