"""The loop of the language model process: one thread listens, one computes.

The listener answers token counts itself and sees a cancel while the other computes. When the program is gone (end of the
stream, or another parent) the process ends at once. A parent-death signal is not used: it would fire when the *thread*
that started the process ends.
"""

from __future__ import annotations

import os
import queue
import signal
import socket
import threading
import time
from collections.abc import Callable, Iterator
from typing import Protocol

from fin_tui.engine.models.protocol import (
    Bench,
    Benched,
    Cancel,
    Count,
    Counted,
    Done,
    Generate,
    Load,
    Loaded,
    Message,
    Piece,
    Problem,
    Reply,
    Request,
    receive_request,
    send,
)
from fin_tui.errors import FinTuiError

_PARENT_CHECK_S = 2.0


class Computes(Protocol):
    """What a model process can do; see ``process.Engine``."""

    def load(self, request: Load) -> Loaded: ...
    def count(self, text: str, messages: list[Message]) -> int: ...
    def generate(self, request: Generate) -> Iterator[Piece | Done]: ...
    def bench(self, request: Bench) -> Benched: ...


def serve(descriptor: int, make_engine: Callable[[Callable[[], bool]], Computes]) -> None:
    """Answer requests on the socket ``descriptor`` until its other end is closed."""
    # Ctrl+C in the terminal is for the program; this process ends when the program does.
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    with socket.socket(fileno=descriptor) as channel:
        _Server(channel, make_engine).run()


class _Server:
    def __init__(self, channel: socket.socket, make_engine: Callable[[Callable[[], bool]], Computes]) -> None:
        self._channel = channel
        self._requests: queue.Queue[Request] = queue.Queue()
        self._sending = threading.Lock()
        self._current = 0
        self._cancelled: set[int] = set()
        self._loaded = threading.Event()
        self._engine = make_engine(lambda: self._current in self._cancelled)

    def run(self) -> None:
        threading.Thread(target=self._listen, daemon=True).start()
        threading.Thread(target=_watch_parent, args=(os.getppid(),), daemon=True).start()
        while True:
            request = self._requests.get()
            self._current = request.id
            self._guarded(request)
            self._cancelled.discard(request.id)

    def _listen(self) -> None:
        while (request := receive_request(self._channel)) is not None:
            match request:
                case Cancel(id=cancelled):
                    self._cancelled.add(cancelled)
                case Count() if self._loaded.is_set():
                    self._guarded(request)
                case _:
                    self._requests.put(request)
        os._exit(0)

    def _guarded(self, request: Request) -> None:
        try:
            for reply in self._answer(request):
                self._reply(reply)
        except FinTuiError as error:
            self._reply(Problem(request.id, error.message, error.hint))
        except Exception as error:  # noqa: BLE001 - the process must go on, and its user must learn why this work did not
            self._reply(Problem(request.id, f"{type(error).__name__}: {error}"))

    def _answer(self, request: Request) -> Iterator[Reply]:
        match request:
            case Load():
                loaded = self._engine.load(request)
                self._loaded.set()
                yield loaded
            case Generate():
                yield from self._engine.generate(request)
            case Count():
                yield Counted(request.id, self._engine.count(request.text, request.messages))
            case Bench():
                yield self._engine.bench(request)

    def _reply(self, reply: Reply) -> None:
        try:
            with self._sending:
                send(self._channel, reply)
        except OSError:
            os._exit(0)


def _watch_parent(parent: int) -> None:
    """Another process may have inherited the program's end of the socket, so its end alone is no proof of life."""
    while os.getppid() == parent:
        time.sleep(_PARENT_CHECK_S)
    os._exit(0)
