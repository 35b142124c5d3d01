from __future__ import annotations

from dataclasses import replace

from fin_tui.engine.answering.combine import put_together
from fin_tui.engine.evidence.evidence import gather
from fin_tui.engine.structures.desk import StructureAnswer, passage_in
from fin_tui.records import Sentence
from tests.unit.engine.made import filing, hit

LISTED = "We build three rockets: the Moon, the Comet and the Star."
MORE = "Our rockets are built in Texas of steel."


def answer(*, is_open: bool) -> StructureAnswer:
    chunk = hit(LISTED, rank=7, start=900).chunk
    passage = passage_in(1, filing(), chunk, chunk.start, chunk.end)
    return StructureAnswer((Sentence(LISTED, (1,), "grounded"),), (passage,), is_open=is_open)


def test_a_sentence_of_the_search_may_follow_an_open_list_with_its_own_number() -> None:
    evidence = gather("What rockets are built of steel?", [hit(MORE)])
    sentences, together, _ = put_together(None, answer(is_open=True), evidence)
    assert [sentence.text for sentence in sentences] == [LISTED, MORE]
    (number,) = sentences[1].citations
    assert next(p for p in together.passages if p.citation.id == number).text == MORE


def test_nothing_follows_a_closed_list_or_repeats_it() -> None:
    evidence = gather("What rockets are built of steel?", [hit(MORE)])
    assert len(put_together(None, answer(is_open=False), evidence)[0]) == 1
    same = gather("What three rockets do you build?", [replace(hit(LISTED), rank=1)])
    assert len(put_together(None, answer(is_open=True), same)[0]) == 1
