"""The process of a language model as its client sees it: how it is started and ended, and what is said with it."""

from __future__ import annotations

import contextlib
import itertools
import os
import queue
import signal
import socket
import subprocess
import sys
import threading
from collections.abc import Callable, Iterator
from pathlib import Path

from fin_tui.engine.models.protocol import Cancel, Reply, Request, receive_reply, send
from fin_tui.errors import ModelFailed

_LOG_LIMIT = 1_000_000
_PROGRAM = ("-P", "-m", "fin_tui.engine.models.process")
"""``-P``: nothing is imported from the folder the user happens to stand in."""


_SPIN = "1000"
"""How long the threads of a computation wait for each other in a busy loop. The default of GNU OpenMP makes them burn whole time
slices as soon as anything else runs: five times slower on two busy cores."""


class Replies:
    """The answers to one request, in order."""

    def __init__(self, child: Child, id: int) -> None:
        self.id = id
        self._child = child
        self._queue: queue.SimpleQueue[Reply | None] = queue.SimpleQueue()

    def put(self, reply: Reply | None) -> None:
        self._queue.put(reply)

    def get(self, timeout: float | None = None) -> Reply | None:
        """The next reply, ``None`` when none came in time. Raises ``ModelFailed`` when the process is gone."""
        try:
            reply = self._queue.get(timeout=timeout)
        except queue.Empty:
            return None
        if reply is None:
            self._queue.put(None)
            raise ModelFailed(f"The language model process ended ({self._child.ending}).", self._child.hint)
        return reply

    def one(self) -> Reply:
        """The next reply, however long it takes. Raises ``ModelFailed`` when the process is gone."""
        while (reply := self.get(timeout=3600)) is None:
            pass
        return reply


class Child:
    """One process, alive from construction until ``kill`` or its own end."""

    def __init__(self, log: Path) -> None:
        log.parent.mkdir(parents=True, exist_ok=True)
        self.hint = f"Ask again: it starts anew. {log} says more."
        self._ids = itertools.count(1)
        self._waiting: dict[int, Replies] = {}
        self._lock = threading.Lock()
        self._sending = threading.Lock()
        self._gone = False
        self._channel, theirs = socket.socketpair()
        with theirs, _open_log(log) as output:
            self._process = subprocess.Popen(
                [sys.executable, *_PROGRAM, str(theirs.fileno())],
                pass_fds=(theirs.fileno(),),
                stdin=subprocess.DEVNULL,
                env={"GOMP_SPINCOUNT": _SPIN, **os.environ},
                stdout=output,
                stderr=output,
                start_new_session=True,
            )
        threading.Thread(target=self._receive, name="model-replies", daemon=True).start()

    @property
    def pid(self) -> int:
        return self._process.pid

    @property
    def alive(self) -> bool:
        return not self._gone and self._process.poll() is None

    @property
    def crashed(self) -> bool:
        """Whether a processor or memory fault ended it, as a kernel does that this CPU can't run."""
        return -(self._process.returncode or 0) in (signal.SIGILL, signal.SIGSEGV, signal.SIGBUS, signal.SIGFPE)

    @property
    def ending(self) -> str:
        """How it ended, for people."""
        code = self._process.poll()
        if code is None:
            return "its connection closed"
        if code >= 0:
            return f"exit code {code}"
        with contextlib.suppress(ValueError):
            return signal.Signals(-code).name
        return f"signal {-code}"

    def ask(self, make: Callable[[int], Request]) -> Replies:
        """Send the request that ``make`` builds for a new id. Raises ``ModelFailed`` when the process is gone."""
        with self._lock:
            replies = Replies(self, next(self._ids))
            self._waiting[replies.id] = replies
            if self._gone:
                replies.put(None)
        self._send(make(replies.id))
        return replies

    def cancel(self, id: int) -> None:
        self._send(Cancel(id))

    def forget(self, id: int) -> None:
        """Nobody waits for this id any more."""
        with self._lock:
            self._waiting.pop(id, None)

    def kill(self) -> None:
        """End it now, whatever it is doing."""
        with contextlib.suppress(ProcessLookupError):
            self._process.kill()
        self._process.wait()
        self._close()

    def _send(self, request: Request) -> None:
        # A child that is gone shows in the replies: one place tells it.
        with self._sending, contextlib.suppress(OSError):
            send(self._channel, request)

    def _receive(self) -> None:
        try:
            while (reply := receive_reply(self._channel)) is not None:
                with self._lock:
                    waiting = self._waiting.get(reply.id)
                if waiting is not None:
                    waiting.put(reply)
        except (OSError, ValueError):
            self._process.kill()
        with contextlib.suppress(subprocess.TimeoutExpired):
            self._process.wait(timeout=2)
        self._close()

    def _close(self) -> None:
        with self._lock:
            self._gone = True
            waiting = list(self._waiting.values())
        for replies in waiting:
            replies.put(None)
        with contextlib.suppress(OSError):
            self._channel.shutdown(socket.SHUT_RDWR)


@contextlib.contextmanager
def _open_log(log: Path) -> Iterator[int]:
    if log.exists() and log.stat().st_size > _LOG_LIMIT:
        log.replace(log.with_suffix(".log.1"))
    descriptor = os.open(log, os.O_WRONLY | os.O_CREAT | os.O_APPEND, 0o600)
    try:
        yield descriptor
    finally:
        os.close(descriptor)
