"""Passages that print what is asked for lead, and a passage is shown once."""

from __future__ import annotations

from dataclasses import replace
from decimal import Decimal

from fin_tui.engine.answering.combine import combine
from fin_tui.engine.evidence.evidence import gather
from fin_tui.engine.figures.answer import FigureAnswer, answer_figures
from fin_tui.engine.searching.find import Printed, find_printed, tells
from fin_tui.facts.expression import Measure
from fin_tui.records import Hit, Sentence
from tests.unit.engine.figures.book import ACME, source, understood
from tests.unit.engine.made import hit

NEWEST = ACME[-1]
ROSE = hit("Revenue was up 20% on strong demand.", of=NEWEST, rank=15, start=900)
OTHERS = [hit(f"Weather of plant {n} was mild.", of=NEWEST, rank=n, start=1000 * n) for n in range(2, 6)]


def test_prose_that_tells_the_computed_percentage_moves_up() -> None:
    growth = Printed(results=(Measure(Decimal("20.4"), "%"),))
    assert growth.lead([*OTHERS, ROSE], is_lookup=False)[1] is ROSE
    assert growth.lead(OTHERS, is_lookup=False) == OTHERS


def test_a_percentage_that_anything_has_tells_nothing() -> None:
    all_of_it = hit("The subsidiary is owned 100%.", of=NEWEST)
    assert not tells(all_of_it, Measure(Decimal("100.2"), "%"))
    assert not tells(hit("About 20% of it.", of=NEWEST), Measure(Decimal("21.2"), "%"))
    assert not tells(hit("It has 20 plants.", of=NEWEST), Measure(Decimal("20.1"), "%"))


def test_growth_brings_its_result_and_the_places_of_its_figures() -> None:
    asked = understood("By what percentage did Acme's revenue grow in 2024?")
    printed = find_printed(asked, source())
    assert [result.unit for result in printed.results] == ["%"]
    assert len(printed.figures) == 2
    assert printed.lead([*OTHERS, ROSE], is_lookup=False).index(ROSE) <= 2


def test_a_question_for_words_has_no_places() -> None:
    assert find_printed(understood("Why did Acme's revenue grow in 2024?"), source()) == Printed()


def answered(question: str) -> tuple[FigureAnswer, Hit]:
    asked = understood(question)
    assert asked.reading is not None
    figures = answer_figures(asked.reading, asked.subjects, source())
    assert isinstance(figures, FigureAnswer)
    return figures, find_printed(asked, source()).places[0]


def test_a_passage_of_figures_and_of_the_search_is_shown_once_and_where_the_search_put_it() -> None:
    figures, place = answered("What was Acme's revenue in 2024?")
    sentences, evidence, told = combine(figures, gather("revenue", [ROSE, place, OTHERS[0]]))
    assert [passage.start for passage in evidence.passages] == [ROSE.chunk.start, place.chunk.start, OTHERS[0].chunk.start]
    assert [passage.citation.id for passage in evidence.passages] == [1, 2, 3]
    assert evidence.passages[1].citation.quote == figures.passages[0].citation.quote
    assert sentences[0].citations == told.sentences[0].citations == (2,)
    assert told.facts[0]["citation"] == told.passages[0].citation.id == 2
    assert evidence.focuses[0].passage == 1
    assert all(focus.text.split()[0].rstrip(":") in evidence.passages[focus.passage].text for focus in evidence.focuses)


def test_figures_that_the_search_did_not_find_stand_in_front() -> None:
    figures, _ = answered("What was Acme's net income in 2023 and 2024?")
    sentences, evidence, told = combine(figures, gather("income", [ROSE, OTHERS[0]]))
    assert len(evidence.passages) == len(figures.passages) + 2
    assert {p.citation.id for p in told.passages} == set(range(1, len(figures.passages) + 1))
    assert told.table is not None
    cells = [cell for row in told.table["rows"] for cell in row["cells"]]
    assert {cell["citation"] for cell in cells} <= {passage.citation.id for passage in told.passages}
    assert sentences[0].citations == figures.sentences[0].citations


def test_a_sentence_that_the_answer_quotes_does_not_stand_beside_it_again() -> None:
    figures, _ = answered("What was Acme's revenue in 2024?")
    assert figures.value is not None
    evidence = gather("revenue", [hit(f"Our revenue came to ${figures.value / 1e6:,.0f} million.", of=NEWEST)])
    *_, beside = combine(figures, evidence)[0]
    assert beside.text.startswith("Our revenue came to")
    quoting = replace(figures, sentences=(*figures.sentences, Sentence(f"“{beside.text}”", (1,), "grounded")))
    assert [one.text for one in combine(quoting, evidence)[0]] == [one.text for one in quoting.sentences]
