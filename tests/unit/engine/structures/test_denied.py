from __future__ import annotations

import pytest

from fin_tui.engine.structures.denied import denied
from fin_tui.engine.structures.desk import Desk
from tests.unit.engine.made import filing
from tests.unit.engine.structures.made import Chunks, Library


@pytest.mark.parametrize(
    ("question", "said"),
    [
        ("Does Acme pay dividends?", "We have never declared or paid cash dividends on our common stock."),
        ("Has Acme paid a dividend?", "No dividends were declared in 2024."),
        ("Does Acme have preferred stock?", "There are no shares of preferred stock outstanding."),
        (
            "Does Acme have preferred stock?",
            "Preferred stock, $0.001 par, 100 shares authorized; no shares issued and outstanding",
        ),
    ],
)
def test_the_sentence_that_denies_is_quoted(question: str, said: str) -> None:
    body = f"We like rockets. {said}"
    answer = denied(question, Desk(Library(body), Chunks(body)), filing())
    assert answer is not None
    assert answer.sentences[0].text.startswith("No: ")
    assert answer.passages[0].citation.quote == said


@pytest.mark.parametrize(
    ("question", "body"),
    [
        ("Does Acme pay dividends?", "We may not be able to pay dividends. We paid dividends of $5 million."),
        ("Does Acme have preferred stock?", "Our board may issue preferred stock. No options are outstanding."),
        ("Does Acme have rockets?", "We have never paid dividends."),
    ],
)
def test_what_denies_nothing_decides_nothing(question: str, body: str) -> None:
    assert denied(question, Desk(Library(body), Chunks(body)), filing()) is None
