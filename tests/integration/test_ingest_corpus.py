"""``ingest-corpus`` with a real Ray and a real server: what gets there, and what is there after kills at any moment."""

from __future__ import annotations

import contextlib
import json
import os
import signal
import subprocess
import sys
import tempfile
import time
from collections import Counter
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from fin_tui.config import Settings
from fin_tui.ingest.pipeline import parse
from fin_tui.paths import Paths
from fin_tui.retrieval.encoder import load_encoder
from tests.conftest import CHECKOUT
from tests.faults.processes import Family
from tests.milvus_lite_server import milvus_lite, needs
from tests.unit.ingest.made import make_html

_RUN_SECONDS = 420
pytestmark = pytest.mark.timeout(1800)


@pytest.fixture
def server(tmp_path: Path) -> Iterator[str]:
    needs("ray", "pymilvus", "milvus_lite")
    with milvus_lite(tmp_path / "server") as address:
        yield address


@pytest.fixture
def home(tmp_path: Path, models_dir: Path) -> Paths:
    paths = Paths(tmp_path / "home")
    paths.home.mkdir(exist_ok=True)
    paths.models.symlink_to(models_dir)
    return paths


def words(home: Paths, folder: Path, address: str, *more: str) -> list[str]:
    return ["-m", "fin_tui", "--home", str(home.home), "ingest-corpus", str(folder), "--corpus", address, "--cpus", "2", *more]


def run(home: Paths, folder: Path, address: str, *more: str) -> subprocess.CompletedProcess[str]:
    command = [sys.executable, *words(home, folder, address, "--json", *more)]
    return subprocess.run(command, capture_output=True, text=True, check=False, cwd=CHECKOUT, timeout=_RUN_SECONDS)


def filings(folder: Path, years: range, companies: int = 1) -> Path:
    folder.mkdir()
    for company in range(companies):
        for year in years:
            raw = make_html(name=f"Example Widgets {company} Inc.", year=year, extra=f"Sales in {year} were {year * 3}. " * 40)
            # Each company has a Commission file number of its own: without it all would be one.
            raw = raw.replace(b"001-04242", f"001-0{4000 + company}".encode())
            (folder / f"{company}-{year}.htm").write_bytes(raw)
    return folder


def rows(address: str, collection: str, fields: list[str]) -> list[dict[str, Any]]:
    from pymilvus import MilvusClient

    client = MilvusClient(uri=address, dedicated=True)
    found: list[dict[str, Any]] = []
    try:
        each = client.query_iterator(collection, batch_size=1000, output_fields=fields, consistency_level="Strong")
        while part := each.next():
            found += part
    finally:
        client.close()
    return found


