"""One key changes; the user's file otherwise stays as it was."""

from __future__ import annotations

from pathlib import Path

import pytest

from fin_tui.config import load_settings
from fin_tui.errors import UsageError
from fin_tui.settings_file import with_setting, write_setting

BEFORE = """# mine
[search]
k = 5  # few

[model] # which one
context = 2048
name = "old"

[app]
theme = "dark"
"""


def test_replaces_a_key_and_keeps_the_rest() -> None:
    assert with_setting(BEFORE, "model", "name", "new") == BEFORE.replace('name = "old"', 'name = "new"')


def test_adds_a_key_at_the_end_of_its_section() -> None:
    text = with_setting(BEFORE.replace('name = "old"\n', ""), "model", "name", "new")
    assert 'context = 2048\nname = "new"\n\n[app]' in text


@pytest.mark.parametrize("before", ["", "[search]\nk = 3\n"])
def test_adds_a_section(tmp_path: Path, before: str) -> None:
    file = tmp_path / "home" / "fin-tui.toml"
    file.parent.mkdir()
    file.write_text(before)
    write_setting(file, "model", "name", '/odd "place"/mö\\del.gguf')
    assert load_settings(file, {}).model.name == '/odd "place"/mö\\del.gguf'
    assert load_settings(file, {}).search.k == (3 if before else 10)


def test_a_broken_file_is_left_alone(tmp_path: Path) -> None:
    file = tmp_path / "fin-tui.toml"
    file.write_text("[model\n")
    with pytest.raises(UsageError):
        write_setting(file, "model", "name", "new")
    assert file.read_text() == "[model\n"
    assert list(tmp_path.iterdir()) == [file]
