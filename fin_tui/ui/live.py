"""The real services behind the app, over an open library or a team's corpus, seen through ``ui.services``."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING

from fin_tui.config import Settings
from fin_tui.engine.answering.answer import Request
from fin_tui.engine.answering.events import Event, Passage
from fin_tui.engine.saved_items import evidence_of, fingerprint, passages_of
from fin_tui.engine.services import Services as EngineServices
from fin_tui.engine.services import open_services
from fin_tui.errors import UsageError, in_one_line
from fin_tui.paths import Paths
from fin_tui.records import Answer, Filing, Hit, Ranks, Scope, Section
from fin_tui.team import corpus_of
from fin_tui.ui.live_rooms import LiveFetching, LiveNotebook, LiveOptions, LiveSheets, LiveShelf
from fin_tui.ui.live_work import LiveWork
from fin_tui.ui.services import Ask, FetchTerms, JobNews, Missing, ModelState

if TYPE_CHECKING:
    from fin_tui.engine.checking import Checked
    from fin_tui.engine.reader import ItemChanges, WhatsNew
    from fin_tui.ingest.fetch_plan import Plan, Words
    from fin_tui.store.kept import Conversation


class ServedWork(LiveWork):
    """Implements ``ui.services.Work`` where filings are in a corpus: it brings models, and changes no filing."""

    def add(self, paths: Sequence[Path], cancelled: Callable[[], bool]) -> Iterator[JobNews]:
        raise _elsewhere()

    def reindex(self, cancelled: Callable[[], bool]) -> Iterator[JobNews]:
        raise _elsewhere()

    def missing(self) -> Missing:
        return replace(super().missing(), samples=())

    def set_up(self, cancelled: Callable[[], bool], *, samples: bool = True) -> Iterator[JobNews]:
        return super().set_up(cancelled, samples=False)

    def embed(self, cancelled: Callable[[], bool], grace: float) -> Iterator[JobNews]:
        return iter(())


class ServedFetching(LiveFetching):
    """Implements ``ui.fetch_room.FetchRoom`` where filings are in a corpus: nothing is fetched."""

    def terms(self) -> FetchTerms:
        error = _elsewhere()
        return FetchTerms("", forbidden=in_one_line(error.message, error.hint))

    def plan(self, words: Words, cancelled: Callable[[], bool]) -> Plan:
        raise _elsewhere()


def _elsewhere() -> UsageError:
    return UsageError(
        "A team's corpus is not changed from here.", "fin-tui ingest-corpus FOLDER --corpus URI adds filings to it, in a shell."
    )


_GRACE_SECONDS = 0.1
"""Leaving the app must not wait for a batch of vectors: what is committed stays, the rest is made the next time."""


class LiveServices:
    """Implements ``ui.services.Services`` over open engine services."""

    def __init__(self, services: EngineServices) -> None:
        self._services = services
        self.options = LiveOptions(services.paths)
        self.shelf = LiveShelf(services.corpus, services.library.bookmarks)
        self.notebook = LiveNotebook(services.library, services.corpus, services.paths.exports)
        self.sheets = LiveSheets(services, services.paths.exports)
        is_served = services.served is not None
        self.fetching = (ServedFetching if is_served else LiveFetching)(services.paths, self.options)
        self.work = (ServedWork if is_served else LiveWork)(services.paths, self.options.settings, self.filings)

    def filings(self) -> Sequence[Filing]:
        return self._services.corpus.filings()

    def place(self) -> str:
        served = self._services.served
        return served.name if served is not None else ""

    def sections(self, filing: str) -> Sequence[Section]:
        return self._services.corpus.sections(filing)

    def text(self, filing: str) -> str:
        return self._services.corpus.text(filing)

    def changes(self, filing: str, item: str) -> ItemChanges:
        from fin_tui.engine.reader import compare_item

        return compare_item(self._services.corpus, filing, item)

    def whats_new(self, filing: str) -> WhatsNew:
        from fin_tui.engine.reader import whats_new

        return whats_new(self._services.corpus, filing)

    def ask(self, ask: Ask, cancelled: Callable[[], bool]) -> Iterator[Event]:
        return self._services.engine.stream(self._request(ask), cancelled)

    def conversations(self) -> Sequence[Conversation]:
        return self._services.library.conversations.all()

    def turns(self, conversation: str) -> Sequence[tuple[Answer, Sequence[Passage]]]:
        library = self._services.library
        held = library.conversations.turns(library.conversations.get(conversation).id)
        return [(turn.answer, passages_of(turn.answer, turn.evidence, self._services.corpus)) for turn in held]

    def keep(self, conversation: str, answer: Answer, passages: Sequence[Passage] = ()) -> str:
        library = self._services.library
        conversation = conversation or library.conversations.create()
        made = fingerprint(answer, self._services.corpus.generation(), self.place())
        library.conversations.append(conversation, answer.question, answer, made, evidence_of(passages))
        return conversation

    def rename(self, conversation: str, title: str) -> None:
        self._services.library.conversations.rename(conversation, title)

    def forget(self, conversation: str) -> None:
        self._services.library.conversations.remove(conversation)

    def model(self) -> ModelState:
        model = self._services.model
        return ModelState(model.name if model is not None and model.writes else "")

    def notes(self) -> Sequence[str]:
        return tuple(self._services.notes)

    def warm_up(self) -> Iterator[str]:
        return self._services.warm_up()

    def embed(self, cancelled: Callable[[], bool]) -> Iterator[JobNews]:
        """In the ingest process, so that drawing and answering never wait for it; closing the iterator ends it."""
        if all(filing.embedded >= filing.chunks for filing in self.filings()):
            return iter(())
        return self.work.embed(cancelled, _GRACE_SECONDS)

    def check(self, text: str, scope: Scope, tell: Callable[[int, int], None]) -> Checked:
        from fin_tui.engine.checking import open_checker

        services = self._services
        return open_checker(services.corpus, services.retriever, services.asker).check(text, scope, tell=tell)

    def preview(self, ask: Ask) -> Sequence[Passage]:
        from fin_tui.engine.evidence.evidence import gather

        engine = self._services.engine
        understood = engine.understand(replace(self._request(ask), rerank=False))
        if engine.refuse(understood) is not None:
            return ()
        return gather(understood.question.subject, engine.retrieve(understood).hits).passages

    def _request(self, ask: Ask) -> Request:
        return Request(
            ask.question,
            scope=ask.scope,
            mode=ask.mode,
            rerank=ask.rerank,
            use_model=ask.use_model,
            write_proven=ask.write_proven,
            history=ask.history,
            pinned=self._hits(ask.kept),
            excluded=ask.dropped,
        )

    def _hits(self, chunk_ids: Sequence[str]) -> tuple[Hit, ...]:
        """Kept passages as the engine takes them; what is no longer in the library is left out."""
        corpus = self._services.corpus
        found = corpus.chunks.by_id(chunk_ids) if chunk_ids else {}
        filings = {filing.id: filing for filing in corpus.filings()} if found else {}
        chunks = [found[name] for name in chunk_ids if name in found and found[name].filing in filings]
        return tuple(Hit(rank, chunk, filings[chunk.filing], 1.0, Ranks()) for rank, chunk in enumerate(chunks, start=1))

    def close(self) -> None:
        self._services.close()


def open_live(paths: Paths, settings: Settings) -> LiveServices:
    """Open the library under ``paths``, and the corpus that the settings name. Raises ``FinTuiError`` when one can't be."""
    return LiveServices(open_services(paths, settings, corpus=corpus_of(paths, settings)))
