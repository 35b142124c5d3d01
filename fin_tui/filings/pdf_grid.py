"""Rows of one table -> its cells: columns from the horizontal extents of figures, wrapped labels joined, headers spanned."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from itertools import pairwise

from fin_tui.filings.pdf_lines import Row, Segment
from fin_tui.filings.table_cells import RawCell
from fin_tui.language import ends_open

_TIE = 4.0
"""Points by which two groups of columns may be off a text's centre and count as centred alike."""


@dataclass(slots=True)
class Band:
    """Horizontal extent of a column."""

    x0: float
    x1: float
    left: float
    """Like ``x0``, with currency signs that stand off to the left counted in."""

    @property
    def centre(self) -> float:
        return (self.x0 + self.x1) / 2


def split_label(row: Row, bands: Sequence[Band], left: float) -> tuple[list[Segment], list[Segment]]:
    """The texts of a header row over the labels, which begin at ``left``, and those over ``bands``."""
    if not bands:
        return row.segments, []
    over: list[Segment] = []
    label: list[Segment] = []
    several = len(row.segments) >= len(bands)
    for segment in row.segments:
        centre = (segment.left + segment.x1) / 2
        starts_left = segment.left <= left + 2 * row.size
        nearer = abs(centre - bands[0].centre) < abs(centre - left) or (several and len(row.segments) - len(label) <= len(bands))
        beside = segment.x1 <= bands[0].x1 and (starts_left or not nearer)
        if not over and (beside or (starts_left and centre < bands[0].left)):
            label.append(segment)
        else:
            over.append(segment)
    return label, over


def header_spans(segments: Sequence[Segment], bands: Sequence[Band], below: Sequence[Segment]) -> list[tuple[int, int]]:
    """First and last column of each text; ``below`` holds the texts of the header rows under it."""
    if len(segments) == len(bands):
        return [(i, i) for i in range(len(bands))]
    bases = [_base(segment, bands) for segment in segments]
    plain: list[tuple[int, int]] = []
    wide: list[tuple[int, int]] = []
    for number, (segment, base) in enumerate(zip(segments, bases, strict=True)):
        low = min(base[0], bases[number - 1][1] + 1 if number else 0)
        high = max(base[1], bases[number + 1][0] - 1 if number + 1 < len(bases) else len(bands) - 1)
        plain.append(_nearest(segment, bands, base, (low, high)))
        wide.append(_widest(segment, bands, base, (low, high), below))
    sizes = {last - first for first, last in wide}
    disjoint = all(a[1] < b[0] for a, b in pairwise(wide))
    if (
        len(sizes) == 1
        and disjoint
        and max(sizes) > 0
        and (len(segments) > 1 or _spans_by_width(segments[0], bases[0], bands, below))
    ):
        return wide
    return plain


def _centred(segment: Segment, bands: Sequence[Band], first: int, last: int) -> float:
    """Distance between the centre of the text and that of the columns."""
    return abs((bands[first].left + bands[last].x1) / 2 - (segment.left + segment.x1) / 2)


def _base(segment: Segment, bands: Sequence[Band]) -> tuple[int, int]:
    hit = [i for i, band in enumerate(bands) if band.left < segment.x1 and segment.left < band.x1]
    if hit:
        return hit[0], hit[-1]
    centre = (segment.left + segment.x1) / 2
    near = min(range(len(bands)), key=lambda i: abs(bands[i].centre - centre))
    return near, near


def _nearest(segment: Segment, bands: Sequence[Band], base: tuple[int, int], limits: tuple[int, int]) -> tuple[int, int]:
    """The columns that the text is centred over best, unless ``base`` does nearly as well."""
    groups = [(i, j) for i in range(limits[0], base[0] + 1) for j in range(base[1], limits[1] + 1)]
    best = min(groups, key=lambda group: _centred(segment, bands, *group))
    own = _centred(segment, bands, *base)
    return base if own <= max(10.0, _centred(segment, bands, *best) + 3.0) else best


