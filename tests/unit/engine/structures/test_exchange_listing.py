"""Exchange and ticker, from a sentence or from the cover."""

from __future__ import annotations

import pytest

from fin_tui.engine.structures import FilingReader
from fin_tui.engine.structures.cover import exchange_listing
from tests.unit.engine.made import filing
from tests.unit.engine.structures.made import Chunks, Library

SENTENCE = (
    "Acme makes sleds. Our common stock is listed on the New York Stock Exchange under the symbol “ACME.” We pay no dividends."
)
COVER = "Title of each class Name of each exchange\nCommon Stock, $0.01 par value ACME The Nasdaq Stock Market LLC\nOther matter."


def ask(text: str, body: str) -> str | None:
    answer = exchange_listing(text, FilingReader(Library(body), Chunks(body)), filing())
    return answer.sentences[0].text if answer else None


@pytest.mark.parametrize(
    "text",
    [
        "On which exchange is its stock traded?",
        "What is the ticker symbol?",
        "Where is its common stock listed?",
        "What stock exchange is it listed on?",
    ],
)
def test_a_sentence_says_both(text: str) -> None:
    assert ask(text, SENTENCE) == "Our common stock is listed on the New York Stock Exchange under the symbol “ACME.”"


@pytest.mark.parametrize("text", ["Which exchange does it trade on?", "What is its ticker?"])
def test_without_a_sentence_the_cover_is_quoted(text: str) -> None:
    told = ask(text, COVER)
    assert told is not None
    assert "ACME The Nasdaq Stock Market" in told


@pytest.mark.parametrize(
    ("text", "body"),
    [
        ("What is the ticker symbol?", "Our common stock is listed on the New York Stock Exchange."),
        ("What drove exchange rates?", SENTENCE),
        ("What was revenue?", SENTENCE),
    ],
)
def test_what_is_not_said_or_not_asked(text: str, body: str) -> None:
    assert ask(text, body) is None
