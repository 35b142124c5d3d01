"""Text can't become markup, and nothing is escaped that needs no escape."""

from __future__ import annotations

from typing import Any

import pytest

from fin_tui.engine.exports import Page, Part, Run, of_conversation, of_notebook
from fin_tui.engine.exports.file import html, markdown, safe_cell
from fin_tui.engine.figures.shown import Cell, Grid
from fin_tui.records import Answer, CalculationInput, CalculationRecord, FactRecord, Saved, TableCell, TableRecord
from fin_tui.store.kept import Conversation, NotebookEntry, Turn


@pytest.mark.parametrize(
    ("text", "written"),
    [
        ("10.4 points above", "10.4 points above"),
        ("-5.0% and ~5%", "-5.0% and ~5%"),
        ("us-gaap:Net_Income", "us-gaap:Net_Income"),
        ("$(18.36), a < b, p. 3]", "$(18.36), a < b, p. 3]"),
        ("1. item", "1\\. item"),
        ("- item", "\\- item"),
        ("# head", "\\# head"),
        ("> quote", "\\> quote"),
        ("---", "\\---"),
        ("= 220,911 / 387,508", "= 220,911 / 387,508"),
        ("=", "\\="),
        ("_low_ and *bold*", "\\_low\\_ and \\*bold\\*"),
        ("~~gone~~ <b>x</b>", "\\~\\~gone\\~\\~ \\<b>x\\</b>"),
        ("[x](y) `z` a|b", "\\[x](y) \\`z\\` a\\|b"),
    ],
)
def test_only_markup_is_escaped(text: str, written: str) -> None:
    page = Page("Notebook", (Part("answer", "Who?", (Run(text),)),), (), {})
    assert markdown(page).split("\n\n")[2].strip() == written


def test_rows_of_a_filing_are_a_table_between_the_sentences() -> None:
    rows = Grid(("In millions", "2024"), ((Cell("Tin | works"), Cell("$60")),))
    runs = (Run("Before."), Run("What plants cost", (1,), grid=rows), Run("Behind."))
    page = Page("Notebook", (Part("answer", "Who?", runs),), (), {})
    assert markdown(page).split("\n\n")[2:6] == [
        "Before.", "What plants cost[^1]", "| In millions | 2024 |\n| --- | ---: |\n| Tin \\| works | $60 |", "Behind.\n",
    ]  # fmt: skip
    assert "<p>Before.</p>\n<p>What plants cost<sup>" in html(page)
    assert "<td>$60</td></tr></tbody></table>\n<p>Behind.</p>" in html(page)


def test_a_note_on_a_gap_has_one_bullet() -> None:
    grid = Grid(("", "FY2024"), ((Cell("Acme"), Cell("–")),), ("– Acme, FY2024: no filing",))
    page = Page("Notebook", (Part("answer", "Who?", grid=grid, lines=("a / b", "= 1 / 2")),), (), {})
    assert markdown(page).endswith("- a / b\n- = 1 / 2\n- Acme, FY2024: no filing\n")
    assert "<li>Acme, FY2024: no filing</li>" in html(page)


def test_a_figure_that_the_table_repeats_has_one_row_of_the_sheet() -> None:
    fact: FactRecord = {"label": "Net sales", "value": 5.0, "unit": "usd", "citation": None}
    cells: list[TableCell] = [{"value": 5.0, "unit": "usd", "fact": 0}, {"value": 25.0, "unit": "%", "fact": 0}]
    table: TableRecord = {"columns": ["FY2024", "growth"], "rows": [{"label": "revenue", "cells": cells}]}
    answer = Answer("Who?", "answered", "So.", facts=(fact,), table=table)
    talk = Conversation("c1", "Talk", "2026-01-01", "2026-01-01", 1)
    made = of_conversation(talk, [Turn(1, "Who?", answer, {}, "2026-01-01")])
    assert [row["value"] for row in made.figures] == [5.0, 25.0]


