"""A scripted library and engine for the app's tests: no files, no models, but real events in the real order."""

from __future__ import annotations

import datetime as dt
import threading
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field, replace
from typing import Literal

from fin_tui.engine.answering.events import (
    Event,
    EvidenceReady,
    Finished,
    Passage,
    Refused,
    SentenceDone,
    Status,
    Token,
    Understood,
)
from fin_tui.engine.changes import compare_texts
from fin_tui.engine.figures.answer import FigureAnswer
from fin_tui.engine.questions.interpretation import Interpretation
from fin_tui.engine.reader import Heading, ItemChanges, Line, Part, WhatsNew
from fin_tui.errors import NotFound
from fin_tui.records import Answer, Citation, Filing, Progress, Refusal, RetrievedChunk, Section, Sentence
from fin_tui.store.kept import Conversation
from fin_tui.ui.services import Ask, ModelState
from tests.ui.fake_fetch import FakeFetching
from tests.ui.fake_notebook import FakeNotebook
from tests.ui.fake_rooms import FakeRooms, FakeShelf
from tests.ui.fake_sheets import FakeSheets

PARAGRAPH = (
    "Substantially all of the Company's manufacturing is performed by outsourcing partners. "
    "A failure of these partners could harm the business. The Company has agreements with some of them [see Note 3]."
)
OLD_PARAGRAPH = (
    "Substantially all of the Company's manufacturing is performed by partners in one country. "
    "The Company has agreements with some of them [see Note 3]. Hurricanes could close the only plant."
)
TABLE = (
    "\t2025\t2024\nNet sales:\nProducts\t$ 307,003\t$ 294,866\nServices\t109,158\t96,169\nTotal net sales\t$ 416,161\t$ 391,035"
)
TEXT = (
    "ACME CORP\n\nItem 1A. Risk Factors\n\n"
    + PARAGRAPH
    + "\n\n"
    + TABLE
    + "\n\n"
    + "Filler about nothing. " * 2000
    + "\n\nNote 3 – Agreements\n\nThe agreements with partners run for a year."
)

ACME = Filing(
    "0000000001-25-000001",
    "acme.htm",
    "Acme Corp",
    "cik:1",
    "10-K",
    2025,
    dt.date(2025, 9, 27),
    ticker="ACM",
    chunks=120,
    embedded=120,
)
ACME_OLD = replace(ACME, id="0000000001-24-000001", fiscal_year=2024, period_end=dt.date(2024, 9, 28), form="10-K/A")
ZENITH = Filing(
    "sha256:0123456789abcdef", "zen.htm", "Zenith [Holdings] Inc.", "name:zenith", "10-K", 2025, dt.date(2026, 1, 31), chunks=80
)
FILINGS = (ACME, ACME_OLD, ZENITH)


def passage(number: int, text: str = PARAGRAPH, quote: str = "", item: str = "1A") -> Passage:
    """A passage of Acme's filing whose citation marks ``quote`` (its first sentence when empty)."""
    start = TEXT.find(text)
    quote = quote or text.split(". ")[0] + "."
    at = max(start, 0) + max(text.find(quote), 0)
    citation = Citation(
        number, f"{ACME.id}/1:{number}", ACME.id, ACME.file, ACME.company, "ACM", None, "10-K", 2025, "2025-09-27", item,
        "Risk Factors", 10 + number, str(9 + number), quote, at, at + len(quote), None, f"Acme Corp 10-K FY2025, p. {9 + number}",
    )  # fmt: skip
    kind: Literal["prose", "table"] = "table" if "\t" in text else "prose"
    return Passage(citation, text, max(start, 0), max(start, 0) + len(text), 0.9 - number / 100, kind)


def passages(count: int = 3) -> tuple[Passage, ...]:
    return tuple(passage(n, TABLE, "Total net sales\t$ 416,161") if n == 2 else passage(n) for n in range(1, count + 1))


