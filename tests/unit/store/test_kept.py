from __future__ import annotations

import sqlite3

import pytest

from fin_tui.errors import FinTuiError, NotFound
from fin_tui.paths import Paths
from fin_tui.records import Answer, Citation, Refusal, Saved, Sentence, ShownPassage
from fin_tui.store.codec import from_json, to_json
from fin_tui.store.database import APPLICATION_ID, scripts
from fin_tui.store.kept import Bookmark
from fin_tui.store.library import Library

ANSWER = Answer(
    question="What are net sales?",
    status="answered",
    answer="Net sales were $391,035 million. [1]",
    value=391_035e6,
    unit="usd",
    plan=({"question": "net sales", "operation": "lookup"},),
    sentences=(Sentence("Net sales were $391,035 million.", (1,), "grounded"),),
    refusal=Refusal("weak_evidence", "Nothing certain."),
    retrieval={"mode": "hybrid", "chunks": [{"chunk_id": "a/1:2", "ranks": {"dense": 2}}]},
    timings_ms={"total": 12.5},
)


def test_an_answer_comes_back_whole(library: Library) -> None:
    conversation = library.conversations.create()
    library.conversations.append(conversation, ANSWER.question, ANSWER, {"library": 3, "model": "none"})
    (turn,) = library.conversations.turns(conversation)
    assert turn.answer == ANSWER
    assert dict(turn.fingerprint) == {"library": 3, "model": "none"}
    assert turn.ordinal == 1


def test_an_answer_stored_with_a_key_that_is_no_more_opens(library: Library) -> None:
    old = to_json(ANSWER).removesuffix("}") + ',"draft":"Acme is committed to autonomy."}'
    assert from_json(old, Answer) == ANSWER


def test_the_first_question_is_the_title(library: Library) -> None:
    first = library.conversations.create()
    second = library.conversations.create("Mine")
    for conversation in (second, first):
        library.conversations.append(conversation, "What  are\nnet sales?", ANSWER, {})
    assert [(c.id, c.title, c.turns) for c in library.conversations.all()] == [
        (first, "What are net sales?", 1),
        (second, "Mine", 1),
    ]
    library.conversations.rename(second, "Yours")
    assert library.conversations.get(second[:6]).title == "Yours"


def test_removing_a_conversation_removes_its_turns(library: Library) -> None:
    conversation = library.conversations.create()
    library.conversations.append(conversation, "?", ANSWER, {})
    library.conversations.remove(conversation)
    assert library.conversations.turns(conversation) == ()
    with pytest.raises(NotFound):
        library.conversations.get(conversation)
    with pytest.raises(NotFound):
        library.conversations.append(conversation, "?", ANSWER, {})


CITATION = Citation(
    1, "a/1:2", "a", "a.htm", "Acme", None, None, "10-K", 2024, "2024-09-28", "8", "Sales", 3, "2", "Net sales", 10, 19, None,
    "Acme 10-K", "before ", " after",
)  # fmt: skip
SAVED = Saved(
    "answer",
    "What are net sales?",
    sentences=(Sentence("Net sales were $1 million.", (1,), "grounded"),),
    citations=(CITATION,),
    facts=({"concept": "us-gaap:Revenues", "value": 1e6, "restated": None},),
    table={"columns": ["FY2024"], "rows": []},
    texts={"a": "0123"},
)


def titles(library: Library) -> list[str]:
    return [entry.saved.title for entry in library.notebook.all()]


def test_an_entry_comes_back_whole(library: Library) -> None:
    made = library.notebook.add(SAVED, "my note")
    assert library.notebook.all() == (made,)
    assert made.saved == SAVED


def test_entries_keep_the_readers_order(library: Library) -> None:
    numbers = [library.notebook.add(Saved("passage", title)).number for title in "abcd"]
    library.notebook.move(numbers[3], -2)
    assert titles(library) == ["a", "d", "b", "c"]
    library.notebook.move(numbers[0], 99)
    assert titles(library) == ["d", "b", "c", "a"]
    library.notebook.add(Saved("passage", "e"))
    assert titles(library) == ["d", "b", "c", "a", "e"]


