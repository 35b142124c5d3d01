from __future__ import annotations

import datetime as dt
from dataclasses import replace

import pytest

from fin_tui.engine.questions.question import read_question
from fin_tui.engine.structures import FilingReader, StructureAnswer
from fin_tui.engine.structures.lists import list_answer
from fin_tui.records import Block, BlockKind, Cell, Column, Fact, Table
from tests.unit.engine.made import filing
from tests.unit.engine.structures.made import Chunks, Library, blocks

ACME = filing()
START, END = dt.date(2024, 1, 1), dt.date(2024, 12, 31)
REVENUE = "us-gaap:Revenues"
AXIS = "us-gaap:StatementBusinessSegmentsAxis"


def ask(question: str, body: str, library: Library | None = None) -> StructureAnswer | None:
    return list_answer(read_question(question, (ACME,)), FilingReader(library or Library(body), Chunks(body)), ACME)


def told(answer: StructureAnswer | None) -> list[str]:
    assert answer is not None
    return [sentence.text for sentence in answer.sentences]


def test_the_sentence_that_enumerates_what_is_made() -> None:
    body = (
        "We produced 18 rockets and delivered 17 rockets. We build three different rockets – the Moon 1, 2 and Comet. "
        "Owners of rockets include states, towns and farmers."
    )
    answer = ask("What types of rockets does Acme produce and deliver?", body)
    assert told(answer) == [
        "We build three different rockets – the Moon 1, 2 and Comet.",
        "It names 3:",
        "1. Moon 1",
        "2. Moon 2",
        "3. Comet",
    ]
    assert answer is not None
    assert all(sentence.citations == (1,) for sentence in answer.sentences if sentence.support == "grounded")


def test_a_list_that_does_not_add_up_is_none() -> None:
    body = "We have four segments: North, South and East, which is new."
    assert ask("List Acme's segments", body) is None


def test_bullets_are_cited_each() -> None:
    body = "Our current competitors include:\n• makers of rockets; and\n• makers of pads.\nMore text."
    answer = ask("Who are Acme's competitors?", body)
    assert told(answer)[1:] == ["It names 2:", "1. makers of rockets; and", "2. makers of pads."]
    assert answer is not None
    assert [passage.citation.quote for passage in answer.passages][1:] == ["makers of rockets; and", "makers of pads."]


@pytest.mark.parametrize(
    "body",
    [
        "The price of our products includes taxes, duties and tips.",
        "We compete with the products of others such as Globex, Initech and Hooli.",
        "These products include nuts, bolts and screws.",
        "The products are risky, heavy and slow.",
        "We like our products.",
        "Products for small farms include seeds, spades and rakes.",
        "Our finished product operations consist of bottling, sales and shipping.",
        "We consider the mix and use of our operating products, including results, taxes and tips.",
    ],
)
def test_lists_of_something_else_are_no_answer(body: str) -> None:
    assert ask("What products does Acme sell?", body) is None


@pytest.mark.parametrize("question", ["What factors does Acme consider?", "Why does Acme list rockets?", "What was its revenue?"])
def test_questions_that_want_no_list(question: str) -> None:
    assert ask(question, "We consider three factors: cost, time and luck.") is None


def test_headings_below_the_heading_of_that_name() -> None:
    body = "# Item 1. Business\n## Products\n### Rockets\nBig.\n### Pads\nFlat.\n## Competition\n### Foes"
    answer = ask("What products does Acme offer?", body)
    assert told(answer) == ["Acme Corp.'s 10-K for FY2024 has 2 headings under “products”:", "1. Rockets", "2. Pads"]


def _fact(body: str, name: str, member: str, **other: str) -> Fact:
    at = body.index(name)
    line = body[at:].split("\n")[0]
    return Fact(
        REVENUE, name, 5.0, "5", "usd", START, END, {AXIS: member, **other},
        start=at + len(line) - 1, end=at + len(line), block=1,
    )  # fmt: skip


def test_tagged_segments_in_order_without_totals() -> None:
    body = "Sales\nRocket Launch\t5\nPads\t4\nTotal\t9"
    library = Library(body)
    library.facts = (
        _fact(body, "Rocket Launch", "acme:RocketLaunchSegmentMember"),
        _fact(body, "Pads", "acme:PadsMember"),
        _fact(body, "Total", "acme:TotalSegmentsMember"),
        replace(_fact(body, "Pads", "acme:OldMember"), period_end=dt.date(2023, 12, 31)),
    )
    answer = ask("What are Acme's reportable segments?", body, library)
    assert told(answer)[1:] == ["1. Rocket Launch", "2. Pads"]
    assert "2 segments" in told(answer)[0]
    assert answer is not None
    assert [passage.citation.quote for passage in answer.passages] == ["Rocket Launch\t5", "Pads\t4"]


def test_rows_of_the_table_under_the_heading() -> None:
    body = "# Executive Officers of the Registrant\nName\tAge\nAda\t36\nBob\t40\n"
    heading = blocks(body)[0]
    rows = []
    for number, line in enumerate(body.split("\n")[1:4]):
        at = body.index(line)
        name, age = line.split("\t")
        rows.append((Cell(name, number, 0, at, at + len(name)), Cell(age, number, 1, at + len(name) + 1, at + len(line))))
    table = Block(
        1, BlockKind.TABLE, rows[0][0].start, rows[-1][-1].end, 1, table=Table(tuple(rows), 1, (Column(()), Column(())))
    )
    answer = ask("Who are Acme's executive officers?", body, Library(body, blocks=(heading, table)))
    assert told(answer)[1:] == ["1. Ada · 36", "2. Bob · 40"]


OFFICERS = (
    "## Executive Officers of the Registrant\n"
    "Pursuant to General Instruction G(3) of Form 10-K, the following officers serve.\n"
    "Jane Doe, 50, has served as Chief Executive Officer since 2020. She came from Globex.\n"
    "John “Jack” Roe, 61, has served as General Counsel since 2019.\n"
    "Ann de Vries, 44, has served as Controller since 2022.\n"
    "There are no family relationships, as defined, among them."
)


@pytest.mark.parametrize("question", ["Who are Acme's executive officers?", "List Acme's executive officers as of November 2024"])
def test_paragraphs_that_begin_with_a_name_are_a_list(question: str) -> None:
    assert told(ask(question, OFFICERS))[1:] == [
        "1. Jane Doe, 50, has served as Chief Executive Officer since 2020.",
        "2. John “Jack” Roe, 61, has served as General Counsel since 2019.",
        "3. Ann de Vries, 44, has served as Controller since 2022.",
    ]
