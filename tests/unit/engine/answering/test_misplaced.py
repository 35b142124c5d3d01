"""A number that the source prints is still wrong where it is told there of another year, or of something else."""

from __future__ import annotations

import pytest

from fin_tui.engine.answering.wording import Checker, misplaced
from fin_tui.engine.evidence import Passage
from fin_tui.engine.evidence.evidence import gather
from tests.unit.engine.made import hit

TEXT = (
    "As of December 31, 2023, we employed 29,239 people, of whom 51% were in the United States. "
    "Weighted average shares were 470 million in 2023 compared to 477 million in 2022. "
    "The decrease in net revenue was due to a 25% decrease in Client revenue due to lower processor sales and a 9% decrease in "
    "Gaming revenue due to lower semi-custom product sales. "
    "Our ten largest customers accounted for 41% of revenue in 2023, 38% in 2022 and 36% in 2021. "
    "At the end of 2023 and 2022, deposits were $1.3 billion and $1.4 billion. "
    "Under the plan the monthly pension is $5.00 for each year of service, and wage increases of 3% take effect in May."
)
QUESTION = "What about shares, customers, employees, revenue and wages?"


@pytest.fixture
def passages() -> tuple[Passage, ...]:
    return gather(QUESTION, [hit(TEXT)]).passages


@pytest.mark.parametrize(
    "text",
    [
        "We employed 29,239 people at the end of 2023, 51% of them in the United States.",
        "Weighted average shares were 477 million in 2022.",
        "In 2023, weighted average shares were 470 million, compared to 477 million in 2022.",
        "Client revenue decreased by 25% due to lower processor sales.",
        "The ten largest customers accounted for 38% of revenue in 2022.",
        "Wage increases of 3% take effect in May.",
        "Deposits were $1.3 billion at the end of 2023.",
    ],
)
def test_what_the_source_tells_stands(text: str, passages: tuple[Passage, ...]) -> None:
    assert misplaced(text, passages) == ""
    assert Checker(passages, question=QUESTION).check(text).support == "grounded"


@pytest.mark.parametrize(
    ("text", "why"),
    [
        ("Weighted average shares were 477 million in 2023.", "not of 2023"),
        ("The ten largest customers accounted for 38% of revenue in 2023.", "not of 2023"),
        ("Client revenue decreased by 25% due to lower processor sales and semi-custom product sales.", "of another number"),
        ("Wage increases are $5.00 for each year.", "of another number"),
        ("The monthly pension is 3% for each year of service.", "of something else"),
    ],
)
def test_what_it_tells_otherwise_does_not(text: str, why: str, passages: tuple[Passage, ...]) -> None:
    checked = Checker(passages, question=QUESTION).check(text)
    assert checked.support == "unsupported"
    assert why in checked.why


def test_every_sentence_of_a_source_stands_by_itself(passages: tuple[Passage, ...]) -> None:
    for sentence in TEXT.split(". "):
        assert misplaced(f"{sentence.rstrip('.')}.", passages) == ""


def test_a_table_says_nothing_against_a_sentence() -> None:
    table = hit("Net sales\t391,035\t383,285", table=True, header="Acme · Income (In millions)")
    assert misplaced("Net sales were $391,035 million in 2019.", gather("net sales", [table]).passages) == ""
