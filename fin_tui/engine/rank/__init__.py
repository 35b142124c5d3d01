"""Which figure of a filing a question asks for: a shortlist by vectors and words, scores of pairs, one fitted model over them.

:func:`open_ranker` opens it for a corpus; ``ranker.py`` is where it chooses.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from fin_tui.engine.rank.ranker import Ranker
    from fin_tui.retrieval.rerank import CrossEncoder
    from fin_tui.retrieval.shared_encoder import SharedEncoder
    from fin_tui.store import Corpus


def open_ranker(corpus: Corpus, encoder: SharedEncoder, reader: CrossEncoder) -> Ranker:
    """What ranks the figures of the filings of ``corpus``: its rows by their vectors, where the corpus keeps them, and the
    cross-encoder that reads them. Nothing heavy is loaded before it is used.
    """
    from fin_tui.engine.rank.filing_rows import RowBook
    from fin_tui.engine.rank.ranker import Ranker
    from fin_tui.store.library import Library

    stored = corpus.figure_rows if isinstance(corpus, Library) else None
    return Ranker(encoder, RowBook(corpus, encoder, stored), reader.read)
