from __future__ import annotations

import pytest

from fin_tui.engine.answering.wording import SentenceStream
from fin_tui.engine.evidence.citations import GROUNDED, Source, Window, attach, objection, prepare, split_answer, with_markers
from fin_tui.engine.evidence.evidence import gather
from fin_tui.records import Sentence
from fin_tui.retrieval.tokens import tokenize
from tests.unit.engine.made import filing, hit

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


PLACE = (
    "Net sales of the Garden segment increased 12% in 2024, primarily due to higher demand for irrigation in Spain. "
    "We did not repurchase shares in 2024 because our credit agreement with Harbor Bank restricts it."
)


@pytest.mark.parametrize(
    "sentence",
    [
        "Net sales of the Garden segment increased 12% in 2024.",
        "Garden sales grew because of higher demand for irrigation in Spain.",
        "The company didn't repurchase shares, as its credit agreement with Harbor Bank restricts it.",
        "Demand for irrigation in Spain was higher.",
        "No shares were repurchased in 2024.",
    ],
)
def test_what_a_place_says_in_other_words_passes(sentence: str) -> None:
    assert objection(sentence, PLACE) is None


@pytest.mark.parametrize(
    ("sentence", "why"),
    [
        ("Net sales of the Garden segment decreased 12% in 2024.", "increased"),
        ("Net sales increased due to higher demand for irrigation in Portugal.", "Portugal"),
        ("The company repurchased shares because its credit agreement allows it.", "denies"),
        ("Net sales of the Garden segment did not increase.", "denies"),
        ("Net sales of the Garden segment increased, and new warehouses near rivers opened.", "warehouses"),
        ("The credit agreement with HARLOW restricts it.", "HARLOW"),
    ],
)
def test_what_it_does_not_say_is_told(sentence: str, why: str) -> None:
    told = objection(sentence, PLACE)
    assert told is not None
    assert why in told


def test_names_of_the_whole_passage_and_words_of_the_question_need_no_support_from_the_place() -> None:
    assert objection("Garden sales in Lisbon increased.", PLACE, names=set(tokenize("Lisbon"))) is None
    question = "How do dry summers around river deltas change Garden sales?"
    said = "Dry summers around river deltas increased Garden sales."
    assert objection(said, PLACE) is not None
    assert objection(said, PLACE, known=set(tokenize(question))) is None


def test_an_abbreviated_name_and_a_bound_are_no_obstacle() -> None:
    place = "In the U.S., buyers receive up to $7,500 under the Deficit Reduction Act."
    assert objection("Buyers in the U.S. receive up to $7,500.", place) is None


def test_a_sentence_that_opens_with_a_capital_names_nobody() -> None:
    assert objection("Irrigation demand was higher.", PLACE) is None


_DENIED = "one of the two denies what the other says"


@pytest.mark.parametrize("spelled", ["didn't", "didn’t", "did not"])
def test_a_contraction_denies_as_the_whole_words_do(spelled: str) -> None:
    assert objection(f"Acme {spelled} repurchase shares.", "Acme repurchased shares.") == _DENIED
    assert objection("Acme repurchased shares.", f"Acme {spelled} repurchase shares.") == _DENIED
    assert objection(f"Acme {spelled} repurchase shares.", "Acme did not repurchase shares.") is None


def test_up_to_is_no_direction() -> None:
    assert objection("Acme may repurchase up to ten shares.", "Repurchases by Acme are down to ten shares.") is None


@pytest.mark.parametrize("sentence", ["Sales rose 12% on demand.", "Sales rose (12) on demand.", "Sales rose -12 on demand."])
def test_numbers_are_left_to_the_comparison_of_numbers(sentence: str) -> None:
    assert objection(sentence, "Sales rose on demand.") is None


def test_four_words_in_a_row_that_the_place_lacks_are_named_as_they_stand() -> None:
    why = objection("Sales rose, “autonomy, tradition, excellence, honour” aside.", "Sales rose.")
    assert why == "nothing there about “autonomy tradition excellence honour”"
    assert objection("Sales rose on autonomy, tradition, excellence.", "Sales rose.") is None
    assert objection("Sales autonomy tradition rose excellence honour.", "Sales rose.") is None


@pytest.mark.parametrize(
    ("sentence", "name"),
    [
        ("Sales rose in Portugal.", "Portugal"),
        ("Sales rose at IBM.", "IBM"),
        ("IBM sales rose.", "IBM"),
        ("EU sales rose.", "EU"),
        ("Sales rose in (Portugal).", "Portugal"),
        ("Sales rose. Then they rose in Portugal.", "Portugal"),
    ],
)
def test_a_name_that_the_place_lacks_is_told(sentence: str, name: str) -> None:
    assert objection(sentence, "Sales rose, and then they rose.") == f"{name} is not named there"


