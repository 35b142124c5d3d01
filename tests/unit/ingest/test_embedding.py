from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from threading import Timer

import numpy as np
import pytest

from fin_tui.config import Settings
from fin_tui.ingest import embedding
from fin_tui.ingest.embedding import embed_all, embed_missing
from fin_tui.ingest.job import Embedded
from fin_tui.ingest.pipeline import add_files
from fin_tui.paths import Paths
from fin_tui.records import Scope
from fin_tui.store.database import answering, one_at_a_time
from fin_tui.store.library import Library
from tests.unit.ingest.made import HashingEncoder, make_html


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
    monkeypatch.setattr(embedding, "WINDOW", 4)
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
