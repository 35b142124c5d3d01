"""Reads the cells of one table: what a row, a column and a caption say of a number, and what the numbers around it say."""

from __future__ import annotations

import datetime as dt
import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from decimal import Decimal, InvalidOperation
from itertools import pairwise

from fin_tui.facts.index import statement_of
from fin_tui.facts.words import stems
from fin_tui.filings.table_header import caption_in, counted_in, is_per_thing, names_money, scale_of
from fin_tui.language import any_of, is_followed, is_year, leads_to, runs_of
from fin_tui.records import Cell, Fact, Table

_NUMBER = re.compile(
    r"^(?P<open>[(\[]?)\s*(?P<minus>[-–—−]?)\s*(?P<money>(?:US|CA?|AU?|HK|R)?\s?[$€£¥])?\s*(?P<open2>\(?)\s*(?P<minus2>[-–—−]?)\s*"
    r"(?P<digits>\d[\d,]*(?:\.\d*)?|\.\d+)(?:\s(?P<top>\d{1,2})/(?P<bottom>\d{1,2}))?\s*(?P<percent>%?)\s*(?P<close>[)\]]?)\s*(?P<percent2>%?)\s*[)\]]?$"
)
_ZERO = re.compile(r"^[(\[]?\s*(?P<money>[$€£¥])?\s*(?:[-–—−]{1,3}|nil|none)\s*(?P<percent>%?)[)\]]?$", re.I)
_LEAST_YEAR, _LAST_YEAR = 1900, 2100


@dataclass(frozen=True, slots=True)
class Reading:
    """A number as a cell prints it: brackets and minus applied, scale not."""

    value: Decimal
    decimals: int
    percent: bool = False
    money: bool = False

    @property
    def has_cents(self) -> bool:
        """Whether a number that is no percentage is printed to the cent, or with a fraction: of 1,340 tagged ones in tables of
        thousands and millions none takes the table's scale.
        """
        return not self.percent and (self.decimals >= _CENTS or (not self.decimals and self.value % 1 != 0))


_CENTS = 2


def read_cell(text: str) -> Reading | None:
    """The number that ``text`` prints; a dash is zero; None for words, dates and "n/a"."""
    text = text.strip()
    zero = _ZERO.match(text)
    if zero is not None:
        return Reading(Decimal(0), 0, bool(zero["percent"]), bool(zero["money"]))
    match = _NUMBER.match(text)
    if match is None:
        return None
    digits = match["digits"].replace(",", "").rstrip(".")
    try:
        value = Decimal(digits)
    except InvalidOperation:
        return None
    if match["bottom"] and int(match["bottom"]):
        value += Decimal(int(match["top"])) / int(match["bottom"])
    negative = bool(match["minus"] or match["minus2"] or match["open"] or match["open2"])
    places = len(digits.partition(".")[2])
    return Reading(-value if negative else value, places, bool(match["percent"] or match["percent2"]), bool(match["money"]))


def fact_of(
    cell: Cell, read: tuple[float, str], name: str, label: Sequence[str], when: tuple[dt.date | None, dt.date | None], block: int
) -> Fact:
    """The figure of an untagged cell: ``read`` is its value in base units with the unit, ``when`` the days its period begins and
    ends on, ``block`` the ordinal of its table.
    """
    return Fact(
        concept=f"table:{name}",
        label=" > ".join(label),
        value=read[0],
        text=cell.text,
        unit=read[1],
        period_start=when[0],
        period_end=when[1],
        source="table",
        start=cell.start,
        end=cell.end,
        block=block,
    )


