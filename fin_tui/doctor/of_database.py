"""The database file: sound, with every row in its place."""

from __future__ import annotations

from collections.abc import Iterator

from fin_tui.doctor.finding import Finding, ok
from fin_tui.plural import count
from fin_tui.store.database import Database
from fin_tui.store.health import Health

CHECK = "database"
_COPY = "Restore a copy of data/library.sqlite3; or move it away, add the filings again, and keep the old file."


def look_at_database(database: Database) -> Iterator[Finding]:
    """Damage, rows without a filing, stored files that nothing names. Raises ``FinTuiError`` for a file that can't be read."""
    health = Health(database)
    damage = health.damage()
    if damage:
        # Only an index of SQLite's own can be made again from the rest; a damaged table can't.
        is_index = all("index" in line for line in damage)
        fix = "fin-tui doctor --repair makes its indexes again." if is_index else _COPY
        more = f" (and {len(damage) - 1} more)" if len(damage) > 1 else ""
        yield Finding(
            CHECK, "problem", f"SQLite finds: {damage[0]}{more}", fix, mend=health.rebuild_sql_indexes if is_index else None
        )
        return
    yield ok(CHECK, f"{database.path.name} is whole")
    if loose := health.loose_rows():
        yield Finding(
            CHECK, "problem", f"{count(loose, 'row')} of no filing", "fin-tui doctor --repair.", mend=health.drop_loose_rows
        )
    if unused := health.unused_originals():
        what = f"{count(unused, 'stored file')} named by no filing"
        yield Finding(CHECK, "problem", what, "fin-tui doctor --repair.", mend=health.drop_unused_originals)
