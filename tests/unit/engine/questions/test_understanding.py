from __future__ import annotations

import pytest

from fin_tui.engine.questions.understanding import Request, understand
from fin_tui.errors import UsageError
from fin_tui.facts.metrics import vocabulary
from tests.unit.engine.made import filing

HELD = (filing("Acme Corp.", 2024),)


@pytest.mark.parametrize("space", ["\n", " ", "\t "])
def test_long_white_space_means_nothing(space: str) -> None:
    """Patterns that look for some would otherwise try every part of it."""
    gap = space * (7_000 // len(space))
    understood = understand(Request(f"What was Acme's{gap}revenue?", history=(gap,)), HELD, vocabulary())
    assert understood.question.companies
    assert understood.reading is not None
    assert [item.label for item in understood.reading.items.values()] == ["revenue"]


def test_a_text_too_long_for_a_question_is_refused() -> None:
    with pytest.raises(UsageError):
        understand(Request("revenue " * 2_000), HELD, vocabulary())
