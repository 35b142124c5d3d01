"""A page in a format, and a file for it."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Literal

from fin_tui.engine.exports.as_csv import figures_csv
from fin_tui.engine.exports.as_html import html
from fin_tui.engine.exports.as_markdown import markdown
from fin_tui.engine.exports.page import Format, Page
from fin_tui.errors import FinTuiError
from fin_tui.store import codec

_LONGEST_NAME = 60
_MOST_TRIES = 1000


Taken = Literal["replace", "beside"]
"""What becomes of a file that has the name already."""


class NameTaken(FinTuiError):
    """A file of that name is there already."""

    def __init__(self, path: Path, hint: str = "Replace it, or name another one.") -> None:
        super().__init__(f"{path} exists already.", hint)
        self.path = path


def text_of(page: Page, form: Format) -> str:
    """The page as Markdown, HTML, one JSON document, or its figures as CSV; ends with a line break."""
    match form:
        case "md":
            return markdown(page)
        case "html":
            return html(page)
        case "csv":
            return figures_csv(page)
        case _:
            return f"{codec.to_json(page.document)}\n"


def write(path: Path, text: str) -> None:
    """Write ``text`` to ``path``, over what is there. Raises ``FinTuiError``."""
    try:
        path.write_text(text, encoding="utf-8")
    except OSError as error:
        raise FinTuiError(f"{path} can't be written: {error.strerror}.", "Name another file with -o.") from error


def write_new(folder: Path, name: str, form: Format, text: str, taken: Taken | None = None) -> Path:
    """Write ``text`` to a file of ``folder`` called after ``name``. Raises ``FinTuiError``, of a file that is there already
    ``NameTaken``, unless ``taken`` says whether it is to be replaced or to stay beside a new one.
    """
    words = re.sub(r"[^\w]+", "-", name.casefold()).strip("-")[:_LONGEST_NAME].strip("-") or "export"
    try:
        folder.mkdir(parents=True, exist_ok=True)
        if taken == "replace":
            write(folder / f"{words}.{form}", text)
            return folder / f"{words}.{form}"
        for count in range(1, _MOST_TRIES):
            path = folder / f"{words}{f'-{count}' if count > 1 else ''}.{form}"
            try:
                with path.open("x", encoding="utf-8") as stream:
                    stream.write(text)
            except FileExistsError:
                if taken is None:
                    raise NameTaken(path) from None
                continue
            return path
    except OSError as error:
        raise FinTuiError(f"{folder} can't be written: {error.strerror}.", "Export on the command line with -o FILE.") from error
    raise FinTuiError(f"{folder} is full of files called {words}.", "Move some of them away.")
