"""Folders and filings on disk, as the dialog for adding them shows them. Pure but for reading folders."""

from __future__ import annotations

import os
import shlex
from dataclasses import dataclass
from pathlib import Path
from urllib.parse import unquote, urlsplit

from fin_tui.errors import FinTuiError, UsageError, said
from fin_tui.ingest import SUFFIXES

_LONGEST_TEXT = 2_000_000
"""Bytes."""


@dataclass(frozen=True, slots=True)
class Entry:
    """A folder, or a file that may be a filing."""

    path: Path
    is_folder: bool
    size: int = 0
    """Bytes; 0 for a folder."""


def list_folder(folder: Path) -> tuple[Entry, ...]:
    """Folders, then files of the kinds that filings have; hidden ones left out. Raises ``FinTuiError``."""
    found: list[Entry] = []
    try:
        with os.scandir(folder) as entries:
            for entry in entries:
                if entry.name.startswith("."):
                    continue
                found += _entry(entry)
    except OSError as error:
        raise FinTuiError(f"Can't read {folder}: {said(error)}", "Choose another folder.") from error
    return tuple(sorted(found, key=lambda entry: (not entry.is_folder, entry.path.name.casefold())))


def _entry(entry: os.DirEntry[str]) -> list[Entry]:
    """A link that leads nowhere, or a file that goes away meanwhile, is none."""
    try:
        if entry.is_dir():
            return [Entry(Path(entry.path), True)]
        if Path(entry.name).suffix.lower() in SUFFIXES and entry.is_file():
            return [Entry(Path(entry.path), False, entry.stat().st_size)]
    except OSError:
        pass
    return []


def split_typed(typed: str, folder: Path) -> tuple[Path, str]:
    """What is typed as the folder to list and the letters that names must hold: a path where it has a slash."""
    if "/" not in typed and not typed.startswith("~"):
        return folder, typed
    if typed in ("~", "~/"):
        return Path.home(), ""
    head, _, tail = typed.rpartition("/")
    return (folder / Path(head or "/").expanduser()).resolve(), tail


def pasted_paths(text: str) -> tuple[Path, ...]:
    """The paths of a pasted text: a line each, or several quoted ones on a line as file managers give them, or file: addresses.

    Empty when any of it is no existing file or folder, so that words that were pasted stay words.
    """
    found: list[Path] = []
    for line in (line.strip() for line in text.splitlines()):
        if not line:
            continue
        whole = _path(line)
        pieces = [whole] if whole.exists() else [_path(piece) for piece in _words(line)]
        if not pieces or not all(piece.exists() for piece in pieces):
            return ()
        found += pieces
    return tuple(dict.fromkeys(found))


def _words(line: str) -> list[str]:
    try:
        return shlex.split(line)
    except ValueError:
        return []


def _path(text: str) -> Path:
    if text.startswith("file://"):
        text = unquote(urlsplit(text).path)
    return Path(text).expanduser()


def read_text(path: Path) -> str:
    """A text file's text. Raises ``UsageError`` for one that is no text in UTF-8, is too long, or can't be read."""
    try:
        if path.stat().st_size > _LONGEST_TEXT:
            raise UsageError(f"{path} is too long.", f"At most {_LONGEST_TEXT:,} bytes.")
        return path.read_text(encoding="utf-8-sig")
    except (OSError, UnicodeDecodeError) as error:
        raise UsageError(f"{path}: {said(error)}", "Give a text file in UTF-8.") from error
