"""What a model works out of the evidence: counted against what the definitions of the questions come to."""

from __future__ import annotations

import pytest

from fin_tui.evaluation import trial
from tests.unit.engine.answering.test_answer import ACME, engine
from tests.unit.engine.answering.test_closer import Reader


@pytest.fixture(autouse=True)
def golds(monkeypatch: pytest.MonkeyPatch) -> None:
    """Every definition comes to a quarter; the first question's to nothing."""
    values = iter([None, *[25.0] * 99])
    monkeypatch.setattr(trial, "value", lambda *_: next(values))


def test_what_comes_to_the_right_value_is_counted(monkeypatch: pytest.MonkeyPatch) -> None:
    asked = engine()
    worked_out = iter([25.0, 0.25, 30.0, None, *[25.0] * 99])
    monkeypatch.setattr(asked, "worked_out", lambda *_: next(worked_out))
    count = len(trial.reading_questions())
    assert trial.check_reading(asked, Reader([]), [ACME]) == (count, count - 3)


def test_no_question_is_begun_once_it_is_cancelled() -> None:
    assert trial.check_reading(engine(), Reader([]), [ACME], cancelled=lambda: True) == (0, 0)
