"""What the head of a table says: which rows it is, what each column is of, its period, and its unit and scale."""

from __future__ import annotations

import calendar
import datetime as dt
import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field

from fin_tui.filings.table_cells import Columns, GridCell
from fin_tui.language import MONTH, any_of, from_first_word, month_number, word_at_end

_FULL = r"(?:19|20)\d\d"
_NAMED = re.compile(
    rf"\b(?P<month>{MONTH})(?:\.?\s*(?P<day>\d{{1,2}})(?:st|nd|rd|th)?(?:\s*,?\s*(?P<year>{_FULL})\b|\b(?!\s*,?\s*{_FULL}))"
    rf"|\.?,?\s+(?P<alone>{_FULL})\b)",
    re.IGNORECASE,
)
"""A month with its day, its day and year, or its year alone."""
_SLASHED = re.compile(r"(?<![\d/])(?P<month>\d{1,2})/(?P<day>\d{1,2})/(?P<year>(?:19|20)?\d\d)(?![\d/])")
_YEAR = re.compile(r"(?<![\d.,$/-])(?P<year>(?:19|20)\d\d)(?![\d/]|[.,]\d|-\d)")
_FISCAL = re.compile(r"\b(?:FY|fiscal(?:\s+year)?)\s*['’]?(?P<year>(?:19|20)?\d\d)\b", re.IGNORECASE)

_QUARTER = any_of(
    "three-month(s)/3-month(s) (period) end*, quarter, quarters ended, thirteen-week(s), 13-week(s), fourteen-week(s), "
    "14-week(s), q1/q2/q3/q4"
)
_ANNUAL = any_of(
    "year-ended/years-ended/year-ending/years-ending, twelve-month(s)/12-month(s) (period) end*, 52-week(s), 53-week(s), "
    "for the (fiscal) year(s), fiscal year(s)"
)
_LENGTHS = (
    (_QUARTER, 3),
    (any_of("six-month(s)/6-month(s) (period) end*, 26-week(s), 27-week(s), twenty-six-week(s)"), 6),
    (any_of("nine-month(s)/9-month(s) (period) end*, 39-week(s), 40-week(s), thirty-nine-week(s)"), 9),
    (_ANNUAL, 12),
    (_FISCAL, 12),
)
_INSTANT = any_of("as of/at, at, balance(s) as of, balance(s) at, outstanding at")
_INSTANT_TITLE = any_of("balance sheet(s), financial position/condition, assets and liabilities")
_FLOW_TITLE = any_of(
    "statement(s) of (consolidated) operations/income/earnings/comprehensive, statement(s) of (consolidated) cash "
    "flow(s), income statement(s), cash flow(s) statement(s), results of operations"
)
_FROM, _TO = any_of("from, inception"), any_of("to, through, until")
_WEEKS = any_of("52-week(s), 53-week(s)")


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
_ROOM_OF_DAY = 5
"""Characters before a month in which its day may stand."""


def has_period_words(text: str) -> bool:
    """Whether ``text`` names a date, a year or the length of a period."""
    return bool(_NAMED.search(text) or _SLASHED.search(text) or _years_in(text)) or months_in(text) is not None


def months_in(text: str) -> int | None:
    """Length in months of the period that ``text`` names: 3, 6, 9, 12, or None."""
    return next((months for pattern, months in _LENGTHS if pattern.search(text)), None)


def fiscal_year_in(header: Sequence[str]) -> int | None:
    """The one year that a column's header names without a day or a part of a year; None otherwise."""
    own = " ".join(header)
    years = set(_years_in(own))
    if len(years) != 1 or _NO_PERIOD.search(own) or dates_in(own) or _days_in(own) or months_in(own) not in (None, 12):
        return None
    return years.pop()


def _years_in(text: str) -> list[int]:
    """The years that ``text`` names in four digits; where there are none, that of a first "FY24"."""
    short = (_full_year(match["year"]) for match in _FISCAL.finditer(text) if len(match["year"]) == 2)
    return [int(match["year"]) for match in _YEAR.finditer(text)] or list(short)[:1]


def _days_in(text: str) -> list[tuple[str, str]]:
    """(month, day) as printed, of the days without a year."""
    return [(match["month"], match["day"]) for match in _NAMED.finditer(text) if match["day"] and not match["year"]]


def dates_in(text: str) -> list[dt.date]:
    """Full dates in reading order; "June 2024" is the last day of that month."""
    found = {match.start(): date for match in _NAMED.finditer(text) if (date := _named_date(text, match))}
    found |= {match.start(): date for match in _SLASHED.finditer(text) if (date := _date(*match.group("year", "month", "day")))}
    return [found[at] for at in sorted(found)]


