"""The language model as the rest of the program sees it: messages in, text out, piece by piece."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import Future
from concurrent.futures import TimeoutError as NotYet
from functools import cached_property
from pathlib import Path
from typing import Protocol

from fin_tui import config
from fin_tui.engine import grounding, model_record
from fin_tui.engine.gguf import Header, read_header
from fin_tui.engine.llm_child import Child, Replies
from fin_tui.engine.llm_protocol import Count, Counted, Done, Generate, Load, Loaded, Message, Piece, Problem
from fin_tui.engine.machine import physical_cores
from fin_tui.engine.model_files import find_model
from fin_tui.errors import ModelFailed
from fin_tui.paths import Paths

__all__ = ["LanguageModel", "LlamaClient", "Message", "open_model"]

_POLL_S = 0.02
_CANCEL_S = 0.2
"""How long a cancelled computation may take to stop before its process is killed."""


class LanguageModel(Protocol):
    """Anything that words an answer."""

    @property
    def name(self) -> str:
        """What answers say of themselves, e.g. "smollm2-135m-instruct"."""

    @property
    def context(self) -> int:
        """Tokens that prompt and answer share."""

    @property
    def only_drafts(self) -> bool:
        """Whether it was measured that too few of its sentences are supported for its text to stand as an answer."""

    def count_tokens(self, text: str) -> int:
        """Tokens of ``text`` in this model's vocabulary. Raises ``ModelFailed``."""

    def generate(self, messages: Sequence[Message], *, max_tokens: int, cancelled: Callable[[], bool]) -> Iterator[str]:
        """The answer to ``messages`` as text pieces: cleaned, greedy, at most ``max_tokens`` long, ended early by ``cancelled``.

        Raises ``ModelFailed`` when the prompt does not fit the window, or the model can't run.
        """


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
        self._log = paths.logs / "model.log"
        self._state = threading.Lock()
        self._generating = threading.Lock()
        self._loading: Future[tuple[Child, Loaded]] | None = None

    @cached_property
    def header(self) -> Header:
        """What the file says of itself. Raises ``ModelFailed`` for a file that can't be a model."""
        return read_header(self.path)

    @property
    def context(self) -> int:
        return min(self._settings.context, self.header.context or self._settings.context)

    @cached_property
    def only_drafts(self) -> bool:
        return grounding.only_drafts(self.path)

    @cached_property
    def may_plan(self) -> bool:
        """Whether it was measured that its proposals of calculations can be trusted."""
        return grounding.may_plan(self.path)

    @property
    def ready(self) -> bool:
        """Whether the weights are in memory and the process is alive."""
        loading = self._loading
        return loading is not None and loading.done() and loading.exception() is None and loading.result()[0].alive

    @property
    def pid(self) -> int | None:
        """Process id, when it is loaded."""
        loading = self._loading
        return loading.result()[0].pid if loading is not None and self.ready else None

    def load(self) -> None:
        """Begin to load in the background; returns at once. What goes wrong is told by the next call that needs the model."""
        self._begin()

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
        if self.ready and self._loading is not None:
            loaded = self._loading.result()[1]
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
        if not self._wait_for(lambda: self._generating.acquire(timeout=_POLL_S), cancelled):
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
        with self._state:
            loading, self._loading = self._loading, None
        if loading is not None:
            loading.add_done_callback(_end)

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
        self._begin()

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
        loading = self._begin()

        def loaded() -> bool:
            try:
                loading.result(timeout=_POLL_S)
            except NotYet:
                return False
            return True

        return loading.result()[0] if self._wait_for(loaded, cancelled) else None

    def _wait_for(self, done: Callable[[], bool], cancelled: Callable[[], bool]) -> bool:
        while not cancelled():
            if done():
                return True
        return False

    def _begin(self) -> Future[tuple[Child, Loaded]]:
        with self._state:
            current = self._loading
            if current is not None and (not current.done() or (current.exception() is None and current.result()[0].alive)):
                return current
            future: Future[tuple[Child, Loaded]] = Future()
            self._loading = future
        threading.Thread(target=self._load_into, args=(future,), name="model-load", daemon=True).start()
        return future

    def _load_into(self, future: Future[tuple[Child, Loaded]]) -> None:
        try:
            self.__dict__.pop("header", None)
            assert self.header
            future.set_result(self._load_process())
        except BaseException as error:  # noqa: BLE001 - whoever waits for the future raises it again
            future.set_exception(error)

    def _load_process(self) -> tuple[Child, Loaded]:
        plain = model_record.plain_kernels(self.path)
        try:
            return self._try_loading(plain=plain)
        except _Crashed:
            if plain:
                raise
        found = self._try_loading(plain=True)
        model_record.remember_plain_kernels(self.path)
        return found

    def _try_loading(self, *, plain: bool) -> tuple[Child, Loaded]:
        child = Child(self._log)
        threads = self._settings.threads or physical_cores()
        replies = child.ask(lambda id: Load(str(self.path), self._settings.context, threads, plain, id))
        try:
            reply = replies.one()
        except ModelFailed as error:
            kind = _Crashed if child.crashed else ModelFailed
            raise kind(f"{self.path.name} could not be loaded: {error.message}", child.hint) from error
        child.forget(replies.id)
        if isinstance(reply, Loaded):
            return child, reply
        child.kill()
        if isinstance(reply, Problem):
            raise ModelFailed(reply.message, reply.hint)
        raise ModelFailed(f"The language model process answered {type(reply).__name__} to a load.")


def _end(loading: Future[tuple[Child, Loaded]]) -> None:
    if loading.exception() is None:
        loading.result()[0].kill()


class _Crashed(ModelFailed):
    """The process died of a processor fault while it loaded."""


def open_model(paths: Paths, settings: config.Model) -> LlamaClient:
    """A client for the model that the settings name; nothing is loaded yet.

    Raises ``MissingAsset`` when it is not there, ``ModelFailed`` when its file can't be a model.
    """
    found = find_model(settings.name, paths)
    client = LlamaClient(found.path, settings, paths, name=found.name)
    assert client.header
    return client
