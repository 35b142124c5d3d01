"""The real program in a pseudo-terminal, on a real filing with the real model: start, ask, open, stop, quit."""

from __future__ import annotations

import os
import re
import shutil
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from pathlib import Path

import pexpect
import psutil
import pyte
import pytest

from fin_tui.assets import load_catalogue
from fin_tui.engine.models import process as model_program
from fin_tui.engine.models.grounding import Grounding, write_grounding

ROOT = Path(__file__).parents[2]
FILING = ROOT / "data" / "samples" / "aapl_2025_10k.html"
MODEL = ROOT / "models" / "SmolLM2-135M-Instruct.Q4_1.gguf"
SHIPPED = load_catalogue().shipped_model.files[0].name
QUESTION = "What does Apple say about its dependence on outsourcing partners?"
SIZE = (90, 120)
"""High enough for a whole answer and the line under it."""
ANSWERED = r"supported · .*own words|total \d"
"""The line under a finished answer: in a narrow pane the timing gives way."""
_PATIENCE_S = 240
"""A real model on a busy machine."""

pytestmark = pytest.mark.skipif(
    not (FILING.is_file() and MODEL.is_file()), reason="the sample filing and the model are not here: fin-tui setup brings them"
)


class Terminal:
    """A pseudo-terminal with a screen that can be read."""

    def __init__(self, home: Path, program: str = "", more: dict[str, str] | None = None) -> None:
        """The app, or ``program`` (Python), with ``more`` in its environment."""
        self.screen = pyte.Screen(SIZE[1], SIZE[0])
        self._stream = pyte.ByteStream(self.screen)
        environment = {**os.environ, "FIN_TUI_HOME": str(home), "TERM": "xterm-256color", "LANG": "C.UTF-8"}
        arguments = ["-c", program] if program else ["-m", "fin_tui"]
        self.child = pexpect.spawn(sys.executable, arguments, env=environment | (more or {}), dimensions=SIZE)
        self.raw = b""

    @property
    def text(self) -> str:
        return "\n".join(self.screen.display)

    def read(self, seconds: float = 0.1) -> None:
        try:
            data = self.child.read_nonblocking(65536, timeout=seconds)
        except (pexpect.TIMEOUT, pexpect.EOF):
            return
        self.raw += data
        self._stream.feed(data)

    def wait_for(self, pattern: str, seconds: float = _PATIENCE_S) -> str:
        """Read until the screen matches; its text then. Fails with the screen as it stands."""
        end = time.monotonic() + seconds
        while time.monotonic() < end:
            self.read()
            if re.search(pattern, self.text):
                return self.text
        raise AssertionError(f"{pattern!r} never came:\n{self.text}")

    def wait_until(self, true: Callable[[], bool], seconds: float = _PATIENCE_S) -> None:
        """Read until ``true``. Fails with the screen as it stands."""
        end = time.monotonic() + seconds
        while not true():
            assert time.monotonic() < end, self.text
            self.read()

    @property
    def is_restored(self) -> bool:
        """Whether the last word on the alternate screen was to leave it, and the cursor is shown again."""
        leave, enter = self.raw.rfind(b"\x1b[?1049l"), self.raw.rfind(b"\x1b[?1049h")
        return leave > enter and self.raw.rfind(b"\x1b[?25h") > self.raw.rfind(b"\x1b[?25l")

    def send(self, keys: str) -> None:
        self.child.send(keys)

    def close(self) -> None:
        """End the program and its children, whatever they do."""
        if self.child.isalive():
            process = psutil.Process(self.child.pid)
            family = [*process.children(recursive=True), process]
            for one in family:
                one.kill()
            psutil.wait_procs(family[:-1], timeout=10)
            self.wait_until(lambda: not self.child.isalive())
        self.child.close()


