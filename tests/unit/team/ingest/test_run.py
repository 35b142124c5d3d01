"""The course of an ingest into a corpus, with a crew that works here and a corpus in memory."""

from __future__ import annotations

from pathlib import Path

import pytest

from fin_tui.errors import FinTuiError
from fin_tui.ingest import Added, FailedFile, Outcome, Skipped
from fin_tui.records import Progress
from fin_tui.team.ingest import ingest
from fin_tui.team.ingest import steps as storing
from fin_tui.team.ingest.steps import Identities, digests
from fin_tui.team.link import CorpusGone
from tests.unit.ingest.made import make_html
from tests.unit.team.ingest.fakes import LocalCrew, MemoryCorpus


def write(folder: Path, **files: bytes) -> list[Path]:
    paths = [folder / f"{name}.htm" for name in files]
    for path, raw in zip(paths, files.values(), strict=True):
        path.write_bytes(raw)
    return paths


def settled(files: list[Path], corpus: MemoryCorpus, crew: LocalCrew | None = None) -> list[Outcome]:
    held = {digest: record for digest, record in corpus.held().items() if record.state == "complete"}
    crew = crew or LocalCrew(corpus, digests(held))
    outcomes = ingest(files, crew, held, Identities(corpus.records.values()))
    return [outcome for outcome in outcomes if not isinstance(outcome, Progress)]


def kinds(outcomes: list[Outcome]) -> list[str]:
    return [type(outcome).__name__ for outcome in outcomes]


def test_every_file_gets_one_outcome_and_a_bad_one_stops_nothing(tmp_path: Path) -> None:
    files = write(tmp_path, bad=b"\x00\x01\x02\xff" * 999, good=make_html(), twin=make_html(), other=make_html(year=2022))
    corpus = MemoryCorpus()
    outcomes = settled([*files, tmp_path / "none.htm"], corpus)
    assert sorted(kinds(outcomes)) == ["Added", "Added", "FailedFile", "FailedFile", "Skipped"]
    (skipped,) = [outcome for outcome in outcomes if isinstance(outcome, Skipped)]
    assert skipped.why == f"the same bytes as {files[1]}"
    assert {filing.file for filing in corpus.filings()} == {"good.htm", "other.htm"}
    assert len(corpus.chunks) == sum(filing.chunks for filing in corpus.filings())


def test_a_second_run_reads_nothing_again(tmp_path: Path) -> None:
    files = write(tmp_path, one=make_html(), two=make_html(year=2022))
    corpus = MemoryCorpus()
    settled(files, corpus)
    rows = dict(corpus.chunks)
    again = settled(files, corpus)
    assert kinds(again) == ["Skipped", "Skipped"]
    assert all("already in the corpus" in outcome.why for outcome in again if isinstance(outcome, Skipped))
    assert corpus.chunks == rows


@pytest.mark.parametrize("newest_first", [False, True])
def test_the_same_files_make_the_same_corpus_whichever_is_read_first(tmp_path: Path, newest_first: bool) -> None:
    files = write(
        tmp_path,
        first=make_html(),
        later=make_html(extra="A third factory was bought."),
        **{f"y{year}": make_html(year=year) for year in range(2015, 2020)},
    )
    corpus = MemoryCorpus()
    crew = LocalCrew(corpus, newest_first=newest_first)
    outcomes = settled(files, corpus, crew)
    assert kinds(outcomes).count("Added") == 7
    assert "first.htm" not in {filing.file for filing in corpus.filings()}, "the later version takes its place"
    assert len(corpus.filings()) == 6
    assert any("third factory" in row for row in corpus.chunks.values())
    assert crew.left() == 0


