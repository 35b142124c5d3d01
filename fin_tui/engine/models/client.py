"""The client of a language model's process: how it is started, loaded and ended, what it writes and counts, how it is stopped."""

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
import time
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import Future
from concurrent.futures import TimeoutError as NotYet
from functools import cached_property
from pathlib import Path

from fin_tui import config
from fin_tui.engine.models import grounding
from fin_tui.engine.models.files import Header, find_model, published, read_header
from fin_tui.engine.models.machine import physical_cores
from fin_tui.engine.models.protocol import (
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
    receive_reply,
    send,
)
from fin_tui.errors import ModelFailed
from fin_tui.paths import Paths

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


class Loading:
    """At most one process for one file. Safe to call from several threads."""

    def __init__(self, path: Path, settings: config.Model, log: Path) -> None:
        self._path = path
        self._settings = settings
        self._log = log
        self._lock = threading.Lock()
        self._future: Future[tuple[Child, Loaded]] | None = None
        self._header: Header | None = None

    @property
    def header(self) -> Header:
        """What the file says of itself. Raises ``ModelFailed`` for a file that can't be a model."""
        if self._header is None:
            self._header = read_header(self._path)
        return self._header

    @property
    def loaded(self) -> tuple[Child, Loaded] | None:
        """The process and what it told of itself, while the weights are in memory and it is alive."""
        return _alive(self._future)

    def begin(self) -> Future[tuple[Child, Loaded]]:
        """Load in the background, unless that goes on or is done. Whoever asks the future is told what went wrong."""
        with self._lock:
            current = self._future
            if current is not None and (not current.done() or _alive(current)):
                return current
            future: Future[tuple[Child, Loaded]] = Future()
            self._future = future
        threading.Thread(target=self._load_into, args=(future,), name="model-load", daemon=True).start()
        return future

    def end(self) -> None:
        """End the process, also one that is just being started."""
        with self._lock:
            future, self._future = self._future, None
        if future is not None:
            future.add_done_callback(_end)

    def _load_into(self, future: Future[tuple[Child, Loaded]]) -> None:
        try:
            # The file may be another one by now.
            self._header = read_header(self._path)
            future.set_result(self._load())
        except BaseException as error:  # noqa: BLE001 - whoever waits for the future raises it again
            future.set_exception(error)

    def _load(self) -> tuple[Child, Loaded]:
        plain = grounding.plain_kernels(self._path)
        try:
            return self._try(plain=plain)
        except _Crashed:
            if plain:
                raise
        found = self._try(plain=True)
        grounding.remember_plain_kernels(self._path)
        return found

    def _try(self, *, plain: bool) -> tuple[Child, Loaded]:
        child = Child(self._log)
        threads = self._settings.threads or physical_cores()
        replies = child.ask(lambda id: Load(str(self._path), self._settings.context, threads, plain, id))
        try:
            reply = replies.one()
        except ModelFailed as error:
            kind = _Crashed if child.crashed else ModelFailed
            raise kind(f"{self._path.name} could not be loaded: {error.message}", child.hint) from error
        child.forget(replies.id)
        if isinstance(reply, Loaded):
            return child, reply
        child.kill()
        if isinstance(reply, Problem):
            raise ModelFailed(reply.message, reply.hint)
        raise ModelFailed(f"The language model process answered {type(reply).__name__} to a load.")


def _alive(future: Future[tuple[Child, Loaded]] | None) -> tuple[Child, Loaded] | None:
    if future is None or not future.done() or future.exception() is not None:
        return None
    child, told = future.result()
    return (child, told) if child.alive else None


def _end(future: Future[tuple[Child, Loaded]]) -> None:
    if future.exception() is None:
        future.result()[0].kill()


class _Crashed(ModelFailed):
    """The process died of a processor fault while it loaded."""


_POLL_S = 0.02
_CANCEL_S = 0.2
"""How long a cancelled computation may take to stop before its process is killed."""


