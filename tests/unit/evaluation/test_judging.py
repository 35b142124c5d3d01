"""What a judge is given of an answer, and how the grades come back."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from fin_tui.engine.answering.events import EvidenceReady
from fin_tui.errors import UsageError
from fin_tui.evaluation import case, graded, read_grades
from fin_tui.records import Answer, Citation, Refusal, TableRecord
from tests.unit.evaluation.made import row, rows, scored

CITED = Citation(
    id=3, chunk_id="c", filing="f", file="acme.htm", company="Acme Corp.", ticker=None, cik=None, form="10-K", fiscal_year=2024,
    period_end="2024-09-28", item="7", heading="Sales", page=31, page_label="29", quote="Sales were $4.", start=0, end=14,
    url=None, reference="Acme",
)  # fmt: skip
TABLE: TableRecord = {"columns": ["2023", "2024"], "rows": [{"label": "Sales", "cells": [{"display": None}, {"display": "$4"}]}]}


def test_a_judge_sees_question_gold_and_what_the_user_sees(tmp_path: Path) -> None:
    asked = row(tmp_path, id="q", kind="number", value=4, unit="usd", working="4 = 2 + 2", evidence=["Sales were $4."], secret=1)
    answer = Answer("?", "answered", "Sales were $4. [3]", value=4.0, unit="usd", citations=(CITED,), table=TABLE)
    made = case("set.jsonl", asked, answer, [EvidenceReady("", (), (), notes=("No vectors yet.",))], "Evidence: $4")
    assert (made["id"], made["kind"], made["earlier"]) == ("q", "number", [])
    assert made["gold"] == {"value": 4, "unit": "usd", "working": "4 = 2 + 2", "evidence": ["Sales were $4."]}
    seen = made["seen"]
    assert (seen["printed"], seen["answer"], seen["value"], seen["unit"]) == ("Evidence: $4", "Sales were $4. [3]", 4.0, "usd")
    assert seen["table"] == " | 2023 | 2024\nSales | – | $4"
    assert seen["notes"] == ["No vectors yet."]
    assert seen["cited"][0]["page"] == "29"
    assert seen["cited"][0]["quote"] == "Sales were $4."


def test_a_turn_comes_with_the_turns_before_it_and_a_refusal_with_its_message(tmp_path: Path) -> None:
    turns = [{"kind": "number", "question": "Sales?", "value": 4}, {"kind": "yesno", "question": "More?", "answer": "no"}]
    _, second = rows(tmp_path, {"id": "d", "kind": "dialogue", "turns": turns})
    refusal = Refusal("not_disclosed", "Not found.")
    made = case("set.jsonl", second, Answer("?", "refused", "Not found.", refusal=refusal), [], "No answer")
    assert (made["id"], made["kind"], made["earlier"], made["gold"]) == ("d#2", "yesno", ["Sales?"], {"answer": "no"})
    assert made["seen"]["refusal"] == {"kind": "not_disclosed", "message": "Not found."}


def grades(folder: Path, *lines: object) -> Path:
    file = folder / "grades.jsonl"
    file.write_text("\n\n".join(line if isinstance(line, str) else json.dumps(line) for line in lines))
    return file


def test_grades_become_measures_of_their_questions(tmp_path: Path) -> None:
    file = grades(
        tmp_path,
        {"id": "a", "grade": 2, "misleads": False, "note": "fine"},
        {"id": "b", "grade": 1, "misleads": True},
        {"id": "gone", "grade": 0, "misleads": False},
    )
    found = graded({"s": [scored("a"), scored("b")], "t": [scored("c")]}, read_grades(file))
    assert [row.measures.get("full") for row in (*found["s"], *found["t"])] == [1.0, 0.0, None]
    assert [row.measures.get("misleads") for row in found["s"]] == [0.0, 1.0]
    assert found["s"][0].measures["answered"] == 1.0
    with pytest.raises(UsageError):
        graded({"t": [scored("c")]}, read_grades(file))


@pytest.mark.parametrize(
    "line",
    [
        {"id": "a", "grade": 3, "misleads": False},
        {"id": "a", "grade": 2},
        {"id": "a", "grade": 2, "misleads": "no"},
        "not json",
    ],
)
def test_a_line_that_is_no_grade_is_named(tmp_path: Path, line: object) -> None:
    with pytest.raises(UsageError, match="line 3"):
        read_grades(grades(tmp_path, {"id": "b", "grade": 0, "misleads": True}, line))


def test_two_grades_for_one_answer_are_refused(tmp_path: Path) -> None:
    one = {"id": "b", "grade": 0, "misleads": True}
    with pytest.raises(UsageError, match="twice"):
        read_grades(grades(tmp_path, one, one))
    with pytest.raises(UsageError):
        read_grades(tmp_path / "missing.jsonl")
