"""The help of every command speaks of adding, downloading and saving, in the words of the app."""

from __future__ import annotations

import re
from collections.abc import Iterator

import typer
from typer.main import get_command

from fin_tui.cli.main import app

_OTHER_WORDS = re.compile(r"\b(?:bring|brings|brought|held|takes? filings|taken? in|was kept)\b", re.I)


def _told(command: object, name: str) -> Iterator[tuple[str, str]]:
    yield name, str(getattr(command, "help", "") or "")
    for option in getattr(command, "params", ()):
        yield f"{name} {option.name}", str(getattr(option, "help", "") or "")
    for key, inner in (getattr(command, "commands", None) or {}).items():
        yield from _told(inner, f"{name} {key}")


def test_one_word_for_each_thing() -> None:
    assert isinstance(app, typer.Typer)
    told = dict(_told(get_command(app), "fin-tui"))
    assert {"fin-tui add", "fin-tui fetch", "fin-tui setup", "fin-tui notebook"} <= set(told)
    assert not {name: text for name, text in told.items() if _OTHER_WORDS.search(text)}
