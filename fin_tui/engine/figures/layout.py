"""How a grid stands in so many cells of a screen: names and labels broken into lines, else turned, else nothing (pure)."""

from __future__ import annotations

import textwrap
from collections.abc import Collection, Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import accumulate, chain, product

from rich.cells import cell_len

from fin_tui.engine.figures.shown import Cell, Grid

GAP, INDENT = 2, 2
_LEAST_LABEL, _EASY_LABEL = 12, 26
"""Cells by which a company or a figure is known again, and that a label of several words is read well in."""
_MOST_LINES = 5
"""Of a column's name."""
_MOST_BANDS = 4
_NO_BREAK, _AGAINST = "\xa0", ("vs", "vs.", "versus")
_WORDY = 20
"""A longer cell is words, which are broken into lines, and no figure."""


@dataclass(frozen=True, slots=True)
class Laid:
    """A grid in lines: names of the columns over rows, all cells as wide as ``widths``."""

    header: tuple[tuple[str, ...], ...]
    """Lines of the columns' names, the last one right over the first row."""
    rows: tuple[tuple[Cell, ...], ...]
    """A row of the grid whose label or cells are broken is several."""
    starts: tuple[int, ...]
    """Which of them begins each row of the grid."""
    widths: tuple[int, ...]
    words: frozenset[int]
    """Columns of words, which stand left; figures stand right."""
    marks: Collection[int] = ()
    """The numbers of sources that there is room for behind the cells."""
    ends: str = ""
    """The days on which the columns' periods end, where they have no room of their own."""


def lay_out(grid: Grid, width: int, known: Collection[int] = ()) -> tuple[Laid, ...]:
    """``grid`` for ``width`` cells, of a very wide one some columns under the others; empty where its cells must be stacked.

    ``known``: the numbers of sources that are marked behind the cells. Where it is too wide, first the names of columns, then
    labels are broken into lines, then a single row stands upright, then the days on which periods end stand in a line of their
    own, then the marks are left out, then rows and columns change places.
    """
    upright, bare = _upright(grid), _without_ends(grid)
    ways = ((grid, known), (upright, known), (bare, known), (grid, ()), (upright, ()), (_turned(grid), ()), (bare, ()))
    for one, marks in ways:
        if one is not None and (laid := _in_columns(one, width, marks)) is not None:
            return (replace(laid, ends=_ends(grid)) if one is bare else laid,)
    for bands in range(2, _MOST_BANDS + 1):
        found = [_in_columns(one, width, ()) for one in _bands(grid, bands)]
        if found and all(found):
            return tuple(laid for laid in found if laid is not None)
    return ()


