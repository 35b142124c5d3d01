from __future__ import annotations

import hashlib
import json
from pathlib import Path

import pytest

import fin_tui.retrieval
from fin_tui.assets import sha256_of
from fin_tui.cli import evaluate as commands
from fin_tui.config import Settings
from fin_tui.errors import UsageError
from fin_tui.evaluation import weights
from fin_tui.paths import Paths
from tests.conftest import CHECKOUT
from tests.unit.cli.made import Run, invoker, two_filings

CROSS_ENCODER = sha256_of(Path(fin_tui.retrieval.__file__).parent / "cross_encoder_weights" / "model.onnx")
QUESTION = "Who does final assembly for Example Corp.?"


@pytest.fixture
def run(tmp_path: Path) -> Run:
    """The command over two filings in a home without weights."""
    return invoker(commands, two_filings(tmp_path / "home"), "eval")


@pytest.fixture
def questions(tmp_path: Path) -> Path:
    file = tmp_path / "own.jsonl"
    evidence = ["Example makes widgets, and depends on a few outsourcing partners for their final assembly."]
    lines = [
        {"id": "a", "kind": "words", "question": QUESTION, "evidence": evidence, "ticker": "EXM"},
        {
            "id": "b",
            "kind": "words",
            "question": "Which outsourcing partners?",
            "evidence": ["Not in any filing at all."],
        },
        {"id": "c", "kind": "refusal", "question": "Should I buy Example stock?", "expect": "refused", "refusal": "advice"},
    ]
    file.write_text("\n".join(map(json.dumps, lines)))
    return file


def test_the_json_holds_head_scores_misses_and_every_question(run: Run, questions: Path) -> None:
    result = run(questions, "--json")
    assert result.exit_code == 0, result.exception
    report = json.loads(result.stdout)
    head = report["head"]
    assert head["weights"] == {"encoder": None, "cross-encoder": CROSS_ENCODER, "model": None}
    assert head["packages"]["numpy"]
    assert head["settings"]["search"]["k"] == 10
    assert set(head["settings"]) == {"chunking", "encoder", "search", "model"}
    assert head["asked"] == {"mode": None, "rerank": None, "llm": False}
    assert head["library"]["filings"] == report["filings"] == 2
    part = report["sets"]["own.jsonl"]
    assert [entry["class"] for entry in part["scores"]] == ["words", "refusal", "all"]
    assert [row["id"] for row in part["rows"]] == ["a", "b", "c"]
    assert part["rows"][0]["measures"]["R@5"] == 1
    assert part["scores"][1]["measures"]["refusal recall"]["mean"] == 1
    assert [miss["id"] for miss in part["misses"]] == ["b"]


def test_for_people_tables_with_intervals(run: Run, questions: Path) -> None:
    result = run(questions, "--misses")
    assert result.exit_code == 0, result.exception
    assert "own.jsonl · search" in result.stdout
    assert ".500 [.09 .91]" in result.stdout  # one of two found among the first five, by Wilson
    assert "1/1 [.21 1.0]" in result.stdout  # the refusal
    assert "no gold passage" in result.stdout or "abstained" in result.stdout


def test_two_reports_are_compared(run: Run, questions: Path, tmp_path: Path) -> None:
    for name in ("a.json", "b.json"):
        (tmp_path / name).write_text(run(questions, "--json", "--mode", "sparse").stdout)
    after = json.loads((tmp_path / "b.json").read_text())
    after["sets"]["own.jsonl"]["rows"][1]["measures"]["R@5"] = 1.0
    after["head"]["settings"]["search"]["k"] = 8
    (tmp_path / "b.json").write_text(json.dumps(after))
    result = run("--compare", tmp_path / "a.json", tmp_path / "b.json")
    assert result.exit_code == 0, result.exception
    assert "The reports differ in settings" in result.stdout
    assert "+0.500" in result.stdout
    found = json.loads(run("--compare", tmp_path / "a.json", tmp_path / "b.json", "--json").stdout)["differences"]
    (changed,) = [one for one in found["own.jsonl: all"] if one["name"] == "R@5"]
    assert (changed["n"], changed["before"], changed["after"], changed["p"]) == (2, 0.5, 1.0, 1.0)


