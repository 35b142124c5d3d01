"""What the head of a table says: which rows it is, what each column is of, its period, and its unit and scale."""

from __future__ import annotations

import calendar
import datetime as dt
import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field

from fin_tui.filings.table_cells import Columns, GridCell
from fin_tui.language import MONTH, any_of, month_number

_MONTH = rf"(?P<month>{MONTH})"
_DATE = re.compile(rf"\b{_MONTH}\.?\s*(?P<day>\d{{1,2}})(?:st|nd|rd|th)?\s*,?\s*(?P<year>(?:19|20)\d\d)\b", re.IGNORECASE)
_DAY_FIRST = re.compile(rf"\b(?P<day>\d{{1,2}})\s+{_MONTH}\.?,?\s+(?P<year>(?:19|20)\d\d)\b", re.IGNORECASE)
_SLASHED = re.compile(r"(?<![\d/])(?P<month>\d{1,2})/(?P<day>\d{1,2})/(?P<year>(?:19|20)?\d\d)(?![\d/])")
_MONTH_DAY = re.compile(rf"\b{_MONTH}\.?\s*(?P<day>\d{{1,2}})(?:st|nd|rd|th)?\b(?!\s*,?\s*(?:19|20)\d\d)(?!\d)", re.IGNORECASE)
_MONTH_YEAR = re.compile(rf"\b{_MONTH}\.?,?\s+(?P<year>(?:19|20)\d\d)\b", re.IGNORECASE)
_YEAR = re.compile(r"(?<![\d.,$/-])(?P<year>(?:19|20)\d\d)(?![\d/]|[.,]\d|-\d)")
_SHORT_YEAR = re.compile(r"\b(?:FY|fiscal(?:\s+year)?)\s*['’]?(?P<year>\d\d)\b", re.IGNORECASE)

_QUARTER = (
    r"\b(?:three|3)[\s-]months?\s+(?:period\s+)?end|\bquarters?\s+ended\b|\b(?:thirteen|13|14|fourteen)[\s-]weeks?\b"
    r"|\b(?:(?:first|second|third|fourth|1st|2nd|3rd|4th)\s+)?quarter\b|\bQ[1-4]\b"
)
_FULL_YEAR = (
    r"\b(?:fiscal\s+|calendar\s+)?years?\s*[-–—]?\s*(?:ended|ending)\b|\b(?:twelve|12)[\s-]months?\s+(?:period\s+)?end|\b5[23][\s-]weeks?\b"
    r"|\bfor the (?:fiscal )?years?\b|\bfiscal\s+years?\b|\bfiscal\s+(?:19|20)\d\d\b|\bFY\s?\d\d"
)
_LENGTHS = (
    (re.compile(_QUARTER, re.IGNORECASE), 3),
    (any_of("six-month(s)/6-month(s) (period) end*, 26-week(s), 27-week(s), twenty-six-week(s)"), 6),
    (any_of("nine-month(s)/9-month(s) (period) end*, 39-week(s), 40-week(s), thirty-nine-week(s)"), 9),
    (re.compile(_FULL_YEAR, re.IGNORECASE), 12),
)
_INSTANT = re.compile(r"^\W*(?:as\s+(?:of|at)|at|balances?\s+(?:as\s+of|at)|outstanding\s+at)\b", re.IGNORECASE)
_INSTANT_TITLE = any_of("balance sheet(s), financial position/condition, assets and liabilities")
_FLOW_TITLE = any_of(
    "statement(s) of (consolidated) operations/income/earnings/comprehensive, statement(s) of (consolidated) cash "
    "flow(s), income statement(s), cash flow(s) statement(s), results of operations"
)
_FROM_TO = re.compile(r"\b(?:from|inception)\b.*\b(?:to|through|until)\b", re.IGNORECASE | re.DOTALL)
_WEEKS = re.compile(r"\b(?P<weeks>5[23])[\s-]weeks?\b", re.IGNORECASE)


@dataclass(frozen=True, slots=True)
class Period:
    """An instant (``start`` is None) or a duration, both ends inclusive."""

    start: dt.date | None
    end: dt.date | None


