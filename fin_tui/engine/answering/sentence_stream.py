"""Pieces of streamed text -> finished sentences (pure)."""

from __future__ import annotations

from collections.abc import Iterator

from fin_tui.engine.evidence.citations import split_answer

_ENDS = frozenset(".!?\n")
_FINISHED = (".", "!", "?", ":", ";")


class SentenceStream:
    """Collects what a model streams and hands out each sentence once it can't grow any more."""

    def __init__(self) -> None:
        self.text = ""
        self._given = 0

    def feed(self, piece: str) -> Iterator[str]:
        """Add ``piece``; yields the sentences that it finished, all but the last one begun."""
        self.text += piece
        if not _ENDS.isdisjoint(self.text[-len(piece) - 2 :]):
            yield from self._give(split_answer(self.text)[:-1])

    def finish(self) -> Iterator[str]:
        """The sentences still open at the end. One cut off in its middle is dropped, unless it is all there is."""
        sentences = split_answer(self.text)
        if len(sentences) > 1 and not sentences[-1].rstrip("\"'”’)] ").endswith(_FINISHED):
            sentences = sentences[:-1]
        yield from self._give(sentences)

    def _give(self, sentences: list[str]) -> Iterator[str]:
        for sentence in sentences[self._given :]:
            self._given += 1
            yield sentence
