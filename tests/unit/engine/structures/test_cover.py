from __future__ import annotations

import pytest

from fin_tui.engine.structures import FilingReader, StructureAnswer
from fin_tui.engine.structures.cover import cover
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


@pytest.mark.parametrize("page", ["", "is a shell company. Yes No", "is a shell company. Yes ☒ No ☒"])
def test_no_mark_or_both_decide_nothing(page: str) -> None:
    assert ask("Is Acme a shell company?", page) is None


def test_other_questions_are_left_alone() -> None:
    assert ask("Is Acme a rocket company?") is None
