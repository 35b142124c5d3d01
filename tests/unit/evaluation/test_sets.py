"""Sets of our own form and FinQA's files become rows."""

from __future__ import annotations

import json
from collections.abc import Callable
from dataclasses import replace
from fractions import Fraction as F
from pathlib import Path
from typing import Any

import pytest

from fin_tui.assets import load_catalogue
from fin_tui.errors import UsageError
from fin_tui.evaluation import only_program
from fin_tui.evaluation.sets import (
    Row,
    citation_precision,
    citation_recall,
    load,
    named_items,
    plain,
    read_part,
    token_f1,
    tokens,
    yes_or_no,
)
from tests.conftest import CHECKOUT
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


NONE: frozenset[int] = frozenset()
A, B = frozenset([0]), frozenset([1])


def test_markers_and_warning_signs_are_no_words() -> None:
    assert plain("Sales rose [1], [2, 3]. It rained ⚠") == "Sales rose,. It rained"
    assert plain("Sales rose [12].") == "Sales rose."


def test_tokens_keep_numbers_whole() -> None:
    assert tokens("The $391,035 million, 2.5%.") == ["391035", "million", "2.5"]


def test_f1_by_hand() -> None:
    # 3 shared tokens of 4 said and 5 wanted: P = 3/4, R = 3/5, F1 = 2/3.
    assert token_f1("Net sales rose sharply [1]", "net sales rose by 2%") == pytest.approx(2 / 3)


def test_f1_counts_repeated_tokens_once_each() -> None:
    # "up" is said three times and wanted once: P = 1/3, R = 1.
    assert token_f1("up up up", "up") == pytest.approx(0.5)
    assert token_f1("down", "up") == 0.0
    assert token_f1("The", "") == 1.0


def test_precision_is_the_share_of_citations_that_are_gold() -> None:
    assert citation_precision([A, NONE, B, NONE]) == 0.5
    assert citation_precision([]) is None


def test_recall_is_the_share_of_gold_that_is_cited() -> None:
    assert citation_recall([A, A, NONE], 2, lenient=False) == 0.5
    assert citation_recall([A, A, NONE], 2, lenient=True) == 1.0
    assert citation_recall([], 2, lenient=True) == 0.0
    assert citation_recall([A], 0, lenient=False) is None


def test_an_item_is_named_by_most_of_its_words_in_order() -> None:
    said = "Plants: Megafactory Shanghai and Gigafactory Berlin; led by Daniel C. McConeghy and Anu Rathninde. [1] H100, L40S."
    for item in (
        "Megafactory Shanghai",
        "megafactory shanghai (China)",
        'Daniel C. "Skip" McConeghy',
        "H100",
        "Anu Rathninde, CEO",
    ):
        assert named_items(said, [item]) == [True], item
    for item in ("Gigafactory Shanghai", "Megafactory Berlin Plants Shanghai Rathninde", "H200", "L40", "George Oliver"):
        assert named_items(said, [item]) == [False], item
    assert named_items("", ["Canon", "Sony"]) == [False, False]
    assert named_items("Canon Inc., Sony", ["Canon", "Sony", "Sharp"]) == [True, True, False]


@pytest.mark.parametrize(
    ("text", "verdict"),
    [
        ("Yes: it did. [1]", True),
        ("**Yes**, ", True),
        ("no", False),
        ("No.", False),
        ("No - sales fell", False),
        ("Nothing changed.", None),
        ("No figure was found.", None),
        ("It did, yes", None),
        ("", None),
    ],
)
def test_the_yes_or_no_that_a_text_begins_with(text: str, verdict: bool | None) -> None:
    assert yes_or_no(text) is verdict


