"""Everything an answer needs, opened together and closed together: library, retriever, model, engine."""

from __future__ import annotations

import logging
from collections.abc import Iterator
from dataclasses import dataclass, field

from fin_tui.config import Settings
from fin_tui.engine.answer import AnswerEngine
from fin_tui.engine.figures import Source
from fin_tui.engine.llm import LlamaClient, open_model
from fin_tui.engine.structure import Structure
from fin_tui.errors import FinTuiError
from fin_tui.facts.lookup import FactBook
from fin_tui.facts.metrics import vocabulary
from fin_tui.paths import Paths
from fin_tui.retrieval.retriever import Retriever
from fin_tui.store.library import Library
from fin_tui.store.pause import answering

log = logging.getLogger(__name__)


@dataclass(slots=True)
class Services:
    """Open services. Use as a context manager, or call ``close``."""

    paths: Paths
    settings: Settings
    library: Library
    retriever: Retriever
    engine: AnswerEngine
    model: LlamaClient | None
    notes: list[str] = field(default_factory=list)
    """What is missing and what to do about it, one line each."""

    def warm_up(self) -> Iterator[str]:
        """Load indexes, encoder and model; yields what is being loaded. What can't load becomes a note, not an error."""
        yield "loading indexes"
        try:
            self.retriever.warm_up()
        except FinTuiError as error:
            self._note(error)
        if self.model is not None:
            yield f"loading {self.model.name}"
            try:
                self.model.load()
            except FinTuiError as error:
                self._note(error)
                self.model = self.engine.model = None

    def _note(self, error: FinTuiError) -> None:
        log.warning("%s %s", error.message, error.hint)
        self.notes.append(f"{error.message} {error.hint}".strip())

    def close(self) -> None:
        """End the model process and close the library; safe to call twice."""
        if self.model is not None:
            self.model.close()
        self.library.close()

    def __enter__(self) -> Services:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()


def open_services(paths: Paths, settings: Settings, *, with_model: bool = True) -> Services:
    """Open the library under ``paths``; nothing heavy is loaded before it is used or ``warm_up`` is called.

    A model that is not there leaves ``model`` None and a note. Raises ``FinTuiError`` when the library can't be opened.
    """
    library = Library.open(paths)
    retriever = Retriever(library, paths, settings)
    model: LlamaClient | None = None
    notes = []
    if with_model:
        try:
            model = open_model(paths, settings.model)
        except FinTuiError as error:
            notes.append(f"{error.message} {error.hint}".strip())
    engine = AnswerEngine(
        library,
        retriever,
        model,
        settings,
        busy=lambda: answering(paths),
        figures=_figures(library),
        structure=Structure(library, library.chunks),
        planner=model if model is not None and model.may_plan else None,
    )
    return Services(paths, settings, library, retriever, engine, model, notes)


def _figures(library: Library) -> Source:
    return Source(FactBook(library), vocabulary(), library.chunks)
