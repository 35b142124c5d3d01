"""The examples of docs/ run as printed, on the sample library; what the pages name is there."""

from __future__ import annotations

import ast
import os
import re
import shlex
import shutil
import subprocess
import sys
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest
import typer

from fin_tui import Library
from fin_tui.cli.main import app
from tests.conftest import CHECKOUT

PACKAGE = CHECKOUT / "fin_tui"
PAGES = sorted((CHECKOUT / "docs").glob("*.md"))
OTHERS = [CHECKOUT / "README.md", CHECKOUT / "CONTRIBUTING.md", CHECKOUT / "benchmarks" / "README.md"]
SAMPLES = CHECKOUT / "data" / "samples"
_PRINTED = re.compile(r"^fin-tui .*$|(?<=`)fin-tui [^`]*(?=`)", re.M)
_NAMED = re.compile(r"fin-tui (?!(?:again|corpus|may|reports|they|was|works)\b)[a-z-][^`.;,:()\n]*")
"""A command in a message, but for the sentences in which fin-tui itself does something."""
_EXAMPLE = re.compile(r"^Example: (.*)$", re.M)
_FENCE = re.compile(r"^```(sh|python) run\n(.*?)^```$", re.M | re.S)
ROOT: Any = typer.main.get_command(app)
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


@pytest.mark.parametrize("page", [*PAGES, *OTHERS], ids=lambda page: str(page.relative_to(CHECKOUT)))
def test_every_file_and_page_that_is_named_is_there(page: Path) -> None:
    text = page.read_text(encoding="utf-8")
    for name in re.findall(r"`((?:[a-z_]+/)+[a-z_]+\.(?:py|toml|json|jsonl|md))`", text):
        assert any((CHECKOUT / root / name).is_file() for root in ("", "fin_tui")), f"{page.name} names {name}"
    for link in re.findall(r"\]\(([^):#]+)\)", text):
        assert (page.parent / link).is_file(), f"{page.name} links to {link}"


def test_every_command_and_option_that_is_printed_exists() -> None:
    printed = [(page.name, line) for page in (*PAGES, *OTHERS) for line in _PRINTED.findall(page.read_text(encoding="utf-8"))]
    printed += [(f"{command.name} --help", line) for command in _all_of(ROOT) for line in _EXAMPLE.findall(command.help or "")]
    assert len(printed) > 80
    assert {f"{name}: {line}: {word}" for name, line in printed for word in unknown(line)} == set()


def test_every_command_that_a_message_names_exists() -> None:
    named = [
        (file, found[0]) for file in sorted(PACKAGE.rglob("*.py")) for text in _texts(file) for found in _NAMED.finditer(text)
    ]
    assert len(named) > 60
    assert {f"{file.relative_to(PACKAGE)}: {line}: {word}" for file, line in named for word in unknown(line)} == set()


@pytest.mark.parametrize(
    ("line", "expected"),
    [
        ("fin-tui models list | pull NAME | use NAME --soon", ["--soon"]),
        ("fin-tui --home DIR aks QUESTION", ["aks"]),
        ("fin-tui export ID | ask --replay ID    asked again --twice", []),
        ("fin-tui show FILING [--item 7] [--colour]", ["--colour"]),
    ],
)
def test_what_does_not_exist_is_found(line: str, expected: list[str]) -> None:
    assert list(unknown(line)) == expected


def _texts(file: Path) -> Iterator[str]:
    """What a file's code may print: its strings without docstrings, X for what is filled in."""
    tree = ast.parse(file.read_text(encoding="utf-8"))
    filled = [node for node in ast.walk(tree) if isinstance(node, ast.JoinedStr)]
    yield from ("".join(str(part.value) if isinstance(part, ast.Constant) else "X" for part in node.values) for node in filled)
    passed_over = {id(part) for node in filled for part in node.values}
    passed_over |= {id(node.value) for node in ast.walk(tree) if isinstance(node, ast.Expr)}
    for node in ast.walk(tree):
        if isinstance(node, ast.Constant) and isinstance(node.value, str) and id(node) not in passed_over:
            yield node.value


def unknown(line: str) -> Iterator[str]:
    """The commands and options of a printed line that the program has not. " | " stands between commands, two spaces end them."""
    group = ROOT
    for part in re.split(r"\s{2,}|\s#", line)[0].removeprefix("fin-tui").split(" | "):
        command = ROOT
        is_value = False
        for word in shlex.split(part.replace("[", " ").replace("]", " ")):
            if is_value:
                is_value = False
            elif word.startswith("--"):
                option = next((option for option in _options(command) if word.partition("=")[0] in option.names), None)
                is_value = option is not None and option.takes_value and "=" not in word
                if option is None:
                    yield word
            elif hasattr(command, "commands") and (named := command.commands.get(word) or group.commands.get(word)):
                group, command = command if word in command.commands else group, named
            elif hasattr(command, "commands") and word.islower():
                yield word


@dataclass(frozen=True)
class Option:
    names: tuple[str, ...]
    takes_value: bool


def _options(command: Any) -> list[Option]:
    """Those of the command, and what every command takes."""
    own = [one for one in command.params if one.param_type_name == "option"]
    shared = [Option(("--help",), False), Option(("--install-completion",), False), Option(("--show-completion",), False)]
    return [*(Option((*one.opts, *one.secondary_opts), not one.is_flag) for one in own), *shared]


def _all_of(group: Any) -> Iterator[Any]:
    """The commands below a group."""
    for command in group.commands.values():
        yield from _all_of(command) if hasattr(command, "commands") else (command,)
