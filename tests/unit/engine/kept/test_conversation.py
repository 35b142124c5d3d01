"""A stored turn shows the evidence that stood beside it, also after the filing was read anew."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import pytest

from fin_tui.engine.answering.events import Passage
from fin_tui.engine.evidence.passage import cite
from fin_tui.engine.kept.conversation import evidence_of, history_of, passages_of
from fin_tui.engine.kept.notebook import of_answer, of_passage, of_span, trace, with_versions
from fin_tui.errors import UsageError
from fin_tui.paths import Paths
from fin_tui.records import Answer, Hit, Ranks, Sentence
from fin_tui.store.library import Library
from tests.unit.store.made import PARAGRAPHS, make_entry


@pytest.fixture
def library(tmp_path: Path) -> Iterator[Library]:
    with Library.open(Paths(tmp_path)) as opened:
        yield opened


def shown(library: Library) -> list[Passage]:
    """A passage for each chunk of the filing held, quoting its first words."""
    filing = library.filings()[0]
    made = []
    for number, chunk in enumerate(library.chunks.of_filing(filing.id), start=1):
        citation = cite(number, Hit(number, chunk, filing, 1.0, Ranks()), chunk.start, chunk.start + 24)
        made.append(Passage(citation, chunk.text, chunk.start, chunk.end, 1 / number, chunk.kind))
    return made


def read_anew(library: Library, *paragraphs: str) -> None:
    """The same filing, parsed into another text."""
    entry = make_entry(paragraphs=paragraphs)
    old = library.filings()[0]
    chunks = tuple(replace(chunk, filing=old.id, id=chunk.id.replace(entry.filing.id, old.id)) for chunk in entry.chunks)
    library.rewrite(replace(entry, filing=replace(entry.filing, id=old.id), chunks=chunks))


def test_all_passages_come_back_with_number_and_score(library: Library) -> None:
    library.add(make_entry())
    before = shown(library)
    answer = Answer("?", "answered", "A. [1]", citations=(before[0].citation,))
    assert passages_of(answer, evidence_of(before), library) == tuple(before)
    assert [p.citation.id for p in passages_of(answer, (), library)] == [1]


def test_quotes_are_followed_into_a_text_that_was_read_anew(library: Library) -> None:
    library.add(make_entry())
    before = shown(library)
    kept = with_versions(of_passage(before[1]), library)
    gone = with_versions(of_passage(before[2]), library)
    read_anew(library, "A new first paragraph of the filing.", PARAGRAPHS[1], "Something else stands here now.")
    now = passages_of(Answer("?", "answered", "A."), evidence_of(before), library)
    assert [p.citation.id for p in now] == [1, 2, 3, 4]
    text = library.text(library.filings()[0].id)
    moved = now[1].citation
    assert moved.start != before[1].citation.start
    assert text[moved.start : moved.end] == moved.quote
    assert now[1].text == PARAGRAPHS[1]
    assert now[2].text == before[2].citation.quote  # Gone: the quote itself stands.
    traced = trace((kept, gone), library)
    assert [traced[saved.citations[0]].place for saved in (kept, gone)] == ["moved", "gone"]
    assert traced[kept.citations[0]].citation.start == moved.start


def test_a_filing_that_left_the_library_leaves_its_quotes(library: Library) -> None:
    filing = library.add(make_entry()).filing
    before = shown(library)
    library.remove([filing.id])
    assert [p.text for p in passages_of(Answer("?", "answered", "A."), evidence_of(before), library)] == [
        p.citation.quote for p in before
    ]


def test_only_answers_are_kept_with_what_their_numbers_mean(library: Library) -> None:
    library.add(make_entry())
    before = shown(library)
    answer = Answer("?", "answered", "A. [2]", sentences=(Sentence("A.", (2,), "grounded"),), citations=())
    assert [c.id for c in of_answer(answer, before).citations] == [2]
    with pytest.raises(UsageError):
        of_answer(Answer("?", "refused", "No."), before)
    assert history_of([answer, Answer("No?", "refused", "No."), None]) == ("?",)


def test_marked_words_of_a_filing_are_kept_as_a_passage(library: Library) -> None:
    filing = library.add(make_entry()).filing
    text = library.text(filing.id)
    at = text.index("competitors may cut")
    saved = of_span(filing, at, at + 19, text, library.chunks)
    assert (saved.text, saved.citations[0].item) == ("competitors may cut", "1A")
    with pytest.raises(UsageError):
        of_span(filing, at, at, text, library.chunks)
