"""The sheets of a model -> its typed numbers, each with label, period, company and units, whichever way the table lies (pure)."""

from __future__ import annotations

import datetime as dt
import re
from bisect import bisect_left
from collections import defaultdict
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import pairwise

from fin_tui.language import STARTS, any_of, day_of, month_number, runs_of
from fin_tui.sheets.view import ReadCell, ReadSheet

_TOKEN = re.compile(r"fye?|[a-z]+|\d+")
_SIGNS = frozenset(" -/,.:()'’")
_LEAD = any_of(
    "(for) (the) (fiscal) year/period/fy/fye/ye (ended/ending/end), (for) (the) (fiscal) 12/twelve months (ended/ending/end), "
    "as of/at"
)
_MARKS = dict.fromkeys("actual reported audited a".split(), False) | dict.fromkeys(
    "est estimate estimated forecast projected proj budget plan guidance e f p b".split(), True
)
"""What may follow a period, and whether it makes it an estimate."""
_YEAR_NAMES = frozenset(("", "fy", "fye", "cy", "fiscal", "fiscal year", "year", "calendar year"))
_QUARTERS = frozenset("1q 2q 3q 4q q1 q2 q3 q4 1h 2h h1 h2".split())
_RUNNING = any_of("ltm, ntm, ttm, ytd, three/six/nine months, 3/6/9 months")
_NEAREST, _FARTHEST = 1985, 2060
_LONGEST = 60


@dataclass(frozen=True, slots=True)
class HeadPeriod:
    """A period as a header names it."""

    year: int
    """The fiscal year as labelled, or the year of ``end``."""
    end: dt.date | None = None
    """The last day, where one is named; of a month alone its last day."""
    is_estimate: bool = False
    is_part: bool = False
    """A quarter, a half, the last twelve months: no fiscal year."""


def read_period(text: str) -> HeadPeriod | None:
    """The period that ``text`` names and nothing else; None for any other text."""
    text = " ".join(text.lower().split())
    tokens = _TOKEN.findall(text)
    if not tokens or len(text) > _LONGEST:
        return None
    if _is_part(tokens):
        return HeadPeriod(0, is_part=True)
    mark = tokens.pop() if len(tokens) > 1 and tokens[-1] in _MARKS else ""
    before_mark = text[: text.rindex(mark)].rstrip(" (-") if mark else text
    if not before_mark[-1].isalnum() or text[0] in "-/,.:" or "(" in before_mark or not _SIGNS.issuperset(_TOKEN.sub("", text)):
        return None
    is_estimate = _MARKS.get(mark, False)
    if (end := _end_in(tokens, text)) is not None:
        return HeadPeriod(end.year, end, is_estimate)
    *before, year = tokens
    is_said = len(year) == 4 or before or mark or text[0] in "'’"
    is_named = year.isdigit() and len(year) in (2, 4) and " ".join(before) in _YEAR_NAMES and is_said
    return HeadPeriod(_full(year), None, is_estimate) if is_named and is_year(_full(year)) else None


def _is_part(tokens: Sequence[str]) -> bool:
    """ "Q1 24", "1H FY2024E", "LTM", "six months ended …"."""
    written = "".join(tokens)
    year = written[2:].removeprefix("fy")
    year = year[:-1] if year[-1:].isalpha() else year
    is_quarter = written[:2] in _QUARTERS and year.isdigit() and 2 <= len(year) <= 4
    return is_quarter or _RUNNING.match(" ".join(tokens)) is not None


def _end_in(tokens: Sequence[str], text: str) -> dt.date | None:
    """The day, or the last day of the month, that the tokens of ``text`` are and nothing else."""
    said = " ".join(tokens)
    lead = _LEAD.match(said)
    tokens = said[lead.end() :].split() if lead else tokens
    if len(tokens) > 3 and tokens[0].isdigit() and len(tokens[0]) == 4:
        tokens = tokens[:3]  # A time behind it.
    numbers = [token for token in tokens if token.isdigit() and len(token) <= 4]
    names = [token for token in tokens if token.startswith(STARTS)]
    if len(numbers) == len(tokens) == 3 and len(numbers[0]) == 4 and "-" in text:
        return _end(numbers[0], int(numbers[1]), numbers[2])
    if len(numbers) == len(tokens) == 3 and "/" in text:
        return _end(numbers[2], int(numbers[0]), numbers[1])
    if len(names) != 1 or not 0 < len(numbers) < 3 or len(numbers) + 1 != len(tokens) or tokens[-1] != numbers[-1]:
        return None
    if tokens[0].isdigit() or len(numbers) == 1 or len(numbers[-1]) == 4:
        return _end(numbers[-1], month_number(names[0]), numbers[0] if len(numbers) > 1 else None)
    return None


