"""Executive officers with their ages and offices, from tables, paragraphs, or the signatures."""

from __future__ import annotations

import itertools
from dataclasses import replace

import pytest

from fin_tui.engine.structures import FilingReader, StructureAnswer
from fin_tui.engine.structures.officers import asked_office, asks_officers, office_holder, officers, with_highest
from fin_tui.records import Block, BlockKind, Cell, Column, Section, Sentence, Table
from tests.unit.engine.made import filing
from tests.unit.engine.structures.made import Chunks, Library, asked, blocks

ACME = filing()
HEADING = "# Information about our Executive Officers\n"


def _table(body: str, *rows: str, ordinal: int) -> Block:
    cells: list[tuple[Cell, ...]] = []
    for row in rows:
        start = body.index(row)
        begins = itertools.accumulate((len(text) + 1 for text in row.split("|")[:-1]), initial=start)
        parts = zip(row.split("|"), begins, strict=True)
        cells.append(tuple(Cell(text, len(cells), at, begin, begin + len(text)) for at, (text, begin) in enumerate(parts)))
    first, last = body.index(rows[0]), body.index(rows[-1]) + len(rows[-1])
    columns = tuple(Column(()) for _ in cells[0])
    return Block(ordinal, BlockKind.TABLE, first, last, 1, table=Table(tuple(cells), 1, columns))


def _told(body: str, found: tuple[Block, ...] = (), sections: tuple[Section, ...] = ()) -> StructureAnswer | None:
    return officers(FilingReader(Library(body, sections, found), Chunks(body)), ACME)


def _lines(answer: StructureAnswer | None) -> list[str]:
    assert answer is not None
    assert all(sentence.citations for sentence in answer.sentences[1:])
    return [sentence.text for sentence in answer.sentences]


def test_rows_of_a_table_with_ages() -> None:
    rows = (
        "Name|Age|Position",
        "Jane A. Doe|52|Chief Executive Officer",
        "Juan de la Cruz, CFO|61|CFO since 2020; Treasurer",
        "Ann Lee|44|Director",
        "Bo Ek, Jr.|39|Counsel",
    )
    body = HEADING + "\n".join(rows)
    assert _lines(_told(body, (*blocks(HEADING), _table(body, *rows, ordinal=1)))) == [
        "3 executive officers in Acme Corp.'s 10-K for FY2024:",
        "1. Jane A. Doe, 52: Chief Executive Officer",
        "2. Juan de la Cruz, 61: CFO",
        "3. Bo Ek, Jr., 39: Counsel",
    ]


def _listed(rows: tuple[str, ...], heading: str = HEADING) -> list[str]:
    body = heading + "\n".join(rows)
    held = blocks(heading)
    return _lines(_told(body, (*held, _table(body, *rows, ordinal=len(held)))))[1:]


def test_an_entry_over_two_lines_is_one_officer() -> None:
    rows = (
        "Name|Position|Age|Since",
        "Jane A. Doe, Jr.|Chairman of the Board and Chief",
        "|Executive Officer|58|April 1981",
        "Juan Cruz|Treasurer|52|May 1990",
        "Rudy F. deLeon|Senior Vice President and",
        "|Counsel|51|May 1991",
        "R. Bo (Bob) Ek|Controller|44|June 1992",
    )
    assert _listed(rows) == [
        "1. Jane A. Doe, Jr., 58: Chairman of the Board and Chief Executive Officer",
        "2. Juan Cruz, 52: Treasurer",
        "3. Rudy F. deLeon, 51: Senior Vice President and Counsel",
        "4. R. Bo (Bob) Ek, 44: Controller",
    ]


def test_a_line_without_a_figure_heads_the_names_under_it() -> None:
    rows = ("|AGE", "Chief Executive Officer", "Jane Doe|56", "Vice Presidents", "Juan Cruz, Research|51", "Ann Lee,|47")
    assert _listed(rows) == [
        "1. Jane Doe, 56: Chief Executive Officer",
        "2. Juan Cruz, 51: Research (Vice Presidents)",
        "3. Ann Lee, 47: Vice Presidents",
    ]


def test_offices_behind_a_semicolon_are_offices_and_years_are_the_past() -> None:
    rows = (
        "Name|Age|Position",
        "Jane Doe|56|Member, Committee; Chief Executive Officer(a)",
        "Juan Cruz|51|Treasurer; Controller from 2001 to 2003",
        "Ann Lee|47|Counsel;",
    )
    assert _listed(rows) == [
        "1. Jane Doe, 56: Member, Committee; Chief Executive Officer",
        "2. Juan Cruz, 51: Treasurer",
        "3. Ann Lee, 47: Counsel",
    ]


def test_the_board_is_no_officer() -> None:
    heading = "# Directors and Executive Officers\n## Directors\n"
    rows = ("Name|Age|Occupation", "Jane Doe|56|President, Globex", "Juan Cruz|51|Retired", "Ann Lee|47|Dean")
    body = heading + "\n".join(rows)
    held = blocks(heading)
    assert _told(body, (*held, _table(body, *rows, ordinal=len(held)))) is None