# Years that name a plan or a debt issue, and years in which loans were made, are no reporting periods.
_NO_PERIOD = re.compile(
    r"\b(?:19|20)\d\d\s+(?:\w+\s+)?(?:plans?|programs?|notes?|series|acquisitions?)\b|\bdue\b|\bvintage|\boriginat", re.IGNORECASE
)
_ORIGINATION = any_of("year(s)/period(s)/date(s) of origination, origination year/date/period, vintage")
FISCAL_LENGTH = (350, 380)
"""Days between the first and last day of a fiscal year, 52 and 53 weeks included."""
NO_PERIOD = Period(None, None)


def has_period_words(text: str) -> bool:
    """Whether ``text`` names a date, a year or the length of a period."""
    return any(p.search(text) for p in (_YEAR, _DATE, _SLASHED, _MONTH_DAY, _SHORT_YEAR)) or months_in(text) is not None


def months_in(text: str) -> int | None:
    """Length in months of the period that ``text`` names: 3, 6, 9, 12, or None."""
    return next((months for pattern, months in _LENGTHS if pattern.search(text)), None)


def fiscal_year_in(header: Sequence[str]) -> int | None:
    """The one year that a column's header names without a day or a part of a year; None otherwise."""
    own = " ".join(header)
    years = {int(match.group("year")) for match in _YEAR.finditer(own)}
    short = _SHORT_YEAR.search(own)
    if not years and short:
        years = {_full_year(short.group("year"))}
    if len(years) != 1 or _NO_PERIOD.search(own) or dates_in(own) or _MONTH_DAY.search(own) or months_in(own) not in (None, 12):
        return None
    return years.pop()


def dates_in(text: str) -> list[dt.date]:
    """Full dates in reading order; "June 2024" is the last day of that month."""
    found: dict[int, dt.date] = {}
    for pattern in (_DATE, _DAY_FIRST, _SLASHED, _MONTH_YEAR):
        for match in pattern.finditer(text):
            groups = match.groupdict()
            date = _date(groups["year"], groups["month"], groups.get("day"))
            if date and not any(abs(at - match.start()) < 4 for at in found):
                found[match.start()] = date
    return [found[at] for at in sorted(found)]


def read_periods(headers: Sequence[Sequence[str]], context: Sequence[str] = ()) -> list[Period]:
    """A period for each column from its header path.

    ``context`` holds what speaks for all columns at once (spanning captions, title, unit line), nearest first: a month and
    day, a period's length, or "as of" is taken from it when a column's own header has none.
    """
    common = " | ".join(context)
    flow = _FLOW_TITLE.search(common) is not None and not _INSTANT_TITLE.search(common)
    ends: list[dt.date | None] = []
    months: list[int | None] = []
    for header in headers:
        own = " ".join(header)
        end = _end_of(own, context) if own else None
        ends.append(end)
        months.append(None if end is None else _length_of(own, context, flow))
    weeks = _WEEKS.search(common)
    known = sorted({end for end, length in zip(ends, months, strict=True) if end and length == 12})
    return [_period(h, e, m, known, weeks) for h, e, m in zip(headers, ends, months, strict=True)]


def _end_of(own: str, context: Sequence[str]) -> dt.date | None:
    if _NO_PERIOD.search(own) or any(_ORIGINATION.search(text) for text in context):
        return None
    dates = dates_in(own)
    years = [int(match.group("year")) for match in _YEAR.finditer(own)]
    if dates:
        # "December 31, 2024" over "2026" is a table of later years, such as maturities: no period of ours.
        return dates[-1] if all(year in {date.year for date in dates} for year in years) else None
    short = _SHORT_YEAR.search(own)
    if not years and short:
        years = [_full_year(short.group("year"))]
    if len(set(years)) != 1:
        return None
    for text in (own, *context):
        found = list(_MONTH_DAY.finditer(text))
        if len({(m.group("month").lower()[:3], m.group("day")) for m in found}) == 1:
            return _date(str(years[0]), found[0].group("month"), found[0].group("day"))
    return None


def _length_of(own: str, context: Sequence[str], flow: bool) -> int | None:
    if _INSTANT.search(own):
        return None
    length = months_in(own)
    if length is not None:
        return length
    for text in context:
        length = months_in(text)
        if length is not None:
            return length
        if _INSTANT.search(text) or _INSTANT_TITLE.search(text):
            return None
    return 12 if flow else None


