import pytest

from fin_tui.engine.evidence.alignment import objection
from fin_tui.retrieval.tokens import tokenize

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
