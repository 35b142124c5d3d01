"""Each kind of damage is found, named with its fix, and mended where that can be; nothing that a user wrote is touched."""

from __future__ import annotations

import shutil
import sqlite3
from collections.abc import Callable
from pathlib import Path

import pytest

from fin_tui.config import Settings
from fin_tui.doctor import Finding, examine, look_at_terminal
from fin_tui.ingest.pipeline import add_files, write_indexes
from fin_tui.paths import Paths
from fin_tui.records import Answer, Saved
from fin_tui.retrieval.indexes import current_folder
from fin_tui.store.database import record_path
from fin_tui.store.library import Library
from tests.unit.ingest.made import HashingEncoder, make_html
from tests.unit.store.test_kept import CITATION

SETTINGS = Settings()
GONE = 999_999_999
"""No process has this number."""


@pytest.fixture
def paths(tmp_path: Path) -> Paths:
    """Two filings with vectors and an index, a conversation, a notebook and a bookmark."""
    paths = Paths(tmp_path / "home")
    files = [tmp_path / f"{year}.htm" for year in (2022, 2023)]
    for file in files:
        file.write_bytes(make_html(year=int(file.stem)))
    with Library.open(paths) as library:
        list(add_files(library, SETTINGS, files))
        texts = [text for _, text in library.index_texts()]
        library.embeddings.put(HashingEncoder.name, texts, HashingEncoder().encode_passages(texts))
        talk = library.conversations.create("Sales")
        library.conversations.append(talk, "Q", Answer("Q", "answered", "A", citations=(CITATION,)), {})
        library.notebook.add(Saved("passage", "Widgets", citations=(CITATION,)), "mine")
        library.bookmarks.add(library.filings()[0].id, 0, "UNITED STATES")
        write_indexes(paths, library, SETTINGS)
    return paths


def found(paths: Paths, check: str, *, repair: bool = False) -> list[Finding]:
    """What is not well with ``check``; weights are missing in these homes, which is no matter here."""
    return [f for f in examine(paths, SETTINGS, repair=repair, engines=False) if f.check == check and f.state != "ok"]


def written(paths: Paths) -> list[tuple[object, ...]]:
    """All that a user wrote or added, byte by byte."""
    with sqlite3.connect(paths.database) as raw:
        tables = ("conversations", "turns", "notebook", "bookmarks", "originals")
        return [row for table in tables for row in raw.execute(f"SELECT * FROM {table} ORDER BY 1, 2")]


def sql(*statements: str) -> Callable[[Paths], None]:
    def damage(paths: Paths) -> None:
        raw = sqlite3.connect(paths.database, isolation_level=None)
        for statement in statements:
            raw.execute(statement)
        raw.close()

    return damage


def _no_index(paths: Paths) -> None:
    shutil.rmtree(paths.index)


def _cut_index(paths: Paths) -> None:
    folder = current_folder(paths.index)
    assert folder is not None
    file = next(folder.rglob("keys.npy"))
    file.write_bytes(file.read_bytes()[:-8])


def _second_index(paths: Paths) -> None:
    (paths.index / "generation-000009-half" / "sparse").mkdir(parents=True)


def _marks(paths: Paths) -> None:
    (paths.data / "answering").mkdir(exist_ok=True)
    (paths.data / "answering" / f"{GONE}-0").touch()
    record_path(paths.database).write_text(f'{{"pid": {GONE}, "command": "gone", "since": "then"}}')
    (paths.data / f"verified.{GONE}.part").write_text("{")
    (paths.index / "CURRENT.new").write_text("generation")


LOOSE = (
    "INSERT INTO facts (filing, concept, label, text, unit, dimensions, source, start, end) "
    "VALUES (77, 'c', '', '', '', '{}', 'xbrl', 0, 0)"
)
ODD = "UPDATE vectors SET vector = x'0011' WHERE hash = (SELECT hash FROM chunks LIMIT 1)"
DAMAGES: list[tuple[str, Callable[[Paths], None], str, str]] = [
    ("database", sql("PRAGMA foreign_keys = OFF", LOOSE), "problem", "1 row of no filing"),
    ("database", sql("INSERT INTO originals VALUES ('f00', 1, x'00')"), "problem", "1 stored file named by no filing"),
    ("filings", sql("DELETE FROM chunks WHERE key = 2"), "problem", "are missing or changed"),
    ("filings", sql("UPDATE chunks SET index_text = index_text || '!' WHERE key = 3"), "problem", "are missing or changed"),
    ("filings", sql("DELETE FROM documents WHERE filing = 1"), "problem", "are missing or changed"),
    ("vectors", sql(ODD), "problem", "1 damaged vector"),
    ("index", _no_index, "problem", "There is no index"),
    ("index", _cut_index, "problem", "The index can't be used"),
    ("index", _second_index, "problem", "1 unfinished or replaced index folder"),
    ("leftovers", _marks, "problem", "4 files left by processes that are gone"),
]  # fmt: skip


