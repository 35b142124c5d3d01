"""The retriever over whatever holds the filings: a library with indexes on this machine, or a corpus that searches by itself."""

from __future__ import annotations

from typing import TYPE_CHECKING, Protocol

from fin_tui.config import Settings
from fin_tui.paths import Paths
from fin_tui.retrieval.retriever import Imagine, Retriever
from fin_tui.retrieval.rooms import Rooms
from fin_tui.store import Corpus
from fin_tui.store.filings import Provenance
from fin_tui.store.library import Library

if TYPE_CHECKING:
    from fin_tui.retrieval.rerank import CrossEncoder


class Served(Corpus, Rooms, Protocol):
    """A corpus that a server holds and searches."""

    @property
    def name(self) -> str:
        """For people: where it is."""
        ...

    def provenance(self, filing_id: str, /) -> Provenance:
        """How a filing came to be as it is there; raises ``NotFound``."""
        ...

    def notes(self) -> tuple[str, ...]:
        """What limits searches from this machine, for people."""
        ...

    def close(self) -> None:
        """Safe to call twice."""
        ...


def open_retriever(
    corpus: Library | Served,
    paths: Paths,
    settings: Settings,
    imagine: Imagine | None = None,
    reader: CrossEncoder | None = None,
) -> Retriever:
    """Nothing heavy is loaded before its first search; ``reader`` is the cross-encoder, where others use it too."""
    if isinstance(corpus, Library):
        return Retriever(corpus, paths, settings, imagine=imagine, reader=reader)
    return Retriever(None, paths, settings, imagine=imagine, rooms=corpus, reader=reader)
