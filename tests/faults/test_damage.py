"""Every file of an index cut off anywhere, and the database itself: never a wrong answer, never a traceback."""

from __future__ import annotations

from pathlib import Path

import pytest

from fin_tui.config import Settings
from fin_tui.errors import FinTuiError
from fin_tui.ingest.pipeline import add_files
from fin_tui.paths import Paths
from fin_tui.records import Scope
from fin_tui.retrieval import dense
from fin_tui.retrieval.indexes import CURRENT, Indexes, current_folder
from fin_tui.store.library import Library
from tests.faults.checks import assert_same_answers, rankings
from tests.faults.filings import write_files
from tests.unit.ingest.made import HashingEncoder

SETTINGS = Settings()
ENCODER = HashingEncoder()


@pytest.fixture
def paths(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Paths:
    """A library with vectors, a graph and a generation on the disk."""
    monkeypatch.setattr(dense, "SMALLEST_GRAPH", 16)
    paths = Paths(tmp_path / "home")
    with Library.open(paths) as library:
        list(add_files(library, SETTINGS, write_files(tmp_path / "files", 2)))
        texts = [text for _, text in library.index_texts()]
        library.embeddings.put(ENCODER.name, texts, ENCODER.encode_passages(texts))
        assert Indexes(paths, library, SETTINGS, encoder=ENCODER.name).write()
    return paths


def _files(paths: Paths) -> list[Path]:
    folder = current_folder(paths.index)
    assert folder is not None
    found = sorted(path for path in folder.rglob("*") if path.is_file())
    assert {"graph.bin", "vectors.npy", "vector_keys.npy", "keys.npy", "manifest.json"} <= {path.name for path in found}
    return [*found, paths.index / CURRENT]


@pytest.mark.parametrize("share", [0.0, 0.5, 1.0], ids=["emptied", "halved", "a byte short"])
def test_each_file_of_an_index_cut_off_changes_no_answer(paths: Paths, share: float) -> None:
    with Library.open(paths) as library:
        expected = rankings(paths, library, SETTINGS, ENCODER, ENCODER.name)
        assert all(found for _, found in expected)
        for number in range(len(_files(paths))):
            file = _files(paths)[number]
            whole = file.read_bytes()
            file.write_bytes(whole[: min(int(len(whole) * share), len(whole) - 1)])
            assert_same_answers(rankings(paths, library, SETTINGS, ENCODER, ENCODER.name), expected)
            made = Indexes(paths, library, SETTINGS, encoder=ENCODER.name)
            # A pointer without its line break still points to the whole generation.
            assert made.write() or (file.name == CURRENT and share == 1.0), file.name
            again = Indexes(paths, library, SETTINGS, encoder=ENCODER.name)
            assert len(again.snapshot().alive) == len(library.chunk_keys(Scope()))
            assert not again._missing(), f"{file.name}: the index was not written anew"


@pytest.mark.parametrize("size", [1, 100, 4096, 40_000, -1])
def test_a_database_cut_off_is_one_clear_line(paths: Paths, size: int) -> None:
    raw = paths.database.read_bytes()
    for log in paths.data.glob("library.sqlite3-*"):
        log.unlink()
    paths.database.write_bytes(raw[:size])

    def read_all() -> None:
        with Library.open(paths) as library:
            assert library._database.rows("PRAGMA integrity_check")[0][0] == "ok"
            for filing in library.filings():
                library.document(filing.id)
                library.original(filing.id)

    with pytest.raises((FinTuiError, AssertionError)) as caught:
        read_all()
    if isinstance(caught.value, FinTuiError):
        assert caught.value.hint