def _bands(grid: Grid, number: int) -> Iterator[Grid]:
    """The columns in so many grids, each with all labels."""
    columns = range(grid.labels, len(grid.header))
    if len(columns) < 2 * number:
        return
    size = -(-len(columns) // number)
    for first in range(grid.labels, len(grid.header), size):
        kept = slice(first, first + size)
        rows = tuple((*row[: grid.labels], *row[kept]) for row in grid.rows)
        yield replace(grid, header=(*grid.header[: grid.labels], *grid.header[kept]), rows=rows)


def marked(cell: Cell, known: Collection[int]) -> str:
    """The cell's text with the mark of its source."""
    return f"{cell.text} [{cell.citation}]" if cell.citation in known else cell.text


def lines_of(grid: Grid, width: int) -> tuple[str, ...]:
    """The grid as plain lines of at most ``width`` cells."""
    laid = lay_out(grid, width)
    if not laid:
        return tuple(_stacked(grid))
    return tuple(chain.from_iterable((*([""] if at else ()), *_lines_of(one)) for at, one in enumerate(laid)))


def _lines_of(laid: Laid) -> tuple[str, ...]:
    rows = [*laid.header, *(tuple(cell.text for cell in row) for row in laid.rows)]
    lines = [(" " * GAP).join(_padded(row, laid)).rstrip() for row in rows]
    return (*lines, *([f"Periods end {laid.ends}"] if laid.ends else ()))


def _padded(row: Sequence[str], laid: Laid) -> list[str]:
    rooms = [" " * (width - cell_len(text)) for text, width in zip(row, laid.widths, strict=True)]
    return [text + room if at in laid.words else room + text for at, (text, room) in enumerate(zip(row, rooms, strict=True))]


def _stacked(grid: Grid) -> list[str]:
    lines = []
    for row in grid.rows:
        lines.append(row[0].text)
        named = zip(grid.header[1:], row[1:], strict=True)
        lines += [" " * INDENT + (f"{name} " if grid.labels == 1 else "") + cell.text for name, cell in named if cell.text]
    return lines


def _in_columns(grid: Grid, width: int, known: Collection[int]) -> Laid | None:
    """The columns side by side; None where they are too wide."""
    if not grid.header:
        return None
    cells = [[marked(row[at], known) for row in grid.rows] for at in range(len(grid.header))]
    label = max((cell_len(text) for text in (grid.header[0], *cells[0])), default=0)
    gaps = GAP * (len(grid.header) - 1)
    least = _EASY_LABEL if known else _LEAST_LABEL
    for breaks, most in product((False, True), range(1, _MOST_LINES + 1)):
        named = zip(grid.header[1:], cells[1:], strict=True)
        widths = [_narrowest(name, own, most, breaks=breaks) for name, own in named]
        room = width - gaps - sum(widths)
        if room >= min(label, _EASY_LABEL if most > 1 else label) or (
            most == _MOST_LINES and breaks and room >= min(label, least)
        ):
            return _broken(grid, (min(label, room), *widths), known)
    return None


def _narrowest(name: str, cells: Sequence[str], most: int, *, breaks: bool) -> int:
    """The least width in which the name has at most so many lines, and no word or figure is broken; with ``breaks`` the words of
    long cells may stand in several lines.
    """
    words = _unbroken(name).split(" ")
    least = max((_least(text) if breaks else cell_len(text) for text in (*cells, *words)), default=0)
    return next(wide for wide in range(max(least, 1), max(least, cell_len(name)) + 2) if len(_wrapped(name, wide)) <= most)


def _least(cell: str) -> int:
    size = cell_len(cell)
    return size if size <= _WORDY else max(_WORDY, *(cell_len(word) for word in cell.split()))


def _wrapped(text: str, width: int) -> list[str]:
    lines = textwrap.wrap(_unbroken(text), max(width, 1), break_on_hyphens=False) or [""]
    return [line.replace(_NO_BREAK, " ") for line in lines]


def _unbroken(name: str) -> str:
    """``name`` with the years that are set against each other held together: "21 vs. 20"."""
    words = name.split()
    for at in range(1, len(words) - 1):
        if words[at].lower() in _AGAINST and words[at - 1].isdecimal() and words[at + 1].isdecimal():
            words[at - 1 : at + 2] = [_NO_BREAK.join(words[at - 1 : at + 2]), "", ""]
    return " ".join(filter(None, words))


def _broken(grid: Grid, widths: tuple[int, ...], known: Collection[int]) -> Laid:
    names = [_wrapped(name, width) for name, width in zip(grid.header, widths, strict=True)]
    high = max(map(len, names))
    header = tuple(zip(*([*([""] * (high - len(lines))), *lines] for lines in names), strict=True))
    broken = [_lines(row, widths, known) for row in grid.rows]
    starts = tuple(accumulate(map(len, broken), initial=0))[:-1]
    return Laid(header, tuple(chain.from_iterable(broken)), starts, widths, _of_words(grid), known)


def _of_words(grid: Grid) -> frozenset[int]:
    """The labels, and columns of which more cells are words than figures."""
    columns = [[row[at].text for row in grid.rows if row[at].text] for at in range(len(grid.header))]
    wordy = {at for at, texts in enumerate(columns) if 2 * sum(map(_is_words, texts)) > len(texts)}
    return frozenset(range(grid.labels)) | wordy


def _is_words(text: str) -> bool:
    return any(map(str.isalpha, text)) and not any(map(str.isdigit, text))


def _lines(row: Sequence[Cell], widths: Sequence[int], known: Collection[int]) -> list[tuple[Cell, ...]]:
    columns = [_parts(cell, width, known, is_label=not at) for at, (cell, width) in enumerate(zip(row, widths, strict=True))]
    high = max(map(len, columns))
    return list(zip(*([*cells, *([Cell("")] * (high - len(cells)))] for cells in columns), strict=True))


def _parts(cell: Cell, width: int, known: Collection[int], *, is_label: bool) -> list[Cell]:
    """``cell`` in as many lines as it needs; the last has the mark of its source."""
    if cell_len(marked(cell, known)) <= width:
        return [cell]
    indent = " " * (len(cell.text) - len(cell.text.lstrip()))
    behind = indent + " " * INDENT if is_label else ""
    mark = cell_len(marked(cell, known)) - cell_len(cell.text)
    texts = textwrap.wrap(cell.text.strip(), max(width - mark, 1), initial_indent=indent, subsequent_indent=behind)
    return [replace(cell, text=text, citation=cell.citation if text is texts[-1] else None) for text in texts] or [cell]


def _upright(grid: Grid) -> Grid | None:
    """A row for each column of a grid of one figure; None of another."""
    if grid.labels > 1 or len(grid.rows) != 1 + grid.has_ends:
        return None
    columns = zip(grid.header[1:], *(row[1:] for row in grid.rows), strict=True)
    rows = tuple((Cell(name), *cells) for name, *cells in columns)
    return Grid((grid.header[0], *(row[0].text for row in grid.rows)), rows, labels=1 + grid.has_ends)


def _turned(grid: Grid) -> Grid | None:
    """Rows as columns, each named with the rows that head it; None where that makes it no narrower."""
    heads: dict[int, str] = {}
    named: list[tuple[str, tuple[Cell, ...]]] = []
    for row in grid.rows:
        label = row[0].text.strip()
        depth = len(row[0].text) - len(row[0].text.lstrip())
        heads = {at: head for at, head in heads.items() if at < depth}
        if not any(cell.text for cell in row[1:]):
            heads[depth] = label
        else:
            named.append((" ".join((*heads.values(), label)), row[1:]))
    if grid.labels > 1 or grid.has_ends or not named or len(named) >= len(grid.header) - 1:
        return None
    columns = zip(grid.header[1:], *(cells for _, cells in named), strict=True)
    return Grid((grid.header[0], *(name for name, _ in named)), tuple((Cell(name), *cells) for name, *cells in columns))


def _without_ends(grid: Grid) -> Grid | None:
    return replace(grid, rows=grid.rows[1:]) if grid.has_ends else None


def _ends(grid: Grid) -> str:
    return ", ".join(cell.text for cell in grid.rows[0][1:] if cell.text)
