"""The ingest process, killed and stopped at will; several processes on one library."""

from __future__ import annotations

import contextlib
import multiprocessing
import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

from fin_tui.config import Settings
from fin_tui.errors import FinTuiError
from fin_tui.ingest import Added, Embedded, FailedFile, Job
from fin_tui.ingest.worker import run
from fin_tui.paths import Paths
from fin_tui.records import Progress, Scope
from fin_tui.store.database import answering
from fin_tui.store.library import Library
from tests.unit.ingest.made import make_html

pytestmark = pytest.mark.skipif(sys.platform == "win32", reason="POSIX signals")

ADD = """
import sys
import time
from pathlib import Path
from fin_tui.config import Settings
from fin_tui.ingest import Added, Skipped
from fin_tui.ingest.pipeline import add_files
from fin_tui.paths import Paths
from fin_tui.store.library import Library
with Library.open(Paths(Path(sys.argv[1]))) as library:
    for outcome in add_files(library, Settings(), [Path(name) for name in sys.argv[2:]]):
        if isinstance(outcome, (Added, Skipped)):
            print(outcome.filing.id, flush=True)
"""


@pytest.fixture
def paths(tmp_path: Path) -> Paths:
    return Paths(tmp_path / "home")


@pytest.fixture
def with_weights(paths: Paths) -> Paths:
    weights = Path(__file__).parents[2] / "models" / "bge-small-en"
    if not (weights / "model.onnx").is_file():
        pytest.skip(reason="the weights of bge-small-en are not there: run `fin-tui setup`")
    paths.models.mkdir(parents=True)
    (paths.models / "bge-small-en").symlink_to(weights)
    return paths


def _files(folder: Path, *years: int) -> tuple[Path, ...]:
    for year in years:
        (folder / f"{year}.htm").write_bytes(make_html(year=year))
    return tuple(folder / f"{year}.htm" for year in years)


def _start_adding(paths: Paths, files: tuple[Path, ...]) -> subprocess.Popen[str]:
    return subprocess.Popen(
        [sys.executable, "-c", ADD, str(paths.home), *map(str, files)], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True
    )


def _assert_whole(library: Library) -> None:
    """Every filing has all its parts, and nothing is left of any other."""
    assert library._database.rows("PRAGMA integrity_check")[0][0] == "ok"
    assert library._database.rows("PRAGMA foreign_key_check") == []
    filings = library.filings()
    for filing in filings:
        chunks = library.chunks.of_filing(filing.id)
        assert len(chunks) == filing.chunks > 0
        document = library.document(filing.id)
        assert len(document.facts) == filing.facts
        assert all(document.text[chunk.start : chunk.end] == chunk.text for chunk in chunks)
        assert library.original(filing.id)
    assert sum(filing.chunks for filing in filings) == len(library.chunk_keys(Scope()))


def test_killing_loses_nothing_that_was_reported(paths: Paths, tmp_path: Path) -> None:
    files = _files(tmp_path, *range(2001, 2025))
    reported: set[str] = set()
    for kill_after in (1, 5, 9):
        process = _start_adding(paths, files)
        assert process.stdout is not None
        for _ in range(kill_after):
            reported.add(process.stdout.readline().strip())
        process.kill()
        reported.update(process.stdout.read().split())
        process.wait()
        with Library.open(paths) as library:
            assert reported <= {filing.id for filing in library.filings()}
            _assert_whole(library)
    last = _start_adding(paths, files)
    assert last.communicate()[1] == ""
    with Library.open(paths) as library:
        assert {filing.fiscal_year for filing in library.filings()} == set(range(2001, 2025))
        _assert_whole(library)


def test_two_writers_take_turns(paths: Paths, tmp_path: Path) -> None:
    files = _files(tmp_path, *range(2001, 2013))
    processes = [_start_adding(paths, files), _start_adding(paths, files[::-1])]
    results = [process.communicate() for process in processes]
    assert [process.returncode for process in processes] == [0, 0], results
    with Library.open(paths) as library:
        assert [filing.fiscal_year for filing in library.filings()] == list(range(2001, 2013))
        _assert_whole(library)


