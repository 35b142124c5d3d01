"""Looks a home folder over: database, filings, vectors, indexes, weights, machine; and mends what can be made again.

The looks themselves stand in ``checks.py``; here they are put in order.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from dataclasses import replace

from fin_tui.config import Settings
from fin_tui.doctor.checks import (
    Finding,
    look_at_database,
    look_at_disk,
    look_at_engines,
    look_at_filings,
    look_at_indexes,
    look_at_leftovers,
    look_at_terminal,
    look_at_vectors,
    look_at_weights,
)
from fin_tui.errors import FinTuiError, said
from fin_tui.paths import Paths
from fin_tui.store.database import Database
from fin_tui.store.health import Health
from fin_tui.store.library import Library


def examine(paths: Paths, settings: Settings, *, repair: bool = False, engines: bool = True) -> Iterator[Finding]:
    """Look at everything under ``paths``; with ``repair`` also mend what can be made again. Never raises for what it finds.

    ``engines`` loads encoder and language model, which takes seconds.
    """
    steps: list[tuple[str, Callable[[], Iterable[Finding]]]] = [
        ("disk", lambda: look_at_disk(paths)),
        ("database", lambda: _library(paths, settings, repair)),
        ("leftovers", lambda: look_at_leftovers(paths)),
        ("weights", lambda: look_at_weights(paths)),
        ("models", lambda: look_at_engines(paths, settings) if engines else ()),
        ("terminal", look_at_terminal),
    ]
    for check, step in steps:
        yield from _guarded(check, step, repair)


def _library(paths: Paths, settings: Settings, repair: bool) -> Iterator[Finding]:
    """What stands in the database; without one that can be opened there is no more to say of it."""
    read_only = not repair or not paths.database.exists()
    is_sound = True
    with Library.open(paths, read_only=read_only) as library:
        database = Database(paths.database, read_only=read_only)
        try:
            for finding in look_at_database(database):
                is_sound = is_sound and finding.state == "ok"
                yield finding
            # What was found may have been mended meanwhile.
            if not is_sound and Health(database).damage():
                return
            yield from look_at_filings(library, database, paths, settings)
            yield from look_at_vectors(library, database, paths, settings)
            yield from look_at_indexes(library, paths, settings)
        finally:
            database.close()


def _guarded(check: str, step: Callable[[], Iterable[Finding]], repair: bool) -> Iterator[Finding]:
    try:
        for finding in step():
            yield _mended(finding) if repair and finding.mend is not None else finding
    except FinTuiError as error:
        yield Finding(check, "problem", error.message, error.hint)
    except OSError as error:
        yield Finding(check, "problem", f"{error.filename or check}: {said(error)}", "Check disk and permissions.")


def _mended(finding: Finding) -> Finding:
    assert finding.mend is not None
    try:
        finding.mend()
    except (FinTuiError, OSError) as error:
        why = error.message if isinstance(error, FinTuiError) else str(error)
        return replace(finding, state="problem", what=f"{finding.what}; mending failed: {why}", mend=None)
    return replace(finding, state="mended", fix="", mend=None)
