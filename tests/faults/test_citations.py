"""After another reader and other chunking every kept citation finds its quote, or says that it is gone."""

from __future__ import annotations

from pathlib import Path

import pytest

from fin_tui.config import Chunking, Settings
from fin_tui.engine.answering.events import Passage
from fin_tui.engine.evidence import cite
from fin_tui.engine.saved_items import evidence_of, passages_of, trace, with_versions
from fin_tui.filings import reader
from fin_tui.ingest.pipeline import add_files, reindex
from fin_tui.paths import Paths
from fin_tui.records import Answer, Cover, Document, Hit, Ranks, Saved
from fin_tui.store.library import Library
from tests.faults.filings import write_files

FINER = Settings(chunking=Chunking(size=40, overlap=0))
DROPPED = "The two factories stand in Springfield and are owned."


_read = reader.read


def _another_reader(raw: bytes, name: str, known: Cover | None = None) -> Document:
    """Finds words that were missed before, sets marks otherwise, and loses one sentence."""
    changed = raw.replace(b"<body>", b"<body><p>A part that an earlier reader did not see.</p>")
    changed = changed.replace(b", and ", b" \xe2\x80\x94 and ")
    return _read(changed.replace(DROPPED.encode(), b""), name, known)


def _cite_everything(library: Library) -> list[Passage]:
    """Each sentence of each chunk."""
    passages: list[Passage] = []
    for filing in library.filings():
        for chunk in library.chunks.of_filing(filing.id):
            for line in filter(str.strip, chunk.text.replace(". ", ".\n").split("\n")):
                start = chunk.start + chunk.text.index(line)
                citation = cite(len(passages) + 1, Hit(1, chunk, filing, 1.0, Ranks()), start, start + len(line))
                passages.append(Passage(citation, chunk.text, chunk.start, chunk.end, 1.0))
    return passages


def _letters(text: str) -> str:
    return "".join(filter(str.isalnum, text))


def test_kept_quotes_outlast_another_reader_and_other_chunks(
    paths: Paths, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    with Library.open(paths) as library:
        list(add_files(library, Settings(), write_files(tmp_path / "files", 2)))
        passages = _cite_everything(library)
        for passage in passages:
            library.notebook.add(with_versions(Saved("passage", "kept", citations=(passage.citation,)), library))
        before = {filing.id: library.text(filing.id) for filing in library.filings()}
        monkeypatch.setattr(reader, "read", _another_reader)
        list(reindex(library, FINER, library.filings()))
        assert all(library.text(filing) != text for filing, text in before.items())
        traced = trace((entry.saved for entry in library.notebook.all()), library)
        for kept, now in traced.items():
            if DROPPED in kept.quote:
                assert now.place == "gone"
                continue
            assert now.place == "moved", kept.quote
            found = library.text(kept.filing)[now.citation.start : now.citation.end]
            assert _letters(found) == _letters(kept.quote)
        assert sum(now.place == "gone" for now in traced.values()) == len(before)


def test_a_conversation_shows_its_passages_after_both(paths: Paths, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    with Library.open(paths) as library:
        list(add_files(library, Settings(), write_files(tmp_path / "files", 1)))
        passages = _cite_everything(library)[:40]
        answer = Answer("Q", "answered", "A", citations=tuple(passage.citation for passage in passages))
        talk = library.conversations.create()
        library.conversations.append(talk, "Q", answer, {}, evidence_of(passages))
        monkeypatch.setattr(reader, "read", _another_reader)
        list(reindex(library, FINER, library.filings()))
        (turn,) = library.conversations.turns(talk)
        beside = passages_of(turn.answer, turn.evidence, library)
        assert len(beside) == len(passages) > 0
        for shown in beside:
            around = library.text(shown.citation.filing)[shown.start : shown.end]
            assert _letters(shown.citation.quote) in _letters(shown.text)
            assert DROPPED in shown.citation.quote or around == shown.text
