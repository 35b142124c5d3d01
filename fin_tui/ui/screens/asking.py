"""How the next question is searched and worded, as the reader set it; pure."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import get_args

from fin_tui.config import Mode, Settings
from fin_tui.records import Scope
from fin_tui.ui.services import Ask
from fin_tui.ui.source_picks import SourcePicks

_MODES: tuple[Mode, ...] = get_args(Mode)


@dataclass(frozen=True, slots=True)
class SearchChoice:
    """Search mode, reranking, and whether a model words the answer."""

    mode: Mode
    rerank: bool
    use_model: bool = True

    @classmethod
    def from_settings(cls, settings: Settings) -> SearchChoice:
        return cls(settings.search.mode, settings.search.rerank)

    def next_mode(self) -> SearchChoice:
        return replace(self, mode=_MODES[(_MODES.index(self.mode) + 1) % len(_MODES)])

    def toggle_rerank(self) -> SearchChoice:
        return replace(self, rerank=not self.rerank)

    def toggle_model(self) -> SearchChoice:
        return replace(self, use_model=not self.use_model)

    @property
    def label(self) -> str:
        """For the status line: "hybrid + rerank"."""
        return self.mode + (" + rerank" if self.rerank else "") + ("" if self.use_model else " · model off")

    def ask(self, question: str, scope: Scope, history: tuple[str, ...], picks: SourcePicks) -> Ask:
        """The request for ``question`` as things are set."""
        return Ask(question, scope, self.mode, self.rerank, self.use_model, history, picks.kept, picks.dropped)