def test_a_surname_with_a_title_is_told_with_the_name_before_it() -> None:
    body = (
        f"{HEADING}JANE A. DOE — Chief Executive Officer\nMs. Doe (56) has been Chief Executive Officer since May 2020.\n"
        "JUAN CRUZ — Treasurer Mr. Cruz (51) has been Treasurer since 2001.\nMr. Ek (44) has been Counsel."
    )
    assert _lines(_told(body))[1:] == [
        "1. Jane A. Doe, 56: Chief Executive Officer",
        "2. Juan Cruz, 51: Treasurer",
        "3. Mr. Ek, 44: Counsel",
    ]


def test_an_age_given_in_words_and_a_heading_for_each() -> None:
    body = f"{HEADING}# Jane Doe (age 61), Controller\nText.\n# Juan Cruz (age 51), Treasurer\n# Ann Lee (age 47), Counsel"
    assert _lines(_told(body))[1:] == ["1. Jane Doe, 61: Controller", "2. Juan Cruz, 51: Treasurer", "3. Ann Lee, 47: Counsel"]


def test_a_typed_name_beside_the_next_title_is_not_its_holder() -> None:
    rows = (
        "|Chief Executive Officer (Principal",
        "/s/ Jane Doe JANE DOE|Executive Officer)",
        "Jane Doe|Chief Financial Officer",
        "/s/ Juan Cruz",
        "Juan Cruz|Controller and Chief Accounting Officer",
        "/s / Ann Lee|(Principal Accounting Officer)",
    )
    body = "SIGNATURES\n" + "\n".join(rows)
    signatures = Section("", "", "Signatures", 0, len(body), 9, 0.9)
    assert _lines(_told(body, (_table(body, *rows, ordinal=0),), (signatures,)))[1:] == [
        "1. Jane Doe: Chief Executive Officer (Principal Executive Officer)",
        "2. Ann Lee: (Principal Accounting Officer)",
    ]


def test_paragraphs_that_begin_with_name_and_age() -> None:
    body = (
        f"{HEADING}Jane Doe, 52, is Chief Executive Officer. She ran Globex before.\n"
        "Juan Cruz (61) has been Treasurer since May 2020.\nAnn Lee 44 General Counsel Ms. Lee joined us in 2001."
    )
    assert _lines(_told(body))[1:] == [
        "1. Jane Doe, 52: Chief Executive Officer",
        "2. Juan Cruz, 61: Treasurer",
        "3. Ann Lee, 44: General Counsel",
    ]


def test_a_line_that_heads_columns_ends_no_list() -> None:
    people = "Jane Doe 52 Treasurer\nJuan Cruz 61 Counsel\nAnn Lee 44 Controller"
    assert _lines(_told(f"{HEADING}# Name Age Position\n{people}"))[1:] == [
        "1. Jane Doe, 52: Treasurer",
        "2. Juan Cruz, 61: Counsel",
        "3. Ann Lee, 44: Controller",
    ]
    assert _told(f"{HEADING}# Selected data\n{people}") is None


def test_a_name_with_an_office_stands_over_what_is_told_of_its_holder() -> None:
    body = (
        f"{HEADING}Jane A. Doe, Jr. Senior Vice President & Controller\nMs. Doe joined us in 2001 from Globex. Age 52.\n"
        "On May 1, 2024, the Board thanked Ms. Doe.\nJuan de la Cruz Treasurer\nMr. de la Cruz was hired in 1999. Age 61.\n"
        "Ann Lee III Counsel\nDr. Lee is new.\nOur values stand above all\nMr. Nobody is not named above."
    )
    assert _lines(_told(body))[1:] == [
        "1. Jane A. Doe, Jr., 52: Senior Vice President & Controller",
        "2. Juan de la Cruz, 61: Treasurer",
        "3. Ann Lee III: Counsel",
    ]


def test_of_a_list_that_lacks_someone_no_holder_of_an_office_is_told() -> None:
    body = f"{HEADING}Jane Doe 52 Chief Executive Officer, Rockets.\nJuan Cruz 61 Treasurer.\nAnn Lee 44 Counsel."
    for text, is_told in ((body, True), (f"{body}\n58 Chief Executive Officer.", False)):
        held = office_holder(FilingReader(Library(text, (), ()), Chunks(text)), ACME, "CEO")
        assert (held is not None) is is_told


