"""Where a sentence is just borne out, just not, and what is said of it then."""

from __future__ import annotations

from fin_tui.engine.evidence.citations import GROUNDED, Source, Window, attach, prepare, split_answer, with_markers
from fin_tui.engine.evidence.evidence import gather
from fin_tui.records import Sentence
from tests.unit.engine.made import hit


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
