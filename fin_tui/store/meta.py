"""The library's counters: what caches and indexes compare to know whether they are still right."""

from __future__ import annotations

import sqlite3
from typing import Literal

from fin_tui.store.database import Database

Counter = Literal["generation", "revision", "vectors"]


def count(database: Database, counter: Counter) -> int:
    """The counter's value now, changes by other processes included."""
    row = database.row("SELECT value FROM meta WHERE name = ?", (counter,))
    return int(row["value"]) if row else 0


def bump(connection: sqlite3.Connection, *counters: Counter) -> None:
    """Count one change, within the transaction that makes it."""
    for counter in counters:
        connection.execute("UPDATE meta SET value = value + 1 WHERE name = ?", (counter,))


def encoder_name(database: Database) -> str:
    """The encoder that made vectors last; empty before the first."""
    row = database.row("SELECT value FROM meta WHERE name = 'encoder'")
    return str(row["value"]) if row else ""


def set_encoder_name(connection: sqlite3.Connection, name: str) -> None:
    connection.execute("UPDATE meta SET value = ? WHERE name = 'encoder' AND value <> ?", (name, name))
