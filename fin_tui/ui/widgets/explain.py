"""Why a passage is among the sources: its place in each list, and the figures that stand in it."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from textual.content import Content
from textual.widgets import Static

from fin_tui.engine.answering.events import Passage
from fin_tui.engine.figures.shown import period, printed
from fin_tui.ui.text import one_line

_LISTS = ("dense", "sparse", "rerank")


class Explain(Static):
    """A few lines under the source list, shown on demand."""

    def __init__(self, *, id: str | None = None) -> None:
        super().__init__("", markup=False, id=id)
        self.display = False

    def show(self, passage: Passage, ranks: Mapping[str, Mapping[str, int | None]], facts: Sequence[Mapping[str, Any]]) -> None:
        """Explain ``passage``; ``ranks`` are by chunk id, ``facts`` are those of the answer."""
        citation = passage.citation
        own = ranks.get(citation.chunk_id)
        if own is None:
            how = "not searched for: it holds the figures of the answer" if ranks else "ranks are known when the answer stands"
        else:
            how = " · ".join(f"{name} {own.get(name) or '–'}" for name in _LISTS)
        lines = [Content.assemble(("ranks ", "$foreground-muted"), how, (f" · score {passage.score:.3f}", "$foreground-muted"))]
        lines += [_figure(fact) for fact in facts if fact.get("citation") == citation.id]
        lines.append(Content.styled(one_line(citation.chunk_id), "$foreground-muted"))
        self.update(Content("\n").join(lines))


def _figure(fact: Mapping[str, Any]) -> Content:
    axes = ", ".join(f"{axis}={member}" for axis, member in (fact.get("dimensions") or {}).items())
    details = " · ".join(part for part in (one_line(str(fact.get("concept", ""))), period(fact), one_line(axes)) if part)
    return Content.assemble((f"{printed(fact)} ", "bold"), (details, "$foreground-muted"))
