"""Connections to the library's one SQLite file: a connection per thread, write-ahead log, transactions, and clear errors.

Who is writing stands in a small record beside the database, read when another process has to wait too long.
"""

from __future__ import annotations

import contextlib
import datetime as dt
import itertools
import os
import sqlite3
import sys
import threading
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from functools import cache
from importlib import resources
from pathlib import Path
from typing import Any, Literal

import msgspec

from fin_tui.errors import FinTuiError, LibraryBusy
from fin_tui.paths import Paths


class Holder(msgspec.Struct, frozen=True):
    """The process that holds, or last held, the write lock."""

    pid: int
    command: str
    since: str


def record_path(database: Path) -> Path:
    """Where the record of ``database`` stands."""
    return database.with_name(database.name + ".holder")


@contextlib.contextmanager
def recorded(database: Path) -> Iterator[None]:
    """While inside, name this process as the writer. To be entered with the write lock held; failing to write it is harmless."""
    path = record_path(database)
    holder = Holder(os.getpid(), _command(), dt.datetime.now().astimezone().isoformat(timespec="seconds"))
    with contextlib.suppress(OSError):
        path.write_bytes(msgspec.json.encode(holder))
    try:
        yield
    finally:
        with contextlib.suppress(OSError):
            path.unlink()


def busy(database: Path, waited: float) -> LibraryBusy:
    """The error for a write lock that did not come free in ``waited`` seconds, naming its holder when that is known."""
    holder = _read(database)
    who = f"process {holder.pid} ({holder.command}, since {holder.since})" if holder else "another process"
    return LibraryBusy(
        f"The library {database} is locked by {who}; waited {waited:.0f} s",
        "Wait for it to finish, or end that process, and try again.",
    )


def _read(database: Path) -> Holder | None:
    try:
        holder = msgspec.json.decode(record_path(database).read_bytes(), type=Holder)
    except (OSError, msgspec.DecodeError):
        return None
    return holder if is_alive(holder.pid) else None


def is_alive(pid: int) -> bool:
    """Whether a process of this number runs on this machine."""
    if pid <= 0:
        return False
    if sys.platform == "win32":
        return True
    try:
        os.kill(pid, 0)
    except ProcessLookupError:
        return False
    except PermissionError:
        return True
    return True


def _command() -> str:
    words = [Path(sys.argv[0] or "python").name, *sys.argv[1:4]]
    line = " ".join(words)
    return "".join(c if c.isprintable() else " " for c in line)[:120]


STALE_SECONDS = 300.0
_POLL_SECONDS = 0.05
_counter = itertools.count()


def _folder(paths: Paths) -> Path:
    return paths.data / "answering"


@contextlib.contextmanager
def answering(paths: Paths) -> Iterator[None]:
    """While inside, embedding pauses after its current batch. Failing to say so only costs speed."""
    mark = _folder(paths) / f"{os.getpid()}-{next(_counter)}"
    with contextlib.suppress(OSError):
        mark.parent.mkdir(parents=True, exist_ok=True)
        mark.touch()
    try:
        yield
    finally:
        with contextlib.suppress(OSError):
            mark.unlink()


def is_answering(paths: Paths) -> bool:
    """Whether an answer is being made now by any process of this home; stale marks are removed."""
    found = False
    with contextlib.suppress(OSError):
        for mark in list(_folder(paths).iterdir()):
            if _is_live(mark):
                found = True
            else:
                mark.unlink(missing_ok=True)
    return found


def wait_while_answering(paths: Paths, cancelled: Callable[[], bool] = lambda: False) -> None:
    """Return when no answer is being made, or when ``cancelled``."""
    while is_answering(paths) and not cancelled():
        time.sleep(_POLL_SECONDS)


def _is_live(mark: Path) -> bool:
    pid = mark.name.partition("-")[0]
    try:
        age = time.time() - mark.stat().st_mtime
    except OSError:
        return False
    # A clock that was set back makes a mark from the future, which would hold for as long as the jump.
    return pid.isdigit() and is_alive(int(pid)) and abs(age) < STALE_SECONDS


