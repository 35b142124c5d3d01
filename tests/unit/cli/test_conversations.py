"""Conversations on the command line."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from fin_tui.cli import notebook as commands
from fin_tui.errors import NotFound, UsageError
from fin_tui.paths import Paths
from fin_tui.records import Answer, Sentence
from fin_tui.store.library import Library
from tests.ui.fakes import passages
from tests.unit.cli.made import Run, invoker

CITED = tuple(p.citation for p in passages(1))


def answered(question: str) -> Answer:
    sentence = Sentence("Partners make nearly all.", (1,), "grounded")
    return Answer(question, "answered", "Partners make nearly all. [1]", sentences=(sentence,), citations=CITED)


@pytest.fixture
def library(tmp_path: Path) -> Library:
    return Library.open(Paths(tmp_path / "home"))


@pytest.fixture
def run(tmp_path: Path) -> Run:
    return invoker(commands, Paths(tmp_path / "home"))


@pytest.fixture
def conversation(library: Library) -> str:
    made, history = commands.open_conversation(library, "new")
    assert history == ()
    commands.keep(library, made, answered("Who makes\x1b[31m it?"))
    return made


def test_they_are_listed_without_what_a_terminal_would_obey(run: Run, conversation: str) -> None:
    (line,) = run("conversations").stdout.splitlines()
    assert line.startswith(conversation)
    assert line.endswith("  1  Who makes[31m it?")
    assert "\x1b" not in line
    (found,) = json.loads(run("conversations", "--json").stdout)
    assert (found["id"], found["turns"]) == (conversation, 1)


def test_they_are_renamed_and_deleted(run: Run, library: Library, conversation: str) -> None:
    assert "Suppliers" in run("conversations", "--rename", conversation[:4], "Suppliers").stdout
    assert run("conversations", "--delete", conversation).stdout == ""
    assert library.conversations.all() == ()
    assert isinstance(run("conversations", "--delete", "nope").exception, NotFound)


def test_a_conversation_that_is_gone_on_with_gives_its_questions(library: Library, conversation: str) -> None:
    commands.keep(library, conversation, Answer("What of gold?", "refused", "Not held."))
    assert commands.open_conversation(library, conversation[:5]) == (conversation, ("Who makes\x1b[31m it?", "What of gold?"))
    with pytest.raises(NotFound):
        commands.open_conversation(library, "zzz")
    with pytest.raises(UsageError):
        commands.open_conversation(library, " ")
