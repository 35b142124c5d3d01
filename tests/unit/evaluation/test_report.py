"""Paired differences against tests worked out by hand."""

from __future__ import annotations

import math
from pathlib import Path

import msgspec
import pytest

from fin_tui.errors import UsageError
from fin_tui.evaluation.measures import is_share, ordered
from fin_tui.evaluation.report import (
    TURNS,
    Report,
    Scored,
    compare,
    curve,
    difference,
    document,
    mcnemar,
    mean_interval,
    misses,
    of_set,
    pair,
    permutation,
    quantile,
    read_report,
    share_interval,
    summarise,
)
from tests.unit.evaluation.made import scored


def report(folder: Path, name: str, rows: list[Scored], of: str = "set.jsonl") -> Report:
    file = folder / name
    file.write_bytes(msgspec.json.encode(document({"library": {"filings": 1}}, {of: rows})))
    return read_report(file)


def test_mcnemar_by_hand() -> None:
    # 8 rose, 2 fell: 2 * (1 + 10 + 45) / 2^10.
    assert mcnemar(8, 2) == mcnemar(2, 8) == pytest.approx(112 / 1024)
    assert mcnemar(5, 0) == pytest.approx(2 / 32)
    assert mcnemar(0, 0) == mcnemar(3, 3) == 1.0


def test_permutation_of_three_by_hand() -> None:
    # Of 8 ways to set the signs of 1, 2, 3 two are as far out as 6.
    assert permutation([1.0, 2.0, 3.0]) == pytest.approx(2 / 8)
    # Sums of signed 1, 2, -3: 0 is the nearest to 0 that there is.
    assert permutation([1.0, 2.0, -3.0]) == 1.0
    assert permutation([0.0, 0.0]) == permutation([0.0, 5.0]) == 1.0


def test_a_clear_change_of_many_questions_is_told_from_chance() -> None:
    assert permutation([0.1 + at / 1000 for at in range(40)]) < 0.001
    assert permutation([(-1) ** at * 0.1 for at in range(40)]) > 0.5


def test_a_yes_or_no_measure() -> None:
    found = difference("R@5", [0, 0, 0, 1, 1], [1, 1, 0, 1, 0], share=True)
    assert (found.n, found.before, found.after, found.rose, found.fell) == (5, 0.4, 0.6, 2, 1)
    assert found.p == mcnemar(2, 1)
    assert found.low <= 0.2 <= found.high


def test_questions_are_paired_by_id_whatever_their_order(tmp_path: Path) -> None:
    before = report(tmp_path, "a.json", [scored(name, measures={"MRR": at / 10}) for at, name in enumerate("wxyz")])
    turned = reversed([*enumerate("xyw", start=5)])
    after = report(tmp_path, "b.json", [scored(name, measures={"MRR": at / 10}) for at, name in turned])
    (found,) = compare(pair(before, after))["set.jsonl: all"][:1]
    # w: 0 -> .7, x: .1 -> .5, y: .2 -> .6; z stands in one report only.
    assert (found.name, found.n, found.rose) == ("MRR", 3, 3)
    assert found.before == pytest.approx(0.1)
    assert found.after == pytest.approx(0.6)


def test_a_measure_counts_where_both_have_it_and_latencies_come_last(tmp_path: Path) -> None:
    before = report(tmp_path, "a.json", [scored("a", measures={"R@1": 1.0}), scored("b", measures={"R@1": 1.0, "MRR": 1.0})])
    after = report(tmp_path, "b.json", [scored("a", ms={"answer": 30.0}), scored("b", measures={"R@1": 0.0})])
    found = compare(pair(before, after))["set.jsonl: all"]
    assert [(one.name, one.n) for one in found] == [("R@1", 1), ("answer ms", 2)]
    assert (found[1].before, found[1].after) == (10.0, 20.0)


def test_classes_are_compared_one_by_one_and_together(tmp_path: Path) -> None:
    rows = [scored("a", kind="x"), scored("b", kind="y")]
    assert list(compare(pair(report(tmp_path, "a.json", rows), report(tmp_path, "b.json", rows)))) == [
        "set.jsonl: x",
        "set.jsonl: y",
        "set.jsonl: all",
    ]


def test_reports_without_a_common_question_and_other_files_are_refused(tmp_path: Path) -> None:
    before = report(tmp_path, "a.json", [scored("a")])
    with pytest.raises(UsageError, match="share no question"):
        pair(before, report(tmp_path, "b.json", [scored("b")]))
    with pytest.raises(UsageError, match="share no question"):
        pair(before, report(tmp_path, "b.json", [scored("a")], of="other.jsonl"))
    (tmp_path / "c.json").write_text('{"scores": []}')
    with pytest.raises(UsageError, match=r"c\.json is no report"):
        read_report(tmp_path / "c.json")


