"""The real small model, measured as one that does not write: nothing of its text reaches an answer, whatever is asked of it."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from fin_tui import config
from fin_tui.config import Settings
from fin_tui.engine.answering.answer import AnswerEngine, Request
from fin_tui.engine.answering.events import Finished, SentenceDone, Token
from fin_tui.engine.frame.reader import FrameReader
from fin_tui.engine.models.client import LlamaClient
from fin_tui.paths import Paths
from fin_tui.retrieval.shared_encoder import SharedEncoder
from tests.integration.test_model_process import SHIPPED
from tests.unit.engine.answering.test_answer import Library, Searcher


@pytest.fixture(scope="module")
def client(models_dir: Path) -> Iterator[LlamaClient]:
    client = LlamaClient(models_dir / SHIPPED, config.Model(), Paths(models_dir.parent), name="smollm2-135m-instruct")
    yield client
    client.close()


@pytest.mark.parametrize("write_proven", [False, True])
@pytest.mark.parametrize(
    "question", ["Where do Acme's outsourcing partners assemble hardware?", "Does Acme assemble most of its hardware in Asia?"]
)
def test_it_never_writes(client: LlamaClient, question: str, write_proven: bool) -> None:
    engine = AnswerEngine(Library(), Searcher(), client, Settings(), frames=FrameReader(SharedEncoder()))
    seen = list(engine.stream(Request(question, write_proven=write_proven)))
    assert not any(isinstance(event, Token | SentenceDone) for event in seen)
    (finished,) = [event for event in seen if isinstance(event, Finished)]
    assert finished.answer.model == "none"
    assert finished.answer.answer == finished.answer.extract
    assert not client.ready, "its weights are not even loaded"
