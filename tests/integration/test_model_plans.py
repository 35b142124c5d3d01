"""The real language model held to the grammar of plans."""

from __future__ import annotations

from pathlib import Path

from fin_tui import config
from fin_tui.engine.answering.planner import Plan, propose
from fin_tui.engine.models.client import LlamaClient
from fin_tui.paths import Paths


def test_what_it_writes_is_always_a_plan(models_dir: Path) -> None:
    client = LlamaClient(models_dir / "SmolLM2-135M-Instruct.Q4_1.gguf", config.Model(), Paths(models_dir.parent))
    try:
        plan = propose("What part of Acme's 2024 revenue was left as net income?", client, lambda: False)
        assert isinstance(plan, Plan)
        assert set(plan.expression) <= set("abcdefghijklmnopqrstuvwxyz0123456789 ()+-*/")
        assert client.last is not None
        assert client.last.reason == "end"
    finally:
        client.close()