@pytest.mark.parametrize(
    "sentence",
    [
        "Quickly sales rose.",
        "Sales rose. Quickly.",
        "Sales rose: Quickly.",
        "Sales rose; Quickly.",
        "Sales rose ( Quickly ).",
        "Sales rose! Quickly? Strongly.",
        "• Quickly sales rose.",
        "Sales “ Quickly rose”.",
    ],
)
def test_a_capital_at_the_beginning_names_nobody(sentence: str) -> None:
    assert "named" not in (objection(sentence, "Sales rose.") or "")


def test_a_known_name_may_be_given() -> None:
    assert objection("Sales of Acme rose.", "Sales rose.") == "Acme is not named there"
    assert objection("Sales of Acme rose.", "Sales rose.", names=set(tokenize("Acme"))) is None


def test_a_denial_reaches_no_further_than_its_sentence() -> None:
    there = "Dividends were not paid. Shares were repurchased."
    assert objection("Shares were repurchased.", there) is None
    assert objection("Shares were not repurchased.", there) == _DENIED
    assert objection("Shares were repurchased! Dividends were not paid.", there) is None


def test_a_denial_reaches_three_words() -> None:
    near = "Acme has not issued new preferred shares lately."
    assert objection("Acme has issued new preferred shares.", near) == _DENIED
    assert (
        objection("Shares were issued.", "Bonds have not yet matured under new older indentures, and shares were issued.") is None
    )


def test_what_a_place_denies_besides_is_its_own_matter() -> None:
    there = "Sales rose while margins did not improve because freight was dear."
    assert objection("Sales rose.", there) is None
    assert objection("Margins did improve because freight was dear, as sales rose.", there) == _DENIED


def test_two_denials_are_each_looked_at() -> None:
    there = "Acme did not pay dividends."
    assert objection("Acme did not pay dividends. It did not repurchase shares.", f"{there} It repurchased shares.") == _DENIED


@pytest.mark.parametrize(
    ("sentence", "there", "turned"),
    [
        ("Revenue increased.", "Revenue decreased.", "it says “decreased” there, not “increased”"),
        ("Revenue decreased.", "Revenue increased.", "it says “increased” there, not “decreased”"),
        ("Acme saw a favorable effect.", "Acme saw an unfavorable effect.", "it says “unfavorable” there, not “favorable”"),
        ("Growth came before the merger.", "Growth came after the merger.", "it says “after” there, not “before”"),
        ("Acme is able to borrow.", "Acme is unable to borrow.", "it says “unable” there, not “able”"),
    ],
)
def test_a_direction_turned_round_is_told(sentence: str, there: str, turned: str) -> None:
    assert objection(sentence, there) == turned


def test_a_place_that_tells_both_directions_of_different_matters_agrees_with_both() -> None:
    there = "Revenue increased strongly. Costs decreased slightly."
    assert objection("Revenue increased strongly.", there) is None
    assert objection("Costs decreased slightly.", there) is None
    assert objection("Costs increased slightly.", there) == "it says “decreased” there, not “increased”"


def test_an_empty_place_says_nothing_and_denies_nothing() -> None:
    assert objection("sales rose.", "") is None
    assert objection("sales did not rise.", "") == _DENIED
    assert "nothing there about" in (objection("sales rose on strong overseas demand this year.", "") or "")


def source(number: int, *windows: str, scale: int = 1, names: str = "") -> Source:
    made = tuple(Window(text, frozenset(text.split())) for text in windows)
    return Source(number, "\n".join(windows), made, frozenset(" ".join((*windows, names)).split()), scale)


def test_the_best_window_counts_not_the_sum_of_them() -> None:
    made = source(1, "a b c", "d e f g")
    assert made.match({"d", "e", "a"}) == (2 / 3, "d e f g")
    assert made.match({"a", "b", "c"}) == (1.0, "a b c")
    assert made.match(set()) == (0.0, "")
    assert source(1).match({"a"}) == (0.0, "")


def test_words_of_the_question_may_be_missing_where_a_third_is_held() -> None:
    made = source(1, "a b c d")
    assert made.match({"a", "b", "x", "y"}) == (0.5, "a b c d")
    assert made.match({"a", "b", "x", "y"}, {"x"}) == (2 / 3, "a b c d")
    assert made.match({"a", "b", "x", "y"}, {"x", "y", "a"}) == (1.0, "a b c d")
    assert made.match({"a", "x", "y", "z"}, {"x", "y", "z"}) == (0.25, "a b c d")


def test_a_row_of_a_table_is_a_window_with_the_row_below() -> None:
    rows = "Net sales\t391\nCost of sales\t210\nGross margin\t181"
    (made,) = prepare(gather("margin?", [hit(rows, table=True)]).passages)
    assert [window.text for window in made.windows] == [
        "Net sales\t391\nCost of sales\t210",
        "Cost of sales\t210\nGross margin\t181",
        "Gross margin\t181\n",
    ]
    assert (made.number, made.text, made.scale) == (1, rows, 1)


