"""Paragraphs are read once more with the conversation where no figure is sure."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any, cast

import pytest

from fin_tui.config import Settings
from fin_tui.engine.answering.answer import AnswerEngine
from fin_tui.engine.answering.events import EvidenceReady
from fin_tui.engine.frame.reader import FrameReader
from fin_tui.engine.questions.understanding import Request
from fin_tui.errors import MissingAsset
from fin_tui.retrieval.shared_encoder import SharedEncoder
from tests.unit.engine.answering.test_answer import Library, Searcher
from tests.unit.engine.made import hit

POLICY = "Repairs of ovens are expensed as incurred in the year."
CAUSE = "Repairs of ovens rose as the flood damaged both kilns."
NO_ANSWER = "No exact answer found; closest passages below."


@dataclass
class Reads:
    surest: str
    sure: float = 4.0
    missing: bool = False
    seen: list[str] = field(default_factory=list)

    def load(self) -> None: ...

    def read(self, asked: str, paragraphs: Sequence[str]) -> list[float]:
        if self.missing:
            raise MissingAsset("No weights.", "Install them.")
        self.seen.append(asked)
        return [self.sure if self.surest in one else -4.0 for one in paragraphs]


def card(reads: Reads, question: str, *history: str, rerank: bool | None = None) -> EvidenceReady:
    searcher = Searcher(hits=(hit(POLICY), hit(CAUSE, rank=2)))
    engine = AnswerEngine(
        Library(), searcher, None, Settings(), frames=FrameReader(SharedEncoder()), judge=lambda _, texts: [1.0] * len(texts),
        paragraphs=cast(Any, reads),
    )  # fmt: skip
    seen = engine.stream(Request(question, use_model=False, history=history, rerank=rerank))
    return next(one for one in seen if isinstance(one, EvidenceReady))


def test_what_surely_answers_leads_and_is_told_as_the_answer() -> None:
    reads = Reads("flood")
    told = card(reads, "why?", "How much were Acme's repairs of ovens in 2024?")
    assert told.caution == ""
    assert told.sentences[0].text.endswith(CAUSE)
    assert "repairs of ovens in 2024? ; question:" in reads.seen[-1]


def test_what_hardly_answers_is_no_more_than_close() -> None:
    assert card(Reads("flood", sure=-3.0), "Why did Acme's repairs of ovens rise?").caution.startswith(NO_ANSWER.rstrip("."))


def test_they_are_read_for_a_figure_that_is_not_found() -> None:
    reads = Reads("flood", sure=-3.0)
    told = card(reads, "How much did Acme spend on repairs of ovens in 2024?")
    assert told.caution.startswith("No exact figure")
    assert told.sentences[0].text.endswith(CAUSE)
    assert len(reads.seen) == 1


@pytest.mark.parametrize(("missing", "rerank", "read"), [(True, None, 0), (False, False, 0), (False, None, 1)])
def test_without_weights_or_reading_the_search_alone_decides(missing: bool, rerank: bool | None, read: int) -> None:
    reads = Reads("flood", missing=missing)
    card(reads, "Why did Acme's repairs of ovens rise?", rerank=rerank)
    assert len(reads.seen) == read
