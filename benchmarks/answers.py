"""Evidence card, first token, stopping while the model reads, and memory: on the sample library, with the configured model.

python -m benchmarks.answers [--home DIR] [--json]
"""

from __future__ import annotations

import statistics
import threading
import time
from pathlib import Path
from typing import Any

import psutil

from benchmarks.command import measure
from fin_tui.config import load_settings
from fin_tui.engine.answering.answer import Request
from fin_tui.engine.answering.events import EvidenceReady, Finished, Token
from fin_tui.engine.services import Services, open_services
from fin_tui.paths import find_home

QUESTIONS = (
    "What does Apple say about its dependence on outsourcing partners?",
    "What were Amazon's net sales in 2025?",
    "How does Target describe competition?",
    "What are Apple's legal proceedings?",
    "How does Amazon account for leases?",
    "What was Target's inventory at year end?",
    "What does Apple say about foreign currency risk?",
    "How many employees does Amazon have?",
)
_ROUNDS = 3


def evidence_ms(services: Services, *, rerank: bool) -> list[float]:
    """Milliseconds from the question to the evidence card, warm."""
    spent = []
    for number in range(_ROUNDS * len(QUESTIONS)):
        request = Request(QUESTIONS[number % len(QUESTIONS)], rerank=rerank, use_model=False)
        started = time.perf_counter()
        for event in services.engine.stream(request):
            if isinstance(event, EvidenceReady):
                spent.append((time.perf_counter() - started) * 1000)
    return spent


def first_token_s(services: Services) -> tuple[list[float], list[float]]:
    """Seconds from the question to the model's first word, and tokens (pieces) a second after it."""
    first, speed = [], []
    for question in QUESTIONS[:4]:
        started = time.perf_counter()
        pieces = 0
        seen = 0.0
        for event in services.engine.stream(Request(question, rerank=False)):
            if isinstance(event, Token):
                seen = seen or time.perf_counter()
                pieces += 1
        if seen:
            first.append(seen - started)
            speed.append(pieces / max(time.perf_counter() - seen, 1e-6))
    return first, speed


def stop_s(services: Services) -> list[float]:
    """Seconds from the wish to stop, 0.15 s into reading the prompt, to the end of the stream."""
    spent = []
    for number, question in enumerate(QUESTIONS[:5]):
        wish = threading.Event()
        moments: list[float] = []

        def ask(stop: threading.Event = wish, at: list[float] = moments) -> None:
            time.sleep(0.15)
            at.append(time.perf_counter())
            stop.set()

        started = False
        for event in services.engine.stream(Request(f"{question} ({number})", rerank=False), wish.is_set):
            if isinstance(event, EvidenceReady) and not started:
                started = True
                threading.Thread(target=ask, daemon=True).start()
            if isinstance(event, Finished) and moments:
                spent.append(time.perf_counter() - moments[0])
    return spent


def memory_mb() -> float:
    """Resident memory of this process and its children, in MB."""
    me = psutil.Process()
    return float(sum(p.memory_info().rss for p in [me, *me.children(recursive=True)])) / 1e6


def run(home: Path | None) -> dict[str, Any]:
    """All figures."""
    paths = find_home(home)
    with open_services(paths, load_settings(paths.settings)) as services:
        list(services.warm_up())
        evidence_ms(services, rerank=False)
        plain, reranked = evidence_ms(services, rerank=False), evidence_ms(services, rerank=True)
        first, speed = first_token_s(services) if services.model else ([], [])
        stopped = stop_s(services) if services.model else []
        return {
            "filings": len(services.library.filings()),
            "evidence_ms": {"median": round(statistics.median(plain)), "max": round(max(plain))},
            "evidence_rerank_ms": {"median": round(statistics.median(reranked)), "max": round(max(reranked))},
            "first_token_s": round(statistics.median(first), 2) if first else None,
            "tokens_per_s": round(statistics.median(speed)) if speed else None,
            "stop_s": {"median": round(statistics.median(stopped), 3), "max": round(max(stopped), 3)} if stopped else None,
            "memory_mb": round(memory_mb()),
            "model": services.model.name if services.model else None,
        }


if __name__ == "__main__":
    measure(__doc__, run)