Z = 1.959963985


@pytest.mark.parametrize(("hits", "n"), [(8, 10), (0, 5), (5, 5), (114, 120)])
def test_wilson_as_in_the_textbook(hits: int, n: int) -> None:
    share = hits / n
    middle = (share + Z**2 / (2 * n)) / (1 + Z**2 / n)
    half = Z / (1 + Z**2 / n) * math.sqrt(share * (1 - share) / n + Z**2 / (4 * n**2))
    assert share_interval(hits, n) == pytest.approx((middle - half, middle + half), abs=1e-9)


def test_wilson_of_eight_in_ten() -> None:
    assert share_interval(8, 10) == pytest.approx((0.4901625, 0.9433178), abs=1e-7)


def test_bootstrap_of_two_values_reaches_both() -> None:
    # A resample of {0, 1} has mean 0, 1/2, 1 with probability 1/4, 1/2, 1/4: the outer 2.5 % are the values themselves.
    assert mean_interval([0.0, 1.0]) == (0.0, 1.0)


def test_bootstrap_of_many_values_is_near_the_normal_interval() -> None:
    values = [math.sin(at) for at in range(400)]
    mean = sum(values) / 400
    half = Z * math.sqrt(sum((value - mean) ** 2 for value in values) / 400 / 400)
    assert mean_interval(values) == pytest.approx((mean - half, mean + half), abs=0.006)


def test_the_same_values_give_the_same_interval() -> None:
    assert mean_interval([0.1, 0.4, 0.9, 0.3]) == mean_interval([0.1, 0.4, 0.9, 0.3])


def test_equal_values_have_no_width() -> None:
    assert mean_interval([0.5, 0.5, 0.5]) == (0.5, 0.5)


def test_quantiles_are_values_that_occurred() -> None:
    values = [5.0, 1.0, 4.0, 2.0, 3.0]
    assert [quantile(values, share) for share in (0.5, 0.95, 0.0, 1.0)] == [3.0, 5.0, 1.0, 5.0]
    assert quantile([float(at) for at in range(1, 101)], 0.95) == 95.0


def test_one_entry_a_class_and_one_over_all() -> None:
    rows = [scored("a", kind="x"), scored("b", "wrong", kind="y"), scored("c", "abstained", None, kind="x")]
    entries = summarise(rows)
    assert [(entry["class"], entry["n"]) for entry in entries] == [("x", 2), ("y", 1), ("all", 3)]
    assert [entries[2][outcome] for outcome in ("right", "wrong", "abstained", "error", "unjudged")] == [1, 1, 1, 0, 0]
    assert [entry["class"] for entry in summarise(rows[:1])] == ["x"]


def test_a_measure_counts_the_questions_that_it_applies_to() -> None:
    rows = [scored(str(at), measures={"R@1": float(at < 3), "MRR": at / 4} if at < 4 else {}) for at in range(6)]
    (entry,) = summarise(rows)
    low, high = share_interval(3, 4)
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
    assert entry["risk"] is not None
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


def test_four_answers_of_five_questions() -> None:
    # Strongest first: right, wrong, right, wrong -> risks 0, 1/2, 1/3, 1/2. In the best order: 0, 0, 1/3, 1/2.
    found = curve([(0.7, True), (0.9, True), (0.6, False), (0.8, False)], 5)
    assert found is not None
    assert found.area == pytest.approx((0 + 1 / 2 + 1 / 3 + 1 / 2) / 4)
    assert found.best == pytest.approx((0 + 0 + 1 / 3 + 1 / 2) / 4)
    assert [(point.coverage, point.bound) for point in found.points] == [(0.2, 0.9), (0.4, 0.8), (0.6, 0.7), (0.8, 0.6)]
    assert [point.risk for point in found.points] == pytest.approx([0, 1 / 2, 1 / 3, 1 / 2])


def test_answers_of_one_strength_are_given_together() -> None:
    either = [curve([(0.5, right), (0.5, not right)], 2) for right in (True, False)]
    assert either[0] == either[1]
    assert either[0] is not None
    assert either[0].area == 0.5


def test_an_order_that_knows_which_are_wrong_is_as_good_as_can_be() -> None:
    found = curve([(0.9, True), (0.8, True), (0.1, False)], 3)
    assert found is not None
    assert found.area == found.best == pytest.approx(1 / 9)


def test_without_answers_there_is_no_curve() -> None:
    assert curve([], 3) is None
