"""The MCP server as a client of the ``mcp`` package sees it, over standard input and output, on real processes."""

from __future__ import annotations

import json
import os
import re
import subprocess
import sys
from collections.abc import AsyncIterator, Callable, Coroutine, Iterator
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

import pytest

from fin_tui import Library
from fin_tui.mcp_server import answer
from fin_tui.paths import Paths
from fin_tui.records import Answer
from tests.edgar_server import EdgarServer, edgar
from tests.unit.filings.edgar.made import widgets
from tests.unit.ingest.made import make_html

pytest.importorskip("mcp", reason="the package mcp is not here: it comes with the extra mcp")
TOOLS = {"search_company", "search_filing", "list_filings", "read_section", "get_facts", "ask", "check"}
Call = Callable[..., Coroutine[Any, Any, str]]


@asynccontextmanager
async def session(home: Path, *words: str, more: dict[str, str] | None = None) -> AsyncIterator[Call]:
    """A server process and a client of it; gives a function that calls a tool and gives its text."""
    from mcp import StdioServerParameters
    from mcp.client.client import Client
    from mcp.client.stdio import stdio_client

    arguments = ["-m", "fin_tui", "--home", str(home), "mcp", *words]
    server = StdioServerParameters(command=sys.executable, args=arguments, env={**os.environ, **(more or {})})
    async with Client(stdio_client(server)) as client:
        assert {tool.name for tool in (await client.list_tools()).tools} == TOOLS

        async def call(tool: str, *, fails: bool = False, **arguments: Any) -> str:
            result = await client.call_tool(tool, arguments)
            assert bool(result.is_error) is fails, result
            return "\n".join(part.text for part in result.content if part.type == "text")

        yield call


@pytest.fixture
def server() -> Iterator[EdgarServer]:
    with edgar(widgets()) as found:
        yield found


def at(server: EdgarServer) -> dict[str, str]:
    known = {"ARCHIVES": server.address, "DATA": server.address, "NAME": "A Test", "EMAIL": "test@example.org"}
    return {f"FIN_TUI_EDGAR_{name}": value for name, value in known.items()}


@pytest.fixture
def held(paths: Paths, tmp_path: Path) -> Path:
    """A home with two years of a made company."""
    files = []
    for year in (2022, 2023):
        files.append(tmp_path / f"widgets-{year}.htm")
        files[-1].write_bytes(make_html(year=year))
    with Library(paths.home, with_model=False) as library:
        library.add(files, embed=False)
    return paths.home


async def test_every_tool_answers_over_a_small_library(held: Path) -> None:
    async with session(held) as call:
        assert "Example Widgets Inc." in await call("search_company", name="widgets")
        found = await call("search_filing", cik_padded="Example Widgets", query="outsourcing partners", years=2)
        heads = re.findall(r"^\[(\d)\] Example Widgets Inc\. — (\d{4}) 10-K — Item ", found, re.M)
        assert [number for number, _ in heads] == [str(number) for number in range(1, len(heads) + 1)]
        assert {year for _, year in heads} == {"2022", "2023"}
        assert "> " in found
        assert "Only 2 of 3 years" in await call("search_filing", cik_padded="Example Widgets", query="outsourcing partners")
        assert len((await call("list_filings")).splitlines()) == 2
        assert "Business" in await call("read_section", filing="widgets-2023.htm", item="business")
        assert "not found" in await call("get_facts", company="Example Widgets", metrics=["goodwill"], years=[2023])
        assert "[1]" in await call("ask", question="What does Example Widgets say about outsourcing partners?")
        checked = await call("check", text="Example Widgets' goodwill was $12 million in 2023.")
        assert "$12 million: unknown" in checked


async def test_what_is_not_there_is_said(held: Path) -> None:
    async with session(held) as call:
        assert "It has:" in await call("search_company", name="Globex")
        assert "in the library: it has Example Widgets Inc." in await call(
            "search_filing", cik_padded="0000000009", query="risks"
        )
        assert "No filing" in await call("search_filing", cik_padded="Example Widgets", query="risks", filing_type="10-KT")
        assert "has no Item 9C" in await call("read_section", filing="widgets-2023.htm", item="9C")
        assert "outside" in await call("read_section", filing="widgets-2023.htm", item="1", start=10**9)
        assert "No filing" in await call("read_section", filing="Example Widgets:1999", item="1")
        assert "not_in_library" in await call("ask", question="What was Globex's revenue in 2023?")
        assert "advice" in await call("ask", question="Should I buy shares of Example Widgets?")
        assert "one of: business" in await call("read_section", filing="widgets-2023.htm", item="zoo", fails=True)
        assert "cik_padded" in await call("search_filing", query="risks", fails=True)
        assert "is empty" in await call("search_filing", cik_padded="Example Widgets", query=" ")


async def test_an_empty_library_answers(paths: Paths) -> None:
    async with session(paths.home) as call:
        assert "nothing yet" in await call("search_company", name="Apple")
        assert "empty" in await call("list_filings")
        assert "No company" in await call("search_filing", cik_padded="0000320193", query="China")


