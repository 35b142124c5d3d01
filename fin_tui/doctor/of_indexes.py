"""Vectors in the library, and the index generation on the disk against its manifest and the library."""

from __future__ import annotations

import shutil
from collections.abc import Iterator
from functools import partial
from pathlib import Path

from fin_tui.config import Settings
from fin_tui.doctor.finding import Finding, ok
from fin_tui.errors import FinTuiError
from fin_tui.ingest.job import Job
from fin_tui.ingest.outcomes import Embedded
from fin_tui.ingest.worker import run
from fin_tui.paths import Paths
from fin_tui.plural import count
from fin_tui.retrieval.encoder import encoder_name
from fin_tui.retrieval.generation import load
from fin_tui.retrieval.indexes import Indexes
from fin_tui.retrieval.manifest import StaleIndex, current_folder, writer_lock
from fin_tui.store.database import Database
from fin_tui.store.health import Health
from fin_tui.store.library import Library

VECTORS, INDEX = "vectors", "index"
_REPAIR = "fin-tui doctor --repair."


def look_at_vectors(library: Library, database: Database, paths: Paths, settings: Settings) -> Iterator[Finding]:
    """Vectors that are missing, of the wrong length, or of texts that are gone."""
    health = Health(database)
    if odd := health.odd_vectors():
        yield Finding(VECTORS, "problem", f"{count(odd, 'damaged vector')}", _REPAIR, mend=health.drop_odd_vectors)
    if unused := health.unused_vectors():
        what = f"{count(unused, 'vector')} of texts that are gone; filings that come back would use them"
        yield Finding(VECTORS, "note", what, _REPAIR, mend=partial(_prune, library))
    name = encoder_name(settings.encoder, paths)
    done, total = library.embeddings.progress(name or "")
    if name is None:
        what = f"{count(total, 'passage')} searched by words alone: there are no encoder weights"
        yield Finding(VECTORS, "note", what, "fin-tui setup") if total else ok(VECTORS, "There is nothing to embed")
    elif done < total:
        what = f"{total - done:,} of {total:,} passages have no vector of {name}"
        yield Finding(VECTORS, "problem", what, _REPAIR, mend=partial(_embed, paths, settings))
    else:
        yield ok(VECTORS, f"All {total:,} passages have a vector of {name}")


def look_at_indexes(library: Library, paths: Paths, settings: Settings) -> Iterator[Finding]:
    """The current generation: there, whole, of this library, up to date; and generations that nothing names."""
    current = current_folder(paths.index)
    chunks = sum(filing.chunks for filing in library.filings())
    mend = partial(_write, library, paths, settings)
    if current is None:
        if chunks:
            yield Finding(INDEX, "problem", "There is no index on the disk; the first search is slow", _REPAIR, mend=mend)
        else:
            yield ok(INDEX, "There is nothing to index")
    else:
        try:
            found = load(current, library, encoder_name(settings.encoder, paths)).manifest
        except StaleIndex as error:
            yield Finding(INDEX, "problem", f"The index can't be used and is read from the library: {error}", _REPAIR, mend=mend)
        else:
            if (found.chunks, found.vectors) == (chunks, library.embeddings.progress(found.encoder)[0]):
                yield ok(INDEX, f"{current.name} is whole: {count(found.chunks, 'passage')}, {count(found.vectors, 'vector')}")
            else:
                holds = f"{count(found.chunks, 'passage')} and {count(found.vectors, 'vector')}"
                what = f"The index holds {holds}; the library has {chunks:,}"
                yield Finding(INDEX, "note", f"{what}. Searches are right, the first one is slower", _REPAIR, mend=mend)
    if left := _left(paths):
        what = f"{count(len(left), 'unfinished or replaced index folder')} taking up room"
        yield Finding(INDEX, "problem", what, _REPAIR, mend=partial(_drop, paths))


def _prune(library: Library) -> None:
    library.embeddings.prune()


def _embed(paths: Paths, settings: Settings) -> None:
    for outcome in run(Job(paths, settings)):
        if isinstance(outcome, Embedded) and outcome.note:
            raise FinTuiError(f"The vectors were not made: {outcome.note}")


def _write(library: Library, paths: Paths, settings: Settings) -> None:
    made = Indexes(paths, library, settings)
    made.write()
    folder = current_folder(paths.index)
    if folder is None:
        raise FinTuiError("The index was not written: another process writes it now.", "Try again when it is done.")
    try:
        load(folder, library, encoder_name(settings.encoder, paths))
    except StaleIndex as error:
        raise FinTuiError(f"The index could not be made again: {error}") from error


def _left(paths: Paths) -> list[Path]:
    """Generations that CURRENT does not name; while another process writes, its folder is not left over."""
    if not paths.index.is_dir():
        return []
    found = [folder for folder in paths.index.glob("generation-*") if folder != current_folder(paths.index)]
    if not found:
        return []
    try:
        with writer_lock(paths.index) as is_free:
            return found if is_free else []
    except OSError:
        return found


def _drop(paths: Paths) -> None:
    with writer_lock(paths.index) as is_free:
        if not is_free:
            raise FinTuiError("Another process writes the index now.", "Try again when it is done.")
        keep = current_folder(paths.index)
        for folder in paths.index.glob("generation-*"):
            if folder != keep:
                shutil.rmtree(folder)
