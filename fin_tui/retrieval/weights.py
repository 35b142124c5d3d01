"""The encoder and the cross-encoder of a search: loaded on first use, and what is missing told once for all searches."""

from __future__ import annotations

from typing import TYPE_CHECKING

from fin_tui import config
from fin_tui.errors import MissingAsset
from fin_tui.paths import Paths

if TYPE_CHECKING:
    from fin_tui.retrieval.encoder import Encoder
    from fin_tui.retrieval.rerank import Reranker


class Weights:
    """Loads each engine at most once; a failed load is not tried again."""

    def __init__(self, settings: config.Encoder, paths: Paths, encoder: Encoder | None = None) -> None:
        """``encoder`` replaces the configured one."""
        self._settings = settings
        self._paths = paths
        self.made_encoder = encoder
        self.made_reranker: Reranker | None = None
        self._encoder_note = self._reranker_note = ""

    def encoder(self, notes: list[str]) -> Encoder | None:
        """The encoder; None, and a line in ``notes``, when its weights are not there."""
        if self.made_encoder is None and not self._encoder_note:
            from fin_tui.retrieval.encoder import load_encoder

            try:
                self.made_encoder = load_encoder(self._settings, self._paths)
            except MissingAsset as error:
                self._encoder_note = f"Search by words alone: {error.message}."
        if self.made_encoder is None:
            notes.append(self._encoder_note)
        return self.made_encoder

    def reranker(self, notes: list[str]) -> Reranker | None:
        """The cross-encoder; None, and a line in ``notes``, when its weights are not there."""
        if self.made_reranker is None and not self._reranker_note:
            from fin_tui.retrieval.rerank import load_reranker

            try:
                self.made_reranker = load_reranker(self._paths)
            except MissingAsset as error:
                self._reranker_note = f"Not reranked: {error.message}."
        if self.made_reranker is None:
            notes.append(self._reranker_note)
        return self.made_reranker
