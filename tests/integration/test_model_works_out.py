"""The real language model held to the grammar of expressions."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from pathlib import Path

from fin_tui import config
from fin_tui.engine.answering.closer import Asked, work_out
from fin_tui.engine.evidence.evidence import Evidence, gather
from fin_tui.engine.models.client import LlamaClient
from fin_tui.engine.models.protocol import Message
from fin_tui.facts.expression import parse
from fin_tui.paths import Paths
from tests.unit.engine.made import hit

LINES = ("Net income: 2024-12-31 310; 2023-12-31 280 ($ million)", "Revenue: 2024-12-31 2,400; 2023-12-31 2,650 ($ million)")
TOLD = gather("net income", [hit("Net income rose to $310 million.")])
QUESTION = Asked("What part of Acme's 2024 revenue was left as net income?", ("What was revenue in 2024?",))


class Heard(LlamaClient):
    """Keeps what it wrote."""

    written = ""

    def fill(self, messages: Sequence[Message], grammar: str, *, max_tokens: int, cancelled: Callable[[], bool]) -> str:
        self.written = super().fill(messages, grammar, max_tokens=max_tokens, cancelled=cancelled)
        return self.written


def test_what_it_writes_is_always_an_expression(models_dir: Path) -> None:
    client = Heard(models_dir / "SmolLM2-135M-Instruct.Q4_1.gguf", config.Model(), Paths(models_dir.parent))
    try:
        for evidence in (TOLD, TOLD, Evidence((), (), 0.0)):
            value = work_out(client, QUESTION, LINES, evidence, lambda: False)
            assert client.written == "none" or parse(client.written)
            assert client.written != "none" or value is None
        assert work_out(client, QUESTION, LINES, TOLD, lambda: True) is None
    finally:
        client.close()
