from __future__ import annotations

from pathlib import Path

import pytest

from fin_tui.engine.questions.batch import read_batch
from fin_tui.errors import UsageError, in_one_line, said


def test_a_missing_file_is_named_once(tmp_path: Path) -> None:
    with pytest.raises(UsageError) as failed:
        read_batch(tmp_path / "no.jsonl")
    assert failed.value.message == f"{tmp_path / 'no.jsonl'}: No such file or directory"


def test_what_has_no_words_of_the_system_speaks_for_itself() -> None:
    assert said(ValueError("line 3: no object")) == "line 3: no object"


@pytest.mark.parametrize(
    ("message", "hint", "line"),
    [
        ("a.txt: No such file or directory", "Give a text file.", "a.txt: No such file or directory. Give a text file."),
        ("a.txt is too long.", "At most 9 bytes.", "a.txt is too long. At most 9 bytes."),
        ("a.txt is too long", "", "a.txt is too long"),
    ],
)
def test_message_and_hint_are_two_sentences(message: str, hint: str, line: str) -> None:
    assert in_one_line(message, hint) == line