def test_the_programs_of_the_benchmarks_are_a_set(run: Run) -> None:
    report = json.loads(run(CHECKOUT / "benchmarks" / "programs.jsonl", "--json").stdout)
    found = report["sets"]["programs.jsonl"]["scores"][-1]["measures"]["program"]
    assert (found["n"], found["mean"]) == (22, 1.0)


@pytest.mark.parametrize("words", [(), ("one.jsonl", "--compare", "a.json", "b.json"), ("--mode", "psychic", "one.jsonl")])
def test_wrong_calls_are_told(run: Run, words: tuple[str, ...]) -> None:
    assert isinstance(run(*words).exception, UsageError)


def test_two_sets_of_one_name_are_refused(run: Run, questions: Path, tmp_path: Path) -> None:
    (tmp_path / "other").mkdir()
    twin = tmp_path / "other" / "own.jsonl"
    twin.write_text(questions.read_text())
    assert isinstance(run(questions, twin).exception, UsageError)


def test_the_head_has_the_hash_of_the_weights_in_use(tmp_path: Path) -> None:
    paths = Paths(tmp_path)
    folder = paths.models / "bge-small-en"
    folder.mkdir(parents=True)
    (folder / "model.onnx").write_bytes(b"weights")
    digest = hashlib.sha256(b"weights").hexdigest()
    assert weights(paths, Settings(), None) == {"encoder": digest, "cross-encoder": CROSS_ENCODER, "model": None}
    assert sha256_of(folder / "model.onnx") == digest


def test_a_part_is_asked_alone_and_judged(run: Run, questions: Path, tmp_path: Path) -> None:
    parts, out, grades = (tmp_path / name for name in ("parts.json", "judge.jsonl", "grades.jsonl"))
    parts.write_text('{"parts": {"aside": ["a", "c"], "rest": ["b"]}}')
    result = run(questions, "--part", f"{parts}:aside", "--part", f"{parts}:rest", "--judge-out", out, "--json")
    assert result.exit_code == 0, result.exception
    report = json.loads(result.stdout)
    asked = {name: [row["id"] for row in part["rows"]] for name, part in report["sets"].items()}
    assert asked == {"own.jsonl, aside": ["a", "c"], "own.jsonl, rest": ["b"]}
    cases = [json.loads(line) for line in out.read_text().splitlines()]
    assert [one["id"] for one in cases] == ["a", "c", "b"]
    assert [one["set"] for one in cases] == ["own.jsonl, aside", "own.jsonl, aside", "own.jsonl, rest"]
    printed = cases[0]["seen"]["printed"]
    assert "Answer" in printed
    assert "outsourcing partners" in printed
    assert cases[1]["seen"]["refusal"]["kind"] == "advice"
    assert "No answer (advice)" in cases[1]["seen"]["printed"]
    (tmp_path / "report.json").write_text(result.stdout)
    grades.write_text('{"id": "a", "grade": 2, "misleads": false}\n{"id": "c", "grade": 0, "misleads": true}')
    again = run(tmp_path / "report.json", "--grades", grades)
    assert again.exit_code == 0, again.exception
    assert ".500 [.09 .91]" in again.stdout
    measures = json.loads(run(tmp_path / "report.json", "--grades", grades, "--json").stdout)["sets"]["own.jsonl, aside"]
    assert measures["scores"][-1]["measures"]["full"]["mean"] == measures["scores"][-1]["measures"]["misleads"]["mean"] == 0.5
    assert isinstance(run(tmp_path / "report.json", "--judge-out", out).exception, UsageError)


def test_parts_and_grades_of_other_questions_are_refused(run: Run, questions: Path, tmp_path: Path) -> None:
    parts, grades = tmp_path / "parts.json", tmp_path / "grades.jsonl"
    parts.write_text('{"parts": {"aside": ["z"]}}')
    grades.write_text('{"id": "z", "grade": 2, "misleads": false}')
    assert isinstance(run(questions, "--part", f"{parts}:aside").exception, UsageError)
    assert isinstance(run(questions, "--part", f"{parts}:training").exception, UsageError)
    assert isinstance(run(questions, "--grades", grades).exception, UsageError)
