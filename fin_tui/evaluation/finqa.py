"""FinQA and ConvFinQA files as they are published: one JSON array, each entry with its table and its program.

FinQA keeps question, program and result under "qa"; ConvFinQA's turn files under "annotation" (``cur_dial``, ``cur_program``,
``exe_ans``), its conversation files as lists there (``dialogue_break``, ``turn_program``, ``exe_ans_list``). The evidence is
given with each entry, so the library is not asked: what is measured is the evaluation of the program.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

from fin_tui.engine.questions.batch import Line
from fin_tui.errors import UsageError, said

_HINT = "An array of FinQA or ConvFinQA entries, or JSON Lines with a question each."


def is_array(file: Path) -> bool:
    """Whether ``file`` holds an array and not JSON Lines."""
    try:
        with file.open(encoding="utf-8") as stream:
            while (character := stream.read(1)).isspace():
                continue
    except (OSError, UnicodeDecodeError):
        return False
    return character == "["


def read_array(file: Path) -> list[Line]:
    """The questions of ``file`` in order, each turn of a conversation one. Raises ``UsageError`` naming the entry."""
    try:
        entries = json.loads(file.read_text(encoding="utf-8"))
    except (OSError, ValueError) as error:
        raise UsageError(f"{file}: {said(error)}", _HINT) from error
    lines: list[Line] = []
    for number, entry in enumerate(entries, start=1):
        try:
            lines.extend(_lines(entry, str(entry.get("id", number))))
        except (KeyError, TypeError, ValueError, AttributeError) as error:
            raise UsageError(f"{file}, entry {number}: no question with a program ({error!r})", _HINT) from error
    return lines


def _lines(entry: Mapping[str, Any], identifier: str) -> Iterator[Line]:
    table = entry.get("table") or entry.get("table_ori") or ()
    said = entry.get("annotation")
    if said is None:
        qa = entry["qa"]
        yield _line(identifier, qa["question"], (), qa["program"], qa["exe_ans"], table, "finqa")
    elif "cur_program" in said:
        asked = said["cur_dial"]
        yield _line(identifier, asked[-1], asked[:-1], said["cur_program"], said["exe_ans"], table, "convfinqa")
    else:
        asked = said["dialogue_break"]
        turns = zip(asked, said["turn_program"], said["exe_ans_list"], strict=True)
        for at, (question, program, executed) in enumerate(turns):
            yield _line(f"{identifier}#{at + 1}", question, asked[:at], program, executed, table, "convfinqa")


def _line(identifier: str, question: str, before: Any, program: str, executed: Any, table: Any, kind: str) -> Line:
    raw = {"program": program, "exe_ans": executed, "table": table, "kind": kind, "evidence_given": True}
    return Line(identifier, question, history=tuple(before), raw=raw)
