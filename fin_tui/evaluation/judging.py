"""What a person needs to judge answers by reading them, and the grades that come back.

A heuristic can tell a figure from another, not whether an explanation has every point or whether a reader walks away with a false
belief. Nothing of what was measured goes to the judge: question, gold, and what the user sees.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any, Literal

import msgspec
from msgspec import Struct

from fin_tui.engine.answering.events import Event, EvidenceReady
from fin_tui.errors import UsageError, said
from fin_tui.evaluation.report import Scored
from fin_tui.evaluation.sets import Row
from fin_tui.records import Answer, Citation

FULL = 2
GOLD = ("answer", "must", "decides", "value", "unit", "tolerance", "accept", "working", "reason", "evidence", "filing", "refusal")
_HINT = 'Such as {"id": "q1", "grade": 2, "misleads": false}: 0 wrong, 1 in part, 2 full.'


class Grade(Struct, frozen=True):
    """What a judge says of one answer."""

    id: str
    grade: Literal[0, 1, 2]
    """2 full, 1 in part, 0 neither."""
    misleads: bool
    """The reader walks away with a false belief."""


def case(name: str, row: Row, answer: Answer, events: Sequence[Event], printed: str) -> dict[str, Any]:
    """One line for the judge; ``name`` is the set's, ``printed`` what ``fin-tui ask`` prints."""
    cards = [event for event in events if isinstance(event, EvidenceReady)]
    notes = [note for card in cards[-1:] for note in (card.caution, *card.notes) if note]
    return {
        "id": row.line.id,
        "set": name,
        "kind": row.kind,
        "question": row.line.question,
        "earlier": list(row.line.history),
        "gold": {key: row.line.raw[key] for key in GOLD if key in row.line.raw},
        "seen": {
            "printed": printed,
            "status": answer.status,
            "answer": answer.answer,
            "value": answer.value,
            "unit": answer.unit,
            "table": _table(answer.table),
            "refusal": {"kind": answer.refusal.kind, "message": answer.refusal.message} if answer.refusal else None,
            "notes": notes,
            "cited": [_cited(citation) for citation in answer.citations],
        },
    }


def _table(table: Mapping[str, Any] | None) -> str:
    if table is None:
        return ""
    rows = [
        ["", *table["columns"]],
        *([row["label"], *(cell.get("display") or "–" for cell in row["cells"])] for row in table["rows"]),
    ]
    return "\n".join(" | ".join(map(str, row)) for row in rows)


def _cited(citation: Citation) -> dict[str, Any]:
    return {
        "n": citation.id,
        "company": citation.company,
        "form": citation.form,
        "fiscal_year": citation.fiscal_year,
        "period_end": citation.period_end,
        "page": citation.page_label or citation.page,
        "heading": citation.heading,
        "quote": citation.quote,
    }


def read_grades(file: Path) -> dict[str, Grade]:
    """Grades by id. Raises ``UsageError`` naming the line of what is none, or of a second one for the same id."""
    try:
        lines = file.read_text(encoding="utf-8").splitlines()
    except (OSError, UnicodeDecodeError) as error:
        raise UsageError(f"{file}: {said(error)}", _HINT) from error
    grades: dict[str, Grade] = {}
    for number, line in enumerate(lines, start=1):
        if not line.strip():
            continue
        try:
            grade = msgspec.json.decode(line, type=Grade)
        except msgspec.DecodeError as error:
            raise UsageError(f"{file}, line {number}: not a grade ({error})", _HINT) from error
        if grade.id in grades:
            raise UsageError(f"{file}, line {number}: {grade.id} is graded twice.", "Keep one line an id.")
        grades[grade.id] = grade
    return grades


def graded(sets: Mapping[str, Sequence[Scored]], grades: Mapping[str, Grade]) -> dict[str, list[Scored]]:
    """The questions with the measures "full" and "misleads" where a grade says so. Raises ``UsageError`` when none is graded."""
    if not any(row.id in grades for rows in sets.values() for row in rows):
        raise UsageError("The grades are of none of these questions.", "They are joined by id.")
    return {name: [_graded(row, grades.get(row.id)) for row in rows] for name, rows in sets.items()}


def _graded(row: Scored, grade: Grade | None) -> Scored:
    if grade is None:
        return row
    given = {"full": float(grade.grade == FULL), "misleads": float(grade.misleads)}
    return msgspec.structs.replace(row, measures=row.measures | given)