SALES, RESEARCH = {2025: 416161, 2024: 391035, 2023: 383285}, {2025: 34550, 2024: 31370}
AMAZON, OPERATING = {2025: 716924, 2024: 637959, 2023: 574785}, {2025: 79975, 2023: 36852}
BY_HAND: dict[str, Callable[[], F | float | str]] = {
    "prog-01": lambda: F(SALES[2025], SALES[2024]) - 1,
    "prog-02": lambda: F(112010, SALES[2025]),
    "prog-03": lambda: F(sum(SALES.values()), 3),
    "prog-04": lambda: (SALES[2025] / SALES[2023]) ** 0.5 - 1,
    "prog-05": lambda: F(98767),
    "prog-06": lambda: F(9447),
    "prog-07": lambda: "yes",
    "prog-08": lambda: F(285508, 359241),
    "prog-09": lambda: F(77670, 59248) - 1,
    "prog-10": lambda: F(OPERATING[2025], AMAZON[2025]),
    "prog-11": lambda: F(360510),
    "prog-12": lambda: 100 * F(OPERATING[2025], AMAZON[2025]) - 100 * F(OPERATING[2023], AMAZON[2023]),
    "prog-13": lambda: F(sum(AMAZON.values())),
    "prog-14": lambda: -F(131819, 139514),
    "prog-15": lambda: F(104780, 106566) - 1,
    "prog-16": lambda: F(75511 * 2, 12304 + 12740),
    "prog-17": lambda: "no",
    "prog-18": lambda: F(-433),
    "prog-19#1": lambda: F(RESEARCH[2025]),
    "prog-19#2": lambda: F(RESEARCH[2024]),
    "prog-19#3": lambda: F(RESEARCH[2025], RESEARCH[2024]) - 1,
    "prog-19#4": lambda: F(RESEARCH[2025], SALES[2025]),
}  # fmt: skip


@pytest.fixture(scope="module")
def own() -> list[Row]:
    return load(CHECKOUT / "benchmarks" / "programs.jsonl")


def test_each_program_comes_to_what_is_worked_out_by_hand(own: list[Row]) -> None:
    assert [row.line.id for row in own] == list(BY_HAND)
    for one in own:
        wanted = BY_HAND[one.line.id or ""]()
        assert one.executed == (wanted if isinstance(wanted, str) else pytest.approx(float(wanted), abs=6e-6)), one.line.id
        assert only_program(one).outcome == "right", one.line.id


def test_values_are_the_same_result_in_the_units_of_an_answer(own: list[Row]) -> None:
    factors = {"%": 100, "usd": 1_000_000}
    valued = [one for one in own if one.value is not None]
    assert len(valued) >= 12
    for one in valued:
        wanted = BY_HAND[one.line.id or ""]()
        assert not isinstance(wanted, str)
        assert one.value == pytest.approx(float(wanted) * factors[one.unit], rel=1e-6, abs=1e-5), one.line.id


def test_a_wrong_result_is_noticed(own: list[Row]) -> None:
    assert only_program(replace(own[0], executed=0.0653)).outcome == "wrong"
    assert only_program(replace(own[0], program="divide(1, 0)")).why.startswith("The calculation divides by zero")


def test_every_figure_stands_in_its_sample_filing(own: list[Row]) -> None:
    folder = CHECKOUT / "data" / "samples"
    names = {file.name for file in load_catalogue().asset("sample-filings").files}
    assert {row.filing for row in own} <= names
    if not all((folder / name).is_file() for name in names):
        pytest.skip(reason=f"the sample filings are not in {folder}: run fin-tui setup")
    texts = {name: Path(folder / name).read_text(encoding="utf-8", errors="replace") for name in names}
    for one in own:
        figures = [cell.strip(" $()") for line in one.table[1:] for cell in line[1:]]
        assert figures
        for figure in figures:
            assert f">{figure}<" in texts[one.filing], (one.line.id, figure)


def test_a_part_has_its_questions_and_all_turns_of_its_conversations(tmp_path: Path) -> None:
    file = tmp_path / "parts.json"
    file.write_text('{"seed": 1, "parts": {"aside": ["b", "d"], "training": ["a"]}}')
    part = read_part(f"{file}:aside")
    asked = rows(tmp_path, {"id": "a"}, {"id": "b"}, {"id": "d", "turns": ["One?", "Two?"]})
    assert part.name == "aside"
    assert [row.line.id for row in part.of(asked)] == ["b", "d#1", "d#2"]


def test_what_is_no_part_is_told(tmp_path: Path) -> None:
    file = tmp_path / "parts.json"
    file.write_text('{"parts": {"aside": []}}')
    with pytest.raises(UsageError, match="has no part training"):
        read_part(f"{file}:training")
    for text in (str(tmp_path / "missing.json:aside"), "aside", ":aside", f"{file}:"):
        with pytest.raises(UsageError):
            read_part(text)
    file.write_text("[]")
    with pytest.raises(UsageError, match="holds no parts"):
        read_part(f"{file}:aside")
