"""Runs question sets through the answer engine without a language model and sums up the scores."""

from __future__ import annotations

import statistics
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from functools import partial
from typing import Any

from fin_tui.engine.answer import AnswerEngine, Request
from fin_tui.engine.batch import scope_of
from fin_tui.engine.compose import not_held
from fin_tui.engine.events import Event, Finished, Passage
from fin_tui.engine.stream import tap
from fin_tui.errors import NotFound
from fin_tui.evaluation.scores import Verdict, first_gold, judge
from fin_tui.evaluation.sets import Row
from fin_tui.records import Answer, Filing

DEPTHS = (1, 3, 5, 10)


@dataclass(frozen=True, slots=True)
class Result:
    """One question, answered and scored."""

    row: Row
    answer: Answer
    verdict: Verdict
    rank: int | None
    """Rank of the first gold passage among those shown; None when not among them or when the row has no gold passage."""


@dataclass(slots=True)
class Summary:
    """Scores of a class of questions."""

    name: str
    results: list[Result] = field(default_factory=list)

    def as_dict(self) -> dict[str, Any]:
        """The figures of a report row; recalls and MRR are None where no row has a gold passage."""
        ranked = [result.rank for result in self.results if result.row.evidence]
        totals = [result.answer.timings_ms.get("total", 0.0) for result in self.results]
        return {
            "class": self.name,
            "n": len(self.results),
            **{f"R@{depth}": _recall(ranked, depth) for depth in DEPTHS},
            "MRR": round(statistics.fmean(1 / rank if rank else 0.0 for rank in ranked), 3) if ranked else None,
            **{
                outcome: sum(r.verdict.outcome == outcome for r in self.results)
                for outcome in ("right", "wrong", "abstained", "error")
            },
            "ms p50": round(statistics.median(totals)) if totals else None,
        }


def _recall(ranks: Sequence[int | None], depth: int) -> float | None:
    return round(sum(rank is not None and rank <= depth for rank in ranks) / len(ranks), 3) if ranks else None


def run(engine: AnswerEngine, rows: Iterable[Row], held: Sequence[Filing]) -> Iterator[Result]:
    """Answer and score each row within its scope; a row that fails is an error result, not the end."""
    for row in rows:
        line = row.line
        try:
            request = Request(
                line.question, scope=scope_of(line, held), k=max(DEPTHS), use_model=False, id=line.id, history=line.history
            )
            shown: list[Passage] = []
            answer = tap(engine.stream(request), request, partial(_keep_passages, shown))
            rank = first_gold(shown, row) if row.evidence else None
        except NotFound as error:
            answer, rank = not_held(line.question, line.id, error), None
        yield Result(row, answer, judge(answer, row), rank)


def _keep_passages(shown: list[Passage], event: Event) -> None:
    if isinstance(event, Finished):
        shown.extend(event.passages)


def summarise(results: Sequence[Result]) -> list[dict[str, Any]]:
    """One row a class, then all."""
    by_kind: dict[str, Summary] = {}
    for result in results:
        kind = result.row.kind or "all"
        by_kind.setdefault(kind, Summary(kind)).results.append(result)
    rows = [summary.as_dict() for summary in by_kind.values()]
    if len(by_kind) > 1:
        rows.append(Summary("all", list(results)).as_dict())
    return rows
