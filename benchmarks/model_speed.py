"""What the model's own process costs: reading and writing through it against bare llama.cpp, same file, prompt, threads, one run.

    python -m benchmarks.model_speed [--home DIR] [--words 500] [--tokens 64] [--rounds 3] [--json]

Both are greedy with flash attention, and take turns, so that what else runs here hits both alike. Reading lasts to the first
token; writing through the process is timed outside of it, so that cleaning the text and bringing it over count.
"""

from __future__ import annotations

import ctypes
import json
import os
import time
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from statistics import median
from typing import Any

from benchmarks.command import parser
from benchmarks.embedding import WORDS, passages
from fin_tui.config import load_settings
from fin_tui.engine.models.client import LlamaClient, open_model
from fin_tui.engine.models.protocol import Message
from fin_tui.errors import FinTuiError
from fin_tui.paths import find_home

_BATCH = 512
_SPIN = "1000"
"""As the model's process waits; with OpenMP's default a busy machine would slow bare llama.cpp alone."""


@dataclass(frozen=True)
class Speed:
    """Tokens a second."""

    read: float
    write: float


def overhead(ours: Sequence[Speed], bare: Sequence[Speed]) -> dict[str, float]:
    """How much more time a token takes through the process, in percent: medians over the rounds, each a pair of one moment."""
    return {
        "read": round(100 * (median(b.read / o.read for o, b in zip(ours, bare, strict=True)) - 1), 1),
        "write": round(100 * (median(b.write / o.write for o, b in zip(ours, bare, strict=True)) - 1), 1),
    }


class Bare:
    """llama.cpp through its C functions alone."""

    def __init__(self, file: Path, context: int, threads: int) -> None:
        os.environ.setdefault("GOMP_SPINCOUNT", _SPIN)
        import llama_cpp
        from llama_cpp.llama_chat_format import Jinja2ChatFormatter

        self._c: Any = llama_cpp
        self._llama: Any = llama_cpp.Llama(
            str(file), n_ctx=context, n_batch=_BATCH, n_threads=threads, n_threads_batch=threads, flash_attn=True, verbose=False
        )
        model = self._llama._model
        template = self._llama.metadata["tokenizer.chat_template"]
        ends = (
            model.token_get_text(token) if token != -1 else "" for token in (self._llama.token_eos(), self._llama.token_bos())
        )
        self._format = Jinja2ChatFormatter(template, *ends)
        self._greedy = llama_cpp.llama_sampler_init_greedy()

    def tokens(self, messages: Sequence[Message]) -> list[int]:
        """The prompt by the model's own template."""
        turns: Any = [{"role": turn.role, "content": turn.content} for turn in messages]
        text = self._format(messages=turns, enable_thinking=False).prompt
        bos = self._llama._model.token_get_text(self._llama.token_bos()) if self._llama.token_bos() != -1 else ""
        found: list[int] = self._llama.tokenize(text.encode(), add_bos=not (bos and text.startswith(bos)), special=True)
        return found

    def run(self, prompt: Sequence[int], count: int) -> Speed:
        """Read ``prompt`` and write ``count`` tokens."""
        context = self._llama._ctx.ctx
        self._c.llama_memory_clear(self._c.llama_get_memory(context), True)
        began = time.perf_counter()
        for start in range(0, len(prompt), _BATCH):
            self._decode(context, prompt[start : start + _BATCH])
        token = self._c.llama_sampler_sample(self._greedy, context, -1)
        read = time.perf_counter()
        for _ in range(count - 1):
            self._decode(context, [token])
            token = self._c.llama_sampler_sample(self._greedy, context, -1)
        return Speed(len(prompt) / (read - began), (count - 1) / (time.perf_counter() - read))

    def _decode(self, context: Any, tokens: Sequence[int]) -> None:
        array = (self._c.llama_token * len(tokens))(*tokens)
        status = self._c.llama_decode(context, self._c.llama_batch_get_one(array, ctypes.c_int32(len(tokens))))
        if status:
            raise FinTuiError(f"llama_decode gave {status}", "Use fewer --words or --tokens: they must fit the window.")


def through_process(client: LlamaClient, messages: Sequence[Message], most: int) -> tuple[Speed, int]:
    """Speeds through the process, and how many tokens were written. What the last prompt shared with this one isn't counted."""
    began = time.perf_counter()
    for _ in client.generate(messages, max_tokens=most, cancelled=lambda: False):
        pass
    seconds = time.perf_counter() - began
    done = client.last
    if done is None or done.tokens < 2:
        raise FinTuiError("The model wrote nothing.", "Try another --words.")
    write = (done.tokens - 1) / (seconds - done.prefill_ms / 1000)
    return Speed((done.prompt_tokens - done.reused_tokens) / (done.prefill_ms / 1000), write), done.tokens


def prompt(text: str, number: int) -> list[Message]:
    """A prompt that differs from that of another round from its first words on, so that nothing read before serves it."""
    head = f"{number} times: you tell at length what a filing says, in full sentences."
    return [Message("system", head), Message("user", f"{text}\n\nWhat does this part of the filing say? Explain all of it.")]


def run(home: Path | None, words: int, most: int, rounds: int) -> dict[str, Any]:
    """Medians over ``rounds`` after one that warms up, each round both ways."""
    paths = find_home(home)
    settings = load_settings(paths.settings).model
    client = open_model(paths, settings)
    text = " ".join(passages(-(-words // WORDS), paths.samples)).split()
    try:
        client.child()
        threads = int(client.describe()["threads"])
        bare = Bare(client.path, client.context, threads)
        pairs = []
        for number in range(rounds + 1):
            messages = prompt(" ".join(text[:words]), number + 1)
            ours, written = through_process(client, messages, most)
            tokens = bare.tokens(messages)
            if client.last is not None and client.last.prompt_tokens != len(tokens):
                raise FinTuiError(
                    f"Two prompts: {client.last.prompt_tokens} and {len(tokens)} tokens.", "The template has changed."
                )
            pairs.append((ours, bare.run(tokens, written)))
    finally:
        client.close()
    through, alone = zip(*pairs[1:], strict=True)
    return {
        "model": client.path.name,
        "threads": threads,
        "prompt": len(tokens),
        "written": written,
        "per_second": {
            "through the process": {way: round(median(getattr(s, way) for s in through), 1) for way in ("read", "write")},
            "bare llama.cpp": {way: round(median(getattr(s, way) for s in alone), 1) for way in ("read", "write")},
        },
        "overhead_percent": overhead(through, alone),
    }


def main() -> None:
    options = parser(__doc__)
    options.add_argument("--words", type=int, default=500)
    options.add_argument("--tokens", type=int, default=64)
    options.add_argument("--rounds", type=int, default=3)
    arguments = options.parse_args()
    figures = run(arguments.home, arguments.words, arguments.tokens, arguments.rounds)
    if arguments.json:
        print(json.dumps(figures))
        return
    print(f"{figures['model']}, {figures['threads']} threads, {figures['prompt']} tokens read, {figures['written']} written")
    for name, rate in figures["per_second"].items():
        print(f"{name:<24} reads {rate['read']:>8} tokens/s   writes {rate['write']:>8} tokens/s")
    extra = figures["overhead_percent"]
    print(f"{'overhead':<24} reads {extra['read']:>8} %          writes {extra['write']:>8} %   (at most 10)")


if __name__ == "__main__":
    main()
