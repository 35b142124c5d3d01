from __future__ import annotations

import os
import sqlite3
import time
from pathlib import Path

import pytest

from fin_tui.errors import FinTuiError, LibraryBusy
from fin_tui.paths import Paths
from fin_tui.records import Scope
from fin_tui.store import database
from fin_tui.store.database import STALE_SECONDS, Database, answering, is_answering, one_at_a_time, scripts, wait_while_answering
from fin_tui.store.library import Library
from tests.unit.store.made import make_entry


def test_it_is_a_write_ahead_log_with_foreign_keys(paths: Paths) -> None:
    database = Database(paths.database)
    values = [database.rows(f"PRAGMA {name}")[0][0] for name in ("journal_mode", "foreign_keys", "user_version", "synchronous")]
    assert values == ["wal", 1, len(scripts()), 2]
    database.close()
    with pytest.raises(FinTuiError, match="is closed"):
        database.rows("SELECT 1")


def test_a_newer_library_is_left_alone(paths: Paths) -> None:
    Library.open(paths).close()
    with sqlite3.connect(paths.database) as raw:
        raw.execute(f"PRAGMA user_version = {len(scripts()) + 1}")
    before = paths.database.read_bytes()
    for read_only in (False, True):
        with pytest.raises(FinTuiError, match=rf"newer fin-tui \(schema {len(scripts()) + 1}"):
            Library.open(paths, read_only=read_only)
    assert paths.database.read_bytes() == before


def test_another_programs_database_is_left_alone(paths: Paths) -> None:
    paths.data.mkdir(parents=True)
    with sqlite3.connect(paths.database) as raw:
        raw.execute("CREATE TABLE bookmarks (url TEXT)")
    with pytest.raises(FinTuiError, match="another program's database"):
        Library.open(paths)


def test_a_file_that_is_no_database_is_named(paths: Paths) -> None:
    paths.data.mkdir(parents=True)
    paths.database.write_bytes(b"this is not a database" * 500)
    with pytest.raises(FinTuiError, match=r"library\.sqlite3 is damaged") as caught:
        Library.open(paths)
    assert caught.value.hint


def test_a_damaged_page_is_one_clear_line(paths: Paths) -> None:
    with Library.open(paths) as library:
        for year in range(2001, 2031):
            library.add(make_entry(year=year))
    raw = bytearray(paths.database.read_bytes())
    raw[4096 : len(raw)] = b"\xa5" * (len(raw) - 4096)
    paths.database.write_bytes(bytes(raw))
    with pytest.raises(FinTuiError, match="damaged"):
        list(Library.open(paths).index_texts())


def test_an_absent_library_reads_as_empty_and_is_not_made(paths: Paths) -> None:
    with Library.open(paths, read_only=True) as library:
        assert library.filings() == ()
        assert len(library.chunk_keys(Scope())) == 0
        with pytest.raises(FinTuiError, match="opened for reading"):
            library.add(make_entry())
    assert not paths.data.exists()


def test_a_library_without_write_permission_can_be_read(paths: Paths, monkeypatch: pytest.MonkeyPatch) -> None:
    with Library.open(paths) as library:
        library.add(make_entry())
    # Permissions do not bind every user that tests run as.
    monkeypatch.setattr("os.access", lambda path, mode: mode != os.W_OK)
    with Library.open(paths) as library:
        assert len(library.filings()) == 1
        with pytest.raises(FinTuiError, match=r"Can't write the library .*library\.sqlite3") as caught:
            library.add(make_entry(year=2024))
    assert "--home" in caught.value.hint


