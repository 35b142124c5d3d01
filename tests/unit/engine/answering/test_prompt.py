"""What a model is given to read: which paragraphs, how much of them, and what it need not read again."""

from __future__ import annotations

import pytest

from fin_tui.engine.answering.prompt import Room, Told, build_prompt, pack, readable
from fin_tui.engine.evidence import as_text
from fin_tui.engine.evidence.evidence import gather
from fin_tui.records import QuotedTable, Sentence
from tests.unit.engine.made import hit

PARTNERS = ("Our outsourcing partners are in Asia.", "They assemble most hardware.", "The weather was mild.")
FACTORS = ("The main factors are as follows:", "• price", "• quality of tin")
SALES = QuotedTable("Sales", ("", "2024", "2023"), (("Net sales", "391,035", "383,285"),))
ASKED = "Who assembles hardware?"


def words(text: str) -> int:
    return len(text.split())


def told(*paragraphs: tuple[str, ...], start: int = 1000) -> Told:
    """Each paragraph of a passage of its own; what begins with a bullet opens a line."""
    hits = [hit(" ".join(lines), rank=at, start=at * start) for at, lines in enumerate(paragraphs, start=1)]
    sentences = [
        Sentence(line, (at,), "grounded", opens="line" if line[0] == "•" else "" if place else "paragraph")
        for at, lines in enumerate(paragraphs, start=1)
        for place, line in enumerate(lines)
    ]
    return Told(tuple(sentences), gather("?", hits).passages)


def test_paragraphs_are_read_whole_in_the_order_in_which_they_are_told() -> None:
    first, second = pack(told(PARTNERS, FACTORS), ASKED, 200, words)
    assert (first.start, first.text) == (1000, " ".join(PARTNERS))
    assert (second.start, second.text) == (2000, "The main factors are as follows:\n• price\n• quality of tin")
    assert first.block.startswith("Source: Acme Corp. FY2024, Risk Factors\n")


def test_rows_are_read_as_sentences_and_what_no_passage_says_is_not() -> None:
    row = Sentence(as_text(SALES), (1,), "grounded", table=SALES)
    made = Told(
        (row, Sentence("Sales rose by 2%.", (1,), "computed"), Sentence("So it is.", (), "grounded")), told(PARTNERS).passages
    )
    (excerpt,) = pack(made, "net sales", 200, words)
    assert "391,035" in excerpt.text
    assert "2%" not in excerpt.text
    assert "So it is" not in excerpt.text


def test_of_a_paragraph_that_does_not_fit_the_sentences_with_most_words_of_the_question_are_read() -> None:
    whole = ("Partners assemble hardware.", "The weather was mild and the choir sang on.", "Partners assemble hardware in Asia.")
    (excerpt,) = pack(told(whole), ASKED, 20, words)
    assert excerpt.text == "Partners assemble hardware. … Partners assemble hardware in Asia."


def test_packing_stays_within_its_budget() -> None:
    packed = pack(told(*[PARTNERS] * 8), ASKED, 60, words)
    assert 0 < sum(words(excerpt.block) for excerpt in packed) <= 60
    assert pack(told(PARTNERS), ASKED, 3, words) == ()


def test_what_a_follow_up_shares_comes_first_word_for_word() -> None:
    both = told(PARTNERS, FACTORS)
    before = pack(both, ASKED, 200, words)
    turned = Told((*both.sentences[3:], *both.sentences[:3]), both.passages)
    assert [excerpt.start for excerpt in pack(turned, ASKED, 200, words)] == [2000, 1000]
    assert pack(turned, ASKED, 200, words, before) == before
    other = Told(both.sentences[3:], both.passages)
    assert [excerpt.start for excerpt in pack(other, ASKED, 200, words, before)] == [2000], "not what is told no more"


def test_excerpts_that_the_model_still_knows_take_none_of_its_time() -> None:
    both = told(PARTNERS, FACTORS)
    first = pack(both, ASKED, 600, words, fresh=22)
    assert len(first) == 1
    again = pack(both, ASKED, 600, words, first, fresh=22)
    assert again[:1] == first
    assert len(again) == 2
    assert pack(both, ASKED, words(first[0].block), words, first, fresh=22) == first, "not beyond all that is read"


def test_the_prompt_fits_the_window_and_puts_the_question_last() -> None:
    prompt = build_prompt("What about partners?", told(*[PARTNERS] * 20), Room(400, 100, 600), words)
    assert sum(words(message.content) for message in prompt.messages) <= 300
    assert prompt.messages[-1].content.endswith("Question: What about partners?")
    assert [message.role for message in prompt.messages] == ["system", "user"]


def test_an_endless_question_is_cut_to_fit() -> None:
    prompt = build_prompt("why " * 5000, Told((), ()), Room(400, 100, 600), words)
    assert sum(words(message.content) for message in prompt.messages) <= 300


def test_looked_up_figures_stand_before_the_question() -> None:
    figures = ["Net sales: $391,035 million."]
    prompt = build_prompt("What were net sales?", Told((), ()), Room(400, 100, 600), words, figures=figures)
    assert prompt.messages[-1].content.endswith("Net sales: $391,035 million.\n\nQuestion: What were net sales?")


@pytest.mark.parametrize(("pace", "tokens"), [(0.0, 600), (1000.0, 600), (130.0, 274), (90.0, 200), (2.0, 200)])
def test_a_slow_model_is_given_what_it_reads_in_time(pace: float, tokens: int) -> None:
    assert readable(pace, 600, 100, 0.0) == tokens


def test_what_the_search_took_is_not_left_for_reading() -> None:
    assert readable(200.0, 600, 100, 1.0) == 284
    assert readable(200.0, 600, 100, 60.0) == 200, "five sentences, however late it is"


def test_never_more_than_the_settings_say_is_read() -> None:
    assert readable(10.0, 150, 100, 0.0) == 150