@contextlib.contextmanager
def one_at_a_time(lock: Path) -> Iterator[bool]:
    """Whether it is this process's turn; never waits. Raises ``OSError`` when the folder can't be written."""
    lock.parent.mkdir(parents=True, exist_ok=True)
    with lock.open("a+b") as stream:
        try:
            if sys.platform == "win32":
                import msvcrt

                msvcrt.locking(stream.fileno(), msvcrt.LK_NBLCK, 1)
            else:
                import fcntl

                fcntl.flock(stream.fileno(), fcntl.LOCK_EX | fcntl.LOCK_NB)
        except OSError:
            yield False
            return
        yield True


APPLICATION_ID = 0x31306B66
"""Written into the file's header, so that another program's database is not mistaken for a library."""


@cache
def scripts() -> tuple[str, ...]:
    """The migration scripts in order; the n-th makes schema version n."""
    folder = resources.files("fin_tui.store") / "migrations"
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


Parameters = Sequence[Any] | Mapping[str, Any]


class Database:
    """One SQLite file. Safe to use from several threads and several processes: readers never wait, writers take turns."""

    def __init__(self, path: Path, *, read_only: bool = False, busy_seconds: float = 10.0) -> None:
        """Open ``path``, making it and its folder when absent and not ``read_only`` (an absent one then reads as empty).

        One that this user may not write is opened for reading. Raises ``FinTuiError`` for a file that is no library, is
        damaged, or was made by a newer program, and for a folder that can't be made; ``LibraryBusy`` when the lock does not
        come free in ``busy_seconds``.
        """
        self.path = path
        self._busy_seconds = busy_seconds
        self._connections: dict[threading.Thread, sqlite3.Connection] = {}
        self._lock = threading.Lock()
        self._is_closed = False
        with self._clear_errors():
            self.read_only = read_only or (path.exists() and not _may_write(path))
            self._is_absent = self.read_only and not path.exists()
            if path.exists() and 0 < path.stat().st_size < _SMALLEST:
                # SQLite would take it for a new database and write over it.
                raise sqlite3.DatabaseError("file is not a database: it is cut off")
            if not self.read_only:
                path.parent.mkdir(parents=True, exist_ok=True)
            self._prepare()

    def rows(self, sql: str, parameters: Parameters = ()) -> list[sqlite3.Row]:
        """All rows of a query."""
        with self._clear_errors():
            rows: list[sqlite3.Row] = self._connection().execute(sql, parameters).fetchall()
            return rows

    def row(self, sql: str, parameters: Parameters = ()) -> sqlite3.Row | None:
        """The first row of a query, or None."""
        with self._clear_errors():
            row: sqlite3.Row | None = self._connection().execute(sql, parameters).fetchone()
            return row

    def each(self, sql: str, parameters: Parameters = (), size: int = 1000) -> Iterator[sqlite3.Row]:
        """The rows of a query, a few at a time, all from the moment of the first."""
        with self._clear_errors():
            cursor = self._connection().execute(sql, parameters)
            while rows := cursor.fetchmany(size):
                yield from rows

    @contextlib.contextmanager
    def write(self) -> Iterator[sqlite3.Connection]:
        """A transaction: committed (and on disk) when the block ends, rolled back when it raises.

        Raises ``LibraryBusy`` naming the holder when another process keeps the lock too long, ``FinTuiError`` when the
        disk is full or the file can't be written.
        """
        if self.read_only:
            raise FinTuiError(f"Can't write the library {self.path}: it was opened for reading", _CHOOSE)
        with self._clear_errors():
            connection = self._connection()
            connection.execute("BEGIN IMMEDIATE")
            try:
                with recorded(self.path):
                    yield connection
                    connection.execute("COMMIT")
            except BaseException:  # Also an interrupt undoes all.
                # A full disk or an I/O error has already rolled back.
                if connection.in_transaction:
                    connection.execute("ROLLBACK")
                raise

    def close(self) -> None:
        """Close the connections of all threads; using the database afterwards raises ``FinTuiError``."""
        with self._lock:
            self._is_closed = True
            for connection in self._connections.values():
                connection.close()
            self._connections.clear()

    def _connection(self) -> sqlite3.Connection:
        thread = threading.current_thread()
        with self._lock:
            if self._is_closed:
                raise FinTuiError(f"The library {self.path} is closed")
            if thread not in self._connections:
                for ended in [other for other in self._connections if not other.is_alive()]:
                    self._connections.pop(ended).close()
                self._connections[thread] = self._connect()
            return self._connections[thread]

    def _connect(self) -> sqlite3.Connection:
        if self._is_absent:
            connection = self._opened(":memory:")
            migrate(connection, self.path)
        elif self.read_only:
            connection = self._connect_for_reading()
        else:
            connection = self._opened(self.path.as_uri())
            connection.execute("PRAGMA synchronous = FULL")
        connection.row_factory = sqlite3.Row
        connection.execute("PRAGMA foreign_keys = ON")
        connection.execute("PRAGMA cache_size = -32000")
        connection.execute("PRAGMA mmap_size = 268435456")
        return connection

    def _connect_for_reading(self) -> sqlite3.Connection:
        connection = self._opened(self.path.as_uri() + "?mode=ro")
        try:
            connection.execute("SELECT count(*) FROM sqlite_schema")
        except sqlite3.OperationalError:
            # The log's index can't be made in a folder without write permission; without a log there is none to read.
            connection.close()
            log = self.path.with_name(self.path.name + "-wal")
            if log.exists() and log.stat().st_size:
                raise
            connection = self._opened(self.path.as_uri() + "?mode=ro&immutable=1")
        return connection

    def _opened(self, uri: str) -> sqlite3.Connection:
        # Transactions are ours to begin and end; connections are closed from the thread that closes the library.
        return sqlite3.connect(
            uri, uri=uri != ":memory:", timeout=self._busy_seconds, isolation_level=None, check_same_thread=False
        )

    def _prepare(self) -> None:
        connection = self._connection()
        if self.read_only:
            if not self._is_absent and not is_current(connection, self.path):
                Database(self.path, busy_seconds=self._busy_seconds).close()
            return
        is_current(connection, self.path)
        self._use_write_ahead_log(connection)
        migrate(connection, self.path)

    def _use_write_ahead_log(self, connection: sqlite3.Connection) -> None:
        """SQLite does not wait for its lock when the mode changes, so that we do."""
        deadline = time.monotonic() + self._busy_seconds
        while True:
            try:
                connection.execute("PRAGMA journal_mode = WAL")
                return
            except sqlite3.OperationalError as error:
                if "locked" not in str(error) or time.monotonic() > deadline:
                    raise
                time.sleep(0.02)

    @contextlib.contextmanager
    def _clear_errors(self) -> Iterator[None]:
        try:
            yield
        except sqlite3.Error as error:
            raise self._clear(error) from error
        except OSError as error:
            if error.filename is None or Path(error.filename) not in (self.path, *self.path.parents):
                raise
            raise FinTuiError(f"Can't write {error.filename}: {error.strerror}", _CHOOSE) from error

    def _clear(self, error: sqlite3.Error) -> Exception:
        text = str(error)
        if "locked" in text or "busy" in text:
            return busy(self.path, self._busy_seconds)
        if "is full" in text:
            return FinTuiError(f"The disk of {self.path} is full; nothing was changed", "Free some space and try again.")
        if "malformed" in text or "not a database" in text or "corrupt" in text:
            return FinTuiError(
                f"The library {self.path} is damaged: {text}", "Restore a copy of it, or move it away and add again."
            )
        if "readonly" in text or "unable to open" in text:
            return FinTuiError(f"Can't write the library {self.path}: {text}", _CHOOSE)
        if "disk I/O" in text:
            return FinTuiError(f"The disk failed while using {self.path}: {text}", "Check the disk and its free space.")
        return error


def _may_write(path: Path) -> bool:
    """The log stands beside the database, so that both the file and its folder count."""
    return os.access(path, os.W_OK) and os.access(path.parent, os.W_OK)


_SMALLEST = 512
"""Bytes of SQLite's smallest page."""
_CHOOSE = "Check its permissions, or choose another folder with --home."


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
