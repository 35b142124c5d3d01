from __future__ import annotations

import pytest

from fin_tui.engine.questions.kinds import read_count
from fin_tui.engine.questions.question import read_question
from fin_tui.engine.structures import FilingReader, StructureAnswer
from fin_tui.engine.structures.lists import counts
from tests.unit.engine.made import filing
from tests.unit.engine.structures.made import Chunks, Library

ACME = filing()


def ask(question: str, *sentences: str) -> StructureAnswer | None:
    body = "\n\n".join(sentences)
    reader = FilingReader(Library(body), Chunks(body, ["1"] * len(sentences)))
    return counts(read_question(question, (ACME,)), reader, ACME)


@pytest.mark.parametrize(
    ("question", "sentence", "value"),
    [
        ("How many employees does Acme have?", "We employed about 1,576 full-time and part-time employees in 2024.", 1576),
        ("How many people does Acme employ?", "Our workforce level at December 31, 2024 was 157,000.", 157_000),
        ("How many people does Acme employ?", "As of December 31, 2024, we had 9,100 team members.", 9100),
        ("How many employees does Acme have?", "Our employee headcount worldwide was 140,473.", 140_473),
        ("How many holders of record of Acme's stock are there?", "There were 22,429 shareholders of record in 2025.", 22_429),
        ("How many stockholders of record does Acme have?", "As of February 2025, we had 1,155 registered stockholders.", 1155),
        ("In how many countries does Acme have employees?", "In 2024 we had 26,196 employees in 35 countries.", 35),
        ("How many rockets did Acme deliver in 2024?", "In 2024, we produced 18 rockets and delivered 17 rockets.", 17),
        ("How many launch pads does Acme operate?", "We operate five launch pads in Texas.", 5),
        ("What is the number of employees of Acme?", "We had 12 employees.", 12),
    ],
)  # fmt: skip
def test_the_number_before_or_behind_the_noun(question: str, sentence: str, value: int) -> None:
    answer = ask(question, sentence)
    assert answer is not None
    assert (answer.value, answer.unit) == (value, "count")
    assert answer.passages[0].citation.quote == sentence


def test_a_part_or_another_year_is_not_the_whole() -> None:
    answer = ask(
        "How many employees does Acme have?",
        "Over 300 employees around the world have participated in training.",
        "We had 900 employees in 2019.",
        "We employed 1,500 employees at the end of 2024, including 40 employees in Peru.",
        "We laid off 70 employees.",
    )
    assert answer is not None
    assert answer.value == 1500


def test_neither_plans_nor_a_unit_nor_a_later_day_speak_for_the_whole() -> None:
    answer = ask(
        "How many employees did Acme have at the end of 2024?",
        "We maintain four leveraged employee stock ownership plans.",
        "Our sales and marketing functions consisted of approximately 280 employees, including managers.",
        "With the acquisition of Globex, we now have more than 2,810 employees.",
        "With approximately 1,050 employees at December 31, 2024, we are our industry's largest employer.",
    )
    assert answer is not None
    assert answer.value == 1050


def test_two_numbers_that_fit_as_well_are_both_shown_and_none_is_chosen() -> None:
    answer = ask("How many stores does Acme operate?", "We operated 30 stores in the East.", "We operated 45 stores in the West.")
    assert answer is not None
    assert answer.value is None
    assert "30 or 45" in answer.sentences[0].text or "45 or 30" in answer.sentences[0].text
    assert [sentence.citations for sentence in answer.sentences[1:]] == [(1,), (2,)]


@pytest.mark.parametrize(
    ("question", "sentence"),
    [
        ("How many coffee machines does Acme have?", "We had 12 employees and 3 washing machines."),
        ("How many unionized employees does Acme have?", "We had 12 employees."),
        ("How many employees does Acme have?", "See Note 12 employees benefits."),
        ("How many employees does Acme have?", "The complaint was filed by ten employees of a supplier."),
        ("How many shares does Acme have?", "There are 500 shares outstanding."),
        ("What does Acme say about its 12 employees?", "We had 12 employees."),
    ],
)
def test_what_no_sentence_counts_stays_open(question: str, sentence: str) -> None:
    assert ask(question, sentence) is None


def test_a_long_sentence_is_shown_around_its_number() -> None:
    answer = ask("How many employees does Acme have?", f"In 2024, {'very ' * 200}proudly, we had 12 employees.")
    assert answer is not None
    assert answer.sentences[0].text.startswith("… ")
    assert answer.sentences[0].text.endswith("we had 12 employees.")


def test_two_counts_in_one_question_are_no_one_number() -> None:
    assert read_count("How many employees did it have, and in how many countries?") is None


@pytest.mark.parametrize(
    ("question", "sentence"),
    [
        ("How many stores does Acme operate?", "We had 1,187 large and 51 small stores at the end of 2024."),
        ("How many members does Acme have?", "Executive members totaled 25 in 2024. We had 12 employees."),
        ("How many people did Acme employ?", "Unions represent 5% of employees (one agreement covered about 2,000 employees)."),
        ("How many aircraft did Acme deliver?", "We have 3 in stock and delivered the 737-10 aircraft in 2024."),
        ("How many brands does Acme own?", "We recognized impairment losses on two brands."),
        ("How many rooms does Acme have?", "(6) Includes 1,117 rooms at the Pad and 424 rooms at the Star in 2024."),
    ],
)
def test_a_number_of_some_is_not_the_number_of_all(question: str, sentence: str) -> None:
    assert ask(question, sentence) is None
