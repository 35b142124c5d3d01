"""Trying a model out: what its sentences, calculations and readings are worth here, measured and kept in its record.

A reading is its second look at figures that the engine was unsure of, each as the model gets to read it, weighed with the ranker.
"""

from __future__ import annotations

import copy
import math
import random
import statistics
import time
from collections.abc import Callable, Sequence
from importlib import resources
from typing import Protocol

import msgspec
import numpy as np
from msgspec import Struct
from msgspec.structs import replace
from numpy.typing import NDArray

from fin_tui.assets import load_catalogue
from fin_tui.config import Settings
from fin_tui.engine.answering.answer import AnswerEngine, Request
from fin_tui.engine.answering.closer import LIKELY, Reads, log_odds
from fin_tui.engine.answering.compose import failed
from fin_tui.engine.answering.events import Failed, Finished, SentenceDone
from fin_tui.engine.answering.planner import Planner, propose
from fin_tui.engine.figures.answer import FigureAnswer
from fin_tui.engine.models.client import LlamaClient
from fin_tui.engine.models.grounding import ENOUGH_SUPPORT, Grounding, Weights, write_grounding
from fin_tui.engine.models.grounding import log_odds as odds_of
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

    def __init__(self, model: LanguageModel) -> None:
        self._model = model
        self.name, self.context = model.name, model.context
        self.count_tokens, self.generate = model.count_tokens, model.generate

    @property
    def pace(self) -> float:
        return self._model.pace


def grounding_questions() -> list[Line]:
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
    answered = standing = tokens = 0
    decode_ms = 0.0
    for number, line in enumerate(asked):
        tell(number, len(asked))
        request = Request(line.question, scope=scope, id=line.id, write_proven=True)
        said, answer = _ask_when_idle(tried, request, gives_way, cancelled)
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


def plan_questions() -> list[Line]:
    """The questions, each with its right ``definition`` among its raw keys."""
    with resources.as_file(resources.files("fin_tui.evaluation").joinpath("planning.jsonl")) as file:
        return read_batch(file)


def check_planning(engine: AnswerEngine, planner: Planner, filings: Sequence[Filing]) -> tuple[int, int, int]:
    """How many questions were asked, how many plans gave the right value, and how many a wrong one; the rest gave none."""
    scope = Scope(filings=tuple(filing.id for filing in filings))
    asked = plan_questions()
    right = wrong = 0
    for line in asked:
        request = Request(line.question, scope=scope)
        plan = propose(line.question, planner, lambda: False)
        found = value(engine, request, filings, plan.instructions) if plan else None
        if found is None:
            continue
        if same(found, value(engine, request, filings, Instructions("", definition=line.raw["definition"]))):
            right += 1
        else:
            wrong += 1
    return len(asked), right, wrong


def check_reading(
    found: Grounding, model: Reads, tell: Callable[[int, int], None], cancelled: Callable[[], bool] = lambda: False
) -> Grounding:
    """``found`` with what the model's second look at unsure figures is worth; as it is once ``cancelled``.

    Raises ``ModelFailed``.
    """
    told = told_figures()
    said = read_all(model, told, tell, cancelled)
    if len(said) < len(told):
        return found
    with_it, without = worth(told, said), worth(told, [0.0] * len(told))
    return replace(
        found,
        readings_asked=len(told),
        readings_right=with_it.right,
        readings_wrong=with_it.wrong,
        alone_right=without.right,
        alone_wrong=without.wrong,
        reading=fitted(told, said),
    )


def value(engine: AnswerEngine, request: Request, filings: Sequence[Filing], plan: Instructions) -> float | None:
    """What ``request`` comes to when ``plan`` is its definition; None when a figure is not there."""
    found = engine.look_up(understand(request, tuple(filings), vocabulary(), plan))
    return found.value if isinstance(found, FigureAnswer) else None


