"""A team's corpus: the same filings, passages and facts in a Milvus server instead of a library file.

``corpus_of`` is the way in; no module here is imported before an address is given, and pymilvus not before the first connection.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from fin_tui.config import Settings
from fin_tui.paths import Paths

if TYPE_CHECKING:
    from fin_tui.retrieval.backend import Served


def corpus_of(paths: Paths, settings: Settings) -> Served | None:
    """An open connection to the corpus at ``corpus.uri``; None when that is empty: then the library of this machine is asked.

    Raises ``FinTuiError`` when the corpus can't be reached or read.
    """
    if not settings.corpus.uri:
        return None
    from fin_tui.retrieval.encoder import encoder_name
    from fin_tui.team.corpus import TeamCorpus
    from fin_tui.team.link import Link

    link = Link(settings.corpus.uri, timeout=settings.corpus.timeout_s)
    try:
        return TeamCorpus(link, encoder=encoder_name(settings.encoder, paths) or "")
    except BaseException:  # also interrupted: the connection must not stay open
        link.close()
        raise
