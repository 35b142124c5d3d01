"""The lines of a filing that are nearest to what a conversation looks for: rows of figures and sentences with numbers.

Both have vectors of one encoder, and stand in passages that have vectors of another; the trained encoder of questions looks among
both. A line counts by its own cosine and by that of its passage, whose heading and neighbours tell what a bare "Total" is of.
"""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Callable, Hashable, Iterator, Mapping, Sequence

from fin_tui.candidates import Candidate
from fin_tui.engine.rank.excerpt import Excerpts, Line
from fin_tui.engine.rank.filing_rows import FilingRows, RowBook
from fin_tui.records import Chunk, Filing, Scope
from fin_tui.retrieval.retriever import Nearest
from fin_tui.retrieval.shared_encoder import SharedEncoder

_PASSAGES, _SAID = 50, 12
"""Passages whose cosines are known, and those in prose whose sentences are looked at."""
_OF_PASSAGE = 1.5
"""What the cosine of the passage counts beside that of the line: with .5, 1, 1.5, 2 and 2.5 for rows and sentences alike or apart
what answers 1,050 questions over filings that were not trained on is among the first 20 lines for 77 to 81 of 100.
"""
_LINES = 17
"""Lines of a filing."""
_READ = 300
"""Characters of a sentence that its vector is made of."""


Seek = Callable[[Sequence[str], Scope, str, int], Nearest | None]
"""A conversation, a scope, the encoder of rows, how many passages -> what is near; None where vectors are of other encoders."""


class NearLines:
    """Finds lines of one filing after the other."""

    def __init__(self, book: RowBook, excerpts: Excerpts, encoder: SharedEncoder, seek: Seek) -> None:
        self._book = book
        self._excerpts = excerpts
        self._encoder = encoder
        self._seek = seek

    def of(self, conversation: Sequence[str], filing: Filing) -> list[tuple[Line, float]]:
        """The lines of ``filing`` nearest to what the last question of a conversation looks for, the nearest first, each with how
        near it is; none where that can't be told.
        """
        near = self._seek(conversation, Scope(filings=(filing.id,)), self._encoder.name, _PASSAGES)
        if near is None or not near.passages:
            return []
        found: list[tuple[Candidate | Line, float]] = [*self._rows(near, filing), *self._said(near, filing)]
        found.sort(key=lambda of: -of[1])
        best: dict[Hashable, tuple[Line, float]] = {}
        texts: set[str] = set()
        for made, score in found:
            line = made if isinstance(made, Line) else self._excerpts.around(made, filing)
            if line is not None and line.printed and line.key not in best and line.text not in texts:
                best[line.key] = line, score
                texts.add(line.text)
            if len(best) == _LINES:
                break
        return list(best.values())

    def _rows(self, near: Nearest, filing: Filing) -> Iterator[tuple[Candidate, float]]:
        """A figure of each row, one of the nearest passage that the row stands in."""
        rows = self._book.of(filing)
        printed, least = _printed_in(rows, near.passages), near.passages[-1][1]
        for row, own in rows.similarities(near.rows).items():
            one, of_passage = printed.get(row, (rows.by_row[row][0], least))
            yield one, own + _OF_PASSAGE * of_passage

    def _said(self, near: Nearest, filing: Filing) -> list[tuple[Line, float]]:
        """The sentences with numbers of the nearest passages in prose."""
        prose = [(chunk, cosine) for chunk, cosine in near.passages if chunk.kind == "prose"][:_SAID]
        said = [(line, cosine) for chunk, cosine in prose for line in self._excerpts.sentences(chunk, filing) if line.printed]
        if not said:
            return []
        own = self._book.of(filing).cosines([line.text[:_READ] for line, _ in said], near.rows, self._encoder)
        return [(line, float(mine) + _OF_PASSAGE * cosine) for (line, cosine), mine in zip(said, own, strict=True)]


def _printed_in(rows: FilingRows, passages: Sequence[tuple[Chunk, float]]) -> Mapping[str, tuple[Candidate, float]]:
    """Row -> its first figure in the nearest passage that it stands in, and the cosine of that."""
    figures = rows.by_start
    found: dict[str, tuple[Candidate, float]] = {}
    for chunk, cosine in passages:
        first, last = (bisect_left(figures, place, key=lambda one: one.fact.start) for place in (chunk.start, chunk.end))
        for one in figures[first:last]:
            found.setdefault(one.row, (one, cosine))
    return found
