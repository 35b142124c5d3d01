"""Figures and passages of one answer, numbered together (pure)."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any

from fin_tui.engine.evidence.evidence import Bearing, Evidence, Focus
from fin_tui.engine.evidence.extract import OF_FIGURE, WORDS, extract, shorten, shorten_around, single_sentences
from fin_tui.engine.evidence.numbers import find_numbers
from fin_tui.engine.evidence.passage import Passage
from fin_tui.engine.evidence.verdict import Verdict, decide
from fin_tui.engine.figures.answer import FigureAnswer
from fin_tui.engine.frame.reader import Frame
from fin_tui.engine.questions.operation import asks_yes_no
from fin_tui.engine.questions.question import Question
from fin_tui.engine.structures.structure import StructureAnswer
from fin_tui.filings.sentences import split_sentences
from fin_tui.records import Sentence

_BEARS = 0.5
"""A sentence of prose with less of the question's words adds nothing to a figure, …"""
_NEAR = 0.1
"""… nor does one whose numbers are all further away than this from it."""
_MOST_DECIDE = 6
"""Sentences that may not contradict a yes or a no."""
_MOST_TRIED = 3
"""Sentences of the search that may add to what the structure says."""


def put_together(
    figures: FigureAnswer | None,
    outline: StructureAnswer | None,
    evidence: Evidence,
    question: Question | None = None,
    frame: Frame | None = None,
) -> tuple[tuple[Sentence, ...], Evidence, FigureAnswer | None]:
    """The answer without a language model: from facts, else from a section, else from the passages found.

    Gives its sentences, the passages of all as one evidence, and ``figures`` with their numbers among those.
    A plain sentence decides a ``question`` that asks for yes or no; where the ``frame`` asks for a figure, less is told.
    """
    if figures is not None:
        return combine(figures, evidence)
    if outline is not None:
        passages = _Merged(outline.passages, evidence, front=0)
        told = list(map(passages.sentence, outline.sentences))
        more = _more(outline, evidence)
        if more is not None:
            told.append(Sentence(shorten(more.text), (passages.found[more.passage] + 1,), "grounded", opens="paragraph"))
        return tuple(told), passages.evidence(evidence), None
    several = question is not None and len(question.companies) > 1
    is_yes_no = question is not None and (asks_yes_no(question.query) if frame is None else frame.answer == "yesno")
    if question is None or several or not is_yes_no:
        most = OF_FIGURE if frame is not None and frame.is_figure else WORDS
        sentences, evidence = extract(evidence, each=several, words=most)
        return sentences, evidence, None
    first, verdict = _deciding(evidence, question)
    sentences, evidence = extract(evidence, first=first)
    if verdict is not None and sentences:
        sentences = (replace(sentences[0], text=f"{verdict}: {sentences[0].text}"), *sentences[1:])
    return sentences, evidence, None


def _deciding(evidence: Evidence, question: Question) -> tuple[Bearing | None, Verdict | None]:
    """The sentence that decides ``question`` plainly, unless another speaks against it, and how; else what bears most."""
    found = single_sentences(evidence)
    texts = [one.near.paragraph.pieces[0].text for one in found]
    for at, one in enumerate(found[:_MOST_DECIDE]):
        others = [text for place, text in enumerate(texts[:_MOST_DECIDE]) if place != at]
        verdict = decide(question.subject, [texts[at], *others], one.near.filing.company)
        if verdict is not None:
            return one, verdict
    lead = evidence.paragraphs[0].near.paragraph if evidence.paragraphs else None
    return next((one for one in found if lead is not None and one.near.paragraph.pieces[0] in lead.pieces), None), None


def _more(outline: StructureAnswer, evidence: Evidence) -> Focus | None:
    """Where the filing may say more than its structure: the sentence of prose that bears most on the question."""
    said = {sentence.text for sentence in outline.sentences}
    for focus in evidence.focuses[:_MOST_TRIED] if outline.is_open else ():
        is_prose = evidence.passages[focus.passage].kind == "prose"
        if is_prose and focus.coverage >= _BEARS and shorten(focus.text) not in said:
            return focus
    return None


def combine(figures: FigureAnswer, evidence: Evidence) -> tuple[tuple[Sentence, ...], Evidence, FigureAnswer]:
    """The figures' sentences, then the one sentence of prose that tells the same matter; a passage of both is shown once.

    Passages stand in the order of the search, which puts those that print the figures where they belong.
    """
    found = {_key(passage) for passage in evidence.passages}
    is_found = any(_key(passage) in found for passage in figures.passages)
    merged = _Merged(figures.passages, evidence, front=None if is_found else int(_leads(evidence, figures)))
    told = list(map(merged.sentence, figures.sentences))
    context = _context(evidence, figures)
    if context is not None:
        told.append(Sentence(shorten(context.text), (merged.found[context.passage] + 1,), "grounded"))
    renumbered = replace(
        figures,
        sentences=tuple(told[: len(figures.sentences)]),
        passages=tuple(merged.passages[at] for at in merged.own),
        facts=tuple(merged.cited(fact) for fact in figures.facts),
        table=merged.table(figures.table),
    )
    return tuple(told), merged.evidence(evidence), renumbered


