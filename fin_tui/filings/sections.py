"""Parts and Items of a 10-K with their spans and a confidence."""

from __future__ import annotations

import re
from bisect import bisect_left
from collections.abc import Sequence
from dataclasses import dataclass

from fin_tui.filings.section_elsewhere import (
    STUB_LENGTH,
    annexed_parts,
    by_page,
    find_exhibits,
    find_signatures,
    find_statements,
    points_elsewhere,
)
from fin_tui.filings.section_headings import Candidate, find_candidates
from fin_tui.filings.section_items import BY_NUMBER, ORDER, title_fits, unspaced
from fin_tui.filings.section_order import best_chain
from fin_tui.filings.section_toc import mark_contents
from fin_tui.records import BlockKind, Document, Section

_STUB = 0.4
_BY_PAGE = 0.4
_BY_NAME = 0.45
_MOVED = 0.55


@dataclass(frozen=True, slots=True)
class _Mark:
    """Where a section begins. ``end`` is the end of its heading."""

    numbers: tuple[str, ...]
    start: int
    end: int
    title: str
    page: int
    confidence: float


def find_sections(document: Document) -> tuple[Section, ...]:
    """The sections of ``document`` in reading order.

    Their spans partition the clean text (merged Items share one span); what stands before the first Item and after the last
    (cover, signatures, exhibits) has the Item "". Items that the filing holds only as a pointer ("incorporated by
    reference") have a confidence below .5, as have those found by name or by an index alone. An Item whose content stands
    in another place (an Exhibit 13, F-pages) appears twice: as the pointer and as the content.
    """
    candidates = mark_contents(find_candidates(document))
    chain = best_chain(candidates, len(document.text))
    marks = [_mark(candidate) for candidate in chain]
    marks = _with_indexed(document, candidates, marks)
    marks = _with_annexes(document, marks)
    return tuple(_partition(document, marks))


def _mark(candidate: Candidate) -> _Mark:
    confidence = 0.5 + 0.04 * max(0.0, min(10.0, candidate.score + 1.0)) if candidate.numbered else _BY_NAME
    if candidate.listed:
        confidence = min(confidence, 0.3)
    return _Mark(candidate.numbers, candidate.start, candidate.end, _title(candidate), candidate.page, round(confidence, 2))


def _title(candidate: Candidate) -> str:
    title = " ".join(unspaced(candidate.title).split())
    if title and (candidate.titled or len(title) < 100):
        return title
    return BY_NUMBER[candidate.numbers[0]].title if not title else title[:100]


def _with_indexed(document: Document, candidates: Sequence[Candidate], marks: list[_Mark]) -> list[_Mark]:
    """Items that only an index names, at the page that it gives."""
    have = {number for mark in marks for number in mark.numbers}
    listed = [candidate for candidate in candidates if candidate.listed and candidate.numbered]
    missing = [number for number in ORDER if number not in have]
    for number, block in by_page(document, listed, missing).items():
        if not any(mark.start == block.start for mark in marks):
            marks.append(_Mark((number,), block.start, block.start, BY_NUMBER[number].title, block.page, _BY_PAGE))
    return sorted(marks, key=lambda mark: mark.start)


def _with_annexes(document: Document, marks: list[_Mark]) -> list[_Mark]:
    """Signatures, exhibits in the same file, and Items whose content stands behind them."""
    last = max((mark.end for mark in marks), default=0)
    signatures = find_signatures(document, last)
    extra: list[_Mark] = []
    if signatures is not None:
        extra.append(_Mark((), signatures.start, signatures.end, "Signatures", signatures.page, 0.9))
    for exhibit in find_exhibits(document, signatures.end if signatures else last):
        title = document.text[exhibit.start : exhibit.end]
        extra.append(_Mark((), exhibit.start, exhibit.end, title, exhibit.page, 0.8))
    starts = {mark.start for mark in marks}
    marks = [*marks, *(mark for mark in extra if mark.start not in starts)]
    return sorted([*marks, *_moved(document, marks)], key=lambda mark: mark.start)


