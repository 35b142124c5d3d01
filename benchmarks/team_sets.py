"""The same questions asked of a library and of a corpus with the same filings: what differs."""

from __future__ import annotations

import time
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field, replace
from itertools import zip_longest
from pathlib import Path

import numpy as np

from fin_tui.engine.answering.answer import Request, last_answer
from fin_tui.engine.answering.compose import failed, not_held
from fin_tui.engine.questions.batch import scope_of
from fin_tui.engine.searching import Finder, open_finder
from fin_tui.engine.services import Services
from fin_tui.errors import FinTuiError, NotFound
from fin_tui.evaluation.sets import Row, load
from fin_tui.records import Answer, Hit

TOP = 10


@dataclass(slots=True)
class Compared:
    """What came of the questions of one set."""

    asked: int = 0
    values: int = 0
    """Questions answered with a value."""
    same_values: int = 0
    same_status: int = 0
    """Answered both times, or refused for the same reason."""
    same_words: int = 0
    overlaps: list[float] = field(default_factory=list)
    """Of the first ten hits, where either side has any."""
    same_order: int = 0
    local_ms: list[float] = field(default_factory=list)
    """Of the searches; the same for the corpus."""
    served_ms: list[float] = field(default_factory=list)
    differing: list[str] = field(default_factory=list)
    """Questions whose value or status is not the same."""

    @property
    def overlap(self) -> float:
        """Mean share of the first ten hits that are the same."""
        return float(np.mean(self.overlaps)) if self.overlaps else 1.0


def sets_of(folder: Path) -> dict[str, list[Row]]:
    """The question sets of a folder by name."""
    return {file.stem: [row for row in load(file) if row.asked] for file in sorted(folder.glob("*.jsonl"))}


def in_turn(sets: dict[str, list[Row]]) -> Iterator[tuple[str, Row]]:
    """All questions, one of each set after the other: what is asked in a given time is a sample of all."""
    for rows in zip_longest(*sets.values()):
        yield from ((name, row) for name, row in zip(sets, rows, strict=True) if row is not None)


@dataclass(frozen=True, slots=True)
class Side:
    """One of the two, with a finder that remembers nothing of what the engine found."""

    services: Services
    finder: Finder


def side_of(services: Services) -> Side:
    """Open services as a side."""
    return Side(services, open_finder(services.corpus, services.paths, services.settings))


def compare(local: Side, served: Side, sets: dict[str, list[Row]], seconds: float) -> dict[str, Compared]:
    """Ask both sides as many questions as the time allows, without a language model and without reranking, whose deadline would
    make answers depend on what else the machine does.
    """
    compared: dict[str, Compared] = {}
    began = time.monotonic()
    for name, row in in_turn(sets):
        if time.monotonic() - began > seconds:
            break
        _one(local, served, row, compared.setdefault(name, Compared()))
    return compared


def _one(local: Side, served: Side, row: Row, into: Compared) -> None:
    one, other = (_answer(side.services, row) for side in (local, served))
    (here, here_ms), (there, there_ms) = (_search(side, row) for side in (local, served))
    into.asked += 1
    into.local_ms.append(here_ms)
    into.served_ms.append(there_ms)
    into.values += one.value is not None
    same_value = (one.value, one.unit) == (other.value, other.unit)
    same_status = (one.status, _kind(one)) == (other.status, _kind(other))
    into.same_values += same_value
    into.same_status += same_status
    into.same_words += one.answer == other.answer
    first, second = ([hit.chunk.id for hit in hits[:TOP]] for hits in (here, there))
    if first or second:
        into.overlaps.append(len(set(first) & set(second)) / max(len(first), len(second)))
        into.same_order += first == second
    if not (same_value and same_status):
        into.differing.append(f"{row.line.question} [{one.status} {one.value} / {other.status} {other.value}]")


def _answer(services: Services, row: Row) -> Answer:
    line = row.line
    try:
        scope = scope_of(line, services.corpus.filings())
        request = Request(line.question, scope=scope, history=line.history, use_model=False, rerank=False)
        return last_answer(services.engine.stream(request), request)
    except NotFound as error:
        return not_held(line.question, line.id, error)
    except FinTuiError as error:
        return failed(line.question, line.id, error.message, error.hint)


def _search(side: Side, row: Row) -> tuple[Sequence[Hit], float]:
    """The hits, and milliseconds."""
    began = time.perf_counter()
    try:
        scope = scope_of(row.line, side.services.corpus.filings())
        hits = side.finder.search(row.line.question, scope, k=TOP, rerank=False, history=row.line.history).hits
    except FinTuiError:
        hits = ()
    return hits, 1000 * (time.perf_counter() - began)


def _kind(answer: Answer) -> str | None:
    return answer.refusal.kind if answer.refusal else None


def total(parts: Sequence[Compared]) -> Compared:
    """All sets as one."""
    whole = Compared()
    for part in parts:
        whole = replace(
            whole,
            asked=whole.asked + part.asked,
            values=whole.values + part.values,
            same_values=whole.same_values + part.same_values,
            same_status=whole.same_status + part.same_status,
            same_words=whole.same_words + part.same_words,
            overlaps=[*whole.overlaps, *part.overlaps],
            same_order=whole.same_order + part.same_order,
            local_ms=[*whole.local_ms, *part.local_ms],
            served_ms=[*whole.served_ms, *part.served_ms],
            differing=[*whole.differing, *part.differing],
        )
    return whole
