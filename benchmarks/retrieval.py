"""How well passages are found, by class of question and by what each step of the ranking adds.

    FIN_TUI_CORPUS=DIR python -m benchmarks.retrieval --home DIR [--variant NAME]... [--class NAME]... [--misses]

The library at ``--home`` holds the filings of ``$FIN_TUI_CORPUS``, whose ``qa`` folder holds the questions. Company and year are
taken from the question wherever a row carries no scope of its own. A passage counts by its words, on a PDF by file and page,
for a figure by the right file and the figure as printed (:mod:`fin_tui.evaluation.measures`).
"""

from __future__ import annotations

import argparse
import time
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from pathlib import Path

from benchmarks.questions import Class, cells, classes, corpus, heading, judge_hits, strays
from fin_tui.config import Search, Settings
from fin_tui.engine.figures.answer import Source
from fin_tui.engine.questions.batch import scope_of
from fin_tui.engine.searching import Finder
from fin_tui.errors import FinTuiError
from fin_tui.evaluation.measures import DEEPEST, Ranking
from fin_tui.evaluation.report import quantile
from fin_tui.evaluation.sets import Row
from fin_tui.facts import vocabulary
from fin_tui.facts.lookup import FactBook
from fin_tui.paths import Paths
from fin_tui.records import Filing, Hit
from fin_tui.retrieval.retriever import Retriever, Steps
from fin_tui.store.library import Library


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
class Outcome:
    """A question's hits and the rank of the first right one."""

    row: Row
    hits: Sequence[Hit]
    ranking: Ranking
    strayed: tuple[bool, bool]
    """To another company, to another year than the question names."""
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
            hits = finder.search(row.line.question, scope, k=DEEPEST, rerank=variant.rerank).hits
        except FinTuiError:
            hits = ()
        seconds = time.perf_counter() - started
        ranking = judge_hits(hits, row, held, lenient=one.lenient)
        yield Outcome(row, hits, ranking, strays(hits, row, held), seconds)


def figures_of(outcomes: Sequence[Outcome]) -> list[str]:
    """What was found, strayings among the first five, milliseconds p50 and p95."""
    times = [outcome.seconds * 1000 for outcome in outcomes]
    return [
        *cells([outcome.ranking for outcome in outcomes]),
        *(str(sum(outcome.strayed[place] for outcome in outcomes)) for place in (0, 1)),
        *(f"{quantile(times, share):.0f}" for share in (0.5, 0.95)),
    ]


def main() -> None:
    """See the head of this file."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--home", type=Path, required=True)
    parser.add_argument("--variant", action="append", default=[])
    parser.add_argument("--class", dest="only", action="append", default=[])
    parser.add_argument("--misses", action="store_true", help="print the questions not found among the first five")
    arguments = parser.parse_args()
    questions = classes(corpus() / "qa")
    chosen = [v for v in variants() if not arguments.variant or v.name in arguments.variant]
    print(heading("class", "n", "variant", after=("wrong company", "wrong year", "ms p50", "ms p95")))
    paths = Paths(arguments.home)
    with Library.open(paths, read_only=True) as library:
        held = library.filings()
        for variant in chosen:
            settings = Settings(search=variant.search)
            retriever = Retriever(library, paths, settings, steps=variant.steps)
            retriever.warm_up(rerank=variant.rerank)
            finder = Finder(
                retriever, library, Source(FactBook(library), vocabulary(), library.chunks) if variant.figures else None
            )
            for one in questions:
                if arguments.only and one.name not in arguments.only:
                    continue
                outcomes = list(run(finder, one, held, variant))
                print(f"| {one.name} | {len(outcomes)} | {variant.name} | {' | '.join(figures_of(outcomes))} |", flush=True)
                if arguments.misses:
                    _print_misses(outcomes)


def _print_misses(outcomes: Sequence[Outcome]) -> None:
    for outcome in outcomes:
        if not outcome.ranking.within(5):
            pages = [gold.page for gold in outcome.row.evidence]
            print(f"  {outcome.row.line.id} rank {outcome.ranking.rank} {outcome.row.filing} {pages} {outcome.row.line.question}")
            for hit in outcome.hits[:6]:
                print(f"      {hit.filing.file[:24]} p{hit.chunk.page} {hit.chunk.kind} {hit.chunk.header[-110:]!r}")


if __name__ == "__main__":
    main()
