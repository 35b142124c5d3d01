from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from fin_tui.config import Settings
from fin_tui.paths import Paths
from fin_tui.records import Scope
from fin_tui.retrieval import dense, indexes
from fin_tui.retrieval.indexes import CURRENT, Indexes, current_folder, writer_lock
from fin_tui.retrieval.tokens import tokenize_query
from tests.unit.retrieval.fakes import MemoryCorpus, WordEncoder, make_filing

ENCODER = WordEncoder()
TOPICS = "leases tariffs dividends inventory patents litigation pensions goodwill currency hedging".split()
TEXTS = [f"Note {n} explains {topic} and {TOPICS[(n + 3) % 10]} in year {2000 + n}." for n, topic in enumerate(TOPICS * 4)]


@pytest.fixture
def paths(tmp_path: Path) -> Paths:
    return Paths(tmp_path)


@pytest.fixture
def corpus() -> MemoryCorpus:
    corpus = MemoryCorpus()
    corpus.add(make_filing(1), TEXTS[:20])
    corpus.add(make_filing(2), TEXTS[20:30])
    corpus.embed(ENCODER)
    return corpus


def open_indexes(paths: Paths, corpus: MemoryCorpus, encoder: str = ENCODER.name) -> Indexes:
    return Indexes(paths, corpus, Settings(), encoder=encoder)


def answers(made: Indexes, query: str = "dividends and patents", scope: Scope | None = None) -> tuple[list[object], list[object]]:
    """Sparse and dense keys and scores."""
    snapshot = made.snapshot()
    allowed = made._library.chunk_keys(scope) if scope else None
    words = snapshot.search_sparse(tokenize_query(query), allowed, 8)
    near = snapshot.search_dense(ENCODER.encode_query(query), allowed, 8)
    return (
        [words[0].tolist(), np.round(words[1], 4).tolist()],
        [near[0].tolist(), np.round(near[1], 4).tolist()],
    )


def test_words_are_found_before_anything_was_written_or_embedded(paths: Paths, corpus: MemoryCorpus) -> None:
    made = open_indexes(paths, corpus, "another encoder")
    key = corpus.add(make_filing(3), ["The zeppelin division was sold."])
    snapshot = made.snapshot()
    assert snapshot.search_sparse(["zeppelin"], None, 5)[0].tolist() == key
    assert snapshot.embedded(None) == 0
    assert len(snapshot.search_dense(ENCODER.encode_query("zeppelin"), None, 5)[0]) == 0


def test_a_written_generation_answers_the_same_without_reading_texts(paths: Paths, corpus: MemoryCorpus) -> None:
    first = open_indexes(paths, corpus)
    expected = answers(first)
    assert first.write()
    corpus.texts_read = 0
    second = open_indexes(paths, corpus)
    assert answers(second) == expected
    assert corpus.texts_read == 0


def test_writing_again_with_nothing_new_writes_nothing(paths: Paths, corpus: MemoryCorpus) -> None:
    made = open_indexes(paths, corpus)
    assert made.write()
    before = current_folder(paths.index)
    assert not made.write()
    assert not open_indexes(paths, corpus).write()
    assert current_folder(paths.index) == before


def test_what_came_and_went_since_is_right_and_equals_a_clean_build(paths: Paths, corpus: MemoryCorpus, tmp_path: Path) -> None:
    made = open_indexes(paths, corpus)
    made.write()
    corpus.remove([2, 3, 14, 25])
    corpus.add(make_filing(3), TEXTS[30:])
    corpus.embed(ENCODER)
    corpus.texts_read = 0
    grown = answers(made)
    assert corpus.texts_read == 10
    clean = answers(open_indexes(Paths(tmp_path / "other"), corpus))
    assert grown == clean
    assert made.write()
    assert answers(made) == clean
    assert answers(open_indexes(paths, corpus)) == clean


