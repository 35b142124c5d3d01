"""Splits a set of questions into parts to train on, to choose by, and to measure by alone (seeded).

    FIN_TUI_CORPUS=DIR python -m training.split [--set natural.jsonl] [--seed 12]

No filing, and no company, stands in two parts: companies that one question names together stay together. Questions over no
filing go where their kind is short. Among thousands of such splits the one that is nearest to the sizes asked, kind by kind and
format by format, is taken. Only ids are kept, in ``training/data``: what is measured by must not be read by whoever trains.
"""

from __future__ import annotations

import argparse
import json
import os
import random
from collections import Counter, defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

DATA = Path(__file__).resolve().parent / "data"
SHARES = {"training": 0.46, "development": 0.23, "aside": 0.31}
SEED = 12
TRIALS = 400
SAME_COMPANY = {"BOEING": "BA", "GOOG": "GOOGL", "KRAFTHEINZ": "KHC"}
"""Names in file names that mean one company."""


@dataclass(frozen=True, slots=True)
class Group:
    """Questions that must stand in one part."""

    ids: tuple[str, ...]
    traits: Mapping[str, float]
    """How many questions, or turns, it has of each kind, and how many questions of each format."""


def main() -> None:
    """Write the parts and print how they came out."""
    arguments = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    arguments.add_argument("--set", default="natural.jsonl", help="a file of the corpus' qa folder")
    arguments.add_argument("--seed", type=int, default=SEED)
    asked = arguments.parse_args()
    folder = os.environ.get("FIN_TUI_CORPUS")
    if not folder:
        raise SystemExit("FIN_TUI_CORPUS names no folder of filings and questions.")
    corpus = Path(folder)
    with (corpus / "qa" / asked.set).open(encoding="utf-8") as lines:
        rows = [json.loads(line) for line in lines if line.strip()]
    formats = {file.name: format_of(file) for place in ("filings", "pdf") for file in (corpus / place).iterdir()}
    groups = grouped(rows, formats)
    parts = split(groups, asked.seed)
    made = {"set": asked.set, "seed": asked.seed, "command": f"python -m training.split --set {asked.set} --seed {asked.seed}"}
    target = DATA / f"{Path(asked.set).stem}_parts.json"
    target.write_text(json.dumps({**made, "parts": parts}, indent=1) + "\n", encoding="utf-8")
    where = {one: part for part, ids in parts.items() for one in ids}
    for part in SHARES:
        counts = _total(group for group in groups if where[group.ids[0]] == part)
        print(part, len(parts[part]), ", ".join(f"{trait} {count:g}" for trait, count in sorted(counts.items())))


def format_of(file: Path) -> str:
    """inline (XBRL), html, text or pdf."""
    if file.suffix != ".htm":
        return {".pdf": "pdf", ".txt": "text"}[file.suffix]
    return "inline" if b"<ix:" in file.read_bytes() else "html"


def company_of(file: str) -> str:
    """The company that a file name begins with."""
    name = file.partition("_")[0].partition("-")[0]
    return SAME_COMPANY.get(name, name)


def grouped(rows: Sequence[Mapping[str, Any]], formats: Mapping[str, str]) -> list[Group]:
    """Questions that share a company, directly or through others, as one group each; ``formats`` by file name."""
    together: dict[str, set[str]] = {}
    for row in rows:
        named = {company_of(file) for file in row["filing"]}
        merged = named.union(*(together.get(company, set()) for company in named))
        together |= dict.fromkeys(merged, merged)
    members: defaultdict[str, list[Mapping[str, Any]]] = defaultdict(list)
    for row in rows:
        members[min(together[company_of(row["filing"][0])]) if row["filing"] else row["id"]].append(row)
    return [Group(tuple(row["id"] for row in some), _traits(some, formats)) for _, some in sorted(members.items())]


def _traits(rows: Iterable[Mapping[str, Any]], formats: Mapping[str, str]) -> Mapping[str, float]:
    counts: defaultdict[str, float] = defaultdict(float)
    for row in rows:
        counts[row["kind"]] += len(row.get("turns", [row]))
        for file in row["filing"]:
            counts[formats[file]] += 1 / len(row["filing"])
    return counts


def split(groups: Sequence[Group], seed: int) -> dict[str, list[str]]:
    """Ids by part, sorted: the best of ``TRIALS`` random beginnings, each mended group by group until no move helps."""
    chance = random.Random(seed)
    names = list(SHARES)
    whole = _total(groups)
    found: list[tuple[float, list[str]]] = []
    for _ in range(TRIALS):
        placed = [chance.choice(names) for _ in groups]
        found.append(_mended(groups, placed, whole, chance))
    _, best = min(found)
    return {
        name: sorted(one for group, part in zip(groups, best, strict=True) if part == name for one in group.ids) for name in names
    }


def _mended(
    groups: Sequence[Group], placed: list[str], whole: Mapping[str, float], chance: random.Random
) -> tuple[float, list[str]]:
    sums = {name: _total(group for group, part in zip(groups, placed, strict=True) if part == name) for name in SHARES}
    cost = {name: _distance(sums[name], whole, share) for name, share in SHARES.items()}
    moved = True
    while moved:
        moved = False
        for at in chance.sample(range(len(groups)), len(groups)):
            here = placed[at]
            for there in [name for name in SHARES if name != here]:
                less, more = Counter(sums[here]), Counter(sums[there])
                less.subtract(groups[at].traits)
                more.update(groups[at].traits)
                new = _distance(less, whole, SHARES[here]), _distance(more, whole, SHARES[there])
                if sum(new) < cost[here] + cost[there] - 1e-9:
                    sums[here], sums[there], placed[at], moved = less, more, there, True
                    cost[here], cost[there] = new
                    break
    return sum(cost.values()), placed


def _distance(counts: Mapping[str, float], whole: Mapping[str, float], share: float) -> float:
    """How far a part is from its share of every trait (chi-squared)."""
    return sum((counts.get(trait, 0.0) - share * count) ** 2 / (share * count) for trait, count in whole.items())


def _total(groups: Iterable[Group]) -> Counter[str]:
    counts: Counter[str] = Counter()
    for group in groups:
        counts.update(group.traits)
    return counts


if __name__ == "__main__":
    main()
