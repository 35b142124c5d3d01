"""Items that only point elsewhere, and where their content stands: F-pages, an Exhibit 13, the pages an index names."""

from __future__ import annotations

import re
from collections.abc import Collection, Mapping, Sequence

from fin_tui.filings.section_headings import Candidate
from fin_tui.filings.section_items import plain
from fin_tui.filings.sentences import split_sentences
from fin_tui.filings.table_cells import is_number
from fin_tui.records import Block, BlockKind, Document, Table

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
_SELECTED = r"(?:\w+[- ]year )?(?:comparison of |summary of )?selected (?:consolidated )?financial data.{0,20}"
_ANNEXED = (
    ("8", re.compile(rf"(?:{_OPENING}|{_STATEMENT}).{{0,60}}")),
    ("7", re.compile(r"management(?: ?s)? discussion.{0,120}|financial review|managements? analysis.{0,80}")),
    ("7A", re.compile(r"quantitative and qualitative disclosures? about market risk.{0,20}")),
    ("6", re.compile(_SELECTED)),
)
_EXHIBIT = re.compile(r"^\W*(?:exhibit|ex-)\s*(\d{1,3}(?:\.\d+)?)\b", re.IGNORECASE)
_PAGED = re.compile(r"\d\s*\W*$")
_SIGNATURES = re.compile(r"^\W*signatures?\W*$", re.IGNORECASE)


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
        if fits and _SIGNATURES.match(document.text[block.start : block.end].replace(" ", "")):
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
        if _PAGED.search(text):
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
        target = re.split(r"[-–—,\s]", entry.target.strip().lower())[0]
        opening = first.get(target)
        if opening is not None and opening.start > entry.end:
            for number in entry.numbers:
                if number in missing:
                    found.setdefault(number, opening)
    return found
