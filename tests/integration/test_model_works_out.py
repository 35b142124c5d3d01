"""The real language model held to the grammar of expressions."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from pathlib import Path

from fin_tui import config
from fin_tui.engine.answering.closer import Asked, work_out
from fin_tui.engine.models.client import LlamaClient
from fin_tui.engine.models.protocol import Message
from fin_tui.facts.expression import parse
from fin_tui.paths import Paths

LINES = ("Net income: 2024-12-31 310; 2023-12-31 280 ($ million)", "Revenue: 2024-12-31 2,400; 2023-12-31 2,650 ($ million)")
QUESTION = Asked("What part of Acme's 2024 revenue was left as net income?", ("What was revenue in 2024?",))


class Heard(LlamaClient):
    """Keeps what it wrote."""

    written = ""

    def fill(self, messages: Sequence[Message], grammar: str, *, max_tokens: int, cancelled: Callable[[], bool]) -> str:
        self.written = super().fill(messages, grammar, max_tokens=max_tokens, cancelled=cancelled)
        return self.written


def test_what_it_writes_is_always_an_expression_and_the_same_again(models_dir: Path) -> None:
    client = Heard(models_dir / "SmolLM2-135M-Instruct.Q4_1.gguf", config.Model(), Paths(models_dir.parent))
    try:
        value = work_out(client, QUESTION, LINES, ("Net income rose to $310 million.",), lambda: False)
        first = client.written
        assert first == "none" or parse(first)
        assert first != "none" or value is None
        assert work_out(client, QUESTION, LINES, ("Net income rose to $310 million.",), lambda: False) == value
        assert client.written == first
        assert work_out(client, QUESTION, LINES, (), lambda: True) is None
    finally:
        client.close()
