"""Where prose ends and tables begin in plain text: marked tables, and unmarked ones by their aligned columns."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from itertools import groupby, pairwise

from fin_tui.filings.text_columns import Token, tokens
from fin_tui.filings.text_pages import SourceLine, is_rule
from fin_tui.filings.text_tables import Grid, read_grid

_BRIDGE = 6
"""How many lines without figures a table may have between two lines with figures."""
_HEADER_LINES = 10
_LABELS_BETWEEN = 2
_WIDE = 0.75


def parts(lines: Sequence[SourceLine], width: int) -> Iterator[Grid | list[SourceLine]]:
    """Tables and runs of prose lines, in order; every line is in one of them. ``width`` is that of a full line of prose."""
    for (table, _), group in groupby(lines, key=lambda line: (line.table, 0 if line.table else line.page)):
        run = list(group)
        if table:
            yield from _marked(run, width)
        else:
            yield from _unmarked(run, width)


def _marked(run: list[SourceLine], width: int) -> Iterator[Grid | list[SourceLine]]:
    grid = None if _is_prose(run, width) else read_grid(run)
    if grid is None:
        yield from _unmarked(run, width)
    else:
        yield grid


def _is_prose(run: Sequence[SourceLine], width: int) -> bool:
    """Whether most lines are full lines of words without columns, though they stand between table marks."""
    filled = [line.text for line in run if line.text.strip() and not is_rule(line.text)]
    full = sum(1 for text in filled if len(text) > width * _WIDE and len(tokens(text)) == 1)
    return bool(filled) and full * 2 > len(filled)


def _unmarked(run: list[SourceLine], width: int) -> Iterator[Grid | list[SourceLine]]:
    split = [tokens(line.text) if line.text.strip() and not is_rule(line.text) else [] for line in run]
    seeds = [n for n, row in enumerate(split) if _has_figures(row) or _has_columns(run[n].text, row)]
    done = 0
    for first, last in _clusters(seeds, run, split, width):
        start = max(done, _with_header(first, run, split, width))
        grid = read_grid(run[start : last + 1])
        if grid is None:
            continue
        if start > done:
            yield run[done:start]
        yield grid
        done = last + 1
    if done < len(run):
        yield run[done:]


def _has_figures(row: Sequence[Token]) -> bool:
    """A label, a gap and figures; or figures alone. Justified prose has gaps too, but words on both sides of them."""
    numbers = [n for n, token in enumerate(row) if token.is_number]
    if not numbers or (numbers == [0] and len(row) == 1 and row[0].start < 20):
        return False
    words = len(row) - len(numbers)
    if words > 2 and len(numbers) < 2:
        return False
    if words > 3 and len(numbers) <= words:
        return False
    if numbers[-1] != len(row) - 1:
        return words <= 3 and len(numbers) >= 1 and _gap_before(row, numbers[0]) >= 4
    if len(numbers) == 1 and numbers[0] > 0:
        return _gap_before(row, numbers[0]) >= 3
    return True


def _gap_before(row: Sequence[Token], index: int) -> int:
    return row[index].start - row[index - 1].end if index else row[index].start


def _has_columns(text: str, row: Sequence[Token]) -> bool:
    """Two to five columns of words with clear gaps."""
    if not 2 <= len(row) <= 5:
        return False
    gaps = [after.start - before.end for before, after in pairwise(row)]
    return min(gaps) >= 3 and max(gaps) >= 4 and not re.match(r"\s*(?:item|part)\b", text, re.I)


def _clusters(
    seeds: Sequence[int], run: Sequence[SourceLine], split: Sequence[Sequence[Token]], width: int
) -> Iterator[tuple[int, int]]:
    """First and last line of each group of seeds that only short lines, rules and single blank lines stand between."""
    start = previous = -1
    for seed in [*seeds, len(run) + _BRIDGE * 10]:
        if previous >= 0 and not _bridged(previous + 1, seed, run, split, width):
            if _enough(range(start, previous + 1), split):
                yield start, previous
            start = seed
        elif previous < 0:
            start = seed
        previous = seed


def _bridged(start: int, end: int, run: Sequence[SourceLine], split: Sequence[Sequence[Token]], width: int) -> bool:
    """Whether the lines between two lines of a table are labels that go on, rules, or single blank lines."""
    if end > len(run):
        return False
    filled = [n for n in range(start, end) if split[n]]
    blanks = sum(1 for n in range(start, end) if not run[n].text.strip())
    if len(filled) > _BRIDGE or blanks > 3 + len(filled):
        return False
    left = max(_figures_start(split[start - 1]), _figures_start(split[end]))
    return all(split[n][-1].end <= left + 4 and len(run[n].text.strip()) < width * _WIDE for n in filled)


def _figures_start(row: Sequence[Token]) -> int:
    """Where the first column after the label begins."""
    return next((token.start for token in row[1:] if token.is_number), row[-1].start)


def _enough(span: range, split: Sequence[Sequence[Token]]) -> bool:
    figures = [n for n in span if _has_figures(split[n])]
    if len(figures) >= 2:
        return sum(token.is_number for n in figures for token in split[n]) >= 3
    edges = [token.start for n in span for token in split[n][1:]]
    shared = max((sum(abs(edge - other) <= 3 for other in edges) for edge in edges), default=0)
    return shared >= 3


def _with_header(first: int, run: Sequence[SourceLine], split: Sequence[Sequence[Token]], width: int) -> int:
    """The line that the table's header begins on, going up from the first figures.

    Header lines stand over the columns, perhaps with a label; up to two bare labels may stand between them and the figures,
    and the label of the uppermost may have begun a line earlier.
    """
    left = min((token.start for token in split[first][1:]), default=split[first][0].start if split[first] else 0)
    start = first
    blanks = labels = 0
    for n in range(first - 1, max(-1, first - 1 - _HEADER_LINES), -1):
        row = split[n]
        if not row:
            blanks += not run[n].text.strip()
            if blanks > 2:
                break
            continue
        if _is_full(run[n].text, row, width):
            break
        if row[0].start >= left - 12 or (row[-1].end > left and 1 < len(row) <= 8):
            start, blanks = n, 0
        elif row[-1].end <= left and labels < _LABELS_BETWEEN:
            labels += 1
        else:
            break
    headed = start < first or all(token.is_year for token in split[first][1:])
    if headed and start > 0 and len(split[start]) > 1 and split[start][0].start < left - 12:
        above = split[start - 1]
        if len(above) == 1 and above[0].end <= left and not run[start - 1].text.rstrip().endswith("."):
            start -= 1
    return start


def _is_full(text: str, row: Sequence[Token], width: int) -> bool:
    """A line of prose: as wide as prose is, without the gaps of a table."""
    return len(text.strip()) > width * _WIDE and all(after.start - before.end <= 2 for before, after in pairwise(row))