def same(found: float, wanted: float | None) -> bool:
    """Equal, be it as a fraction or as a percentage."""
    return wanted is not None and any(math.isclose(found, wanted * factor, rel_tol=1e-6) for factor in (1, 100, 0.01))


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
        asked, right, wrong = check_planning(services.engine, client, filings)
    found = replace(found, plans_asked=asked, plans_right=right, plans_wrong=wrong)
    found = check_reading(found, client, tell_when_idle, cancelled)
    if cancelled():
        return None
    write_grounding(client.path, found)
    return found


FOLDS = 10
_PARTITIONS = 5
"""Ways to part the filings that are averaged over."""
_PULL = 0.05
"""Towards zero, of weights other than the bias: in units of questions."""
_STEPS = 30


class UnsureFigure(Struct, frozen=True):
    """A figure that the engine was not sure of, and whether it is the one asked for."""

    question: str
    told: str
    share: float
    """The ranker's probability."""
    is_computed: bool
    is_right: bool
    group: str
    """The filing: what is fitted on one is not measured by it."""


class Worth(Struct, frozen=True):
    """How many figures are told rightly and wrongly."""

    right: int
    wrong: int


def told_figures() -> list[UnsureFigure]:
    """The figures to be read."""
    text = resources.files("fin_tui.evaluation").joinpath("readings.jsonl").read_text(encoding="utf-8")
    return [msgspec.json.decode(line, type=UnsureFigure) for line in text.splitlines() if line]


def read_all(
    model: Reads,
    told: Sequence[UnsureFigure],
    tell: Callable[[int, int], None] = lambda done, total: None,
    cancelled: Callable[[], bool] = lambda: False,
) -> list[float]:
    """The model's log odds of each figure; fewer once cancelled. Raises ``ModelFailed``."""
    said: list[float] = []
    for number, one in enumerate(told):
        tell(number, len(told))
        odds = log_odds(model, one.question, one.told, cancelled)
        if odds is None:
            break
        said.append(odds)
    return said


def fitted(told: Sequence[UnsureFigure], said: Sequence[float]) -> Weights:
    """The weights that make the right figures likeliest."""
    known = _known(told, said)
    right = np.array([one.is_right for one in told], np.float64)
    pull = np.array([_PULL, _PULL, _PULL, 0.0])
    weights = np.zeros(known.shape[1])
    for _ in range(_STEPS):
        chance = 1 / (1 + np.exp(-known @ weights))
        slope = known.T @ (right - chance) - pull * weights
        curve = (known * (chance * (1 - chance))[:, None]).T @ known + np.diag(pull + 1e-9)
        weights = weights + np.linalg.solve(curve, slope)
    return Weights(*(round(float(one), 4) for one in weights))


def worth(told: Sequence[UnsureFigure], said: Sequence[float], sure: float = LIKELY) -> Worth:
    """What is right and wrong of the figures from the probability ``sure`` on, cross-validated over filings."""
    chances = np.mean([_aside(told, said, seed) for seed in range(_PARTITIONS)], axis=0)
    stands = [one.is_right for one, chance in zip(told, chances, strict=True) if chance >= sure]
    return Worth(sum(stands), len(stands) - sum(stands))


def _aside(told: Sequence[UnsureFigure], said: Sequence[float], seed: int) -> list[float]:
    """The probability of each figure by weights that were fitted on other filings."""
    groups = sorted({one.group for one in told})
    random.Random(seed).shuffle(groups)
    chances = [0.0] * len(told)
    for fold in range(FOLDS):
        inside = {at for at, one in enumerate(told) if one.group in groups[fold::FOLDS]}
        outside = [at for at in range(len(told)) if at not in inside]
        if not inside or not outside:
            continue
        weights = fitted([told[at] for at in outside], [said[at] for at in outside])
        for at in inside:
            chances[at] = weights.chance(told[at].share, said[at], is_computed=told[at].is_computed)
    return chances


def _known(told: Sequence[UnsureFigure], said: Sequence[float]) -> NDArray[np.float64]:
    return np.array([[odds_of(one.share), one.is_computed, odds, 1.0] for one, odds in zip(told, said, strict=True)], np.float64)
