"""The examples of docs/ run as printed, on the sample library; what the pages name is there."""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from fin_tui import Library
from tests.conftest import CHECKOUT

PAGES = sorted((CHECKOUT / "docs").glob("*.md"))
SAMPLES = CHECKOUT / "data" / "samples"
_FENCE = re.compile(r"^```(sh|python) run\n(.*?)^```$", re.M | re.S)
EXAMPLES = [
    pytest.param(found[1], found[2], id=f"{page.stem}-{number}")
    for page in PAGES
    for number, found in enumerate(_FENCE.finditer(page.read_text(encoding="utf-8")), 1)
]


@pytest.fixture(scope="module")
def home(tmp_path_factory: pytest.TempPathFactory, models_dir: Path) -> Path:
    """A home with real weights and the three sample filings, without vectors: search by words needs none."""
    if not (SAMPLES / "aapl_2025_10k.html").is_file():
        pytest.skip(reason=f"no sample filings in {SAMPLES}: fin-tui setup brings them")
    folder = tmp_path_factory.mktemp("home")
    shutil.copytree(models_dir, folder / "models", symlinks=True)
    with Library(folder, with_model=False) as library:
        library.add(SAMPLES, embed=False)
    return folder


@pytest.mark.timeout(300)
@pytest.mark.parametrize(("language", "text"), EXAMPLES)
def test_an_example_runs_as_printed(language: str, text: str, home: Path, tmp_path: Path) -> None:
    command = ["bash", "-euo", "pipefail", "-c", text] if language == "sh" else [sys.executable, "-c", text]
    path = f"{Path(sys.executable).parent}{os.pathsep}{os.environ['PATH']}"
    environment = {**os.environ, "FIN_TUI_HOME": str(home), "PATH": path}
    done = subprocess.run(
        command, cwd=tmp_path, env=environment, capture_output=True, text=True, check=False, stdin=subprocess.DEVNULL, timeout=280
    )
    assert done.returncode == 0, done.stderr
    assert done.stdout.strip()


def test_there_are_examples_of_both_kinds() -> None:
    assert {example.values[0] for example in EXAMPLES} == {"sh", "python"}
    assert len(EXAMPLES) >= 7


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.name)
def test_every_file_and_page_that_is_named_is_there(page: Path) -> None:
    text = page.read_text(encoding="utf-8")
    for name in re.findall(r"`((?:[a-z_]+/)+[a-z_]+\.(?:py|toml))`", text):
        assert any((CHECKOUT / root / name).is_file() for root in ("", "fin_tui")), f"{page.name} names {name}"
    for link in re.findall(r"\]\(([^):#]+)\)", text):
        assert (page.parent / link).is_file(), f"{page.name} links to {link}"


def test_every_command_that_is_printed_exists() -> None:
    from fin_tui.cli.main import app

    known = {command.name for command in app.registered_commands} | {group.name for group in app.registered_groups}
    printed = {
        (page.name, word)
        for page in PAGES
        for word in re.findall(
            r"(?:^|`)fin-tui (?:--[a-z-]+ )*([a-z]+(?:-[a-z]+)*)\b(?!:)", page.read_text(encoding="utf-8"), re.M
        )
    }
    assert {word for _, word in printed} >= {"ask", "mcp", "check", "fetch"}
    assert {(page, word) for page, word in printed if word not in known} == set()