@pytest.fixture(scope="module")
def home(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A home with one real filing and the models of the checkout; the language model is let write, so that it can be stopped."""
    folder = tmp_path_factory.mktemp("home")
    (folder / "models").mkdir()
    for entry in (ROOT / "models").iterdir():
        if entry.is_dir() or entry.suffix == ".gguf":
            (folder / "models" / entry.name).symlink_to(entry.resolve())
    model = folder / "models" / SHIPPED
    write_grounding(model, Grounding(model.stat().st_size, 20, 40, 40))
    shutil.copy(FILING, folder / FILING.name)
    subprocess.run(
        [sys.executable, "-m", "fin_tui", "add", str(folder / FILING.name)],
        env={**os.environ, "FIN_TUI_HOME": str(folder), "FIN_TUI_ENCODER_MODEL": "none"},
        check=True,
        capture_output=True,
        timeout=240,
    )
    return folder


@pytest.fixture
def terminal(home: Path) -> Iterator[Terminal]:
    opened = Terminal(home)
    yield opened
    opened.close()


def model_processes(terminal: Terminal) -> list[psutil.Process]:
    """What holds the language model, known by its program: one that still loads is smaller than the one that makes vectors."""
    children = psutil.Process(terminal.child.pid).children(recursive=True)
    return [child for child in children if model_program.__name__ in child.cmdline()]


def test_ask_check_stop_and_quit(terminal: Terminal) -> None:
    terminal.wait_for("Ask the filings")
    terminal.send(QUESTION + "\r")
    terminal.wait_for("─ Answer ─")
    seen = terminal.wait_for(r"1\s+Apple Inc\. FY2025")
    assert "outsourcing" in seen
    terminal.wait_for(ANSWERED)

    terminal.send("\x0f")
    reader = terminal.wait_for(r"1A\s+Risk Factors")
    terminal.wait_for("outsourcing")
    assert "Apple Inc. FY2025 · 10-K" in reader
    underlined = [c.data for row in terminal.screen.buffer.values() for c in row.values() if c.underscore]
    assert "outsourcing" in "".join(underlined)
    terminal.send("\x1b")
    terminal.wait_for("─ Sources ─")

    for mode in ("search by meaning", "search by words"):
        terminal.send("\x1bm")
        terminal.wait_for(mode)
    terminal.send("\x12")
    terminal.wait_for("reading the sources|writing")
    terminal.send("\x1b")
    terminal.wait_for("stopped")

    children = psutil.Process(terminal.child.pid).children(recursive=True)
    terminal.send("\x11")
    terminal.wait_until(lambda: not terminal.child.isalive())
    terminal.read()
    assert terminal.child.exitstatus == 0
    assert terminal.is_restored
    gone, alive = psutil.wait_procs(children, timeout=10)
    assert alive == [], [p.cmdline() for p in alive]
    assert gone or not children


def test_suspended_to_the_shell_and_resumed(terminal: Terminal) -> None:
    terminal.wait_for("Ask the filings")
    process = psutil.Process(terminal.child.pid)
    terminal.send("\x1a")
    terminal.wait_until(lambda: process.status() == psutil.STATUS_STOPPED)
    terminal.read()
    assert terminal.is_restored
    terminal.screen.reset()
    os.kill(terminal.child.pid, signal.SIGCONT)
    terminal.wait_for("Ask the filings")
    terminal.wait_for("─ Chat ─")
    terminal.wait_for("─ Sources ─")
    terminal.send("typed")
    terminal.wait_for("typed")


def test_the_terminal_is_restored_after_an_exception(home: Path) -> None:
    program = (
        "import fin_tui.ui.app as app\n"
        "def broken(self): raise RuntimeError('provoked')\n"
        "app.FinTuiApp.action_theme = broken\n"
        "from fin_tui.cli.main import main\nmain()"
    )
    terminal = Terminal(home, program)
    terminal.wait_for("Ask the filings")
    terminal.send("\x14")
    terminal.wait_until(lambda: not terminal.child.isalive())
    terminal.read()
    assert terminal.is_restored
    assert terminal.child.exitstatus == 1
    assert b"provoked" in terminal.raw


def test_a_model_process_that_dies_is_told_and_the_app_goes_on(terminal: Terminal) -> None:
    terminal.wait_for("Ask the filings")
    terminal.send(QUESTION + "\r")
    terminal.wait_for("reading the sources|writing")
    terminal.wait_until(lambda: bool(model_processes(terminal)))
    model_processes(terminal)[0].kill()
    terminal.wait_for("The model broke off")
    terminal.wait_for("own words")
    terminal.send("What was Apple's revenue in fiscal 2025?\r")
    terminal.wait_for(r"416,161")
    terminal.wait_for(ANSWERED)
    terminal.send("\x11")
    terminal.wait_until(lambda: not terminal.child.isalive())
    terminal.read()
    assert terminal.is_restored
    assert terminal.child.exitstatus == 0


def test_a_passage_left_out_is_marked_gone_and_the_new_ones_too(terminal: Terminal) -> None:
    terminal.wait_for("Ask the filings")
    terminal.send(QUESTION + "\r")
    terminal.wait_for(ANSWERED)
    terminal.send("\x1bOS")
    terminal.wait_for("Space Pin|space Pin")
    terminal.send("x")
    terminal.wait_for(r"1✕ ")
    terminal.send("\x12")
    terminal.wait_for(r" −  Apple Inc\. FY2025")
    terminal.wait_for(r"\d\+ +Apple Inc\. FY2025")
    assert "1✕" not in terminal.text
    terminal.send("\x1bx")
    terminal.wait_until(lambda: "✕" not in terminal.text)


def test_the_terminal_is_restored_when_the_app_is_killed_outright(home: Path) -> None:
    """As by a system short of memory; a shell between, as in real life, keeps the terminal open."""
    program = (
        f"import subprocess, sys, time; subprocess.run([{sys.executable!r}, '-m', 'fin_tui']); print('back'); time.sleep(60)"
    )
    terminal = Terminal(home, program)
    try:
        terminal.wait_for("Ask the filings")
        terminal.wait_for(r"filing ·")
        (app,) = psutil.Process(terminal.child.pid).children()
        children = app.children(recursive=True)
        app.kill()
        terminal.wait_for("fin-tui was killed")
        terminal.wait_for("back")
        assert terminal.is_restored
        assert terminal.raw.rfind(b"\x1b[?1003l") > terminal.raw.rfind(b"\x1b[?1003h")
        _, alive = psutil.wait_procs(children, timeout=10)
        assert alive == [], [p.cmdline() for p in alive]
    finally:
        terminal.close()


@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGHUP])
def test_the_terminal_is_restored_when_a_signal_ends_the_app(terminal: Terminal, number: signal.Signals) -> None:
    terminal.wait_for("Ask the filings")
    terminal.send(QUESTION + "\r")
    terminal.wait_for("Answer")
    children = psutil.Process(terminal.child.pid).children(recursive=True)
    os.kill(terminal.child.pid, number)
    terminal.wait_until(lambda: not terminal.child.isalive())
    terminal.read()
    assert terminal.is_restored
    assert terminal.child.exitstatus == 128 + number
    _, alive = psutil.wait_procs(children, timeout=10)
    assert alive == [], [p.cmdline() for p in alive]


@pytest.mark.parametrize("more", [{"NO_COLOR": "1"}, {"TERM": "xterm", "COLORTERM": ""}], ids=["no colour", "16 colours"])
def test_without_colours_everything_is_still_told(home: Path, more: dict[str, str]) -> None:
    terminal = Terminal(home, more=more)
    try:
        terminal.wait_for("Ask the filings")
        terminal.send(QUESTION + "\r")
        terminal.wait_for(r"1\s+Apple Inc\. FY2025")
        for size in ((24, 80), (60, 200), SIZE):
            terminal.screen.resize(*size)
            terminal.child.setwinsize(*size)
            terminal.wait_for("Answer|Sources")
        terminal.wait_for(ANSWERED)
        colours = {c.fg for row in terminal.screen.buffer.values() for c in row.values()} - {"default"}
        assert "NO_COLOR" not in more or all(_is_grey(colour) for colour in colours), colours
    finally:
        terminal.close()


def _is_grey(colour: str) -> bool:
    """pyte names 256 and true colours by six digits."""
    return len(colour) == 6 and max(_rgb(colour)) - min(_rgb(colour)) <= 2


def _rgb(colour: str) -> tuple[int, int, int]:
    return int(colour[:2], 16), int(colour[2:4], 16), int(colour[4:], 16)
