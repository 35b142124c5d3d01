"""Parts and Items of a 10-K with their spans and a confidence."""

from __future__ import annotations

import re
from bisect import bisect_left
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, replace

from fin_tui.filings.section_headings import BY_NUMBER, ORDER, Candidate, find_candidates, plain, title_fits, unspaced
from fin_tui.filings.table_cells import is_number
from fin_tui.language import any_of, runs_of, split_sentences
from fin_tui.records import Block, BlockKind, Document, Section, Table

_LISTED = -6.0
_EMPTY = -1.5
_SHORT = 15  # Characters of body below which a heading is taken to have none.
_MOST = 1_000
"""Candidates that are weighed, each against each: a filing with every heading repeated on every page has fewer."""


def best_chain(candidates: Sequence[Candidate], length: int) -> list[Candidate]:
    """The candidates with rising Items and the highest sum of scores; ``length`` is that of the clean text.

    Earlier candidates win ties, so that a running "(continued)" heading never does.
    """
    usable = _likeliest([candidate for candidate in candidates if _worth(candidate) > 0])
    best = [0.0] * len(usable)
    before = [-1] * len(usable)
    for i, candidate in enumerate(usable):
        best[i] = _worth(candidate) - 1e-7 * candidate.start / max(1, length)
        own = best[i]
        for j in range(i):
            other = usable[j]
            if other.end > candidate.start or _last(other) >= candidate.order:
                continue
            value = (
                best[j] + own + (_EMPTY if candidate.start - other.end < _SHORT and candidate.order - _last(other) > 1 else 0.0)
            )
            if value > best[i]:
                best[i], before[i] = value, j
    if not usable:
        return []
    at = max(range(len(usable)), key=lambda i: best[i])
    chain: list[Candidate] = []
    while at >= 0:
        chain.append(usable[at])
        at = before[at]
    return chain[::-1]


def _likeliest(candidates: list[Candidate]) -> list[Candidate]:
    if len(candidates) <= _MOST:
        return candidates
    kept = sorted(range(len(candidates)), key=lambda i: _worth(candidates[i]), reverse=True)[:_MOST]
    return [candidates[i] for i in sorted(kept)]


def _worth(candidate: Candidate) -> float:
    worth = candidate.score + 0.5 * (len(candidate.numbers) - 1) + (_LISTED if candidate.listed else 0.0)
    return worth - (1.5 if candidate.paged and not candidate.listed else 0.0)


def _last(candidate: Candidate) -> int:
    return candidate.order if len(candidate.numbers) == 1 else candidate.order + len(candidate.numbers) - 1


_NEAR = 60
_NEAR_PAGED = 700
_LEAST = 4


def mark_contents(candidates: Sequence[Candidate]) -> list[Candidate]:
    """``candidates`` with ``listed`` set on those that stand in a table of contents.

    Such a list is a run of different Items close together, most of which are headed again elsewhere. A filing whose Items
    are all "None" or "Omitted" is a close run as well, but nothing heads them again.
    """
    marked = list(candidates)
    run: list[int] = []
    for index, candidate in enumerate(candidates):
        if run and not _follows(candidates[run[-1]], candidate):
            _judge(marked, run)
            run = []
        run.append(index)
    _judge(marked, run)
    return marked


def _follows(before: Candidate, candidate: Candidate) -> bool:
    gap = candidate.start - before.end
    near = _NEAR_PAGED if before.paged and candidate.paged else _NEAR
    if before.listed and candidate.listed:
        near = _NEAR_PAGED
    return gap <= near and candidate.order >= before.order


def _judge(marked: list[Candidate], run: Sequence[int]) -> None:
    numbered = [index for index in run if marked[index].numbered]
    if len({marked[index].numbers[0] for index in numbered}) < _LEAST:
        return
    inside = set(run)
    elsewhere = {n for i, c in enumerate(marked) if i not in inside and not c.listed for n in c.numbers}
    repeated = sum(marked[index].numbers[0] in elsewhere for index in run)
    paged = sum(marked[index].paged for index in run)
    if repeated * 2 >= len(run) or paged * 2 >= len(run) or sum(marked[index].listed for index in run) * 2 >= len(run):
        for index in run:
            marked[index] = replace(marked[index], listed=True)


STUB_LENGTH = 2500
"""Characters of an Item's body above which it is not taken for a mere pointer."""

_LITTLE = 200  # Characters of other text that leave a pointer a pointer.
_POINTS = re.compile(
    r"incorporated (?:herein |(?:in|into) (?:this|the|our) .{0,60})?by reference"
    r"|(?:is|are|be|appears?|set forth|found|included|contained|presented|information) (?:\w+ ){0,6}"
    r"(?:on|beginning on|at|in|under) (?:the )?(?:pages?\b|exhibit|annual report|proxy statement|item 15|part iv|item 8|section)"
    r"|\b(?:see|refer to|reference is made to)\b.{0,160}"
    r"(?:\bpages?\b|item \d|annual report|exhibit|proxy|following the signature|f-\d)"
    r"|cross[- ]reference",
    re.IGNORECASE | re.DOTALL,
)
_OPENING = (
    r"reports? of (?:the )?independent (?:registered )?(?:public )?(?:account|audit)(?!.*schedule)"
    r"|independent auditors? ?s? reports?|index to (?:the )?(?:consolidated )?financial statements?"
    r"|financial statements and (?:supplement|financial)"
)
_STATEMENT = (
    r"(?:condensed )?(?:consolidated )?(?:balance sheets?\b|statements? of (?:\w+ )?(?:consolidated )?"
    r"(?:operations|income|earnings|financial|cash|comprehensive|changes|(?:share|stock)holders|shareowners))"
    r"|notes to (?:the )?(?:consolidated )?financial statements?"
)
_STATEMENTS = re.compile(rf"{_OPENING}|{_STATEMENT}|(?:consolidated )?financial statements$")
_ANNEXED = tuple(
    (number, re.compile(pattern))
    for number, pattern in (
        ("8", rf"(?:{_OPENING}|{_STATEMENT}).{{0,60}}"),
        ("7", r"management(?: ?s)? discussion.{0,120}|financial review|managements? analysis.{0,80}"),
        ("7A", r"quantitative and qualitative disclosures? about market risk.{0,20}"),
        ("6", r"(?:\w+[- ]year )?(?:comparison of |summary of )?selected (?:consolidated )?financial data.{0,20}"),
    )
)
_EXHIBIT = re.compile(r"^\W*(?:exhibit|ex-)\s*(\d{1,3}(?:\.\d+)?)\b", re.IGNORECASE)
_SIGNATURES = (["signature"], ["signatures"])