def test_vectors_that_the_library_lost_are_not_searched_until_they_are_made_again(
    paths: Paths, corpus: MemoryCorpus, tmp_path: Path
) -> None:
    open_indexes(paths, corpus).write()
    whole = answers(open_indexes(paths, corpus))
    corpus.forget_vectors(ENCODER.name, range(1, 9))
    made = open_indexes(paths, corpus)
    assert answers(made) == answers(open_indexes(Paths(tmp_path / "other"), corpus)) != whole
    assert made.snapshot().embedded(None) == 22
    assert set(made.snapshot().without_vector(np.arange(1, 31)).tolist()) == set(range(1, 9))
    corpus.embed(ENCODER)
    assert answers(made) == whole


def test_a_scope_is_searched_before_the_top_k(paths: Paths, corpus: MemoryCorpus) -> None:
    made = open_indexes(paths, corpus)
    allowed = set(corpus.chunk_keys(Scope(filings=("filing-2",))).tolist())
    words, near = answers(made, scope=Scope(filings=("filing-2",)))
    assert len(near[0]) == 8  # type: ignore[arg-type]
    assert set(near[0]) <= allowed  # type: ignore[call-overload]
    assert words[0]
    assert set(words[0]) <= allowed  # type: ignore[call-overload]


def test_another_reader_picks_up_what_a_writer_swapped_in(paths: Paths, corpus: MemoryCorpus) -> None:
    reader, writer = open_indexes(paths, corpus), open_indexes(paths, corpus)
    expected = answers(reader)
    writer.write()
    assert answers(reader) == expected
    assert reader._loaded == current_folder(paths.index) is not None
    corpus.add(make_filing(3), ["A zeppelin was sold."])
    writer.write()
    assert reader.snapshot().search_sparse(["zeppelin"], None, 3)[0].tolist() == [31]
    assert reader._missing() == 0


def test_many_small_additions_stay_few_segments(paths: Paths, corpus: MemoryCorpus, tmp_path: Path) -> None:
    made = open_indexes(paths, corpus)
    made.write()
    for n in range(20):
        corpus.add(make_filing(10 + n), [f"Addition {n} speaks of patents.", "And of leases."])
        corpus.embed(ENCODER)
        made.snapshot()
    assert len(made.snapshot().segments) < 9
    assert len(made.snapshot().vectors) < 9
    assert answers(made) == answers(open_indexes(Paths(tmp_path / "other"), corpus))


@pytest.mark.parametrize("damage", ["missing", "cut", "flipped", "manifest", "pointer", "all gone", "extra"])
def test_a_damaged_generation_is_never_searched_and_is_written_anew(paths: Paths, corpus: MemoryCorpus, damage: str) -> None:
    made = open_indexes(paths, corpus)
    expected = answers(made)
    made.write()
    folder = current_folder(paths.index)
    assert folder is not None
    vectors = folder / "vectors.npy"
    if damage == "missing":
        vectors.unlink()
    elif damage == "cut":
        vectors.write_bytes(vectors.read_bytes()[:-7])
    elif damage == "flipped":
        raw = bytearray(vectors.read_bytes())
        raw[-5] ^= 0x40
        vectors.write_bytes(bytes(raw))
    elif damage == "manifest":
        (folder / "manifest.json").write_text("{}")
    elif damage == "pointer":
        (paths.index / CURRENT).write_text("../elsewhere")
    elif damage == "all gone":
        (paths.index / CURRENT).unlink()
    else:
        (folder / "unknown.bin").write_bytes(b"?")
    mended = open_indexes(paths, corpus)
    assert answers(mended) == expected
    assert mended.write()
    corpus.texts_read = 0
    assert answers(open_indexes(paths, corpus)) == expected
    assert corpus.texts_read == 0


def test_an_index_of_another_library_is_not_searched(paths: Paths, corpus: MemoryCorpus) -> None:
    open_indexes(paths, corpus).write()
    other = MemoryCorpus()
    other.add(make_filing(7), ["A zeppelin was sold."] * 30)
    other._changes = 99
    found = open_indexes(paths, other).snapshot().search_sparse(["zeppelin"], None, 50)
    assert len(found[0]) == 30