_AMOUNT = r"(?:US)?\$\s?[\d.,]+"
_NOISE = re.compile(
    rf"\([^()]*\d[^()]*\)|{_AMOUNT}\s+(?:\w+\s+){{0,3}}per\s+(?:\w+\s+){{0,2}}share|{_AMOUNT}\s+par(?:\s+value)?|[\d.]+\s?%", re.I
)
"""What a label says of other figures: "($0.16 per share)", "$.01 par value", the coupon of a note."""
_PER, _EARNINGS_PER = any_of("per"), any_of("earnings per")
_SHARE_UNITS, _WORDS_BETWEEN = frozenset("share shares unit rsu option award".split()), 3
_PRICE = any_of("price, exercise/average/market/strike/high/low/closing/stock prices, grant-date fair value")
_QUOTED = any_of("market/stock/share/bid/sales price(s), price range")
"""What stands over rows of prices that are called by a quarter, or high and low."""
_EXCEPT = any_of("except")
_WEIGHTED, _PRICES = any_of("weighted-average"), any_of("price(s), fair value(s)")
"""A price also where it is printed in whole dollars."""
_SHARES = re.compile(
    r"\b(?:weighted[- ]average|average|number of|common|treasury|outstanding|issued|authorized|diluted|basic)\b[^>]*\bshares\b"
    r"|\bshares used\b|\bshares\b[^>]*\b(?:outstanding|issued|authorized|used|repurchased|in thousands|in millions)\b"
    r"|^(?:total )?shares\b|\bshares$|\beffect of dilutive\b|\bdilutive effect\b",
    re.I,
)
_SHARE_COLUMN = re.compile(
    r"\bshares (?:issued|outstanding)|\btreasury shares|\b(?:shares|units) subject to\b"
    r"|\b(?:shares|rsus?|psus?|units|options|number|number of [\w ]+)\W*(?:\(in \w+\))?\W*$",
    re.I,
)
_OF_THINGS = re.compile(
    r"\bnumber of (?!(?:[\w-]+ )*(?:shares?|stocks?|units|options|awards|warrants|securities|rsus?|psus?|rights|sars|adss?)\b)",
    re.I,
)
"""A column that counts anything but shares: "Number of stores"."""
_NOT_SHARES = any_of("per, price, cost, value, proceeds, purchase(s) of, repurchase(s) of, issuance of, $, percent*")
_PERCENT = any_of("%, percentage(s), percent(s), tax/interest/discount/growth rate(s), rate(s) of return/increase")
_SHARE_OF = any_of("percentage, percent, as a % of, tax rate(s)")
_RATE_ROW = any_of("rate(s), volatility, yield, return on")
_NO_RATE = any_of(
    "exchange/currency rate(s), rate(s) swap(s)/hedge(s)/contract(s)/derivative(s)/agreement(s)/lock(s)/cap(s)/collar(s)"
)
"""Amounts that a change of rates brings ("Exchange rate effect on cash"), and instruments named after rates."""
_COUNTED = any_of("(total) (number of) employees/headcount/stores/restaurants/warehouses/subscribers/rooms/associates/locations")
_NUMBER_OF = any_of("number of employees/stores/restaurants/customers/subscribers/countries")
_YEARS = any_of("in years, useful life/lives, remaining (lease/contractual) term(s)/life, expected life/term(s), average life")
_QUANTITY = any_of("quantity")
_BASIC = any_of("basic, diluted, primary, fully diluted, assuming dilution")
_ENDS_BASIC = (["basic"], ["diluted"])
"""Of a price ("Continuing operations - diluted"); a whole number there may be the income that is divided."""
_USED = re.compile(
    r"^(?:weighted[- ]average|average|number of|diluted|basic|common|\W)*\s*shares\b(?!.*\$)"
    r"(?=.*\b(?:used|outstanding|comput|calculat))",
    re.I,
)
"""Opens like a number of shares, whatever it is used for ("Shares used to compute net income per share")."""
_HOLDING = re.compile(
    r"\d[\d,]{2,}\s+(?:and\s+[\d,]+\s+)?shares\b|\bpar value\b.*\d\s+(?:[mb]illion\s+)?shares (?:authorized|issued)", re.I
)
"""A balance that names how many shares make it up: "Common stock, 15,116,786 shares issued"."""
_SHARE_CLAUSE = re.compile(
    r"\bshares?\b[^;()]*?\bin\s+(?P<unit>thousands|millions)|\bin\s+(?P<of>thousands|millions)\s+of\s+shares", re.I
)
_AMOUNT_ROW = any_of("income, earnings, loss, dollars, amount, value, cost, proceeds, price, $")
_NUMBER_OF_SHARES = any_of("number of (common) shares")
_LETTERS, _MOST_HEADING = frozenset("abcdefghijklmnopqrstuvwxyz-"), 6
"""Of a heading over numbers of shares: "Anti-dilutive shares:"."""
_SHARES_ONLY = frozenset(
    said
    for unit in ("thousands", "millions")
    for said in (f"shares in {unit}", f"number of shares in {unit}", f"in {unit} of shares")
)
_EXCEPT_SHARES = re.compile(r"\bexcept\b.*?(?<!per )(?<!per-)\b(?:shares?|share data|share amounts|units)\b", re.I)
_PER_ONLY = any_of("except (for) per-share, except (for) per-common-share, except (for) earnings per share")
_DOLLARS, _WHOLE = "dollars)", frozenset(("in", "u.s.", "us", "u.s", "whole"))
"""What a row says of its own amounts in a table of millions: "Average fee per card (dollars)"."""
_LARGEST_PRICE = Decimal(5_000)
_LARGEST_PERCENT = Decimal(1_000)
_MOST_WITH_CENTS = 1_000_000
"""Amounts in billions are printed with two decimals."""
MOST_SHARES = Decimal(10) ** 11
"""No company has as many."""


