"""Pages: where they end, what repeats at their edges, which number is printed on them, and what runs on over a boundary."""

from __future__ import annotations

import re
from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import pairwise

from fin_tui.filings.html_pieces import Break, BreakSource, Content, Grid, GridCell, Page, Para, Piece, is_bullet, shifted
from fin_tui.filings.section_headings import ROMAN, opening_divisions
from fin_tui.language import STARTS, any_of, ends_with_stop, is_enumerator, is_year, only_digits, runs_of, word_at_end

_DEPTH = 5
"""How many pieces from the top or bottom of a page may belong to its running header or footer."""
_LONGEST = 200
_FEWEST = 3
"""How often a text has to stand at the edge of pages before it is a running one."""
_NUMBER = re.compile(r"\d+")
_KEPT = any_of(
    "in/of millions/thousands/billions, per share, year(s) ended*, months ended, as of, at december/june/march/september, "
    "see notes, accompanying notes, integral part"
)
_FRAME, _LONGEST_NUMBER = " \t|–—-", 3
_DIVISIONS = frozenset("part parts item items and".split())
_AT_EDGES = 0.8
"""Share of a text's prints that must stand at edges of pages: a heading that recurs inside pages is no running one."""
_MANY_PAGES = 0.3


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
    return isinstance(piece, Para) and bool(page_number(piece.text))


@dataclass(frozen=True, slots=True)
class _Edge:
    """A short piece near the top or bottom of a page."""

    page: int
    text: str
    numbers: tuple[int, ...]


class RunningText:
    """What repeats at the outermost edges of a filing's pages. ``prints`` counts every text wherever it stands."""

    def __init__(self, pages: Sequence[Page], prints: Mapping[str, int]) -> None:
        self._positions: dict[str, int] = {}
        """Masked text -> which of its numbers counts the pages."""
        self._repeated: set[str] = set()
        by_mask: dict[str, list[_Edge]] = defaultdict(list)
        by_text: dict[str, list[int]] = defaultdict(list)
        divisions = 0
        for page in pages:
            texts = {_text(piece) for piece in (*page.pieces[:1], *page.pieces[-1:])}
            divisions += any(map(_is_bare_division, texts))
            for text in filter(None, texts):
                edge = _Edge(page.number, text, tuple(int(number) for number in _NUMBER.findall(text)[:8]))
                by_mask[_NUMBER.sub("#", text)].append(edge)
                by_text[text].append(page.number)
        for mask, edges in by_mask.items():
            position = _counting_position(edges)
            if position is not None:
                self._positions[mask] = position
        for text, numbers in by_text.items():
            if _runs(numbers) and len(numbers) >= _AT_EDGES * prints[text] and not (_KEPT.search(text) or "*" in text):
                self._repeated.add(text)
        self.names_divisions = divisions >= max(2 * _FEWEST, _MANY_PAGES * len(pages))
        """Whether the running headers say "PART II", "Item 7" and the like on most pages."""

    def label(self, piece: Content) -> str | None:
        """None when ``piece`` is no running text; else the page number printed in it, or ""."""
        text = _text(piece)
        if not text:
            return None
        alone = page_number(text) if isinstance(piece, Para) else ""
        if alone:
            return alone
        position = self._positions.get(_NUMBER.sub("#", text))
        if position is not None:
            return str(_NUMBER.findall(text)[position])
        named = self.names_divisions and _is_bare_division(text)
        return "" if named or text in self._repeated else None


def page_number(text: str) -> str:
    """The page number when ``text`` is nothing else: "- 12 -", "F-3", "Page 7", "iv"; empty otherwise."""
    number = text.strip(_FRAME).casefold().removeprefix("page").lstrip().replace(" -", "-").replace("- ", "-")
    letters, dash, digits = number.rpartition("-")
    is_counted = digits.isdecimal() and len(digits) <= _LONGEST_NUMBER
    if is_counted and (not dash or (letters.isalpha() and len(letters) <= _LONGEST_NUMBER)):
        return number.upper()
    return number if number in ROMAN else ""


def _is_bare_division(text: str) -> bool:
    """Whether ``text`` is nothing but names of Parts and Items: "part ii, items 5 and 6"."""
    words = runs_of(text)
    numbers = [word for word in words if word not in _DIVISIONS]
    return bool(numbers) and text.startswith(("part", "item")) and all(is_enumerator(number.rstrip("abc")) for number in numbers)


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
    text = edges[0].text
    if len(edges) < _FEWEST or any_of("item, note, part, exhibit").match(text) or (len(text) > 60 and text.endswith(".")):
        return None
    for position in range(len(edges[0].numbers)):
        offsets = [edge.numbers[position] - edge.page for edge in edges if len(edge.numbers) > position]
        same = sum(first == second for first, second in pairwise(offsets))
        if same >= max(2, 0.5 * (len(offsets) - 1)):
            return position
    return None


