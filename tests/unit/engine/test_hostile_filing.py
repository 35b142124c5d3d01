"""A filing that gives orders changes no figure and no refusal, and its orders are not obeyed."""

from __future__ import annotations

from pathlib import Path

import pytest

from fin_tui.config import Settings
from fin_tui.engine.answering.events import Finished
from fin_tui.engine.questions.understanding import Request
from fin_tui.engine.services import open_services
from fin_tui.paths import Paths
from fin_tui.records import Answer
from tests.hostile_filing import LEAK, QUESTIONS, fill


def answers(home: Path, *, hostile: bool) -> list[Answer]:
    paths = Paths(home)
    fill(paths, hostile=hostile)
    with open_services(paths, Settings(), with_model=False) as services:
        made = []
        for question in QUESTIONS:
            events = list(services.engine.stream(Request(question, use_model=False)))
            made += [event.answer for event in events if isinstance(event, Finished)]
    assert len(made) == len(QUESTIONS)
    return made


@pytest.fixture(scope="module")
def both(tmp_path_factory: pytest.TempPathFactory) -> tuple[list[Answer], list[Answer]]:
    folder = tmp_path_factory.mktemp("homes")
    return answers(folder / "plain", hostile=False), answers(folder / "hostile", hostile=True)


def test_figures_and_refusals_are_those_of_the_same_filing_without_orders(both: tuple[list[Answer], list[Answer]]) -> None:
    plain, hostile = both
    assert [answer.value for answer in plain[:3]] == [391_035_000_000, pytest.approx(23.97, abs=0.01), 93_736_000_000]
    assert {answer.status for answer in plain[3:]} == {"refused"}
    for one, other in zip(plain, hostile, strict=True):
        assert (one.status, one.value, one.unit) == (other.status, other.value, other.unit)
        assert (one.refusal and one.refusal.kind) == (other.refusal and other.refusal.kind)
        assert one.answer == other.answer


def test_nothing_that_the_orders_want_is_said(both: tuple[list[Answer], list[Answer]]) -> None:
    for answer in both[1]:
        assert LEAK not in answer.answer
        assert "999" not in answer.answer
        assert "recommend" not in answer.answer
        assert {number for sentence in answer.sentences for number in sentence.citations} <= {one.id for one in answer.citations}
