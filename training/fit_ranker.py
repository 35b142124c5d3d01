"""Fits the weights of the ranker's features: questions with a known figure, asked of a library, each candidate right or not.

    FIN_TUI_HOME=DIR FIN_TUI_CORPUS=DIR python -m training.fit_ranker [--write]

The questions are those for single rows of filings that the row reader was not trained on, the same as people put them, and those
with a value of the training part. Prints, by cross-validation over filings, how often the first candidate is right, and what each
threshold of probability would answer rightly and wrongly.
"""

from __future__ import annotations

import argparse
import json
import os
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray
from sklearn.linear_model import LogisticRegression

from fin_tui.config import load_settings
from fin_tui.engine.figures.frame_readings import readings_of
from fin_tui.engine.figures.linked_book import value_of
from fin_tui.engine.figures.telling import covering, telling_apart
from fin_tui.engine.questions.instructions import Instructions
from fin_tui.engine.questions.target import subjects
from fin_tui.engine.questions.understanding import Request, Understanding, of_known_companies
from fin_tui.engine.rank.ranker import FEATURES, READ
from fin_tui.engine.rank.wanted import When
from fin_tui.engine.services import Services, open_services
from fin_tui.facts import vocabulary
from fin_tui.paths import find_home
from fin_tui.records import Filing
from training.train import DATA, lines

TARGET = Path(__file__).resolve().parent.parent / "fin_tui" / "engine" / "rank" / "weights.json"
FOLDS = 5
SAME = 0.006
STRENGTH = 0.002
"""Of the pull towards zero."""


@dataclass(frozen=True, slots=True)
class Asked:
    """The candidates of one question, and which of them state the right figure."""

    question: str
    group: str
    features: NDArray[np.float32]
    right: NDArray[np.bool_]
    values: tuple[float, ...]
    gold: float


def main() -> None:
    """Ask, fit, print, and write where that is wanted."""
    arguments = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    arguments.add_argument("--write", action="store_true")
    given = arguments.parse_args()
    rows = known_figures(Path(os.environ["FIN_TUI_CORPUS"]))
    paths = find_home(Path(os.environ["FIN_TUI_HOME"]))
    with open_services(paths, load_settings(paths.settings), with_model=False) as services:
        asked = [one for row in rows if (one := candidates_of(row, services)) is not None]
    report(asked, len(rows), write=given.write)


def known_figures(corpus: Path) -> list[dict[str, Any]]:
    """Questions with ``value``, other accepted values (``accept``), and the ``file`` that states it."""
    held = [row for row in lines(DATA / "rows.jsonl") if row["split"] == "development" and not row.get("operand")]
    found = []
    for row in held:
        value = row["value"] * (100 if row["unit"] == "pure" else 1)
        found.append({"question": row["question"], "value": value, "accept": [], "file": row["filing"]})
    ids = set(json.loads((DATA / "natural_parts.json").read_text(encoding="utf-8"))["parts"]["training"])
    for row in lines(corpus / "qa" / "natural.jsonl"):
        if row["id"] in ids and row.get("value") is not None:
            found.append({key: row.get(key, []) for key in ("question", "value", "accept")} | {"file": row["filing"][0]})
    return [*found, *(row for row in by_people() if row["expression"] == "a" and len(row["turns"]) == 1)]


def by_people() -> list[dict[str, Any]]:
    """Figures and calculations as people ask for them, on none of which the row reader was trained: as the dialogues are, with
    ``question``, ``file``, ``accept``, and ``calculation``.
    """
    return [
        {**row, "question": row["turns"][-1], "file": row["filing"], "accept": [], "calculation": row["expression"] != "a"}
        for row in lines(DATA / "people.jsonl")
    ]


def is_asked_of(understood: Understanding, row: Mapping[str, Any]) -> bool:
    """Whether a question by people is looked for in the filing that it was written for: where it names no year, another one of
    the company may be newer.
    """
    return "author" not in row or row["filing"] in {filing.id for filing in understood.target.filings}


def save(asked: Sequence[Asked], tops: Sequence[tuple[str, NDArray[np.float64], bool]]) -> None:
    """Fit on all questions and write the weights."""
    first, last, sure = fitted(asked, len(FEATURES)), fitted(asked, len(FEATURES) + 1), sureness(tops)
    card = {
        "questions": len(asked),
        "first": dict(zip(FEATURES, map(float, first), strict=True)),
        "last": dict(zip((*FEATURES, "read"), map(float, last), strict=True)),
        "sure": dict(zip((*FEATURES, "read", "share", "bias"), map(float, sure), strict=True)),
    }
    TARGET.write_text(json.dumps(card, indent=1) + "\n", encoding="utf-8")


def known_of(features: NDArray[np.float32], share: float) -> NDArray[np.float64]:
    """What the probability of a first candidate is told by."""
    return np.array([*features, np.log(max(share, 1e-6)), 1.0], np.float64)


