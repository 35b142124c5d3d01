"""A figure whose barest name may mean another has that other behind it."""

from __future__ import annotations

from dataclasses import replace

import pytest

from fin_tui.engine.figures.answer import FigureAnswer, answer_figures
from fin_tui.engine.figures.beside import with_other
from fin_tui.engine.frame.reader import Frame, Span
from tests.unit.engine.figures.book import Book, source, understood

VALUES = {("Acme Corp.", "dividends_paid", 2024): 20e6, ("Acme Corp.", "dividends_per_share", 2024): 1.5}


def _answer(words: str, book: Book) -> FigureAnswer:
    text = f"Acme {words} in 2024"
    sure = {"figure": 1.0, "refusal": 0.0, "operation": 1.0, "answer": 1.0}
    frame = Frame(text, (), (), (Span(words, 5, 5 + len(words)),), (), "lookup", "money", "", (), sure)
    asked, of = replace(understood(text), frame=frame), replace(source(), book=book)
    assert asked.reading is not None
    found = answer_figures(asked.reading, asked.subjects, of)
    assert isinstance(found, FigureAnswer)
    return with_other(found, asked, of)


def test_a_dividend_is_told_in_all_and_per_share() -> None:
    answer = _answer("dividends", Book(VALUES))
    assert len(answer.sentences) == 2
    assert "$20 million" in answer.sentences[0].text
    assert "$1.5" in answer.sentences[1].text
    assert answer.value == 20e6
    cited = answer.sentences[1].citations
    assert all(answer.passages[number - 1].citation.id == number for number in cited)


@pytest.mark.parametrize("words", ["dividends paid", "total dividends paid"])
def test_what_names_one_of_them_is_told_alone(words: str) -> None:
    assert len(_answer(words, Book(VALUES)).sentences) == 1


def test_where_the_other_is_not_stated_nothing_is_added() -> None:
    assert (
        len(_answer("dividends", Book({key: value for key, value in VALUES.items() if key[1] == "dividends_paid"})).sentences)
        == 1
    )
