"""Answers as a table, in one sentence, as points; and what stays as it was."""

from __future__ import annotations

from dataclasses import replace

from fin_tui.engine.answering.compose import CAN_BE, NO_TABLE, WHOLE_LIST, reshaped
from fin_tui.engine.figures.shown import Figures
from fin_tui.records import QuotedTable, Sentence
from tests.unit.engine.figures.book import ask

PROSE = (
    Sentence("Our mill burned down.", (1,), "grounded", opens="paragraph"),
    Sentence("The fire cost us 12 looms for these reasons:", (1,), "grounded"),
    Sentence("• they were wooden; and", (1,), "grounded", opens="line"),
    Sentence("• they were dry.", (1,), "grounded", opens="line"),
    Sentence("We rebuilt it.", (2,), "grounded", opens="paragraph"),
)


def test_a_single_figure_becomes_a_table_of_its_year() -> None:
    answer = ask("What was Acme's revenue in fiscal 2024?")
    (told, figures), note = reshaped("table", answer.sentences, answer)
    assert (told, note) == (answer.sentences, "")
    assert figures is not None
    grid = Figures(figures.facts, figures.calculation, figures.table).grid([one.citation for one in figures.passages])
    assert grid.header == ("Acme Corp., $ million", "FY2024")
    assert [[cell.text for cell in row] for row in grid.rows] == [["period end", "2024-12-31"], ["revenue", "120"]]
    assert grid.rows[1][1].citation == 1


def test_a_computed_figure_stands_under_what_it_is_computed_from() -> None:
    answer = ask("How much did Acme's revenue change from 2023 to 2024?")
    (_, figures), _ = reshaped("table", answer.sentences, answer)
    assert figures is not None
    assert figures.table is not None
    assert figures.table["columns"] == ["FY2023", "FY2024"]
    shown = {row["label"]: [cell["display"] for cell in row["cells"]] for row in figures.table["rows"]}
    assert shown == {"revenue": ["$100 million", "$120 million"], "change in revenue": [None, "$20 million"]}


def test_a_table_that_is_there_stays_and_words_beside_it_go() -> None:
    answer = ask("What was Acme's revenue in 2023 and 2024?")
    assert answer.table is not None
    (told, figures), _ = reshaped("table", (*answer.sentences, *PROSE), answer)
    assert told == answer.sentences
    assert figures is not None
    assert figures.table == answer.table


def test_of_prose_only_quoted_tables_are_one() -> None:
    quoted = replace(PROSE[0], table=QuotedTable("Looms", ("", "2025"), (("Total", "12"),)))
    assert reshaped("table", (*PROSE, quoted), None) == (((quoted,), None), "")
    assert reshaped("table", PROSE, None) == ((PROSE, None), NO_TABLE)


def test_in_one_sentence_the_result_stands_alone() -> None:
    answer = ask("What was Acme's revenue in 2023 and 2024?")
    (told, figures), _ = reshaped("sentence", answer.sentences, answer)
    assert told == answer.sentences[:1]
    assert figures is not None
    assert not Figures(figures.facts, figures.calculation, figures.table)
    assert figures.value == answer.value


def test_of_prose_the_first_sentence_with_the_points_that_it_opens() -> None:
    (told, _), note = reshaped("sentence", PROSE, None)
    assert (told, note) == (PROSE[:1], "")
    (opened, _), _ = reshaped("sentence", PROSE[1:], None)
    assert opened == PROSE[1:4]
    (stray, _), _ = reshaped("sentence", PROSE[3:], None)
    assert stray == PROSE[4:]


def test_points_are_a_line_each_and_lists_stay_whole() -> None:
    (told, _), _ = reshaped("points", PROSE, None)
    assert [one.text for one in told][:3] == [
        "• Our mill burned down.",
        "• The fire cost us 12 looms for these reasons:",
        PROSE[2].text,
    ]
    assert {one.opens for one in told} == {"line"}
    assert reshaped("sentence", PROSE, None, is_list=True) == ((PROSE, None), WHOLE_LIST)


def test_what_no_answer_can_be_is_said() -> None:
    assert reshaped("same", PROSE, None) == ((PROSE, None), CAN_BE)
