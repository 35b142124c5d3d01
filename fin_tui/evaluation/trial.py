"""Trying a model out: what its sentences, calculations and readings are worth here, measured and kept in its record.

A reading is a figure that it works out from the passages and rows found; the definitions of the questions give the right ones.
"""

from __future__ import annotations

import copy
import statistics
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from importlib import resources
from typing import Protocol

from msgspec.structs import replace

from fin_tui.assets import load_catalogue
from fin_tui.config import Settings
from fin_tui.engine.answering.answer import AnswerEngine, Request
from fin_tui.engine.answering.closer import Reads, is_same
from fin_tui.engine.answering.compose import failed
from fin_tui.engine.answering.events import EvidenceReady, Failed, Finished, SentenceDone, Status
from fin_tui.engine.figures.answer import FigureAnswer
from fin_tui.engine.models.client import LlamaClient
from fin_tui.engine.models.grounding import ENOUGH_SUPPORT, Grounding, Tally, write_grounding
from fin_tui.engine.models.protocol import Done, LanguageModel
from fin_tui.engine.questions.batch import Line, read_batch
from fin_tui.engine.questions.instructions import Instructions
from fin_tui.engine.questions.understanding import understand
from fin_tui.engine.services import open_services
from fin_tui.errors import MissingAsset, ModelFailed
from fin_tui.facts import vocabulary
from fin_tui.paths import Paths
from fin_tui.records import Answer, Filing, Scope, Sentence
from fin_tui.store.database import is_answering

_POLL_S = 0.2


class Measurable(LanguageModel, Protocol):
    """A model that keeps the figures of its last generation."""

    @property
    def last(self) -> Done | None: ...


class _Trial:
    """A model that is let write, whatever was known of it: that is to be found out."""

    writes = True
    resting: frozenset[str] = frozenset()

    def __init__(self, model: LanguageModel) -> None:
        self._model = model
        self.name, self.context = model.name, model.context
        self.count_tokens, self.generate = model.count_tokens, model.generate

    @property
    def pace(self) -> float:
        return self._model.pace


def grounding_questions() -> list[Line]:
    """The questions of four kinds; those in words with what an answer must hold among their raw keys, alternatives with "|"
    between.
    """
    with resources.as_file(resources.files("fin_tui.evaluation").joinpath("grounding.jsonl")) as file:
        return read_batch(file)


