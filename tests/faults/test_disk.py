"""Real small disks: full, and read-only. They are mounted for the test, which only the superuser may do."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from fin_tui.config import Settings
from fin_tui.errors import FinTuiError
from fin_tui.ingest import Added
from fin_tui.ingest.pipeline import add_files, write_indexes
from fin_tui.paths import Paths
from fin_tui.store.library import Library
from tests.faults.checks import assert_whole
from tests.faults.filings import write_files

CHECKOUT = Path(__file__).resolve().parents[2]
LIMITED = """
import resource, signal, sys
from pathlib import Path
from fin_tui.config import Settings
from fin_tui.errors import FinTuiError
from fin_tui.ingest import Added
from fin_tui.ingest.pipeline import add_files
from fin_tui.paths import Paths
from fin_tui.store.library import Library
signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
resource.setrlimit(resource.RLIMIT_FSIZE, (600_000, 600_000))
try:
    with Library.open(Paths(Path(sys.argv[1]))) as library:
        for outcome in add_files(library, Settings(), [Path(name) for name in sys.argv[2:]]):
            if isinstance(outcome, Added):
                print(outcome.filing.id, flush=True)
except FinTuiError as error:
    print(error.message, error.hint, file=sys.stderr)
    sys.exit(9)
"""


def _mount(place: Path, *options: str) -> bool:
    done = subprocess.run(["mount", *options, "-t", "tmpfs", "tmpfs", str(place)], capture_output=True, check=False)
    return done.returncode == 0


@pytest.fixture
def small_disk(tmp_path: Path) -> Iterator[Path]:
    place = tmp_path / "disk"
    place.mkdir()
    if not sys.platform.startswith("linux") or os.geteuid() or not shutil.which("mount") or not _mount(place, "-o", "size=2m"):
        pytest.skip(reason="no disk can be mounted here")
    try:
        yield place
    finally:
        subprocess.run(["umount", str(place)], check=True)


def test_a_disk_that_fills_up_loses_nothing_and_goes_on_when_there_is_room(small_disk: Path, tmp_path: Path) -> None:
    paths = Paths(small_disk / "home")
    ballast = small_disk / "ballast"
    ballast.write_bytes(bytes(900_000))
    added: list[str] = []
    files = write_files(tmp_path / "files", 12)
    with Library.open(paths) as library:
        with pytest.raises(FinTuiError, match=r"[Dd]isk") as caught:
            added.extend(o.filing.id for o in add_files(library, Settings(), files) if isinstance(o, Added))
        assert caught.value.hint
        assert_whole(library)
        assert set(added) <= {filing.id for filing in library.filings()} != set()
        write_indexes(paths, library, Settings())  # They are caches: a full disk is no failure.
    ballast.unlink()
    with Library.open(paths) as library:
        held = len(library.filings())
        assert any(isinstance(outcome, Added) for outcome in add_files(library, Settings(), files[held : held + 1]))
        assert_whole(library)


def test_a_write_that_the_system_refuses_loses_nothing(tmp_path: Path) -> None:
    if sys.platform == "win32":
        pytest.skip(reason="POSIX limits")
    paths = Paths(tmp_path / "home")
    files = [str(file) for file in write_files(tmp_path / "files", 12)]
    done = subprocess.run(
        [sys.executable, "-c", LIMITED, str(paths.home), *files], capture_output=True, text=True, check=False, cwd=CHECKOUT
    )
    assert done.returncode == 9, done.stderr
    assert "isk" in done.stderr
    assert "Traceback" not in done.stderr
    with Library.open(paths) as library:
        assert_whole(library)
        assert set(done.stdout.split()) <= {filing.id for filing in library.filings()}
        list(add_files(library, Settings(), [Path(name) for name in files]))
        assert len(library.filings()) == len(files)


def test_a_read_only_disk_can_be_searched_and_says_why_it_takes_nothing(small_disk: Path, tmp_path: Path) -> None:
    paths = Paths(small_disk / "home")
    first, second = write_files(tmp_path / "files", 1)
    with Library.open(paths) as library:
        list(add_files(library, Settings(), [first]))
        write_indexes(paths, library, Settings())
    subprocess.run(["mount", "-o", "remount,ro", str(small_disk)], check=True)

    def run(*words: str) -> subprocess.CompletedProcess[str]:
        command = [sys.executable, "-m", "fin_tui", "--home", str(paths.home), *words]
        return subprocess.run(command, capture_output=True, text=True, check=False, cwd=CHECKOUT)

    for words in (["filings"], ["search", "outsourcing partners", "--json"], ["ask", "--no-llm", "What were net sales?"]):
        done = run(*words)
        assert done.returncode in (0, 3), (words, done.stderr)
        assert "Traceback" not in done.stderr
        assert done.stdout.strip()
    refused = run("add", str(second), "--no-embed")
    assert refused.returncode == 1
    assert "Traceback" not in refused.stderr
    assert "Can't write" in refused.stderr
    doctor = run("doctor", "--quick")
    assert "can't be written" in doctor.stdout
    assert doctor.returncode == 1
