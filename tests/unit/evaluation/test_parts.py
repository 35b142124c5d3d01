"""Parts of a set, by ids in a file."""

from __future__ import annotations

from pathlib import Path

import pytest

from fin_tui.errors import UsageError
from fin_tui.evaluation.sets import read_part
from tests.unit.evaluation.made import rows


def test_a_part_has_its_questions_and_all_turns_of_its_conversations(tmp_path: Path) -> None:
    file = tmp_path / "parts.json"
    file.write_text('{"seed": 1, "parts": {"aside": ["b", "d"], "training": ["a"]}}')
    part = read_part(f"{file}:aside")
    asked = rows(tmp_path, {"id": "a"}, {"id": "b"}, {"id": "d", "turns": ["One?", "Two?"]})
    assert part.name == "aside"
    assert [row.line.id for row in part.of(asked)] == ["b", "d#1", "d#2"]


def test_what_is_no_part_is_told(tmp_path: Path) -> None:
    file = tmp_path / "parts.json"
    file.write_text('{"parts": {"aside": []}}')
    with pytest.raises(UsageError, match="has no part training"):
        read_part(f"{file}:training")
    for text in (str(tmp_path / "missing.json:aside"), "aside", ":aside", f"{file}:"):
        with pytest.raises(UsageError):
            read_part(text)
    file.write_text("[]")
    with pytest.raises(UsageError, match="holds no parts"):
        read_part(f"{file}:aside")
