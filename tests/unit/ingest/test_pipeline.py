from __future__ import annotations

import datetime as dt
from collections.abc import Sequence
from pathlib import Path
from threading import Timer

import numpy as np
import pytest

from fin_tui.config import Chunking, Settings
from fin_tui.errors import FinTuiError, UsageError
from fin_tui.ingest import Added, Corrections, Embedded, FailedFile, Outcome, Skipped, pipeline
from fin_tui.ingest.pipeline import add_files, edit, embed_all, embed_missing, reindex
from fin_tui.paths import Paths
from fin_tui.records import Progress, Scope
from fin_tui.store.database import answering, one_at_a_time
from fin_tui.store.library import Library
from tests.unit.ingest.made import HashingEncoder, make_html

SETTINGS = Settings()


def _write(folder: Path, name: str, raw: bytes) -> Path:
    path = folder / name
    path.write_bytes(raw)
    return path


def _settled(outcomes: list[Outcome]) -> list[Outcome]:
    return [outcome for outcome in outcomes if not isinstance(outcome, Progress)]


def _add(library: Library, *files: Path, corrections: Corrections = Corrections(), force: bool = False) -> list[Outcome]:  # noqa: B008
    return _settled(list(add_files(library, SETTINGS, files, corrections, force=force)))


def test_a_file_becomes_a_searchable_filing(library: Library, tmp_path: Path) -> None:
    raw = make_html()
    (added,) = _add(library, _write(tmp_path, "example.htm", raw))
    assert isinstance(added, Added)
    filing = added.filing
    assert (filing.file, filing.company, filing.form) == ("example.htm", "Example Widgets Inc.", "10-K")
    assert (filing.fiscal_year, filing.period_end) == (2023, dt.date(2023, 12, 31))
    assert {"1", "1A", "7", "8"} <= set(filing.items)
    assert filing.chunks == len(library.chunk_keys(Scope())) > 0
    assert library.original(filing.id) == raw
    (risk,) = [chunk for chunk, _ in library.chunks_by_keys(library.chunk_keys(Scope(items=("1A",))).tolist())][:1]
    assert "outsourcing partners" in risk.text
    assert library.text(filing.id)[risk.start : risk.end] == risk.text


def test_every_file_gets_one_outcome_and_a_bad_one_stops_nothing(library: Library, tmp_path: Path) -> None:
    good, bad = _write(tmp_path, "a.htm", make_html()), _write(tmp_path, "b.htm", b"\x00\x01\x02\xff" * 999)
    files = [bad, _write(tmp_path, "empty.htm", b""), good, _write(tmp_path, "c.htm", make_html()), tmp_path / "none.htm"]
    outcomes = list(add_files(library, SETTINGS, files))
    assert [type(outcome).__name__ for outcome in _settled(outcomes)] == [
        "FailedFile",
        "FailedFile",
        "Added",
        "Skipped",
        "FailedFile",
    ]
    (skipped,) = [outcome for outcome in outcomes if isinstance(outcome, Skipped)]
    assert skipped.why == f"the same bytes as {good}"
    stages = [outcome for outcome in outcomes if isinstance(outcome, Progress)]
    assert [(step.done, step.total, step.label) for step in stages][2:] == [
        (2, 5, "a.htm"),
        (3, 5, "c.htm"),
        (4, 5, "none.htm"),
        (5, 5, ""),
    ]
    assert len(library.filings()) == 1


