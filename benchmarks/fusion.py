"""Whether the share of the dense index should differ by class of question: k-fold cross-validation over labelled questions.

    FIN_TUI_CORPUS=DIR python -m benchmarks.fusion --home DIR [--folds N]

Classes, told from the question alone: *number* (a figure of the vocabulary is asked for), *entity* (a name or a place of a filing
is asked for: who, where, when, which), *narrative* (the rest). In each fold the share that gives the best mean reciprocal rank on
the other folds, for all questions or for each class, is judged on the fold itself; figures' own places and pinned statements are
left out, as no share moves them.
"""

from __future__ import annotations

import argparse
import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from benchmarks.questions import classes, corpus
from fin_tui.config import Settings
from fin_tui.engine.questions.batch import scope_of
from fin_tui.engine.questions.understanding import Request, understand
from fin_tui.errors import FinTuiError
from fin_tui.evaluation.measures import gold_of, place_of
from fin_tui.facts import vocabulary
from fin_tui.paths import Paths
from fin_tui.records import Hit, Ranks, Scope
from fin_tui.retrieval.encoder import Encoder, load_encoder
from fin_tui.retrieval.fuse import Ranked, weighted
from fin_tui.retrieval.indexes import Indexes, Snapshot
from fin_tui.retrieval.retriever import expand
from fin_tui.retrieval.tokens import tokenize_query
from fin_tui.store.library import Library

SHARES = tuple(round(step / 10, 1) for step in range(11))
DEFAULT = 0.5
_SETS = ("narrative, filing given", "pages", "lookups, any filing", "segments")
_DEPTH = 60
_JUDGED = 10
_ENTITY = re.compile(r"^\s*(?:who|where|when|which|in what|what (?:is|was|are|were) the names?)\b", re.IGNORECASE)

Scores = NDArray[np.float64]


@dataclass(frozen=True, slots=True)
class Labelled:
    """A question's class, and its reciprocal rank at each of ``SHARES``."""

    kind: str
    scores: Scores


def question_class(text: str, is_number: bool) -> str:
    """number, entity or narrative."""
    return "number" if is_number else "entity" if _ENTITY.search(text) else "narrative"


def best(scores: Scores) -> int:
    """Place of the best mean; of equals the one nearest to the default."""
    means = scores.mean(axis=0)
    return min(range(len(SHARES)), key=lambda at: (-round(float(means[at]), 6), abs(SHARES[at] - DEFAULT)))


def folded(rows: Sequence[Labelled], folds: int, key: Callable[[Labelled], str]) -> Scores:
    """The score of each row at the share chosen, for its ``key``, on the other folds."""
    order = np.random.default_rng(0).permutation(len(rows))
    out = np.zeros(len(rows))
    for fold in range(folds):
        held_out = set(order[fold::folds].tolist())
        for name in {key(row) for row in rows}:
            train = [row.scores for at, row in enumerate(rows) if at not in held_out and key(row) == name]
            chosen = best(np.array(train)) if train else SHARES.index(DEFAULT)
            for at in held_out:
                if key(rows[at]) == name:
                    out[at] = rows[at].scores[chosen]
    return out


def label(home: Path) -> list[Labelled]:
    """All labelled questions of the corpus, with their scores at each share."""
    paths, settings, names = Paths(home), Settings(), vocabulary()
    encoder = load_encoder(settings.encoder, paths)
    found: list[Labelled] = []
    with Library.open(paths, read_only=True) as library:
        held = library.filings()
        by_file = {filing.file: filing for filing in held}
        snapshot = Indexes(paths, library, settings).snapshot()
        for one in classes(corpus() / "qa"):
            for row in one.rows if one.name in _SETS else ():
                try:
                    scope = scope_of(row.line, held)
                except FinTuiError:
                    continue
                if one.scoped and not row.line.scope:
                    scope = Scope(filings=(by_file[row.filing].id,))
                understood = understand(Request(row.line.question, scope), held, names)
                gold = gold_of(row, held)
                scores = [0.0] * len(SHARES)
                for part in understood.target.scopes[:1]:
                    lists = _lists(understood.question.query, library, snapshot, encoder, part)
                    for at, share in enumerate(SHARES):
                        keys = list(weighted(lists, weights=(share, 1 - share)))[:_JUDGED]
                        hits = [Hit(0, chunk, filing, 0.0, Ranks()) for chunk, filing in library.chunks_by_keys(keys)]
                        ranks = [n for n, hit in enumerate(hits, 1) if gold.matched(place_of(hit, {}), lenient=True)]
                        scores[at] = 1 / ranks[0] if ranks else 0.0
                found.append(Labelled(question_class(row.line.question, understood.reading is not None), np.array(scores)))
    return found


def _lists(query: str, library: Library, snapshot: Snapshot, encoder: Encoder, scope: Scope) -> list[Ranked]:
    allowed = library.chunk_keys(scope)
    dense = Ranked(*snapshot.search_dense(encoder.encode_query(query), allowed, _DEPTH))
    return [dense, Ranked(*snapshot.search_sparse(expand(query, tokenize_query(query)), allowed, _DEPTH), floor=0.0)]


def interval(difference: Scores, rounds: int = 2000) -> tuple[float, float]:
    """The middle 95 % of the mean of ``difference``, by bootstrap."""
    draws = np.random.default_rng(0).integers(0, len(difference), (rounds, len(difference)))
    means = difference[draws].mean(axis=1)
    return float(np.quantile(means, 0.025)), float(np.quantile(means, 0.975))


def report(rows: Sequence[Labelled], folds: int) -> None:
    """Print MRR at each share by class, and what the cross-validated choices gain."""
    print("| class | n | " + " | ".join(f"{share:.1f}" for share in SHARES) + " |")
    print("|" + "---|" * (len(SHARES) + 2))
    for kind in (*sorted({row.kind for row in rows}), "all"):
        mine = np.array([row.scores for row in rows if kind in ("all", row.kind)])
        print(f"| {kind} | {len(mine)} | " + " | ".join(f"{value:.3f}" for value in mine.mean(axis=0)) + " |")
    fixed = np.array([row.scores[SHARES.index(DEFAULT)] for row in rows])
    for name, key in (("one share for all", lambda row: ""), ("a share for each class", lambda row: row.kind)):
        chosen = folded(rows, folds, key)
        low, high = interval(chosen - fixed)
        print(f"{name}, {folds}-fold: MRR {chosen.mean():.3f}, {chosen.mean() - fixed.mean():+.4f} [{low:+.4f} {high:+.4f}]")


def main() -> None:
    """See the head of this file."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--home", type=Path, required=True)
    parser.add_argument("--folds", type=int, default=10)
    arguments = parser.parse_args()
    report(label(arguments.home), arguments.folds)


if __name__ == "__main__":
    main()
