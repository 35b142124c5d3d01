"""The work that is killed: ``python -m tests.faults.work KIND HOME [FILE...]``.

It prints a line for whatever it has told its user is done; what was printed must outlast the kill.
"""

from __future__ import annotations

import hashlib
import sys
from collections.abc import Callable, Iterable
from pathlib import Path

import msgspec

from fin_tui.config import Settings, load_settings
from fin_tui.ingest import Added, Embedded, Outcome, Skipped
from fin_tui.paths import Paths
from fin_tui.records import Progress
from fin_tui.retrieval import dense

SMALL_GRAPH = 16
"""The libraries of these tests are small; their generations hold a graph all the same."""
QUESTIONS = ("What were net sales in 2023?", "Who assembles the widgets?", "How did the patents change?")


def say(*words: object) -> None:
    """One report, at once."""
    print(*words, sep="\t", flush=True)


def add(paths: Paths, settings: Settings, files: tuple[Path, ...]) -> None:
    """As ``fin-tui add --no-embed``."""
    from fin_tui.ingest import Job
    from fin_tui.ingest.worker import run

    _tell(run(Job(paths, settings, files, embed=False)))


def embed(paths: Paths, settings: Settings, _: tuple[Path, ...]) -> None:
    """The vectors that are missing, in a process of their own."""
    from fin_tui.ingest import Job
    from fin_tui.ingest.worker import run

    _tell(run(Job(paths, settings)))


def merge(paths: Paths, settings: Settings, files: tuple[Path, ...]) -> None:
    """Filings go and come back; after each change the indexes are merged and swapped in."""
    from fin_tui.ingest.pipeline import add_files, write_indexes
    from fin_tui.store.codec import sha256
    from fin_tui.store.library import Library

    with Library.open(paths) as library:
        for file in files:
            if held := library.records.with_bytes(sha256(file.read_bytes())):
                say("removing", held.id)
                library.remove([held.id])
                write_indexes(paths, library, settings)
            _tell(add_files(library, settings, [file]))
            write_indexes(paths, library, settings)
            say("merged")


def answer(paths: Paths, settings: Settings, _: tuple[Path, ...]) -> None:
    """A conversation with the language model, each turn kept."""
    from fin_tui.engine.answering.answer import Request, to_the_end
    from fin_tui.engine.saved_items import evidence_of, fingerprint
    from fin_tui.engine.services import open_services

    with open_services(paths, settings) as services:
        kept = services.library.conversations.create()
        say("conversation", kept)
        for question in QUESTIONS:
            request = Request(question)
            end = to_the_end(services.engine.stream(request), request, lambda _: None)
            made = fingerprint(end.answer, services.library.generation())
            turn = services.library.conversations.append(kept, question, end.answer, made, evidence_of(end.passages))
            say("turn", kept, turn.ordinal, hashlib.sha256(end.answer.answer.encode()).hexdigest())


def fetch(paths: Paths, settings: Settings, _: tuple[Path, ...]) -> None:
    """A company's filings, from the stand-in that the settings name."""
    from fin_tui.filings.edgar.client import Selection
    from fin_tui.ingest.fetch import Brought, Fetcher
    from fin_tui.ingest.fetch_plan import Wish
    from tests.faults.filings import FETCHED_TICKER

    with Fetcher(paths, settings) as fetcher:
        plan = fetcher.planned([Wish(FETCHED_TICKER, Selection())])
        _tell(event for event in fetcher.run(plan, embed=False) if not isinstance(event, Brought))


def _tell(outcomes: Iterable[Outcome]) -> None:
    for outcome in outcomes:
        match outcome:
            case Added() | Skipped() if outcome.filing is not None:
                say("filing", outcome.filing.id)
            case Progress(stage="embed"):
                say("vectors", int(outcome.done))
            case Embedded():
                say("vectors", outcome.done)
            case _:
                pass


KINDS: dict[str, Callable[[Paths, Settings, tuple[Path, ...]], None]] = {
    "add": add,
    "embed": embed,
    "merge": merge,
    "answer": answer,
    "fetch": fetch,
}


def settings_for(paths: Paths) -> Settings:
    """Short answers: the moment of the kill matters, not the prose."""
    settings = load_settings(paths.settings)
    return msgspec.structs.replace(settings, model=msgspec.structs.replace(settings.model, answer_tokens=16))


def main() -> None:
    kind, home, *files = sys.argv[1:]
    paths = Paths(Path(home))
    dense.SMALLEST_GRAPH = SMALL_GRAPH
    say("ready")
    KINDS[kind](paths, settings_for(paths), tuple(map(Path, files)))
    say("end")


if __name__ == "__main__":
    main()
