"""How many files of the program a question passes on its way to an answer, and a filing on its way into the library.

    python -m benchmarks.trace [--home DIR] [--files] [--json]

A file counts when a function of it runs; what is only imported does not. The questions are asked of the sample filings, once
everything is loaded and without a language model; one of the filings is then added to a library in a temporary folder, up to the
indexes and without vectors. ``--files`` names the files.
"""

from __future__ import annotations

import sys
import tempfile
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from types import FrameType

import fin_tui
from benchmarks.command import parser, show
from fin_tui.config import Settings
from fin_tui.engine.questions.understanding import Request
from fin_tui.engine.services import open_services
from fin_tui.errors import NotFound
from fin_tui.ingest.pipeline import add_files, write_indexes
from fin_tui.paths import Paths, find_home
from fin_tui.store.library import Library

PACKAGE = Path(fin_tui.__file__).parent
QUESTIONS = (
    "What were Amazon's net sales in 2025?",
    "By how much did Apple's operating income grow from 2024 to 2025?",
    "What does Apple say about its dependence on outsourcing partners?",
    "Which risks does Target name?",
)


@contextmanager
def traced() -> Iterator[set[str]]:
    """The files of the package of which a function runs meanwhile, in any thread; complete at the end."""
    ran: set[str] = set()
    prefix = f"{PACKAGE}/"

    def note(frame: FrameType, event: str, _argument: object) -> None:
        code = frame.f_code
        if event == "call" and code.co_filename.startswith(prefix) and code.co_name != "<module>":
            ran.add(code.co_filename.removeprefix(prefix))

    threading.setprofile(note)
    sys.setprofile(note)
    try:
        yield ran
    finally:
        sys.setprofile(None)
        threading.setprofile(None)


def of_questions(home: Path | None) -> dict[str, set[str]]:
    """Each question -> its files. The second asking of two is traced: weights and vocabularies are loaded by then."""
    found: dict[str, set[str]] = {}
    with open_services(find_home(home), Settings(), with_model=False) as services:
        for _ in services.warm_up():
            pass
        for question in QUESTIONS:
            for _ in services.engine.stream(Request(question, use_model=False)):
                pass
            with traced() as ran:
                for _ in services.engine.stream(Request(question, use_model=False)):
                    pass
            found[question] = ran
    return found


def of_adding(home: Path | None) -> set[str]:
    """The files that a sample filing passes. Raises ``NotFound`` where there is none."""
    samples = sorted(find_home(home).samples.glob("*_10k.html"), key=lambda file: file.stat().st_size)
    if not samples:
        raise NotFound("The sample filings are not here.", "`fin-tui setup` downloads them.")
    with tempfile.TemporaryDirectory() as folder:
        paths, settings = Paths(Path(folder)), Settings()
        with Library.open(paths) as library, traced() as ran:
            for _ in add_files(library, settings, (samples[-1],)):
                pass
            write_indexes(paths, library, settings)
    return ran


def main() -> None:
    """Print the counts, of the engine's files alone too, and the files where they are wanted."""
    arguments = parser(__doc__)
    arguments.add_argument("--files", action="store_true")
    given = arguments.parse_args()
    passed = {**of_questions(given.home), "a filing added": of_adding(given.home)}
    figures: dict[str, object] = {}
    for name, files in passed.items():
        figures[name] = f"{len(files)} files, {sum(file.startswith('engine/') for file in files)} of the engine"
        if given.files:
            figures[name] = f"{figures[name]}: {' '.join(sorted(files))}"
    show(figures, as_json=given.json)


if __name__ == "__main__":
    main()
