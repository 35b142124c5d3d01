"""Questions as people put them, and which filing they are asked of."""

from __future__ import annotations

import pytest

from fin_tui.engine.questions.understanding import Request, Understanding, understand
from fin_tui.records import Filing
from tests.unit.engine.made import filing
from training.fit_ranker import by_people, is_asked_of

HELD = (filing("Acme Corp.", 2023), filing("Acme Corp.", 2024))


@pytest.mark.parametrize(
    ("question", "of", "is_asked"),
    [
        ("Acme's net income in 2023", HELD[0], True),
        ("Acme's net income", HELD[1], True),
        ("Acme's net income", HELD[0], False),
    ],
)
def test_a_question_without_a_year_is_asked_of_the_newest_filing_alone(question: str, of: Filing, is_asked: bool) -> None:
    understood: Understanding = understand(Request(question), HELD, None)
    assert is_asked_of(understood, {"filing": of.id, "author": 1}) is is_asked
    assert is_asked_of(understood, {"filing": of.id})


def test_they_name_their_filing_and_ask_for_a_figure() -> None:
    rows = by_people()
    assert len(rows) > 500
    assert {row["split"] for row in rows} == {"training", "development"}
    assert all(row["file"] == row["filing"] and row["question"] == row["turns"][-1] and row["value"] is not None for row in rows)