def _runs(pages: Sequence[int]) -> bool:
    """Whether a text at the edges of these pages is a running one: often, and on pages near each other."""
    # Three on end may be a heading that happens to open three pages; running texts come in longer rows.
    near = sum(1 for first, second in pairwise(pages) if second - first <= 2)
    return len(pages) > _FEWEST and near >= 2


def take_out_running(pages: Sequence[Page]) -> list[Content]:
    """Take running headers and footers out of ``pages``, give pages and pieces their labels; returns what was taken out.

    One piece is peeled off each edge at a time, and only on the evidence of pieces that stand at the very edge.
    The first print of a repeated text at the top of a page stays when it is emphasised: it may be the only print of a title.
    """
    taken: list[Content] = []
    if len(pages) >= _FEWEST:
        prints = Counter(_text(piece) for page in pages for piece in page.pieces)
        peeler = _Peeler()
        for _ in range(_DEPTH):
            running = RunningText(pages, prints)
            peeled = [piece for page in pages for piece in peeler.peel(page, running)]
            taken.extend(peeled)
            if not peeled:
                break
    for page in pages:
        for piece in page.pieces:
            piece.page, piece.label = page.number, page.label
    return taken


class _Peeler:
    """Takes running pieces off the edges of pages, remembering what it took from where."""

    def __init__(self) -> None:
        self._kept: set[str] = set()
        self._gone: set[tuple[int, int, str]] = set()
        self._labelled: set[tuple[int, int]] = set()

    def peel(self, page: Page, running: RunningText) -> Iterator[Content]:
        """The outermost pieces of ``page`` that are running text, taken off it; its label is set by the way."""
        for edge in (-1, 0):
            if not page.pieces:
                return
            piece = page.pieces[edge]
            text, label = _text(piece), running.label(piece)
            if label is None or (page.number, edge, text) in self._gone:
                continue
            # A second number at the same edge belongs to the text.
            if label and (page.number, edge) in self._labelled:
                continue
            if edge == 0 and not label and self._is_first_title(piece, text, running):
                continue
            self._gone.add((page.number, edge, text))
            if label:
                self._labelled.add((page.number, edge))
                page.label = page.label or label
            page.pieces.pop(edge)
            yield piece

    def _is_first_title(self, piece: Content, text: str, running: RunningText) -> bool:
        if running.names_divisions and _is_bare_division(text):
            return False
        if text in self._kept or not _is_title(piece):
            return False
        self._kept.add(text)
        return True


def _is_title(piece: Content) -> bool:
    if not isinstance(piece, Para) or piece.linked or "table of contents" in piece.text.casefold():
        return False
    is_part = opening_divisions(piece.text) == (" ".join(runs_of(piece.text.casefold())),) and piece.text[:1] in "Pp"
    return is_part or ((piece.look.bold or piece.text.isupper()) and "continued" not in piece.text.casefold())


_OPEN_ENDED = frozenset(
    "the a an of and or to in on by with for from as at our its their this that which is are was were be has have not".split()
)
_CONTINUED = any_of("continued")
_MONTH = any_of(",".join(f"{start}*" for start in STARTS))
_PERIOD_WORDS = any_of(
    "fiscal, for, the, year(s), month(s), week(s), quarter(s), ended, ending, as, of, at, in, millions, thousands, billions, "
    "dollars, except, per, share, data, amounts, and, continued, three, six, nine, twelve"
)
_SHORTEST = 40
_MOST_HEADER_ROWS = 6
_LONGEST_PARAGRAPH = 50_000
"""Characters of a paragraph, and"""
_LARGEST = 6_000
"""cells of a table, from which nothing more is joined to it."""
_END = 60
"""Characters that show how a text ends."""


def join_pages(pages: Sequence[Page], taken: list[Content]) -> list[Content]:
    """All pieces in reading order, with what runs on over a page boundary joined into one piece on its first page.

    Titles and header rows that a continued table repeats are added to ``taken`` instead.
    """
    pieces: list[Content] = []
    for page in pages:
        fresh = list(page.pieces)
        if pieces and fresh and page.number > 1:
            _join_boundary(pieces, fresh, taken)
        pieces.extend(fresh)
    return pieces