def _moved(document: Document, marks: Sequence[_Mark]) -> list[_Mark]:
    """Where the content of Items 6, 7, 7A and 8 begins when the Items themselves are short: behind the exhibits or signatures."""
    bodies = _bodies(document, marks)
    wanted = {number for number in ("6", "7", "7A", "8") if number in bodies and bodies[number] < STUB_LENGTH}
    if not wanted:
        return []
    start = next((mark.end for mark in marks if {"14", "15"} & set(mark.numbers)), len(document.text))
    statements = find_statements(document, start, len(document.text))
    if statements is None:
        return []
    signed = next((mark.end for mark in marks if mark.title == "Signatures"), statements.start)
    taken = {mark.start for mark in marks}
    parts = annexed_parts(document, min(signed, statements.start), wanted)
    if "8" in wanted:
        parts = sorted([*parts, ("8", statements)], key=lambda part: part[1].start)
        parts = [part for i, part in enumerate(parts) if not i or parts[i - 1][0] != part[0]]
    return [
        _Mark((number,), block.start, block.end, document.text[block.start : block.end], block.page, _MOVED)
        for number, block in parts
        if block.start not in taken
    ]


def _bodies(document: Document, marks: Sequence[_Mark]) -> dict[str, int]:
    """Longest body of each Item."""
    ordered = sorted(marks, key=lambda mark: mark.start)
    found: dict[str, int] = {}
    for i, mark in enumerate(ordered):
        end = ordered[i + 1].start if i + 1 < len(ordered) else len(document.text)
        for number in mark.numbers:
            found[number] = max(found.get(number, 0), end - mark.end)
    return found


def _partition(document: Document, marks: Sequence[_Mark]) -> list[Section]:
    text = document.text
    if not text:
        return []
    starts = [_with_part_heading(document, mark.start) for mark in marks]
    sections: list[Section] = []
    if not marks or starts[0] > 0:
        sections.append(Section("", "", "Cover", 0, starts[0] if marks else len(text), 1, 0.9 if marks else 0.3))
    ends = [*starts[1:], len(text)] if starts else []
    for i, (first, last) in enumerate(_stacks(text, marks, ends)):
        mark, start, end = marks[i], starts[first], ends[last]
        confidence = mark.confidence
        if mark.numbers and points_elsewhere(text[marks[last].end : end]):
            confidence = min(confidence, _STUB)
        for number in mark.numbers or ("",):
            title = mark.title
            if len(mark.numbers) > 1 and not title_fits(number, title) and number != mark.numbers[0]:
                title = title or BY_NUMBER[number].title
            sections.append(Section(_part(number, mark.title), number, title, start, end, mark.page, confidence))
    return sections


_EMPTY_BY_INTENT = re.compile(r"reserved|removed|omitted|none\b|n/a|not (?:applicable|required)", re.IGNORECASE)


def _stacks(text: str, marks: Sequence[_Mark], ends: Sequence[int]) -> list[tuple[int, int]]:
    """For each mark the first and last of the headings that stand right on top of one another, over one body, with it."""
    first, runs = 0, []
    for i, (mark, end) in enumerate(zip(marks, ends, strict=True)):
        goes_on = i + 1 < len(marks) and mark.numbers and marks[i + 1].numbers and not text[mark.end : end].strip()
        if not goes_on or _EMPTY_BY_INTENT.search(mark.title):
            runs += [(first, i)] * (i + 1 - first)
            first = i + 1
    return runs


def _part(number: str, title: str) -> str:
    if number == "14" and title_fits("15", title) and title.lower().lstrip().startswith("exhibit"):
        return "IV"
    return BY_NUMBER[number].part if number else ""


def _with_part_heading(document: Document, start: int) -> int:
    """A heading "PART II" right above an Item begins the section with it."""
    at = bisect_left(document.blocks, start, key=lambda block: block.start)
    above = document.blocks[at - 1] if at else None
    if above is not None and above.kind is not BlockKind.TABLE:
        text = document.text[above.start : above.end]
        if len(text) < 20 and text.upper().replace(" ", "").startswith("PART"):
            return above.start
    return start
