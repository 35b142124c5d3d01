"""Cells of a sheet against the XBRL of the filings that they cite, as lxml reads it.

    python -m benchmarks.sheet_check CELLS.json --home HOME [--number 300] [--seed 1] [--json]

CELLS.json is what ``python -m benchmarks.sheet_speed --cells`` writes, rows being filings. Of the cells of inline XBRL filings
some are drawn. A cell is right when each of its figures is tagged in the cited filing with that concept, period and value (but
for the sign, which people speak of otherwise), the filing has the registrant's number of the row's own filing, the newest figure
ends with the newest year of which the row's filing tags something, flows are of a year, and a computed value is what its
expression gives.
"""

from __future__ import annotations

import datetime as dt
import json
import math
import random
from collections import Counter, defaultdict
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any

from benchmarks.command import parser, show
from benchmarks.inline_xbrl import tagged
from fin_tui.facts.expression import Measure, evaluate, parse
from fin_tui.facts.figures import exact
from fin_tui.paths import Paths, find_home
from fin_tui.store.library import Library

_DRIFT = 10
"""Days by which a year's end may differ from the day on the cover: years of 52 and 53 weeks."""
_YEAR = range(340, 386)


@dataclass(frozen=True, slots=True)
class Tags:
    """What one filing tags for the whole company."""

    number: str
    """Central Index Key of the registrant, without leading zeros."""
    end: dt.date | None
    """The last day of the newest year of which it tags something."""
    values: Mapping[tuple[str, dt.date | None, dt.date], frozenset[float]]


class Filings:
    """The XBRL of the filings of a library, read once each."""

    def __init__(self, library: Library) -> None:
        self._library = library
        self.read = cache(self._read)

    def _read(self, filing: str) -> Tags | None:
        raw = self._library.original(filing)
        if b"ix:nonfraction" not in raw.lower():
            return None
        facts, texts = tagged(raw)
        values: defaultdict[tuple[str, dt.date | None, dt.date], set[float]] = defaultdict(set)
        for fact in facts:
            values[fact.concept, fact.start, fact.end].add(fact.value)
        return Tags(
            texts.get("dei:EntityCentralIndexKey", "").strip().lstrip("0"),
            max((fact.end for fact in facts if fact.start is not None and (fact.end - fact.start).days in _YEAR), default=None),
            {key: frozenset(found) for key, found in values.items()},
        )


def wrong(cell: Mapping[str, Any], filings: Filings) -> str:
    """Why a cell with a value is not what the filings tag; "" when it is."""
    own = filings.read(cell["row"])
    assert own is not None
    ends = []
    for fact in cell["facts"]:
        cited = filings.read(fact["filing"])
        if cited is None or cited.number != own.number:
            return f"{fact['filing']} is no filing of {own.number}"
        start, end = _day(fact["period_start"]), _day(fact["period_end"])
        assert end is not None
        ends.append(end)
        if start is not None and (end - start).days not in _YEAR:
            return f"{fact['concept']} {start} to {end} is no year"
        if fact["dimensions"] or fact["source"] != "xbrl":
            return f"{fact['label']}: not a tagged figure of the whole company ({fact['source']})"
        held = cited.values.get((fact["concept"], start, end), frozenset())
        shown = fact["value"] / 100 if fact["unit"] == "%" else fact["value"]
        if not any(_same(abs(value), abs(shown)) for value in held):
            return f"{fact['concept']} {start} to {end}: cell {fact['value']:,}, tagged {sorted(held)}"
    if own.end is None or abs((max(ends) - own.end).days) > _DRIFT:
        return f"of {max(ends)}, the filing's year ends {own.end}"
    return _miscomputed(cell)


def _miscomputed(cell: Mapping[str, Any]) -> str:
    calculation = cell["calculation"]
    if calculation is None:
        return "" if _same(abs(cell["value"]), abs(cell["facts"][0]["value"])) else f"{cell['value']} is not the figure"
    given = {name: cell["facts"][one["fact"]] for name, one in calculation["inputs"].items()}
    measures = {name: Measure(exact(one["value"]), one["unit"]) for name, one in given.items()}
    made = evaluate(parse(calculation["expression"]), lambda name: measures[name.name], unit=calculation["unit"])
    shown = float(made.value)
    return "" if _same(shown, cell["value"]) else f"{calculation['expression']} gives {shown}, the cell {cell['value']}"


def _same(one: float, other: float) -> bool:
    return math.isclose(one, other, rel_tol=1e-9, abs_tol=1e-9)


def _day(text: str | None) -> dt.date | None:
    return dt.date.fromisoformat(text) if text else None


def checked(cells: Iterable[Mapping[str, Any]], filings: Filings, number: int, seed: int) -> tuple[dict[str, Any], list[str]]:
    """Figures for people, and a line for each cell that is wrong."""
    known = [cell for cell in cells if cell.get("value") is not None and filings.read(cell["row"]) is not None]
    drawn = random.Random(seed).sample(known, min(number, len(known)))
    reasons = [(cell, why) for cell in drawn if (why := wrong(cell, filings))]
    untagged = sum("not a tagged figure" in why for _, why in reasons)
    concepts: defaultdict[str, Counter[str]] = defaultdict(Counter)
    for cell in drawn:
        for fact in cell["facts"] if cell.get("calculation") is None else ():
            concepts[cell["column"]][fact["concept"]] += 1
    lines = [f"{cell['row']} {cell['column']} {cell['line']}: {why}" for cell, why in reasons]
    lines += [f"{column}: {dict(found.most_common())}" for column, found in sorted(concepts.items())]
    return {
        "cells with a value in XBRL filings": len(known),
        "drawn": len(drawn),
        "right": len(drawn) - len(reasons),
        "figures that no tag gives": untagged,
        "wrong company, period or value": len(reasons) - untagged,
    }, lines


def main() -> None:
    """Check and print."""
    options = parser(__doc__)
    options.add_argument("cells", type=Path)
    options.add_argument("--number", type=int, default=300)
    options.add_argument("--seed", type=int, default=1)
    given = options.parse_args()
    home: Paths = find_home(given.home)
    library = Library.open(home)
    try:
        figures, lines = checked(json.loads(given.cells.read_text()), Filings(library), given.number, given.seed)
    finally:
        library.close()
    if not given.json:
        print("\n".join(lines))
    show(figures, as_json=given.json)


if __name__ == "__main__":
    main()