class LlamaClient:
    """A GGUF model in a process of its own, started on first use and again after it died.

    Safe to call from several threads: generations queue, token counts do not wait for them.
    """

    def __init__(self, model_path: Path, settings: config.Model, paths: Paths, *, name: str = "") -> None:
        self.path = model_path
        self.name = name or model_path.stem.lower()
        self.last: Done | None = None
        """The figures of the generation that ended last."""
        self._pace = 0.0
        self._settings = settings
        self._generating = threading.Lock()
        self._loading = Loading(model_path, settings, paths.logs / "model.log")

    @property
    def header(self) -> Header:
        """What the file says of itself. Raises ``ModelFailed`` for a file that can't be a model."""
        return self._loading.header

    @property
    def context(self) -> int:
        return min(self._settings.context, self.header.context or self._settings.context)

    @property
    def pace(self) -> float:
        """Prompt tokens that it reads a second here, as last found; 0 before it is loaded."""
        found = self._loading.loaded
        return self._pace or (found[1].pace if found else 0.0)

    @cached_property
    def writes(self) -> bool:
        return grounding.may_write(self.path, self.header.parameters)

    @cached_property
    def may_plan(self) -> bool:
        """Whether it was measured that its proposals of calculations can be trusted."""
        return grounding.may_plan(self.path)

    @property
    def ready(self) -> bool:
        """Whether the weights are in memory and the process is alive."""
        return self._loading.loaded is not None

    @property
    def pid(self) -> int | None:
        """Process id, when it is loaded."""
        return found[0].pid if (found := self._loading.loaded) else None

    def load(self) -> None:
        """Begin to load in the background; returns at once. What goes wrong is told by the next call that needs the model."""
        self._loading.begin()

    def describe(self) -> dict[str, str | int]:
        """The model for people and for an answer's fingerprint; what only the process knows is there once it is loaded."""
        header = self.header
        about: dict[str, str | int] = {
            "name": self.name,
            "file": self.path.name,
            "architecture": header.architecture,
            "quantisation": header.quantisation,
            "bytes": self.path.stat().st_size,
            "context": self.context,
        }
        if found := self._loading.loaded:
            loaded = found[1]
            about |= {"engine": loaded.engine, "threads": loaded.threads, "load_ms": round(loaded.load_ms)}
        return about

    def count_tokens(self, text: str) -> int:
        return self._count(text, ())

    def count_prompt(self, messages: Sequence[Message]) -> int:
        """Tokens of the whole prompt that ``messages`` make, the chat template's own included. Raises ``ModelFailed``."""
        return self._count("", messages)

    def generate(self, messages: Sequence[Message], *, max_tokens: int, cancelled: Callable[[], bool]) -> Iterator[str]:
        return self._generate(messages, "", max_tokens, cancelled)

    def fill(self, messages: Sequence[Message], grammar: str, *, max_tokens: int, cancelled: Callable[[], bool]) -> str:
        """What the model writes within ``grammar`` (GBNF), greedily. Raises ``ModelFailed``."""
        return "".join(self._generate(messages, grammar, max_tokens, cancelled))

    def _generate(
        self, messages: Sequence[Message], grammar: str, max_tokens: int, cancelled: Callable[[], bool]
    ) -> Iterator[str]:
        self.last = None
        if not _wait_for(lambda: self._generating.acquire(timeout=_POLL_S), cancelled):
            return
        try:
            child = self._child(cancelled)
            if child is None:
                return
            replies = child.ask(lambda id: Generate(id, list(messages), max_tokens, grammar))
            yield from self._stream(child, replies, cancelled)
        finally:
            self._generating.release()

    def child(self) -> Child:
        """The loaded process, for measuring. Raises ``ModelFailed``."""
        child = self._child(lambda: False)
        assert child is not None
        return child

    def close(self) -> None:
        """End the process; a later call starts it again."""
        self._loading.end()

    def _stream(self, child: Child, replies: Replies, cancelled: Callable[[], bool]) -> Iterator[str]:
        finished = False
        try:
            while not cancelled():
                match replies.get(timeout=_POLL_S):
                    case Piece(text=text):
                        yield text
                    case Done() as done:
                        finished, self.last, self._pace = True, done, done.pace or self._pace
                        return
                    case Problem(message=message, hint=hint):
                        finished = True
                        raise ModelFailed(message, hint)
        except ModelFailed:
            finished = True
            raise
        finally:
            # Also when the reader of this stream goes away half-way.
            if not finished:
                self._stop(child, replies)
            child.forget(replies.id)

    def _stop(self, child: Child, replies: Replies) -> None:
        child.cancel(replies.id)
        until = time.monotonic() + _CANCEL_S
        try:
            while (left := until - time.monotonic()) > 0:
                match replies.get(timeout=left):
                    case Done() as done:
                        self.last = done
                        return
                    case Problem():
                        return
        except ModelFailed:
            return
        child.kill()
        self._loading.begin()

    def _count(self, text: str, messages: Sequence[Message]) -> int:
        child = self.child()
        replies = child.ask(lambda id: Count(id, text, list(messages)))
        try:
            match replies.one():
                case Counted(tokens=tokens):
                    return tokens
                case Problem(message=message, hint=hint):
                    raise ModelFailed(message, hint)
                case reply:
                    raise ModelFailed(f"The language model process answered {type(reply).__name__} to a count.")
        finally:
            child.forget(replies.id)

    def _child(self, cancelled: Callable[[], bool]) -> Child | None:
        """The loaded process, ``None`` when cancelled before it was. Raises ``ModelFailed``."""
        loading = self._loading.begin()

        def loaded() -> bool:
            try:
                loading.result(timeout=_POLL_S)
            except NotYet:
                return False
            return True

        return loading.result()[0] if _wait_for(loaded, cancelled) else None


def _wait_for(done: Callable[[], bool], cancelled: Callable[[], bool]) -> bool:
    """False when it was cancelled before it was done."""
    while not cancelled():
        if done():
            return True
    return False


def open_model(paths: Paths, settings: config.Model) -> LlamaClient:
    """A client for the model that the settings name; nothing is loaded yet.

    Raises ``MissingAsset`` when it is not there, ``UsageError`` when the name means no model, ``ModelFailed`` when its file can't
    be a model, or is not the published one.
    """
    found = published(find_model(settings.name, paths), paths)
    client = LlamaClient(found.path, settings, paths, name=found.name)
    assert client.header
    return client
