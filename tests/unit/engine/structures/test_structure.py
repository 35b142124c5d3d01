from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

import pytest

from fin_tui.engine.frame.reader import Frame
from fin_tui.engine.questions.question import follow, read_question
from fin_tui.engine.structures.structure import Structure, StructureAnswer
from fin_tui.records import Chunk, Filing, Section
from tests.unit.engine.made import filing, hit
from tests.unit.engine.structures.made import Library as Made
from tests.unit.engine.structures.made import asked

ACME = filing()
COMMENTS = "Item 1B. Unresolved Staff Comments\n\nNone.\n"
SIGNATURES = "SIGNATURES\n\nPursuant to the Act for the year ended December 31, 2024.\n\nDate: February 3, 2025\tAcme Corp."
TEXT = COMMENTS + SIGNATURES
RISKS = asked("risk factors")


@dataclass
class Library(Made):
    body: str = TEXT

    def sections(self, filing_id: str) -> Sequence[Section]:
        at = self.body.index("SIGNATURES")
        return (
            Section("I", "1B", "Unresolved Staff Comments", 0, at, 20, 0.9),
            Section("", "", "Signatures", at, len(self.body), 60, 0.9),
        )


class Chunks:
    def __init__(self, body: str = TEXT) -> None:
        self._body = body

    def holding(self, filing_id: str, start: int, end: int) -> Chunk | None:
        return hit(self._body, of=ACME).chunk

    def of_filing(self, filing_id: str) -> Sequence[Chunk]:
        first = hit("Tariffs may rise. They may rise twice.", of=ACME).chunk
        return (
            replace(first, id="0", heading="Risk Factors"),
            replace(first, id="a", start=100, end=137, heading="Trade is uncertain."),
            replace(first, id="b", start=200, end=237, heading="Trade is uncertain."),
            replace(first, id="c", start=300, end=337, heading="Rockets may explode."),
            replace(first, id="d", start=400, end=437, heading="Properties", item="2"),
        )


def ask(
    question: str, body: str = TEXT, filings: Sequence[Filing] = (ACME,), frame: Frame | None = None
) -> StructureAnswer | None:
    return Structure(Library(body), Chunks(body)).answer(read_question(question, (ACME,)), filings, frame=frame)


def test_an_item_that_reads_none_decides() -> None:
    answer = ask("Does Acme have any unresolved staff comments?")
    assert answer is not None
    assert answer.sentences[0].text == "No: Item 1B of Acme Corp.'s 10-K for FY2024 reads “None.”"
    assert answer.passages[0].citation.quote == "None."


def test_an_item_that_says_something_is_not_turned_into_a_no() -> None:
    asked = TEXT.replace("None.", "The staff asked about rockets in May.")
    assert ask("Does Acme have any unresolved staff comments?", asked) is None


def test_the_date_of_signature_is_not_the_end_of_the_year() -> None:
    answer = ask("On what date was Acme's 10-K signed and filed?")
    assert answer is not None
    assert answer.sentences[0].text == "Acme Corp.'s 10-K for FY2024 was signed on February 3, 2025."
    assert "February 3, 2025" in answer.passages[0].citation.quote


def test_all_risk_headings_in_order() -> None:
    answer = ask("List Acme's main risk factors", frame=RISKS)
    assert answer is not None
    assert [sentence.text for sentence in answer.sentences[1:]] == ["1. Trade is uncertain.", "2. Rockets may explode."]
    assert [sentence.citations for sentence in answer.sentences[1:]] == [(1,), (2,)]
    assert "2 risk headings" in answer.sentences[0].text


@pytest.mark.parametrize(
    "question", ["What are Acme's risk factors about tariffs?", "What is Acme's revenue?", "When was Acme founded?"]
)
def test_other_questions_are_left_alone(question: str) -> None:
    assert ask(question) is None


def test_several_filings_are_told_one_after_the_other() -> None:
    before = filing(year=2023)
    answer = ask("List the risk factors", filings=(ACME, before), frame=RISKS)
    assert answer is not None
    assert [sentence.citations for sentence in answer.sentences] == [(), (1,), (2,), (), (3,), (4,)]
    assert [passage.citation.id for passage in answer.passages] == [1, 2, 3, 4]


def test_more_filings_than_can_be_told_are_left_to_the_search() -> None:
    assert ask("List the risk factors", filings=[filing(year=year) for year in range(2019, 2025)], frame=RISKS) is None


def test_a_follow_up_asks_what_was_asked_before() -> None:
    before = read_question("Does Acme have any unresolved staff comments?", (ACME,))
    asked = follow(read_question("And Acme?", (ACME,)), before)
    answer = Structure(Library(TEXT), Chunks(TEXT)).answer(asked, (ACME,))
    assert answer is not None
    assert answer.sentences[0].text.startswith("No: Item 1B")


def test_weather_on_the_day_of_filing_is_no_date() -> None:
    assert ask("What was the weather like when Acme filed its report?") is None


@pytest.mark.parametrize(
    ("targets", "is_wanted"), [("risk factors", True), ("tariff risks", False), ("executive officers", True), ("hatches", False)]
)
def test_a_list_that_the_structure_alone_gives_is_told_apart(targets: str, is_wanted: bool) -> None:
    assert Structure.is_wanted(asked(targets)) is is_wanted
