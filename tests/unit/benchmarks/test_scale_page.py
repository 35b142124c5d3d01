"""The formulas of docs/scale.md on small numbers, and the page's tables as the script makes them."""

from __future__ import annotations

import json
import math
from dataclasses import replace

import pytest

from benchmarks import scale_formulas as f
from benchmarks.scale_formulas import Counts, Gpu, Rates
from benchmarks.scale_page import EDGAR, GPUS, PAGE, rates, tables, written
from benchmarks.team_rates import RATES

COUNTS = Counts(filings=10, chunks=1000, facts=2000, dimension=4)
KNOWN = Rates(
    parse_s=2.0,
    prepare_s=1.0,
    embed_s=0.1,
    tokens=200.0,
    terms=50.0,
    raw_bytes=1e6,
    chunk_bytes=100.0,
    fact_bytes=10.0,
    piece_bytes=1000.0,
    record_bytes=500.0,
    place_s=0.001,
)


def test_a_graph_has_two_m_links_at_the_bottom() -> None:
    assert f.link_bytes(16) == pytest.approx(4 * 32 + 4 * 17 / 15 + 8)
    assert f.link_bytes(32) > 1.9 * f.link_bytes(16)


@pytest.mark.parametrize(("dimension", "size"), [(384, 2048), (128, 4096 / 5), (1024, 8192), (1500, 8192)])
def test_diskann_fills_sectors(dimension: int, size: float) -> None:
    assert f.disk_vector_bytes(dimension) == size


def test_indexes_take_what_their_kind_keeps() -> None:
    memory = {index: f.index_bytes(index, COUNTS)[0] / COUNTS.chunks for index in f.INDEXES}
    assert memory["FLAT"] == 16
    assert memory["HNSW"] == 16 + f.link_bytes()
    assert memory["HNSW_SQ8"] == 4 + f.link_bytes()
    assert memory["IVF_SQ8"] == 12
    assert memory["DISKANN"] == 4
    assert f.index_bytes("DISKANN", COUNTS)[1] > 0 == f.index_bytes("HNSW", COUNTS)[1]


def test_rows_and_words() -> None:
    assert f.row_bytes(COUNTS, KNOWN) == {"passages": 100_000, "facts": 20_000, "filings": 15_000}
    assert f.word_bytes(COUNTS, KNOWN) == 1000 * 50 * 8
    assert f.stored_bytes(COUNTS, KNOWN) == 135_000 + 1000 * (16 + 400)


@pytest.mark.parametrize(("memory", "expected"), [(1, 1), (75, 1), (76, 2), (750, 10)])
def test_nodes_leave_a_quarter_free(memory: float, expected: int) -> None:
    assert f.nodes(memory, 100) == expected


@pytest.mark.parametrize(("chunks", "expected"), [(1, 1), (200_000_000, 1), (200_000_001, 2)])
def test_shards(chunks: int, expected: int) -> None:
    assert f.shards(replace(COUNTS, chunks=chunks)) == expected


def test_hours_are_those_of_the_slower_side() -> None:
    assert f.stage_seconds(COUNTS, KNOWN) == {"read and cut": 20.0, "vectors": pytest.approx(100.0), "rows": 10.0}
    assert f.hours(COUNTS, KNOWN, cores=2) == pytest.approx(130 / 2 / 3600)
    gpu = Gpu("made", published=1000.0, of="", source="", factor=2.0)
    assert f.gpu_seconds(COUNTS, KNOWN, gpu) == pytest.approx(1000 * 200 / 2000)
    assert f.hours(COUNTS, KNOWN, 2, gpu, 1) == pytest.approx(100 / 3600), "the GPU is slower"
    assert f.hours(COUNTS, KNOWN, 2, gpu, 50) == pytest.approx(15 / 3600), "the processors are"
    assert f.hours(COUNTS, KNOWN, 2, gpu, 0) == f.hours(COUNTS, KNOWN, 2)


def test_rows_a_second() -> None:
    assert f.rows_a_second(COUNTS, 0.5) == pytest.approx(3000 / 43_200)


def test_the_sec_allows_ten_requests_a_second() -> None:
    assert f.download_hours(EDGAR) == pytest.approx(250_000 / 10 / 3600)


def test_every_figure_of_others_has_its_source() -> None:
    for gpu in GPUS:
        assert "/" in gpu.source
        assert gpu.of
        assert math.isclose(gpu.tokens, gpu.published * gpu.factor)


def test_the_page_is_what_the_script_makes() -> None:
    measured = json.loads(RATES.read_text(encoding="utf-8"))
    page = PAGE.read_text(encoding="utf-8")
    assert written(page, tables(measured)) == page, "python -m benchmarks.scale_page"


def test_other_rates_make_another_page() -> None:
    measured = json.loads(RATES.read_text(encoding="utf-8"))
    page = PAGE.read_text(encoding="utf-8")
    slower = {**measured, "embed_s": 2 * measured["embed_s"]}
    changed = [name for name, table in tables(slower).items() if table != tables(measured)[name]]
    assert changed == ["rates", "stages", "hours", "money"]
    assert written(page, tables(slower)) != page
    assert rates(slower).embed_s == 2 * rates(measured).embed_s


def test_a_page_without_the_place_is_refused() -> None:
    with pytest.raises(ValueError, match="no place for rows"):
        written("nothing", {"rows": "| |"})
