"""``fin-tui --serve``: the app in a real headless browser, and who is turned away."""

from __future__ import annotations

import asyncio
import contextlib
import os
import signal
import socket
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path

import pytest

from fin_tui import Library
from fin_tui.paths import Paths
from tests.unit.ingest.made import make_html

aiohttp = pytest.importorskip("aiohttp", reason="textual-serve is not here: it comes with the extra serve")
pytest.importorskip("textual_serve", reason="textual-serve is not here: it comes with the extra serve")
QUESTION = "What does Example Widgets say about outsourcing partners?"


def free_port() -> int:
    with socket.socket() as one:
        one.bind(("127.0.0.1", 0))
        return int(one.getsockname()[1])


def wait_for(port: int) -> None:
    """Until the server listens, which it does just after it names its address."""
    end = time.monotonic() + 20
    while True:
        with contextlib.suppress(ConnectionRefusedError), socket.create_connection(("127.0.0.1", port)):
            return
        assert time.monotonic() < end, "it never listened"
        time.sleep(0.05)


@pytest.fixture
def home(paths: Paths, tmp_path: Path) -> Path:
    file = tmp_path / "widgets-2023.htm"
    file.write_bytes(make_html(year=2023))
    with Library(paths.home, with_model=False) as library:
        library.add(file, embed=False)
    return paths.home


@pytest.fixture
def address(home: Path) -> Iterator[str]:
    """A running server, offline; ended as Ctrl+C does."""
    port = free_port()
    command = [sys.executable, "-m", "fin_tui", "--offline", "--home", str(home), "--serve", "--port", str(port)]
    with subprocess.Popen(command, stderr=subprocess.PIPE, text=True, start_new_session=True) as server:
        assert server.stderr
        try:
            told = server.stderr.readline()
            assert f"http://127.0.0.1:{port}" in told, told + server.stderr.read()
            wait_for(port)
            yield f"http://127.0.0.1:{port}"
        finally:
            os.killpg(server.pid, signal.SIGINT)
        assert server.wait(30) in (0, 1, 130)
        assert "Traceback" not in server.stderr.read()


@pytest.mark.timeout(300)
async def test_a_question_is_asked_and_answered_in_a_browser(address: str, tmp_path: Path) -> None:
    from tests.browser import browser, chromium

    async with browser(chromium(), tmp_path / "profile") as page:
        await page.open(address)
        await page.wait_for("Example Widgets")
        await asyncio.sleep(1)
        await page.type(QUESTION)
        await page.enter()
        await page.wait_for("[1]", 60)
        await asyncio.sleep(1)
        assert await page.value("document.body.classList.contains('-first-byte')")
        assert await page.picture(tmp_path / "served.png") > 20_000
        allowed = (address, address.replace("http:", "ws:"), "data:")
        assert [url for url in page.requests if not url.startswith(allowed)] == []
        assert any(url.startswith("ws:") for url in page.requests)


async def test_only_its_own_page_gets_a_session(address: str) -> None:
    async with aiohttp.ClientSession() as session:
        elsewhere = {"Origin": "http://example.org"}
        foreign: list[dict[str, str]] = [{}, elsewhere, {**elsewhere, "Host": "example.org"}]
        for headers in foreign:
            with pytest.raises(aiohttp.WSServerHandshakeError) as refused:
                await session.ws_connect(f"{address}/ws", headers=headers)
            assert refused.value.status == 403
        async with session.get(address, headers={"Host": "example.org"}) as response:
            assert response.status == 403
        async with session.get(address) as response:
            assert (response.status, "ws://127.0.0.1" in await response.text()) == (200, True)
        async with session.ws_connect(f"{address}/ws", headers={"Origin": address}) as own:
            assert (await own.receive(30)).type in (aiohttp.WSMsgType.BINARY, aiohttp.WSMsgType.TEXT)


def test_it_listens_on_loopback_and_warns_elsewhere(paths: Paths) -> None:
    from fin_tui.serving import is_loopback

    assert [is_loopback(host) for host in ("127.0.0.1", "localhost", "::1", "0.0.0.0", "192.168.1.2", "example.org", "")] == [
        *([True] * 3),
        *([False] * 4),
    ]
    with socket.socket() as taken:
        taken.bind(("0.0.0.0", 0))
        taken.listen()
        command = [sys.executable, "-m", "fin_tui", "--serve", "--host", "0.0.0.0", "--port", str(taken.getsockname()[1])]
        done = subprocess.run(command, capture_output=True, text=True, check=False, timeout=60)
    assert done.returncode == 2
    assert "can be reached from other machines" in done.stderr
    assert "can't be used" in done.stderr


def test_it_takes_no_command(paths: Paths) -> None:
    done = subprocess.run(
        [sys.executable, "-m", "fin_tui", "--serve", "filings"], capture_output=True, text=True, check=False, timeout=60
    )
    assert (done.returncode, "takes no command" in done.stderr) == (2, True)


def test_without_its_package_it_says_what_to_install(paths: Paths) -> None:
    program = "import sys; sys.modules['textual_serve'] = None; sys.argv = ['fin-tui', '--serve']"
    program += "; from fin_tui.cli.main import main; main()"
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=False, timeout=60)
    assert done.returncode == 1
    assert "fin-tui[serve]" in done.stderr
    assert "Traceback" not in done.stderr
