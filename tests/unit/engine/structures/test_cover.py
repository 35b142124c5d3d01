from __future__ import annotations

import pytest

from fin_tui.engine.structures import FilingReader, StructureAnswer
from fin_tui.engine.structures.cover import cover, denied
from tests.unit.engine.made import filing
from tests.unit.engine.structures.made import Chunks, Library

PAGE = (
    "FORM 10-K\nIndicate by check mark if the registrant is a well-known seasoned issuer, as defined in Rule 405. Yes ☒ No ☐\n"
    "Indicate by check mark whether the registrant is a large accelerated filer, an accelerated filer or a smaller reporting "
    "company. See the definition of “large accelerated filer” in Rule 12b-2.\n"
    "Large accelerated filer ☒\tAccelerated filer ☐\nNon-accelerated filer\t☐\tSmaller reporting company\t☐\n"
    "Indicate by check mark whether the registrant has filed a report on and attestation to its internal control. ☒\n"
    "If securities are registered, indicate by check mark whether errors are corrected. ☐\n"
    "Indicate by check mark whether the registrant is a shell company (as defined in the Act). Yes ☐ No ☒\n"
)


def ask(question: str, page: str = PAGE) -> StructureAnswer | None:
    return cover(question, FilingReader(Library(page), Chunks(page)), filing())


@pytest.mark.parametrize(
    ("question", "starts", "quote"),
    [
        ("Is Acme a large accelerated filer?", "Yes", "Large accelerated filer ☒"),
        ("Is Acme an accelerated filer?", "No", "Accelerated filer ☐"),
        ("Is Acme a non-accelerated filer?", "No", "Non-accelerated filer ☐"),
        ("Is Acme a shell company?", "No", "Yes ☐ No ☒"),
        ("Is Acme a well-known seasoned issuer?", "Yes", "Yes ☒ No ☐"),
        ("Did Acme's auditor attest to its internal control?", "Yes", "internal control. ☒"),
    ],
)
def test_the_mark_of_the_cover_decides(question: str, starts: str, quote: str) -> None:
    answer = ask(question)
    assert answer is not None
    assert answer.sentences[0].text.startswith(f"{starts}: the cover")
    assert quote in answer.sentences[0].text
    assert answer.sentences[0].citations == (1,)


def test_an_older_cover_asks_about_one_class_alone() -> None:
    answer = ask("Is Acme an accelerated filer?", "It is an accelerated filer (as defined in the Act). Yes ☐ No ☒\n")
    assert answer is not None
    assert answer.sentences[0].text.startswith("No")


@pytest.mark.parametrize(("marks", "starts"), [("☐ Yes ☒ No", "No"), ("☒ Yes ☐ No", "Yes"), ("□ Yes ☒No", "No")])
def test_marks_that_lead_decide(marks: str, starts: str) -> None:
    answer = ask("Is Acme a shell company?", f"Indicate by check mark whether it is a shell company. {marks}\n\nNext.")
    assert answer is not None
    assert answer.sentences[0].text.startswith(f"{starts}: the cover")


@pytest.mark.parametrize("page", ["", "is a shell company. Yes No", "is a shell company. Yes ☒ No ☒"])
def test_no_mark_or_both_decide_nothing(page: str) -> None:
    assert ask("Is Acme a shell company?", page) is None


def test_other_questions_are_left_alone() -> None:
    assert ask("Is Acme a rocket company?") is None


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
    answer = denied(question, FilingReader(Library(body), Chunks(body)), filing())
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
    assert denied(question, FilingReader(Library(body), Chunks(body)), filing()) is None
