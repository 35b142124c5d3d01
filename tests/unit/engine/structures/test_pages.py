"""A question that names nothing but a period gets the key figures of the one company that the scope is set to."""

from __future__ import annotations

from dataclasses import replace

import pytest

from fin_tui.engine.questions.understanding import Understanding
from fin_tui.engine.structures.desk import Desk
from fin_tui.engine.structures.pages import asks_of_scope, page
from fin_tui.records import Scope
from tests.unit.engine.figures.book import source, understood
from tests.unit.engine.structures.made import Chunks, Library, asked


def _asked(text: str = "summarize 2024", company: str = "name:acme corp.", **others: object) -> Understanding:
    frame = replace(asked("year", answer="none", operation="describe"), **{"targets": (), "left_over": ("summarize",), **others})  # type: ignore[arg-type]
    read = understood(text)
    own = tuple(filing for filing in read.held if filing.company_key == company) if company else read.held
    request = replace(read.request, scope=Scope(companies=(company,)) if company else Scope())
    return replace(read, frame=frame, request=request, target=replace(read.target, filings=own))


def test_the_company_in_scope_is_told_against_its_year_before() -> None:
    found = page(_asked(), source(), Desk(Library(""), Chunks("")))
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
