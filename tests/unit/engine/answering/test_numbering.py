"""Sources are numbered as the reader meets them."""

from __future__ import annotations

from dataclasses import replace

from fin_tui.engine.answering.compose import in_order_of_appearance
from fin_tui.engine.evidence.evidence import Evidence, Focus
from fin_tui.engine.figures.answer import FigureAnswer
from fin_tui.records import Sentence
from tests.ui.fake_figures import comparison
from tests.ui.fakes import passages


def test_the_first_source_cited_is_the_first_and_everything_follows() -> None:
    found = passages(3)
    told = (Sentence("Detail.", (1,), "grounded", is_detail=True), Sentence("Result.", (3,), "computed"))
    focus = Focus(2, "x", 0, 1, 1.0, 1.0)
    figures = replace(comparison(), sentences=told, passages=found)
    sentences, evidence, renumbered = in_order_of_appearance(told, Evidence(found, (focus,), 1.0), figures)
    assert [sentence.citations for sentence in sentences] == [(3,), (1,)]
    assert [passage.text for passage in evidence.passages] == [found[2].text, found[1].text, found[0].text]
    assert [passage.citation.id for passage in evidence.passages] == [1, 2, 3]
    assert evidence.focuses[0].passage == 0
    assert isinstance(renumbered, FigureAnswer)
    assert renumbered.sentences == sentences
    assert renumbered.table is not None
    assert {cell["citation"] for row in renumbered.table["rows"] for cell in row["cells"]} == {2, None}


def test_what_stands_in_order_stays_as_it_is() -> None:
    found = Evidence(passages(3), (), 1.0)
    told = (Sentence("One.", (1, 2), "grounded"),)
    assert in_order_of_appearance(told, found, None) == (told, found, None)