def test_the_same_file_again_is_skipped_without_being_read(
    library: Library, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = _write(tmp_path, "a.htm", make_html())
    (added,) = _add(library, path)
    monkeypatch.setattr(pipeline, "parse", lambda *args: pytest.fail("read again"))
    (again,) = _add(library, path)
    assert isinstance(added, Added)
    assert isinstance(again, Skipped)
    assert again.filing == added.filing


def test_a_changed_file_replaces_its_passages(library: Library, tmp_path: Path) -> None:
    _add(library, _write(tmp_path, "a.htm", make_html()))
    (added,) = _add(library, _write(tmp_path, "a.htm", make_html(extra="A third factory was bought.")))
    assert isinstance(added, Added)
    assert added.replaced is not None
    assert len(library.filings()) == 1
    texts = [text for _, text in library.index_texts()]
    assert any("third factory" in text for text in texts)
    assert len(texts) == added.filing.chunks


@pytest.mark.parametrize("form", ["10-Q", "10-KSB", "8-K"])
def test_another_form_is_named_and_left_out(library: Library, tmp_path: Path, form: str) -> None:
    path = _write(tmp_path, "a.htm", make_html(form=form))
    (failed,) = _add(library, path)
    assert isinstance(failed, FailedFile)
    assert f"is a {form}, not a 10-K" in failed.message
    assert "--force" in failed.hint
    assert library.filings() == ()
    (forced,) = _add(library, path, force=True)
    assert isinstance(forced, Added)
    assert forced.filing.form == form


def test_what_is_no_filing_at_all_is_left_out(library: Library, tmp_path: Path) -> None:
    page = b"<html><body><p>Boil the potatoes for twenty minutes, then drain them.</p></body></html>"
    (failed,) = _add(library, _write(tmp_path, "recipe.htm", page))
    assert isinstance(failed, FailedFile)
    assert "neither the cover nor the Items of a 10-K" in failed.message


def test_a_report_without_a_cover_is_known_by_its_items(library: Library, tmp_path: Path) -> None:
    raw = make_html()
    coverless = b"<html><body>" + raw[raw.index(b"<p><b>Item 1.") :]
    (added,) = _add(
        library, _write(tmp_path, "a.htm", coverless), corrections=Corrections(company="Example", period_end="2023-12-31")
    )
    assert isinstance(added, Added)
    assert (added.filing.form, added.filing.company, added.filing.period_end) == ("10-K", "Example", dt.date(2023, 12, 31))
    assert any("cover" in warning for warning in added.filing.warnings)


def test_a_defect_of_a_reader_is_one_line_too(library: Library, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def broken(*args: object) -> None:
        raise RecursionError("maximum recursion depth exceeded")

    monkeypatch.setattr(pipeline, "parse", broken)
    (failed,) = _add(library, _write(tmp_path, "a.htm", make_html()))
    assert isinstance(failed, FailedFile)
    assert failed.message == "a.htm can't be read: RecursionError: maximum recursion depth exceeded"


def test_trouble_with_the_library_itself_stops_all(library: Library, paths: Paths, tmp_path: Path) -> None:
    files = [_write(tmp_path, f"{year}.htm", make_html(year=year)) for year in (2022, 2023)]
    with (
        Library.open(paths, busy_seconds=0.05) as other,
        library._database.write(),
        pytest.raises(FinTuiError, match="is locked"),
    ):
        list(add_files(other, SETTINGS, files))


def test_cancelling_stops_between_files(library: Library, tmp_path: Path) -> None:
    files = [_write(tmp_path, f"{year}.htm", make_html(year=year)) for year in (2021, 2022, 2023)]
    outcomes = list(add_files(library, SETTINGS, files, cancelled=lambda: len(library.filings()) == 2))
    assert len([outcome for outcome in outcomes if isinstance(outcome, Added)]) == 2


def test_an_edit_reaches_the_headers_and_outlasts_a_reindex(library: Library, tmp_path: Path) -> None:
    _add(library, _write(tmp_path, "a.htm", make_html()))
    (filing,) = library.filings()
    changed = edit(library, SETTINGS, filing, Corrections(company="Renamed Corp.", ticker="RNM"))
    assert (changed.id, changed.company, changed.ticker) == (filing.id, "Renamed Corp.", "RNM")
    assert all("Renamed Corp." in chunk.header for chunk in library.chunks.of_filing(filing.id))
    changed = edit(library, SETTINGS, changed, Corrections(year="2024"))
    (again,) = _settled(list(reindex(library, SETTINGS, [changed])))
    assert isinstance(again, Added)
    assert (again.filing.company, again.filing.ticker, again.filing.fiscal_year) == ("Renamed Corp.", "RNM", 2024)
    assert again.filing.id == filing.id


def test_an_edit_to_a_held_identity_is_refused(library: Library, tmp_path: Path) -> None:
    _add(library, *(_write(tmp_path, f"{year}.htm", make_html(year=year)) for year in (2022, 2023)))
    first = library.resolve("2022.htm")
    with pytest.raises(UsageError, match="already is the 10-K"):
        edit(library, SETTINGS, first, Corrections(period_end="2023-12-31"))


def test_a_reindex_cuts_by_the_settings_of_now(library: Library, tmp_path: Path) -> None:
    _add(library, _write(tmp_path, "a.htm", make_html(extra="A factory was bought. " * 60)))
    before = library.filings()[0]
    smaller = Settings(chunking=Chunking(size=40, overlap=0))
    (again,) = _settled(list(reindex(library, smaller, [before])))
    assert isinstance(again, Added)
    assert again.filing.chunks > before.chunks
    assert library.records.provenance(before.id).parsed_by != ""
    assert len(library.chunk_keys(Scope())) == again.filing.chunks


def test_a_forced_form_survives_a_reindex(library: Library, tmp_path: Path) -> None:
    _add(library, _write(tmp_path, "a.htm", make_html(form="10-Q")), force=True)
    (again,) = _settled(list(reindex(library, SETTINGS, library.filings())))
    assert isinstance(again, Added)
    assert again.filing.form == "10-Q"


def _fill(library: Library, folder: Path, *years: int) -> None:
    for year in years:
        (folder / f"{year}.htm").write_bytes(make_html(year=year))
    list(add_files(library, Settings(), [folder / f"{year}.htm" for year in years]))


def test_every_passage_gets_its_own_vector(library: Library, paths: Paths, tmp_path: Path) -> None:
    _fill(library, tmp_path, 2022, 2023)
    encoder = HashingEncoder()
    steps = list(embed_missing(paths, library, encoder, 3))
    keys = library.chunk_keys(Scope())
    assert steps[-1].done == steps[-1].total == len(keys)
    assert [step.done for step in steps] == sorted({step.done for step in steps})
    matrix = library.vectors(encoder.name, keys.tolist())
    wanted = encoder.encode_passages([text for _, text in library.index_texts()])
    assert np.abs(matrix - wanted).max() < 1e-3


def test_it_goes_on_where_it_was_stopped(library: Library, paths: Paths, tmp_path: Path) -> None:
    _fill(library, tmp_path, 2023)
    seen: list[str] = []
    encoder = HashingEncoder(seen.extend)
    first = next(embed_missing(paths, library, encoder, 2))
    assert first.done == 2
    list(embed_missing(paths, library, encoder, 2))
    assert len(seen) == len(set(seen)) == first.total
    assert list(embed_missing(paths, library, encoder, 2)) == []


def test_the_most_recent_filing_is_embedded_first(
    library: Library, paths: Paths, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    _fill(library, tmp_path, 2021, 2023)
    newest = library.resolve("2023.htm")
    monkeypatch.setattr(pipeline, "WINDOW", 4)
    next(embed_missing(paths, library, HashingEncoder(), 4))
    embedded = {chunk.filing for chunk, _ in library.chunks_by_keys(library.vector_keys(HashingEncoder.name).tolist())}
    assert embedded == {newest.id}


def test_a_filing_removed_meanwhile_does_no_harm(library: Library, paths: Paths, tmp_path: Path) -> None:
    _fill(library, tmp_path, 2023)

    def remove(texts: Sequence[str]) -> None:
        library.remove([filing.id for filing in library.filings()])

    list(embed_missing(paths, library, HashingEncoder(remove), 2))
    assert library.filings() == ()


def test_it_waits_while_an_answer_is_made(library: Library, paths: Paths, tmp_path: Path) -> None:
    _fill(library, tmp_path, 2023)
    calls: list[bool] = []
    cancelled: list[bool] = []
    with answering(paths):
        timer = Timer(0.2, lambda: cancelled.append(True))
        timer.start()
        steps = list(embed_missing(paths, library, HashingEncoder(lambda texts: calls.append(True)), 2, lambda: bool(cancelled)))
        timer.join()
    assert steps == []
    assert calls == []


def test_without_weights_it_says_so_and_words_still_find(library: Library, paths: Paths, tmp_path: Path) -> None:
    _fill(library, tmp_path, 2023)
    *steps, last = list(embed_all(paths, library, Settings()))
    assert isinstance(last, Embedded)
    assert last.done == 0
    assert len(steps) == 1  # The rows of its figures need no other weights than the package's own.
    assert last.total == len(library.chunk_keys(Scope()))
    assert "bge-small-en" in last.note


def test_one_process_embeds_at_a_time(library: Library, paths: Paths, tmp_path: Path) -> None:
    _fill(library, tmp_path, 2023)
    with one_at_a_time(paths.data / "embedding.lock"):
        (last,) = list(embed_all(paths, library, Settings()))
    assert isinstance(last, Embedded)
    assert last.note == "another process is making vectors"
