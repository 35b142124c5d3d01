from __future__ import annotations

import pytest

from fin_tui.engine.questions.companies import CompanyIndex, is_large_company, name_words, unknown_companies
from tests.unit.engine.made import filing

HELD = [
    filing("Acme Corp.", ticker="ACM"),
    filing("Target Corporation", ticker="TGT"),
    filing("Johnson & Johnson", ticker="JNJ"),
    filing("Johnson Controls International plc", ticker="JCI"),
    filing("Bolt & Nut Works, Inc.", ticker="BNW"),
    filing("Great Lakes Paper Company", ticker="GLP"),
    filing("VISTA OUTDOOR INC", ticker="V"),
    filing("The Dr-Fizz Company", ticker="FIZ"),
    filing("General Rockets Company", ticker="GRC"),
    filing("Parcels.com, Inc.", ticker="PCL"),
]


def names(question: str) -> list[str]:
    return [named.name for named in CompanyIndex(HELD).find(question)]


@pytest.mark.parametrize(
    ("question", "expected"),
    [
        ("What was Acme's revenue?", ["Acme Corp."]),
        ("what was acme's revenue in 2023?", ["Acme Corp."]),
        ("How did ACM do?", ["Acme Corp."]),
        ("Compare Target and Acme", ["Target Corporation", "Acme Corp."]),
        ("What is the target for 2030 emissions?", []),
        ("What did Johnson Controls say?", ["Johnson Controls International plc"]),
        ("What did Johnson & Johnson say?", ["Johnson & Johnson"]),
        ("What did J&J say?", ["Johnson & Johnson"]),
        ("What was J & J's revenue?", ["Johnson & Johnson"]),
        ("What did Johnson and Johnson say?", ["Johnson & Johnson"]),
        ("What was R&D at Acme?", ["Acme Corp."]),
        ("acme corp inventory 2023", ["Acme Corp."]),
        ("Great Lakse Paper goodwill 2023", ["Great Lakes Paper Company"]),
        ("parcells sales in 2023", ["Parcels.com, Inc."]),
        ("vistaa sales in 2023", []),
        ("johnson and johnsons sales in 2023", ["Johnson & Johnson"]),
        ("What did Bolt and Nut earn?", ["Bolt & Nut Works, Inc."]),
        ("Show B&N's and B&NW's margin", ["Bolt & Nut Works, Inc."]),
        ("What did Johnson say?", []),
        ("Great Lakes Paper's goodwill", ["Great Lakes Paper Company"]),
        ("What did Great Lakes earn?", ["Great Lakes Paper Company"]),
        ("Show Vista Outdoor's margin", ["VISTA OUTDOOR INC"]),
        ("What was GR's revenue in 1993?", ["General Rockets Company"]),
        ("What was the general revenue?", []),
        ("What was General Rockets' revenue?", ["General Rockets Company"]),
        ("What did Parcels earn?", ["Parcels.com, Inc."]),
        ("What did Parcels.com earn?", ["Parcels.com, Inc."]),
        ("Was Visat Outdoor profitable?", ["VISTA OUTDOOR INC"]),
        ("Vitamin sales versus V's own", ["VISTA OUTDOOR INC"]),
        ("What does Dr Fizz owe?", ["The Dr-Fizz Company"]),
        ("What does DrFizz owe?", ["The Dr-Fizz Company"]),
        ("Did VISOUT pay dividends?", ["VISTA OUTDOOR INC"]),
    ],
)
def test_finds_the_companies_a_question_names(question: str, expected: list[str]) -> None:
    assert names(question) == expected


def test_two_numbers_of_one_company_are_one_company() -> None:
    held = [filing("Acme Corp.", 2024, key="cik:1"), filing("ACME CORP", 1995, key="irs:94-1", ticker="")]
    (named,) = CompanyIndex(held).find("What was Acme's revenue?")
    assert set(named.keys) == {"cik:1", "irs:94-1"}


def test_the_span_is_where_the_name_stands() -> None:
    question = "What was Acme's revenue?"
    (named,) = CompanyIndex(HELD).find(question)
    assert question[named.start : named.end] == "Acme"


def test_name_words_leave_out_the_legal_form() -> None:
    assert name_words("The Great Lakes Paper Company") == ("great", "lakes", "paper")


@pytest.mark.parametrize(
    ("question", "expected"),
    [
        ("What was Globex's net income in fiscal 2023?", ("Globex",)),
        ("How does Initech compare with Acme?", ("Initech",)),
        ("What are the main risks?", ()),
        ("What was Acme's net income in March 2023?", ()),
        ("What does the 10-K say about R&D?", ()),
    ],
)
def test_names_that_no_filing_carries(question: str, expected: tuple[str, ...]) -> None:
    assert unknown_companies(question, CompanyIndex(HELD)) == expected


@pytest.mark.parametrize(
    ("name", "is_large"), [("Visa", True), ("disney", True), ("V", True), ("MA", True), ("ma", False), ("Acme", False)]
)
def test_large_companies_are_known_by_name_and_symbol(name: str, is_large: bool) -> None:
    assert is_large_company(name) is is_large


def test_a_word_that_nothing_knows_is_a_slip_by_a_letter_left_out() -> None:
    index = CompanyIndex([filing("Apple Inc.", ticker="AAPL"), filing("Meta Platforms, Inc.", ticker="META")])
    assert [one.name for one in index.meant_by("aple")] == ["Apple Inc."]
    assert all(one.is_slip for one in index.meant_by("aple"))
    assert index.meant_by("globex") == index.meant_by("dell") == ()
    assert index.find("aple revenue") == ()


def test_a_slip_in_a_later_word_of_a_name_is_part_of_it() -> None:
    index = CompanyIndex([filing("Great Lakes Paper Company", ticker="GLP")])
    text = "great laeks ppaer revenue"
    assert [text[one.start : one.end] for one in index.find(text)] == ["great laeks ppaer"]


def test_a_name_of_several_words_may_be_typed_as_one() -> None:
    assert names("greatlakes capex vs johnsoncontrols") == ["Great Lakes Paper Company", "Johnson Controls International plc"]


def test_a_word_that_nothing_knows_is_a_slip_by_a_letter_typed_before_it() -> None:
    index = CompanyIndex([filing("Globex Inc.", ticker="GBX")])
    assert [(one.name, one.is_slip, one.end) for one in index.meant_by("sglobex")] == [("Globex Inc.", True, 7)]
    assert index.may_mean("pglobex")
    assert not index.may_mean("hyperglobex")


@pytest.mark.parametrize(
    ("name", "expected"), [("Globy", ["Hexagon Inc."]), ("globylan", ["Hexagon Inc."]), ("Glo", []), ("acmes", [])]
)
def test_a_ticker_may_shorten_what_a_company_is_called_by_everybody(name: str, expected: list[str]) -> None:
    index = CompanyIndex([*HELD, filing("Hexagon Inc.", ticker="GLOB")])
    assert [one.name for one in index.by_symbol(name)] == expected


def test_brackets_name_a_company_by_its_ticker() -> None:
    held = [filing("Acme Corp.", ticker="ACME")]
    (named,) = CompanyIndex(held).in_brackets("Rockets (acme) and anvils (in usd)")
    assert (named.name, named.start, named.end) == ("Acme Corp.", 9, 13)
