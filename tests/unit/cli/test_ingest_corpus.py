"""``ingest-corpus`` on the command line, the work itself replaced; the real one is in tests/integration/test_ingest_corpus.py."""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence
from pathlib import Path

import pytest
from typer.testing import CliRunner

from fin_tui.cli.main import app
from fin_tui.config import Settings
from fin_tui.errors import FinTuiError, UsageError
from fin_tui.ingest import Added, Embedded, FailedFile, Outcome
from fin_tui.ingest.pipeline import parse
from fin_tui.records import Progress
from fin_tui.team import ingest as corpus_run
from fin_tui.team.ingest import Wish
from tests.unit.ingest.made import make_html

URI = "http://127.0.0.1:19530"


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    made = tmp_path / "filings"
    made.mkdir()
    for name in ("a.htm", "b.htm"):
        (made / name).write_bytes(make_html())
    return made


@pytest.fixture
def wishes(monkeypatch: pytest.MonkeyPatch) -> list[Wish]:
    """What was asked; the answer is one filing, one failure."""
    asked: list[Wish] = []

    def run(files: Sequence[Path], wish: Wish) -> Iterator[Outcome]:
        asked.append(wish)
        filing = parse(make_html(), files[0].name, Settings().chunking).filing
        yield Progress("ingest", 0, len(files))
        yield Added(str(files[0]), filing, 1.0)
        yield FailedFile(str(files[1]), "b.htm is \x1b[31mempty", "Look.")
        yield Embedded(filing.chunks, filing.chunks)

    monkeypatch.setattr(corpus_run, "run", run)
    return asked


def test_json_is_all_of_standard_output_and_a_failure_is_exit_code_one(folder: Path, wishes: list[Wish], tmp_path: Path) -> None:
    failed = tmp_path / "failed.txt"
    words = [
        "ingest-corpus",
        str(folder),
        "--corpus",
        URI,
        "--index",
        "hnsw_sq8",
        "--writers",
        "3",
        "--failed",
        str(failed),
        "--json",
    ]
    done = CliRunner().invoke(app, words)
    assert isinstance(done.exception, FinTuiError)
    assert done.exception.exit_code == 1
    assert done.exception.message == "1 of 2 files could not be added; all others are in the corpus"
    document = json.loads(done.stdout)
    assert document["corpus"] == URI
    assert [one["file"] for one in document["added"]] == ["a.htm"]
    assert "\x1b" not in done.stderr
    assert failed.read_text(encoding="utf-8").splitlines() == ["# b.htm is [31mempty", str(folder / "b.htm")]
    (wish,) = wishes
    assert (wish.corpus, wish.index, wish.writers, wish.ray) == (URI, "hnsw_sq8", 3, "")


def test_the_corpus_of_the_settings_is_taken(folder: Path, wishes: list[Wish], monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("FIN_TUI_CORPUS_URI", URI)
    CliRunner().invoke(app, ["ingest-corpus", str(folder)])
    assert [wish.corpus for wish in wishes] == [URI]


CALLS = [([], "Which corpus?"), (["--corpus", "milvus"], "is no address"), (["--corpus", "http://a:b@c:1"], "no name")]


@pytest.mark.parametrize(("more", "said"), CALLS)
def test_a_call_without_an_address_is_refused(folder: Path, wishes: list[Wish], more: list[str], said: str) -> None:
    done = CliRunner().invoke(app, ["ingest-corpus", str(folder), *more])
    assert isinstance(done.exception, UsageError)
    assert said in done.exception.message
    assert wishes == []
