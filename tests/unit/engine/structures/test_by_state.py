"""How many of something stand in each state: tables proven by their total."""

from __future__ import annotations

import itertools
from collections.abc import Sequence
from dataclasses import replace

import pytest

from fin_tui.engine.structures import FilingReader, StructureAnswer
from fin_tui.engine.structures.by_state import asked_by_state, by_state
from fin_tui.records import Block, BlockKind, Cell, Column, Table
from tests.unit.engine.made import filing
from tests.unit.engine.structures.made import Chunks, Library, asked

STATES = ("Alabama", "Alaska", "Arizona", "Arkansas", "California", "Colorado", "Delaware", "Florida")
NUMBERS = (4, 9, 1, 2, 7, 3, 5, 8)


def _rows(total: str = "39", label: str = "Total") -> list[str]:
    """Two states in a row, the total under the second."""
    told = [f"{state}|{number}" for state, number in zip(STATES, NUMBERS, strict=True)]
    return [*("|".join(pair) for pair in zip(told[::2], told[1::2], strict=True)), f"||{label}|{total}"]


def _told(rows: list[str], *headers: str, thing: str = "store") -> StructureAnswer | None:
    body = "\n".join(rows)
    return by_state(FilingReader(Library(body, (), (_block(rows, headers),)), Chunks(body)), filing(), thing)


def _block(rows: list[str], headers: Sequence[str], start: int = 0) -> Block:
    cells, begin = [], start
    for number, row in enumerate(rows):
        begins = itertools.accumulate((len(text) + 1 for text in row.split("|")[:-1]), initial=begin)
        parts = enumerate(zip(row.split("|"), begins, strict=True))
        cells.append(tuple(Cell(text, number, at, first, first + len(text)) for at, (text, first) in parts if text))
        begin += len(row) + 1
    columns = tuple(Column((name,) if name else ()) for name in headers)
    return Block(start, BlockKind.TABLE, start, begin, 1, table=Table(tuple(cells), 0, columns))


def test_the_states_with_most_lead_and_the_whole_table_follows() -> None:
    answer = _told(_rows(), "Stores as of May 1", "Stores", "Stores as of May 1", "Stores")
    assert answer is not None
    lead, whole = answer.sentences
    assert lead.text == (
        "Acme, stores by state, 10-K for FY2024: 39 in all; most in Alaska 9, Florida 8, California 7, Delaware 5, Alabama 4."
    )
    assert lead.citations == (1,)
    assert answer.passages[0].citation.quote.endswith("Florida|8\n||Total|39")
    assert whole.table is not None
    assert whole.table.header == ("State", "Stores")
    assert whole.table.rows[:2] == (("Alabama", "4"), ("Arizona", "1"))
    assert whole.table.rows[-1] == ("Total", "39")
    assert (answer.value, answer.unit) == (39.0, "count")


def test_columns_without_names_are_of_what_their_total_is_called() -> None:
    answer = _told(_rows(label="Total Domestic Stores"), "", "", "", "")
    assert answer is not None
    assert answer.sentences[0].text.startswith("Acme, domestic stores by state")
    assert _told(_rows(), "", "", "", "") is None


def test_what_does_not_come_to_its_total_or_is_of_something_else_is_no_answer() -> None:
    headers = ("State", "Stores", "State", "Stores")
    assert _told(_rows("40"), *headers) is None
    assert _told(_rows(), "State", "Offices", "State", "Offices") is None
    assert _told(_rows()[:2], *headers) is None
    assert _told([*_rows()[:-1], "Ohio|1|Alaska|9", "||Total|49"], *headers) is None  # A state that stands there twice.


def _by_kind(sum_of_last: str = "12") -> tuple[str, ...]:
    rows = [f"{state}|{number}|4|{number + 4}" for state, number in zip(STATES[:-1], NUMBERS[:-1], strict=True)]
    return (*rows, f"{STATES[-1]}|{NUMBERS[-1]}|4|{sum_of_last}", "U.S. total|39|32|71")


_KINDS = ("State", "Discount Stores", "Clubs", "Grand Total")


def test_things_of_several_kinds_are_told_by_their_sum_with_every_kind() -> None:
    answer = _told(list(_by_kind()), *_KINDS)
    assert answer is not None
    lead, whole = answer.sentences
    assert lead.text.startswith("Acme, discount stores and clubs by state, 10-K for FY2024: 71 in all; most in Alaska 13,")
    assert whole.table is not None
    assert whole.table.header == ("State", "Discount Stores", "Clubs", "Total")
    assert (whole.table.rows[0], whole.table.rows[-1]) == (("Alabama", "4", "4", "8"), ("U.S. total", "39", "32", "71"))
    assert answer.value == 71.0


def test_a_kind_with_a_column_of_its_own_and_rows_that_do_not_add_up_are_told_otherwise() -> None:
    clubs = _told(list(_by_kind()), *_KINDS, thing="club")
    assert clubs is not None
    assert clubs.sentences[0].text.startswith("Acme, clubs by state, 10-K for FY2024: 32 in all")
    wrong = _told(list(_by_kind("13")), *_KINDS)
    assert wrong is None or wrong.value == 39.0


def test_a_table_goes_on_behind_a_page_without_its_header() -> None:
    rows, blocks, begin = list(_by_kind()), [], 0
    body = "\n".join(rows)
    for part, headers in ((rows[:4], _KINDS), (rows[4:], ("",) * len(_KINDS))):
        blocks.append(_block(part, headers, begin))
        begin += sum(map(len, part)) + len(part)
    answer = by_state(FilingReader(Library(body, (), tuple(blocks)), Chunks(body)), filing(), "store")
    assert answer is not None
    assert answer.value == 71.0


@pytest.mark.parametrize(
    ("target", "others", "thing"),
    [
        ("stores", {"left": ("states", "most")}, "store"),
        ("stores by state", {"answer": "text"}, "store"),
        ("states", {}, ""),
        ("state taxes paid", {}, ""),
        ("stores", {}, ""),
        ("stores by state", {"refusal": "advice"}, ""),
    ],
)
def test_states_and_one_thing_more_are_asked_for(target: str, others: dict[str, object], thing: str) -> None:
    assert asked_by_state(asked(target, **others)) == thing  # type: ignore[arg-type]


def test_a_figure_of_one_state_is_no_table() -> None:
    frame = asked("stores by state")
    assert asked_by_state(replace(frame, sure={**frame.sure, "figure": 0.9})) == ""
    assert asked_by_state(None) == ""
