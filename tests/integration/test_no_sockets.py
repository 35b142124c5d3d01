"""Nothing but fetch, setup and models pull opens a connection: every Python process of a command is watched from its start."""

from __future__ import annotations

import json
import os
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from pathlib import Path

import pexpect
import pytest

from fin_tui.paths import Paths
from tests.conftest import CHECKOUT
from tests.edgar_server import EdgarServer, edgar
from tests.unit.filings.edgar.made import mills
from tests.unit.ingest.made import make_html

WATCH = """
import os, sys
def _watch(event, arguments, path=os.environ["SOCKET_LOG"]):
    if event in ("socket.connect", "socket.sendto", "socket.getaddrinfo", "socket.gethostbyname", "socket.bind"):
        line = f"{event} {[str(argument)[:80] for argument in arguments]} {sys.argv}\\n"
        descriptor = os.open(path, os.O_WRONLY | os.O_APPEND | os.O_CREAT)
        os.write(descriptor, line.encode())
        os.close(descriptor)
sys.addaudithook(_watch)
with open(os.environ["SOCKET_LOG"] + ".processes", "a") as log:
    log.write(f"{sys.argv}\\n")
"""
ASK = "What does Example Widgets say about outsourcing partners?"
Run = Callable[..., str]
QUIET = (
    ["filings", "--json"],
    ["sections", "one.htm"],
    ["show", "one.htm", "--item", "1A"],
    ["search", "outsourcing partners", "--json"],
    ["search", "outsourcing partners", "--mode", "sparse", "--explain"],
    ["facts", "revenue"],
    ["ask", "--no-llm", "--json", ASK],
    ["ask", ASK],
    ["ask", "--no-llm", "What was Globex's net income in 2023?"],
    ["check", "memo.txt"],
    ["conversations"],
    ["models", "list"],
    ["reindex"],
    ["edit", "one.htm", "--ticker", "EXQ"],
    ["remove", "two.htm"],
    ["fetch"],
    ["--help"],
)


@pytest.fixture
def server() -> Iterator[EdgarServer]:
    with edgar(mills()) as found:
        yield found


@pytest.fixture
def log(tmp_path: Path) -> Path:
    return tmp_path / "sockets.log"


@pytest.fixture
def watched(tmp_path: Path, log: Path, paths: Paths, server: EdgarServer, monkeypatch: pytest.MonkeyPatch) -> dict[str, str]:
    """The environment of a command: a home with two filings' files beside it, and weights when there are any."""
    site = tmp_path / "site"
    site.mkdir()
    (site / "sitecustomize.py").write_text(WATCH)
    paths.models.mkdir()
    for entry in (CHECKOUT / "models").iterdir():
        if entry.is_dir() or entry.suffix == ".gguf":
            (paths.models / entry.name).symlink_to(entry)
    for year, name in ((2022, "one.htm"), (2023, "two.htm")):
        (tmp_path / name).write_bytes(make_html(year=year))
    (tmp_path / "memo.txt").write_text("Example Widgets' net sales were $12 million in 2022.\n")
    monkeypatch.chdir(tmp_path)
    # The user's own HF_HUB_OFFLINE must not be what keeps it quiet.
    kept = {name: value for name, value in os.environ.items() if not name.startswith(("HF_", "TRANSFORMERS_"))}
    edgar_of = {"ARCHIVES": server.address, "DATA": server.address, "NAME": "A Test", "EMAIL": "test@example.org"}
    own = {"PYTHONPATH": str(site), "SOCKET_LOG": str(log), "FIN_TUI_HOME": str(paths.home)}
    return {**kept, **own, **{f"FIN_TUI_EDGAR_{name}": value for name, value in edgar_of.items()}}


@pytest.fixture
def run(watched: dict[str, str]) -> Run:
    def start(*words: str) -> str:
        command = [sys.executable, "-m", "fin_tui", *words]
        done = subprocess.run(
            command, env=watched, capture_output=True, text=True, check=False, stdin=subprocess.DEVNULL, timeout=250
        )
        assert "Traceback" not in done.stderr, done.stderr
        return done.stdout

    return start


@pytest.mark.timeout(900)
def test_no_other_command_opens_a_connection(run: Run, log: Path, server: EdgarServer) -> None:
    run("add", "one.htm", "two.htm")
    assert "--multiprocessing-fork" in Path(f"{log}.processes").read_text(), "the ingest process is watched, too"
    for words in QUIET:
        run(*words)
        assert not log.exists(), f"{words}: {log.read_text()}"
    assert server.requests == []


@pytest.mark.timeout(300)
def test_the_app_opens_none(run: Run, watched: dict[str, str], log: Path) -> None:
    run("add", "one.htm")
    child = pexpect.spawn(sys.executable, ["-m", "fin_tui"], env={**watched, "TERM": "xterm-256color"}, dimensions=(40, 120))
    child.expect("Example", timeout=60)
    time.sleep(1)
    child.send(f"{ASK}\r")
    child.expect("outsourcing", timeout=60)
    time.sleep(5)
    child.sendcontrol("q")
    child.expect(pexpect.EOF, timeout=30)
    child.close()
    assert not log.exists(), log.read_text()


def test_fetch_does_and_the_watch_sees_it(run: Run, log: Path) -> None:
    assert json.loads(run("fetch", "HMI", "--json", "--no-embed"))["added"]
    assert "socket.connect" in log.read_text()


def test_offline_fetch_does_not(run: Run, log: Path, server: EdgarServer) -> None:
    run("--offline", "fetch", "HMI")
    run("--offline", "ask", "--fetch", ASK)
    run("--offline", "--home", "empty", "setup", "--minimal")
    assert not log.exists(), log.read_text()
    assert server.requests == []