def _join_boundary(pieces: list[Content], fresh: list[Content], taken: list[Content]) -> None:
    last, first = pieces[-1], fresh[0]
    if isinstance(last, Para) and isinstance(first, Para):
        if _runs_on(last, first):
            pieces[-1] = _joined(last, first)
            fresh.pop(0)
        return
    if not isinstance(last, Grid):
        return
    titles = 0
    while titles < min(4, len(fresh)) and isinstance(fresh[titles], Para):
        titles += 1
    if titles == len(fresh):
        return
    following = fresh[titles]
    said = any(_CONTINUED.search(piece.text) for piece in fresh[:titles] if isinstance(piece, Para))
    if (titles and not said) or not isinstance(following, Grid):
        return
    merged = _merged(last, following, said=said)
    if merged is not None:
        pieces[-1], repeated = merged
        taken.extend((*fresh[:titles], repeated))
        del fresh[: titles + 1]


def _runs_on(last: Para, first: Para) -> bool:
    head = first.text[0]
    end = last.text[-_END:]
    if not _SHORTEST <= len(last.text) <= _LONGEST_PARAGRAPH or ends_with_stop(end) or last.look.bold != first.look.bold:
        return False
    listed = is_bullet(first.text.split(" ", 1)[0])
    if listed and len(first.text) > 2 and not head.isalnum():
        return False
    if head.islower():
        return not listed
    is_open = end.endswith((",", "–", "—", "-")) or word_at_end(end.lower(), "_") in _OPEN_ENDED
    return is_open and (head.isalnum() or head in '$“"(')


def _joined(last: Para, first: Para) -> Para:
    # A word divided at the boundary keeps its hyphen: whether it belongs to the word can't be known.
    gap = "" if last.text.endswith("-") and first.text[0].islower() else " "
    offset = len(last.text) + len(gap)
    return replace(last, text=last.text + gap + first.text, marks=(*last.marks, *shifted(first.marks, offset)), lead=last.lead)


def _merged(last: Grid, following: Grid, *, said: bool) -> tuple[Grid, Grid] | None:
    """``following`` put under ``last``, and the header rows it repeats; None when it is another table.

    Tables of two years often stand one above the other with the same columns, so a header that names only periods, or that
    differs in its last row, is no sign of one table.
    """
    if len(last.cells) > _LARGEST:
        return None
    old, new = last.rows(), following.rows()
    same = 0
    limit = min(_MOST_HEADER_ROWS, len(old), len(new) - 1)
    while same < limit and not _is_data(new[same]) and _key(old[same]) == _key(new[same]):
        same += 1
    headless = same == 0 and bool(new) and _is_data(new[0]) and _columns(old) == _columns(new)
    repeats = same > 0 and _width(old) == _width(new) and (said or not _only_periods(new[:same]))
    if repeats and len(old) > same and _differs_in_dates(old[same], new[same]):
        repeats = False
    if not (repeats or headless):
        return None
    offset = 1 + max((cell.row for cell in last.cells), default=0)
    first_row = new[same][0].row
    moved = [replace(cell, row=cell.row - first_row + offset) for cell in following.cells if cell.row >= first_row]
    repeated = [cell for cell in following.cells if cell.row < first_row]
    return replace(last, cells=[*last.cells, *moved]), replace(following, cells=repeated)


def _only_periods(rows: Sequence[Sequence[GridCell]]) -> bool:
    words = (word for row in rows for cell in row for word in runs_of(cell.text.lower(), "_"))
    return all(_PERIOD_WORDS.fullmatch(word) or _MONTH.match(word) or not any(map(str.isalpha, word)) for word in words)


def _differs_in_dates(old: Sequence[GridCell], new: Sequence[GridCell]) -> bool:
    """Whether two header rows are the same but for their dates."""
    if _is_data(new):
        return False
    first, second = ([_without_dates(text) for text in _key(row)] for row in (old, new))
    return first == second and any(only_digits(cell.text) for cell in new)


def _without_dates(text: str) -> list[str]:
    return "".join(" " if char.isdigit() or char == "," else char for char in _MONTH.sub("", text)).split()


def _key(row: Sequence[GridCell]) -> tuple[str, ...]:
    return tuple(_CONTINUED.sub("", cell.text).strip(" –—-():").casefold() for cell in row)


def _is_data(row: Sequence[GridCell]) -> bool:
    """A row with a label and figures that are no bare years."""
    figures = [cell for cell in row[1:] if _is_figure(cell.text) and not is_year(cell.text)]
    return len(row) > 1 and bool(figures) and not _is_figure(row[0].text)


def _is_figure(text: str) -> bool:
    digits = text.lstrip("$€£( -").rstrip(")% ")
    return digits[:1].isdecimal() and digits.replace(",", "").replace(".", "").isdecimal()


def _columns(rows: Sequence[Sequence[GridCell]]) -> set[int]:
    return {cell.column for row in rows for cell in row if _is_figure(cell.text)}


def _width(rows: Sequence[Sequence[GridCell]]) -> int:
    return max((cell.column + cell.colspan for row in rows for cell in row), default=0)
