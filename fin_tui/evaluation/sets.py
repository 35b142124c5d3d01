"""Question sets: JSON Lines, a question or a conversation a line. What a program may use, and the gold it is measured by."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from fin_tui.engine.batch import Line, read_batch


@dataclass(frozen=True, slots=True)
class PagePassage:
    """A gold passage; ``page`` is the physical page of a PDF, or None."""

    text: str
    page: int | None = None


@dataclass(frozen=True, slots=True)
class Row:
    """A question with its gold."""

    line: Line
    expect: str = "answered"
    kind: str = ""
    filing: str = ""
    value: float | None = None
    accept: tuple[float, ...] = ()
    unit: str = ""
    tolerance: float = 0.005
    answer: str = ""
    must_contain: tuple[str, ...] = ()
    evidence: tuple[PagePassage, ...] = ()
    refusal: tuple[str, ...] = ()


def load(file: Path) -> list[Row]:
    """The rows of a set, in order. Raises ``UsageError`` naming file and line for what can't be read."""
    return [_row(line, f"{file.stem}:{number}") for number, line in enumerate(read_batch(file), start=1)]


def _row(line: Line, fallback_id: str) -> Row:
    raw = line.raw
    return Row(
        line=replace(line, id=line.id or fallback_id),
        expect=raw.get("expect", "answered"),
        kind=raw.get("kind", ""),
        filing=raw.get("filing", ""),
        value=raw.get("value"),
        accept=tuple(raw.get("accept") or ()),
        unit=raw.get("unit", ""),
        tolerance=raw.get("tolerance", 0.005),
        answer=str(raw.get("answer", "")),
        must_contain=tuple(raw.get("must_contain") or ()),
        evidence=tuple(_passage(gold) for gold in raw.get("evidence") or ()),
        refusal=_kinds(raw.get("refusal")),
    )


def _passage(gold: str | Mapping[str, Any]) -> PagePassage:
    return PagePassage(gold) if isinstance(gold, str) else PagePassage(gold["text"], gold.get("page"))


def _kinds(value: str | Sequence[str] | None) -> tuple[str, ...]:
    return () if value is None else (value,) if isinstance(value, str) else tuple(value)
