"""Everything an answer needs, opened together and closed together: library, retriever, model, engine."""

from __future__ import annotations

import logging
from collections.abc import Iterator, Sequence
from contextlib import nullcontext
from dataclasses import dataclass, field

from fin_tui.config import Settings
from fin_tui.engine.answering.answer import AnswerEngine
from fin_tui.engine.answering.closer import reading_prompt
from fin_tui.engine.answering.prompt import writing_prompt
from fin_tui.engine.answering.read_out import ReadsOut
from fin_tui.engine.checking.ranked import Asker
from fin_tui.engine.evidence.paragraphs import Outlines
from fin_tui.engine.figures.answer import Source
from fin_tui.engine.figures.linked_book import Linked
from fin_tui.engine.frame.meaning import Meanings
from fin_tui.engine.frame.reader import FrameReader
from fin_tui.engine.models.client import LlamaClient, open_model
from fin_tui.engine.models.protocol import Message
from fin_tui.engine.questions.instructions import Shapes
from fin_tui.engine.questions.spelling import Spelling
from fin_tui.engine.rank import open_ranker
from fin_tui.engine.searching import Finder, state_of
from fin_tui.engine.structures.structure import Structure
from fin_tui.errors import FinTuiError
from fin_tui.facts import vocabulary
from fin_tui.facts.lookup import FactBook
from fin_tui.paths import Paths
from fin_tui.retrieval.backend import Served, open_retriever
from fin_tui.retrieval.excerpt_reader import ExcerptReader
from fin_tui.retrieval.paragraph_reader import ParagraphReader
from fin_tui.retrieval.rerank import CrossEncoder
from fin_tui.retrieval.retriever import Retriever
from fin_tui.retrieval.shared_encoder import SharedEncoder
from fin_tui.store.database import answering, is_answering
from fin_tui.store.library import Library

log = logging.getLogger(__name__)


@dataclass(slots=True)
class Services:
    """Open services. Use as a context manager, or call ``close``."""

    paths: Paths
    settings: Settings
    library: Library
    """This machine's: conversations, notebook and bookmarks are kept there, whatever is asked."""
    corpus: Library | Served
    """The filings that are asked: the library itself, or a corpus elsewhere."""
    retriever: Retriever
    engine: AnswerEngine
    finder: Finder
    """Finds passages as the engine does, with its memory of the last questions."""
    book: FactBook
    """The facts that the engine looks figures up in."""
    encoder: SharedEncoder
    """What reads questions and names of figures."""
    model: LlamaClient | None
    notes: list[str] = field(default_factory=list)
    """What is missing and what to do about it, one line each."""

    @property
    def served(self) -> Served | None:
        """The corpus elsewhere; None when the library of this machine is asked."""
        return None if isinstance(self.corpus, Library) else self.corpus

    @property
    def asker(self) -> Asker | None:
        """What reads the numbers of a text as questions; None where figures are not ranked."""
        linked = self.engine.linked
        return Asker(FrameReader(self.encoder), linked, self.finder.owner) if linked is not None else None

    def warm_up(self) -> Iterator[str]:
        """Load indexes, encoder, and the model if it is of use; yields what is being loaded. What can't load becomes a note."""
        yield "loading indexes"
        try:
            self.retriever.warm_up()
            self.engine.warm_up()
        except FinTuiError as error:
            self._note(error)
        if self.model is not None and (self.model.writes or self.model.may_read):
            yield f"loading {self.model.name}"
            try:
                self.model.load()
                self.model.warm(_beginnings(self.model), lambda: is_answering(self.paths))
            except FinTuiError as error:
                self._note(error)
                self.model = self.engine.model = None

    def _note(self, error: FinTuiError) -> None:
        log.warning("%s %s", error.message, error.hint)
        self.notes.append(f"{error.message} {error.hint}".strip())

    def close(self) -> None:
        """End the model process, close the library and the corpus; safe to call twice."""
        if self.model is not None:
            self.model.close()
        self.corpus.close()
        self.library.close()

    def __enter__(self) -> Services:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()


def open_services(
    paths: Paths,
    settings: Settings,
    *,
    with_model: bool = True,
    corpus: Served | None = None,
    is_background: bool = False,
) -> Services:
    """Open the library under ``paths``; nothing heavy is loaded before it is used or ``warm_up`` is called. With
    ``corpus``, which is closed with the services, the filings there are asked in place of the library's. For the answers of
    services in the background (``is_background``) no other work waits.

    A model that is not there leaves ``model`` None and a note. Raises ``FinTuiError`` when the library can't be opened.
    """
    library = Library.open(paths)
    model: LlamaClient | None = None
    notes = []
    if with_model:
        try:
            model = open_model(paths, settings.model)
        except FinTuiError as error:
            notes.append(f"{error.message} {error.hint}".strip())
    asked = library if corpus is None else corpus
    notes += corpus.notes() if corpus is not None else ()
    book = FactBook(asked)
    encoder = SharedEncoder()
    figures = Source(book, vocabulary(), asked.chunks, Meanings(encoder, vocabulary()).of)
    reader = CrossEncoder()
    retriever = open_retriever(asked, paths, settings, reader)
    frames = FrameReader(encoder)
    finder = Finder(retriever, asked, figures, k=settings.search.k, state=state_of(asked), frames=frames)
    linked = Linked(open_ranker(asked, encoder, reader), finder.passages_of)
    engine = AnswerEngine(
        asked,
        retriever,
        model,
        settings,
        busy=nullcontext if is_background else lambda: answering(paths),
        figures=figures,
        structure=Structure(asked, asked.chunks),
        finder=finder,
        judge=retriever.judge,
        outlines=Outlines(asked),
        frames=frames,
        linked=linked,
        spelling=spelling_of(encoder, finder),
        shapes=Shapes(encoder),
        reads_out=ReadsOut(ExcerptReader(reader), figures, linked, encoder, retriever.near),
        paragraphs=ParagraphReader(reader),
    )
    return Services(paths, settings, library, asked, retriever, engine, finder, book, encoder, model, notes)


def _beginnings(model: LlamaClient) -> list[Sequence[Message]]:
    """What the prompts of ``model`` begin with, by what it may be used for."""
    return [*([reading_prompt()] if model.may_read else ()), *([writing_prompt()] if model.writes else ())]


def spelling_of(encoder: SharedEncoder, finder: Finder) -> Spelling:
    """What mends slips in questions, by the names of figures and the words of the trained reader and of the filings."""
    names = (name for metric in vocabulary().metrics for name in metric.names)
    return Spelling(names, encoder.is_word, lambda: encoder.plain_words, finder.holds)
