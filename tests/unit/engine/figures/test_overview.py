"""A question that names companies and no matter gets a page of key figures, by its frame alone."""

from __future__ import annotations

from dataclasses import replace

import pytest

from fin_tui.engine.figures.answer import FigureAnswer
from fin_tui.engine.figures.overview import _in_one_year, overview, wants_overview
from fin_tui.engine.frame.reader import Frame, Span
from fin_tui.engine.questions.target import Subject
from fin_tui.engine.questions.understanding import Understanding
from tests.unit.engine.figures.book import Book, source, understood
from tests.unit.engine.made import filing


def _asked(text: str, *companies: str, operation: str = "refuse", answer: str = "none", **others: object) -> Understanding:
    spans = tuple(Span(name, text.index(name), text.index(name) + len(name)) for name in companies)
    sure = {"figure": 0.1, "refusal": 0.9, "operation": 0.9, "answer": 0.9}
    frame = Frame(text, spans, (), (), (), operation, answer, "", (), sure)
    return replace(understood(text), frame=replace(frame, **others))  # type: ignore[arg-type]


def test_one_company_is_told_against_its_year_before() -> None:
    page = overview(_asked("How is Acme doing?", "Acme"), source())
    assert isinstance(page, FigureAnswer)
    assert page.sentences[0].text == "Acme, FY2024: revenue $120 million (up 20.0%); net income $30 million (up 50.0%)."
    assert page.sentences[0].citations
    assert page.table is not None
    assert page.table["columns"] == ["FY2023", "FY2024"]
    assert [row["label"] for row in page.table["rows"]] == ["revenue", "net income"]


def test_a_page_on_debts_tells_of_them_and_of_what_there_is_to_pay_them() -> None:
    years = (("total_debt", 60e6), ("cash_and_securities", 15e6), ("shareholders_equity", 90e6), ("net_debt", 45e6))
    book = Book({("Acme Corp.", name, year): value for name, value in years for year in (2023, 2024)})
    asked = _asked("could Acme go bankrupt?", "Acme", page="strength")
    assert wants_overview(asked)
    page = overview(asked, replace(source(), book=book))
    assert isinstance(page, FigureAnswer)
    told = "Acme, FY2024: total debt $60 million (unchanged); cash and marketable securities $15 million (unchanged); "
    assert page.sentences[0].text.startswith(told)


@pytest.mark.parametrize(("page", "wanted"), [("overview", True), ("strength", True), ("risks", False), ("sources", False)])
def test_a_page_that_is_read_from_the_words_decides(page: str, wanted: bool) -> None:
    assert wants_overview(_asked("how is Acme doing on rockets", "Acme", page=page, left_over=("rockets", "anvils"))) is wanted
    assert not wants_overview(_asked("should I buy Acme", "Acme", page=page, refusal="advice"))


def test_companies_stand_side_by_side_in_one_year() -> None:
    page = overview(_asked("compare Acme and Globex", "Acme", "Globex", operation="compare"), source())
    assert isinstance(page, FigureAnswer)
    told = "Acme vs. Globex, FY2024: revenue $120 million vs. $60 million; net income $30 million vs. $12 million."
    assert page.sentences[0].text == told
    assert page.table is not None
    assert page.table["columns"] == ["Acme FY2024", "Globex FY2024"]
    assert [[cell["value"] for cell in row["cells"]] for row in page.table["rows"]] == [[120e6, 60e6], [30e6, 12e6]]


@pytest.mark.parametrize(
    ("own", "other", "told"),
    [
        ((2015, 2025), (2013,), (2013, 2013)),  # Its statement of income alone covers the year two before.
        ((2024, 2025), (2023,), (2023, 2023)),
        ((2025,), (2006,), (2025, 2006)),
    ],
)
def test_a_year_that_both_cover_goes_before_the_latest_of_each(
    own: tuple[int, ...], other: tuple[int, ...], told: tuple[int, ...]
) -> None:
    whose = [Subject("Acme", tuple(filing("Acme Corp.", year) for year in years), (max(years),)) for years in (own, other)]
    assert tuple(one.years[0] for one in _in_one_year(whose)) == told


@pytest.mark.parametrize(
    ("others", "wanted"),
    [
        ({}, True),
        ({"left_over": ("doing",)}, True),
        ({"refusal": "forecast"}, True),
        ({"refusal": "advice"}, False),
        ({"targets": (Span("doing", 12, 17),)}, False),
        ({"parts": (Span("doing", 12, 17),)}, False),
        ({"left_over": ("doing", "well")}, False),
        ({"answer": "text"}, False),
        ({"answer": "money", "left_over": ("doing",)}, False),
        ({"sure": {"figure": 0.1, "refusal": 0.99}}, False),
    ],
)
def test_whether_it_is_wanted_stands_in_the_frame(others: dict[str, object], wanted: bool) -> None:
    assert wants_overview(_asked("How is Acme doing?", "Acme", **others)) is wanted  # type: ignore[arg-type]


@pytest.mark.parametrize(("targets", "wanted"), [((), True), ((Span("revenue", 0, 7),), False)])
def test_behind_such_a_page_the_next_company_gets_one_too(targets: tuple[Span, ...], wanted: bool) -> None:
    before = _asked("How is Globex doing?", "Globex", targets=targets).frame
    assert wants_overview(_asked("and Acme?", "Acme", carried=before)) is wanted


def test_a_company_that_is_not_held_makes_no_page() -> None:
    asked = _asked("Acme v Initech", "Acme", "Initech", operation="compare")
    assert not wants_overview(asked)
    assert not wants_overview(_asked("compare Acme", "Acme", operation="compare"))


def test_too_few_figures_make_no_page() -> None:
    few = replace(source(), book=replace(source().book, values={("Acme Corp.", "revenue", 2024): 120e6}))  # type: ignore[type-var]
    assert overview(_asked("How is Acme doing?", "Acme"), few) is None


@pytest.mark.parametrize(("share", "refusal", "wanted"), [(0.2, 0.6, True), (0.2, 0.9, False), (0.0, 0.6, False)])
def test_companies_named_alone_are_compared_unless_advice_is_surely_asked_for(share: float, refusal: float, wanted: bool) -> None:
    asked = _asked("Compare Acme and Globex", "Acme", "Globex")
    assert asked.frame is not None
    sure = {**asked.frame.sure, "refusal": refusal}
    frame = replace(asked.frame, refusal="advice", operations={"refuse": 0.8, "compare": share}, sure=sure)
    assert wants_overview(replace(asked, frame=frame)) is wanted


def test_years_that_are_named_are_told_one_by_one() -> None:
    names = {"revenue": 1e6, "net_income": 1e5}
    book = {("Acme Corp.", name, year): value * year for name, value in names.items() for year in range(2022, 2025)}
    page = overview(_asked("compare Acme 2022, 2023 and 2024", "Acme", operation="compare"), source(Book(book)))
    assert isinstance(page, FigureAnswer)
    told = "Acme, FY2022 vs. FY2023 vs. FY2024: revenue $2,022 million vs. $2,023 million vs. $2,024 million; "
    assert page.sentences[0].text.startswith(told)


def test_companies_over_some_years_are_told_by_how_they_moved() -> None:
    page = overview(_asked("compare Acme and Globex in the last two years", "Acme", "Globex", operation="compare"), source())
    assert isinstance(page, FigureAnswer)
    assert page.sentences[0].text.startswith("Acme FY2024 vs. Globex FY2024: revenue $120 million (up 20.0%) vs. $60 million;")
