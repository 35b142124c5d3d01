"""A library that an earlier program made is brought up to date, whatever its version; one of a later program is left alone."""

from __future__ import annotations

import sqlite3
from pathlib import Path

import pytest

from fin_tui.config import Settings
from fin_tui.errors import FinTuiError
from fin_tui.ingest.pipeline import add_files
from fin_tui.paths import Paths
from fin_tui.records import Answer
from fin_tui.store.database import APPLICATION_ID, scripts
from fin_tui.store.library import Library
from tests.faults.checks import assert_whole
from tests.faults.filings import write_files


def _filled(paths: Paths, folder: Path) -> None:
    with Library.open(paths) as library:
        list(add_files(library, Settings(), write_files(folder, 2)))
        talk = library.conversations.create("Sales")
        library.conversations.append(talk, "What were net sales?", Answer("What were net sales?", "answered", "1,000."), {})


def _as_of(version: int, now: Path, then: Path) -> None:
    """A database of schema ``version`` with all of ``now`` that it has a place for."""
    raw = sqlite3.connect(then, isolation_level=None)
    for script in scripts()[:version]:
        raw.executescript(script)
    raw.execute("ATTACH ? AS now", (str(now),))
    wanted = "SELECT name FROM main.sqlite_schema WHERE type = 'table' AND name NOT LIKE 'sqlite%'"
    tables = [row[0] for row in raw.execute(wanted)]
    raw.execute("DELETE FROM meta")
    raw.execute("PRAGMA foreign_keys = OFF")
    for table in tables:
        columns = ", ".join(row[1] for row in raw.execute(f"PRAGMA main.table_info({table})"))
        raw.execute(f"INSERT INTO main.{table} ({columns}) SELECT {columns} FROM now.{table}")
    raw.execute(f"PRAGMA main.application_id = {APPLICATION_ID}")
    raw.execute(f"PRAGMA main.user_version = {version}")
    raw.close()


@pytest.mark.parametrize("version", range(1, len(scripts())))
def test_every_earlier_version_is_migrated_with_all_it_holds(tmp_path: Path, version: int) -> None:
    now, then = Paths(tmp_path / "now"), Paths(tmp_path / "then")
    _filled(now, tmp_path / "files")
    then.data.mkdir(parents=True)
    _as_of(version, now.database, then.database)
    with Library.open(now, read_only=True) as one, Library.open(then) as other:
        assert_whole(other)
        assert [filing.id for filing in other.filings()] == [filing.id for filing in one.filings()]
        assert list(other.index_texts()) == list(one.index_texts())
        (talk,) = other.conversations.all()
        assert [turn.answer for turn in other.conversations.turns(talk.id)] == [
            turn.answer for turn in one.conversations.turns(talk.id)
        ]
        assert other._database.rows("PRAGMA user_version")[0][0] == len(scripts())


def test_a_later_version_is_refused_by_every_way_in(tmp_path: Path) -> None:
    paths = Paths(tmp_path / "home")
    _filled(paths, tmp_path / "files")
    with sqlite3.connect(paths.database) as raw:
        raw.execute(f"PRAGMA user_version = {len(scripts()) + 1}")
    raw.close()
    from fin_tui.doctor import examine
    from fin_tui.ingest import Job
    from fin_tui.ingest.worker import run

    with pytest.raises(FinTuiError, match="newer fin-tui"):
        list(run(Job(paths, Settings())))
    (finding,) = [f for f in examine(paths, Settings(), repair=True, engines=False) if f.check == "database"]
    assert finding.state == "problem"
    assert "Upgrade" in finding.fix