def unit_of(path: Sequence[str], header: Sequence[str], units: str, scale: int, reading: Reading) -> tuple[str, int]:
    """(unit, factor) of a cell: "pure" for percentages (their value is still to be divided by 100), "usd/share", "shares",
    "count" or "usd".
    """
    label = path[-1] if path else ""
    own = _NOISE.sub(" ", label).strip()
    whole = " > ".join((*path[-3:-1], own))
    column = " ".join(header)
    if not reading.percent and not reading.money and (_counts_years(column) or _QUANTITY.search(column)):
        return "count", 1
    if reading.percent or _is_percent(own, whole, column, reading):
        return "pure", 1
    if _USED.search(own) and not reading.money and not _HOLDING.search(label):
        return "shares", _shares_factor(reading, (column, " > ".join(path[-3:]), units), scale)
    if _is_price(own, whole, column, reading):
        return "usd/share", 1
    if _counts_years(whole) or counts_things(own):
        return "count", 1
    if _OF_THINGS.search(column) and not reading.money:
        caption = caption_in(column)
        return "count", scale_of(caption) if caption else 1
    if _is_shares(path, own, column, reading) or (" ".join(runs_of(units.lower())) in _SHARES_ONLY and not reading.money):
        return "shares", _shares_factor(reading, (column, " > ".join(path[-3:]), units), scale)
    caption = caption_in(column) or caption_in(own)
    is_rate = not caption and abs(reading.value) < _LARGEST_PRICE and is_per_thing(own)
    if is_rate or _is_in_dollars(label):
        return "usd", 1
    if caption and not _EXCEPT.search(caption):
        return "usd", scale_of(caption)
    stated = scale_of(caption) if caption else scale
    return "usd", 1 if reading.has_cents and stated <= _MOST_WITH_CENTS else stated


def scale_of_things(path: Sequence[str], counted: Mapping[str, int]) -> int:
    """The factor on the numbers of a row that is called by one of the things ``counted``; 0 for another row."""
    called = set(stems(" ".join(path))) if counted else set()
    return next((factor for thing, factor in counted.items() if called.issuperset(stems(thing))), 0)


def _counts_years(text: str) -> bool:
    return _YEARS.search(text) is not None or "years)" in text.lower()


def counts_things(text: str) -> bool:
    """Whether a label is that of a number of people, places or things that companies count: "Total employees"."""
    return bool(_COUNTED.match(text) or _NUMBER_OF.search(text))


def _is_per_share(text: str) -> bool:
    """Whether ``text`` speaks of amounts for one share, or for one of what becomes shares."""
    is_per = any(leads_to(text[per.end() :], _SHARE_UNITS, _WORDS_BETWEEN) for per in _PER.finditer(text))
    return is_per or _EARNINGS_PER.search(text) is not None


