"""Numbers of what is counted: those of the whole, of a part, of who came."""

from __future__ import annotations

import pytest

from fin_tui.engine.figures.counted import counted, counts_part
from fin_tui.engine.questions.kinds import Count, read_count

YEARS = frozenset((2024,))


@pytest.fixture
def employees() -> Count:
    count = read_count("How many employees are there?")
    assert count is not None
    return count


@pytest.mark.parametrize(
    ("sentence", "value"),
    [
        ("At the end of 2024 we had 9,100 employees.", 9_100),
        ("Each of our 9,100 full- and part-time employees in 12 countries counts.", 9_100),
        ("As of June 30, 2024 and 2023, Acme had approximately 9,100 and 8,700 employees, respectively.", 9_100),
        ("We had approximately 9,100 employees at June 30, 2024.", 9_100),
    ],
)
def test_the_whole_is_told(employees: Count, sentence: str, value: int) -> None:
    best = max(counted(sentence, employees, YEARS), key=lambda found: found.score)
    assert best.value == value
    assert not counts_part(sentence, float(value), employees, YEARS)


@pytest.mark.parametrize(
    ("sentence", "value"),
    [
        ("Hiring led to the net addition of 700 employees.", 700),
        ("In addition, we had 400 employees at Acme Iberia.", 400),
        ("We had 6,000 full-time salaried employees and between 900 and 1,100 part-time workers.", 6_000),
        ("We had 6,000 full-time and 900 part-time employees.", 900),
        ("We had 6,000 full-time and 900 part-time employees.", 6_000),
        ("The agreements (excluding 400 furloughed employees) run until May.", 400),
    ],
)
def test_a_part_of_them_is_none(employees: Count, sentence: str, value: int) -> None:
    assert counts_part(sentence, float(value), employees, YEARS)