def _named_date(text: str, match: re.Match[str]) -> dt.date | None:
    month, day, year, alone = match.group("month", "day", "year", "alone")
    if not alone:
        return _date(year, month, day) if year else None
    before = text[max(match.start() - _ROOM_OF_DAY, 0) : match.start()]
    day = word_at_end(before.rstrip()) if before[-1:].isspace() else ""
    return (_date(alone, month, day) if day.isdigit() and len(day) <= 2 else None) or _date(alone, month, None)


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
    weeks = _weeks_in(common)
    known = sorted({end for end, length in zip(ends, months, strict=True) if end and length == 12})
    return [_period(h, e, m, known, weeks) for h, e, m in zip(headers, ends, months, strict=True)]


def _end_of(own: str, context: Sequence[str]) -> dt.date | None:
    if _NO_PERIOD.search(own) or any(_ORIGINATION.search(text) for text in context):
        return None
    dates = dates_in(own)
    years = _years_in(own)
    if dates:
        # "December 31, 2024" over "2026" is a table of later years, such as maturities: no period of ours.
        return dates[-1] if all(year in {date.year for date in dates} for year in years) else None
    if len(set(years)) != 1:
        return None
    for text in (own, *context):
        days = _days_in(text)
        if len({(month_number(month), day) for month, day in days}) == 1:
            return _date(str(years[0]), *days[0])
    return None


def _length_of(own: str, context: Sequence[str], flow: bool) -> int | None:
    if _INSTANT.match(from_first_word(own)):
        return None
    length = months_in(own)
    if length is not None:
        return length
    for text in context:
        length = months_in(text)
        if length is not None:
            return length
        if _INSTANT.match(from_first_word(text)) or _INSTANT_TITLE.search(text):
            return None
    return 12 if flow else None


def _weeks_in(text: str) -> int | None:
    found = _WEEKS.search(text)
    return int(found[0][:2]) if found else None


def _period(
    header: Sequence[str], end: dt.date | None, months: int | None, known: Sequence[dt.date], weeks: int | None
) -> Period:
    if end is None or months is None:
        return Period(None, end)
    own = " ".join(header)
    if (begins := _FROM.search(own)) and _TO.search(own, begins.end()):
        dates = dates_in(own)
        if len(dates) >= 2:
            return Period(dates[0], end)
    return Period(start_of(end, months, known, _weeks_in(own) or weeks or 52), end)


def start_of(end: dt.date, months: int, known: Sequence[dt.date] = (), weeks: int = 52) -> dt.date:
    """First day of the period of ``months`` that ends on ``end``.

    A year that does not end with a month is one of 52 or 53 weeks, as are its neighbours (``known`` ends): it starts the day
    after the year before it ended, when that is known, else it has ``weeks``.
    """
    month_end = _ends_month(end) and all(_ends_month(other) for other in known)
    if not month_end and months == 12:
        for before in known:
            if FISCAL_LENGTH[0] <= (end - before).days <= FISCAL_LENGTH[1]:
                return before + dt.timedelta(days=1)
        return end - dt.timedelta(days=7 * weeks - 1)
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
_LETTERS = {"mm": "millions", "m": "millions", "k": "thousands", "b": "billions"}
_WORD = any_of("thousand(s), million(s), billion(s)")
_ZEROS = re.compile(
    r"(?:\$\s?|'|’|(?<!\d),|\(|\bin\s|^)(?P<zeros>(?:0?00,)?000)(?:['’]?s|\)|\b)|\$\s?(?P<letter>MM|M|K|B)\b", re.IGNORECASE
)
_EXCEPT, _MARKS = any_of("except"), str.maketrans(";:()", ",,,,")
_NOT_MONEY = any_of(
    "share(s), unit(s), options, rsu(s), employees, barrels, tons, tonnes, gallons, feet, customers, warrants, "
    "subscribers, members, miles, hours"
)
_MONEY = ("dollar", "amounts", "$", "€", "£", "¥")
_BRACKETED = re.compile(r"\([^()]*(?:\([^()]*\)[^()]*)*\)|\[[^\[\]]*\]")
_OPENING = any_of(
    "in, dollar(s), amount(s), all, us, u.s, usd, thousands, millions, billions, expressed, stated, figures, tabular, "
    "unaudited, 000"
)
_CLOSING = any_of("in/of (u.s./us) (dollars) thousands/millions/billions (of dollars)")
_DOLLARS = any_of("(expressed/amounts) in (u.s./us) (whole) dollars")
_LONGEST = 18  # Words of a caption that stands without brackets.


