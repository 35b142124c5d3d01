"""``fetch`` and ``ask --fetch`` as a user runs them, against the stand-in for EDGAR."""

from __future__ import annotations

import json
import os
import subprocess
import sys
import tomllib
from collections.abc import Iterator
from pathlib import Path

import pexpect
import pytest

from fin_tui.paths import Paths
from tests.edgar_server import EdgarServer, edgar
from tests.unit.filings.edgar.made import mills, widgets

ASKER = {"FIN_TUI_EDGAR_NAME": "A Test", "FIN_TUI_EDGAR_EMAIL": "test@example.org"}


@pytest.fixture
def server() -> Iterator[EdgarServer]:
    with edgar(widgets(), mills()) as found:
        yield found


def environment(server: EdgarServer, paths: Paths, **more: str) -> dict[str, str]:
    own = {"FIN_TUI_HOME": str(paths.home), "FIN_TUI_EDGAR_ARCHIVES": server.address, "FIN_TUI_EDGAR_DATA": server.address}
    return {**os.environ, **own, **more}


def run(server: EdgarServer, paths: Paths, *words: str, code: int = 0, **more: str) -> subprocess.CompletedProcess[str]:
    done = subprocess.run(
        [sys.executable, "-m", "fin_tui", *words],
        env=environment(server, paths, **{**ASKER, **more}),
        capture_output=True,
        text=True,
        stdin=subprocess.DEVNULL,
        check=False,
    )
    assert done.returncode == code, done.stderr
    return done


def test_fetch_and_what_it_prints(server: EdgarServer, paths: Paths) -> None:
    done = run(server, paths, "fetch", "EXW", "--years", "2", "--json", "--no-embed")
    document = json.loads(done.stdout)
    assert [added["filing"] for added in document["added"]] == ["0000004242-25-000010", "0000004242-24-000010"]
    assert document["added"][0]["url"].endswith("0000004242-25-000010-index.htm")
    assert "2 filings to fetch" in done.stderr
    again = run(server, paths, "fetch", "EXW", "--years", "2", "--json", "--no-embed")
    assert json.loads(again.stdout)["held"] == ["0000004242-25-000010", "0000004242-24-000010"]
    assert server.asked("made-2024") == 1
    assert server.agents == {"A Test test@example.org"}


def test_from_a_list_of_companies(server: EdgarServer, paths: Paths, tmp_path: Path) -> None:
    file = tmp_path / "companies.toml"
    file.write_text('[[company]]\nname = "EXW"\n[[company]]\nname = "Halcyon Mills"\n')
    done = run(server, paths, "fetch", "--from", str(file), "--no-embed")
    assert "Example Widgets Inc." in done.stdout
    assert "Halcyon Mills" in done.stdout


@pytest.mark.parametrize(
    ("words", "code", "said"),
    [
        (["fetch"], 2, "Nothing to fetch"),
        (["fetch", "Nobody Known"], 3, "EDGAR lists no company"),
        (["fetch", "EXW", "--after", "soon"], 2, "is not a date"),
        (["fetch", "EXW", "--form", "8-K"], 2, "can't be fetched"),
        (["fetch", "--accession", "12"], 2, "no accession number"),
        (["--offline", "fetch", "EXW"], 1, "offline mode is on"),
        (["--offline", "setup"], 1, "Offline mode is on"),
        (["--offline", "models", "pull", "qwen2.5-1.5b-instruct"], 1, "offline mode is on"),
        (["--offline", "ask", "--fetch", "What was Globex's net income in 2023?"], 1, "offline mode is on"),
    ],
    ids=lambda value: " ".join(value) if isinstance(value, list) else "",
)
def test_one_line_says_why_not(server: EdgarServer, paths: Paths, words: list[str], code: int, said: str) -> None:
    assert said in run(server, paths, *words, code=code).stderr


def test_without_a_name_it_says_how_to_give_one(server: EdgarServer, paths: Paths) -> None:
    done = run(server, paths, "fetch", "EXW", code=2, FIN_TUI_EDGAR_NAME="")
    assert "FIN_TUI_EDGAR_NAME" in done.stderr
    assert server.requests == []


def test_on_a_terminal_it_asks_who_asks_once(server: EdgarServer, paths: Paths) -> None:
    command = [sys.executable, ["-m", "fin_tui", "fetch", "EXW", "--no-embed"]]
    child = pexpect.spawn(*command, env=environment(server, paths), encoding="utf-8", timeout=60)
    child.expect("Name or company")
    child.sendline("Some One")
    child.expect("E-mail address")
    child.sendline("one@example.org")
    child.expect(pexpect.EOF)
    child.close()
    assert child.exitstatus == 0
    assert tomllib.loads(paths.settings.read_text())["edgar"] == {"name": "Some One", "email": "one@example.org"}
    assert server.agents == {"Some One one@example.org"}
    run(server, paths, "fetch", "HMI", "--no-embed", FIN_TUI_EDGAR_NAME="Some One", FIN_TUI_EDGAR_EMAIL="one@example.org")


def test_a_refusal_names_the_fetch_and_ask_fetch_does_it(server: EdgarServer, paths: Paths) -> None:
    question = "What does Halcyon Mills say about legal proceedings in 2023?"
    run(server, paths, "fetch", "EXW", "--no-embed")
    asked = ("ask", "--no-llm", "--json", "--company", "HMI", question)
    before = len(server.requests)
    assert json.loads(run(server, paths, *asked, code=3).stdout)["status"] == "refused"
    assert len(server.requests) == before
    answer = json.loads(run(server, paths, *asked[:-1], "--fetch", question).stdout)
    assert answer["status"] == "answered"
    assert answer["citations"][0]["filing"] == "0000000777-24-000001"
    assert answer["citations"][0]["url"].startswith("https://www.sec.gov/Archives/edgar/data/777/")


def test_a_year_that_is_not_held_is_fetched(server: EdgarServer, paths: Paths) -> None:
    run(server, paths, "fetch", "EXW", "--no-embed")
    question = "What were the net sales of Example Widgets in 2021?"
    refused = json.loads(run(server, paths, "ask", "--no-llm", "--json", question, code=3).stdout)
    assert refused["refusal"]["kind"] == "period_not_covered"
    assert refused["refusal"]["fetch"] == "fin-tui fetch EXW --year 2021"
    run(server, paths, "fetch", "EXW", "--year", "2021", "--no-embed")
    held = json.loads(run(server, paths, "filings", "--json").stdout)
    assert sorted(filing["fiscal_year"] for filing in held) == [2021, 2024]
