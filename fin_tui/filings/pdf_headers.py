"""Which columns a header row's texts stand over: extents tell it for one column, centres for texts that span several."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise

from fin_tui.filings.pdf_lines import Row, Segment

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
    """Whether a lone text is wider than the header under it: else it may be the first line of that header."""
    own = [s.x1 - s.left for s in below if bands[base[0]].left - 6 < (s.left + s.x1) / 2 < bands[base[1]].x1 + 6]
    return base[1] > base[0] or segment.x1 - segment.left > 1.2 * max(own, default=0.0)