def test_the_process_reports_each_file_and_writes_the_index(paths: Paths, tmp_path: Path) -> None:
    files = (*_files(tmp_path, 2022, 2023), tmp_path / "missing.htm")
    events = list(run(Job(paths, Settings(), files)))
    assert [type(event) for event in events if not isinstance(event, Progress)] == [Added, Added, FailedFile, Embedded]
    last = events[-1]
    assert isinstance(last, Embedded)
    assert "No encoder weights" in last.note
    assert (paths.index / "CURRENT").exists()
    with Library.open(paths, read_only=True) as library:
        assert len(library.filings()) == 2


def test_a_file_that_kills_the_process_is_left_out_and_the_rest_goes_on(paths: Paths, tmp_path: Path) -> None:
    first, last = _files(tmp_path, 2021, 2023)
    slow = tmp_path / "slow.htm"
    slow.write_bytes(make_html(year=2022, extra="<p>A widget was sold to a customer in Springfield.</p>" * 60_000))
    outcomes = []
    with contextlib.closing(run(Job(paths, Settings(), (first, slow, last), embed=False))) as events:
        for event in events:
            if isinstance(event, Progress) and event.label == "slow.htm":
                for child in multiprocessing.active_children():
                    assert child.pid is not None
                    os.kill(child.pid, signal.SIGKILL)
            if not isinstance(event, Progress):
                outcomes.append(event)
    assert [type(outcome) for outcome in outcomes] == [Added, FailedFile, Added]
    failed = outcomes[1]
    assert isinstance(failed, FailedFile)
    assert failed.message == "slow.htm ended the process that read it (signal SIGKILL)"
    with Library.open(paths) as library:
        assert [filing.fiscal_year for filing in library.filings()] == [2021, 2023]
        _assert_whole(library)


def test_closing_the_iterator_ends_the_process(paths: Paths, tmp_path: Path) -> None:
    files = _files(tmp_path, *range(2001, 2021))
    events = run(Job(paths, Settings(), files, embed=False))
    added = next(event for event in events if isinstance(event, Added))
    events.close()
    assert not [child for child in multiprocessing.active_children() if child.name == "fin-tui-ingest"]
    with Library.open(paths) as library:
        assert added.filing in library.filings()
        assert len(library.filings()) < 20
        _assert_whole(library)


def test_it_can_be_cancelled_while_nothing_happens(with_weights: Paths, tmp_path: Path) -> None:
    began: list[float] = []
    with answering(with_weights):
        job = Job(with_weights, Settings(), _files(tmp_path, 2023))
        for event in run(job, lambda: bool(began) and time.monotonic() - began[0] > 0.5):
            assert not isinstance(event, Embedded)
            if isinstance(event, Added):
                began.append(time.monotonic())
    with Library.open(with_weights) as library:
        assert [filing.embedded for filing in library.filings()] == [0]


def test_trouble_with_the_library_comes_back_as_itself(paths: Paths, tmp_path: Path) -> None:
    paths.data.mkdir(parents=True)
    paths.database.write_bytes(b"not a database" * 1000)
    with pytest.raises(FinTuiError, match=r"library\.sqlite3 is damaged"):
        list(run(Job(paths, Settings(), _files(tmp_path, 2023))))


def test_embedding_is_stopped_and_resumed(with_weights: Paths, tmp_path: Path) -> None:
    files = _files(tmp_path, 2022, 2023)
    settings = Settings()
    events = run(Job(with_weights, settings, files))
    first = next(event for event in events if isinstance(event, Progress) and event.stage == "embed")
    events.close()
    with Library.open(with_weights) as library:
        done = sum(filing.embedded for filing in library.filings())
        assert first.done <= done
    last = list(run(Job(with_weights, settings)))[-1]
    assert isinstance(last, Embedded)
    assert last.done == last.total > first.done
    assert last.note == ""
    with Library.open(with_weights) as library:
        assert all(filing.embedded == filing.chunks for filing in library.filings())