def test_an_index_from_a_later_state_of_the_library_is_not_searched(paths: Paths, corpus: MemoryCorpus) -> None:
    open_indexes(paths, corpus).write()
    corpus._changes -= 1
    made = open_indexes(paths, corpus)
    made.snapshot()
    assert made._generation is None


def test_vectors_of_another_encoder_are_left_aside(paths: Paths, corpus: MemoryCorpus) -> None:
    open_indexes(paths, corpus).write()
    other = WordEncoder("words@2", 16)
    made = open_indexes(paths, corpus, other.name)
    assert made.snapshot().embedded(None) == 0
    corpus.embed(other)
    keys, _ = made.snapshot().search_dense(other.encode_query("leases"), None, 5)
    assert len(keys) == 5
    assert made.write()
    assert open_indexes(paths, corpus, other.name).snapshot().embedded(None) == 30


def test_only_one_process_writes_at_a_time(paths: Paths, corpus: MemoryCorpus) -> None:
    made = open_indexes(paths, corpus)
    with writer_lock(paths.index) as is_ours:
        assert is_ours
        assert not made.write()
    assert made.write()


def test_a_reader_writes_when_too_much_is_missing(paths: Paths, corpus: MemoryCorpus, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(indexes, "DELTA", 25)
    open_indexes(paths, corpus).snapshot()
    assert current_folder(paths.index) is not None


def test_a_full_disk_leaves_the_old_generation(paths: Paths, corpus: MemoryCorpus, monkeypatch: pytest.MonkeyPatch) -> None:
    made = open_indexes(paths, corpus)
    made.write()
    before = current_folder(paths.index)
    corpus.add(make_filing(3), ["A zeppelin was sold."])

    def full(*_: object, **__: object) -> None:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr("fin_tui.retrieval.indexes.publish", full)
    with pytest.raises(OSError, match="No space"):
        made.write()
    assert current_folder(paths.index) == before
    assert [path.name for path in paths.index.glob("generation-*")] == [before.name if before else ""]
    assert made.snapshot().search_sparse(["zeppelin"], None, 3)[0].tolist() == [31]


def test_a_large_library_is_searched_through_a_graph_that_grows(
    paths: Paths, corpus: MemoryCorpus, monkeypatch: pytest.MonkeyPatch
) -> None:
    expected = answers(open_indexes(paths, corpus))
    monkeypatch.setattr(dense, "SMALLEST_GRAPH", 10)
    open_indexes(paths, corpus).write()
    made = open_indexes(paths, corpus)
    assert answers(made) == expected
    graph = made.snapshot().vectors[0].graph
    assert graph is not None
    assert len(graph) == 30
    new = corpus.add(make_filing(3), TEXTS[30:])
    corpus.embed(ENCODER, new)
    grown = answers(made)
    assert made.write()
    graph = made.snapshot().vectors[0].graph
    assert graph is not None
    assert len(graph) == 40
    assert answers(made) == grown
    corpus.remove([1, 2, 3])
    after = answers(made)
    assert not {1, 2, 3} & set(after[1][0])  # type: ignore[call-overload]
    assert made.write()
    assert answers(made) == after


def test_old_generations_are_removed(paths: Paths, corpus: MemoryCorpus) -> None:
    made = open_indexes(paths, corpus)
    for n in range(3):
        corpus.add(make_filing(10 + n), [f"Text {n}"])
        made.write()
    assert len(list(paths.index.glob("generation-*"))) == 1


def test_an_emptied_library_is_empty(paths: Paths, corpus: MemoryCorpus) -> None:
    made = open_indexes(paths, corpus)
    made.write()
    corpus.remove(list(corpus.chunks))
    assert answers(made) == ([[], []], [[], []])
    made.write()
    assert answers(open_indexes(paths, corpus)) == ([[], []], [[], []])
