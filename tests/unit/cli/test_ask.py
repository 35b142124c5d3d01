from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path
from types import SimpleNamespace
from typing import Any, cast

import pytest

from fin_tui.cli import ask as commands
from fin_tui.cli import notebook
from fin_tui.cli.ask import replay
from fin_tui.engine.answering.answer import Request
from fin_tui.engine.answering.events import Finished
from fin_tui.engine.services import Services
from fin_tui.errors import NotFound, UsageError
from fin_tui.paths import Paths
from fin_tui.records import Answer
from fin_tui.store.library import Library
from tests.unit.cli.made import Run, invoker
from tests.unit.facts.book import fillers, flow, held, opened

QUESTION = "What was Example's net income in fiscal 2023?"


@pytest.fixture
def paths(tmp_path: Path) -> Paths:
    """Two filings of one company, in a home without weights."""
    paths = Paths(tmp_path / "home")
    with opened(paths) as library:
        for year, value in ((2022, 99.8e9), (2023, 96.995e9)):
            facts = [flow("us-gaap:NetIncomeLoss", value, year, label="Net income"), *fillers(year)]
            held(library, year, facts)
    return paths


@pytest.fixture
def run(paths: Paths) -> Run:
    return invoker(commands, paths, "ask", "--no-llm")


def test_an_answer_is_one_json_document(run: Run) -> None:
    result = run(QUESTION, "--json")
    assert result.exit_code == 0, result.exception
    document = json.loads(result.stdout)
    assert (document["status"], document["value"], document["unit"]) == ("answered", 96.995e9, "usd")


def test_people_see_the_evidence_and_what_is_missing(run: Run) -> None:
    result = run(QUESTION)
    assert result.exit_code == 0
    assert "Answer\n" in result.stdout
    assert "Example's net income was $96,995,000,000" in result.stdout
    assert "by words alone" in result.output


def test_a_refusal_has_an_exit_code_of_its_own(run: Run) -> None:
    result = run("Should I buy shares of Example?", "--json")
    assert (result.exit_code, json.loads(result.stdout)["refusal"]["kind"]) == (3, "advice")
    strange = run(QUESTION, "--company", "Globex", "--json")
    assert (strange.exit_code, json.loads(strange.stdout)["refusal"]["kind"]) == (3, "not_in_library")
    assert isinstance(run(QUESTION, "--company", "Globex").exception, NotFound)


def test_a_conversation_is_kept_and_gone_on_with(run: Run, paths: Paths) -> None:
    begun = run(QUESTION, "--conversation", "new")
    (name,) = [line.split()[1] for line in begun.stderr.splitlines() if line.startswith("conversation ")]
    document = json.loads(run("And in fiscal 2022?", "--conversation", name, "--json").stdout)
    assert document["value"] == 99.8e9
    with Library.open(paths, read_only=True) as library:
        assert [turn.question for turn in library.conversations.turns(name)] == [QUESTION, "And in fiscal 2022?"]


def test_a_batch_gives_a_line_for_a_line_in_order(run: Run, tmp_path: Path) -> None:
    file = tmp_path / "batch.jsonl"
    lines = [{"id": "a", "question": QUESTION}, {"id": "b", "question": QUESTION, "scope": {"company": "Globex"}}]
    file.write_text("\n".join(map(json.dumps, lines)), encoding="utf-8")
    result = run("--batch", file)
    assert result.exit_code == 0, result.exception
    documents = [json.loads(line) for line in result.stdout.splitlines()]
    assert [(document["id"], document["status"]) for document in documents] == [("a", "answered"), ("b", "refused")]


@pytest.mark.parametrize("words", [(), (" ",), (QUESTION, "--batch", "x.jsonl"), (QUESTION, "--conversation", "")])
def test_wrong_calls_say_what_is_right(run: Run, words: tuple[str, ...]) -> None:
    error = run(*words).exception
    assert isinstance(error, UsageError)
    assert error.hint


def test_a_model_that_is_not_here_is_said_and_one_that_is_none_refused(paths: Paths) -> None:
    run = invoker(commands, paths, "ask")
    missing = run(QUESTION, "--model", "qwen3-4b-instruct-2507")
    assert missing.exit_code == 0, missing.exception
    assert "qwen3-4b-instruct-2507 is not here" in missing.stderr
    assert isinstance(run(QUESTION, "--model", "nope").exception, UsageError)


SALES = Answer("What were the sales?", "answered", "They were \x1b[31m$5 million. [1]", value=5e6, unit="usd")


@pytest.fixture
def library(tmp_path: Path) -> Library:
    return Library.open(Paths(tmp_path / "home"))


def ask_again(library: Library, name: str, now: Answer, *, as_json: bool = False) -> None:
    services = cast("Services", SimpleNamespace(library=library, corpus=library, served=None))

    def answer(_: Services, request: Request) -> Finished:
        return Finished(replace(now, question=request.question))

    replay(services, name, Request(""), answer, as_json=as_json)


def test_the_same_and_another_answer_are_told_apart(library: Library, capsys: pytest.CaptureFixture[str]) -> None:
    made, _ = notebook.open_conversation(library, "new")
    notebook.keep(library, made, SALES)
    ask_again(library, made[:4], SALES)
    assert capsys.readouterr().out.startswith("The same as on 20")
    ask_again(library, made, replace(SALES, answer="They were $6 million. [1]", value=6e6))
    said = capsys.readouterr().out
    assert "it was: They were [31m$5 million. [1]" in said
    assert "\x1b" not in said
    assert len(library.conversations.turns(made)) == 1


def test_as_one_document(library: Library, capsys: pytest.CaptureFixture[str]) -> None:
    made, _ = notebook.open_conversation(library, "new")
    notebook.keep(library, made, SALES)
    ask_again(library, made, replace(SALES, model="small"), as_json=True)
    found: dict[str, Any] = json.loads(capsys.readouterr().out)
    (turn,) = found["turns"]
    assert (found["conversation"], turn["same"], turn["changes"]) == (made, True, ["model none, now small"])
    assert (turn["before"]["model"], turn["answer"]["model"]) == ("none", "small")


def test_what_was_never_asked_can_not_be_asked_again(library: Library) -> None:
    made, _ = notebook.open_conversation(library, "new")
    for name in (made, "nope"):
        with pytest.raises(NotFound):
            ask_again(library, name, SALES)