def points_elsewhere(body: str) -> bool:
    """Whether an Item's ``body`` (without its heading) does little but refer the reader to another place."""
    if len(body) > STUB_LENGTH:
        return False
    sentences = [body[start:end] for start, end in split_sentences(body)]
    pointing = sum(len(sentence) for sentence in sentences if _POINTS.search(sentence))
    said = sum(map(len, sentences)) - pointing
    return pointing > 0 and said < max(_LITTLE, pointing)


def find_signatures(document: Document, after: int) -> Block | None:
    """The heading of the signatures, the first after the character ``after``."""
    for block in document.blocks:
        fits = block.start >= after and block.end - block.start < 40 and block.kind is not BlockKind.TABLE
        if fits and runs_of(document.text[block.start : block.end].lower().replace(" ", "")) in _SIGNATURES:
            return block
    return None


def find_exhibits(document: Document, after: int) -> list[Block]:
    """Blocks that head the exhibits filed in one file with the 10-K ("EXHIBIT 13"), after the character ``after``.

    The lines of an exhibit index begin in the same way, but stand side by side: what heads an exhibit has text behind it.
    """
    found: list[Block] = []
    seen = ""
    blocks = document.blocks
    for block in blocks:
        text = document.text[block.start : block.end]
        match = _EXHIBIT.match(text) if block.start >= after and len(text) < 120 and block.kind is not BlockKind.TABLE else None
        if match is None or match.group(1) == seen:
            continue
        behind = blocks[block.ordinal + 1 : block.ordinal + 6]
        if not behind or any(_EXHIBIT.match(document.text[b.start : b.end]) for b in behind):
            continue
        seen = match.group(1)
        found.append(block)
    return found


def find_statements(document: Document, start: int, end: int) -> Block | None:
    """Where financial statements begin within ``[start, end)``: the heading of the auditor's report, an index or a statement.

    Lists of exhibits name all of these; a heading counts only when the pages behind it hold a real statement.
    """
    headings = [
        block
        for block in document.blocks
        if start <= block.start < end
        and block.kind is BlockKind.HEADING
        and _STATEMENTS.match(plain(document.text[block.start : block.end]))
    ]
    for block in headings:
        behind = [b.table for b in document.blocks[block.ordinal : block.ordinal + 120] if b.table is not None and b.start < end]
        if sum(_is_statement(table) for table in behind) >= 3:
            return block
    return None


def _is_statement(table: Table) -> bool:
    figures = sum(any(is_number(cell.text) for cell in row[1:]) for row in table.rows)
    return figures >= 5 and len(table.columns) >= 3


def annexed_parts(document: Document, start: int, wanted: Collection[str]) -> list[tuple[str, Block]]:
    """(Item, block) for headings behind ``start`` that are those of an annual report to shareholders: its discussion, its
    statements and notes, its selected data. Only ``wanted`` Items; a heading that goes on with the same Item is left out."""
    found: list[tuple[str, Block]] = []
    for block in document.blocks:
        if block.start < start or block.end - block.start > 130 or block.kind in (BlockKind.TABLE, BlockKind.LIST):
            continue
        text = document.text[block.start : block.end]
        if runs_of(text)[-1:] and runs_of(text)[-1][-1].isdecimal():
            continue
        number = next((number for number, pattern in _ANNEXED if pattern.fullmatch(plain(text))), "")
        if number in wanted and (not found or found[-1][0] != number):
            found.append((number, block))
    return found


def by_page(document: Document, listed: Sequence[Candidate], missing: Sequence[str]) -> Mapping[str, Block]:
    """For each of the ``missing`` Items that an index names with a page, the block where that page says it begins."""
    first: dict[str, Block] = {}
    for block in document.blocks:
        if block.page_label:
            first.setdefault(block.page_label.lower(), block)
    found: dict[str, Block] = {}
    for entry in listed:
        opening = next((first.get(target) for target in runs_of(entry.target.lower())), None)
        if opening is not None and opening.start > entry.end:
            for number in entry.numbers:
                if number in missing:
                    found.setdefault(number, opening)
    return found


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


_EMPTY_BY_INTENT = any_of("reserved*, removed*, omitted*, none, not applicable*/required*")


def _stacks(text: str, marks: Sequence[_Mark], ends: Sequence[int]) -> list[tuple[int, int]]:
    """For each mark the first and last of the headings that stand right on top of one another, over one body, with it."""
    first, runs = 0, []
    for i, (mark, end) in enumerate(zip(marks, ends, strict=True)):
        goes_on = i + 1 < len(marks) and mark.numbers and marks[i + 1].numbers and not text[mark.end : end].strip()
        if not goes_on or (_EMPTY_BY_INTENT.search(mark.title) or "n/a" in mark.title.lower()):
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