def _period(
    header: Sequence[str], end: dt.date | None, months: int | None, known: Sequence[dt.date], weeks: re.Match[str] | None
) -> Period:
    if end is None or months is None:
        return Period(None, end)
    own = " ".join(header)
    if _FROM_TO.search(own):
        dates = dates_in(own)
        if len(dates) >= 2:
            return Period(dates[0], end)
    return Period(start_of(end, months, known, _WEEKS.search(own) or weeks), end)


def start_of(end: dt.date, months: int, known: Sequence[dt.date] = (), weeks: re.Match[str] | None = None) -> dt.date:
    """First day of the period of ``months`` that ends on ``end``.

    A year that does not end with a month is one of 52 or 53 weeks, as are its neighbours (``known`` ends): it starts the day
    after the year before it ended, when that is known, else 52 weeks are taken.
    """
    month_end = _ends_month(end) and all(_ends_month(other) for other in known)
    if not month_end and months == 12:
        for before in known:
            if FISCAL_LENGTH[0] <= (end - before).days <= FISCAL_LENGTH[1]:
                return before + dt.timedelta(days=1)
        count = int(weeks.group("weeks")) if weeks else 52
        return end - dt.timedelta(days=7 * count - 1)
    if not month_end and months == 3:
        return end - dt.timedelta(days=7 * 13 - 1)
    index = end.year * 12 + end.month - 1 - months
    year, month = divmod(index, 12)
    last = calendar.monthrange(year, month + 1)[1]
    return dt.date(year, month + 1, last if month_end else min(end.day, last)) + dt.timedelta(days=1)


def _full_year(text: str) -> int:
    return int(text) if len(text) == 4 else (2000 if int(text) < 70 else 1900) + int(text)


def _ends_month(date: dt.date) -> bool:
    return date.day == calendar.monthrange(date.year, date.month)[1]


def _date(year: str, month: str, day: str | None) -> dt.date | None:
    number = int(month) if month.isdigit() else month_number(month)
    full = _full_year(year)
    if not 1 <= number <= 12:
        return None
    last = calendar.monthrange(full, number)[1]
    if day is None:
        return dt.date(full, number, last)
    return dt.date(full, number, int(day)) if 1 <= int(day) <= last else None


_FACTORS = {"thousand": 1_000, "million": 1_000_000, "billion": 1_000_000_000}
_LETTERS = {"MM": 1_000_000, "M": 1_000_000, "K": 1_000, "B": 1_000_000_000}
_WORD = re.compile(r"\b(thousand|million|billion)s\b|\$\s?(thousand|million|billion)\b", re.IGNORECASE)
_ZEROS = re.compile(
    r"(?:\$\s?|'|’|(?<!\d),|\(|\bin\s|^)(?P<zeros>(?:0?00,)?000)(?:['’]?s|\)|\b)|\$\s?(?P<letter>MM|M|K|B)\b", re.IGNORECASE
)
_CLAUSES = re.compile(r"[,;:]|\bexcept\b|\(|\)", re.IGNORECASE)
_NOT_MONEY = any_of(
    "share(s), unit(s), options, rsu(s), employees, barrels, tons, tonnes, gallons, feet, customers, warrants, "
    "subscribers, members, miles, hours"
)
_MONEY = ("dollar", "amounts", "$", "€", "£", "¥")
_BRACKETED = re.compile(r"\([^()]*(?:\([^()]*\)[^()]*)*\)|\[[^\[\]]*\]")
_OPENING = re.compile(
    r"^\W*(?:in|dollars?|amounts?|all|u\.?s\.?|usd|thousands|millions|billions|expressed|stated|figures|tabular|unaudited|000)\b|^\W*\$",
    re.IGNORECASE,
)
_CLOSING = re.compile(
    r"\b(?:in|of)\s+(?:u\.?s\.?\s+)?\$?\s?(?:dollars\s+)?(?:thousands|millions|billions)(?:\s+of\s+dollars)?\W*$", re.IGNORECASE
)
_DOLLARS = re.compile(r"^\W*(?:in|expressed in|amounts in)\s+(?:u\.?s\.?\s+)?(?:whole\s+)?dollars\b", re.IGNORECASE)
_LONGEST = 18  # Words of a caption that stands without brackets.


