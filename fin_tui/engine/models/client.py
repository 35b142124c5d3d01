"""The client of a language model's process: what it writes, what it counts, and how it is stopped."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import TimeoutError as NotYet
from functools import cached_property
from pathlib import Path

from fin_tui import config
from fin_tui.engine.models import grounding
from fin_tui.engine.models.child import Child, Replies
from fin_tui.engine.models.files import find_model, published
from fin_tui.engine.models.gguf import Header
from fin_tui.engine.models.loading import Loading
from fin_tui.engine.models.protocol import Count, Counted, Done, Generate, Message, Piece, Problem
from fin_tui.errors import ModelFailed
from fin_tui.paths import Paths

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
                        finished, self.last = True, done
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