def _widest(
    segment: Segment, bands: Sequence[Band], base: tuple[int, int], limits: tuple[int, int], below: Sequence[Segment]
) -> tuple[int, int]:
    """The widest of the groups of columns that it is centred over, whose columns have headers of their own ``below``."""
    found = [base]
    for i in range(limits[0], base[0] + 1):
        for j in range(base[1], limits[1] + 1):
            low, high = bands[i].left - 6, bands[j].x1 + 6
            if sum(low < (s.left + s.x1) / 2 < high for s in below) > j - i:
                found.append((i, j))
    nearest = min(_centred(segment, bands, *group) for group in found)
    alike = [group for group in found if _centred(segment, bands, *group) <= nearest + _TIE]
    return max(alike, key=lambda group: group[1] - group[0])


def _spans_by_width(segment: Segment, base: tuple[int, int], bands: Sequence[Band], below: Sequence[Segment]) -> bool:
    """Whether a lone text is wider than the header under it: else it may be the first line of that header, as it surely is where
    nothing but the mark of a footnote is left for the second.
    """
    own = [s for s in below if bands[base[0]].left - 6 < (s.left + s.x1) / 2 < bands[base[1]].x1 + 6]
    if base[0] == base[1] and own and all(_is_mark(s.text) for s in own):
        return False
    return base[1] > base[0] or segment.x1 - segment.left > 1.2 * max((s.x1 - s.left for s in own), default=0.0)


def _is_mark(text: str) -> bool:
    """Whether a text is nothing but the mark of a footnote: "(a)", "**"."""
    inner = text[1:-1] if text[:1] == "(" and text[-1:] == ")" else ""
    is_letter = len(inner) in (1, 2) and inner.isascii() and inner.isalnum() and not inner.isupper()
    return is_letter or text in ("*", "**", "***", "†", "‡")


_OPEN_WORDS = frozenset("and or of the to for in on at by from with less net per a an including than".split())
_OPEN_SIGNS = (",", "(", "–", "—", "-")
_SAME_ROW = 0.85
"""Lines nearer than this, in ems, can't be two rows: their letters would touch."""


@dataclass(slots=True)
class _Line:
    """A row of the grid in the making: column -> segments, label lines in order."""

    y: float
    size: float
    cells: dict[tuple[int, int], list[Segment]] = field(default_factory=dict)
    """(first column, last column) -> segments in order; column 0 is the label."""
    header: bool = False

    @property
    def label(self) -> list[Segment]:
        return self.cells.get((0, 0), [])

    @property
    def label_only(self) -> bool:
        return set(self.cells) == {(0, 0)}


def grid(rows: Sequence[Row]) -> list[RawCell]:
    """Cells of the table that ``rows`` form; column 0 holds the row labels."""
    body_start = next((i for i, row in enumerate(rows) if _is_body(row)), None)
    bands = _columns(rows, body_start)
    if body_start is None:
        return _cells(_joined_text([_body(row, bands) for row in rows]))
    left = min(row.x0 for row in rows)
    head = [_header(row, bands, left, rows[index + 1 : body_start]) for index, row in enumerate(rows[:body_start])]
    while head and head[-1].label_only:  # a heading of the first row group stands under the header, not in it
        head.pop()
    body = [_body(row, bands) for row in rows[len(head) :]]
    label_end = bands[0].left if bands else float("inf")
    return _cells(head + _joined_labels(body, label_end))


def _is_body(row: Row) -> bool:
    figures = [segment for segment in row.segments if segment.is_value and not segment.is_year]
    if not figures:
        return False
    return len(row.segments) == len(figures) or any(segment in figures for segment in row.segments[1:])