def is_year(value: object) -> bool:
    """Whether a number may be a year."""
    return isinstance(value, (int, float)) and float(value).is_integer() and _NEAREST <= value <= _FARTHEST


def _end(year: str, month: int, day: str | None) -> dt.date | None:
    full = _full(year)
    if len(year) not in (2, 4) or not (is_year(full) and 1 <= month <= 12):
        return None
    if day is None:
        after = dt.date(full + month // 12, month % 12 + 1, 1)
        return after - dt.timedelta(days=1)
    return day_of(full, month, int(day))


def _full(year: str) -> int:
    number = int(year)
    return number if len(year) == 4 else number + (2000 if number < 70 else 1900)


_SCALES = (
    (any_of("billion(s), bn(s), $b, $ b, €b, € b, £b, £ b"), 1_000_000_000),
    (any_of("million(s), mln(s), mn(s), mm, $m, $ m, €m, € m, £m, £ m, usdm, usd m"), 1_000_000),
    (any_of("thousand(s), 000's, 000s, 000, $k, $ k, €k, € k, £k, £ k"), 1_000),
    (any_of("in (whole) (us) dollars, in actual (us) dollars, in units"), 1),
)
_PER_SHARE = re.compile(r"\bper\s+(?:\w+\s+){0,2}shares?\b|[$€£]\s*/\s*(?:sh|share)\b", re.I)
_EPS = any_of("eps")
_PERCENT = any_of("percent(age)")
_FILLERS = any_of(
    "in, usd, us, dollar(s), unit(s), unless, otherwise, stated, noted, amount(s), figure(s), all, and, of, x, "
    "fiscal, year(s), ended"
)
_EXCEPT = any_of("except, other than")


@dataclass(frozen=True, slots=True)
class HeadUnit:
    """What a caption or label says of its numbers; None for what it does not say."""

    scale: int | None = None
    is_percent: bool = False
    is_per_share: bool = False

    def __bool__(self) -> bool:
        return self.scale is not None or self.is_percent or self.is_per_share


def read_unit(text: str) -> HeadUnit:
    """The units that ``text`` names; "except per share data" does not make all of them per share."""
    said = _EXCEPT.split(text, maxsplit=1)[0]
    scale = next((scale for pattern, scale in _SCALES if pattern.search(said)), None)
    # A rate within a name ("tax at 21%") says nothing of the row's own numbers.
    is_percent = any(not before.rstrip()[-1:].isdigit() for before in said.split("%")[:-1]) or _PERCENT.search(said)
    return HeadUnit(scale, bool(is_percent), bool(_PER_SHARE.search(said) or _EPS.search(said)))


def is_caption(text: str) -> bool:
    """Whether ``text`` is about units and nothing else: "($ in millions, except per share)"."""
    rest = _EXCEPT.split(text, maxsplit=1)[0]
    for pattern, _ in _SCALES:
        rest = pattern.sub("", rest)
    rest = _PERCENT.sub("", _PER_SHARE.sub("", rest))
    return bool(read_unit(text)) and not any(char.isalnum() for char in _FILLERS.sub("", rest))


_CORNER_ROWS = 12
_ROWS_ABOVE = 24
"""Rows of texts above a number that may belong to it."""
_FISCAL_YEAR = any_of("fiscal year")
Company = Callable[[str], str]
"""A text -> the key of the company that it names, "" for none."""


@dataclass(frozen=True, slots=True)
class TypedNumber:
    """A number that somebody typed, with what stands around it."""

    sheet: str
    address: str
    value: float
    """As typed; a percentage typed as 0.147 in a percent format is 14.7."""
    places: int
    """Decimal places that are typed or shown: how exact it claims to be."""
    label: str
    section: str
    """The heading above the row."""
    column: str
    """The heading of the column, where that is a text beside the row's own."""
    period: HeadPeriod | None
    company: str
    """Key; "" where nothing near it names one."""
    scale: int | None
    """Factor that captions name; None where none does."""
    is_percent: bool
    is_per_share: bool


def typed_numbers(sheet: ReadSheet, company: Company) -> tuple[TypedNumber, ...]:
    """All typed numbers of a sheet that are no headers, in reading order."""
    return tuple(_Reader(sheet, company).read())


class _Reader:
    def __init__(self, sheet: ReadSheet, company: Company) -> None:
        self._sheet = sheet
        self._cells = sheet.cells
        self._company = company
        self._rows: dict[int, list[ReadCell]] = defaultdict(list)
        self._columns: dict[int, list[ReadCell]] = defaultdict(list)
        for (row, column), cell in sorted(sheet.cells.items()):
            self._rows[row].append(cell)
            self._columns[column].append(cell)
        self._known: dict[str, str] = {}
        self._corners: dict[int, list[str]] = {}

    def read(self) -> Iterator[TypedNumber]:
        for (row, column), cell in sorted(self._cells.items()):
            is_number = isinstance(cell.value, (int, float)) and not cell.formula and not cell.is_date
            if is_number and (row, column) not in self._heads:
                yield self._typed(cell)

    @cached_property
    def _heads(self) -> Mapping[tuple[int, int], HeadPeriod]:
        """The cells that name a period for the cells below or beside them."""
        found: dict[tuple[int, int], HeadPeriod] = {}
        for (row, column), cell in self._cells.items():
            if isinstance(cell.value, str) and not cell.formula and (period := read_period(cell.value)) is not None:
                found[row, column] = period
        for line in (*self._rows.values(), *self._columns.values()):
            numbers = [cell for cell in line if isinstance(cell.value, (int, float)) and not cell.is_date]
            if numbers and all(is_year(cell.value) for cell in numbers) and self._may_be_years(line, numbers):
                found.update({(cell.row, cell.column): HeadPeriod(int(cell.value or 0)) for cell in numbers})
        return found

    def _may_be_years(self, line: list[ReadCell], numbers: list[ReadCell]) -> bool:
        """Years run on by one, or are said to be years; a lone number without a word beside it is one."""
        texts = [cell.value for cell in line if isinstance(cell.value, str) and not cell.formula]
        if any("," in cell.number_format or "." in cell.number_format for cell in numbers):
            return False
        if any(map(_names_years, texts)):
            return True
        values = [float(cell.value) for cell in numbers if isinstance(cell.value, (int, float))]
        steps = {abs(b - a) for a, b in pairwise(values)}
        is_column = len({cell.column for cell in numbers}) == 1
        if len(values) > 1:
            return steps <= ({0.0, 1.0} if is_column else {1.0})
        return not is_column and all(is_caption(text) or self._company_of(text) or read_period(text) for text in texts)

    def _typed(self, cell: ReadCell) -> TypedNumber:
        left = self._left(cell)
        above = self._above(cell)
        words = [text for text in left if self._is_label(text)]
        heads = [text for text in above if self._is_label(text)]
        label = words[0] if words else heads[0] if heads else ""
        section = self._section(cell, has_label=bool(words))
        units = [read_unit(text) for text in (*(words[:1] or heads[:1]), *above, *left, section, *self._corner(cell.row))]
        scale = next((unit.scale for unit in units if unit.scale is not None), None)
        value = float(cell.value or 0.0)
        in_format = "%" in cell.number_format
        own: HeadUnit = next(iter(units), HeadUnit())
        named_percent = own.is_percent or any(read_unit(text).is_percent and is_caption(text) for text in (*above[:1], *left[1:]))
        places = max(_places(value * 100 if in_format else value), _shown_places(cell.number_format.partition(";")[0]))
        return TypedNumber(
            self._sheet.title, cell.address, round(value * 100, 10) if in_format else value, places, label, section,
            heads[0] if words and heads else "", self._period(cell, left), self._whose(cell, left, above, section), scale,
            in_format or named_percent, own.is_per_share,
        )  # fmt: skip

    def _is_label(self, text: str) -> bool:
        return not (is_caption(text) or read_period(text) or self._company_of(text) or not any(char.isalpha() for char in text))

    def _left(self, cell: ReadCell) -> list[str]:
        """The texts of the row before the cell, from the left: labels stand first."""
        return [
            other.value for other in self._rows[cell.row]
            if other.column < cell.column and isinstance(other.value, str) and not other.formula
        ]  # fmt: skip

    def _above(self, cell: ReadCell) -> list[str]:
        """The texts of the column above the cell, nearest first; an empty cell of a header row has the text to its left."""
        texts = self._texts[cell.column]
        own = texts[max(bisect_left(texts, (cell.row,)) - _ROWS_ABOVE, 0) : bisect_left(texts, (cell.row,))]
        merged = []
        for row in self._bare_above(cell.row):
            spans = [c for c in self._rows[row] if 1 < c.column < cell.column and isinstance(c.value, str)]
            if spans and (row, cell.column) not in self._cells:
                merged.append((row, str(spans[-1].value)))
        return [text for _, text in sorted((*own, *merged), reverse=True)]

    @cached_property
    def _texts(self) -> Mapping[int, list[tuple[int, str]]]:
        """Column -> (row, text) from the top."""
        found: defaultdict[int, list[tuple[int, str]]] = defaultdict(list)
        for column, cells in self._columns.items():
            found[column] = [(cell.row, cell.value) for cell in cells if isinstance(cell.value, str) and not cell.formula]
        return found

    @cached_property
    def _bare(self) -> list[int]:
        """The rows that hold texts, and no numbers but years."""
        return [row for row, cells in self._rows.items() if all(self._is_bare(cell) for cell in cells)]

    def _is_bare(self, cell: ReadCell) -> bool:
        is_text = isinstance(cell.value, str) or cell.value is None
        return is_text or (cell.row, cell.column) in self._heads

    def _bare_above(self, row: int) -> list[int]:
        """The bare rows above ``row``, nearest first: the last ones, and those at the top of the sheet."""
        above = self._bare[: bisect_left(self._bare, row)]
        near = above[-_ROWS_ABOVE:]
        return [*reversed(near), *(one for one in reversed(above[:_CORNER_ROWS]) if one < near[0])] if near else []

    def _section(self, cell: ReadCell, *, has_label: bool) -> str:
        """The nearest row above that has a text at its left and no number."""
        if not has_label:
            return ""
        for row in self._bare_above(cell.row):
            first = self._rows[row][0]
            if isinstance(first.value, str) and first.column < cell.column and self._is_label(first.value):
                return first.value
        return ""

    def _corner(self, row: int) -> list[str]:
        """What stands above the row in rows without numbers, captions of units first, nearest first; last the sheet's title."""
        if row not in self._corners:
            cells = [cell for above in self._bare_above(row) for cell in self._rows[above]]
            found = [cell.value for cell in cells if isinstance(cell.value, str) and not cell.formula]
            self._corners[row] = [*(text for text in found if is_caption(text)), *found, self._sheet.title]
        return self._corners[row]

    def _period(self, cell: ReadCell, left: list[str]) -> HeadPeriod | None:
        rows = self._head_rows.get(cell.column, [])
        at = bisect_left(rows, cell.row)
        if at:
            return self._heads[rows[at - 1], cell.column]
        for other in reversed([c for c in self._rows[cell.row] if c.column < cell.column]):
            if (other.row, other.column) in self._heads:
                return self._heads[other.row, other.column]
        texts = (*left, *self._corner(cell.row))
        return next((period for text in texts if (period := _within(text)) is not None), None)

    @cached_property
    def _head_rows(self) -> Mapping[int, list[int]]:
        """Column -> rows of the periods in it that stand above numbers, not beside them."""
        found: defaultdict[int, list[int]] = defaultdict(list)
        for row, column in sorted(self._heads):
            found[column].append(row)
        return found

    def _whose(self, cell: ReadCell, left: list[str], above: list[str], section: str) -> str:
        for text in (*left, *above, section, *self._corner(cell.row)):
            if key := self._company_of(text):
                return key
        return ""

    def _company_of(self, text: str) -> str:
        if text not in self._known:
            self._known[text] = self._company(text)
        return self._known[text]


def _within(text: str) -> HeadPeriod | None:
    """The one period that a title holds among other words: "Income statement FY2023"."""
    words = [word for word in runs_of(text.replace("FY ", "FY")) if word.startswith(("FY", "19", "20"))]
    found = {period for word in words if (period := read_period(word)) is not None}
    return found.pop() if len(found) == 1 else None


def _places(value: float) -> int:
    text = f"{value:.10f}".rstrip("0")
    return len(text.partition(".")[2])


def _shown_places(number_format: str) -> int:
    """Decimal places that a format shows; none where commas behind the last digit show thousands."""
    if any(not behind.startswith(("0", "#")) for behind in number_format.split("0,")[1:]):
        return 0
    behind = number_format.partition("0.")[2]
    return len(behind) - len(behind.lstrip("0"))


def _names_years(text: str) -> bool:
    """ "Years ended", "FY", "Company's fiscal year"."""
    said = " ".join(text.lower().split())
    return said.removeprefix("fiscal ").startswith(("year", "period", "fy")) or _FISCAL_YEAR.search(said) is not None