def test_what_is_not_surely_the_answer_says_so_on_paper_too() -> None:
    answer = Answer("Who?", "answered", "So.", caution="No exact figure found; closest passages below.")
    talk = Conversation("c1", "Talk", "2026-01-01", "2026-01-01", 1)
    made = of_conversation(talk, [Turn(1, "Who?", answer, {}, "2026-01-01")])
    assert "closest passages below. So." in markdown(made)
    assert "closest passages below." in html(made)


def test_what_is_noted_of_an_answer_stands_on_paper_too() -> None:
    answer = Answer("Who?", "answered", "So.", notes=("Not in the library: Acme FY2011.",))
    talk = Conversation("c1", "Talk", "2026-01-01", "2026-01-01", 1)
    made = of_conversation(talk, [Turn(1, "Who?", answer, {}, "2026-01-01")])
    assert "- Note: Not in the library: Acme FY2011." in markdown(made)
    assert "Note: Not in the library: Acme FY2011." in html(made)


@pytest.mark.parametrize(
    ("titles", "title"), [((), "Notebook"), (("Acme's revenue FY2024",), "Notebook: Acme's revenue FY2024"),
                          (("Acme's revenue FY2024", "Who?"), "Notebook: Acme's revenue FY2024 and 1 more")],
)  # fmt: skip
def test_a_notebook_is_called_by_its_first_entry(titles: tuple[str, ...], title: str) -> None:
    entries = [NotebookEntry(at, "", Saved("answer", one), "2026-01-01") for at, one in enumerate(titles)]
    assert of_notebook(entries, {}).title == title


@pytest.mark.parametrize(("start", "told"), [("2022-01-01", "2022-01-01"), (None, None)])
def test_what_was_computed_is_of_the_time_of_its_figures(start: str | None, told: str | None) -> None:
    later: FactRecord = {"value": 6.0, "period_start": "2023-01-01", "period_end": "2023-12-31"}
    earlier: FactRecord = {"value": 4.0, "period_start": start, "period_end": "2022-12-31"}
    inputs: dict[str, CalculationInput] = {
        "a": {"fact": 0, "period_end": "2023-12-31"},
        "b": {"fact": 1, "period_end": "2022-12-31"},
    }
    made: CalculationRecord = {
        "expression": "a / b", "inputs": inputs, "substituted": "6 / 4", "result": 1.5, "unit": "ratio", "display": "1.5",
    }  # fmt: skip
    talk = Conversation("c1", "Talk", "2026-01-01", "2026-01-01", 1)
    page = of_conversation(
        talk, [Turn(1, "Who?", Answer("Who?", "answered", "So.", facts=(later, earlier), calculation=made), {}, "2026-01-01")]
    )
    computed = page.figures[-1]
    assert (computed["source"], computed["period_start"], computed["period_end"]) == ("computed", told, "2023-12-31")


def test_lists_stand_item_by_item() -> None:
    runs = (
        Run("Two follow.", opens="paragraph"), Run("1. Tin", (1,), opens="line"), Run("2. Steel", opens="line"),
        Run("• Iron", opens="line"), Run("It rusts."), Run("A new one.", opens="paragraph"), Run("1. alone"),
    )  # fmt: skip
    page = Page("Notebook", (Part("answer", "Who?", runs),), (), {})
    assert markdown(page).split("\n\n")[2:4] == ["Two follow.\n1. Tin[^1]\n2. Steel\n- Iron It rusts.", "A new one. 1\\. alone\n"]
    assert "<p>Two follow.<br>1. Tin<sup>" in html(page)


@pytest.mark.parametrize(
    ("value", "cell"),
    [
        (None, ""),
        (391_035_000_000.0, "391035000000"),
        (1_234_567_890_123.45, "1234567890123.45"),
        (0.1 + 0.2, "0.3"),
        (-2.4, "-2.4"),
        (32, "32"),
        ("-2.4", "'-2.4"),
        ("=1+1", "'=1+1"),
        ("\x1b=1+1", "'=1+1"),
        ("Net\nsales", "Net sales"),
        ({"us-gaap:ProductAxis": "ex:WidgetsMember"}, "us-gaap:ProductAxis=ex:WidgetsMember"),
    ],
)
def test_a_cell_is_a_number_or_text_that_is_no_formula(value: Any, cell: str) -> None:
    assert safe_cell(value) == cell
