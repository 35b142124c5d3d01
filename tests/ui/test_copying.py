"""What is copied, and by which way."""

from __future__ import annotations

import os
import stat
import tempfile
from pathlib import Path

import pytest

from fin_tui.records import Answer
from fin_tui.ui.controllers.keeping import BY_TERMINAL, copy
from fin_tui.ui.text import answer_text, passage_text
from fin_tui.ui.widgets.sources import Sources
from tests.ui.conftest import QUESTION, ask, running, services_of, until
from tests.ui.fake_figures import growth
from tests.ui.fakes import PARAGRAPH, Script, passages


@pytest.fixture(autouse=True)
def _over_ssh(monkeypatch: pytest.MonkeyPatch) -> None:
    """So that no test reaches the clipboard of the desktop it runs on."""
    monkeypatch.setenv("SSH_CONNECTION", "1 2 3 4")
    monkeypatch.setenv("TERM", "xterm-256color")


async def test_the_answer_copies_with_its_sources_and_says_how() -> None:
    async with running(services_of(Script(figures=growth()))) as (app, pilot):
        await ask(app, pilot)
        await pilot.press("alt+y")
        await until(pilot, lambda: bool(app.clipboard))
        assert app.clipboard.startswith(f"**{QUESTION}**\n\nAcme relies on outsourcing partners")
        assert "| Total net sales | year to 2025-09-27 | $416,161 million [2] |" in app.clipboard
        assert "- [1] Acme Corp 10-K FY2025, p. 10: “Substantially all" in app.clipboard
        await until(pilot, lambda: any("Copied the answer." in str(toast.render()) for toast in app.screen.query("Toast")))


async def test_the_table_copies_as_tab_separated_text() -> None:
    async with running(services_of(Script(figures=growth()))) as (app, pilot):
        await ask(app, pilot)
        await pilot.press("escape", "t")
        await until(pilot, lambda: bool(app.clipboard))
        assert app.clipboard.splitlines()[1] == "Total net sales\tyear to 2025-09-27\t$416,161 million"


async def test_in_the_sources_the_passage_copies_with_its_reference() -> None:
    async with running(services_of()) as (app, pilot):
        await ask(app, pilot)
        await pilot.press("f4")
        await until(pilot, lambda: app.main.query_one(Sources).has_focus_within)
        await pilot.press("y")
        await until(pilot, lambda: bool(app.clipboard))
        assert app.clipboard == passage_text(passages(1)[0])
        assert app.clipboard.startswith(f"> {PARAGRAPH}")
        assert "Acme Corp 10-K FY2025, p. 10 (acme.htm)" in app.clipboard


async def test_before_an_answer_there_is_nothing_to_copy() -> None:
    async with running(services_of()) as (app, pilot):
        await pilot.press("alt+y", "alt+t")
        await pilot.pause()
        assert app.clipboard == ""


def test_a_program_of_the_desktop_is_used_where_there_is_one(tmp_path: Path) -> None:
    program = tmp_path / "wl-copy"
    program.write_text(f"#!/bin/sh\n/bin/cat > {tmp_path}/taken\n")
    program.chmod(0o755)
    here = {"PATH": str(tmp_path), "WAYLAND_DISPLAY": "wayland-0", "TERM": "xterm"}
    saved, os.environ["PATH"] = os.environ["PATH"], str(tmp_path)
    try:
        assert copy("é\t1", here, "linux") == "by wl-copy"
    finally:
        os.environ["PATH"] = saved
    assert (tmp_path / "taken").read_text() == "é\t1"
    assert copy("x", {**here, "SSH_CONNECTION": "1"}, "linux") == BY_TERMINAL
    program.write_text("#!/bin/sh\nexit 1\n")
    assert copy("x", {**here, "TERM": "xterm"}, "linux") == BY_TERMINAL


def test_a_console_without_osc_52_gets_a_private_file(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path))
    how = copy("figures", {"TERM": "linux"}, "linux")
    file = Path(how.removeprefix("to the file "))
    assert file.read_text() == "figures"
    assert stat.S_IMODE(file.stat().st_mode) == 0o600


def test_an_answer_without_passages_copies_what_it_cites() -> None:
    answer = Answer("Q?", "answered", "A. [1]", citations=(passages(1)[0].citation,))
    assert answer_text(answer, ()).endswith("acme.htm)\n")


def test_what_is_not_surely_the_answer_is_copied_with_its_caution() -> None:
    answer = Answer("Q?", "answered", "A.", caution="No exact answer found; closest passages below.")
    assert answer_text(answer, ()) == "**Q?**\n\nNo exact answer found; closest passages below.\n\nA.\n"


def test_what_is_noted_of_an_answer_is_copied() -> None:
    answer = Answer("Q?", "answered", "A.", notes=("Not in the library: Acme FY2011.",))
    assert answer_text(answer, ()) == "**Q?**\n\nA.\n\nNote: Not in the library: Acme FY2011.\n"
