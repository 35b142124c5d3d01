"""A headless Chromium, driven over its DevTools protocol: enough to open a page, type, and see what went over the wire."""

from __future__ import annotations

import asyncio
import base64
import itertools
import re
import shutil
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

import aiohttp
import pytest

_NAMES = ("chromium", "chromium-browser", "google-chrome", "google-chrome-stable")
_QUIET = (
    *("--headless", "--no-sandbox", "--disable-gpu", "--disable-quic", "--no-first-run", "--disable-background-networking"),
    *("--disable-component-update", "--disable-sync", "--disable-dev-shm-usage", "--hide-scrollbars", "--window-size=1440,900"),
)


def chromium() -> str:
    """The browser's program. Skips where there is none."""
    found = next(filter(None, map(shutil.which, _NAMES)), None)
    if found is None:
        pytest.skip(reason=f"no browser here: none of {', '.join(_NAMES)}")
    return found


class Page:
    """A tab, and all that it asked for and received."""

    def __init__(self, socket: aiohttp.ClientWebSocketResponse) -> None:
        self._socket = socket
        self._ids = itertools.count(1)
        self._answers: dict[int, asyncio.Future[dict[str, Any]]] = {}
        self.requests: list[str] = []
        """Addresses of everything it loaded."""
        self.received = b""
        """What its web sockets received."""

    async def listen(self) -> None:
        async for message in self._socket:
            told = message.json()
            if told.get("id") in self._answers:
                self._answers.pop(told["id"]).set_result(told.get("result", {}))
            elif told.get("method") == "Network.requestWillBeSent":
                self.requests.append(told["params"]["request"]["url"])
            elif told.get("method") == "Network.webSocketCreated":
                self.requests.append(told["params"]["url"])
            elif told.get("method") == "Network.webSocketFrameReceived":
                frame = told["params"]["response"]
                self.received += base64.b64decode(frame["payloadData"]) if frame["opcode"] == 2 else b""

    async def do(self, method: str, **parameters: Any) -> dict[str, Any]:
        number = next(self._ids)
        self._answers[number] = asyncio.get_running_loop().create_future()
        await self._socket.send_json({"id": number, "method": method, "params": parameters})
        return await asyncio.wait_for(self._answers[number], 30)

    async def open(self, address: str) -> None:
        await self.do("Network.enable")
        await self.do("Page.enable")
        await self.do("Page.navigate", url=address)

    async def value(self, script: str) -> Any:
        result = await self.do("Runtime.evaluate", expression=script, returnByValue=True, awaitPromise=True)
        return result["result"].get("value")

    async def type(self, text: str) -> None:
        for letter in text:
            await self.do("Input.dispatchKeyEvent", type="char", text=letter)

    async def click(self, across: float, down: float) -> None:
        """A click at these shares of the window's width and height."""
        width, height = await self.value("innerWidth"), await self.value("innerHeight")
        for kind in ("mousePressed", "mouseReleased"):
            place = {"x": round(width * across), "y": round(height * down), "button": "left", "clickCount": 1}
            await self.do("Input.dispatchMouseEvent", type=kind, **place)

    async def enter(self) -> None:
        key = {"key": "Enter", "code": "Enter", "windowsVirtualKeyCode": 13, "text": "\r"}
        await self.do("Input.dispatchKeyEvent", type="keyDown", **key)
        await self.do("Input.dispatchKeyEvent", type="keyUp", **key)

    @property
    def said(self) -> str:
        """The received text without its terminal sequences."""
        return re.sub(r"\x1b\[[0-9;?<>=]*[A-Za-z]", "", self.received.decode(errors="replace"))

    async def wait_for(self, text: str, seconds: float = 90) -> None:
        """Until ``text`` was received; fails with what was."""
        for _ in range(int(seconds * 10)):
            if text in self.said:
                return
            await asyncio.sleep(0.1)
        raise AssertionError(f"{text!r} never came: {self.said[-2000:]}")

    async def picture(self, file: Path) -> int:
        """Write a screenshot; its size in bytes."""
        shot = await self.do("Page.captureScreenshot", format="png")
        return file.write_bytes(base64.b64decode(shot["data"]))


@asynccontextmanager
async def browser(program: str, profile: Path) -> AsyncIterator[Page]:
    """A browser with one empty tab, ended at the end."""
    process = await asyncio.create_subprocess_exec(
        program,
        *_QUIET,
        f"--user-data-dir={profile}",
        "--remote-debugging-port=0",
        "about:blank",
        stderr=asyncio.subprocess.DEVNULL,
        stdout=asyncio.subprocess.DEVNULL,
    )
    try:
        port = await _port(profile / "DevToolsActivePort")
        async with aiohttp.ClientSession() as session:
            async with session.get(f"http://127.0.0.1:{port}/json/list") as response:
                tab = next(one for one in await response.json() if one["type"] == "page")
            async with session.ws_connect(tab["webSocketDebuggerUrl"], max_msg_size=0) as socket:
                page = Page(socket)
                listener = asyncio.create_task(page.listen())
                yield page
                listener.cancel()
    finally:
        process.kill()
        await process.wait()


async def _port(file: Path) -> int:
    for _ in range(300):
        if file.is_file() and (text := file.read_text()).strip():
            return int(text.splitlines()[0])
        await asyncio.sleep(0.1)
    raise AssertionError("the browser did not start")