def scale_of(caption: str) -> int:
    """The factor on plain money amounts that ``caption`` states: 1, 1_000, 1_000_000 or 1_000_000_000.

    A clause about shares or customers is passed over, and one that names dollars goes first.
    """
    scaled = _scaled(caption)
    found = [(not names_money(of), word) for of, word in scaled if names_money(of) or not _NOT_MONEY.search(of)]
    if found:
        return _FACTORS[min(found, key=lambda pair: pair[0])[1]]
    zeros = _ZEROS.search(caption)
    if zeros is None:
        return 1
    if zeros.group("letter"):
        return _LETTERS[zeros.group("letter").upper()]
    return 1_000_000 if len(zeros.group("zeros")) > 3 else 1_000


def counted_in(caption: str) -> dict[str, int]:
    """The factor on numbers of each thing that ``caption`` names: "in millions, units in thousands" -> {"units": 1_000}."""
    of_things = [(of, word) for of, word in _scaled(caption) if not names_money(of)]
    return {thing.lower(): _FACTORS[word] for of, word in of_things for thing in _NOT_MONEY.findall(of)}


def _scaled(caption: str) -> list[tuple[str, str]]:
    """(what ``caption`` gives a scale to, with the scale's words; thousand, million or billion)."""
    found = []
    for clause in _CLAUSES.split(caption):
        at = 0
        for match in _WORD.finditer(clause):
            following = clause[match.end() :]
            of = clause[at : match.end()] + (following[:24] if following.lstrip().startswith("of ") else "")
            at = match.end()
            found.append((of, (match.group(1) or match.group(2)).lower()))
    return found


def names_money(text: str) -> bool:
    """Whether ``text`` has a sign of currency or speaks of dollars or amounts."""
    return any(sign in text.lower() for sign in _MONEY)


def caption_in(text: str) -> str:
    """The unit caption that ``text`` is, or holds in brackets, as printed; empty when there is none."""
    if not _speaks_of_units(text):
        return ""
    for found in reversed(_BRACKETED.findall(text)):
        if _speaks_of_units(found) and len(found.split()) <= 2 * _LONGEST:
            return str(found)
    if len(text.split()) <= _LONGEST and (_OPENING.search(text) or _CLOSING.search(text)):
        return text
    return ""


def find_units(texts: Iterable[str]) -> tuple[str, int]:
    """(caption, scale) from the first of ``texts`` that holds one; ("", 1) when none does."""
    for text in texts:
        caption = caption_in(text)
        if caption:
            return caption, scale_of(caption)
    return "", 1


def _speaks_of_units(text: str) -> bool:
    return _WORD.search(text) is not None or _ZEROS.search(text) is not None or _DOLLARS.search(text) is not None


_FIGURE = re.compile(r"(?<![\w,.])\$?\s?\(?\d[\d,]*(?:\.\d+)?%?(?![\w,]\w)")
_COMPANY = re.compile(
    r"(?:\b(?:inc|corp|corporation|company|companies|co|ltd|limited|plc|llc|l\.?p|n\.?v|group|trust|holdings|subsidiar(?:y|ies))\b\.?,?\s*)$",
    re.IGNORECASE,
)
_STATEMENT = any_of("statement(s), balance(s), schedule(s), summary, data, results, earnings, income")
_PERIOD_WORDS = frozenset(
    (
        "fiscal year years ended ending end the for as of at and in quarter quarters month months week weeks three six nine "
        "twelve january february march april may june july august september october november december change vs percent amount "
        "total"
    ).split()
)
_LONG = 25  # Words: a longer cell is prose, not a header.


@dataclass(slots=True)
class Header:
    """``rows`` leading rows are header; ``paths`` has one tuple per logical column."""

    rows: int
    paths: list[tuple[str, ...]]
    captions: list[str] = field(default_factory=list)
    """Texts that speak for the whole table, top down: titles, unit captions, "Years ended December 31,"."""


def count_header_rows(rows: Sequence[Sequence[GridCell]]) -> int:
    """How many leading rows are header.

    These are the rows above the first row of data that name columns. A row with nothing but a label ("Net sales:") below the
    last of them opens the body.
    """
    first = next((i for i, row in enumerate(rows) if any(cell.is_data for cell in row)), None)
    if first is None:
        return _count_in_words(rows)
    left = min(cell.left for row in rows for cell in row)
    count = 0
    for i, row in enumerate(rows[:first]):
        if any(len(cell.text.split()) > _LONG for cell in row):
            continue
        names_columns = len(row) > 1 or row[0].left > left or row[0].raw.header
        opens = not any(len(r) > 1 or r[0].left > left for r in rows[:i])
        if names_columns or (opens and _is_caption(row[0])) or caption_in(row[0].text) == row[0].text:
            count = i + 1
    return count


