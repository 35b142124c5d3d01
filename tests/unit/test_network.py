"""Offline mode: what is refused, and what goes on."""

from __future__ import annotations

import subprocess
import sys

import pytest

CALLS = {
    "connect": "socket.socket().connect(('127.0.0.1', 9))",
    "connect over six": "socket.socket(socket.AF_INET6).connect(('::1', 9))",
    "datagram": "socket.socket(type=socket.SOCK_DGRAM).sendto(b'x', ('127.0.0.1', 9))",
    "name": "socket.getaddrinfo('localhost', 80)",
    "host": "socket.gethostbyname('localhost')",
    "request": "import urllib.request; urllib.request.urlopen('http://127.0.0.1:9')",
    "child": "import subprocess, sys; done = subprocess.run([sys.executable, '-c', CHILD], capture_output=True, text=True);"
    " assert 'Offline' in done.stderr, done.stderr; raise fin_tui.network.Offline('as the child')",
}
START = """
import socket, fin_tui.network
CHILD = "import fin_tui.network, socket; fin_tui.network.enforce(); socket.getaddrinfo('localhost', 80)"
fin_tui.network.go_offline()
"""


@pytest.mark.parametrize("call", CALLS.values(), ids=CALLS)
def test_every_connection_is_refused(call: str) -> None:
    done = subprocess.run([sys.executable, "-c", START + call], capture_output=True, text=True, check=False)
    assert "fin_tui.network.Offline" in done.stderr


def test_processes_of_one_machine_may_talk() -> None:
    talk = """
import asyncio, tempfile, os
one, other = socket.socketpair(); one.send(b"x"); assert other.recv(1) == b"x"
path = os.path.join(tempfile.mkdtemp(), "s")
server = socket.socket(socket.AF_UNIX); server.bind(path); server.listen()
socket.socket(socket.AF_UNIX).connect(path)
asyncio.run(asyncio.sleep(0))
print("talked")
"""
    done = subprocess.run([sys.executable, "-c", START + talk], check=True, capture_output=True, text=True)
    assert done.stdout == "talked\n"


@pytest.mark.parametrize(("value", "is_on"), [("1", True), ("true", True), ("", False), ("0", False), ("no", False)])
def test_the_variable(value: str, is_on: bool, monkeypatch: pytest.MonkeyPatch) -> None:
    from fin_tui.network import VARIABLE, Offline, is_offline, require_network

    monkeypatch.setenv(VARIABLE, value)
    assert is_offline() is is_on
    if is_on:
        with pytest.raises(Offline, match="fetch needs the network"):
            require_network("fetch")
    else:
        require_network("fetch")
