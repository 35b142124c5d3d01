"""A stored turn shows the evidence that stood beside it, also after the filing was read anew."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field, replace
from pathlib import Path

import pytest

from fin_tui.engine.answering.events import Passage
from fin_tui.engine.evidence import cite
from fin_tui.engine.questions.understanding import Request
from fin_tui.engine.saved_items import (
    Citing,
    citing,
    evidence_of,
    history_of,
    of_answer,
    of_passage,
    of_span,
    passages_of,
    replayed,
    requests_of,
    trace,
    with_versions,
)
from fin_tui.errors import UsageError
from fin_tui.paths import Paths
from fin_tui.records import Answer, Block, BlockKind, Citation, Fingerprint, Hit, Ranks, Refusal, Saved, Scope, Sentence
from fin_tui.store.library import Library
from tests.unit.engine.evidence.test_passage import LINES, PATHS, table_of
from tests.unit.store.made import PARAGRAPHS, make_entry
from tests.unit.store.test_kept import CITATION


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
    unsure = of_answer(replace(answer, caution="No exact figure found; closest passages below."), before)
    assert [one.text for one in unsure.sentences] == ["No exact figure found; closest passages below.", "A."]
    noted = of_answer(replace(answer, notes=("Not in the library: Acme FY2011.",)), before)
    assert [one.text for one in noted.sentences] == ["A.", "Note: Not in the library: Acme FY2011."]
    with pytest.raises(UsageError):
        of_answer(Answer("?", "refused", "No."), before)
    refused = Answer("advice", "refused", "", refusal=Refusal("advice", "No."))
    assert history_of([answer, Answer("No?", "error", "No."), replace(answer, stopped=True), None, refused]) == ("?", "advice")


def test_marked_words_of_a_filing_are_kept_as_a_passage(library: Library) -> None:
    filing = library.add(make_entry()).filing
    text = library.text(filing.id)
    at = text.index("competitors may cut")
    saved = of_span(filing, at, at + 19, text, library.chunks)
    assert (saved.text, saved.citations[0].item) == ("competitors may cut", "1A")
    with pytest.raises(UsageError):
        of_span(filing, at, at, text, library.chunks)


def test_a_row_of_a_filing_is_kept_with_its_table_marked_rows_alone(library: Library) -> None:
    filing = library.add(make_entry()).filing
    text = library.text(filing.id)
    at = text.index("competitors may cut")
    table = table_of(LINES, PATHS, at)
    blocks = [Block(1, BlockKind.TABLE, at, at + len("\n".join(LINES)), 1, table=table)]
    row = table.rows[2][0]
    saved = of_span(filing, row.start, row.end, text, library.chunks, blocks)
    (told,) = saved.sentences
    assert told.table is not None
    assert [line[0].strip() for line in told.table.rows] == ["Plants:", "Tin works", "Steel works", "Total plants", "Rent"]
    assert "Steel works" in saved.text
    both = of_span(filing, row.start, table.rows[3][-1].end, text, library.chunks, blocks).sentences[0].table
    assert both is not None
    assert [line[0].strip() for line in both.rows] == ["Plants:", "Tin works", "Steel works"]


@dataclass(frozen=True)
class Stored:
    question: str
    answer: Answer
    fingerprint: Fingerprint = field(default_factory=lambda: Fingerprint(model="small", mode="sparse", library=3))


SALES = Answer("What were the sales?", "answered", "They were $5 million. [1]", value=5e6, unit="usd")
ADVICE = Answer("Should I buy it?", "refused", "", refusal=Refusal("advice", "No advice."))
COSTS = Answer("And the costs?", "answered", "They were $4 million. [1]", value=4e6, unit="usd")
TURNS = tuple(Stored(answer.question, answer) for answer in (SALES, ADVICE, COSTS))


def test_each_question_leans_on_what_was_answered_before_it() -> None:
    asked = list(requests_of(TURNS, Request("", Scope(fiscal_years=(2024,)))))
    assert [(one.question, one.history) for one in asked] == [
        ("What were the sales?", ()),
        ("Should I buy it?", ("What were the sales?",)),
        ("And the costs?", ("What were the sales?", "Should I buy it?")),
    ]
    assert {(one.mode, one.use_model, one.scope.fiscal_years) for one in asked} == {("sparse", True, (2024,))}


def test_it_is_searched_as_it_was_unless_it_is_said_otherwise() -> None:
    (asked, *_) = requests_of(TURNS, Request("", mode="dense", use_model=False))
    assert (asked.mode, asked.use_model) == ("dense", False)
    plain = Stored("Q?", SALES, {"model": "none", "mode": "hybrid", "library": 3})
    assert [one.use_model for one in requests_of([plain], Request(""))] == [False]


def test_an_answer_that_says_something_else_is_not_the_same() -> None:
    made = Fingerprint(model="small", mode="sparse", library=3)
    same = replayed(TURNS[0], replace(SALES, timings_ms={"total": 9.0}), made)
    assert (same.is_same, same.changes) == (True, ())
    assert not replayed(TURNS[0], replace(SALES, value=6e6), made).is_same
    assert not replayed(TURNS[1], replace(ADVICE, refusal=Refusal("forecast", "")), made).is_same


def test_what_made_it_otherwise_is_named() -> None:
    found = replayed(TURNS[0], SALES, {"model": "none", "mode": "sparse", "library": 5, "corpus": "at 10.0.0.1"})
    assert found.changes == (
        "model small, now none",
        "version of the library 3, now 5",
        "corpus none, now at 10.0.0.1",
    )


def of(filing: str) -> Citation:
    return replace(CITATION, filing=filing)


def test_conversations_notebook_and_bookmarks_are_named(library: Library) -> None:
    first, other = library.add(make_entry(year=2022)).filing.id, library.add(make_entry(year=2023)).filing.id
    talk = library.conversations.create("Sales")
    library.conversations.append(talk, "Q", Answer("Q", "answered", "A", citations=(of(first), of(other), of(first))), {})
    offered = Answer("Q", "refused", "", refusal=Refusal("not_disclosed", "No.", (of(first),)))
    library.conversations.append(talk, "Q", offered, {})
    library.conversations.append(library.conversations.create("Else"), "Q", Answer("Q", "answered", "A"), {})
    library.notebook.add(Saved("passage", "Widgets", citations=(of(first),)))
    library.notebook.add(Saved("passage", "Other", citations=(of(other),)))
    library.bookmarks.add(first, 0, "Example makes widgets")
    assert citing(library, [first]) == (
        Citing("conversation", talk, "Sales", 3),
        Citing("notebook", "1", "Widgets", 1),
        Citing("bookmarks", first, "", 1),
    )
    assert citing(library, ["unknown"]) == ()


def test_what_was_cited_from_an_earlier_version_is_found_under_its_old_id(library: Library) -> None:
    """Added by hand first, then the same report with EDGAR's number: the id changes, the words do not."""
    old = library.add(make_entry(file="by-hand.htm")).filing
    quote = "Demand for widgets may fall"
    start = library.text(old.id).index(quote)
    kept = replace(CITATION, filing=old.id, quote=quote, start=start, end=start + len(quote))
    library.notebook.add(Saved("passage", "Demand", citations=(kept,)))
    new = library.add(make_entry(accession="0000000042-23-000001", paragraphs=("A new first page.", f"Indeed: {quote}."))).filing
    assert new.id != old.id
    assert [filing.id for filing in library.filings()] == [new.id]
    place = trace([entry.saved for entry in library.notebook.all()], library)[kept]
    assert place.place == "moved"
    assert library.text(new.id)[place.citation.start : place.citation.end] == quote
    assert library.filing(old.id) == new
    assert library.chunks.holding(old.id, place.citation.start, place.citation.end) is not None
    assert citing(library, library.records.ids_of(new.id))[0].kind == "notebook"
