"""What a company does, in its own words: the paragraph of its Item 1 that says so first."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace

from fin_tui.engine.evidence import Passage
from fin_tui.engine.figures.answer import FigureAnswer
from fin_tui.engine.structures import FilingReader, Passages, StructureAnswer
from fin_tui.facts.words import spoken_name
from fin_tui.language import any_of, runs_of, split_sentences
from fin_tui.records import BlockKind, Document, Filing, Section, Sentence

_ITEM = "1"
_ASIDE = any_of(
    "forward-looking, reference(s) to, used herein, in this (annual) report, form 10-k, website, "
    "web site, internet, incorporated by reference, free of charge, this document, table of contents, "
    "private securities litigation, fiscal year is, fiscal year ends, risk factors"
)
"""Speaks of the report, and not of the company."""
_WHO = any_of("we, our, the company, the corporation, the registrant, the bank")
_DOES = any_of(
    "is/are a/an/the/one/in/engaged/principally/primarily/among, provide(s), design(s), manufacture(s), develop(s), sell(s), "
    "operate(s), engaged, offer(s), produce(s), build(s), create(s), deliver(s), serve(s), own(s), invent(s), make(s)"
)
_FEWEST, _LEAST, _MOST, _FIRST = 12, 7, 3, 2
"""Words of a paragraph and of a sentence; sentences that are told, and among which the one that says it stands."""


def business(reader: FilingReader, filing: Filing) -> StructureAnswer | None:
    """The sentences that say what the company does; None where its filing has none of the kind."""
    section = reader.section(filing, _ITEM)
    if section is None:
        return None
    document = reader.document(filing)
    passages, told = Passages(reader, filing), []
    for start, end in _first_told(document, section, filing):
        number = passages.number(start, end)
        if number is not None:
            text = " ".join(document.text[start:end].split())
            told.append(Sentence(text, (number,), "grounded"))
    return StructureAnswer(tuple(told), tuple(passages.made), is_open=True) if told else None


def with_business(page: FigureAnswer, reader: FilingReader, filing: Filing) -> FigureAnswer:
    """``page``, the key figures of a company, with what it does above them: of words behind a table a screen shows few."""
    found = business(reader, filing)
    return page if found is None else above(page, found)


def above(page: FigureAnswer, found: StructureAnswer) -> FigureAnswer:
    """``page`` with the sentences of ``found`` above its figures."""
    before = len(page.passages)
    added: list[Passage] = [
        replace(one, citation=replace(one.citation, id=one.citation.id + before)) for one in found.passages
    ]  # fmt: skip
    told = (replace(one, citations=tuple(number + before for number in one.citations)) for one in found.sentences)
    first, *others = page.sentences
    figures = (replace(first, opens="paragraph"), *others)
    return replace(page, sentences=(*told, *figures), passages=(*page.passages, *added))


def _first_told(document: Document, section: Section, filing: Filing) -> Sequence[tuple[int, int]]:
    """The places of the first sentences that say what the company does, with those that go on from there in the paragraph."""
    name = {word for word in runs_of(spoken_name(filing.company).lower()) if len(word) > len("of")}
    for start, end in _paragraphs(document, section):
        spans = [(start + a, start + b) for a, b in split_sentences(document.text[start:end])]
        own = [(a, b) for a, b in spans if not _ASIDE.search(document.text[a:b])]
        at = next((at for at, (a, b) in enumerate(own[:_FIRST]) if _says(document.text[a:b], name)), None)
        if at is not None:
            return own[at : at + _MOST]
    return ()


def _paragraphs(document: Document, section: Section) -> Iterator[tuple[int, int]]:
    for block in document.blocks:
        is_prose = block.table is None and block.kind is not BlockKind.HEADING and section.start <= block.start < section.end
        if is_prose and len(document.text[block.start : block.end].split()) >= _FEWEST:
            yield block.start, block.end


def _says(sentence: str, name: set[str]) -> bool:
    """Whether a sentence is about the company of this ``name``, and says what it is or does."""
    is_own = not name.isdisjoint(runs_of(sentence.lower())) or _WHO.search(sentence) is not None
    return len(sentence.split()) >= _LEAST and is_own and _DOES.search(sentence) is not None
