"""The ranker of a corpus: its rows by their vectors, where the corpus keeps them, and the cross-encoder that reads them."""

from __future__ import annotations

from fin_tui.engine.rank.filing_rows import RowBook
from fin_tui.engine.rank.ranker import Ranker
from fin_tui.retrieval.rerank import CrossEncoder
from fin_tui.retrieval.shared_encoder import SharedEncoder
from fin_tui.store import Corpus
from fin_tui.store.library import Library


def open_ranker(corpus: Corpus, encoder: SharedEncoder, reader: CrossEncoder) -> Ranker:
    """What ranks the figures of the filings of ``corpus``; nothing heavy is loaded before it is used."""
    stored = corpus.figure_rows if isinstance(corpus, Library) else None
    return Ranker(encoder, RowBook(corpus, encoder, stored), reader.read)
