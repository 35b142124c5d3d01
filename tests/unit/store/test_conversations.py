from __future__ import annotations

import pytest

from fin_tui.errors import NotFound
from fin_tui.records import Answer, Refusal, Sentence
from fin_tui.store.codec import from_json, to_json
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
    library.conversations.append(conversation, ANSWER.question, ANSWER, {"generation": 3, "model": "none"})
    (turn,) = library.conversations.turns(conversation)
    assert turn.answer == ANSWER
    assert dict(turn.fingerprint) == {"generation": 3, "model": "none"}
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