def _is_caption(cell: GridCell) -> bool:
    return bool(caption_in(cell.text)) or (has_period_words(cell.text) and cell.right - cell.left > 1)


def _count_in_words(rows: Sequence[Sequence[GridCell]]) -> int:
    """Tables without numbers: leading rows whose cells all are marked as headers or bold, while the body's are not."""
    count = 0
    for row in rows:
        if len(row) < 2 or not all(cell.raw.header or cell.raw.bold for cell in row):
            break
        count += 1
    if count < len(rows):
        return count
    return 0


def read_header(rows: Sequence[Sequence[GridCell]], count: int, columns: Columns) -> Header:
    """Header paths from the first ``count`` rows; spanning cells stand in the path of each column that they cover."""
    paths: list[list[str]] = [[] for _ in range(len(columns))]
    captions: list[str] = []
    for row in rows[:count]:
        covered = [_covered(cell, row, columns) for cell in row]
        if len(row) == 1 and _speaks_for_all(row[0], covered[0], len(columns)):
            captions.append(row[0].text)
            if len(covered[0]) < 2 or caption_in(row[0].text) == row[0].text:
                continue
        for cell, hit in zip(row, covered, strict=True):
            if caption_in(cell.text) == cell.text and cell is not row[0]:
                captions.append(cell.text)
                continue
            for column in hit:
                if column or len(hit) == 1 or len(columns) == 1:
                    _extend(paths[column], cell.value)
    return Header(count, [tuple(path) for path in paths], captions)


def _extend(path: list[str], text: str) -> None:
    if text and (not path or path[-1] != text):
        path.append(text)


def _speaks_for_all(cell: GridCell, covered: Sequence[int], count: int) -> bool:
    return 0 in covered or len(covered) >= count - 1 or count < 3


def _covered(cell: GridCell, row: Sequence[GridCell], columns: Columns) -> list[int]:
    """Columns that a header cell stands over; those of the other cells of its row are left to them."""
    taken = {other.column for other in row if other is not cell}
    hit = [column for column in columns.overlapping(cell.left, cell.right) if column not in taken]
    return hit or [cell.column]


def find_title(captions: Sequence[str], above: Sequence[str]) -> str:
    """The caption row that names the table, else the nearest text above that does; empty when none does."""
    for text in captions:
        if _names_table(text):
            return text
    for text in reversed(above[-4:]):
        text = text.strip()
        if len(_FIGURE.findall(text)) >= 6:
            return ""  # Another table: what stands above that is its title.
        bare = text.replace(caption_in(text) or "\0", "").strip(" :")
        if text.endswith(":") and len(text.split()) <= 45:
            return _last_sentence(bare)
        if _names_table(text) and bare:
            return bare
        if len(text.split()) > _LONG:
            return ""
    return ""


def _last_sentence(text: str) -> str:
    return text.rsplit(". ", 1)[-1]


def _is_bracketed(text: str) -> bool:
    """Whether one pair of brackets holds all of it."""
    return text[:1] == "(" and text[-1:] == ")" and text.count("(") == text.count(")") == 1


def _names_table(text: str) -> bool:
    if caption_in(text) == text or len(text.split()) > _LONG or text.endswith((";", ",")) or _is_bracketed(text):
        return False
    if text.endswith(".") and len(text.split()) > 8:
        return False
    if _COMPANY.search(text) and not _STATEMENT.search(text):
        return False
    words = [word for word in text.split() if any(c.isalpha() for c in word)]
    if len(_FIGURE.findall(text)) >= 3:
        return False
    letters = sum(c.isalpha() for c in text)
    return bool(words) and letters >= 4 and not _only_period(words)


def _only_period(words: Sequence[str]) -> bool:
    text = " ".join(words)
    if all(word.strip(",.:()").lower() in _PERIOD_WORDS for word in words):
        return True
    return has_period_words(text) and len(words) <= 4 and not _STATEMENT.search(text)
