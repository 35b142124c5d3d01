"""Which of several filled readings is told as the answer."""

from __future__ import annotations

import pytest

from fin_tui.engine.figures import filled
from fin_tui.engine.figures.filled import Filled, likeliest
from tests.unit.engine.figures.test_printed_rows import row


@pytest.mark.parametrize(
    ("shares", "stands"),
    [((0.8, 0.15), True), ((0.6, 0.05), True), ((0.6, 0.3), False), ((0.45, 0.01), False)],
)
def test_a_figure_of_a_table_stands_by_itself_or_where_no_other_comes_near(
    monkeypatch: pytest.MonkeyPatch, shares: tuple[float, float], stands: bool
) -> None:
    rows = [row("Widgets made", 40.0), row("Hatches made", 60.0)]
    monkeypatch.setattr(filled, "shares_of", lambda _: list(shares))
    chosen, share, is_sure = likeliest(rows)
    assert (chosen.value, share, is_sure) == (40.0, shares[0], stands)


def test_another_row_of_the_same_value_is_no_other_figure(monkeypatch: pytest.MonkeyPatch) -> None:
    rows: list[Filled] = [row("Widgets made", 40.0), row("Widgets made, total", 40.1)]
    monkeypatch.setattr(filled, "shares_of", lambda _: [0.6, 0.5])
    assert likeliest(rows)[2]
