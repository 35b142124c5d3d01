"""The client of a language model's process: how it is loaded, what it writes, weighs and counts, how it is stopped."""

from __future__ import annotations

import contextlib
import math
import threading
import time
from collections.abc import Callable, Generator, Iterator, Sequence
from concurrent.futures import Future
from concurrent.futures import TimeoutError as NotYet
from functools import cached_property
from pathlib import Path

from fin_tui import config
from fin_tui.engine.models import grounding
from fin_tui.engine.models.files import Header, find_model, published, read_header
from fin_tui.engine.models.machine import physical_cores
from fin_tui.engine.models.protocol import (
    Child,
    Count,
    Counted,
    Done,
    Generate,
    Load,
    Loaded,
    Message,
    Piece,
    Problem,
    Replies,
    Reply,
    Request,
)
from fin_tui.errors import ModelFailed
from fin_tui.paths import Paths


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
        except ModelFailed as error:
            if plain or not error.crashed:
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
            failure = ModelFailed(f"{self._path.name} could not be loaded: {error.message}", child.hint)
            failure.crashed = child.crashed
            raise failure from error
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


def _ahead(messages: Sequence[Message]) -> Callable[[int], Request]:
    """A request that has ``messages`` read, and nothing written that is looked at."""
    return lambda id: Generate(id, list(messages), 0)


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
        self._asking = 0
        """How many wait for what it writes."""
        self._counting = threading.Lock()
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
        """Prompt tokens that it reads a second here, as its last prompts took, the newest most; 0 before it is loaded."""
        found = self._loading.loaded
        return self._pace or (found[1].pace if found else 0.0)

    @cached_property
    def writes(self) -> bool:
        return grounding.may_write(self.path, self.header.parameters)

    @cached_property
    def resting(self) -> frozenset[str]:
        return grounding.resting(self.path)

    @cached_property
    def may_read(self) -> bool:
        """Whether it was measured that it works enough figures out of their evidence."""
        return grounding.may_read(self.path)

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

    def warm(self, prompts: Sequence[Sequence[Message]], gives_way: Callable[[], bool] = lambda: False) -> None:
        """Read in the background what ``prompts`` begin with, all but their last message, once the weights are there; it ends as
        soon as something is asked of the model, or ``gives_way``. Returns at once.
        """
        threading.Thread(target=self._warm, args=(prompts, gives_way), name="model-warm", daemon=True).start()

    def _warm(self, prompts: Sequence[Sequence[Message]], gives_way: Callable[[], bool]) -> None:
        with contextlib.suppress(ModelFailed):  # The next call that needs the model tells it.
            for messages in prompts:
                for _ in self._asked(_ahead(messages), lambda: self._asking > 0 or gives_way()):
                    pass

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
        return _count(self.child(), lambda id: Count(id, text))

    def count_prompt(self, messages: Sequence[Message]) -> int:
        """Tokens of the whole prompt that ``messages`` make, the chat template's own included. Raises ``ModelFailed``."""
        return _count(self.child(), lambda id: Count(id, "", list(messages)))

    def generate(self, messages: Sequence[Message], *, max_tokens: int, cancelled: Callable[[], bool]) -> Iterator[str]:
        return self._generate(messages, "", max_tokens, cancelled)

    def fill(self, messages: Sequence[Message], grammar: str, *, max_tokens: int, cancelled: Callable[[], bool]) -> str:
        """What the model writes within ``grammar`` (GBNF), greedily. Raises ``ModelFailed``."""
        return "".join(self._generate(messages, grammar, max_tokens, cancelled))

    def _generate(
        self, messages: Sequence[Message], grammar: str, max_tokens: int, cancelled: Callable[[], bool]
    ) -> Iterator[str]:
        self.last = None
        with self._first():
            replies = self._asked(lambda id: Generate(id, list(messages), max_tokens, grammar), cancelled)
            with contextlib.closing(replies):
                yield from (one.text for one in replies if isinstance(one, Piece))

    @contextlib.contextmanager
    def _first(self) -> Iterator[None]:
        """While somebody waits, nothing is read ahead."""
        with self._counting:
            self._asking += 1
        try:
            yield
        finally:
            with self._counting:
                self._asking -= 1

    def _asked(self, make: Callable[[int], Request], cancelled: Callable[[], bool]) -> Generator[Reply]:
        """The replies to the request that ``make`` builds, once those before it are done."""
        if not _wait_for(lambda: self._generating.acquire(timeout=_POLL_S), cancelled):
            return
        try:
            child = self._child(cancelled)
            if child is None:
                return
            yield from self._stream(child, child.ask(make), cancelled)
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

    def _stream(self, child: Child, replies: Replies, cancelled: Callable[[], bool]) -> Iterator[Reply]:
        finished = False
        try:
            while not cancelled():
                match replies.get(timeout=_POLL_S):
                    case Piece() as piece:
                        yield piece
                    case Done() as done:
                        finished, self.last = True, done
                        self._pace = math.sqrt((self._pace or done.pace) * (done.pace or self._pace))
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


def _count(child: Child, make: Callable[[int], Count]) -> int:
    replies = child.ask(make)
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