def sureness(tops: Sequence[tuple[str, NDArray[np.float64], bool]]) -> NDArray[np.float64]:
    """Weights of what tells whether the first candidate is right."""
    model = LogisticRegression(C=0.3, fit_intercept=False, max_iter=2_000)
    model.fit(np.array([known for _, known, _ in tops]), [right for _, _, right in tops])
    weights: NDArray[np.float64] = model.coef_[0]
    return weights


def candidates_of(row: Mapping[str, Any], services: Services) -> Asked | None:
    """The candidates that the ranker sees for a question; None where it is never asked."""
    linked, engine = services.engine.linked, services.engine
    understood = engine.understand(Request(row["question"], use_model=False))
    if linked is None or understood.frame is None or not is_asked_of(understood, row):
        return None
    frame = of_known_companies(replace(understood.frame, operation="lookup", operations={}, refusal=""), understood.question)
    made = readings_of(frame, vocabulary(), Instructions(""))
    if not made:
        return None
    reading, wanted = made[0].reading, made[0].wanted
    whose = subjects(understood.question, reading, understood.target, understood.request.scope, understood.held)
    asked = next(iter(wanted.values()), None)
    subject = next(iter(whose), None)
    if asked is None or subject is None:
        return None
    year = subject.years[-1]
    where: list[tuple[Filing, When]] = [*covering(subject.filings, year), *telling_apart(subject.filings, year)]
    first = next(iter(where), None)
    if first is None:
        return None
    found, known = linked.ranker.shortlist(asked, *first, linked.passages(asked.matter, first[0]))
    found, known = found[:READ], known[:READ]
    if not found:
        return None
    values = tuple(float(value_of(one, asked)) for one in found)
    right = np.array([_same(value, row) for value in values])
    read = linked.ranker.read(asked.read_in(first[1]), found, first[0])
    features = np.column_stack((known, read)).astype(np.float32)
    return Asked(row["question"], str(row.get("file", row["question"])), features, right, values, float(row["value"]))


def _same(value: float, row: Mapping[str, Any]) -> bool:
    for gold in (row["value"], *row.get("accept", ())):
        for scale in (1.0, 100.0):
            if gold is not None and abs(abs(value) - abs(gold) * scale) <= 0.005 * abs(gold) * scale:
                return scale == 1.0 or abs(gold) < 1
    return False


def fitted(asked: Sequence[Asked], count: int) -> NDArray[np.float64]:
    """The weights of the first ``count`` features that make the right candidates likeliest, question by question."""
    from scipy.optimize import minimize

    known = [one for one in asked if one.right.any()]

    def loss(weights: NDArray[np.float64]) -> tuple[float, NDArray[np.float64]]:
        total, slope = 0.0, np.zeros(count)
        for one in known:
            features = one.features[:, :count]
            raised = features @ weights
            shares = np.exp(raised - raised.max())
            shares /= shares.sum()
            chance = max(float(shares[one.right].sum()), 1e-12)
            total -= np.log(chance)
            slope -= features.T @ (np.where(one.right, shares / chance, 0.0) - shares)
        return total / len(known) + STRENGTH * float(weights @ weights), slope / len(known) + 2 * STRENGTH * weights

    weights: NDArray[np.float64] = minimize(loss, np.zeros(count), jac=True, method="L-BFGS-B").x
    return weights


def report(asked: Sequence[Asked], questions: int, *, write: bool) -> None:
    """Print the figures by cross-validation; ``write`` the weights fitted on all."""
    groups = sorted({one.group for one in asked})
    tops: list[tuple[str, NDArray[np.float64], bool]] = []
    for fold in range(FOLDS):
        inside = set(groups[fold::FOLDS])
        weights = fitted([one for one in asked if one.group not in inside], len(FEATURES) + 1)
        for one in asked:
            if one.group in inside:
                raised = one.features[:, : len(weights)] @ weights
                shares = np.exp(raised - raised.max())
                best = int(shares.argmax())
                values = np.abs(np.array(one.values))
                same = np.abs(values - values[best]) <= SAME * max(float(values[best]), 1e-9)
                share = float(shares[same].sum() / shares.sum())
                tops.append((one.group, known_of(one.features[best, : len(weights)], share), bool(one.right[best])))
    results: list[tuple[float, bool]] = []
    for fold in range(FOLDS):
        inside = set(groups[fold::FOLDS])
        model = sureness([top for top in tops if top[0] not in inside])
        results += [(float(1 / (1 + np.exp(-(known @ model)))), right) for group, known, right in tops if group in inside]
    held = sum(bool(one.right.any()) for one in asked)
    print(f"{questions} questions, {len(asked)} ranked, the right figure among the candidates {held}")
    print(f"first right {sum(right for _, right in results)}")
    if write:
        save(asked, tops)
    for threshold in (0.0, 0.2, 0.3, 0.4, 0.5, 0.6, 0.7, 0.8, 0.9):
        told = [right for chance, right in results if chance >= threshold]
        print(f"from {threshold:.1f}: answered {len(told)}, right {sum(told)}, wrong {len(told) - sum(told)}")


if __name__ == "__main__":
    main()