EXTRACT = "Substantially all of the Company's manufacturing is performed by outsourcing partners. [1]"
GOOD = Sentence("Acme relies on outsourcing partners for nearly all manufacturing.", (1,), "grounded")
BAD = Sentence("Acme owns no factories at all.", (), "unsupported")


@dataclass
class Script:
    """What the scripted engine says to one question."""

    passages: tuple[Passage, ...] = field(default_factory=passages)
    extract: str = EXTRACT
    tokens: Sequence[str] = (
        "Acme relies on outsourcing partners ",
        "for nearly all manufacturing. ",
        "Acme owns no factories at all.",
    )
    sentences: tuple[Sentence, ...] = (GOOD, BAD)
    answer: str = "Acme relies on outsourcing partners for nearly all manufacturing. [1] Acme owns no factories at all."
    is_lost: bool = False
    """What the model wrote does not become the answer."""
    notes: tuple[str, ...] = ()
    caution: str = ""
    figures: FigureAnswer | None = None
    later: FigureAnswer | None = None
    """Figures whose card takes the place of the first."""
    refusal: Refusal | None = None
    interpretation: Interpretation = field(default_factory=Interpretation)
    error: Exception | None = None
    hold_before: int | None = None
    """Wait for ``release`` (or a cancel) before this token; 0 stands for the time the model reads the prompt."""
    is_held: bool = False
    """Search until ``release`` or a cancel."""
    release: threading.Event = field(default_factory=threading.Event)

    def play(self, ask: Ask, cancelled: Callable[[], bool]) -> Iterator[Event]:
        """The events of the engine's contract."""
        yield Understood(ask.question, ask.scope, "Acme Corp · FY2025", self.interpretation)
        if self.error is not None:
            raise self.error
        if self.refusal is not None:
            yield Refused(self.refusal)
            answer = Answer(ask.question, "refused", self.refusal.message, refusal=self.refusal, citations=self.refusal.nearest)
            yield Finished(answer, self.passages)
            return
        while self.is_held and not cancelled() and not self.release.wait(0.01):
            pass
        yield EvidenceReady(self.extract, (), self.passages, self.notes, self.figures, self.caution)
        if self.later is not None:
            yield Status("reading the closest figure")
            yield EvidenceReady(self.extract, (), self.passages, self.notes, self.later)
        if ask.use_model:
            yield Status("reading the sources")
            yield from self._words(cancelled)
        stopped = cancelled()
        answer = Answer(
            ask.question,
            "answered",
            self.answer if ask.use_model and not stopped and not self.is_lost else self.extract,
            sentences=self.sentences,
            citations=tuple(p.citation for p in self.passages),
            extract=self.extract,
            stopped=stopped,
            model="scripted-135m" if ask.use_model and not self.is_lost else "none",
            retrieval={"chunks": [_chunk(p) for p in self.passages]},
            facts=self.figures.facts if self.figures else (),
            calculation=self.figures.calculation if self.figures else None,
            table=self.figures.table if self.figures else None,
            timings_ms={"evidence": 84.0, "first_token": 820.0, "total": 2400.0},
        )
        yield Finished(answer, self.passages)

    def _words(self, cancelled: Callable[[], bool]) -> Iterator[Event]:
        for index, token in enumerate(self.tokens):
            while index == self.hold_before and not cancelled() and not self.release.wait(0.01):
                pass
            if cancelled():
                return
            yield Token(token)
        for index, sentence in enumerate(self.sentences):
            yield SentenceDone(sentence, index)


def _chunk(found: Passage) -> RetrievedChunk:
    number = found.citation.id
    return {
        "chunk_id": found.citation.chunk_id,
        "score": found.score,
        "ranks": {"dense": number + 1, "sparse": number, "rerank": None},
    }


HEADINGS = (
    Heading("item", "1A  Risk Factors", TEXT.find("Item 1A")),
    Heading("item", "8   Financial Statements", TEXT.find(TABLE)),
    Heading("statement", "Statements of Sales", TEXT.find(TABLE)),
    Heading("note", "Note 3 – Agreements", TEXT.find("Note 3 –")),
)
MODEL = ModelState("scripted-135m")