def samples(held: Sequence[Filing]) -> tuple[Filing, ...]:
    """The sample filings of a library. Raises ``MissingAsset`` when one is not in it."""
    names = {file.name for file in load_catalogue().asset("sample-filings").files}
    found = tuple(filing for filing in held if filing.file in names)
    if missing := names - {filing.file for filing in found}:
        raise MissingAsset(
            f"The grounding check needs the sample filings; not in the library: {', '.join(sorted(missing))}.",
            "`fin-tui setup` downloads them.",
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

    ``engine`` keeps its own model. Raises ``ModelFailed`` when the model can't run.
    """
    tried = copy.copy(engine)
    tried.model = _Trial(model)
    scope = Scope(filings=tuple(filing.id for filing in filings))
    asked = grounding_questions()
    sentences: list[Sentence] = []
    firsts: list[float] = []
    kinds: dict[str, Tally] = {}
    answered = standing = tokens = 0
    decode_ms = 0.0
    for number, line in enumerate(asked):
        tell(number, len(asked))
        request = Request(line.question, scope=scope, id=line.id, write_proven=True)
        written = _ask_when_idle(tried, request, gives_way, cancelled)
        said, answer = written.sentences, written.answer
        if cancelled():
            break
        if answer.status != "answered" or not written.was_asked:
            continue
        if model.last is None:
            raise ModelFailed(f"{model.name} could not answer.", "data/logs/model.log says more.")
        answered += 1
        supported = sum(sentence.support != "unsupported" for sentence in said)
        standing += bool(said) and supported / len(said) >= ENOUGH_SUPPORT
        sentences += said
        if not written.is_proven:
            kind = str(line.raw["kind"])
            must, verdict = list(map(str, line.raw.get("must", ()))), str(line.raw.get("verdict", ""))
            kinds[kind] = counted(kinds.get(kind, Tally()), answer, must, verdict)
        firsts.append(answer.timings_ms.get("first_token", 0.0))
        tokens += model.last.tokens
        decode_ms += model.last.decode_ms
    return Grounding(
        file_bytes=file_bytes,
        questions=answered,
        sentences=len(sentences),
        supported=sum(sentence.support != "unsupported" for sentence in sentences),
        standing=standing,
        first_token_ms=round(statistics.median(firsts), 1) if firsts else 0.0,
        decode=round(tokens * 1000 / decode_ms, 1) if decode_ms else 0.0,
        kinds=kinds,
    )


def counted(tally: Tally, answer: Answer, must: Sequence[str], verdict: str) -> Tally:
    """``tally`` with the answer to one question more: whether the model's words became it, and hold what it ``must``, of which
    "|" parts alternatives, with the right ``verdict`` ("yes", "no"; "" for none).
    """
    holds, own_hold = _holds(answer.answer, must, verdict), _holds(answer.extract or "", must, verdict)
    return tally.added(stands=answer.model != "none", holds=holds, own_hold=own_hold)


def _holds(text: str, must: Sequence[str], verdict: str) -> bool:
    """Whether a text has all that an answer must hold, and says no yes for a no."""
    plain = " ".join(text.lower().replace("’", "'").split())
    wanted = [one.lower().split("|") for one in must]
    first = plain.partition(" ")[0].strip(",.;:!–—")
    is_other = first in ("yes", "no") and first != (verdict or first)
    return not is_other and all(any(way in plain for way in ways) for ways in wanted)


@dataclass
class _Written:
    """What came of one question."""

    answer: Answer
    sentences: list[Sentence] = field(default_factory=list)
    """The model's own, as they were checked."""
    was_asked: bool = False
    """The model was to write; what the structure of a filing says is told without it."""
    is_proven: bool = False
    """It need not have."""


def _ask_when_idle(
    engine: AnswerEngine, request: Request, gives_way: Callable[[], bool], cancelled: Callable[[], bool]
) -> _Written:
    while True:
        while gives_way() and not cancelled():
            time.sleep(_POLL_S)
        written = _ask(engine, request, lambda: cancelled() or gives_way())
        if not written.answer.stopped or cancelled():
            return written


def _ask(engine: AnswerEngine, request: Request, cancelled: Callable[[], bool]) -> _Written:
    written = _Written(failed(request.question, request.id, "The answer ended without a result.", ""))
    for event in engine.stream(request, cancelled):
        match event:
            case EvidenceReady():
                written.is_proven = event.is_proven
            case Status():
                written.was_asked = True
            case SentenceDone(sentence=sentence):
                written.sentences.append(sentence)
            case Finished():
                written.answer = event.answer
            case Failed(message=message, hint=hint):
                raise ModelFailed(message, hint)
    return written


def reading_questions() -> list[Line]:
    """The questions, each with its right ``definition`` among its raw keys."""
    with resources.as_file(resources.files("fin_tui.evaluation").joinpath("working_out.jsonl")) as file:
        return read_batch(file)


def check_reading(
    engine: AnswerEngine,
    model: Reads,
    filings: Sequence[Filing],
    tell: Callable[[int, int], None] = lambda done, total: None,
    cancelled: Callable[[], bool] = lambda: False,
) -> tuple[int, int]:
    """How many questions ``model`` was asked to work a figure out for, and how many it did rightly; fewer once ``cancelled``.

    Raises ``ModelFailed``.
    """
    scope = Scope(filings=tuple(filing.id for filing in filings))
    asked = reading_questions()
    right = 0
    for number, line in enumerate(asked):
        tell(number, len(asked))
        if cancelled():
            return number, right
        request = Request(line.question, scope=scope)
        worked_out = engine.worked_out(request, model, cancelled)
        gold = value(engine, request, filings, Instructions("", definition=line.raw["definition"]))
        right += worked_out is not None and gold is not None and is_same(worked_out, gold)
    return len(asked), right


def value(engine: AnswerEngine, request: Request, filings: Sequence[Filing], plan: Instructions) -> float | None:
    """What ``request`` comes to when ``plan`` is its definition; None when a figure is not there."""
    found = engine.look_up(understand(request, tuple(filings), vocabulary(), plan))
    return found.value if isinstance(found, FigureAnswer) else None


def try_model(
    paths: Paths,
    settings: Settings,
    client: LlamaClient,
    *,
    tell: Callable[[int, int], None] = lambda done, total: None,
    when_idle: bool = False,
    cancelled: Callable[[], bool] = lambda: False,
) -> Grounding | None:
    """Ask ``client`` the questions about the sample filings and keep what is found; None when it was ``cancelled``.

    With ``when_idle`` it stops for every answer that this home is asked for meanwhile. Raises ``MissingAsset`` when a sample
    filing is not in the library, ``ModelFailed`` when the model can't run.
    """

    def gives_way() -> bool:
        return when_idle and is_answering(paths)

    def tell_when_idle(done: int, total: int) -> None:
        while gives_way() and not cancelled():
            time.sleep(_POLL_S)
        tell(done, total)

    with open_services(paths, settings, with_model=False, is_background=when_idle) as services:
        filings = samples(services.library.filings())
        size = client.path.stat().st_size
        found = check_grounding(services.engine, client, size, filings, tell=tell, gives_way=gives_way, cancelled=cancelled)
        if cancelled():
            return None
        worked, rightly = check_reading(services.engine, client, filings, tell_when_idle, cancelled)
    if cancelled():
        return None
    found = replace(found, worked_asked=worked, worked_right=rightly)
    write_grounding(client.path, found)
    return found
