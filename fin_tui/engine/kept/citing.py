"""Which conversations, notebook entries and bookmarks rest on a filing: what its removal would leave without their source."""

from __future__ import annotations

from collections.abc import Collection, Iterator
from dataclasses import dataclass
from typing import Literal, Protocol

from fin_tui.records import Answer, Citation
from fin_tui.store.conversations import Conversations
from fin_tui.store.notebook import Bookmarks, Notebook


@dataclass(frozen=True, slots=True)
class Citing:
    """Something a reader keeps that cites a filing."""

    kind: Literal["conversation", "notebook", "bookmarks"]
    name: str
    """Id of the conversation, number of the notebook's entry, id of the filing with bookmarks."""
    title: str
    citations: int
    """How many of its citations stand in the filings."""


class Kept(Protocol):
    """The rooms of the library that hold what a reader keeps."""

    conversations: Conversations
    notebook: Notebook
    bookmarks: Bookmarks


def citing(library: Kept, filings: Collection[str]) -> tuple[Citing, ...]:
    """What cites any of ``filings`` (ids): conversations, the one used last first, then the notebook, then bookmarks."""
    wanted = frozenset(filings)
    return (*_conversations(library, wanted), *_notebook(library, wanted), *_bookmarks(library, wanted))


def _conversations(library: Kept, filings: frozenset[str]) -> Iterator[Citing]:
    for conversation in library.conversations.all():
        turns = library.conversations.turns(conversation.id)
        count = sum(_count(_cited(turn.answer), filings) for turn in turns)
        if count:
            yield Citing("conversation", conversation.id, conversation.title, count)


def _notebook(library: Kept, filings: frozenset[str]) -> Iterator[Citing]:
    for entry in library.notebook.all():
        if count := _count(entry.saved.citations, filings):
            yield Citing("notebook", str(entry.number), entry.saved.title, count)


def _bookmarks(library: Kept, filings: frozenset[str]) -> Iterator[Citing]:
    for filing in sorted(filings):
        if count := library.bookmarks.count(filing):
            yield Citing("bookmarks", filing, "", count)


def _cited(answer: Answer) -> tuple[Citation, ...]:
    """What the answer rests on, and what a refusal offered instead."""
    return (*answer.citations, *(answer.refusal.nearest if answer.refusal else ()))


def _count(citations: Collection[Citation], filings: frozenset[str]) -> int:
    return sum(citation.filing in filings for citation in citations)
