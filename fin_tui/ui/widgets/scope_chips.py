"""The scope as chips above the prompt."""

from __future__ import annotations

from collections.abc import Sequence

from textual.content import Content
from textual.style import Style
from textual.widgets import Static

_MOST = 4


class ScopeChips(Static):
    """Hidden while nothing is picked: then a question may look at everything. A click on its end clears it."""

    def __init__(self, *, id: str | None = None) -> None:
        super().__init__("", markup=False, id=id)
        self.display = False

    def show(self, labels: Sequence[str]) -> None:
        """Show ``labels`` as chips; more than a few are counted."""
        self.display = bool(labels)
        parts: list[Content] = [Content.styled("scope ", "$foreground-muted")]
        for label in labels[:_MOST]:
            parts += [Content.styled(f" {label} ", "$foreground on $panel"), Content(" ")]
        if len(labels) > _MOST:
            parts.append(Content.styled(f"and {len(labels) - _MOST} more ", "$foreground-muted"))
        parts.append(Content.styled("x clears", Style.from_meta({"@click": "screen.clear_scope"})))
        self.update(Content("").join(parts))
