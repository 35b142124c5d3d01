"""Classes, intervals, latencies, risk, misses."""

from __future__ import annotations

import pytest

from fin_tui.evaluation.intervals import of_share
from fin_tui.evaluation.measures import is_share, ordered
from fin_tui.evaluation.report import document, misses, of_set
from fin_tui.evaluation.summary import TURNS, summarise
from tests.unit.evaluation.made import scored


def test_one_entry_a_class_and_one_over_all() -> None:
    rows = [scored("a", kind="x"), scored("b", "wrong", kind="y"), scored("c", "abstained", None, kind="x")]
    entries = summarise(rows)
    assert [(entry["class"], entry["n"]) for entry in entries] == [("x", 2), ("y", 1), ("all", 3)]
    assert [entries[2][outcome] for outcome in ("right", "wrong", "abstained", "error", "unjudged")] == [1, 1, 1, 0, 0]
    assert [entry["class"] for entry in summarise(rows[:1])] == ["x"]


def test_a_measure_counts_the_questions_that_it_applies_to() -> None:
    rows = [scored(str(at), measures={"R@1": float(at < 3), "MRR": at / 4} if at < 4 else {}) for at in range(6)]
    (entry,) = summarise(rows)
    low, high = of_share(3, 4)
    assert entry["measures"]["R@1"] == {"n": 4, "mean": 0.75, "low": round(low, 4), "high": round(high, 4)}
    assert entry["measures"]["MRR"]["mean"] == 0.375
    assert 0 <= entry["measures"]["MRR"]["low"] < 0.375 < entry["measures"]["MRR"]["high"] <= 0.75
    assert list(entry["measures"]) == ["R@1", "MRR"]


def test_latencies() -> None:
    (entry,) = summarise([scored(str(at), ms={"answer": float(at)}) for at in range(1, 101)])
    assert entry["ms"] == {"answer": {"p50": 50.0, "p95": 95.0}}


def test_risk_counts_abstentions_as_questions_not_answered() -> None:
    rows = [scored("a", strength=0.9), scored("b", "wrong", 0.8), scored("c", "abstained", 0.7), scored("d", "unjudged", 0.99)]
    (entry,) = summarise(rows)
    assert entry["risk"]["aurc"] == pytest.approx(0.25)
    assert entry["risk"]["best"] == pytest.approx(0.25)
    assert entry["risk"]["points"][-1] == {"coverage": round(2 / 3, 4), "risk": 0.5, "strength": 0.8}
    assert summarise([scored("a", "abstained", None)])[0]["risk"] is None


def test_misses_are_what_went_wrong_or_was_found_too_far_down() -> None:
    low = scored("low", measures={"R@5 lenient": 0.0})
    bad, failed = scored("bad", "wrong", why="3 for 4"), scored("p", measures={"program": 0.0})
    rows = [scored("fine"), bad, low, scored("open", "unjudged"), failed]
    assert [miss["id"] for miss in misses(rows)] == ["bad", "low", "p"]
    assert of_set(rows)["rows"][1]["class"] == "words"


def test_the_document_is_plain() -> None:
    made = document({"library": {"filings": 3}}, {"set.jsonl": [scored()]})
    assert made["filings"] == 3
    assert made["sets"]["set.jsonl"]["rows"][0]["measures"] == {"answered": 1.0}


def test_names_of_measures_have_an_order_and_a_kind() -> None:
    assert ordered(["token F1", "R@5 lenient", "R@5", "wrong year"]) == ["R@5", "R@5 lenient", "wrong year", "token F1"]
    assert is_share("R@5 lenient")
    assert not is_share("MRR lenient")
    with pytest.raises(KeyError):
        is_share("R@7")


def test_turns_count_in_their_classes_and_among_themselves() -> None:
    rows = [scored("a", kind="x"), scored("d#1", "wrong", kind="x", turn=1), scored("d#2", kind="y", turn=2)]
    assert [(entry["class"], entry["n"]) for entry in summarise(rows)] == [("x", 2), ("y", 1), (TURNS, 2), ("all", 3)]
    assert [entry["class"] for entry in summarise(rows[1:])] == ["x", "y", "all"]
