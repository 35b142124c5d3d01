"""Does this machine read faster with the same model requantised? Measured once, and kept only when the answers stay.

Q4_1 and its like have no fast matrix kernels on many processors; Q8_0 has them everywhere, at more memory. "The same answers"
is judged on three prompts: the original model's own greedy answer is fed to the copy token by token; on average the copy must
choose the same next token at ``AGREEMENT`` of the steps, and give the original's token a log-probability that differs by at
most ``DRIFT``.
"""

from __future__ import annotations

import shutil
import statistics
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import TypeVar

from msgspec import Struct

from fin_tui import config
from fin_tui.engine.models.client import LlamaClient
from fin_tui.engine.models.files import faster_path
from fin_tui.engine.models.machine import physical_cores
from fin_tui.engine.models.protocol import Bench, Benched, Message, Problem, Quantize, Quantized, Reply, Request, Trace, Traced
from fin_tui.engine.models.record import here, read_record, update_record
from fin_tui.errors import FinTuiError, ModelFailed
from fin_tui.paths import Paths

AGREEMENT = 0.95
DRIFT = 0.1
"""In nats."""
_FASTER = 1.15
_STEPS = 40
_PROMPT_TOKENS, _ANSWER_TOKENS = 384, 24
_PROMPTS = (
    "A company's net sales were $391,035 million in 2024 and $383,285 million in 2023. In which year were they higher?",
    "Passage: The Company relies on outsourcing partners in Asia to make its products; disruption there could harm its "
    "business. Question: What does the company rely on?",
    "Passage: Cash provided by operating activities rose because of higher net income, offset by working capital. "
    "Question: Why did cash from operations rise? Answer in one sentence.",
)

Shape = TypeVar("Shape", bound=Reply)


class Measured(Struct, frozen=True):
    """How fast a model is here."""

    prefill: float
    """Prompt tokens read a second."""
    decode: float
    """Answer tokens written a second."""
    memory: int
    """Peak resident bytes of its process."""
    load_ms: float


class Verdict(Struct, frozen=True):
    """What requantising a model brought on this machine."""

    kept: bool
    why: str
    source_bytes: int
    copy_bytes: int
    agreement: float
    """Share of steps at which the copy chooses the original's token."""
    drift: float
    """Mean absolute difference in log-probability of the original's tokens, in nats."""
    before: Measured
    after: Measured
    here: dict[str, str]


def measure(client: LlamaClient, *, prompt: int = _PROMPT_TOKENS, tokens: int = _ANSWER_TOKENS, runs: int = 2) -> Measured:
    """Load the model and time it; the best of ``runs``. Raises ``ModelFailed``."""
    prompt = min(prompt, client.context - tokens - 1)
    found = [_answer(client, lambda id: Bench(id, prompt, tokens), Benched) for _ in range(runs)]
    about = client.describe()
    return Measured(
        prefill=max(run.prefill for run in found),
        decode=max(run.decode for run in found),
        memory=max(run.memory for run in found),
        load_ms=float(about.get("load_ms", 0)),
    )


def requantise(original: Path, settings: config.Model, paths: Paths, say: Callable[[str], None]) -> Verdict | None:
    """Try a Q8_0 copy of ``original`` and keep it when it is worth it. ``None`` when that was settled before, or can't help.

    The verdict stands in the model's record. Raises ``ModelFailed`` when the original itself does not run.
    """
    source = LlamaClient(original, settings, paths)
    if source.header.quantisation in ("Q8_0", "F16", "BF16", "F32", "") or _settled(original):
        return None
    copy = faster_path(original)
    if shutil.disk_usage(original.parent).free < 4 * original.stat().st_size:
        say("not enough free disk for a faster copy")
        return None
    trial = LlamaClient(copy, settings, paths)
    try:
        say("measuring the model as it came")
        before = measure(source)
        traces = [_trace(source, prompt, ()) for prompt in _PROMPTS]
        say("making a copy for this processor")
        threads = settings.threads or physical_cores()
        _answer(source, lambda id: Quantize(id, str(original), str(copy), threads), Quantized)
        source.close()
        say("measuring the copy")
        after = measure(trial)
        echoes = [_trace(trial, prompt, trace.chosen) for prompt, trace in zip(_PROMPTS, traces, strict=True)]
    except FinTuiError:
        copy.unlink(missing_ok=True)
        raise
    finally:
        source.close()
        trial.close()
    agreement, drift = compare(traces, echoes)
    verdict = judge(before, after, agreement, drift, original.stat().st_size, copy.stat().st_size)
    if not verdict.kept:
        copy.unlink(missing_ok=True)
    update_record(original, requantised=verdict)
    return verdict


def compare(traces: Sequence[Traced], echoes: Sequence[Traced]) -> tuple[float, float]:
    """Agreement and drift of a copy (``echoes``) that was led along the original's own answers (``traces``)."""
    same, drifts = [], []
    for trace, echo in zip(traces, echoes, strict=True):
        same += [ours == theirs for ours, theirs in zip(trace.chosen, echo.chosen, strict=False)]
        drifts += [abs(a - b) for a, b in zip(trace.log_probabilities, echo.log_probabilities, strict=False)]
    return (statistics.fmean(same), statistics.fmean(drifts)) if same else (0.0, float("inf"))


def judge(before: Measured, after: Measured, agreement: float, drift: float, source_bytes: int, copy_bytes: int) -> Verdict:
    """Keep a copy that reads clearly faster and answers the same."""
    if agreement < AGREEMENT or drift > DRIFT:
        kept, why = False, f"its answers differ ({agreement:.0%} of the tokens agree, drift {drift:.3f})"
    elif after.prefill < before.prefill * _FASTER:
        kept, why = False, f"it is no faster ({before.prefill:.0f} to {after.prefill:.0f} tokens/s)"
    else:
        kept, why = True, f"reads {after.prefill / before.prefill:.1f} times as fast; {agreement:.0%} of the tokens agree"
    return Verdict(kept, why, source_bytes, copy_bytes, round(agreement, 4), round(drift, 4), before, after, here())


def _settled(original: Path) -> bool:
    verdict = read_record(original).get("requantised")
    if not isinstance(verdict, dict) or verdict.get("here") != here() or verdict.get("source_bytes") != original.stat().st_size:
        return False
    return not verdict.get("kept") or faster_path(original).is_file()


def _trace(client: LlamaClient, prompt: str, forced: Sequence[int]) -> Traced:
    messages = [Message("user", prompt)]
    return _answer(client, lambda id: Trace(id, messages, len(forced) or _STEPS, list(forced)), Traced)


def _answer(client: LlamaClient, make: Callable[[int], Request], shape: type[Shape]) -> Shape:
    child = client.child()
    replies = child.ask(make)
    reply = replies.one()
    child.forget(replies.id)
    if isinstance(reply, Problem):
        raise ModelFailed(reply.message, reply.hint)
    if not isinstance(reply, shape):
        raise ModelFailed(f"The language model process answered {type(reply).__name__} instead of {shape.__name__}.")
    return reply
