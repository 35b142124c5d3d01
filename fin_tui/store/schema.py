"""Brings a database to this program's schema version, and refuses one that a newer program made."""

from __future__ import annotations

import sqlite3
from functools import cache
from importlib import resources
from pathlib import Path

from fin_tui.errors import FinTuiError

APPLICATION_ID = 0x31306B66
"""Written into the file's header, so that another program's database is not mistaken for a library."""


@cache
def scripts() -> tuple[str, ...]:
    """The migration scripts in order; the n-th makes schema version n."""
    folder = resources.files("fin_tui.store.migrations")
    names = sorted(entry.name for entry in folder.iterdir() if entry.name.endswith(".sql"))
    return tuple((folder / name).read_text(encoding="utf-8") for name in names)


def is_current(connection: sqlite3.Connection, path: Path) -> bool:
    """Whether the schema is the one this program knows; raises ``FinTuiError`` for a newer or a foreign database."""
    version, latest = _pragma(connection, "user_version"), len(scripts())
    if version > latest:
        raise FinTuiError(
            f"{path} was made by a newer fin-tui (schema {version}; this one knows up to {latest})",
            "Upgrade fin-tui, or choose another folder with --home.",
        )
    is_ours = _pragma(connection, "application_id") == APPLICATION_ID
    if not is_ours and (version or connection.execute("SELECT count(*) FROM sqlite_schema").fetchone()[0]):
        raise FinTuiError(f"{path} is another program's database", "Move it away, or choose another folder with --home.")
    return version == latest


def migrate(connection: sqlite3.Connection, path: Path) -> None:
    """Run the scripts that are missing, all in one transaction. Two processes may try at once: the second finds it done.

    Raises ``FinTuiError`` as :func:`is_current` does.
    """
    if is_current(connection, path):
        return
    connection.execute("BEGIN IMMEDIATE")
    try:
        if not is_current(connection, path):
            for script in scripts()[_pragma(connection, "user_version") :]:
                for statement in _statements(script):
                    connection.execute(statement)
            connection.execute(f"PRAGMA application_id = {APPLICATION_ID}")
            connection.execute(f"PRAGMA user_version = {len(scripts())}")
        connection.execute("COMMIT")
    except BaseException:  # Also an interrupt must not leave the transaction open.
        connection.execute("ROLLBACK")
        raise


def _pragma(connection: sqlite3.Connection, name: str) -> int:
    return int(connection.execute(f"PRAGMA {name}").fetchone()[0])


def _statements(script: str) -> list[str]:
    """The statements of a script; ``executescript`` would commit our transaction before it begins."""
    statements, current = [], ""
    for line in script.splitlines(keepends=True):
        current += line
        if sqlite3.complete_statement(current):
            statements.append(current)
            current = ""
    return statements
