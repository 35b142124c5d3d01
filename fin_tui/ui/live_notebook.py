"""The notebook, exports and figures of an open library, as the app asks for them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from fin_tui.engine.answering.events import Passage
from fin_tui.engine.exports.file import Taken, text_of, write_new
from fin_tui.engine.exports.page import Format, of_conversation, of_notebook, refuse_unsupported
from fin_tui.engine.figures.detail import FigureDetail, Stated, citation_at, detail_of
from fin_tui.engine.kept import notebook
from fin_tui.records import Answer, Citation, Saved
from fin_tui.store.corpus import Corpus
from fin_tui.store.library import Library
from fin_tui.ui.notebook_room import NotebookState


class LiveNotebook:
    """Implements ``ui.notebook_room.NotebookRoom``."""

    def __init__(self, library: Library, corpus: Corpus, exports: Path) -> None:
        """``library`` keeps notebook and conversations, ``corpus`` holds the filings; files are written into ``exports``."""
        self._library = library
        self._corpus = corpus
        self._exports = exports

    def read(self) -> NotebookState:
        entries = self._library.notebook.all()
        return NotebookState(entries, notebook.trace((entry.saved for entry in entries), self._corpus))

    def keep_answer(self, answer: Answer, passages: Sequence[Passage]) -> None:
        self._add(notebook.of_answer(answer, passages))

    def keep_passage(self, passage: Passage) -> None:
        self._add(notebook.of_passage(passage))

    def keep_figure(self, fact: Mapping[str, Any], citation: Citation | None) -> None:
        self._add(notebook.of_figure(fact, citation))

    def keep_span(self, filing: str, start: int, end: int) -> None:
        corpus = self._corpus
        self._add(notebook.of_span(corpus.filing(filing), start, end, corpus.text(filing), corpus.chunks))

    def annotate(self, number: int, note: str) -> None:
        self._library.notebook.annotate(number, note)

    def move(self, number: int, by: int) -> None:
        self._library.notebook.move(number, by)

    def remove(self, number: int) -> None:
        self._library.notebook.remove(number)

    def export(self, form: Format, *, with_unsupported: bool, taken: Taken | None = None) -> Path:
        state = self.read()
        page = of_notebook(state.entries, state.traced)
        refuse_unsupported(page, allowed=with_unsupported)
        return write_new(self._exports, "notebook", form, text_of(page, form), taken)

    def export_conversation(self, conversation: str, form: Format, taken: Taken | None = None) -> Path:
        found = self._library.conversations.get(conversation)
        page = of_conversation(found, self._library.conversations.turns(found.id))
        return write_new(self._exports, found.title or "conversation", form, text_of(page, form), taken)

    def figure(self, fact: Mapping[str, Any]) -> FigureDetail:
        return detail_of(fact, self._corpus)

    def citation_of(self, stated: Stated) -> Citation | None:
        return citation_at(stated, 1, self._corpus)

    def _add(self, saved: Saved) -> None:
        self._library.notebook.add(notebook.with_versions(saved, self._corpus))
