from __future__ import annotations

from collections.abc import Sequence

from fin_tui.engine.evidence.evidence import gather
from fin_tui.engine.evidence.extract import extract
from fin_tui.engine.evidence.judged import Judge, judged
from tests.unit.engine.made import filing, hit

TEXT = (
    "Acme competes everywhere. Larger rivals include Globex and Umbrella. The weather was mild this year. "
    "Our people like it here a lot."
)
LIST = "The main factors are as follows:\n• price\n• quality of tin\nWe like both of them very much."


def reader(answering: str) -> Judge:
    def judge(question: str, sentences: Sequence[str]) -> Sequence[float | None]:
        return [6.0 if answering in sentence else -6.0 for sentence in sentences]

    return judge


def test_the_sentence_that_answers_goes_before_the_one_that_shares_words() -> None:
    evidence = gather("Whom does it compete with everywhere?", [hit(TEXT)])
    assert extract(evidence)[0].text == "Acme competes everywhere."
    read = judged("Whom does the company compete with?", evidence, reader("rivals include"))
    assert [sentence.text for sentence in extract(read)] == ["Larger rivals include Globex and Umbrella."]
    assert read.sure == 6.0
    assert read.passages[0].citation.quote == "Larger rivals include Globex and Umbrella."


def test_what_is_read_does_not_name_the_company() -> None:
    seen: list[str] = []

    def judge(question: str, sentences: Sequence[str]) -> Sequence[float | None]:
        seen.extend(sentences)
        return [0.0] * len(sentences)

    judged("Where does the company compete?", gather("compete", [hit("Acme Corp. competes in Ohio. We do not.")]), judge)
    assert "Risk Factors: the Company competes in Ohio." in seen


def test_too_little_read_changes_nothing() -> None:
    evidence = gather("compete", [hit(TEXT)])
    assert judged("compete", evidence, lambda question, sentences: [1.0, *[None] * (len(sentences) - 1)]) is evidence
    assert judged("compete", evidence, lambda question, sentences: [None] * len(sentences)) is evidence


def test_a_sentence_that_announces_a_list_goes_on_with_it() -> None:
    (sentence, *_) = extract(gather("What are the main factors?", [hit(LIST)]))
    assert sentence.text == "The main factors are as follows: • price • quality of tin"


def test_each_of_several_filings_says_something() -> None:
    mine, theirs = hit("We pay dividends to all."), hit("Rarely are dividends paid.", of=filing("Globex Inc."), rank=2)
    evidence = gather("pay dividends to all", [mine, theirs])
    assert [sentence.citations for sentence in extract(evidence)] == [(1,)]
    assert [sentence.citations for sentence in extract(evidence, each=True)] == [(1,), (2,)]


def test_a_sentence_that_points_back_is_said_behind_what_it_points_to() -> None:
    text = "Rain is rare. We have two segments, Tin and Salt. These segments reflect how we manage the business."
    (sentence, *_) = extract(gather("How are segments managed and reflected in the business?", [hit(text)]))
    assert sentence.text == "We have two segments, Tin and Salt. These segments reflect how we manage the business."


def test_an_item_of_a_list_is_said_without_its_glyph() -> None:
    (sentence, *_) = extract(gather("What about the quality of tin?", [hit("• quality of tin matters\n• price matters less")]))
    assert sentence.text == "quality of tin matters"
