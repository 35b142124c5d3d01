"""Pages: where they end, what repeats at their edges, which number is printed on them, and what runs on over a boundary."""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from itertools import pairwise

from fin_tui.filings.html_pieces import Break, BreakSource, Content, Grid, Page, Para, Piece

_DEPTH = 5
"""How many pieces from the top or bottom of a page may belong to its running header or footer."""
_LONGEST = 200
_FEWEST = 3
"""How often a text has to stand at the edge of pages before it is a running one."""
_PAGE_NUMBER = re.compile(r"^[\s|–—-]*(?:page\s*)?((?:[A-Z]{1,3}\s?-\s?)?\d{1,3}|[ivxlc]{1,7})[\s|–—-]*$", re.IGNORECASE)
_ROMAN = re.compile(r"^[ivxlc]+$", re.IGNORECASE)
_NUMBER = re.compile(r"\d+")
_KEPT = re.compile(
    r"\b(?:in|of) (?:millions|thousands|billions)|\bper share|years? ended|months ended|as of |"
    r"at (?:december|june|march|september)|see (?:accompanying )?notes|accompanying notes|integral part|\*",
    re.IGNORECASE,
)
_DIVISION = re.compile(r"^part\s+[ivx]+\W*$", re.IGNORECASE)


def split_pages(pieces: Iterable[Piece]) -> list[Page]:
    """The pages of a flow, by the best kind of break it has: styles, else comments, else rules under a page number."""
    pieces = list(pieces)
    source = _break_source(pieces)
    pages = [Page(1)]
    last: Content | None = None
    for piece in pieces:
        if not isinstance(piece, Break):
            pages[-1].pieces.append(piece)
            last = piece
        elif piece.source == source and pages[-1].pieces and (source != "rule" or _is_page_number(last)):
            pages.append(Page(len(pages) + 1))
            last = None
    if len(pages) > 1 and not pages[-1].pieces:
        pages.pop()
    return pages


def _break_source(pieces: Sequence[Piece]) -> BreakSource:
    counts: dict[BreakSource, int] = defaultdict(int)
    for piece in pieces:
        if isinstance(piece, Break):
            counts[piece.source] += 1
    if counts["style"] >= _FEWEST or (counts["style"] and not counts["comment"]):
        return "style"
    return "comment" if counts["comment"] else "rule"


def _is_page_number(piece: Content | None) -> bool:
    return isinstance(piece, Para) and _PAGE_NUMBER.match(piece.text) is not None


@dataclass(frozen=True, slots=True)
class _Edge:
    """A short piece near the top or bottom of a page."""

    page: int
    text: str
    numbers: tuple[int, ...]


class RunningText:
    """What repeats at the edges of a filing's pages."""

    def __init__(self, pages: Sequence[Page]) -> None:
        self._positions: dict[str, int] = {}
        """Masked text -> which of its numbers counts the pages."""
        self._repeated: set[str] = set()
        by_mask: dict[str, list[_Edge]] = defaultdict(list)
        by_text: dict[str, list[int]] = defaultdict(list)
        for page in pages if len(pages) >= _FEWEST else ():
            for text in {_text(piece) for piece in (*page.pieces[:_DEPTH], *page.pieces[-_DEPTH:])}:
                if text:
                    edge = _Edge(page.number, text, tuple(int(number) for number in _NUMBER.findall(text)[:8]))
                    by_mask[_NUMBER.sub("#", text)].append(edge)
                    by_text[text].append(page.number)
        for mask, edges in by_mask.items():
            position = _counting_position(edges)
            if position is not None:
                self._positions[mask] = position
        for text, numbers in by_text.items():
            if _runs(numbers) and not _KEPT.search(text):
                self._repeated.add(text)
        self._many = len(pages) >= _FEWEST

    def label(self, piece: Content) -> str | None:
        """None when ``piece`` is no running text; else the page number printed in it, or ""."""
        text = _text(piece)
        if not text:
            return None
        alone = _PAGE_NUMBER.match(text) if self._many else None
        if alone and isinstance(piece, Para):
            number = alone[1].replace(" ", "")
            return number.lower() if _ROMAN.match(number) else number.upper()
        position = self._positions.get(_NUMBER.sub("#", text))
        if position is not None:
            return str(_NUMBER.findall(text)[position])
        return "" if text in self._repeated else None


def _text(piece: Content) -> str:
    """The text of a piece short enough to be running, in lower case; else empty."""
    if isinstance(piece, Grid):
        if len(piece.cells) > 8:
            return ""
        rows = piece.rows()
        text = piece.text if len(rows) <= 2 else ""
    else:
        text = piece.text
    return " ".join(text.split()).casefold() if len(text) <= _LONGEST else ""


def _counting_position(edges: Sequence[_Edge]) -> int | None:
    """Which number in these texts grows by one with each page; None when none does."""
    if len(edges) < _FEWEST or re.match(r"(?:item|note|part|exhibit)\b", edges[0].text):
        return None
    for position in range(len(edges[0].numbers)):
        offsets = [edge.numbers[position] - edge.page for edge in edges if len(edge.numbers) > position]
        same = sum(first == second for first, second in pairwise(offsets))
        if same >= max(2, 0.5 * (len(offsets) - 1)):
            return position
    return None


def _runs(pages: Sequence[int]) -> bool:
    """Whether a text at the edges of these pages is a running one: often, and on pages near each other."""
    near = sum(1 for first, second in pairwise(pages) if second - first <= 2)
    return len(pages) >= _FEWEST and near >= 2


def take_out_running(pages: Sequence[Page]) -> list[Content]:
    """Take running headers and footers out of ``pages``, give pages and pieces their labels; returns what was taken out.

    The first print of a repeated text at the top of a page stays when it is emphasised: it may be the only print of a title.
    """
    running = RunningText(pages)
    taken: list[Content] = []
    kept: set[str] = set()
    for page in pages:
        bottom = _peel(page, running, -1, taken, kept)
        top = _peel(page, running, 0, taken, kept)
        page.label = bottom or top
        for piece in page.pieces:
            piece.page, piece.label = page.number, page.label
    return taken


def _peel(page: Page, running: RunningText, edge: int, taken: list[Content], kept: set[str]) -> str:
    label = ""
    for _ in range(_DEPTH):
        if not page.pieces:
            break
        piece = page.pieces[edge]
        found = running.label(piece)
        if found is None:
            break
        text = _text(piece)
        if edge == 0 and not found and _is_title(piece) and text not in kept:
            kept.add(text)
            break
        label = label or found
        taken.append(page.pieces.pop(edge))
    return label


def _is_title(piece: Content) -> bool:
    if not isinstance(piece, Para) or piece.linked or "table of contents" in piece.text.casefold():
        return False
    return _DIVISION.match(piece.text) is not None or (
        (piece.look.bold or piece.text.isupper()) and "continued" not in piece.text.casefold()
    )
