from __future__ import annotations

from typing import Any

import pytest

from fin_tui.engine.exports.as_csv import safe_cell


@pytest.mark.parametrize(
    ("value", "cell"),
    [
        (None, ""),
        (391_035_000_000.0, "391035000000"),
        (1_234_567_890_123.45, "1234567890123.45"),
        (0.1 + 0.2, "0.3"),
        (-2.4, "-2.4"),
        (32, "32"),
        ("-2.4", "'-2.4"),
        ("=1+1", "'=1+1"),
        ("\x1b=1+1", "'=1+1"),
        ("Net\nsales", "Net sales"),
        ({"us-gaap:ProductAxis": "ex:WidgetsMember"}, "us-gaap:ProductAxis=ex:WidgetsMember"),
    ],
)
def test_a_cell_is_a_number_or_text_that_is_no_formula(value: Any, cell: str) -> None:
    assert safe_cell(value) == cell
