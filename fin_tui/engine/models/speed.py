"""How fast a model is on this machine, measured once and kept in its record."""

from __future__ import annotations

import os
from pathlib import Path

import msgspec
from msgspec import Struct

from fin_tui import config
from fin_tui.engine.models.client import LlamaClient
from fin_tui.engine.models.grounding import here, read_record, update_record
from fin_tui.engine.models.machine import physical_cores
from fin_tui.engine.models.protocol import Bench, Benched, Problem
from fin_tui.errors import ModelFailed
from fin_tui.paths import Paths

_PROMPT_TOKENS, _ANSWER_TOKENS, _RUNS = 384, 24, 2
_KEY = "speed"


class Measured(Struct, frozen=True):
    """How fast a model is here."""

    prefill: float
    """Prompt tokens read a second."""
    decode: float
    """Answer tokens written a second."""
    memory: int
    """Peak resident bytes of its process."""
    load_ms: float


class Speed(Struct, frozen=True):
    """A measured speed, with the size that it belongs to."""

    file_bytes: int
    parameters: int
    prefill: float
    decode: float
    here: dict[str, str]
    """The processor and the build of llama.cpp; on others it says nothing."""
    was_busy: bool = False
    """Other programs used the processor meanwhile: it may be much faster."""


def measure(client: LlamaClient) -> Measured:
    """Load the model, time it, and keep the best of what was ever found; of two runs. Raises ``ModelFailed``."""
    was_busy = _is_busy()
    prompt = min(_PROMPT_TOKENS, client.context - _ANSWER_TOKENS - 1)
    found = [_bench(client, prompt) for _ in range(_RUNS)]
    about = client.describe()
    measured = Measured(
        prefill=max(run.prefill for run in found),
        decode=max(run.decode for run in found),
        memory=max(run.memory for run in found),
        load_ms=float(about.get("load_ms", 0)),
    )
    before = read_speed(client.path)
    prefill, decode = measured.prefill, measured.decode
    if before is not None:
        prefill, decode = max(before.prefill, prefill), max(before.decode, decode)
        was_busy = was_busy and before.was_busy
    size = client.path.stat().st_size
    update_record(client.path, **{_KEY: Speed(size, client.header.parameters, prefill, decode, here(), was_busy)})
    return measured


def read_speed(model: Path) -> Speed | None:
    """What was measured of the file ``model`` on this machine; None when nothing was."""
    try:
        speed = msgspec.convert(read_record(model).get(_KEY), Speed)
        return speed if speed.file_bytes == model.stat().st_size and speed.here == here() else None
    except (msgspec.ValidationError, OSError):
        return None


def measure_once(original: Path, settings: config.Model, paths: Paths) -> Speed | None:
    """The speed of the file ``original``, measured where it was not yet, or while the processor was busy; None where it is not
    there. Raises ``ModelFailed``.
    """
    if not original.is_file():
        return None
    known = read_speed(original)
    if known is not None and not known.was_busy:
        return known
    client = LlamaClient(original, settings, paths)
    try:
        measure(client)
    finally:
        client.close()
    return read_speed(original)


def _is_busy() -> bool:
    """Whether other programs keep more than half of the cores busy."""
    try:
        return os.getloadavg()[0] > physical_cores() / 2
    except (OSError, AttributeError):
        return False


def _bench(client: LlamaClient, prompt: int) -> Benched:
    child = client.child()
    replies = child.ask(lambda id: Bench(id, prompt, _ANSWER_TOKENS))
    reply = replies.one()
    child.forget(replies.id)
    if isinstance(reply, Problem):
        raise ModelFailed(reply.message, reply.hint)
    if not isinstance(reply, Benched):
        raise ModelFailed(f"The language model process answered {type(reply).__name__} instead of a speed.")
    return reply
