"""A model file and the process that has read it: started on first use, and again after it died."""

from __future__ import annotations

import threading
from concurrent.futures import Future
from pathlib import Path

from fin_tui import config
from fin_tui.engine.models import record
from fin_tui.engine.models.child import Child
from fin_tui.engine.models.gguf import Header, read_header
from fin_tui.engine.models.machine import physical_cores
from fin_tui.engine.models.protocol import Load, Loaded, Problem
from fin_tui.errors import ModelFailed


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
        plain = record.plain_kernels(self._path)
        try:
            return self._try(plain=plain)
        except _Crashed:
            if plain:
                raise
        found = self._try(plain=True)
        record.remember_plain_kernels(self._path)
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