@pytest.mark.parametrize("newest_first", [False, True])
def test_of_two_versions_the_later_file_counts_however_often_they_are_given(tmp_path: Path, newest_first: bool) -> None:
    files = write(tmp_path, first=make_html(), other=make_html(year=2022), later=make_html(extra="A third factory was bought."))
    corpus = MemoryCorpus()
    for _ in range(3):
        held = digests(digest for digest, record in corpus.held().items() if record.state == "complete")
        outcomes = settled(files, corpus, LocalCrew(corpus, held, newest_first=newest_first))
        assert len(outcomes) == len(files)
        assert {filing.file for filing in corpus.filings()} == {"later.htm", "other.htm"}
        assert any("third factory" in row for row in corpus.chunks.values())
        assert len(corpus.chunks) == sum(filing.chunks for filing in corpus.filings())
    assert kinds(outcomes).count("Skipped") == 1


def test_no_more_is_under_way_than_there_is_room_for(tmp_path: Path) -> None:
    files = write(tmp_path, **{f"y{year}": make_html(year=year) for year in range(2010, 2020)})
    corpus = MemoryCorpus()
    crew = LocalCrew(corpus, room=3)
    assert len(settled(files, corpus, crew)) == 10
    assert crew.most <= 3


def test_a_file_that_ends_its_worker_is_left_out(tmp_path: Path) -> None:
    files = write(tmp_path, one=make_html(), deadly=make_html(year=2021), two=make_html(year=2022))
    corpus = MemoryCorpus()
    crew = LocalCrew(corpus)
    crew.dead = {"deadly.htm"}
    assert sorted(kinds(settled(files, corpus, crew))) == ["Added", "Added", "FailedFile"]


def test_a_server_that_is_gone_ends_all_and_what_was_stored_stays(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(storing, "WAITS", ())
    files = write(tmp_path, **{f"y{year}": make_html(year=year) for year in range(2015, 2020)})
    corpus = MemoryCorpus()

    def before(step: str) -> None:
        if step == "begin" and len(corpus.filings()) == 2:
            raise CorpusGone("The corpus at here does not answer", "See that the server runs.")

    corpus.before = before
    with pytest.raises(CorpusGone, match="does not answer") as caught:
        settled(files, corpus, LocalCrew(corpus, room=1))
    assert "goes on with the rest" in caught.value.hint
    assert len(corpus.filings()) == 2
    corpus.before = lambda step: None
    assert sorted(kinds(settled(files, corpus))) == ["Added"] * 3 + ["Skipped"] * 2


def test_a_half_stored_filing_is_stored_anew(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(storing, "WAITS", ())
    files = write(tmp_path, one=make_html())
    corpus = MemoryCorpus()

    def before(step: str) -> None:
        if len(corpus.chunks) == 3:
            raise CorpusGone("gone")

    corpus.before = before
    with pytest.raises(CorpusGone):
        settled(files, corpus)
    assert corpus.filings() == []
    assert len(corpus.chunks) == 3
    corpus.before = lambda step: None
    (added,) = settled(files, corpus)
    assert isinstance(added, Added)
    assert len(corpus.chunks) == added.filing.chunks


def test_a_filing_that_the_corpus_refuses_is_left_out(tmp_path: Path) -> None:
    files = write(tmp_path, one=make_html(), two=make_html(year=2022))
    corpus = MemoryCorpus()

    def before(step: str) -> None:
        if step == "begin" and not corpus.filings():
            corpus.before = lambda step: None
            raise FinTuiError("The passage is too long")

    corpus.before = before
    outcomes = settled(files, corpus)
    (failed,) = [outcome for outcome in outcomes if isinstance(outcome, FailedFile)]
    assert failed.message == "The passage is too long"
    assert len(corpus.filings()) == 1


def test_cancelling_begins_nothing_new_and_ends_what_is_being_stored(tmp_path: Path) -> None:
    files = write(tmp_path, **{f"y{year}": make_html(year=year) for year in range(2010, 2020)})
    corpus = MemoryCorpus()
    crew = LocalCrew(corpus, room=3)
    outcomes = list(ingest(files, crew, {}, Identities([]), cancelled=lambda: len(corpus.filings()) >= 2))
    added = [outcome for outcome in outcomes if isinstance(outcome, Added)]
    assert 2 <= len(added) == len(corpus.filings()) < 6
    assert len(crew.begun) < 10
    assert crew.left() == 0
