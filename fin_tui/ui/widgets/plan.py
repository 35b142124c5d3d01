"""The steps that a compound question was taken apart into, folded away until someone looks."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from textual.content import Content
from textual.widgets import Collapsible, Static

from fin_tui.ui.text import one_line

_COMPOUND = 2
"""Steps from which a question is compound."""


class PlanSteps(Collapsible):
    """Hidden for a question of one step."""

    def __init__(self) -> None:
        self._steps = Static("", markup=False)
        super().__init__(self._steps, title="", collapsed=True, classes="plan")
        self.display = False

    def show(self, plan: Sequence[Mapping[str, Any]]) -> None:
        """Number the steps of ``plan``, as the answer's contract has them."""
        self.display = len(plan) >= _COMPOUND
        self.title = f"Steps: {len(plan)} (h)"
        lines = [f"{number:>2}. {_step(step)}" for number, step in enumerate(plan, start=1)]
        self._steps.update(Content("\n".join(lines)))

    def toggle(self) -> None:
        """Fold the steps out or away."""
        self.collapsed = not self.collapsed


def _step(step: Mapping[str, Any]) -> str:
    operation, question = str(step.get("operation") or ""), str(step.get("question") or "")
    verb = "look up" if operation == "lookup" else operation
    return one_line(f"{verb}: {question.removeprefix(f'{operation} ')}")
