"""The real services behind the app: the engine, the library and the embedding worker, seen through ``ui.services``."""

from __future__ import annotations

import contextlib
from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING

from fin_tui.config import Settings
from fin_tui.engine.answer import Request
from fin_tui.engine.conversation import fingerprint, passages_of
from fin_tui.engine.events import Event, Passage
from fin_tui.engine.services import Services as EngineServices
from fin_tui.engine.services import open_services
from fin_tui.paths import Paths
from fin_tui.records import Answer, Filing, Hit, Progress, Ranks, Section
from fin_tui.ui.services import Ask, ModelState

if TYPE_CHECKING:
    from fin_tui.engine.year_before import ItemChanges
    from fin_tui.store.conversations import Conversation

_GRACE_SECONDS = 0.1
"""Leaving the app must not wait for a batch of vectors: what is committed stays, the rest is made the next time."""


class LiveServices:
    """Implements ``ui.services.Services`` over open engine services."""

    def __init__(self, services: EngineServices) -> None:
        self._services = services

    def filings(self) -> Sequence[Filing]:
        return self._services.library.filings()

    def sections(self, filing: str) -> Sequence[Section]:
        return self._services.library.sections(filing)

    def text(self, filing: str) -> str:
        return self._services.library.text(filing)

    def changes(self, filing: str, item: str) -> ItemChanges:
        from fin_tui.engine.year_before import compare_item

        return compare_item(self._services.library, filing, item)

    def ask(self, ask: Ask, cancelled: Callable[[], bool]) -> Iterator[Event]:
        return self._services.engine.stream(self._request(ask), cancelled)

    def conversations(self) -> Sequence[Conversation]:
        return self._services.library.conversations.all()

    def turns(self, conversation: str) -> Sequence[tuple[Answer, Sequence[Passage]]]:
        library = self._services.library
        held = library.conversations.turns(library.conversations.get(conversation).id)
        return [(turn.answer, passages_of(turn.answer, library.chunks)) for turn in held]

    def keep(self, conversation: str, answer: Answer) -> str:
        library = self._services.library
        conversation = conversation or library.conversations.create()
        library.conversations.append(conversation, answer.question, answer, fingerprint(answer, library.generation()))
        return conversation

    def rename(self, conversation: str, title: str) -> None:
        self._services.library.conversations.rename(conversation, title)

    def forget(self, conversation: str) -> None:
        self._services.library.conversations.remove(conversation)

    def model(self) -> ModelState:
        model = self._services.model
        return ModelState(model.name, is_draft=model.only_drafts) if model is not None else ModelState()

    def notes(self) -> Sequence[str]:
        return tuple(self._services.notes)

    def warm_up(self) -> Iterator[str]:
        return self._services.warm_up()

    def embed(self, cancelled: Callable[[], bool]) -> Iterator[Progress]:
        """In the ingest process, so that drawing and answering never wait for it; closing the iterator ends it."""
        if all(filing.embedded >= filing.chunks for filing in self.filings()):
            return
        from fin_tui.ingest import worker
        from fin_tui.ingest.job import Job

        job = Job(self._services.paths, self._services.settings)
        with contextlib.closing(worker.run(job, cancelled, grace=_GRACE_SECONDS)) as outcomes:
            for outcome in outcomes:
                if cancelled():
                    return
                if isinstance(outcome, Progress):
                    yield outcome

    def preview(self, ask: Ask) -> Sequence[Passage]:
        from fin_tui.engine.evidence import gather

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
            history=ask.history,
            pinned=self._hits(ask.kept),
            excluded=ask.dropped,
        )

    def _hits(self, chunk_ids: Sequence[str]) -> tuple[Hit, ...]:
        """Kept passages as the engine takes them; what is no longer in the library is left out."""
        library = self._services.library
        keys = library.chunks.keys_by_id(chunk_ids) if chunk_ids else {}
        found = library.chunks_by_keys([keys[chunk] for chunk in chunk_ids if chunk in keys])
        return tuple(Hit(rank, chunk, filing, 1.0, Ranks()) for rank, (chunk, filing) in enumerate(found, start=1))

    def close(self) -> None:
        self._services.close()


def open_live(paths: Paths, settings: Settings) -> LiveServices:
    """Open the library under ``paths``. Raises ``FinTuiError`` when it can't be opened."""
    return LiveServices(open_services(paths, settings))
