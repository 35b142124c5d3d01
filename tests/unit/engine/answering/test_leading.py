"""What leads where no figure is sure: its first paragraph, and what is known of it."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from types import SimpleNamespace
from typing import Any

import pytest

from fin_tui.engine.answering import drafting
from fin_tui.engine.answering.compose import Draft, Timer
from fin_tui.engine.answering.drafting import Drafting, Made
from fin_tui.engine.answering.leading import FEATURES, SURE, chance, is_sure, known_of, leading
from fin_tui.engine.evidence.evidence import Evidence
from fin_tui.engine.evidence.extract import extract
from fin_tui.engine.figures.answer import Likely, Unsure
from fin_tui.engine.frame.reader import Frame, Span
from fin_tui.engine.searching.find import NO_FIGURE
from fin_tui.records import Sentence
from tests.unit.engine.answering.test_agreed import TOLD
from tests.unit.engine.evidence.test_evidence import evidence_of
from tests.unit.engine.made import hit

TEXT = "Our own shops brought in 34% of our net sales in 2023."
ELSEWHERE = "Our plants are in Ohio. Shoes are made there."
QUESTION = "what part of net sales is from shops"


def asked(operations: Mapping[str, float] | None = None) -> Frame:
    start = QUESTION.index("net sales")
    targets = (Span("net sales", start, start + len("net sales")),)
    sure = {"operation": 0.9, "answer": 0.9, "carry": 0.0, "figure": 0.9, "refusal": 0.0}
    shares = operations or {"lookup": 0.8, "share": 0.2}
    return Frame(QUESTION, (), (), targets, (), "lookup", "percent", "", (), sure, {"percent": 0.9}, shares)


def known(evidence: Evidence, unsure: Unsure | None = None, frame: Frame | None = None) -> dict[str, float]:
    told, evidence = extract(evidence)
    return dict(zip(FEATURES, known_of(leading(told), evidence, unsure, frame or asked()), strict=True))


def test_the_first_paragraph_is_what_leads() -> None:
    one, more, other = (Sentence(text, (1,), "grounded") for text in "abc")
    one, other = replace(one, opens="paragraph"), replace(other, opens="paragraph")
    assert leading((one, more, other)) == (one, more)
    assert leading((one,)) == (one,)
    assert leading(()) == ()


def test_a_sentence_with_the_words_and_a_number_of_the_kind_is_known_by_them() -> None:
    stated, aside = known(evidence_of(QUESTION, [hit(TEXT)])), known(evidence_of(QUESTION, [hit(ELSEWHERE)]))
    assert stated["named"] == 1.0
    assert stated["numbers"] == 1.0, "a year is no figure"
    assert stated["kind"] == 0.9
    assert aside["named"] == 0.0
    assert aside["numbers"] == 0.0
    assert aside["kind"] == 0.0
    assert stated["table"] == 0.0
    assert stated["computed"] == 0.2
    assert chance(tuple(stated.values())) > chance(tuple(aside.values()))


def test_what_leads_is_surer_where_the_likeliest_figure_stands_in_it() -> None:
    evidence = evidence_of(QUESTION, [hit(TEXT)])
    near = evidence.paragraphs[0].near
    place = (near.filing.id, near.paragraph.pieces[0].start)
    there = Unsure((Likely(34.0, 0.6, False, lambda: TOLD, place),), ())
    apart = Unsure((Likely(34.0, 0.6, False, lambda: TOLD, ("another", 3)),), ())
    inside, outside = known(evidence, there), known(evidence, apart)
    assert inside["likeliest"] == 1.0
    assert outside["likeliest"] == 0.0
    assert inside["share"] > outside["share"]
    assert chance(tuple(inside.values())) > chance(tuple(outside.values()))


def test_what_is_to_be_computed_seldom_stands_in_what_leads() -> None:
    evidence = evidence_of(QUESTION, [hit(TEXT)])
    printed, computed = known(evidence), known(evidence, frame=asked(operations={"share": 0.95, "lookup": 0.05}))
    assert chance(tuple(computed.values())) < chance(tuple(printed.values())) < 1
    assert 0 < SURE < 1


def test_what_leads_is_surer_where_it_was_read_as_answering() -> None:
    evidence = evidence_of(QUESTION, [hit(f"{TEXT}\n\n{ELSEWHERE}")])
    unread, hardly, surely = (known(replace(evidence, reread=logits)) for logits in ((), (-4.0, -4.5), (4.0, -4.5)))
    assert (unread["reread"], unread["ahead"]) == (-6.0, 0.0)
    assert (surely["reread"], surely["ahead"]) == (4.0, 8.5)
    assert chance(tuple(unread.values())) < chance(tuple(hardly.values())) < chance(tuple(surely.values()))
    strong = {name: 9.0 if name in ("share", "said", "kind", "named") else unread[name] for name in FEATURES}
    assert chance(tuple(strong.values())) >= SURE
    assert not is_sure(tuple(strong.values())), "nothing is told that was not read"
    assert is_sure(tuple((strong | {"reread": 4.0}).values()))


@pytest.mark.parametrize("sure", [True, False])
def test_what_surely_leads_is_told_alone_and_under_no_banner(monkeypatch: pytest.MonkeyPatch, *, sure: bool) -> None:
    told, evidence = extract(evidence_of(QUESTION, [hit(f"{TEXT}\n\n{ELSEWHERE}")]))
    other = replace(told[0], text=ELSEWHERE, opens="paragraph")
    understood: Any = SimpleNamespace(frame=asked(), target=SimpleNamespace(beyond=()))
    hits: Any = SimpleNamespace(similarity=0.9)
    draft = Draft(understood, hits, evidence, (told[0], other), Timer(), caution=NO_FIGURE)
    monkeypatch.setattr(Drafting, "drafted", lambda *_: Made(understood, hits, evidence, draft=draft))
    monkeypatch.setattr(drafting, "is_sure", lambda _: sure)
    monkeypatch.setattr(drafting, "may_be_read", lambda _: True)
    drafts: Any = object.__new__(Drafting)
    drafts._look_up = SimpleNamespace(is_doubted=lambda _: False)
    made = drafts.made(understood, Timer()).draft
    assert made is not None
    assert made.caution == ("" if sure else NO_FIGURE)
    assert made.sentences == ((told[0],) if sure else (told[0], other))
    monkeypatch.setattr(drafting, "may_be_read", lambda _: False)
    assert drafts.made(understood, Timer()).draft.caution == NO_FIGURE, "its numbers are not to be read among all lines"
    monkeypatch.setattr(drafting, "may_be_read", lambda _: True)
    drafts._look_up = SimpleNamespace(is_doubted=lambda _: True)
    assert drafts.made(understood, Timer()).draft.caution == NO_FIGURE