def test_a_sound_home_has_nothing_to_mend(paths: Paths) -> None:
    before = {path: path.read_bytes() for path in paths.home.rglob("*") if path.is_file() and "sqlite3-" not in path.name}
    for check in ("database", "filings", "index", "leftovers", "disk"):
        assert found(paths, check) == []
    assert {path: path.read_bytes() for path in before} == before


@pytest.mark.parametrize(("check", "damage", "state", "what"), DAMAGES, ids=[f"{c}: {w}" for c, _, _, w in DAMAGES])
def test_damage_is_named_and_mended(paths: Paths, check: str, damage: Callable[[Paths], None], state: str, what: str) -> None:
    damage(paths)
    kept = [row for row in written(paths) if "f00" not in row]
    finding = found(paths, check)[0]
    assert finding.state == state
    assert what in finding.what
    assert finding.fix
    mended = found(paths, check, repair=True)
    assert [f.state for f in mended if f.what == finding.what] == ["mended"]
    assert [f for f in found(paths, check) if f.state == "problem"] == []
    assert written(paths) == kept


def test_what_can_not_be_made_again_says_who_must_act(paths: Paths) -> None:
    sql("UPDATE originals SET bytes = x'28b52ffd' WHERE rowid = 1")(paths)
    (finding,) = found(paths, "filings", repair=True)
    assert finding.state == "problem"
    assert finding.filing in finding.fix
    assert "fin-tui remove" in finding.fix


def test_unused_vectors_are_a_note_and_go_with_a_repair(paths: Paths) -> None:
    with Library.open(paths) as library:
        library.remove([library.resolve("2022.htm").id])
    (finding, *_) = found(paths, "vectors")
    assert finding.state == "note"
    assert "texts that are gone" in finding.what
    assert found(paths, "vectors", repair=True)[0].state == "mended"
    assert all("texts that are gone" not in finding.what for finding in found(paths, "vectors"))


def test_a_damaged_database_is_one_finding_and_is_left_as_it_is(paths: Paths) -> None:
    raw = bytearray(paths.database.read_bytes())
    raw[8192 : len(raw) // 2] = b"\xa5" * (len(raw) // 2 - 8192)
    for log in paths.data.glob("library.sqlite3-*"):
        log.unlink()
    paths.database.write_bytes(bytes(raw))
    findings = list(examine(paths, SETTINGS, repair=True, engines=False))
    bad = [f for f in findings if f.state == "problem" and f.check not in ("weights", "models")]
    assert {f.check for f in bad} == {"database"}
    assert "copy" in bad[0].fix
    assert paths.database.read_bytes() == bytes(raw)
    assert any(f.check == "disk" for f in findings)


def test_looking_makes_nothing(tmp_path: Path) -> None:
    home = Paths(tmp_path / "none")
    states = [f.state for f in examine(home, SETTINGS, engines=False) if f.check not in ("weights", "models")]
    assert "problem" not in states
    assert not home.home.exists()


@pytest.mark.parametrize(("environment", "said"), [({"TERM": "dumb"}, "can't draw"), ({"TERM": ""}, "can't draw")])
def test_a_terminal_that_can_not_draw_is_named(monkeypatch: pytest.MonkeyPatch, environment: dict[str, str], said: str) -> None:
    monkeypatch.setattr("sys.stdout.isatty", lambda: True, raising=False)
    assert any(said in finding.what for finding in look_at_terminal(environment))


def test_how_a_filing_was_read_is_told_with_what_to_do(paths: Paths) -> None:
    sql("UPDATE filings SET items = '[\"7\"]', coverage = .5, crosscheck = .9, crosscheck_cells = 40 WHERE number = 1")(paths)
    sql("UPDATE filings SET parsed_by = '1 {}' WHERE number = 2")(paths)
    told = found(paths, "filings")
    assert {finding.state for finding in told} == {"note"}
    for said in (
        "few Items were found (7)",
        "50.0% of its words",
        "90.0% of 40 tagged cells",
        "1 of 2 filings were read by an earlier",
    ):
        (finding,) = [finding for finding in told if said in finding.what]
        assert finding.fix
