"""A conversation asked again on the command line."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path
from types import SimpleNamespace
from typing import Any, cast

import pytest

from fin_tui.cli import conversations
from fin_tui.cli.ask import replay
from fin_tui.engine.answering.answer import Request
from fin_tui.engine.answering.events import Finished
from fin_tui.engine.services import Services
from fin_tui.errors import NotFound
from fin_tui.paths import Paths
from fin_tui.records import Answer
from fin_tui.store.library import Library

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
    made, _ = conversations.open_conversation(library, "new")
    conversations.keep(library, made, SALES)
    ask_again(library, made[:4], SALES)
    assert capsys.readouterr().out.startswith("The same as on 20")
    ask_again(library, made, replace(SALES, answer="They were $6 million. [1]", value=6e6))
    said = capsys.readouterr().out
    assert "it was: They were [31m$5 million. [1]" in said
    assert "\x1b" not in said
    assert len(library.conversations.turns(made)) == 1


def test_as_one_document(library: Library, capsys: pytest.CaptureFixture[str]) -> None:
    made, _ = conversations.open_conversation(library, "new")
    conversations.keep(library, made, SALES)
    ask_again(library, made, replace(SALES, model="small"), as_json=True)
    found: dict[str, Any] = json.loads(capsys.readouterr().out)
    (turn,) = found["turns"]
    assert (found["conversation"], turn["same"], turn["changes"]) == (made, True, ["model none, now small"])
    assert (turn["before"]["model"], turn["answer"]["model"]) == ("none", "small")


def test_what_was_never_asked_can_not_be_asked_again(library: Library) -> None:
    made, _ = conversations.open_conversation(library, "new")
    for name in (made, "nope"):
        with pytest.raises(NotFound):
            ask_again(library, name, SALES)
