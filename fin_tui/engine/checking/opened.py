"""The checker over an open library, as every way in uses it."""

from __future__ import annotations

from typing import TYPE_CHECKING

from fin_tui.engine.checking.check import Checker
from fin_tui.engine.checking.passages import Passages
from fin_tui.facts.lookup import FactBook
from fin_tui.facts.metrics import vocabulary

if TYPE_CHECKING:
    from fin_tui.retrieval.retriever import Retriever
    from fin_tui.store.corpus import Corpus


def open_checker(library: Corpus, retriever: Retriever) -> Checker:
    """Checks texts against what ``library`` holds now. Nothing heavy is loaded before a passage is looked for."""
    book = FactBook(library)
    return Checker(book, book, vocabulary(), library.filings(), library.chunks, Passages(retriever))
