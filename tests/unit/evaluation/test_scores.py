"""What an answer is worth by what its row expects."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from fin_tui.evaluation.scores import is_printed, is_value, judge
from fin_tui.records import Answer, Refusal
from tests.unit.evaluation.made import row


def answered(value: float | None = None, unit: str | None = None, text: str = "Net sales were $250 million.") -> Answer:
    return Answer("?", "answered", text, value=value, unit=unit)


REFUSED = Answer("?", "refused", "No.", refusal=Refusal("not_disclosed", "No."))


@pytest.mark.parametrize(
    ("keys", "answer", "outcome"),
    [
        ({"value": 250e6}, answered(250.9e6), "right"),
        ({"value": 250e6}, answered(252e6), "wrong"),
        ({"value": 250e6}, answered(-250e6), "wrong"),
        ({"value": 250e6, "accept": [260e6]}, answered(260e6), "right"),
        ({"value": 250e6, "must_contain": ["2023"]}, answered(250e6), "wrong"),
        ({"value": 250e6}, answered(), "abstained"),
        ({"value": 250e6}, REFUSED, "abstained"),
        ({"must_contain": ["$250 MILLION"]}, answered(), "right"),
        ({"must_contain": ["$260 million"]}, answered(), "wrong"),
        ({"expect": "refused"}, REFUSED, "right"),
        ({"expect": "refused", "refusal": "advice"}, REFUSED, "right"),
        ({"expect": "refused"}, answered(), "wrong"),
        ({"expect": "answered"}, answered(), "right"),
        ({"kind": "yesno", "answer": "no"}, answered(text="No, they fell."), "right"),
        ({"kind": "yesno", "answer": "no"}, answered(text="Yes: they rose."), "wrong"),
        ({"kind": "yesno", "answer": "no"}, answered(text="They fell."), "abstained"),
        ({"kind": "yesno", "answer": "no"}, REFUSED, "abstained"),
        ({"kind": "yesno", "answer": "no", "must_contain": ["2%"]}, answered(text="No, they fell."), "wrong"),
        ({"kind": "list", "answer": ["Canon", "Sony"]}, answered(text="Canon Inc. and Sony"), "right"),
        ({"kind": "list", "answer": ["Canon", "Sony"]}, answered(text="Canon and Sharp"), "wrong"),
        ({"kind": "refuse", "reason": "advice"}, REFUSED, "right"),
        ({"kind": "refuse", "reason": "advice"}, answered(), "wrong"),
        ({}, answered(), "unjudged"),
        ({"value": 1}, Answer("?", "error", "Broken."), "error"),
    ],
)
def test_outcomes(tmp_path: Path, keys: dict[str, Any], answer: Answer, outcome: str) -> None:
    assert judge(answer, row(tmp_path, **keys)).outcome == outcome


def test_an_answer_in_words_must_cite_a_gold_passage(tmp_path: Path) -> None:
    words = row(tmp_path, evidence=["one two three"])
    assert judge(answered(), words, cites_gold=False).outcome == "wrong"
    assert judge(answered(), words, cites_gold=True).outcome == "right"


def test_another_kind_of_refusal_is_told(tmp_path: Path) -> None:
    verdict = judge(REFUSED, row(tmp_path, expect="refused", refusal=["advice", "forecast"]))
    assert (verdict.outcome, verdict.why) == ("right", "kind not_disclosed, expected advice or forecast")


def test_strictly_a_value_has_its_unit(tmp_path: Path) -> None:
    percent = row(tmp_path, value=14.2, unit="%")
    assert is_value(answered(14.2, "ratio"), percent)
    assert not is_value(answered(14.2, "ratio"), percent, strict=True)
    assert is_value(answered(14.2, "%"), percent, strict=True)


def test_a_value_may_be_printed_among_others_and_at_any_scale(tmp_path: Path) -> None:
    money = row(tmp_path, value=250e6, accept=[255e6])
    assert is_printed(answered(text="Sales were $250.3 million, costs $9 million."), money)
    assert is_printed(answered(text="Sales were ($255 million)."), money)
    assert not is_printed(answered(text="Sales were $245 million and 250 people worked there."), money)