async def test_it_fetches_only_when_allowed_and_the_library_stays(paths: Paths, server: EdgarServer) -> None:
    async with session(paths.home, more=at(server)) as call:
        assert "No company" in await call("search_filing", cik_padded="0000004242", query="outsourcing partners")
    assert server.requests == []
    async with session(paths.home, "--allow-fetch", more=at(server)) as call:
        assert "CIK 0000004242" in await call("search_company", name="EXW")
        found = await call("search_filing", cik_padded="0000004242", query="outsourcing partners", years=2)
        assert "Downloaded from EDGAR" in found
        assert "[1] Example Widgets Inc. — 2024 10-K — Item " in found
        assert "no company" in (await call("search_filing", cik_padded="Globex", query="x", fails=True)).lower()
    asked = len(server.requests)
    async with session(paths.home, more=at(server)) as call:
        again = await call("search_filing", cik_padded="0000004242", query="outsourcing partners", years=2)
        assert re.findall(r"^\[\d\] .*", again, re.M) == re.findall(r"^\[\d\] .*", found, re.M)
        assert len((await call("list_filings")).splitlines()) == 2
    assert len(server.requests) == asked


@pytest.mark.timeout(600)
async def test_the_china_risks_of_three_years(corpus: Path, paths: Paths) -> None:
    files = sorted((corpus / "filings").glob("AAPL_10-K_FY202[1-4]_*.htm"))
    assert len(files) == 4
    with Library(paths.home, with_model=False) as library:
        library.add(files, embed=False)
    async with session(paths.home) as call:
        known = await call("search_company", name="Apple")
        assert "CIK 0000320193 — AAPL — in the library: 2021 10-K, 2022 10-K, 2023 10-K, 2024 10-K" in known
        found = await call("search_filing", cik_padded="0000320193", query="What are Apple's China risks?", years=3)
        heads = re.findall(r"^\[(\d)\] Apple Inc\. — (\d{4}) 10-K — Item (\d+[A-C]?) \w", found, re.M)
        assert [number for number, _, _ in heads] == ["1", "2", "3", "4", "5"]
        assert {year for _, year, _ in heads} == {"2022", "2023", "2024"}
        bodies = re.split(r"^\[\d\] ", found, flags=re.M)[1:]
        assert all("China" in body for body in bodies)
        assert "1A" in {item for _, _, item in heads}
    async with session(paths.home) as call:
        assert found == await call("search_filing", cik_padded="AAPL", query="What are Apple's China risks?", years=3)
        figures = await call("get_facts", company="0000320193", metrics=["revenue"], years=[2022, 2023, 2024])
        assert [re.search(r"\$[\d,]+ million", line)[0] for line in figures.splitlines()] == [  # type: ignore[index]
            "$394,328 million",
            "$383,285 million",
            "$391,035 million",
        ]


def test_standard_output_carries_nothing_but_protocol(held: Path, models_dir: Path) -> None:
    """With the real model and encoder, whose libraries print what they like."""
    (held / "models").symlink_to(models_dir)
    question = "What does Example Widgets say about outsourcing partners?"
    call = {"name": "ask", "arguments": {"question": question, "use_model": True}}
    start = {"protocolVersion": "2025-06-18", "capabilities": {}, "clientInfo": {"name": "a test", "version": "1"}}
    sent: list[dict[str, Any]] = [
        {"id": 1, "method": "initialize", "params": start},
        {"method": "notifications/initialized"},
        {"id": 2, "method": "tools/call", "params": call},
    ]
    command = [sys.executable, "-m", "fin_tui", "--home", str(held), "--verbose", "mcp"]
    with subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True) as server:
        assert server.stdin
        assert server.stdout
        assert server.stderr
        server.stdin.write("this is no message\n" + "".join(json.dumps({"jsonrpc": "2.0", **one}) + "\n" for one in sent))
        server.stdin.flush()
        lines: list[dict[str, Any]] = []
        while not any(line.get("id") == 2 for line in lines):
            lines.append(json.loads(server.stdout.readline()))
        server.stdin.close()
        lines += [json.loads(line) for line in server.stdout]
        assert server.wait(30) == 0, server.stderr.read()
    assert all(line["jsonrpc"] == "2.0" for line in lines)
    answer = next(line for line in lines if line.get("id") == 2)["result"]["content"][0]["text"]
    assert "[1]" in answer


def test_without_its_package_it_says_what_to_install(paths: Paths) -> None:
    program = "import sys; sys.modules['mcp'] = None; sys.argv = ['fin-tui', 'mcp']; from fin_tui.cli.main import main; main()"
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=False, timeout=60)
    assert (done.returncode, done.stdout) == (1, "")
    assert "fin-tui[mcp]" in done.stderr
    assert "Traceback" not in done.stderr


def test_an_answer_keeps_what_bounds_it() -> None:
    told = answer(Answer("Q?", "answered", "A.", caution="No exact figure found; closest passages below.", notes=("One.",)))
    assert told.split("\n") == ["No exact figure found; closest passages below.", "A.", "Note: One."]
