from __future__ import annotations

from decimal import Decimal

import pytest
from hypothesis import given
from hypothesis import strategies as st

from fin_tui.engine.evidence.numbers import agrees, find_numbers
from fin_tui.engine.evidence.verify import numbers_unsupported


@pytest.mark.parametrize(
    ("text", "value", "kind"),
    [
        ("$391.0 billion", "391.0e9", "money"),
        ("391,035", "391035", "plain"),
        ("(2.4)%", "-2.4", "percent"),
        ("12.7 percent", "12.7", "percent"),
        ("$(1,234)", "-1234", "money"),
        ("-5.2", "-5.2", "plain"),
        ("15.1 billion shares", "15.1e9", "plain"),
        ("$1.2bn", "1.2e9", "money"),
    ],
)
def test_reads_a_number(text: str, value: str, kind: str) -> None:
    (number,) = find_numbers(text)
    assert number.value == Decimal(value)
    assert number.kind == kind


@pytest.mark.parametrize("text", ["10-K", "Q4", "COVID-19", "non-GAAP", "3-year", "A100"])
def test_digits_in_words_are_no_numbers(text: str) -> None:
    assert list(find_numbers(text)) == []


@pytest.mark.parametrize(
    ("sentence", "source", "scales", "missing"),
    [
        ("Sales were $391.0 billion.", "Total net sales\t391,035", (1_000_000,), []),
        ("Sales were $391.0 billion.", "Total net sales\t391,035", (1,), ["$391.0 billion"]),
        ("Sales were $391.5 billion.", "Total net sales\t391,035", (1_000_000,), ["$391.5 billion"]),
        ("Sales fell 2.4%.", "decreased (2.4)%", (1,), []),
        ("Sales fell 2.41%.", "decreased 2.4%", (1,), ["2.41%"]),
        ("Sales rose 5%.", "Sales rose $5 a share", (1,), ["5%"]),
        ("In 2023 sales rose.", "Sales rose in fiscal 2022", (1,), ["2023"]),
        ("We have 15.1 billion shares.", "15,115,823,000 shares", (1,), []),
    ],
)
def test_numbers_against_their_source(sentence: str, source: str, scales: tuple[int, ...], missing: list[str]) -> None:
    assert [number.text for number in numbers_unsupported(sentence, source, scales)] == missing


@given(st.integers(min_value=0, max_value=10**12))
def test_a_printed_integer_is_read_back(value: int) -> None:
    (number,) = find_numbers(f"was {value:,} in all")
    assert number.value == value
    assert agrees(number, number)


@given(st.text(max_size=300))
def test_never_raises(text: str) -> None:
    for number in find_numbers(text):
        assert 0 <= number.start < number.end <= len(text)
