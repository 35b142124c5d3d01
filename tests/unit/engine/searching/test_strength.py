from __future__ import annotations

from dataclasses import replace

from fin_tui.engine.evidence.evidence import gather
from fin_tui.engine.searching.find import caution, chance_to_answer, is_enough, strength
from tests.unit.engine.evidence.test_evidence import evidence_of
from tests.unit.engine.made import hit

TEXT = "Our outsourcing partners assemble most of our hardware in Asia."


def test_what_is_there_is_enough_and_what_is_not_is_not() -> None:
    there = gather("Where do outsourcing partners assemble hardware?", [hit(TEXT)])
    absent = gather("Which coffee machines stand in Asia?", [hit(TEXT)])
    for similarity in (None, 0.75):
        assert is_enough(there, similarity)
    assert not is_enough(absent, None)
    assert not is_enough(absent, 0.6)


def test_nearness_in_meaning_counts() -> None:
    evidence = gather("Where do suppliers put devices together in Asia?", [hit(TEXT)])
    assert strength(evidence, 0.85) > strength(evidence, 0.6)


def test_without_a_common_word_there_is_nothing() -> None:
    assert strength(gather("coffee machines", [hit(TEXT)]), 0.9) == 0.0


def test_the_reader_is_told_of_weak_evidence() -> None:
    there = gather("Where do outsourcing partners assemble hardware?", [hit(TEXT)])
    half = gather("Which robots assemble hardware in Asia for the space program?", [hit(TEXT)])
    assert caution(there, 0.9) == ""
    assert caution(half, 0.75) == "No exact answer found; closest passages below."
    assert caution(half, None) == "", "without vectors the estimate is too coarse to warn by"
    assert caution(there, 0.9, wants_figure=True) == "No exact figure found; closest passages below."


def test_what_was_read_with_the_conversation_is_judged_by_that() -> None:
    half = evidence_of("Which robots assemble hardware in Asia for the space program?", [hit(TEXT)])
    surely, hardly = replace(half, reread=(3.0, -4.0)), replace(half, reread=(-4.0,))
    assert caution(surely, 0.75) == ""
    assert caution(hardly, 0.75) == "No exact answer found; closest passages below."
    assert caution(hardly, None) == "No exact answer found; closest passages below."
    assert caution(hardly, 0.75, wants_figure=True) == "No exact figure found; closest passages below."
    assert 0 < chance_to_answer(hardly, None) < 0.5 < chance_to_answer(surely, None) < 1


def test_what_surely_answers_and_prints_no_number_shows_that_no_figure_is_wanted() -> None:
    named, counted = (
        replace(evidence_of("foundries?", [hit(f"{text} assemble our hardware in Asia.")]), reread=(4.0,))
        for text in ("Since 2024 Acme and Globex", "About 40 partners")
    )
    assert caution(named, 0.75, wants_figure=True) == ""
    assert caution(counted, 0.75, wants_figure=True) == "No exact figure found; closest passages below."