def test_entries_are_annotated_and_removed(library: Library) -> None:
    first, second = (library.notebook.add(Saved("passage", title)).number for title in "ab")
    library.notebook.annotate(second, "mine")
    library.notebook.remove(first)
    assert [(entry.number, entry.note) for entry in library.notebook.all()] == [(second, "mine")]
    assert library.notebook.add(Saved("passage", "c")).number > second
    for act in (library.notebook.remove, lambda number: library.notebook.move(number, 1)):
        with pytest.raises(NotFound):
            act(first)
    with pytest.raises(NotFound):
        library.notebook.annotate(first, "x")


def test_turns_keep_the_evidence_that_stood_beside_them(library: Library) -> None:
    conversation = library.conversations.create()
    evidence = [ShownPassage(CITATION, 0, 100, 0.5, "table", 1000)] * 70
    library.conversations.append(conversation, "?", Answer("?", "answered", "A."), {}, evidence)
    library.conversations.append(conversation, "?", Answer("?", "answered", "B."), {})
    first, second = library.conversations.turns(conversation)
    assert first.evidence == tuple(evidence[:60])
    assert second.evidence == ()


def test_a_library_from_before_the_notebook_is_brought_up_to_date(paths: Paths) -> None:
    paths.data.mkdir(parents=True)
    with sqlite3.connect(paths.database) as old:
        old.executescript(scripts()[0])
        old.execute("INSERT INTO conversations VALUES ('c', 't', '2025', '2025')")
        old.execute(
            "INSERT INTO turns VALUES ('c', 1, 'q', ?, '{}', '2025')", ('{"question":"q","status":"answered","answer":"A."}',)
        )
        old.execute(f"PRAGMA application_id = {APPLICATION_ID}")
        old.execute("PRAGMA user_version = 1")
    old.close()
    with Library.open(paths) as library:
        (turn,) = library.conversations.turns("c")
        assert (turn.answer.answer, turn.evidence) == ("A.", ())
        assert library.notebook.all() == ()


def test_a_damaged_record_is_an_error_that_can_be_read(library: Library, paths: Paths) -> None:
    number = library.notebook.add(SAVED).number
    with sqlite3.connect(paths.database) as raw:
        raw.execute("UPDATE notebook SET saved = substr(saved, 1, 40) WHERE number = ?", (number,))
    with pytest.raises(FinTuiError, match="can't be read") as raised:
        library.notebook.all()
    assert raised.value.hint
    library.notebook.remove(number)
    assert library.notebook.all() == ()


TEXT = "Item 7\nNet sales rose.\nNet sales fell.\nNet sales rose.\n"


def test_a_place_is_kept_once_and_removed(library: Library) -> None:
    at = TEXT.index("Net sales fell")
    for _ in range(2):
        library.bookmarks.add("f", at, TEXT)
    library.bookmarks.add("g", 0, TEXT)
    assert library.bookmarks.of("f", TEXT) == (Bookmark(at, "Net sales fell.", at),)
    library.bookmarks.remove("f", at)
    assert library.bookmarks.of("f", TEXT) == ()
    assert len(library.bookmarks.of("g", TEXT)) == 1


def test_after_a_re_parse_the_words_are_found_nearest_to_where_they_stood(library: Library) -> None:
    second = TEXT.rindex("Net sales rose")
    library.bookmarks.add("f", second, TEXT)
    longer = "A cover.\n" + TEXT
    assert library.bookmarks.of("f", longer)[0].at == longer.rindex("Net sales rose")
    assert library.bookmarks.of("f", "other words")[0].at == second


def test_bookmarks_come_in_the_order_of_the_text(library: Library) -> None:
    for at in (23, 0, 7):
        library.bookmarks.add("f", at, TEXT)
    assert [bookmark.at for bookmark in library.bookmarks.of("f", TEXT)] == [0, 7, 23]
