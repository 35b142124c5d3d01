"""Rows of question sets, made from plain keys."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

from fin_tui.evaluation.report import Scored
from fin_tui.evaluation.sets import Row, load


def row(folder: Path, **raw: Any) -> Row:
    """The row that a line with these keys gives."""
    return rows(folder, raw)[0]


def rows(folder: Path, *raws: dict[str, Any]) -> list[Row]:
    """The rows of a set with these lines."""
    file = folder / "set.jsonl"
    file.write_text("\n".join(json.dumps({"question": "Where do Acme's partners assemble?", **raw}) for raw in raws))
    return load(file)


def scored(identifier: str = "q", outcome: str = "right", strength: float | None = 0.9, **keys: Any) -> Scored:
    """A scored question of class "words", unless told otherwise."""
    given: dict[str, Any] = {"kind": "words", "question": "?", "measures": {"answered": 1.0}, "ms": {"answer": 10.0}}
    return Scored(id=identifier, outcome=outcome, strength=strength, **{**given, **keys})
