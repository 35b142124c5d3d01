"""Executive officers with their ages and offices, from tables, paragraphs, or the signatures."""

from __future__ import annotations

import itertools
from dataclasses import replace

import pytest

from fin_tui.engine.structures.desk import Desk, StructureAnswer
from fin_tui.engine.structures.officers import asked_office, asks_officers, office_holder, officers
from fin_tui.records import Block, BlockKind, Cell, Column, Section, Table
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
    return officers(Desk(Library(body, sections, found), Chunks(body)), ACME)


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
        "Officers who signed Acme Corp.'s 10-K for FY2024; no list of all was found in it:",
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
    desk = Desk(Library(body), Chunks(body))
    for office in ("CFO", "chief financial officer", "treasurer"):
        (told,) = _lines(office_holder(desk, ACME, office))
        assert told == "Juan Cruz, by Acme Corp.'s 10-K for FY2024: Treasurer and Chief Financial Officer."
    assert office_holder(desk, ACME, "COO") is None
    assert office_holder(desk, ACME, "officer") is None  # Of two it can't be told which is meant.
    assert office_holder(desk, ACME, "largest customer") is None


def test_an_office_is_asked_for_where_a_name_is() -> None:
    frame = replace(asked("CFO"), operation="who", answer="name")
    assert asked_office(frame) == "CFO"
    assert not asked_office(replace(frame, answer="text"))
    assert not asked_office(replace(frame, left_over=("before",)))