def _is_in_dollars(label: str) -> bool:
    """Whether brackets say of a row alone that it is in dollars."""
    before, told, _ = label.lower().partition(_DOLLARS)
    return bool(told) and "(" in before and _WHOLE.issuperset(before.rpartition("(")[2].split())


def _is_basic(label: str) -> bool:
    """Whether a row is the basic number of shares, or an average of shares that may be it."""
    return _UNDILUTED.search(label) is not None or is_followed(label, _WEIGHTED, _SHARES_ALONE)


def _is_percent(own: str, whole: str, column: str, reading: Reading) -> bool:
    if reading.money or abs(reading.value) >= _LARGEST_PERCENT:
        return False
    if _PERCENT.search(column) or _SHARE_OF.search(whole.rpartition(" > ")[0]):
        return True
    if not reading.decimals:
        return any_of("percentage, percent, %").search(own) is not None
    if _NO_RATE.search(own):
        return False
    return _PERCENT.search(own) is not None or _RATE_ROW.search(whole) is not None


def _is_price(own: str, whole: str, column: str, reading: Reading) -> bool:
    if abs(reading.value) >= _LARGEST_PRICE:
        return False
    if not reading.has_cents:
        # Whole amounts under "per share" happen only for dashes.
        return (reading.value == 0 and _is_per_share(own)) or (is_followed(column, _WEIGHTED, _PRICES) and not caption_in(column))
    ends_basic = own[-1:].isalpha() and runs_of(own.lower())[-1:] in _ENDS_BASIC
    if _is_per_share(whole) or _BASIC.match(own) or ends_basic:
        return True
    return _is_per_share(column) or any(_PRICE.search(of) for of in (column, own)) or _QUOTED.search(whole) is not None


def _is_shares(path: Sequence[str], own: str, column: str, reading: Reading) -> bool:
    if reading.money or _HOLDING.search(path[-1] if path else ""):
        return False
    if any(_counts_shares(above) for above in path[-3:-1]) and not _NOT_SHARES.search(own) and not _AMOUNT_ROW.search(own):
        return True
    if _SHARE_COLUMN.search(column) and not _NOT_SHARES.search(column):
        return True
    if _BASIC.match(own):
        return True
    return _SHARES.search(own) is not None and not _NOT_SHARES.search(own)


def _counts_shares(heading: str) -> bool:
    if _NUMBER_OF_SHARES.match(heading):
        return True
    said = heading.lower().rstrip(" :").split()
    plain = all(char in _LETTERS for word in said for char in word) and not heading.lower().startswith(("authorized", "issued"))
    return said[-1:] == ["shares"] and len(said) <= _MOST_HEADING and plain and not _NOT_SHARES.search(heading)


def _shares_factor(reading: Reading, texts: Sequence[str], scale: int) -> int:
    factor = _stated(texts, scale)
    return factor if abs(reading.value) * factor < MOST_SHARES else 1


def _stated(texts: Sequence[str], scale: int) -> int:
    for text in texts:
        match = _SHARE_CLAUSE.search(text)
        if match:
            return 1_000 if (match["unit"] or match["of"]).lower() == "thousands" else 1_000_000
    caption = texts[-1]
    for text in texts[:2]:
        if caption_in(text):
            return scale_of(caption_in(text))
    return 1 if _EXCEPT_SHARES.search(caption) and not _PER_ONLY.search(caption) else scale


_UNDILUTED, _SHARES_ALONE = any_of("basic"), any_of("shares")
_DILUTED_SHARES = any_of("diluted, dilution")
_MOST_BETWEEN = 8
_SHARE_NOTE = re.compile(r"\b(?:number of )?(?:shares|units)\b[^.;]*?\bin (?P<unit>thousands|millions)\b", re.I)
_Placed = tuple[int, Cell, Reading]


