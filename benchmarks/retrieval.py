"""How well passages are found, by class of question and by what each step of the ranking adds.

    FIN_TUI_CORPUS=DIR python -m benchmarks.retrieval --home DIR [--variant NAME]... [--class NAME]... [--misses]

The library at ``--home`` holds the filings of ``$FIN_TUI_CORPUS``, whose ``qa`` folder holds the questions. Company and year are
taken from the question wherever a row carries no scope of its own. A passage counts by its words, as in
:mod:`fin_tui.evaluation.scores`, on a PDF by file and page, for a figure by the right file and the figure as printed.
"""

from __future__ import annotations

import argparse
import os
import re
import statistics
import time
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from pathlib import Path

from fin_tui.config import Search, Settings
from fin_tui.engine.batch import scope_of
from fin_tui.engine.figures import Source
from fin_tui.engine.finder import Finder
from fin_tui.errors import FinTuiError
from fin_tui.evaluation.scores import first_gold, is_gold
from fin_tui.evaluation.sets import Row, load
from fin_tui.facts.lookup import FactBook
from fin_tui.facts.metrics import vocabulary
from fin_tui.paths import Paths
from fin_tui.records import Filing, Hit
from fin_tui.retrieval.retriever import Retriever
from fin_tui.retrieval.steps import Steps
from fin_tui.store.library import Library

DEPTHS = (1, 3, 5, 10)
_NUMBER = re.compile(r"\d[\d,]*(?:\.\d+)?")
_SCALES = (1.0, 1e3, 1e6, 1e9)

Judge = Callable[[Sequence[Hit], Row], int | None]


@dataclass(frozen=True, slots=True)
class Variant:
    """A way to rank."""

    name: str
    search: Search = field(default_factory=Search)
    steps: Steps = field(default_factory=Steps)
    rerank: bool = False
    figures: bool = True


def variants() -> list[Variant]:
    """The default first, then the default with one thing changed."""
    return [
        Variant("all steps"),
        Variant("dense", Search(mode="dense"), figures=False),
        Variant("sparse", Search(mode="sparse"), figures=False),
        Variant("rrf", Search(fusion="rrf"), figures=False),
        Variant("no steps", steps=Steps.none(), figures=False),
        *[Variant(f"without {name}", steps=Steps().without(name)) for name in Steps.names()],
        Variant("without figures", figures=False),
        Variant("without figures, synonyms", steps=Steps().without("synonyms"), figures=False),
        Variant("all steps, reranked", rerank=True),
    ]


@dataclass(frozen=True, slots=True)
class Class:
    """Questions judged in one way."""

    name: str
    rows: Sequence[Row]
    judge: Judge
    scoped: bool = False


def classes(folder: Path) -> list[Class]:
    """The classes of the question sets in ``folder``."""
    narrative = load(folder / "narrative.jsonl")
    analyst = load(folder / "financebench.jsonl")
    numbers = [row for row in load(folder / "numbers.jsonl") if row.value is not None]
    return [
        Class("narrative, filing given", narrative, first_gold, scoped=True),
        Class("narrative, company named", [row for row in narrative if not row.line.scope], _twin),
        Class("pages: figures", [row for row in analyst if row.kind == "metrics-generated"], first_gold),
        Class("pages: analysis", [row for row in analyst if row.kind != "metrics-generated"], first_gold),
        Class("lookups", [row for row in numbers if row.kind == "lookup"], _printed),
        Class("lookups, any filing", [row for row in numbers if row.kind == "lookup"], _printed_anywhere),
        Class("segments", [row for row in numbers if row.kind == "segment"], _printed_anywhere),
    ]


def _twin(hits: Sequence[Hit], row: Row) -> int | None:
    """The passage itself or the like of it in another year of the same company."""
    ticker = row.line.raw.get("ticker", "")
    return next(
        (
            rank
            for rank, hit in enumerate(hits, start=1)
            if hit.filing.ticker == ticker and any(is_gold(hit.chunk.text, gold.text) for gold in row.evidence)
        ),
        None,
    )


def _printed(hits: Sequence[Hit], row: Row) -> int | None:
    return next((r for r, hit in enumerate(hits, 1) if hit.filing.file == row.filing and holds_figure(hit.chunk.text, row)), None)


