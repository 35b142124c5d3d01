"""Counts in tables, over a filing that the test writes."""

from __future__ import annotations

import datetime as dt
from dataclasses import replace

import pytest

from fin_tui.engine.questions.question import read_question
from fin_tui.engine.structures import FilingReader, StructureAnswer
from fin_tui.engine.structures.lists import counts
from fin_tui.filings.html import read_html
from fin_tui.filings.tables import complete_tables
from fin_tui.records import Document
from tests.unit.engine.made import filing
from tests.unit.engine.structures.made import Chunks, Library

ACME = replace(filing("Acme Corp.", 2024), period_end=dt.date(2024, 12, 31))


class Held(Library):
    """A library of one document that was read from HTML."""

    read: Document

    def document(self, filing_id: str) -> Document:
        return self.read


def table(*rows: tuple[str, ...]) -> str:
    cells = ("".join(f"<td>{cell}</td>" for cell in row) for row in rows)
    return "<table>" + "".join(f"<tr>{row}</tr>" for row in cells) + "</table>"


def ask(question: str, *tables: str) -> StructureAnswer | None:
    document = complete_tables(
        read_html(f"<html><body><p>Our shops are fine places.</p>{'<p>-</p>'.join(tables)}</body></html>".encode())
    )
    library = Held(document.text)
    library.read = document
    return counts(read_question(question, (ACME,)), FilingReader(library, Chunks(document.text)), ACME)


BY_YEAR = table(
    ("", "December 31, 2024", "December 31, 2023"),
    ("Beginning store count", "1,956", "1,948"),
    ("Opened", "30", "10"),
    ("Ending store count", "1,978", "1,956"),
)
BY_STATE = table(
    ("State", "Stores", "Retail Square Feet"), ("Ohio", "40", "4,000"), ("Texas", "60", "6,000"), ("Total", "100", "10,000")
)
IN_THOUSANDS = BY_STATE.replace("<td>State<", "<td>(in thousands)<")
PARTS = table(("", "Stores"), ("Total domestic stores", "997"), ("Total international stores", "241"))


@pytest.mark.parametrize(
    ("question", "tables", "value"),
    [
        ("How many stores does Acme operate?", (BY_YEAR,), 1978),
        ("How many stores did Acme have at the end of 2023?", (BY_YEAR,), 1956),
        ("What was the number of stores of Acme in 2024?", (BY_YEAR,), 1978),
        ("How many stores does Acme have?", (BY_STATE,), 100),
        ("How many stores does Acme have?", (BY_STATE, BY_YEAR), 1978),
        ("How many domestic stores does Acme have?", (PARTS,), 997),
        ("How many stores did Acme have in December 2024?", (BY_STATE,), 100),
    ],
)
def test_the_whole_at_the_end_of_the_year(question: str, tables: tuple[str, ...], value: int) -> None:
    answer = ask(question, *tables)
    assert answer is not None
    assert (answer.value, answer.unit) == (value, "count")
    assert f"{value:,}" in answer.passages[0].citation.quote
    assert (", at 2023-12-31: " if "2023" in question else ", at 2024-12-31: ") in answer.sentences[0].text


@pytest.mark.parametrize(
    ("question", "tables"),
    [
        ("How many stores does Acme have?", (PARTS,)),
        ("How many stores does Acme have?", (IN_THOUSANDS,)),
        ("How many offices does Acme have?", (BY_STATE,)),
        ("How many stores does Acme have?", (BY_STATE, BY_STATE.replace(">100<", ">101<"))),
        ("How many stores did Acme have at the end of 2021?", (BY_YEAR,)),
        ("How many stores did Acme have at the end of 2023?", (BY_STATE,)),
    ],
)
def test_parts_other_things_and_two_readings_are_no_count(question: str, tables: tuple[str, ...]) -> None:
    answer = ask(question, *tables)
    assert answer is None or answer.value is None
