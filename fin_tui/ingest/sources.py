"""From the paths a user gives to the files to be read."""

from __future__ import annotations

import stat
from collections.abc import Sequence
from pathlib import Path

from fin_tui.errors import BadFiling, FinTuiError, said
from fin_tui.filings.sniff import MAX_BYTES

SUFFIXES = frozenset({".htm", ".html", ".xhtml", ".txt", ".pdf", ".sgml", ".sgm"})
_SUBMISSION = "full-submission.txt"


def expand(paths: Sequence[Path]) -> tuple[Path, ...]:
    """Files as they are, folders as the filings under them, each file once.

    In a folder that holds a full submission, the documents beside it are copies of what is inside it and are left out.
    Paths that do not exist stay in, so that they are reported one by one.
    """
    found: dict[Path, Path] = {}
    for path in paths:
        for file in _under(path) if path.is_dir() else [path]:
            found.setdefault(file.resolve(), file)
    return tuple(found.values())


def _under(folder: Path) -> list[Path]:
    files = [path for path in sorted(folder.rglob("*")) if path.suffix.lower() in SUFFIXES and path.is_file()]
    files = [path for path in files if not any(part.startswith(".") for part in path.relative_to(folder).parts)]
    whole = {path.parent for path in files if path.name == _SUBMISSION}
    return [path for path in files if path.parent not in whole or path.name == _SUBMISSION]


def read_bytes(path: Path) -> bytes:
    """The file's bytes; raises ``BadFiling`` for an empty or an enormous one, ``FinTuiError`` for one that can't be read."""
    try:
        known = path.stat()
        if stat.S_ISDIR(known.st_mode):
            raise FinTuiError(f"{path} is a folder", "Give it to fin-tui add, which takes the filings in it.")
        if not stat.S_ISREG(known.st_mode):
            raise FinTuiError(f"{path} is not a regular file", "Save what it gives as a file first.")
        if known.st_size > MAX_BYTES:
            size = f"{path.name} has {known.st_size >> 20} MB; a filing has at most {MAX_BYTES >> 20} MB"
            raise BadFiling(size, "Give the filing's main document alone.")
        raw = path.read_bytes()
    except FileNotFoundError as error:
        raise FinTuiError(f"No file {path}", "Check the path.") from error
    except OSError as error:
        raise FinTuiError(f"Can't read {path}: {said(error)}", "Check its permissions.") from error
    if not raw.strip():
        raise BadFiling(f"{path.name} is empty", "Save or download it again.")
    return raw
