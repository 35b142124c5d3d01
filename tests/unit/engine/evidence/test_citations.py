from __future__ import annotations

from fin_tui.engine.answering.sentence_stream import SentenceStream
from fin_tui.engine.evidence.citations import attach, prepare, split_answer, with_markers
from fin_tui.engine.evidence.evidence import gather
from tests.unit.engine.made import hit

HITS = [
    hit("The Company depends on outsourcing partners in Asia for final assembly of its hardware products.", rank=1),
    hit("Net sales\t391,035\t383,285\nCost of sales\t210,352\t214,137", rank=2, table=True, header="Acme · Income (In millions)"),
]
SOURCES = prepare(gather("What about outsourcing partners and net sales?", HITS).passages)


def test_a_true_sentence_gets_the_passage_that_says_it() -> None:
    sentence = attach("Acme depends on outsourcing partners in Asia for the final assembly of hardware products.", SOURCES)
    assert sentence.support == "grounded"
    assert sentence.citations == (1,)


def test_an_invented_sentence_is_marked() -> None:
    sentence = attach("Acme is committed to maintaining its autonomy and its long tradition of excellence. [1]", SOURCES)
    assert sentence.support == "unsupported"
    assert sentence.citations == ()
    assert "[" not in sentence.text


def test_a_wrong_number_is_never_grounded() -> None:
    assert attach("Net sales were $391.0 billion.", SOURCES).citations == (2,)
    assert attach("Net sales were $381.0 billion.", SOURCES).support == "unsupported"


def test_numbers_of_passages_that_do_not_exist_are_dropped() -> None:
    sentence = attach("Acme depends on outsourcing partners in Asia for final assembly [7, 9].", SOURCES)
    assert sentence.citations == (1,)


def test_markers_stay_with_their_sentence() -> None:
    assert split_answer("Sales rose. [1] Costs fell [2].\n- One point\n\n- Two points") == [
        "Sales rose. [1]",
        "Costs fell [2].",
        "- One point",
        "- Two points",
    ]
    sentence = attach("Net sales were $391.0 billion.", SOURCES)
    assert with_markers([sentence]) == "Net sales were $391.0 billion. [2]"


def test_streamed_pieces_give_the_sentences_of_the_whole() -> None:
    text = "Sales of U.S. units rose 2.5% in 2024. Costs fell. Margins held"
    stream = SentenceStream()
    given = [sentence for piece in text for sentence in stream.feed(piece)]
    assert given == ["Sales of U.S. units rose 2.5% in 2024.", "Costs fell."]
    assert list(stream.finish()) == []


def test_an_unfinished_sentence_is_kept_only_when_it_is_all_there_is() -> None:
    stream = SentenceStream()
    assert list(stream.feed("Sales rose. Costs fe")) == ["Sales rose."]
    assert list(stream.finish()) == []
    alone = SentenceStream()
    assert list(alone.feed("About 5 %")) == []
    assert list(alone.finish()) == ["About 5 %"]


def test_words_picked_from_all_over_a_page_bear_nothing_out() -> None:
    page = hit(
        "Sales in Europe rose because of new stores. The Company leases its headquarters. Freight is insured abroad. "
        "A significant portion of debt matures in May. Asia is supplied by sea."
    )
    sources = prepare(gather("Europe", [page]).passages)
    assert attach("A significant portion of stores in Asia is leased.", sources).support == "unsupported"
    assert attach("Sales in Europe rose because of new stores.", sources).support == "grounded"