def scale_of(caption: str) -> int:
    """The factor on plain money amounts that ``caption`` states: 1, 1_000, 1_000_000 or 1_000_000_000.

    A clause about shares or customers is passed over, and one that names dollars goes first.
    """
    scaled = _scaled(caption)
    found = [(not names_money(of), word) for of, word in scaled if not _is_of_things(of)]
    return _FACTORS[min(found, key=lambda pair: pair[0])[1]] if found else 1


_PER_THING = any_of(
    "per available room, per occupied room, per user, per subscriber, per customer, per employee, per square foot, per ounce, "
    "per pound, per ton, per barrel, per boe, per mcf, per mmbtu, per gallon, per bushel, per kilowatt-hour, per megawatt-hour, "
    "per mile, per day, per night, average daily rate, revpar"
)


def is_per_thing(label: str) -> bool:
    """Whether a row is of amounts for one thing: these are in whole dollars, whatever the tables around are in."""
    return _PER_THING.search(label) is not None


def _is_of_things(caption: str) -> bool:
    """Whether ``caption``, or a clause of one, speaks of shares or customers and of no money."""
    return not names_money(caption) and bool(_NOT_MONEY.search(caption))


def counts_things(caption: str) -> bool:
    """Whether ``caption`` tells the scale of shares, customers or the like, and none of money."""
    return scale_of(caption) == 1 and _is_of_things(caption)


def counted_in(caption: str) -> dict[str, int]:
    """The factor on numbers of each thing that ``caption`` names: "in millions, units in thousands" -> {"units": 1_000}."""
    of_things = [(of, word) for of, word in _scaled(caption) if not names_money(of)]
    return {thing.lower(): _FACTORS[word] for of, word in of_things for thing in _NOT_MONEY.findall(of)}


def _scaled(caption: str) -> list[tuple[str, str]]:
    """(what ``caption`` gives a scale to, with the scale's words; thousand, million or billion)."""
    found = []
    for clause in _EXCEPT.sub(",", _ZEROS.sub(_in_words, caption)).translate(_MARKS).split(","):
        at = 0
        for match in _scale_words(clause):
            following = clause[match.end() :]
            of = clause[at : match.end()] + (following[:24] if following.lstrip().startswith("of ") else "")
            at = match.end()
            found.append((of, match[0].lower().removesuffix("s")))
    return found


def _in_words(match: re.Match[str]) -> str:
    """ "in 000's" and "$M" as "in thousands" and "$ in millions"."""
    zeros, letter = match["zeros"], match["letter"]
    word = _LETTERS[letter.lower()] if letter else "millions" if len(zeros) > 3 else "thousands"
    return f"{'$ ' if '$' in match[0] else ' '}in {word} "


def _scale_words(text: str) -> Iterator[re.Match[str]]:
    """Where ``text`` says "thousands", "millions" or "billions", or has one of them behind a dollar sign."""
    return (m for m in _WORD.finditer(text) if m[0][-1] in "sS" or text[max(m.start() - 2, 0) : m.start()].rstrip()[-1:] == "$")


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
    rest = from_first_word(text)
    opens = "$" in text[: len(text) - len(rest)] or _OPENING.match(rest)
    closes = (not from_first_word(rest[match.end() :]) for match in _CLOSING.finditer(rest.replace("$", " ")))
    return text if len(text.split()) <= _LONGEST and (opens or any(closes)) else ""


def find_units(texts: Iterable[str]) -> tuple[str, int]:
    """(caption, scale) from the first of ``texts`` that holds one; ("", 1) when none does."""
    for text in texts:
        caption = caption_in(text)
        if caption:
            return caption, scale_of(caption)
    return "", 1


def _speaks_of_units(text: str) -> bool:
    return any(_scale_words(text)) or bool(_ZEROS.search(text) or _DOLLARS.match(from_first_word(text)))


_FIGURE = re.compile(r"(?<![\w,.])\$?\s?\(?\d[\d,]*(?:\.\d+)?%?(?![\w,]\w)")
_COMPANY = frozenset(
    (
        "inc corp corporation company companies co ltd limited plc llc lp l.p nv n.v group trust holdings subsidiary subsidiaries"
    ).split()
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
    if word_at_end(text.lower().rstrip().removesuffix(",").removesuffix("."), ".") in _COMPANY and not _STATEMENT.search(text):
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
