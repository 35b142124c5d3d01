"""Question sets: JSON Lines, a question or a conversation a line. What a program may use, and the gold it is measured by.

A file that holds one JSON array is read as FinQA or ConvFinQA data (:mod:`fin_tui.evaluation.programs`).
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import msgspec

from fin_tui.engine.questions.batch import Line, read_batch
from fin_tui.errors import UsageError, said
from fin_tui.evaluation.agreement import yes_or_no
from fin_tui.evaluation.programs import is_array, read_array

FIGURE, REFUSE, YES_OR_NO = "number", "refuse", "yesno"
"""The kinds whose rows are read for more than their keys say."""
_HINT = 'Such as {"question": "…", "value": 391035000000, "unit": "usd", "evidence": ["words of the passage"]}.'


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
    filings: tuple[str, ...] = ()
    """Base names of the files that the gold stands in; one that needs several names the one that counts first."""
    value: float | None = None
    accept: tuple[float, ...] = ()
    unit: str = ""
    tolerance: float = 0.005
    answer: str = ""
    items: tuple[str, ...] = ()
    """What a list must name; ``answer`` joins them."""
    verdict: bool | None = None
    """The yes or no of a question that asks for one."""
    must_contain: tuple[str, ...] = ()
    evidence: tuple[PagePassage, ...] = ()
    refusal: tuple[str, ...] = ()
    inputs: tuple[float, ...] = ()
    """The printed figures that a computed ``value`` comes from."""
    ticker: str = ""
    company: str = ""
    program: str = ""
    """How the value is computed, in FinQA's notation; see :mod:`fin_tui.evaluation.programs`."""
    executed: float | str | None = None
    """What the program comes to: a number, "yes" or "no"."""
    table: tuple[tuple[str, ...], ...] = ()
    """Rows that the program's table steps read, the label first."""
    asked: bool = True
    """Whether the library is asked; not where the evidence is given with the row and only the program counts."""

    @property
    def filing(self) -> str:
        """The first of ``filings``, "" without one."""
        return self.filings[0] if self.filings else ""

    @property
    def is_open(self) -> bool:
        """No gold at all: nothing says what a right answer would be."""
        gold = (self.value, self.verdict, *self.items, *self.must_contain, *self.evidence, self.program or None)
        return self.expect == "answered" and "expect" not in self.line.raw and all(one is None for one in gold)


def load(file: Path) -> list[Row]:
    """The rows of a set, in order. Raises ``UsageError`` naming file and line for what can't be read."""
    lines = read_array(file) if is_array(file) else read_batch(file)
    rows = []
    for number, line in enumerate(lines, start=1):
        try:
            rows.append(_row(line, f"{file.stem}:{number}"))
        except (ValueError, TypeError, KeyError, AttributeError) as error:
            raise UsageError(f"{file}, question {number}: its gold can't be read ({error!r})", _HINT) from error
    return rows


def _row(line: Line, fallback_id: str) -> Row:
    raw = line.raw
    answer = raw.get("answer", "")
    return Row(
        line=replace(line, id=line.id or fallback_id),
        expect=raw.get("expect", "refused" if raw.get("kind") == REFUSE else "answered"),
        kind=raw.get("kind", ""),
        filings=_several(raw.get("filing")),
        value=_number(raw.get("value")),
        accept=tuple(map(float, raw.get("accept") or ())),
        unit=raw.get("unit", ""),
        tolerance=float(raw.get("tolerance", 0.005)),
        answer=str(answer) if not isinstance(answer, list) else "; ".join(answer),
        items=tuple(answer) if isinstance(answer, list) else (),
        verdict=_verdict(answer) if raw.get("kind") == YES_OR_NO else None,
        must_contain=tuple(raw.get("must_contain") or ()),
        evidence=tuple(_passage(gold) for gold in raw.get("evidence") or ()),
        refusal=_several(raw.get("refusal")),
        inputs=tuple(float(one) for one in raw.get("inputs") or () if isinstance(one, (int, float))),
        ticker=str(raw.get("ticker") or ""),
        company=str(raw.get("company") or ""),
        program=str(raw.get("program") or ""),
        executed=raw.get("exe_ans"),
        table=tuple(tuple(str(cell) for cell in row) for row in raw.get("table") or ()),
        asked=not raw.get("evidence_given", False),
    )


def _number(value: Any) -> float | None:
    return None if value is None else float(value)


def _passage(gold: str | Mapping[str, Any]) -> PagePassage:
    return PagePassage(gold) if isinstance(gold, str) else PagePassage(gold["text"], gold.get("page"))


def _several(value: str | Sequence[str] | None) -> tuple[str, ...]:
    return (value,) if value and isinstance(value, str) else tuple(value or ())


def _verdict(answer: str) -> bool:
    """Of a gold answer that begins with yes or no. Raises ``ValueError`` for any other."""
    found = yes_or_no(answer)
    if found is None:
        raise ValueError(f"neither yes nor no: {answer}")
    return found


_PART_HINT = 'Such as parts.json:aside, where the file holds {"parts": {"aside": ["q1", "q2"]}}.'


class _File(msgspec.Struct):
    parts: dict[str, frozenset[str]]


@dataclass(frozen=True, slots=True)
class Part:
    """Some questions of a set."""

    name: str
    ids: frozenset[str]

    def of(self, rows: Sequence[Row]) -> list[Row]:
        """The rows that belong to it, a conversation's turns by its id."""
        return [row for row in rows if (row.line.id or "").partition("#")[0] in self.ids]


def read_part(text: str) -> Part:
    """``FILE:NAME`` as a part. Raises ``UsageError`` when the file can't be read or has no such part."""
    file, _, name = text.rpartition(":")
    if not file or not name:
        raise UsageError(f"{text} names no part of a set.", _PART_HINT)
    try:
        parts = msgspec.json.decode(Path(file).read_bytes(), type=_File).parts
    except (OSError, msgspec.DecodeError) as error:
        raise UsageError(f"{file} holds no parts: {said(error)}", _PART_HINT) from error
    if name not in parts:
        raise UsageError(f"{file} has no part {name}.", f"It has: {', '.join(parts)}.")
    return Part(name, parts[name])
