"""The language model as the rest of the program sees it, and what is said to the process that runs one: small JSON documents.

A frame is four bytes (length, big-endian) and that many bytes of JSON. Nothing is ever unpickled, and a frame longer
than ``LARGEST`` is refused, so that a child gone wrong can't fill the parent's memory. ``Child`` starts and ends the process.
"""

from __future__ import annotations

import contextlib
import itertools
import os
import queue
import signal
import socket
import struct
import subprocess
import sys
import threading
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import Literal, Protocol

import msgspec
from msgspec import Struct

from fin_tui.errors import ModelFailed

LARGEST = 32 * 1024 * 1024
_LENGTH = struct.Struct(">I")
_FEWEST = 48
"""Prompt tokens whose time tells a pace."""

Role = Literal["system", "user", "assistant"]
StopReason = Literal["end", "length", "stop", "loop", "cancelled"]


class Message(Struct, frozen=True):
    """One turn of the conversation that the model continues."""

    role: Role
    content: str


class Load(Struct, frozen=True, tag=True):
    """Read the weights. ``plain`` leaves out the kernels that are special to this CPU."""

    path: str
    context: int
    threads: int
    plain: bool = False
    id: int = 0


class Generate(Struct, frozen=True, tag=True):
    """Continue ``messages`` greedily by at most ``max_tokens`` shown tokens, within ``grammar`` (GBNF) where one is given. What
    all but the last message come to is kept for the next prompt that begins so."""

    id: int
    messages: list[Message]
    max_tokens: int
    grammar: str = ""


class Count(Struct, frozen=True, tag=True):
    """How many tokens ``text`` is; or, with ``messages``, the whole prompt."""

    id: int
    text: str = ""
    messages: list[Message] = []


class Cancel(Struct, frozen=True, tag=True):
    """Stop the work of that id, also in the middle of reading the prompt."""

    id: int


class Bench(Struct, frozen=True, tag=True):
    """Measure reading ``prompt`` tokens and writing ``tokens``."""

    id: int
    prompt: int
    tokens: int


class Loaded(Struct, frozen=True, tag=True):
    """The model is ready."""

    id: int
    threads: int
    load_ms: float
    engine: str
    """Name and version of the library that runs it."""
    pace: float = 0.0
    """Prompt tokens that it read a second when it was tried; a long prompt is read a little faster."""


class Piece(Struct, frozen=True, tag=True):
    """The next shown text."""

    id: int
    text: str


class Done(Struct, frozen=True, tag=True):
    """The end of a generation, with its figures."""

    id: int
    reason: StopReason
    prompt_tokens: int
    reused_tokens: int
    """How many of the prompt's tokens were still known from the call before."""
    tokens: int
    prefill_ms: float
    decode_ms: float

    @property
    def pace(self) -> float:
        """Prompt tokens read a second; 0 where too few were read to tell."""
        fresh = self.prompt_tokens - self.reused_tokens
        return fresh * 1000 / self.prefill_ms if fresh >= _FEWEST and self.prefill_ms > 0 else 0.0


class Counted(Struct, frozen=True, tag=True):
    id: int
    tokens: int


class Benched(Struct, frozen=True, tag=True):
    """Tokens per second, and the peak resident memory of the process in bytes."""

    id: int
    prefill: float
    decode: float
    memory: int


class Problem(Struct, frozen=True, tag=True):
    """The work of that id failed; the process goes on."""

    id: int
    message: str
    hint: str = ""


Request = Load | Generate | Count | Cancel | Bench
Reply = Loaded | Piece | Done | Counted | Benched | Problem

_encoder = msgspec.json.Encoder()
_requests = msgspec.json.Decoder(Request)
_replies = msgspec.json.Decoder(Reply)


def send(channel: socket.socket, message: Request | Reply) -> None:
    """Write one frame. Raises ``OSError`` when the other side is gone."""
    body = _encoder.encode(message)
    channel.sendall(_LENGTH.pack(len(body)) + body)


def receive_request(channel: socket.socket) -> Request | None:
    """The next request, ``None`` at the end of the stream. Raises ``ValueError`` for anything else."""
    body = _read_frame(channel)
    return None if body is None else _requests.decode(body)


def receive_reply(channel: socket.socket) -> Reply | None:
    """The next reply, ``None`` at the end of the stream. Raises ``ValueError`` for anything else."""
    body = _read_frame(channel)
    return None if body is None else _replies.decode(body)


def _read_frame(channel: socket.socket) -> bytes | None:
    head = _read_exactly(channel, _LENGTH.size)
    if head is None:
        return None
    (length,) = _LENGTH.unpack(head)
    if length > LARGEST:
        raise ValueError(f"a frame of {length} bytes")
    return _read_exactly(channel, length)


def _read_exactly(channel: socket.socket, size: int) -> bytes | None:
    parts = bytearray()
    while len(parts) < size:
        try:
            part = channel.recv(size - len(parts))
        except ConnectionError:
            return None
        if not part:
            return None
        parts += part
    return bytes(parts)


class LanguageModel(Protocol):
    """Anything that writes an answer."""

    @property
    def name(self) -> str:
        """What answers say of themselves, e.g. "smollm2-135m-instruct"."""

    @property
    def context(self) -> int:
        """Tokens that prompt and answer share."""

    @property
    def writes(self) -> bool:
        """Whether its text may be shown: enough of its sentences were measured to be supported, or it is large and unmeasured."""

    @property
    def resting(self) -> frozenset[str]:
        """The kinds of question ("number", "words", "list", "yesno") for which its words were measured not to pay."""

    @property
    def pace(self) -> float:
        """Prompt tokens that it reads a second on this machine; 0 where that is not known yet."""

    def count_tokens(self, text: str) -> int:
        """Tokens of ``text`` in this model's vocabulary. Raises ``ModelFailed``."""

    def generate(self, messages: Sequence[Message], *, max_tokens: int, cancelled: Callable[[], bool]) -> Iterator[str]:
        """The answer to ``messages`` as text pieces: cleaned, greedy, at most ``max_tokens`` long, ended early by ``cancelled``.

        Raises ``ModelFailed`` when the prompt does not fit the window, or the model can't run.
        """


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
