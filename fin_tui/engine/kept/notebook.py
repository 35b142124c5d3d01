"""What is kept in the notebook, made from answers, passages and figures; and where its quotes stand now."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, Literal, Protocol

from fin_tui.engine.evidence.passage import Passage, as_text, cite, quoted_table, rows_at
from fin_tui.engine.evidence.quotes import at_place, find_again, text_version
from fin_tui.engine.figures.shown import period, printed
from fin_tui.errors import NotFound, UsageError
from fin_tui.facts.words import spoken_name
from fin_tui.records import Answer, Block, Chunk, Citation, Filing, Hit, QuotedTable, Ranks, Saved, Sentence

Place = Literal["there", "moved", "gone"]


class Texts(Protocol):
    """Clean texts by filing id; raises ``NotFound``."""

    def text(self, filing_id: str) -> str: ...


class Chunks(Protocol):
    """The passage around a span."""

    def holding(self, filing_id: str, start: int, end: int) -> Chunk | None: ...


@dataclass(frozen=True, slots=True)
class Traced:
    """A kept citation and where its quote stands now."""

    citation: Citation
    """With the span of now, where it is not gone."""
    place: Place


def of_answer(answer: Answer, passages: Sequence[Passage]) -> Saved:
    """An answer with its support, figures and what its [n] mean. Raises ``UsageError`` for a question without an answer."""
    if answer.status != "answered":
        raise UsageError("That question was not answered: there is nothing to keep.", "Keep a passage instead.")
    used = {number for sentence in answer.sentences for number in sentence.citations} | _behind(answer.facts, answer.table)
    citations = {c.id: c for c in (*answer.citations, *(passage.citation for passage in passages))}
    caution = (Sentence(answer.caution, (), "grounded", opens="paragraph"),) if answer.caution else ()
    return Saved(
        "answer",
        answer.question,
        text=" ".join(filter(None, (answer.caution, answer.answer))),
        sentences=(*caution, *answer.sentences),
        citations=tuple(citations[number] for number in sorted(used) if number in citations),
        facts=answer.facts,
        calculation=answer.calculation,
        table=answer.table,
    )


def of_passage(passage: Passage) -> Saved:
    """A passage by the words that its citation quotes."""
    citation = passage.citation
    return Saved("passage", citation.reference, text=citation.words or passage.text, citations=(citation,))


def of_figure(fact: Mapping[str, Any], citation: Citation | None) -> Saved:
    """One figure as its filing prints it."""
    name = str(fact.get("label") or fact.get("concept") or "")
    whose = f"{spoken_name(citation.company)}: " if citation is not None and citation.company else ""
    return Saved(
        "figure",
        f"{whose}{name}, {period(fact)}".removesuffix(", "),
        text=", ".join(filter(None, (printed(fact), period(fact)))),
        citations=(citation,) if citation is not None else (),
        facts=(fact,),
    )


def of_span(filing: Filing, start: int, end: int, text: str, chunks: Chunks, blocks: Sequence[Block] = ()) -> Saved:
    """The words ``text[start:end]`` of a filing's clean text; within a table of ``blocks`` with the table: the rows that are
    marked, all where less than two are. Raises ``UsageError`` when they are none, or in no passage.
    """
    chunk = chunks.holding(filing.id, start, end) or chunks.holding(filing.id, start, start + 1)
    if chunk is None or not text[start:end].strip():
        raise UsageError("There is no passage here to keep.", "Mark some words of the filing first.")
    quoted = _table_at(start, end, blocks)
    end = min(end, chunk.end)
    citation = cite(1, Hit(1, chunk, filing, 1.0, Ranks()), start, end)
    if quoted is None:
        return Saved("passage", citation.reference, text=citation.words, citations=(citation,))
    told = Sentence(quoted.title, (citation.id,), "grounded", table=quoted)
    return Saved("passage", citation.reference, text=as_text(quoted), sentences=(told,), citations=(citation,))


def _table_at(start: int, end: int, blocks: Sequence[Block]) -> QuotedTable | None:
    """The table that holds the span, as it is quoted."""
    table = next((block.table for block in blocks if block.table is not None and block.start <= start < block.end), None)
    if table is None:
        return None
    rows = rows_at(table, [(start, end)])
    return quoted_table(table, rows if len(rows) > 1 else range(len(table.rows)))


def with_versions(saved: Saved, texts: Texts) -> Saved:
    """``saved`` with the version of each text that its citations' spans belong to."""
    versions = {}
    for filing in dict.fromkeys(citation.filing for citation in saved.citations):
        try:
            versions[filing] = text_version(texts.text(filing))
        except NotFound:
            continue  # Kept from a stored turn whose filing has left the library; the quote still stands.
    return replace(saved, texts=versions)


def trace(saved: Iterable[Saved], texts: Texts) -> dict[Citation, Traced]:
    """Every citation of ``saved`` with where its quote stands in the library of now."""
    traced: dict[Citation, Traced] = {}
    for entry in saved:
        for citation in entry.citations:
            if citation not in traced:
                traced[citation] = _trace(citation, entry.texts.get(citation.filing, ""), texts)
    return traced


def _trace(citation: Citation, version: str, texts: Texts) -> Traced:
    try:
        text = texts.text(citation.filing)
    except NotFound:
        return Traced(citation, "gone")
    if version == text_version(text):
        return Traced(citation, "there")
    found = find_again(citation, text)
    if found is None:
        return Traced(citation, "gone")
    is_same = (found.start, found.end) == (citation.start, citation.end)
    return Traced(at_place(citation, found), "there" if is_same else "moved")


def _behind(facts: Sequence[Mapping[str, Any]], table: Mapping[str, Any] | None) -> set[int]:
    """The citations that figures name."""
    cells = [cell for row in table["rows"] for cell in row["cells"]] if table else []
    return {number for held in (*facts, *cells) if (number := held.get("citation")) is not None}
