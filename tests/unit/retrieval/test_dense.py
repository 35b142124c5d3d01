from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
from numpy.typing import NDArray

from fin_tui.retrieval import dense
from fin_tui.retrieval.indexes import Snapshot, Vectors


@pytest.fixture(scope="module")
def rows() -> NDArray[np.float32]:
    made = np.random.default_rng(1).standard_normal((600, 24)).astype(np.float32)
    unit: NDArray[np.float32] = made / np.linalg.norm(made, axis=1, keepdims=True)
    return unit


KEYS = np.arange(600, dtype=np.int64) * 3 + 1


@pytest.fixture(scope="module")
def graph(rows: NDArray[np.float32]) -> dense.Graph:
    return dense.build_graph(KEYS, rows, threads=1)


def test_exact_search_is_in_order_and_breaks_ties_by_key() -> None:
    vectors = np.array([[1, 0], [0, 1], [1, 0], [0.6, 0.8]], np.float32)
    keys, scores = dense.exact(np.array([1, 0], np.float32), np.array([7, 8, 9, 10]), vectors, 3)
    assert keys.tolist() == [7, 9, 10]
    assert scores.tolist() == pytest.approx([1, 1, 0.6])


def test_exact_search_of_rows_sees_only_those(rows: NDArray[np.float32]) -> None:
    keys, scores = dense.exact(rows[5], KEYS, rows, 2, np.array([9, 40, 41]))
    assert set(keys.tolist()) <= {KEYS[9], KEYS[40], KEYS[41]}
    assert scores[0] == pytest.approx(max(float(rows[i] @ rows[5]) for i in (9, 40, 41)))


@pytest.mark.parametrize("chosen", [np.arange(100, 2900), np.delete(np.arange(3000), 1500)], ids=["together", "scattered"])
def test_exact_search_of_many_rows_is_that_of_each(chosen: NDArray[np.int64]) -> None:
    vectors = np.random.default_rng(4).standard_normal((3000, 24)).astype(np.float32)
    keys, scores = dense.exact(vectors[7], np.arange(3000) * 2, vectors, 5, chosen)
    cosines = {2 * int(row): float(vectors[row] @ vectors[7]) for row in chosen}
    right = sorted(cosines, key=lambda key: -cosines[key])[:5]
    assert keys.tolist() == right
    assert scores.tolist() == pytest.approx([cosines[key] for key in right], abs=1e-4)


def test_the_graph_finds_nearly_what_exact_search_finds(graph: dense.Graph, rows: NDArray[np.float32]) -> None:
    queries = np.random.default_rng(2).standard_normal((20, 24)).astype(np.float32)
    shared = sum(len(set(graph.search(q, 10)[0]) & set(dense.exact(q, KEYS, rows, 10)[0])) for q in queries)
    assert shared >= 190


def test_asking_the_graph_for_more_than_it_holds_gives_all(graph: dense.Graph, rows: NDArray[np.float32]) -> None:
    assert len(graph.search(rows[0], 5000)[0]) == 600


def test_a_loaded_graph_answers_the_same(tmp_path: Path, graph: dense.Graph, rows: NDArray[np.float32]) -> None:
    graph.save(tmp_path / "graph.bin")
    loaded = dense.load_graph(tmp_path / "graph.bin", dimension=24, count=600)
    assert loaded.search(rows[3], 20)[0].tolist() == graph.search(rows[3], 20)[0].tolist()


def test_an_extended_graph_holds_the_new_rows(tmp_path: Path, graph: dense.Graph, rows: NDArray[np.float32]) -> None:
    graph.save(tmp_path / "graph.bin")
    loaded = dense.load_graph(tmp_path / "graph.bin", dimension=24, count=600)
    new = -rows[:1]
    dense.extend_graph(loaded, np.array([5000]), new, threads=1)
    assert len(loaded) == 601
    assert loaded.search(new[0], 1)[0].tolist() == [5000]


def test_a_graph_of_another_size_is_refused(tmp_path: Path, graph: dense.Graph) -> None:
    graph.save(tmp_path / "graph.bin")
    with pytest.raises(ValueError, match="instead of 599"):
        dense.load_graph(tmp_path / "graph.bin", dimension=24, count=599)


def test_a_graph_of_another_dimension_is_refused(tmp_path: Path, graph: dense.Graph) -> None:
    graph.save(tmp_path / "graph.bin")
    with pytest.raises(ValueError, match="24 numbers instead of 32"):
        dense.load_graph(tmp_path / "graph.bin", dimension=32, count=600)


def test_a_truncated_graph_is_refused(tmp_path: Path, graph: dense.Graph) -> None:
    graph.save(tmp_path / "graph.bin")
    whole = (tmp_path / "graph.bin").read_bytes()
    (tmp_path / "graph.bin").write_bytes(whole[: len(whole) // 2])
    with pytest.raises(ValueError, match=r"graph\.bin"):
        dense.load_graph(tmp_path / "graph.bin", dimension=24, count=600)


def test_what_was_removed_is_never_found_through_the_graph(graph: dense.Graph, rows: NDArray[np.float32]) -> None:
    gone = np.concatenate([KEYS[:40], KEYS[-40:]])
    snapshot = Snapshot(np.setdiff1d(KEYS, gone), vectors=(Vectors(KEYS, rows, graph),))
    for row in (3, 300, 590):
        keys, _ = snapshot.search_dense(rows[row], None, 10)
        left = np.flatnonzero(~np.isin(KEYS, gone))
        right, _ = dense.exact(rows[row], KEYS, rows, 10, left)
        assert not np.isin(keys, gone).any()
        assert len(np.intersect1d(keys, right)) >= 9
    assert snapshot.embedded(None) == len(KEYS) - len(gone)
