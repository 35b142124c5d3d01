"""How the next question is searched and answered, as the reader set it; pure."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Literal, get_args

from fin_tui.config import Mode, Settings
from fin_tui.records import Scope
from fin_tui.ui.services import Ask
from fin_tui.ui.source_picks import SourcePicks

_MODES: tuple[Mode, ...] = get_args(Mode)
Writes = Literal["where needed", "always", "never"]
"""When a model writes the answer: where what is proven isn't all of it, beside that too, or not at all."""
_WRITES: tuple[Writes, ...] = get_args(Writes)
_MODEL_LABELS: dict[Writes, str] = {"where needed": "", "always": "model always", "never": "model off"}
_BY: dict[Mode, str] = {"dense": "search by meaning", "sparse": "search by words"}


@dataclass(frozen=True, slots=True)
class SearchChoice:
    """Search mode, reranking, and when a model writes the answer."""

    mode: Mode
    rerank: bool
    writes: Writes = "where needed"

    @classmethod
    def from_settings(cls, settings: Settings) -> SearchChoice:
        return cls(settings.search.mode, settings.search.rerank)

    def next_mode(self) -> SearchChoice:
        return replace(self, mode=_MODES[(_MODES.index(self.mode) + 1) % len(_MODES)])

    def toggle_rerank(self) -> SearchChoice:
        return replace(self, rerank=not self.rerank)

    def next_writes(self) -> SearchChoice:
        return replace(self, writes=_WRITES[(_WRITES.index(self.writes) + 1) % len(_WRITES)])

    @property
    def use_model(self) -> bool:
        """Whether a model writes at all."""
        return self.writes != "never"

    @property
    def label(self) -> str:
        """For the status line: what is not as usual."""
        parts = (_BY.get(self.mode, ""), "" if self.rerank else "not reranked", _MODEL_LABELS[self.writes])
        return " · ".join(filter(None, parts))

    def ask(self, question: str, scope: Scope, history: tuple[str, ...], picks: SourcePicks) -> Ask:
        """The request for ``question`` as things are set."""
        always = self.writes == "always"
        return Ask(question, scope, self.mode, self.rerank, self.use_model, always, history, picks.kept, picks.dropped)
