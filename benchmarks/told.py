"""Sentences of our own about parts, changes and shares of companies, true and with one number altered, against ``check``.

    python -m benchmarks.told [--home DIR] [--misses] [--json]

Each line of ``told.jsonl`` has a sentence and the places of its wrong numbers. For the wrong numbers the share that is
contradicted is printed, for the others the share supported and contradicted. The library must hold the filings of the companies
named; a sentence about one that it lacks is unknown.
"""

from __future__ import annotations

import json
from collections import Counter
from pathlib import Path
from typing import Any

from benchmarks.command import parser, show
from fin_tui.config import Settings
from fin_tui.engine.checking import open_checker
from fin_tui.paths import find_home
from fin_tui.retrieval.backend import open_retriever
from fin_tui.store.library import Library

_SENTENCES = Path(__file__).with_name("told.jsonl")


def measure(home: Path | None) -> tuple[dict[str, Any], list[str]]:
    """Marks by kind of number, and the numbers that have a wrong mark."""
    paths = find_home(home)
    marks: Counter[tuple[bool, str]] = Counter()
    missed: list[str] = []
    with Library.open(paths, read_only=True) as library:
        checker = open_checker(library, open_retriever(library, paths, Settings()))
        for line in _SENTENCES.read_text(encoding="utf-8").splitlines():
            row = json.loads(line)
            numbers = [one for part in checker.check(row["text"]).statements for one in part.numbers]
            for place, one in enumerate(numbers):
                is_wrong = place in row["wrong"]
                marks[is_wrong, one.status] += 1
                if one.status != ("contradicted" if is_wrong else "supported"):
                    missed.append(f"{one.status}: {one.text} in: {row['text']} | {one.why}")
            unlisted = sum(place >= len(numbers) for place in row["wrong"])
            marks[True, "not listed"] += unlisted
    return {name: _line(marks, is_wrong) for name, is_wrong in (("true numbers", False), ("altered numbers", True))}, missed


def _line(marks: Counter[tuple[bool, str]], is_wrong: bool) -> str:
    kinds = ("contradicted", "supported", "unknown", "not listed") if is_wrong else ("supported", "contradicted", "unknown")
    total = sum(marks[is_wrong, kind] for kind in kinds)
    return f"{total}: " + ", ".join(
        f"{kind} {marks[is_wrong, kind]}" for kind in kinds if marks[is_wrong, kind] or kind != "not listed"
    )


def main() -> None:
    arguments = parser(__doc__)
    arguments.add_argument("--misses", action="store_true")
    given = arguments.parse_args()
    figures, missed = measure(given.home)
    show(figures, as_json=given.json)
    if given.misses:
        print("\n".join(missed))


if __name__ == "__main__":
    main()
