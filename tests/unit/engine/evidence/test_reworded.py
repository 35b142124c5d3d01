"""A quote that another reader spells a little differently is found where one place alone says it, and nowhere else."""

from __future__ import annotations

import pytest

from fin_tui.engine.evidence.quotes import find_again
from fin_tui.engine.evidence.reworded import find_reworded
from tests.ui.fakes import TEXT
from tests.unit.engine.evidence.test_quotes import citation

SENTENCE = "The Company’s supply of single-source components isn’t assured, and it paid $1,204 million for capacity in 2024."
PAGE = "Competition is intense. " * 30
NOW = (
    f"{PAGE}The Company's supply of single - source components isn't assured, "
    f"and it paid $ 1,204 million for capacity in 2024.{PAGE}"
)


def test_other_marks_and_dashes_do_not_hide_a_quote() -> None:
    place = find_reworded(SENTENCE, NOW)
    assert place is not None
    assert NOW[place.start : place.end] == NOW[len(PAGE) : len(NOW) - len(PAGE)]
    kept = citation(PAGE + SENTENCE, SENTENCE)
    assert find_again(kept, NOW) == place


def test_a_few_letters_read_otherwise_are_followed() -> None:
    other = NOW.replace("components", "cornponents").replace("assured", "assured(a)")
    place = find_reworded(SENTENCE, other)
    assert place is not None
    assert "cornponents" in other[place.start : place.end]


@pytest.mark.parametrize(
    "now",
    [
        NOW.replace("1,204", "1,304"),
        NOW.replace("in 2024", "in 2025"),
        NOW.replace("isn't assured", "is assured"),
        NOW.replace("components", "cornponents") * 2,
        NOW + SENTENCE.replace("’", "'"),
        PAGE,
        "",
    ],
    ids=["another figure", "another year", "denied no more", "two alike", "two the same", "nothing like it", "no text"],
)
def test_another_statement_or_two_places_are_none(now: str) -> None:
    assert find_reworded(SENTENCE, now) is None


def test_a_short_quote_is_never_guessed() -> None:
    assert find_reworded("outsourcing partners", TEXT.replace("outsourcing partners", "outsourcing partnern")) is None
    assert find_reworded("—", TEXT) is None
