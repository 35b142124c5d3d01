"""A question that names nothing but a period gets the key figures of the one company that the scope is set to."""

from __future__ import annotations

from dataclasses import replace

import pytest

from fin_tui.engine.answering.combine import put_together
from fin_tui.engine.evidence.evidence import gather
from fin_tui.engine.questions.understanding import Understanding
from fin_tui.engine.structures import FilingReader, StructureAnswer, passage_in
from fin_tui.engine.structures.structure import asks_of_scope, in_turn, page
from fin_tui.records import Scope, Sentence
from tests.unit.engine.figures.book import source, understood
from tests.unit.engine.made import filing, hit
from tests.unit.engine.structures.made import Chunks, Library, asked


def _asked(text: str = "summarize 2024", company: str = "name:acme corp.", **others: object) -> Understanding:
    frame = replace(asked("year", answer="none", operation="describe"), **{"targets": (), "left_over": ("summarize",), **others})  # type: ignore[arg-type]
    read = understood(text)
    own = tuple(filing for filing in read.held if filing.company_key == company) if company else read.held
    request = replace(read.request, scope=Scope(companies=(company,)) if company else Scope())
    return replace(read, frame=frame, request=request, target=replace(read.target, filings=own))


def test_the_company_in_scope_is_told_against_its_year_before() -> None:
    found = page(_asked(), source(), FilingReader(Library(""), Chunks("")))
    assert found is not None
    assert found.sentences[0].text.startswith("Acme, FY2024: revenue $120 million (up 20.0%)")


@pytest.mark.parametrize(
    ("others", "wanted"),
    [
        ({}, True),
        ({"company": ""}, False),
        ({"text": "summarize Globex 2024"}, False),
        ({"answer": "text"}, False),
        ({"refusal": "off_topic"}, False),
        ({"left_over": ("summarize", "weather")}, False),
        ({"targets": asked("growth").targets}, False),
    ],
)
def test_it_is_wanted_where_nothing_else_is_named(others: dict[str, str], wanted: bool) -> None:
    assert asks_of_scope(_asked(**others)) is wanted


def counted(value: float | None) -> StructureAnswer:
    return StructureAnswer((Sentence(f"We have {value}.", (), "grounded"),), (), value, "count")


def test_counts_of_one_company_are_set_against_each_other() -> None:
    answer = in_turn((filing(year=2024), filing(year=2022)), (counted(150), counted(120)))
    assert answer.sentences[0].text == (
        "Acme Corp. counts 120 in its 10-K for FY2022 and 150 in its 10-K for FY2024: a change of +30 (+25.0%)."
    )


def test_no_change_between_two_companies_or_without_a_count() -> None:
    assert len(in_turn((filing(), filing("Other Inc.")), (counted(1), counted(2))).sentences) == 2
    assert len(in_turn((filing(), filing(year=2023)), (counted(1), counted(None))).sentences) == 2


LISTED = "We build three rockets: the Moon, the Comet and the Star."
MORE = "Our rockets are built in Texas of steel."


def answer(*, is_open: bool) -> StructureAnswer:
    chunk = hit(LISTED, rank=7, start=900).chunk
    passage = passage_in(1, filing(), chunk, chunk.start, chunk.end)
    return StructureAnswer((Sentence(LISTED, (1,), "grounded"),), (passage,), is_open=is_open)


def test_a_sentence_of_the_search_may_follow_an_open_list_with_its_own_number() -> None:
    evidence = gather("What rockets are built of steel?", [hit(MORE)])
    sentences, together, _ = put_together(None, answer(is_open=True), evidence)
    assert [sentence.text for sentence in sentences] == [LISTED, MORE]
    (number,) = sentences[1].citations
    assert next(p for p in together.passages if p.citation.id == number).text == MORE


def test_nothing_follows_a_closed_list_or_repeats_it() -> None:
    evidence = gather("What rockets are built of steel?", [hit(MORE)])
    assert len(put_together(None, answer(is_open=False), evidence)[0]) == 1
    same = gather("What three rockets do you build?", [replace(hit(LISTED), rank=1)])
    assert len(put_together(None, answer(is_open=True), same)[0]) == 1


def test_what_another_filing_says_or_only_points_to_follows_no_list() -> None:
    older = gather("What rockets are built of steel?", [hit(MORE, of=filing(year=2019))])
    assert len(put_together(None, answer(is_open=True), older)[0]) == 1
    pointer = gather("What rockets are built of steel?", [hit("For more information on how our rockets are built, see Item 2.")])
    assert len(put_together(None, answer(is_open=True), pointer)[0]) == 1
