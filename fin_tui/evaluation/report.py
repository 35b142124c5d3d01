"""The document of ``fin-tui eval --json``: head, and for each set its scores, its misses and every question."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import msgspec

from fin_tui.evaluation.scored import Scored
from fin_tui.evaluation.summary import summarise

MISSED_BELOW = 5
"""A gold passage further down than this counts as missed."""


def document(head: Mapping[str, Any], sets: Mapping[str, Sequence[Scored]]) -> dict[str, Any]:
    """The whole report, of plain JSON values."""
    return {
        "head": dict(head),
        "filings": head["library"]["filings"],
        "sets": {name: of_set(rows) for name, rows in sets.items()},
    }


def of_set(rows: Sequence[Scored]) -> dict[str, Any]:
    """One set's part of the report."""
    return {"scores": summarise(rows), "misses": misses(rows), "rows": msgspec.to_builtins(rows)}


def misses(rows: Sequence[Scored]) -> list[dict[str, Any]]:
    """The questions that went wrong, with what is known of why."""
    return [
        {"id": row.id, "question": row.question, "outcome": row.outcome, "why": row.why, "rank": row.rank}
        for row in rows
        if row.outcome not in ("right", "unjudged") or row.why or _is_low(row) or row.measures.get("program") == 0.0
    ]


def _is_low(row: Scored) -> bool:
    """No gold passage among the first ``MISSED_BELOW``, even by the lenient reading."""
    return row.measures.get(f"R@{MISSED_BELOW} lenient") == 0.0
