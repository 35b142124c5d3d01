"""Sets of our own form and FinQA's files become rows."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from fin_tui.errors import UsageError
from fin_tui.evaluation.run import only_program
from fin_tui.evaluation.sets import load
from tests.unit.evaluation.made import row, rows

TABLE = [["", "2019", "2018"], ["net sales", "5829", "5735"]]


def array(folder: Path, *entries: dict[str, Any]) -> Path:
    file = folder / "public.json"
    file.write_text(" \n" + json.dumps(entries), encoding="utf-8")
    return file


def test_a_row_keeps_its_gold_and_a_name(tmp_path: Path) -> None:
    read = row(tmp_path, value=3, accept=[4], evidence=["one", {"text": "two", "page": 5}], refusal="advice", inputs=[1, 2])
    assert (read.line.id, read.value, read.accept, read.refusal, read.inputs) == ("set:1", 3.0, (4.0,), ("advice",), (1.0, 2.0))
    assert [(gold.text, gold.page) for gold in read.evidence] == [("one", None), ("two", 5)]
    assert not read.is_open
    assert row(tmp_path).is_open
    assert not row(tmp_path, expect="answered").is_open


def test_gold_that_can_not_be_read_names_file_and_question(tmp_path: Path) -> None:
    with pytest.raises(UsageError, match=r"set\.jsonl, question 1"):
        row(tmp_path, value="many")
    with pytest.raises(UsageError, match=r"set\.jsonl, question 1"):
        row(tmp_path, evidence=[{"page": 3}])


def test_finqa(tmp_path: Path) -> None:
    program = "subtract(5829, 5735), divide(#0, 5735)"
    qa = {"question": "What was the growth?", "program": program, "exe_ans": 0.01639}
    (read,) = load(array(tmp_path, {"id": "ADI/2009/page_49.pdf-1", "table": TABLE, "qa": qa}))
    assert (read.line.id, read.kind, read.asked) == ("ADI/2009/page_49.pdf-1", "finqa", False)
    found = only_program(read)
    assert (found.outcome, found.program, found.measures) == ("right", "0.01639", {"program": 1.0})


def test_convfinqa_by_turn_and_by_conversation(tmp_path: Path) -> None:
    turn = {"cur_dial": ["Sales in 2019?", "And the largest?"], "cur_program": "table_max(net sales, none)", "exe_ans": 5829.0}
    whole = {
        "dialogue_break": ["Sales in 2019?", "More than in 2018?"],
        "turn_program": ["5829", "greater(5829, 5735)"],
        "exe_ans_list": [5829.0, "yes"],
    }
    entries = [{"id": "one", "table": TABLE, "annotation": turn}, {"id": "two", "table": TABLE, "annotation": whole}]
    read = load(array(tmp_path, *entries))
    assert [one.line.id for one in read] == ["one", "two#1", "two#2"]
    assert read[0].line.history == read[2].line.history == ("Sales in 2019?",)
    assert [only_program(one).outcome for one in read] == ["right"] * 3


def test_an_entry_without_a_program_is_refused(tmp_path: Path) -> None:
    with pytest.raises(UsageError, match=r"public\.json, entry 1"):
        load(array(tmp_path, {"id": "x", "table": TABLE}))


def test_natural_rows_have_items_a_verdict_several_files_and_refusals(tmp_path: Path) -> None:
    listed = row(tmp_path, kind="list", answer=["Canon", "Sony"], filing=["a.htm", "b.pdf"])
    assert (listed.items, listed.answer) == (("Canon", "Sony"), "Canon; Sony")
    assert (listed.filings, listed.filing) == (("a.htm", "b.pdf"), "a.htm")
    assert row(tmp_path, kind="yesno", answer="No, it fell.").verdict is False
    assert row(tmp_path, kind="words", answer="No.").verdict is None
    with pytest.raises(UsageError, match=r"set\.jsonl, question 1"):
        row(tmp_path, kind="yesno", answer="perhaps")
    refused = row(tmp_path, kind="refuse", reason="advice", filing=[])
    assert (refused.expect, refused.filing, refused.is_open) == ("refused", "", False)


def test_a_turn_knows_its_place_and_has_keys_of_its_own(tmp_path: Path) -> None:
    turns = [{"kind": "number", "question": "Sales?", "value": 4}, {"kind": "words", "question": "Why?", "filing": ["b.htm"]}]
    first, second = rows(tmp_path, {"id": "d", "kind": "dialogue", "filing": ["a.htm"], "turns": turns})
    assert (first.line.turn, first.kind, first.filing) == (1, "number", "a.htm")
    assert (second.line.turn, second.kind, second.filing, second.line.history) == (2, "words", "b.htm", ("Sales?",))
    assert row(tmp_path).line.turn == 0
