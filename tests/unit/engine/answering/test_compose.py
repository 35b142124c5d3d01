"""What the finished answer says when a model words the figures."""

from __future__ import annotations

from dataclasses import replace
from typing import cast

from fin_tui.engine.answering.compose import Draft, Timer, compose, is_told_by_gaps, notes_of, of_whom, scale_left_out
from fin_tui.engine.evidence.evidence import Evidence, gather
from fin_tui.engine.figures.answer import FigureAnswer
from fin_tui.engine.frame.reader import Frame
from fin_tui.engine.questions.understanding import Request, understand
from fin_tui.engine.rank.filing_rows import lacks_scale
from fin_tui.engine.searching.find import Hits
from fin_tui.records import Filing, QuotedTable, Sentence, TableRecord
from tests.unit.engine.made import filing, hit

FIGURE = Sentence("Globex repurchase of shares, FY2021: $907 million.", (1,), "grounded")
OTHER = Sentence("We repurchased $893 million of shares in 2021.", (2,), "grounded")
WORDS = Sentence("Globex spent $907 million on its shares.", (1,), "grounded")


FIGURE_FRAME = Frame("wages?", (), (), (), (), "lookup", "money", "", (), {"figure": 0.9})


def draft(*sentences: Sentence) -> Draft:
    figures = FigureAnswer((FIGURE,), (), (), (), 907e6, "USD", display="$907 million")
    hits = Hits((), {}, (), "hybrid", None)
    return Draft(understand(Request("buybacks?"), (), None), hits, Evidence((), (), 1.0), sentences, Timer(), figures)


def test_a_second_reading_of_the_filing_stays_behind_the_models_words() -> None:
    answer = compose(draft(FIGURE, OTHER), [WORDS], "m", stopped=False)
    assert answer.sentences == (WORDS, OTHER)
    assert answer.answer.endswith("$893 million of shares in 2021. [2]")


def test_words_on_weak_evidence_are_shown_as_weak() -> None:
    weak = replace(draft(OTHER), caution="No exact answer found; closest passages below.", figures=None)
    answer = compose(weak, [WORDS], "m", stopped=False)
    assert (answer.model, answer.caution) == ("m", weak.caution)


def test_what_the_model_says_already_is_not_said_again() -> None:
    both = Sentence("It spent $907 million, or $893 million as told elsewhere, in 2021.", (1, 2), "grounded")
    assert compose(draft(FIGURE, OTHER), [both], "m", stopped=False).sentences == (both,)
    assert compose(draft(FIGURE), [WORDS], "m", stopped=False).sentences == (WORDS,)


def test_words_that_nothing_bears_out_leave_the_figures_standing() -> None:
    wrong = Sentence("It was $1 million.", (), "unsupported")
    answer = compose(draft(FIGURE, OTHER), [wrong], "m", stopped=False)
    assert answer.sentences == (FIGURE, OTHER)
    assert answer.model == "none"


def test_what_the_grid_says_of_a_company_is_no_note_as_well() -> None:
    cells = [{"display": None, "gap": "No filing covers fiscal 2021."}]
    full = [{"display": "$1 million", "gap": None}]
    rows = [{"label": "Acme Corp. · revenue", "cells": cells}, {"label": "Globex · revenue", "cells": full}]
    figures = FigureAnswer((FIGURE,), (), (), (), table=cast("TableRecord", {"columns": ["FY2021"], "rows": rows}))
    assert is_told_by_gaps("Acme Corp. FY2021 (in the library: FY2013)", figures)
    assert not is_told_by_gaps("Globex FY2020 (in the library: FY2021)", figures)
    assert not is_told_by_gaps("Acme Corp. FY2021 (in the library: FY2013)", None)


def test_weak_passages_say_whose_they_are_where_no_company_is_named() -> None:
    filings = (filing("Acme Corp."), filing("Globex Inc.", key="name:globex"))
    passage = gather("net income", [hit("Note 12. Net income per share.", of=filings[1])]).passages[0]
    weak, told = "No exact figure found; closest passages below.", draft(replace(OTHER, citations=(1,)))
    told = replace(told, figures=None, evidence=replace(told.evidence, passages=(passage,)))
    asked = replace(told.understood, target=replace(told.understood.target, filings=filings))
    assert of_whom(weak, replace(told, understood=asked)) == "No exact figure found; closest passages below, from Globex."
    alone = replace(asked, target=replace(asked.target, filings=filings[:1]))
    assert of_whom(weak, replace(told, understood=alone)) == weak
    assert of_whom("", told) == ""


def _in_millions(sentence: str, _: Filing) -> int:
    return 1_000_000 if lacks_scale(sentence) else 1


def test_the_scale_that_a_filing_leaves_out_of_its_sentences_is_told_with_them() -> None:
    acme = filing("Acme Corp.")
    passage = gather("wages", [hit("We paid $36 in wages.", of=acme)]).passages[0]
    told = replace(draft(Sentence("We paid $36 in wages.", (1,), "grounded")), figures=None)
    understood = replace(told.understood, target=replace(told.understood.target, filings=(acme,)), frame=FIGURE_FRAME)
    told = replace(told, understood=understood, evidence=replace(told.evidence, passages=(passage,)))
    note = "Acme's FY2024 filing prints most dollar amounts in its text in millions, without saying so each time."
    assert scale_left_out(told, _in_millions) == note
    assert note in notes_of("", replace(told, scale=note), None)
    assert not scale_left_out(told, lambda *_: 1)
    in_full = replace(told, sentences=(Sentence("We paid $36 million, or $12 per hour.", (1,), "grounded"),))
    assert not scale_left_out(in_full, _in_millions)
    row = Sentence("Wages: $36", (1,), "grounded", table=QuotedTable("", (), ()))
    assert not scale_left_out(replace(told, sentences=(row,)), _in_millions)


def test_a_figure_that_is_written_out_needs_no_scale() -> None:
    acme = filing("Acme Corp.")
    passage = gather("wages", [hit("We paid $36 in wages.", of=acme)]).passages[0]
    told = draft(Sentence("Acme's wages per head were $91,250.", (1,), "grounded"))
    understood = replace(told.understood, target=replace(told.understood.target, filings=(acme,)), frame=FIGURE_FRAME)
    told = replace(told, understood=understood, evidence=replace(told.evidence, passages=(passage,)))
    assert not scale_left_out(told, _in_millions)
    quoted = replace(told, sentences=(Sentence("Acme, FY2024: “We paid $36 in wages.”", (1,), "grounded"),))
    assert scale_left_out(quoted, _in_millions)