def test_sentences_of_prose_are_windows() -> None:
    (made,) = prepare(gather("sales?", [hit("Sales rose. Costs fell.\nMargins held.")]).passages)
    assert [window.text for window in made.windows] == [
        "Sales rose.\nCosts fell.",
        "Costs fell.\nMargins held.",
        "Margins held.\n",
    ]


def test_the_second_best_is_cited_when_it_says_nearly_as_much() -> None:
    same = ["robots assemble the widgets of the company in Ohio.", "robots assemble the widgets of the company in Ohio today."]
    sources = prepare(gather("widgets?", [hit(text, rank=n) for n, text in enumerate(same, 1)]).passages)
    assert attach("robots assemble the widgets in Ohio.", sources).citations == (1, 2)
    assert attach("robots assemble the widgets in Ohio. [2]", sources).citations == (2, 1)
    three = prepare(gather("widgets?", [hit(f"{same[0]} {n}", rank=n) for n in (1, 2, 3)]).passages)
    assert len(attach("robots assemble the widgets in Ohio.", three).citations) == 2


def test_what_no_passage_says_has_its_reason() -> None:
    (made,) = prepare(gather("sales?", [hit("Net sales of widgets rose in Ohio by 12%.")]).passages)
    assert attach("Trucks carry apples south.", (made,)) == Sentence(
        "Trucks carry apples south.", (), "unsupported", "no passage says this"
    )
    assert attach("Net sales of widgets rose in Ohio by 13%.", (made,)).why == "13% is not printed there"
    assert attach("Net sales of widgets fell in Ohio by 12%.", (made,)).why == "it says “rose” there, not “fell”"
    assert attach("Apples weigh 13 stone down south.", (made,)).why == "no passage says this"
    assert attach("Anything.", ()).why == "no passage says this"


def test_the_reason_is_that_of_the_nearest_passage() -> None:
    hits = [hit("Costs of trucks fell in Ohio by 9%.", rank=1), hit("Net sales of widgets rose in Ohio by 12%.", rank=2)]
    sources = prepare(gather("sales?", hits).passages)
    assert attach("Net sales of widgets fell in Ohio by 12%.", sources).why == "it says “rose” there, not “fell”"


def test_bare_figures_are_grounded_by_print_alone() -> None:
    (made,) = prepare(gather("sales?", [hit("Net sales\t391,035", table=True, header="Acme · Income (In millions)")]).passages)
    assert made.scale == 1_000_000
    assert attach("$391.0 billion.", (made,)).support == "grounded"
    assert attach("$392.0 billion.", (made,)).support == "unsupported"
    assert attach("[1]", (made,)).support == "unsupported"


def test_words_of_the_question_and_names_of_the_passage_need_no_support() -> None:
    (made,) = prepare(gather("robots?", [hit("robots assemble widgets.")]).passages)
    assert attach("robots of Acme assemble widgets.", (made,)).support == "grounded"
    assert attach("robots of Zenith assemble widgets.", (made,)).why == "Zenith is not named there"
    assert attach("autumn weather delays assemble robots widgets.", (made,)).support == "unsupported"


def test_exactly_enough_is_enough() -> None:
    words = [f"w{chr(97 + n)}" for n in range(50)]
    held = round(GROUNDED * 50)
    made = source(4, " ".join(words[:held]))
    assert made.match(set(words)) == (GROUNDED, made.text)


def test_markers_are_joined_to_what_stands_before_them() -> None:
    assert split_answer("[1] Sales rose. [2] [3]\n[4] Costs fell.") == ["[1] Sales rose. [2] [3]", "[4] Costs fell."]
    assert split_answer("a. [1]") == ["a. [1]"]
    assert split_answer(" \n\n") == []
    two = [Sentence("Sales rose.", (1, 2), "grounded"), Sentence(" Costs fell.", (), "unsupported", "no")]
    assert with_markers(two) == "Sales rose. [1][2]  Costs fell."


FUEL = "Generally, rising fuel prices benefit net sales growth which, given the higher base, negatively impacts our margin."


def test_what_helps_a_matter_does_not_harm_it() -> None:
    assert objection("Rising fuel prices benefit net sales growth.", FUEL) is None
    assert objection("Given the higher base, rising fuel prices negatively impact our margin.", FUEL) is None
    assert (
        objection("Rising fuel prices negatively impact net sales growth.", FUEL) == "it says “benefit” there, not “negatively”"
    )
    assert objection("Given the higher base, rising fuel prices benefit our margin.", FUEL) is not None


def test_a_company_may_be_named_by_its_ticker() -> None:
    (source,) = prepare(gather("partners", [hit("We depend on outsourcing partners in Asia.", of=filing(ticker="ACM"))]).passages)
    assert attach("ACM depends on outsourcing partners in Asia.", [source]).citations == (1,)
    assert attach("GLBX depends on outsourcing partners in Asia.", [source]).support == "unsupported"
