"""Leaving waits for nothing that can't be interrupted."""

from __future__ import annotations

import os
import select
import signal
import subprocess
import sys
import threading
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from pathlib import Path

import pytest

from fin_tui.config import Settings
from fin_tui.engine.answering.events import Event
from fin_tui.ui.app import FinTuiApp
from fin_tui.ui.process import detached
from fin_tui.ui.services import Ask
from fin_tui.ui.widgets.prompt import Prompt
from tests.ui.conftest import ask, until
from tests.ui.fakes import FakeServices


@dataclass
class Loading(FakeServices):
    """Loads until it is released."""

    release: threading.Event = field(default_factory=threading.Event)

    def warm_up(self) -> Iterator[str]:
        yield "loading weights"
        self.release.wait(60)
        yield "loaded"


async def test_the_app_ends_while_weights_are_still_being_loaded() -> None:
    services = Loading()
    app = FinTuiApp(lambda: services, Settings())
    async with app.run_test() as pilot:
        await until(pilot, lambda: "loading weights" in str(app.main.query_one("#state").render()))
        await pilot.press("ctrl+q")
        await until(pilot, lambda: not [w for w in app.workers if w.is_running])
    assert not services.release.is_set()
    assert app.return_code == 0
    services.release.set()


@dataclass
class Pondering(FakeServices):
    """Answers once it is released, and hears no cancel before."""

    release: threading.Event = field(default_factory=threading.Event)

    def ask(self, ask: Ask, cancelled: Callable[[], bool]) -> Iterator[Event]:
        self.release.wait(60)
        yield from super().ask(ask, lambda: False)


async def test_a_question_left_unanswered_stays_in_the_conversation() -> None:
    services = Pondering()
    app = FinTuiApp(lambda: services, Settings())
    async with app.run_test() as pilot:
        await until(pilot, lambda: app.main.answering.services is not None)
        app.main.query_one(Prompt).recall("What are net sales?")
        app.main.query_one(Prompt).focus()
        await pilot.press("enter")
        await until(pilot, lambda: app.main.answering.is_answering)
        await pilot.press("ctrl+q")
    app.main.answering.keep_left_open()
    services.release.set()
    (turn,) = services.kept["c1"]
    assert (turn.question, turn.status, turn.stopped) == ("What are net sales?", "refused", True)
    assert turn.refusal is not None
    assert turn.refusal.kind == "unanswered"


async def test_leaving_after_an_answer_adds_no_turn() -> None:
    services = FakeServices()
    app = FinTuiApp(lambda: services, Settings())
    async with app.run_test() as pilot:
        await ask(app, pilot)
        await pilot.press("ctrl+q")
    app.main.answering.keep_left_open()
    assert [answer.status for answer in services.kept["c1"]] == ["answered"]


async def test_a_question_sent_while_the_app_ends_is_kept_and_breaks_nothing() -> None:
    services = FakeServices()
    app = FinTuiApp(lambda: services, Settings())
    async with app.run_test() as pilot:
        await until(pilot, lambda: app.main.answering.services is not None)
    await app.main.answering.ask("What are net sales?")
    app.main.answering.keep_left_open()
    assert [(answer.question, answer.status) for answer in services.kept["c1"]] == [("What are net sales?", "refused")]


def test_detached_work_gives_its_items_and_its_error() -> None:
    def items() -> Iterator[int]:
        yield 1
        yield 2
        raise OSError("disk")

    with pytest.raises(OSError, match="disk"):
        list(detached(items(), lambda: False))
    got = detached(items(), lambda: False)
    assert (next(got), next(got)) == (1, 2)
    assert list(detached(iter([1, 2, 3]), lambda: True)) == []


_STANDS_STILL = """
import asyncio, sys, time
from fin_tui.ui.process import end_with_terminal

async def main():
    end_with_terminal(lambda code: None, grace=.2)
    print("watching", flush=True)
    time.sleep(60)

asyncio.run(main())
"""


@pytest.mark.skipif(
    not hasattr(select, "poll") or sys.platform == "darwin", reason="the system does not tell of a terminal's end"
)
def test_the_process_ends_with_its_terminal_though_its_loop_stands_still_and_no_signal_comes() -> None:
    ours, its = os.openpty()
    code = [sys.executable, "-c", _STANDS_STILL]
    process = subprocess.Popen(code, stdin=its, stdout=subprocess.PIPE, start_new_session=True)
    try:
        os.close(its)
        assert process.stdout is not None
        assert process.stdout.readline() == b"watching\n"
        os.close(ours)
        assert process.wait(timeout=30) == 128 + signal.SIGHUP
    finally:
        process.kill()


_THREAD_GOES_ON = """
import asyncio, time
from fin_tui.ui.app import FinTuiApp, run
from fin_tui.config import Settings
from fin_tui.paths import Paths
from pathlib import Path
import sys

def work():
    print("working", flush=True)
    time.sleep(60)

def on_mount(self):
    self.run_worker(work, thread=True)
    self.set_timer(.2, lambda: self.exit(return_code=3))

FinTuiApp.on_mount = on_mount
run(Paths(Path(sys.argv[1])), Settings())
"""


def test_leaving_does_not_wait_for_work_in_a_thread(tmp_path: Path) -> None:
    code = [sys.executable, "-c", _THREAD_GOES_ON, str(tmp_path)]
    ended = subprocess.run(
        code, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, timeout=50, check=False
    )
    assert ended.returncode == 3