@dataclass
class FakeServices(FakeRooms):
    """Plays scripts in order; the last one again for every further question."""

    scripts: list[Script] = field(default_factory=lambda: [Script()])
    held: tuple[Filing, ...] = FILINGS
    model_state: ModelState = MODEL
    missing: tuple[str, ...] = ()
    corpus: str = ""
    progress: tuple[Progress, ...] = ()
    found: tuple[Passage, ...] = ()
    """What is found while a question is typed."""
    previewed: list[str] = field(default_factory=list)
    asked: list[Ask] = field(default_factory=list)
    notebook: FakeNotebook = field(default_factory=FakeNotebook)
    sheets: FakeSheets = field(default_factory=FakeSheets)
    fetching: FakeFetching = field(default_factory=FakeFetching)
    kept: dict[str, list[Answer]] = field(default_factory=dict)
    titles: dict[str, str] = field(default_factory=dict)
    closed: bool = False
    shelf: FakeShelf = field(default_factory=lambda: FakeShelf(HEADINGS, TEXT))

    def filings(self) -> Sequence[Filing]:
        return self.held

    def sections(self, filing: str) -> Sequence[Section]:
        if filing != ACME.id:
            raise NotFound(f"{filing}: no such filing", "Look at fin-tui filings.")
        at = TEXT.find("Item 1A")
        return (
            Section("I", "1A", "Risk Factors", at, at + 400, 12, 0.9),
            Section("II", "8", "Financial Statements", TEXT.find(TABLE), len(TEXT), 40, 0.4),
        )

    def text(self, filing: str) -> str:
        if filing != ACME.id:
            raise NotFound(f"{filing}: no such filing", "Look at fin-tui filings.")
        return TEXT

    def changes(self, filing: str, item: str) -> ItemChanges:
        if item != "1A":
            raise NotFound("No earlier filing of Acme Corp is in the library.", "Add the 10-K of the year before.")
        return ItemChanges(item, ACME, ACME_OLD, compare_texts(OLD_PARAGRAPH, PARAGRAPH), 0)

    def whats_new(self, filing: str) -> WhatsNew:
        citation = passages(1)[0].citation
        lines = (Line("1 risk heading is new:"), Line("1. We depend on suppliers [one].", (citation,)))
        return WhatsNew(ACME, ACME_OLD, (Part("Risk headings", lines),))

    def ask(self, ask: Ask, cancelled: Callable[[], bool]) -> Iterator[Event]:
        self.asked.append(ask)
        script = self.scripts.pop(0) if len(self.scripts) > 1 else self.scripts[0]
        return script.play(ask, cancelled)

    def preview(self, ask: Ask) -> Sequence[Passage]:
        self.previewed.append(ask.question)
        return self.found

    def conversations(self) -> Sequence[Conversation]:
        return [
            Conversation(c, self.titles[c], "2025-01-01T00:00:00", "2025-01-02T10:11:12", len(a)) for c, a in self.kept.items()
        ]

    def turns(self, conversation: str) -> Sequence[tuple[Answer, Sequence[Passage]]]:
        return [(answer, passages()) for answer in self.kept[conversation]]

    def keep(self, conversation: str, answer: Answer, passages: Sequence[Passage] = ()) -> str:
        conversation = conversation or f"c{len(self.kept) + 1}"
        self.kept.setdefault(conversation, []).append(answer)
        self.titles.setdefault(conversation, answer.question)
        return conversation

    def rename(self, conversation: str, title: str) -> None:
        self.titles[conversation] = title

    def forget(self, conversation: str) -> None:
        del self.kept[conversation]

    def model(self) -> ModelState:
        return self.model_state

    def place(self) -> str:
        return self.corpus

    def notes(self) -> Sequence[str]:
        return self.missing

    def warm_up(self) -> Iterator[str]:
        yield "loading scripted-135m"

    def embed(self, cancelled: Callable[[], bool]) -> Iterator[Progress]:
        yield from self.progress

    def close(self) -> None:
        self.closed = True
