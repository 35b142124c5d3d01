"""What must be true of a library after anything: whole, nothing lost that was reported, searched as if built anew."""

from __future__ import annotations

import hashlib
import tempfile
from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path

from fin_tui.config import Settings
from fin_tui.paths import Paths
from fin_tui.records import Scope
from fin_tui.retrieval.encoder import Encoder, encoder_name
from fin_tui.retrieval.indexes import Indexes
from fin_tui.retrieval.tokens import tokenize_query
from fin_tui.store.library import Library
from tests.faults.filings import QUERIES

Ranking = tuple[str, dict[str, float]]
"""How it was searched ("words", "meaning", "nearest"), and the score of each chunk that was found."""
_SAME = 1e-4
_SAME_TEXT = 0.05
"""Cosines of one text differ by what stood beside it in its batch: the encoder's numbers are quantised."""
_NEAREST = 10


@dataclass
class Promises:
    """What was reported as done and must be there."""

    filings: set[str] = field(default_factory=set)
    vectors: int = 0
    turns: dict[tuple[str, int], str] = field(default_factory=dict)
    """Conversation and ordinal -> hash of the answer."""
    conversations: set[str] = field(default_factory=set)

    def hear(self, said: Sequence[Sequence[str]]) -> None:
        """Take in the reports of one run."""
        for word, *rest in said:
            match word, rest:
                case "filing", [name]:
                    self.filings.add(name)
                case "removing", [name]:
                    # Whether it is gone is open until it is reported as added again; its vectors stay by content.
                    self.filings.discard(name)
                    self.vectors = 0
                case "vectors", [count]:
                    self.vectors = max(self.vectors, int(count))
                case "conversation", [name]:
                    self.conversations.add(name)
                case "turn", [name, ordinal, digest]:
                    self.turns[name, int(ordinal)] = digest


def assert_whole(library: Library) -> None:
    """Every filing has all its parts, and nothing is left of any other."""
    database = library._database
    assert database.rows("PRAGMA integrity_check")[0][0] == "ok"
    assert database.rows("PRAGMA foreign_key_check") == []
    filings = library.filings()
    for filing in filings:
        chunks = library.chunks.of_filing(filing.id)
        assert len(chunks) == filing.chunks > 0
        document = library.document(filing.id)
        assert len(document.facts) == filing.facts
        assert all(document.text[chunk.start : chunk.end] == chunk.text for chunk in chunks)
        provenance = library.records.provenance(filing.id)
        assert hashlib.sha256(library.original(filing.id)).hexdigest() == provenance.sha256
    assert sum(filing.chunks for filing in filings) == len(library.chunk_keys(Scope()))


def assert_kept(library: Library, promises: Promises, encoder: str) -> None:
    """Nothing that was reported is lost."""
    held = {filing.id for filing in library.filings()}
    assert promises.filings <= held, f"lost: {promises.filings - held}"
    done, _ = library.embeddings.progress(encoder)
    assert done >= promises.vectors, f"{done} vectors, {promises.vectors} were reported"
    assert promises.conversations <= {conversation.id for conversation in library.conversations.all()}
    for (conversation, ordinal), digest in promises.turns.items():
        turns = {turn.ordinal: turn for turn in library.conversations.turns(conversation)}
        assert hashlib.sha256(turns[ordinal].answer.answer.encode()).hexdigest() == digest


def rankings(paths: Paths, library: Library, settings: Settings, encoder: Encoder | None, name: str) -> list[Ranking]:
    """For each query all chunks that words find and all that meaning finds, with their scores."""
    snapshot = Indexes(paths, library, settings, encoder=name).snapshot()
    everything = len(snapshot.alive)
    found = []
    for query in QUERIES:
        results = [("words", snapshot.search_sparse(tokenize_query(query), None, everything))]
        if encoder is not None:
            vector = encoder.encode_query(query)
            results.append(("meaning", snapshot.search_dense(vector, snapshot.alive, everything)))
            results.append(("nearest", snapshot.search_dense(vector, None, _NEAREST)))
        for how, (keys, scores) in results:
            names = library.chunk_ids(keys.tolist())
            found.append((how, {names[int(key)]: float(score) for key, score in zip(keys, scores, strict=True)}))
    return found


def assert_searches_as_built_anew(paths: Paths, library: Library, settings: Settings, encoder: Encoder | None) -> None:
    """What stands on the disk and what is read from the library without any index give the same."""
    name = encoder.name if encoder else encoder_name(settings.encoder, paths) or ""
    on_disk = rankings(paths, library, settings, encoder, name)
    with tempfile.TemporaryDirectory() as empty:
        anew = rankings(Paths(Path(empty)), library, settings, encoder, name)
    assert_same_answers(on_disk, anew)


def assert_same_answers(one: list[Ranking], other: list[Ranking]) -> None:
    """The rankings of one library, found in different ways."""
    _assert_same(one, other, _SAME)


def assert_equal_libraries(one: list[Ranking], other: list[Ranking]) -> None:
    """The rankings of two libraries with the same filings, vectors made in other batches."""
    _assert_same(one, other, _SAME_TEXT)


def _assert_same(one: list[Ranking], other: list[Ranking], tolerance: float) -> None:
    """The same chunks with the same scores. Which are the nearest ten may turn on the last digits where vectors differ."""
    assert len(one) == len(other)
    for (how, mine), (_, theirs) in zip(one, other, strict=True):
        if how != "nearest" or tolerance == _SAME:
            lone = sorted(set(mine) ^ set(theirs))
            assert not lone, f"{len(lone)} chunks were found by {how} in one and not in the other: {lone[:4]}"
        common = set(mine) & set(theirs)
        furthest = max((abs(mine[name] - theirs[name]) for name in common), default=0.0)
        assert furthest <= (_SAME if how == "words" else tolerance), f"scores by {how} differ by {furthest:.4f}"
