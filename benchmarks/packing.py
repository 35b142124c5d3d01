"""How much sooner a follow-up's first token comes when its evidence stands in a stable order.

    python -m benchmarks.packing --home DIR [--rounds N]

The library at ``--home`` holds the sample filings. Each pair of questions is asked twice with the configured model: the follow-up
once with the excerpts that it shares with the question before at the front and word for word as they stood, once with its
excerpts in the opposite order. Printed: tokens read and known from before, and the time of reading, which is most of the wait.
"""

from __future__ import annotations

import argparse
import statistics
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from fin_tui.config import load_settings
from fin_tui.engine.answering.answer import Request
from fin_tui.engine.answering.prompt import Excerpt, Prompt, Room, Told, build_prompt
from fin_tui.engine.evidence.extract import extract
from fin_tui.engine.models.client import LlamaClient
from fin_tui.engine.models.protocol import Message
from fin_tui.engine.services import Services, open_services
from fin_tui.paths import find_home

PAIRS = (
    ("What does Apple say about its outsourcing partners?", "Where are Apple's outsourcing partners located?"),
    ("How does Target describe competition?", "Who competes with Target?"),
    ("How does Amazon account for leases?", "What lease terms does Amazon describe?"),
    ("What does Apple say about foreign currency risk?", "How does Apple hedge foreign currency risk?"),
    ("How does Amazon describe its seasonality?", "In which quarter is Amazon's seasonality strongest?"),
)


@dataclass(frozen=True, slots=True)
class Reading:
    """How a prompt was read."""

    tokens: int
    reused: int
    ms: float


def read(model: LlamaClient, messages: Sequence[Message]) -> Reading:
    """Read the prompt and write one token."""
    for _ in model.generate(messages, max_tokens=1, cancelled=lambda: False):
        pass
    assert model.last is not None
    return Reading(model.last.prompt_tokens, model.last.reused_tokens, model.last.prefill_ms)


def prompt_of(
    services: Services, model: LlamaClient, question: str, before: Sequence[Excerpt] = (), *, turned: bool = False
) -> Prompt:
    """The prompt of a question; ``turned`` puts its excerpts in the opposite order."""
    understood = services.engine.understand(Request(question, rerank=False))
    sentences, evidence = extract(services.engine.drafting.evidence(understood, services.engine.retrieve(understood)))
    limits = services.settings.model
    room = Room(model.context, limits.answer_tokens, limits.evidence_tokens)
    prompt = build_prompt(question, Told(sentences, evidence.passages), room, model.count_tokens, before=before)
    if not turned:
        return prompt
    blocks = [excerpt.block for excerpt in prompt.excerpts]
    system, user = prompt.messages
    content = user.content.replace("\n\n".join(blocks), "\n\n".join(reversed(blocks)))
    return Prompt((system, Message("user", content)), prompt.excerpts[::-1])


def main() -> None:
    """See the head of this file."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--home", type=Path)
    parser.add_argument("--rounds", type=int, default=2)
    arguments = parser.parse_args()
    paths = find_home(arguments.home)
    found: dict[str, list[Reading]] = {"first question": [], "follow-up, stable": [], "follow-up, reversed": []}
    with open_services(paths, load_settings(paths.settings)) as services:
        model = services.model
        if model is None:
            raise SystemExit("There is no language model; run `fin-tui setup`.")
        for first, second in PAIRS * arguments.rounds:
            before = prompt_of(services, model, first)
            found["first question"].append(read(model, before.messages))
            found["follow-up, stable"].append(read(model, prompt_of(services, model, second, before.excerpts).messages))
            read(model, before.messages)
            turned = prompt_of(services, model, second, before.excerpts, turned=True)
            found["follow-up, reversed"].append(read(model, turned.messages))
    print("| prompt | tokens | known from before | reading, ms |")
    print("|---|---|---|---|")
    for name, readings in found.items():
        middle = [statistics.median(getattr(one, field) for one in readings) for field in ("tokens", "reused", "ms")]
        print(f"| {name} | {' | '.join(f'{value:.0f}' for value in middle)} |")


if __name__ == "__main__":
    main()
