"""The grounding check of a model: questions about the sample filings, and how many of its sentences the evidence supports."""

from __future__ import annotations

import statistics
import time
from collections.abc import Callable, Sequence
from importlib import resources
from typing import Protocol

from fin_tui.assets import load_catalogue
from fin_tui.engine.answering.answer import AnswerEngine, Request
from fin_tui.engine.answering.compose import failed
from fin_tui.engine.answering.events import Failed, Finished, SentenceDone
from fin_tui.engine.models.grounding import ENOUGH_SUPPORT, Grounding
from fin_tui.engine.models.language_model import LanguageModel
from fin_tui.engine.models.protocol import Done
from fin_tui.engine.questions.batch import Line, read_batch
from fin_tui.errors import MissingAsset, ModelFailed
from fin_tui.records import Answer, Filing, Scope, Sentence

_POLL_S = 0.2


class Measurable(LanguageModel, Protocol):
    """A model that keeps the figures of its last generation."""

    @property
    def last(self) -> Done | None: ...


class _Trial:
    """A model that is let write, whatever was known of it: that is to be found out."""

    writes = True

    def __init__(self, model: LanguageModel) -> None:
        self._model = model
        self.name, self.context = model.name, model.context
        self.count_tokens, self.generate = model.count_tokens, model.generate


def questions() -> list[Line]:
    """The questions, narrative and numeric ones mixed."""
    with resources.as_file(resources.files("fin_tui.evaluation").joinpath("grounding.jsonl")) as file:
        return read_batch(file)


def samples(held: Sequence[Filing]) -> tuple[Filing, ...]:
    """The sample filings of a library. Raises ``MissingAsset`` when one is not in it."""
    names = {file.name for file in load_catalogue().asset("sample-filings").files}
    found = tuple(filing for filing in held if filing.file in names)
    if missing := names - {filing.file for filing in found}:
        raise MissingAsset(
            f"The grounding check needs the sample filings; not in the library: {', '.join(sorted(missing))}.",
            "`fin-tui setup` brings them.",
        )
    return found


def check_grounding(
    engine: AnswerEngine,
    model: Measurable,
    file_bytes: int,
    filings: Sequence[Filing],
    *,
    tell: Callable[[int, int], None] = lambda done, total: None,
    gives_way: Callable[[], bool] = lambda: False,
    cancelled: Callable[[], bool] = lambda: False,
) -> Grounding:
    """Let ``model`` answer the questions over ``filings``, and count. A question that is being answered while ``gives_way`` is
    true is stopped, and asked again when it is false; once ``cancelled``, no further one is begun.

    The engine's own model is put back afterwards. Raises ``ModelFailed`` when the model can't run.
    """
    own, engine.model = engine.model, _Trial(model)
    scope = Scope(filings=tuple(filing.id for filing in filings))
    asked = questions()
    sentences: list[Sentence] = []
    firsts: list[float] = []
    answered = standing = tokens = 0
    decode_ms = 0.0
    try:
        for number, line in enumerate(asked):
            tell(number, len(asked))
            request = Request(line.question, scope=scope, id=line.id, write_proven=True)
            said, answer = _ask_when_idle(engine, request, gives_way, cancelled)
            if cancelled():
                break
            if answer.status != "answered":
                continue
            if model.last is None:
                raise ModelFailed(f"{model.name} could not answer.", "data/logs/model.log says more.")
            answered += 1
            supported = sum(sentence.support != "unsupported" for sentence in said)
            standing += bool(said) and supported / len(said) >= ENOUGH_SUPPORT
            sentences += said
            firsts.append(answer.timings_ms.get("first_token", 0.0))
            tokens += model.last.tokens
            decode_ms += model.last.decode_ms
    finally:
        engine.model = own
    return Grounding(
        file_bytes=file_bytes,
        questions=answered,
        sentences=len(sentences),
        supported=sum(sentence.support != "unsupported" for sentence in sentences),
        standing=standing,
        first_token_ms=round(statistics.median(firsts), 1) if firsts else 0.0,
        decode=round(tokens * 1000 / decode_ms, 1) if decode_ms else 0.0,
    )


def _ask_when_idle(
    engine: AnswerEngine, request: Request, gives_way: Callable[[], bool], cancelled: Callable[[], bool]
) -> tuple[list[Sentence], Answer]:
    while True:
        while gives_way() and not cancelled():
            time.sleep(_POLL_S)
        said, answer = _ask(engine, request, lambda: cancelled() or gives_way())
        if not answer.stopped or cancelled():
            return said, answer


def _ask(engine: AnswerEngine, request: Request, cancelled: Callable[[], bool]) -> tuple[list[Sentence], Answer]:
    """The model's own sentences, as they were checked, and the answer that came of them."""
    said: list[Sentence] = []
    answer = failed(request.question, request.id, "The answer ended without a result.", "")
    for event in engine.stream(request, cancelled):
        match event:
            case SentenceDone(sentence=sentence):
                said.append(sentence)
            case Finished():
                answer = event.answer
            case Failed(message=message, hint=hint):
                raise ModelFailed(message, hint)
    return said, answer