def assert_holds(address: str, home: Paths, files: list[Path]) -> None:
    """The corpus has every passage of every file once, with its vector, and nothing else; every filing counts as complete."""
    from fin_tui.team import schema

    entries = [parse(file.read_bytes(), file.name, Settings().chunking) for file in files]
    wanted = {chunk.id: chunk.index_text for entry in entries for chunk in entry.chunks}
    found = rows(address, schema.CHUNKS, ["record", "dense"])
    chunks = [json.loads(row["record"]) for row in found]
    counts = Counter(chunk["id"] for chunk in chunks)
    assert {id for id, count in counts.items() if count > 1} == set()
    assert {chunk["id"]: chunk["index_text"] for chunk in chunks} == wanted
    encoder = load_encoder(Settings().encoder, home)
    some = found[:: max(1, len(found) // 20)]
    made = encoder.encode_passages([json.loads(row["record"])["index_text"] for row in some])
    stored = np.array([row["dense"] for row in some], np.float32)
    assert np.sum(made * stored, axis=1).min() > 0.98
    facts = rows(address, schema.FACTS, ["key"])
    assert len(facts) == len({row["key"] for row in facts}) == sum(len(entry.document.facts) for entry in entries)
    records = [json.loads(row["data"]) for row in rows(address, schema.FILINGS, ["kind", "data"]) if row["kind"] == "record"]
    assert {record["filing"]["file"] for record in records} == {file.name for file in files}
    assert {record["state"] for record in records} == {"complete"}


def test_a_folder_gets_in_once_and_what_fails_is_told(home: Paths, server: str, tmp_path: Path) -> None:
    folder = filings(tmp_path / "filings", range(2020, 2023))
    good = sorted(folder.glob("*.htm"))
    (folder / "empty.htm").write_bytes(b"")
    (folder / "report.htm").write_bytes(make_html(form="10-Q"))
    failed = tmp_path / "failed.txt"
    done = run(home, folder, server, "--failed", str(failed))
    assert done.returncode == 1, done.stderr
    assert "2 of 5 files could not be added" in done.stderr
    report = json.loads(done.stdout)
    assert {added["file"] for added in report["added"]} == {file.name for file in good}
    assert {Path(one["path"]).name: one["message"] for one in report["failed"]} == {
        "empty.htm": "empty.htm is empty",
        "report.htm": "report.htm is a 10-Q, not a 10-K",
    }
    assert report["passages"]["added"] == report["passages"]["complete"] == report["passages"]["total"] > 0
    assert_holds(server, home, good)

    # What failed is a list of its own; with --force one of the two gets in.
    again = run(home, failed, server, "--force")
    assert again.returncode == 1
    report = json.loads(again.stdout)
    assert [added["file"] for added in report["added"]] == ["report.htm"]
    assert [Path(one["path"]).name for one in report["failed"]] == ["empty.htm"]


def test_kills_leave_nothing_double_and_the_next_run_completes(home: Paths, server: str, tmp_path: Path) -> None:
    folder = filings(tmp_path / "filings", range(2016, 2022), companies=2)
    files = sorted(folder.glob("*.htm"))

    driver = Family(words(home, folder, server), {})
    _wait(lambda: complete(server) >= 2, driver)
    assert driver.kill("parent")
    assert driver.end(120) == [], "Ray goes on without the one that started it"
    assert 2 <= complete(server) < len(files)

    second = Family(words(home, folder, server), {})
    begun = complete(server)
    _wait(lambda: complete(server) > begun, second)
    killed = _kill_workers(second)
    assert killed, "no worker was found"
    assert second.process.wait(_RUN_SECONDS) == 0, second.errors
    assert second.end(120) == []
    assert complete(server) == len(files)
    assert_holds(server, home, files)

    left = {folder.name for folder in _scratch_folders() if f"-{driver.process.pid}-" in folder.name}
    assert left == set(), "the next run clears up behind the one that was killed"

    third = run(home, folder, server)
    assert third.returncode == 0, third.stderr
    assert len(json.loads(third.stdout)["skipped"]) == len(files)
    assert_holds(server, home, files)


def _scratch_folders() -> list[Path]:
    return list(Path(tempfile.gettempdir()).glob("fin-tui-ray-*"))


def complete(address: str) -> int:
    """Filings of which the corpus has all."""
    from pymilvus.exceptions import MilvusException

    from fin_tui.team import schema

    with contextlib.suppress(MilvusException):
        found = rows(address, schema.FILINGS, ["kind", "data"])
        return sum(1 for row in found if row["kind"] == "record" and json.loads(row["data"])["state"] == "complete")
    return 0


def _wait(until: Callable[[], bool], family: Family) -> None:
    deadline = time.monotonic() + _RUN_SECONDS
    while not until():
        assert family.process.poll() is None, f"it ended before its time: {family.errors}"
        assert time.monotonic() < deadline, f"nothing happened: {family.errors}"
        time.sleep(1)


def _kill_workers(family: Family) -> list[str]:
    """SIGKILL to one worker of each kind: who reads or prepares, who embeds, who stores."""
    killed: list[str] = []
    for pid in family.members():
        with contextlib.suppress(OSError):
            title = Path(f"/proc/{pid}/cmdline").read_bytes().split(b"\0")[0].decode()
            kind = next((kind for kind in ("Embedder", "Shelf", "read", "ready") if f"ray::{kind}" in title), "")
            if kind and kind not in killed:
                os.kill(pid, signal.SIGKILL)
                killed.append(kind)
    return killed


def test_no_ray_at_the_address_is_told_at_once(home: Paths, tmp_path: Path) -> None:
    needs("ray")
    folder = filings(tmp_path / "filings", range(2020, 2021))
    done = run(home, folder, "http://127.0.0.1:9", "--ray", "127.0.0.1:9")
    assert done.returncode == 1
    assert "There is no Ray at 127.0.0.1:9" in done.stderr
    assert "ray start --head" in done.stderr


def test_offline_it_says_why_not(home: Paths, tmp_path: Path) -> None:
    folder = filings(tmp_path / "filings", range(2020, 2021))
    offline = [
        "-m",
        "fin_tui",
        "--home",
        str(home.home),
        "--offline",
        "ingest-corpus",
        str(folder),
        "--corpus",
        "http://127.0.0.1:9",
    ]
    done = subprocess.run([sys.executable, *offline], capture_output=True, text=True, check=False, cwd=CHECKOUT)
    assert done.returncode == 1
    assert "ingest-corpus needs the network, and offline mode is on" in done.stderr