def test_a_home_that_can_not_be_made_is_named(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("in the way")
    with pytest.raises(FinTuiError, match=r"Can't write .*file"):
        Library.open(Paths(tmp_path / "file"))


def test_a_full_disk_changes_nothing(paths: Paths) -> None:
    with Library.open(paths) as library:
        library.add(make_entry(year=2022))
        pages = library._database.rows("PRAGMA page_count")[0][0]
        library._database.rows(f"PRAGMA max_page_count = {pages}")
        noise = "".join(f"{os.urandom(24).hex()} " for _ in range(4000))
        with pytest.raises(FinTuiError, match=r"disk .* is full; nothing was changed"):
            library.add(make_entry(year=2023, paragraphs=(noise, noise, noise)))
        assert [filing.fiscal_year for filing in library.filings()] == [2022]
        assert len(library.chunk_keys(Scope())) == 4


def test_a_lock_held_too_long_names_its_holder(paths: Paths) -> None:
    with Library.open(paths) as first, Library.open(paths, busy_seconds=0.05) as second:
        with first._database.write(), pytest.raises(LibraryBusy, match=rf"locked by process {os.getpid()} \(.+, since 20"):
            second.add(make_entry())
        assert second.add(make_entry()).is_new
    assert not database.record_path(paths.database).exists()


def test_a_holder_that_died_is_not_accused(paths: Paths) -> None:
    with Library.open(paths, busy_seconds=0.05) as library:
        database.record_path(paths.database).write_text('{"pid": 999999999, "command": "gone", "since": "then"}')
        raw = sqlite3.connect(paths.database, isolation_level=None)
        raw.execute("BEGIN IMMEDIATE")
        with pytest.raises(LibraryBusy, match="locked by another process"):
            library.add(make_entry())
        raw.close()


def test_an_error_inside_a_transaction_undoes_it(library: Library) -> None:
    def fail() -> None:
        with library._database.write() as connection:
            connection.execute("UPDATE meta SET value = 99 WHERE name = 'generation'")
            raise ZeroDivisionError

    with pytest.raises(ZeroDivisionError):
        fail()
    assert library.generation() == 0
    assert library.add(make_entry()).is_new


def test_a_migration_that_fails_leaves_the_old_schema(paths: Paths, monkeypatch: pytest.MonkeyPatch) -> None:
    with Library.open(paths) as library:
        library.add(make_entry())
    broken = (*scripts(), "CREATE TABLE extra (x);\nINSERT INTO nowhere VALUES (1);\n")
    monkeypatch.setattr("fin_tui.store.database.scripts", lambda: broken)
    with pytest.raises(sqlite3.OperationalError, match="no such table: nowhere"):
        Library.open(paths)
    mended = (*scripts(), "CREATE TABLE extra (x);\n")
    monkeypatch.setattr("fin_tui.store.database.scripts", lambda: (*broken[:-1], mended[-1]))
    with Library.open(paths) as library:
        assert len(library.filings()) == 1
        assert library._database.rows("PRAGMA user_version")[0][0] == len(broken)
        assert library._database.rows("SELECT count(*) FROM extra")[0][0] == 0


def test_answers_nest_and_end(paths: Paths) -> None:
    assert not is_answering(paths)
    with answering(paths):
        with answering(paths):
            assert is_answering(paths)
        assert is_answering(paths)
    assert not is_answering(paths)


def test_an_answer_that_fails_ends_its_pause(paths: Paths) -> None:
    try:
        with answering(paths):
            raise ValueError
    except ValueError:
        assert not is_answering(paths)


def test_marks_of_the_dead_and_the_old_are_ignored(paths: Paths) -> None:
    folder = paths.data / "answering"
    folder.mkdir(parents=True)
    (folder / "999999999-0").touch()
    (folder / "nonsense").touch()
    old = folder / f"{os.getpid()}-77"
    old.touch()
    past = time.time() - STALE_SECONDS - 1
    os.utime(old, (past, past))
    assert not is_answering(paths)
    assert list(folder.iterdir()) == []


def test_a_clock_that_is_set_back_holds_nothing_up(paths: Paths) -> None:
    with answering(paths):
        (mark,) = (paths.data / "answering").iterdir()
        tomorrow = time.time() + 86_400
        os.utime(mark, (tomorrow, tomorrow))
        assert not is_answering(paths)


def test_waiting_can_be_cancelled(paths: Paths) -> None:
    with answering(paths):
        wait_while_answering(paths, lambda: True)
        assert is_answering(paths)


def test_only_one_has_its_turn(paths: Paths) -> None:
    lock = paths.data / "a.lock"
    with one_at_a_time(lock) as first, one_at_a_time(lock) as second:
        assert (first, second) == (True, False)
    with one_at_a_time(lock) as again:
        assert again