def _merge(extents: list[tuple[float, float, float]]) -> list[Band]:
    """Bands of overlapping extents, each (x0, x1, left)."""
    bands: list[Band] = []
    for low, high, left in sorted(extents):
        if bands and low < bands[-1].x1:
            bands[-1].x1 = max(bands[-1].x1, high)
            bands[-1].left = min(bands[-1].left, left)
        else:
            bands.append(Band(low, high, left))
    for before, band in pairwise(bands):
        band.left = min(band.x0, max(band.left, before.x1))
    return bands


def _columns(rows: Sequence[Row], body_start: int | None) -> list[Band]:
    """Extents of the columns right of the labels."""
    if body_start is None:
        return _text_columns(rows)
    body = [row for row in rows[body_start:] if _is_body(row)]
    figures: list[tuple[float, float, float]] = []
    labels = [row.segments[0].x0 for row in rows[body_start:] if not row.segments[0].is_value]
    left = min(labels, default=None)
    for row in body:
        for index, segment in enumerate(row.segments):
            if (
                segment.is_value
                and (index or left is None or segment.left > left + 4 * row.size)
                and not (index == 0 and segment.is_year)
            ):
                figures.append((segment.x0, segment.x1, segment.left))
    bands = _merge(figures)
    texts: list[tuple[float, float, float]] = []
    for row in rows[body_start:]:
        for segment in row.segments[1:]:
            if not segment.is_value and not any(band.x0 < segment.x1 and segment.left < band.x1 for band in bands):
                texts.append((segment.left, segment.x1, segment.left))
    extra = [band for band in _merge(texts) if not any(other.x0 < band.x1 and band.x0 < other.x1 for other in bands)]
    return sorted(bands + extra, key=lambda band: band.x0)


def _text_columns(rows: Sequence[Row]) -> list[Band]:
    """Columns of a table of words: by extents where these leave gaps, else by the places where cells begin."""
    several = [row for row in rows if len(row.segments) > 1]
    most = max(len(row.segments) for row in several)
    bands = _merge([(s.left, s.x1, s.left) for row in several for s in row.segments])
    if len(bands) >= most:
        return bands[1:]
    starts: list[float] = []
    for x in sorted(s.left for row in several for s in row.segments):
        if not starts or x - starts[-1] > 1.5 * several[0].size:
            starts.append(x)
    return [Band(low, high - 0.1, low) for low, high in pairwise([*starts[1:], max(row.x1 for row in rows) + 1])]


def _header(row: Row, bands: list[Band], left: float, below: Sequence[Row]) -> _Line:
    """The header row with its texts in the columns that they stand over."""
    line = _Line(row.y, row.size, header=True)
    label, over = split_label(row, bands, left)
    if label:
        line.cells[0, 0] = label
    spans = header_spans(over, bands, [segment for other in below for segment in other.segments]) if over else []
    for segment, (first, last) in zip(over, spans, strict=True):
        line.cells.setdefault((first + 1, last + 1), []).append(segment)
    return line


def _body(row: Row, bands: list[Band]) -> _Line:
    """The row with each segment in its column; texts may reach over several."""
    line = _Line(row.y, row.size)
    for index, segment in enumerate(row.segments):
        hit = [i for i, band in enumerate(bands) if band.x0 < segment.x1 and segment.left < band.x1]
        if not bands or (index == 0 and segment.left < bands[0].left - 0.5 * row.size):
            key = (0, 0)
        elif hit and not segment.is_value:
            key = (hit[0] + 1, hit[-1] + 1)
        elif hit:
            best = max(hit, key=lambda i: min(bands[i].x1, segment.x1) - max(bands[i].x0, segment.x0))
            key = (best + 1, best + 1)
        else:
            centre = (segment.left + segment.x1) / 2
            near = min(range(len(bands)), key=lambda i: abs(bands[i].centre - centre))
            key = (near + 1, near + 1)
        line.cells.setdefault(key, []).append(segment)
    return line