class TableReader:
    """Values and units of the cells of ``table``.

    Four things only the neighbours tell: a percent sign at the top and the bottom of a column speaks for the numbers between
    them; what leads from the basic to the diluted number of shares is shares; shares of one column are printed in one scale; and
    what is named like things counted ("Rooms") is an amount where it comes to a sum of money with the rows around it.
    """

    def __init__(self, table: Table) -> None:
        self._table = table
        self._placed = _columns(table)
        counted = counted_in(table.units) if names_money(table.units) else {}
        self._things = {thing: factor for thing, factor in counted.items() if thing not in _SHARE_UNITS - {"unit"}}
        self._notes = _column_notes(table)
        self._year_rows = frozenset(_year_rows(table))
        self._percents = frozenset(_percent_runs(self._placed))
        self._whole_shares = frozenset(self._columns_of_whole_shares())
        self._between = dict(self._dilutions())
        self._amounts = frozenset(self._counts_in_sums())
        self._is_of_cash = statement_of(table) == "cash_flow"
        """All that a cash flow statement tells is money: "Common shares repurchased"."""

    def read(self, row: int, cell: Cell) -> tuple[float, str] | None:
        """(value in base units, unit) of a cell, signs applied; None when it holds no figure."""
        reading = read_cell(cell.text)
        if reading is None or row in self._year_rows:
            return None
        unit, factor = self._unit(row, cell.column, reading)
        value = reading.value / 100 if unit == "pure" else reading.value * factor
        return float(value), unit

    def caption(self, column: int) -> str:
        """The unit caption that a column has of its own, in its header or in a footnote to it; "" where it has none."""
        header = self._table.columns[column].header if column < len(self._table.columns) else ()
        return caption_in(" ".join((*header, *self._notes.get(column, ()))))

    def _unit(self, row: int, column: int, reading: Reading) -> tuple[str, int]:
        if (row, column) in self._percents:
            return "pure", 1
        if (row, column) in self._between:
            return "shares", self._between[row, column]
        if (row, column) in self._amounts:
            caption = self.caption(column)
            return "usd", scale_of(caption) if caption else self._table.scale
        unit, factor = self._stated(row, column, reading)
        if unit == "shares" and self._is_of_cash:
            return "usd", self._table.scale
        return (unit, 1) if unit == "shares" and column in self._whole_shares else (unit, factor)

    def _stated(self, row: int, column: int, reading: Reading) -> tuple[str, int]:
        """What label, header and captions say."""
        table = self._table
        header = table.columns[column].header if column < len(table.columns) else ()
        if not (reading.money or reading.percent) and (factor := scale_of_things(_path(table, row), self._things)):
            return "count", factor
        return unit_of(_path(table, row), (*header, *self._notes.get(column, ())), table.units, table.scale, reading)

    def _columns_of_whole_shares(self) -> Iterator[int]:
        for column, cells in self._placed.items():
            for row, _, reading in cells:
                if abs(reading.value) * self._table.scale >= MOST_SHARES and self._stated(row, column, reading) == ("shares", 1):
                    yield column
                    break

    def _dilutions(self) -> Iterator[tuple[tuple[int, int], int]]:
        """(row, column) -> factor of what is added to the basic number of shares."""
        for column, cells in self._placed.items():
            shares = [
                (row, reading, factor)
                for row, _, reading in cells
                if not reading.money
                for unit, factor in (self._stated(row, column, reading),)
                if unit == "shares"
            ]
            for (first, basic, factor), (last, diluted, _) in pairwise(shares):
                if not _is_basic(self._label(first)) or not _DILUTED_SHARES.search(self._label(last)):
                    continue
                inner = [(row, reading) for row, _, reading in cells if first < row < last]
                if 0 < len(inner) <= _MOST_BETWEEN and _adds_up(basic, [reading for _, reading in inner], diluted):
                    yield from (((row, column), factor) for row, _ in inner)

    def _counts_in_sums(self) -> Iterator[tuple[int, int]]:
        """(row, column) of what would be counted things, were it not a summand of the next amount in a column of money."""
        for column, cells in self._placed.items():
            if not any(reading.money for _, _, reading in cells):
                continue
            for place, (row, _, reading) in enumerate(cells):
                is_named = not reading.money and counts_things(self._label(row).rpartition(" > ")[2])
                yield from ((row, column),) if is_named and _is_summand(cells, place) else ()

    def _label(self, row: int) -> str:
        return " > ".join(_path(self._table, row)[-2:])