def beside(likely: FigureAnswer, evidence: Evidence) -> tuple[tuple[Sentence, ...], Evidence, FigureAnswer | None]:
    """The closest figure found, told as no more than that, then the paragraphs that answer best.

    A single figure stands in the filing's own words: the question's would say that it is what was asked for.
    """
    told, read = extract(evidence, words=OF_FIGURE)
    merged = _Merged(likely.passages, read, front=0)
    closest = likely.sentences[0].text
    if len(likely.facts) == len(likely.passages) == 1:
        words = likely.passages[0].citation.words
        closest = f"{likely.display}: “{shorten_around(words, str(likely.facts[0]['as_reported']))}”"
    first = (merged.sentence(replace(one, text=f"Closest figure found: {closest}")) for one in likely.sentences[:1])
    rest = (replace(one, citations=tuple(merged.found[number - 1] + 1 for number in one.citations)) for one in told)
    opened = (replace(one, opens="paragraph") if not at else one for at, one in enumerate(rest))
    return (*first, *opened), merged.evidence(read), None


class _Merged:
    """The passages that an answer is made from and those of the search in one list, numbered anew."""

    def __init__(self, own: Sequence[Passage], evidence: Evidence, *, front: int | None) -> None:
        """``own`` are numbered from 1. They stand at ``front``; with None where the search found them, and what it did not find
        behind the others. Another row of a passage that is already there comes last.
        """
        twins: dict[tuple[str, int], list[int]] = {}
        for at, passage in enumerate(own):
            twins.setdefault(_key(passage), []).append(at)
        firsts = [mine[0] for mine in twins.values()]
        order: list[tuple[bool, int]] = []
        """Of ``own`` or not, and its place there."""
        for at, passage in enumerate(evidence.passages):
            twin = twins.get(_key(passage))
            order += [(False, at)] if twin is None else [(True, twin[0])] if front is None else []
        last = max((at + 1 for at, (is_own, _) in enumerate(order) if is_own), default=0) if front is None else front
        there = {at for is_own, at in order if is_own}
        order[last:last] = [(True, at) for at in firsts if at not in there]
        order += [(True, at) for at in range(len(own)) if at not in firsts]
        places = {entry: place for place, entry in enumerate(order)}
        self.own = [places[True, at] for at in range(len(own))]
        """Where each of ``own`` came to stand, from 0."""
        self.found = [
            self.own[twins[_key(passage)][0]] if _key(passage) in twins else places[False, at]
            for at, passage in enumerate(evidence.passages)
        ]
        """Where each passage of the evidence did."""
        numbered = (own[at] if is_own else evidence.passages[at] for is_own, at in order)
        self.passages = [replace(p, citation=replace(p.citation, id=number)) for number, p in enumerate(numbered, start=1)]

    def sentence(self, sentence: Sentence) -> Sentence:
        """A sentence that cites ``own``, with the new numbers."""
        return replace(sentence, citations=tuple(self.own[number - 1] + 1 for number in sentence.citations))

    def cited(self, record: Mapping[str, Any]) -> Mapping[str, Any]:
        """A fact or a cell with its new ``citation``."""
        number = record.get("citation")
        return record if number is None else {**record, "citation": self.own[number - 1] + 1}

    def table(self, table: Mapping[str, Any] | None) -> Mapping[str, Any] | None:
        """A table with the new citations of its cells."""
        if table is None:
            return None
        return {**table, "rows": [{**row, "cells": [self.cited(cell) for cell in row["cells"]]} for row in table["rows"]]}

    def evidence(self, before: Evidence) -> Evidence:
        """``before`` with all passages; the quotes of ``own`` bear most."""
        focuses = tuple(replace(focus, passage=self.found[focus.passage]) for focus in before.focuses)
        quotes = [(at, self.passages[at].citation) for at in self.own]
        own = tuple(Focus(at, c.words, c.start, c.end, 1.0, 2.0 - order / 100) for order, (at, c) in enumerate(quotes))
        return Evidence(tuple(self.passages), (*own, *focuses), max(1.0, before.coverage), before.absent)


def _key(passage: Passage) -> tuple[str, int]:
    return passage.citation.filing, passage.start


def _context(evidence: Evidence, figures: FigureAnswer) -> Focus | None:
    filings = {passage.citation.filing for passage in figures.passages}
    for focus in evidence.focuses:
        passage = evidence.passages[focus.passage]
        is_prose = passage.kind == "prose" and len(split_sentences(focus.text)) == 1
        if not is_prose or (filings and passage.citation.filing not in filings) or focus.coverage < _BEARS:
            continue
        if any(_near(float(number.value), figures.value) for number in find_numbers(focus.text) if not number.is_year):
            return focus
    return None


def _leads(evidence: Evidence, figures: FigureAnswer) -> bool:
    """Whether the search's first passage tells one of the figures itself: then it answers more than the place of the figure."""
    if not evidence.passages:
        return False
    first = evidence.passages[0]
    wanted = [abs(float(fact["value"])) for fact in figures.facts if fact.get("value")]
    if figures.value:
        wanted.append(abs(figures.value))
    return any(
        abs(abs(float(number.value)) * by - value) <= float(number.accuracy) * by <= value / 2
        for number in find_numbers(first.text)
        if not number.is_year
        for by in ({1} if number.scaled or number.kind == "percent" else {1, first.scale})
        for value in wanted
    )


def _near(number: float, value: float | None) -> bool:
    """About the figure: prose that measures the same matter, perhaps a little differently, says most about it."""
    return value is not None and value != 0 and abs(number / value - 1) <= _NEAR
