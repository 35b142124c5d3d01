"""Passages a second: the default ONNX encoder against sentence-transformers MiniLM, same texts, same token limit, one run.

python -m benchmarks.embedding [--home DIR] [--passages 256] [--tokens 256] [--json]
"""

from __future__ import annotations

import json
import os
import time
from collections.abc import Callable, Sequence
from pathlib import Path
from statistics import median
from typing import Any

from benchmarks.command import parser
from fin_tui.paths import find_home

ROUNDS = 3
WORDS = 180
"""Words of a passage: the default chunk size."""


def passages(count: int, folder: Path) -> list[str]:
    """Passages of real filings under ``folder``, prose and tables as they come."""
    from fin_tui.filings.reader import read

    texts: list[str] = []
    for file in sorted(folder.glob("*_10k.html")):
        words = read(file.read_bytes(), file.name).text.split()
        texts += [" ".join(words[start : start + WORDS]) for start in range(0, len(words) - WORDS, WORDS)]
    step = max(1, len(texts) // count)
    return texts[::step][:count]


def measure(encode: Callable[[Sequence[str]], Any], texts: Sequence[str]) -> float:
    """Seconds for all of ``texts``, after a warm-up."""
    encode(texts[:16])
    started = time.perf_counter()
    encode(texts)
    return time.perf_counter() - started


def run(home: Path | None, count: int, tokens: int) -> dict[str, Any]:
    """Median seconds of both over ``ROUNDS`` turns taken in alternation, so that what else runs here hits both alike."""
    import torch
    from sentence_transformers import SentenceTransformer

    from fin_tui.retrieval.encoder import OnnxEncoder
    from fin_tui.retrieval.onnx import instruction_set, physical_cores

    paths = find_home(home)
    texts = passages(count, paths.samples)
    torch.set_num_threads(physical_cores())
    minilm = SentenceTransformer(str(paths.models / "all-MiniLM-L6-v2"), device="cpu", local_files_only=True)
    minilm.max_seq_length = tokens
    onnx = OnnxEncoder(paths.models / "bge-small-en", longest=tokens)
    engines: dict[str, Callable[[Sequence[str]], Any]] = {
        "bge-small-en int8 onnx": onnx.encode_passages,
        "all-MiniLM-L6-v2 torch": lambda part: minilm.encode(list(part), batch_size=16, show_progress_bar=False),
    }
    seconds: dict[str, list[float]] = {name: [] for name in engines}
    for _ in range(ROUNDS):
        for name, encode in engines.items():
            seconds[name].append(measure(encode, texts))
    rates = {name: len(texts) / median(values) for name, values in seconds.items()}
    fast, slow = rates.values()
    return {
        "passages": len(texts),
        "tokens": tokens,
        "cores": physical_cores(),
        "cpu": instruction_set(),
        "per_second": {name: round(rate, 1) for name, rate in rates.items()},
        "ratio": round(fast / slow, 2),
    }


def main() -> None:
    options = parser(__doc__)
    options.add_argument("--passages", type=int, default=256)
    options.add_argument("--tokens", type=int, default=256)
    arguments = options.parse_args()
    os.environ.setdefault("HF_HUB_OFFLINE", "1")
    figures = run(arguments.home, arguments.passages, arguments.tokens)
    if arguments.json:
        print(json.dumps(figures))
        return
    print(f"{figures['passages']} passages of up to {figures['tokens']} tokens, {figures['cores']} cores, {figures['cpu']}")
    for name, rate in figures["per_second"].items():
        print(f"{name:<28}{rate:>8} passages/s")
    print(f"{'ratio':<28}{figures['ratio']:>8}   (goal 1.3)")


if __name__ == "__main__":
    main()