def _printed_anywhere(hits: Sequence[Hit], row: Row) -> int | None:
    """In any filing of the company: a figure may come from every filing that covers its period."""
    return next((r for r, hit in enumerate(hits, 1) if holds_figure(hit.chunk.text, row)), None)


def holds_figure(text: str, row: Row) -> bool:
    """Whether ``text`` prints one of the row's values at some scale, digit by digit."""
    gold = [abs(value) for value in (row.value, *row.accept) if value is not None]
    for match in _NUMBER.finditer(text):
        printed = float(match.group().replace(",", ""))
        if printed and any(abs(printed * scale - value) <= 1e-9 * value for value in gold for scale in _SCALES):
            return True
    return False


@dataclass(frozen=True, slots=True)
class Outcome:
    """A question's hits and the rank of the first right one."""

    row: Row
    hits: Sequence[Hit]
    rank: int | None
    seconds: float


def run(finder: Finder, one: Class, held: Sequence[Filing], variant: Variant) -> Iterator[Outcome]:
    """Each question of a class; what the library refuses counts as not found."""
    by_file = {filing.file: filing for filing in held}
    for row in one.rows:
        started = time.perf_counter()
        try:
            scope = scope_of(row.line, held)
            if one.scoped and not row.line.scope:
                scope = type(scope)(filings=(by_file[row.filing].id,))
            hits = finder.search(row.line.question, scope, k=max(DEPTHS), rerank=variant.rerank).hits
        except FinTuiError:
            hits = ()
        seconds = time.perf_counter() - started
        yield Outcome(row, hits, one.judge(hits, row), seconds)


def figures_of(outcomes: Sequence[Outcome]) -> list[str]:
    """Recalls, MRR, wrong companies among the first five, milliseconds p50 and p95."""
    ranks = [outcome.rank for outcome in outcomes]
    recall = [f"{sum(rank is not None and rank <= depth for rank in ranks) / len(ranks):.3f}" for depth in DEPTHS]
    times = sorted(outcome.seconds * 1000 for outcome in outcomes)
    return [
        *recall,
        f"{statistics.fmean(1 / rank if rank else 0.0 for rank in ranks):.3f}",
        f"{times[len(times) // 2]:.0f}",
        f"{times[min(len(times) - 1, int(len(times) * 0.95))]:.0f}",
    ]


def main() -> None:
    """See the head of this file."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--home", type=Path, required=True)
    parser.add_argument("--variant", action="append", default=[])
    parser.add_argument("--class", dest="only", action="append", default=[])
    parser.add_argument("--misses", action="store_true", help="print the questions not found among the first five")
    arguments = parser.parse_args()
    corpus = os.environ.get("FIN_TUI_CORPUS")
    if not corpus:
        raise SystemExit("FIN_TUI_CORPUS names no folder of filings and questions.")
    chosen = [v for v in variants() if not arguments.variant or v.name in arguments.variant]
    print("| class | n | variant | R@1 | R@3 | R@5 | R@10 | MRR | ms p50 | ms p95 |")
    print("|---|---|---|---|---|---|---|---|---|---|")
    with Library.open(Paths(arguments.home), read_only=True) as library:
        held = library.filings()
        for variant in chosen:
            retriever = Retriever(library, Paths(arguments.home), Settings(search=variant.search), steps=variant.steps)
            retriever.warm_up(rerank=variant.rerank)
            finder = Finder(
                retriever, library, Source(FactBook(library), vocabulary(), library.chunks) if variant.figures else None
            )
            for one in classes(Path(corpus) / "qa"):
                if arguments.only and one.name not in arguments.only:
                    continue
                outcomes = list(run(finder, one, held, variant))
                print(f"| {one.name} | {len(outcomes)} | {variant.name} | {' | '.join(figures_of(outcomes))} |", flush=True)
                if arguments.misses:
                    _print_misses(outcomes)


def _print_misses(outcomes: Sequence[Outcome]) -> None:
    for outcome in outcomes:
        if outcome.rank is None or outcome.rank > 5:
            pages = [gold.page for gold in outcome.row.evidence]
            print(f"  {outcome.row.line.id} rank {outcome.rank} {outcome.row.filing} {pages} {outcome.row.line.question}")
            for hit in outcome.hits[:6]:
                print(f"      {hit.filing.file[:24]} p{hit.chunk.page} {hit.chunk.kind} {hit.chunk.header[-110:]!r}")


if __name__ == "__main__":
    main()
