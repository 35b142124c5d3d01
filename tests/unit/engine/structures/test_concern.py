"""The doubt that a company can go on stands over the page on its debts."""

from __future__ import annotations

import pytest

from fin_tui.engine.structures import FilingReader
from fin_tui.engine.structures.concern import with_doubt
from tests.unit.engine.figures.book import ask
from tests.unit.engine.made import filing
from tests.unit.engine.structures.made import Chunks, Library

PAGE = ask("What was Acme's revenue in 2024?")


def _told(body: str) -> list[str]:
    found = with_doubt(PAGE, FilingReader(Library(body), Chunks(body)), filing())
    return [one.text for one in found.sentences[: len(found.sentences) - len(PAGE.sentences)]]


def test_the_first_sentence_that_states_it_is_told() -> None:
    body = (
        "Management evaluates whether there is substantial doubt about the ability to continue as a going concern.\n"
        "Losses grew. These losses raise substantial doubt about our ability to continue as a going concern. More follows here."
    )
    assert _told(body) == ["These losses raise substantial doubt about our ability to continue as a going concern."]


@pytest.mark.parametrize(
    "said",
    [
        "There is no substantial doubt about our ability to continue as a going concern.",
        "Our plans alleviate the substantial doubt about our ability to continue as a going concern.",
        "Substantial doubt is a term of many standards, and of this one.",
        "We are a going concern with much cash.",
    ],
)
def test_what_denies_it_or_tells_of_a_standard_is_not(said: str) -> None:
    assert _told(said) == []