def _joined_labels(lines: list[_Line], label_end: float) -> list[_Line]:
    """``lines`` with labels that run over two or more lines joined, whichever of these carries the figures."""
    pitches = sorted(b.y - a.y for a, b in pairwise(lines) if not a.label_only and not b.label_only)
    pitch = pitches[len(pitches) // 2] if pitches else 0.0
    edge = max((s.x1 for line in lines for s in line.label), default=0.0)
    out: list[_Line] = []
    for line in lines:
        last = out[-1] if out else None
        if last is not None and _continues(last, line, pitch, min(edge, label_end)):
            _absorb(last, line)
        else:
            out.append(line)
    return out


def _continues(last: _Line, line: _Line, pitch: float, edge: float) -> bool:
    """Whether ``line`` is the next line of the same grid row as ``last``."""
    gap = line.y - last.y
    if gap < _SAME_ROW * line.size:  # cells of one row set at different heights
        return True
    if not line.label and _text_goes_on(last, line, gap):
        return True
    if not line.label or not last.label or not (last.label_only or line.label_only) or gap > 1.6 * line.size:
        return False
    before, after = last.label[-1], line.label[0]
    tight = bool(pitch) and gap < 0.88 * pitch
    full = before.x1 + 0.25 * line.size + after.words[0].x1 - after.words[0].x0 > edge
    word = after.text.lstrip("($“\"'")[:1]
    goes_on = word.islower() or word.isdigit() or ends_open(before.text, _OPEN_WORDS, _OPEN_SIGNS)
    if before.text.endswith(":") or (last.label_only and before.words[0].bold and not after.words[0].bold):
        return False
    if line.label_only and after.x0 < last.label[0].x0 - 0.2 * line.size:
        return False
    return (tight and (full or goes_on)) or (full and goes_on) or (goes_on and word.islower() and gap < 1.25 * line.size)


def _text_goes_on(last: _Line, line: _Line, gap: float) -> bool:
    """Whether a line without a label goes on in a cell of words of the row above, with figures only where that has none."""
    if gap > 1.35 * line.size:
        return False
    words = {key for key, segments in line.cells.items() if not all(segment.is_value for segment in segments)}
    free = all(key in words or key not in last.cells for key in line.cells)
    return bool(words) and free and all(key in last.cells and _below(last, key, line.cells[key]) for key in words)


def _absorb(last: _Line, line: _Line) -> None:
    for key, segments in line.cells.items():
        last.cells.setdefault(key, []).extend(segments)
    last.y = line.y


def _joined_text(lines: list[_Line]) -> list[_Line]:
    """Lines of a table of words, with lines that only go on in cells above joined to these."""
    out: list[_Line] = []
    for line in lines:
        last = out[-1] if out else None
        gap = line.y - last.y if last else 0.0
        goes_on = (
            last is not None
            and not line.label
            and gap < 1.45 * line.size
            and all(_below(last, key, cell) for key, cell in line.cells.items())
        )
        if last is not None and (goes_on or gap < _SAME_ROW * line.size):
            _absorb(last, line)
        else:
            out.append(line)
    return out


def _below(line: _Line, key: tuple[int, int], segments: list[Segment]) -> bool:
    """Whether ``segments`` begin where the cell of ``line`` in the same columns begins."""
    above = line.cells.get(key)
    return above is None or -0.5 * line.size < segments[0].left - above[0].left < 3 * line.size


def _cells(lines: list[_Line]) -> list[RawCell]:
    labels = [line.label[0].x0 for line in lines if line.label]
    left = min(labels, default=0.0)
    cells: list[RawCell] = []
    for number, line in enumerate(lines):
        for (first, last), segments in sorted(line.cells.items()):
            text = " ".join(segment.text for segment in segments)
            indent = round(segments[0].x0 - left) if first == 0 else 0
            bold = all(word.bold for segment in segments for word in segment.words)
            cells.append(RawCell(text, number, first, colspan=last - first + 1, header=line.header, indent=indent, bold=bold))
    return cells
