"""One key changes; the user's file otherwise stays as it was."""

from __future__ import annotations

from pathlib import Path

import pytest

from fin_tui.config import load_settings, remove_setting, write_setting
from fin_tui.errors import FinTuiError, UsageError

BEFORE = """# mine
[search]
k = 5  # few

[model] # which one
context = 2048
name = "old"

[app]
theme = "fin-light"
"""


@pytest.fixture
def file(tmp_path: Path) -> Path:
    path = tmp_path / "fin-tui.toml"
    path.write_text(BEFORE)
    return path


def test_replaces_a_key_and_keeps_the_rest(file: Path) -> None:
    write_setting(file, "model", "name", "new")
    assert file.read_text() == BEFORE.replace('name = "old"', 'name = "new"')


def test_numbers_and_switches_keep_their_comments(file: Path) -> None:
    write_setting(file, "search", "k", 8)
    write_setting(file, "search", "rerank", False)
    text = file.read_text()
    assert "k = 8  # few" in text
    assert "# mine" in text
    found = load_settings(file, {}).search
    assert (found.k, found.rerank) == (8, False)


def test_adds_a_key_to_its_section(file: Path) -> None:
    write_setting(file, "model", "threads", 2)
    found = load_settings(file, {})
    assert (found.model.threads, found.model.context, found.app.theme) == (2, 2048, "fin-light")


@pytest.mark.parametrize("before", ["", "[search]\nk = 3\n"])
def test_adds_a_section(tmp_path: Path, before: str) -> None:
    file = tmp_path / "home" / "fin-tui.toml"
    file.parent.mkdir()
    file.write_text(before)
    write_setting(file, "model", "name", '/odd "place"/mö\\del.gguf')
    assert load_settings(file, {}).model.name == '/odd "place"/mö\\del.gguf'
    assert load_settings(file, {}).search.k == (3 if before else 10)


def test_a_table_inside_a_section_is_made_changed_and_emptied(file: Path) -> None:
    write_setting(file, "app.keys", "chat.stop", "f12")
    write_setting(file, "app.keys", "search.mode", "ctrl+s")
    assert load_settings(file, {}).app.keys == {"chat.stop": "f12", "search.mode": "ctrl+s"}
    assert load_settings(file, {}).app.theme == "fin-light"
    for action in ("chat.stop", "search.mode", "never.set"):
        remove_setting(file, "app.keys", action)
    assert load_settings(file, {}).app.keys == {}


def test_a_removed_key_has_its_default_again(file: Path) -> None:
    remove_setting(file, "search", "k")
    remove_setting(file, "encoder", "kind")
    assert load_settings(file, {}).search.k == 10
    assert file.read_text() == BEFORE.replace("k = 5  # few\n", "")


def test_a_value_that_does_not_fit_is_refused_and_the_file_left_alone(file: Path) -> None:
    with pytest.raises(UsageError) as refused:
        write_setting(file, "search", "k", 0)
    assert "fin-tui.toml: " in refused.value.message
    assert ".part" not in refused.value.message
    with pytest.raises(UsageError, match="unknown key"):
        write_setting(file, "search", "kk", 1)
    assert file.read_text() == BEFORE


def test_a_broken_file_is_left_alone(tmp_path: Path) -> None:
    file = tmp_path / "fin-tui.toml"
    file.write_text("[model\n")
    with pytest.raises(UsageError):
        write_setting(file, "model", "name", "new")
    assert file.read_text() == "[model\n"
    assert list(tmp_path.iterdir()) == [file]


def test_a_file_that_can_not_be_written_is_no_wrong_usage(tmp_path: Path) -> None:
    file = tmp_path / f"{'long' * 63}"
    file.write_text(BEFORE)
    with pytest.raises(FinTuiError, match="can't be written") as failed:
        write_setting(file, "search", "k", 7)
    assert (failed.value.exit_code, bool(failed.value.hint)) == (1, True)
    assert file.read_text() == BEFORE