def _is_summand(cells: Sequence[_Placed], place: int) -> bool:
    """Whether rows in a run that has ``place`` in it, two or more, come to the row behind them."""
    values = [reading.value for _, _, reading in cells]
    runs = ((a, b) for a in range(max(0, place - _MOST_BETWEEN), place + 1) for b in range(place, place + _MOST_BETWEEN))
    return any(a < b < len(values) - 1 and sum(values[a : b + 1]) == values[b + 1] != 0 for a, b in runs)


def _adds_up(first: Reading, between: Sequence[Reading], last: Reading) -> bool:
    plain = all(not reading.money and not reading.percent for reading in between)
    return plain and first.value + sum((reading.value for reading in between), Decimal(0)) == last.value


def _percent_runs(columns: dict[int, list[_Placed]]) -> Iterator[tuple[int, int]]:
    """(row, column) of the unsigned numbers between two percentages of a column that are printed alike."""
    for column, cells in columns.items():
        signed = [place for place, (_, _, reading) in enumerate(cells) if reading.percent]
        if len(signed) < 2:
            continue
        whole = signed[0] == 0 and signed[-1] == len(cells) - 1
        for first, last in pairwise(signed):
            run = cells[first + 1 : last]
            places = {cells[first][2].decimals, cells[last][2].decimals}
            # Whole numbers are common: only a column of nothing but percentages has them without their sign.
            if run and (whole or min(places)) and all(_may_be_percent(reading, places) for _, _, reading in run):
                yield from ((row, column) for row, _, _ in run)


def _may_be_percent(reading: Reading, places: set[int]) -> bool:
    if reading.money or abs(reading.value) >= _LARGEST_PERCENT:
        return False
    return reading.decimals in places or reading.value == 0


def _year_rows(table: Table) -> Iterator[int]:
    """Rows that head what is under them with years: "2022 | 2021" once more in the middle of a table."""
    for number, row in enumerate(table.rows[table.header_rows :], start=table.header_rows):
        figures = [cell.text for cell in row if cell.column]
        if len(figures) > 1 and all(is_year(text) for text in figures) and len(set(figures)) == len(figures):
            yield number


def _columns(table: Table) -> dict[int, list[_Placed]]:
    """The figures of each column but the first, from the top down."""
    found: dict[int, list[_Placed]] = {}
    for row, line in enumerate(table.rows[table.header_rows :], start=table.header_rows):
        for cell in line:
            if cell.column and (reading := read_cell(cell.text)) is not None:
                found.setdefault(cell.column, []).append((row, cell, reading))
    return found


def _column_notes(table: Table) -> dict[int, tuple[str, ...]]:
    """What footnotes to a column's header say of its unit: "(a) Represents the number of shares, in thousands", "(b) In
    thousands; without vacant space". A header that spans columns speaks for each.
    """
    found: dict[int, tuple[str, ...]] = {}
    for cell in (cell for row in table.rows[: table.header_rows] for cell in row if cell.column):
        for marker in cell.footnotes:
            note = table.footnotes.get(marker, "")
            told = note.partition(";")[0].partition(".")[0].strip()
            if said := _SHARE_NOTE.search(note):
                caption = f"shares (in {said['unit'].lower()})"
            elif caption_in(told) == told != "":
                caption = f"({told})"
            else:
                continue
            under = [at for at, column in enumerate(table.columns) if cell.text.strip() in column.header]
            found |= dict.fromkeys((cell.column, *under), (caption,))
    return found


def side_labels(table: Table, row: int) -> dict[int, str]:
    """Column -> its label, for the columns right of a second label in a row: in a table that is set twice side by side the first
    column's header stands over each column of labels.
    """
    first = table.columns[0].header if table.columns else ()
    found: dict[int, str] = {}
    label = ""
    for cell in sorted(table.rows[row], key=lambda cell: cell.column):
        is_label = cell.column > 0 and cell.column < len(table.columns) and table.columns[cell.column].header == first != ()
        if is_label and read_cell(cell.text) is None:
            label = cell.text.strip()
        elif label:
            found[cell.column] = label
    return found


def _path(table: Table, row: int) -> tuple[str, ...]:
    return table.row_paths[row] if row < len(table.row_paths) else ()
