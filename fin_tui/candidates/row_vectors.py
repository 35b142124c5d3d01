"""Vectors of a filing's rows, made once when it is added."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from typing import Protocol

from fin_tui.candidates.candidate import Candidate
from fin_tui.candidates.figures import figures_of
from fin_tui.records import Document, Fact
from fin_tui.retrieval.shared_encoder import Array, SharedEncoder

LEAST_ROW = 3
"""Characters of a row that names anything."""


class Rows(Protocol):
    """Where row vectors are kept."""

    def missing(self, encoder: str, /) -> Sequence[str]: ...
    def put(self, filing_id: str, encoder: str, texts: Sequence[str], vectors: Array, /) -> None: ...


def named_figures(document: Document, facts: Sequence[Fact]) -> tuple[Candidate, ...]:
    """The figures of a filing that stand in a row, or sentence, of words."""
    return tuple(one for one in figures_of(document, facts) if len(one.row) >= LEAST_ROW)


def add_missing(
    rows: Rows,
    document: Callable[[str], Document],
    facts: Callable[[str], Sequence[Fact]],
    encoder: SharedEncoder,
    cancelled: Callable[[], bool],
) -> Iterator[tuple[int, int]]:
    """Make and keep the vectors of the rows of filings that lack them; gives (filings done, filings that lacked them).

    Raises ``MissingAsset`` when the weights can't be read.
    """
    encoder.load()
    lacking = rows.missing(encoder.name)
    for done, filing_id in enumerate(lacking, start=1):
        if cancelled():
            return
        texts = tuple(dict.fromkeys(one.row for one in named_figures(document(filing_id), facts(filing_id))))
        rows.put(filing_id, encoder.name, texts, encoder.vectors(texts))
        yield done, len(lacking)