def test_of_positions_that_run_on_the_newest_is_the_office_and_an_age_may_look_like_a_mark() -> None:
    rows = (
        "Name|Positions held|Period",
        "Jane Doe|President and Chief Executive Officer Senior VP, Finance|2020 to present 2011 to 2020",
        "Juan Cruz|Executive VP and General Counsel|2015 to present",
        "Ann Lee|Controller Globex Leadership Team|2021 to present 1996 to 2021",
    )
    body = HEADING + "\n".join(rows)
    listed = _table(body, *rows, ordinal=1)
    assert listed.table is not None
    ages = zip(listed.table.rows, ((), ("(52)",), ("(61)",), ("(44)",)), strict=True)
    marked = tuple((replace(row[0], footnotes=age), *row[1:]) for row, age in ages)
    assert _lines(_told(body, (*blocks(HEADING), replace(listed, table=replace(listed.table, rows=marked)))))[1:] == [
        "1. Jane Doe, 52: President and Chief Executive Officer",
        "2. Juan Cruz, 61: Executive VP and General Counsel",
        "3. Ann Lee, 44: Controller Globex Leadership Team",
    ]


def test_an_age_without_its_name_says_that_some_are_missing() -> None:
    body = f"{HEADING}Jane Doe 52 Chief Executive Officer.\nJuan Cruz 61 Treasurer.\nAnn Lee 44 Counsel.\n58 Chief Engineer."
    assert (
        _lines(_told(body))[0]
        == "3 executive officers in Acme Corp.'s 10-K for FY2024 (the list has more that could not be read):"
    )


def test_those_who_signed_where_there_is_no_list() -> None:
    rows = ("/s/ Jane Doe|Chief Executive Officer and Director|May 1, 2025", "/s/ Bo Ek|Director|May 1, 2025")
    body = "SIGNATURES\n" + "\n".join(rows)
    signatures = Section("", "", "Signatures", 0, len(body), 9, 0.9)
    assert _lines(_told(body, (_table(body, *rows, ordinal=0),), (signatures,))) == [
        "Officers who signed Acme Corp.'s 10-K for FY2024, as far as could be read:",
        "1. Jane Doe: Chief Executive Officer and Director",
    ]
    assert _told("Nothing here.") is None


@pytest.mark.parametrize(
    ("target", "others", "wanted"),
    [
        ("executive officers", {}, True),
        ("executives", {"answer": "name"}, True),
        ("executive officer", {}, False),
        ("chief financial officers", {}, False),
        ("executive officers", {"left": ("pay",)}, False),
        ("executive officers", {"answer": "count"}, False),
    ],
)
def test_whether_they_are_asked_for_stands_in_the_frame(target: str, others: dict[str, object], wanted: bool) -> None:
    assert asks_officers(asked(target, **others)) is wanted  # type: ignore[arg-type]


def test_a_follow_up_that_names_another_company_asks_for_the_same() -> None:
    before = asked("executive officers")
    after = replace(asked("Globex"), targets=(), carried=before)
    assert asks_officers(after) == asks_officers(before)
    assert asks_officers(replace(after, carried=None)) is False


def test_the_holder_of_one_office_by_its_words_or_initials() -> None:
    body = f"{HEADING}Jane Doe, 52, is Chief Executive Officer.\nJuan Cruz (61) has been Treasurer and Chief Financial Officer."
    reader = FilingReader(Library(body), Chunks(body))
    for office in ("CFO", "chief financial officer", "treasurer"):
        (told,) = _lines(office_holder(reader, ACME, office))
        assert told == "Juan Cruz: Treasurer and Chief Financial Officer (by Acme Corp.'s 10-K for FY2024)."
    assert office_holder(reader, ACME, "COO") is None
    assert office_holder(reader, ACME, "officer") is None  # Of two it can't be told which is meant.
    assert office_holder(reader, ACME, "largest customer") is None


def test_a_chief_financial_officer_who_is_an_executive_is_no_chief_executive_officer() -> None:
    other = "Juan Cruz (61) has been Executive Vice President and Chief Financial Officer."
    body = f"{HEADING}Jane Doe, 52, is Chief Executive Officer.\n{other}"
    reader = FilingReader(Library(body), Chunks(body))
    (told,) = _lines(office_holder(reader, ACME, "chief executive officer"))
    assert told.startswith("Jane Doe: Chief Executive Officer")


def test_an_office_is_asked_for_where_a_name_is() -> None:
    frame = replace(asked("CFO"), operation="who", answer="name")
    assert asked_office(frame) == "CFO"
    assert not asked_office(replace(frame, answer="text"))
    assert not asked_office(replace(frame, left_over=("before",)))


def test_who_runs_a_company_holds_the_highest_office() -> None:
    frame = replace(asked("CFO"), targets=(), operation="who", answer="name", page="leader")
    assert asked_office(frame) == "chief executive officer"
    assert not asked_office(replace(frame, page=""))


@pytest.mark.parametrize(("office", "is_told"), [("Chief Executive Officer", True), ("Chief Financial Officer", False)])
def test_a_list_without_the_highest_office_does_not_say_who_runs_the_company(office: str, is_told: bool) -> None:
    found = StructureAnswer((Sentence(f"1. Jane Doe, 52: {office}", (1,), "grounded"),), ())
    assert with_highest(found) == (found if is_told else None)
    assert with_highest(None) is None
