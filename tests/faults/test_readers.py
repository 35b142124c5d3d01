"""One process writes, others read all the while: each sees a whole library, and never less than before."""

from __future__ import annotations

import sys
import threading
from pathlib import Path

import pytest

from fin_tui.config import Settings
from fin_tui.paths import Paths
from fin_tui.records import Scope
from fin_tui.retrieval.indexes import Indexes
from fin_tui.retrieval.tokens import tokenize_query
from fin_tui.store.library import Library
from tests.faults.checks import assert_whole
from tests.faults.filings import write_files
from tests.faults.processes import Family

pytestmark = pytest.mark.skipif(not sys.platform.startswith("linux"), reason="reads /proc to see who is left over")


def test_many_readers_beside_one_writer(paths: Paths, tmp_path: Path) -> None:
    files = write_files(tmp_path / "files", 6)
    Library.open(paths).close()
    done = threading.Event()
    seen: list[list[int]] = [[], [], []]
    errors: list[BaseException] = []

    def read(counts: list[int]) -> None:
        try:
            with Library.open(paths, read_only=True) as library:
                indexes = Indexes(paths, library, Settings(), encoder="none")
                while not done.is_set() or not counts or counts[-1] < len(files):
                    before = len(library.filings())
                    snapshot = indexes.snapshot()
                    keys, _ = snapshot.search_sparse(tokenize_query("outsourcing partners"), None, 1000)
                    named = {filing.id for _, filing in library.chunks_by_keys(keys.tolist())}
                    assert len(named) >= before
                    counts.append(len(library.filings()))
                    if done.is_set() and counts[-1] < len(files):
                        break
                assert len(indexes.snapshot().alive) == len(library.chunk_keys(Scope()))
        except BaseException as error:  # noqa: BLE001 - handed to the test's own thread
            errors.append(error)

    readers = [threading.Thread(target=read, args=(counts,)) for counts in seen]
    for reader in readers:
        reader.start()
    writer = Family(["-m", "tests.faults.work", "add", str(paths.home), *map(str, files)], {})
    is_done = writer.wait_for("end", 120)
    done.set()
    for reader in readers:
        reader.join(60)
    assert is_done, writer.errors
    assert not writer.end(30)
    assert errors == []
    for counts in seen:
        assert counts == sorted(counts)
        assert counts[-1] == len(files)
    with Library.open(paths) as library:
        assert_whole(library)
