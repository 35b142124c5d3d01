"""The app in a browser, for one person (the extra ``serve``): the owner of ``textual_serve``.

Each tab runs the app in a process of its own. Whoever reaches the server acts as the user who started it. So it listens on
loopback unless told otherwise, takes a session only from its own page (a page of another site can open a connection to loopback,
too), and its page loads nothing from elsewhere.
"""

from __future__ import annotations

import ipaddress
import shlex
import sys
from collections.abc import Iterable
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

from fin_tui.errors import MissingAsset, UsageError, said
from fin_tui.paths import Paths

try:
    import aiohttp_jinja2
    from aiohttp import web
    from textual_serve.server import Server, to_int
except ImportError as error:
    hint = 'Install it with fin-tui: pip install "fin-tui[serve]"'
    raise MissingAsset("The package textual-serve is missing.", hint) from error

_FONT_SIZE = 14


class AppServer(Server):
    """Serves one command's app to its own page."""

    def __init__(self, command: str, host: str, port: int) -> None:
        super().__init__(command, host, port, title="fin-tui", templates_path=Path(__file__).parent)
        self._is_open = not is_loopback(host)

    def initialize_logging(self) -> None:
        """The program has a log of its own."""

    async def on_startup(self, app: web.Application) -> None:
        say([f"Open {self.public_url} in a browser. Ctrl+C ends it."])

    @aiohttp_jinja2.template("app_index.html")
    async def handle_index(self, request: web.Request) -> dict[str, Any]:
        """The page; its connection goes to the address it was asked under."""
        self._require_own_host(request)
        size = to_int(request.query.get("fontsize", ""), _FONT_SIZE)
        return {"websocket": f"ws://{request.host}/ws", "font_size": size}

    async def handle_websocket(self, request: web.Request) -> web.WebSocketResponse:
        """A session, for a page of this server only."""
        self._require_own_host(request)
        if urlsplit(request.headers.get("Origin", "")).netloc != request.host:
            raise web.HTTPForbidden(text="Sessions are for the page of this server.")
        return await super().handle_websocket(request)

    def _require_own_host(self, request: web.Request) -> None:
        """On loopback the address names this machine: another name that leads here is another site's."""
        if not self._is_open and not is_loopback(urlsplit(f"//{request.host}").hostname or ""):
            raise web.HTTPForbidden(text="This server answers to its own address only.")


def serve(paths: Paths, host: str, port: int, corpus: str = "") -> None:
    """Serve the app over ``paths``, on a team's ``corpus`` where one is named, until Ctrl+C.

    Raises ``UsageError`` for an address that can't be used.
    """
    if not is_loopback(host):
        say(
            [
                f"Warning: {host} can be reached from other machines, without a password and unencrypted.",
                "Whoever opens it reads and changes this library, and reads files, as you.",
            ]
        )
    asked = ["--corpus", corpus] if corpus else []
    command = shlex.join([sys.executable, "-m", "fin_tui", "--home", str(paths.home), *asked])
    try:
        AppServer(command, host, port).serve()
    except OSError as error:
        raise UsageError(f"{host}:{port} can't be used: {said(error)}", "Give another --port.") from error


def is_loopback(host: str) -> bool:
    """Whether ``host`` is this machine alone."""
    if host.lower() == "localhost":
        return True
    try:
        return ipaddress.ip_address(host.strip("[]")).is_loopback
    except ValueError:
        return False


def say(lines: Iterable[str]) -> None:
    for line in lines:
        sys.stderr.write(f"{line}\n")
    sys.stderr.flush()
