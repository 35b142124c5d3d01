"""Questions from a file of JSON lines: what each asks, within which limits. All other keys are left to the reader."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from fin_tui.errors import UsageError, said
from fin_tui.records import Filing, Scope
from fin_tui.retrieval.scope import limit_to, resolve_scope

_HINT = 'Each line is one JSON object such as {"id": "q1", "question": "…"}; a conversation has "turns" instead.'


@dataclass(frozen=True, slots=True)
class Line:
    """One question of a batch; each turn of a conversation is a line of its own, with id ``ID#1``, ``ID#2``, …"""

    id: str | None
    question: str
    scope: Mapping[str, Any] = field(default_factory=dict)
    """``company`` or ``ticker``, ``year``, ``item``, ``filing``."""
    library: tuple[str, ...] = ()
    """Base names of the filings to ask; all when empty."""
    history: tuple[str, ...] = ()
    """The questions before this one in its conversation."""
    raw: Mapping[str, Any] = field(default_factory=dict)
    """The whole object; for a turn, its own keys over those of the conversation."""
    turn: int = 0
    """Its place in its conversation from 1; 0 outside of one."""


def read_batch(file: Path) -> list[Line]:
    """The lines of ``file`` in order. Raises ``UsageError`` naming file and line for what is no question."""
    try:
        texts = file.read_text(encoding="utf-8").splitlines()
    except (OSError, UnicodeDecodeError) as error:
        raise UsageError(f"{file}: {said(error)}", _HINT) from error
    lines: list[Line] = []
    for number, text in enumerate(texts, start=1):
        if not text.strip():
            continue
        try:
            lines.extend(_read(json.loads(text)))
        except (ValueError, TypeError, KeyError, AttributeError) as error:
            raise UsageError(f"{file}, line {number}: not a question ({error})", _HINT) from error
    return lines


def _read(raw: Mapping[str, Any]) -> list[Line]:
    identifier = str(raw["id"]) if raw.get("id") is not None else None
    turns = raw.get("turns")
    if turns is None:
        return [_line(identifier, raw, ())]
    shared = {key: value for key, value in raw.items() if key not in ("turns", "id")}
    asked: list[str] = []
    lines = []
    for number, turn in enumerate(turns, start=1):
        own = turn if isinstance(turn, Mapping) else {"question": turn}
        lines.append(_line(f"{identifier or ''}#{number}", {**shared, **own}, asked, number))
        asked.append(lines[-1].question)
    return lines


def _line(identifier: str | None, raw: Mapping[str, Any], history: Sequence[str], turn: int = 0) -> Line:
    question = raw["question"] if "question" in raw else raw["text"]
    if not isinstance(question, str) or not question.strip():
        raise ValueError("an empty question")
    return Line(identifier, question, raw.get("scope") or {}, tuple(raw.get("library") or ()), tuple(history), raw, turn)


def scope_of(line: Line, held: Sequence[Filing]) -> Scope:
    """The scope of a line in a library of ``held``. Raises ``NotFound`` for what is not held, ``UsageError`` for nonsense."""
    limits = line.scope
    scope = resolve_scope(
        held,
        companies=_several(limits.get("company") or limits.get("ticker")),
        years=[int(year) for year in _several(limits.get("year"))],
        items=_several(limits.get("item")),
        filing_names=_several(limits.get("filing")),
    )
    return limit_to(scope, held, line.library) if line.library else scope


def _several(value: Any) -> list[str]:
    if value is None:
        return []
    return [str(one) for one in value] if isinstance(value, (list, tuple)) else [str(value)]
