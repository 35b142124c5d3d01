"""Paired differences against tests worked out by hand."""

from __future__ import annotations

from pathlib import Path

import msgspec
import pytest

from fin_tui.errors import UsageError
from fin_tui.evaluation.compare import Report, compare, difference, mcnemar, pair, permutation, read_report
from fin_tui.evaluation.report import document
from fin_tui.evaluation.scored import Scored
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
