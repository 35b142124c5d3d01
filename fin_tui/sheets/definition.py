"""What a user types for a sheet -> its rows and columns (pure)."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from dataclasses import replace

from fin_tui.errors import UsageError
from fin_tui.filings.cleaning import clean
from fin_tui.records import Filing, Sheet, SheetColumn, SheetRow
from fin_tui.sheets.formulas import named, resolve
from fin_tui.store.resolve import company_keys, resolve_all

MOST_CELLS = 20_000
"""Rows times columns of a sheet."""
_MOST_YEARS = 60
_LONGEST = 2_000
_YEARS = re.compile(r"(?P<who>.+):\s*(?:FY)?(?P<first>\d{4})(?:\s*[-–]\s*(?:FY)?(?P<last>\d{4}))?\s*")
_ALL = "all"


def new_sheet(name: str, rows: Sequence[SheetRow], columns: Sequence[SheetColumn]) -> Sheet:
    """A sheet of these rows and columns. Raises ``UsageError`` when one of them is missing, or the sheet is too large."""
    name = clean(name)
    if not name:
        raise UsageError(
            "The sheet needs a name.", 'Example: fin-tui sheet new margins --rows AAPL:2022-2024 --column "net margin"'
        )
    if not rows:
        raise UsageError("The sheet needs rows.", "--rows AAPL,MSFT:2022-2024, --rows FILING, or --rows all.")
    if not columns:
        raise UsageError("The sheet needs columns.", '--column "operating margin", or --template income.')
    if len(rows) * len(columns) > MOST_CELLS:
        raise UsageError(
            f"The sheet would have {len(rows) * len(columns):,} cells; at most {MOST_CELLS:,} are possible.",
            "Make two sheets of it.",
        )
    return Sheet(name, tuple(rows), tuple(columns))


def read_rows(texts: Iterable[str], filings: Sequence[Filing]) -> tuple[SheetRow, ...]:
    """The rows that ``texts`` mean: "V,MA:2022-2025" is both companies in four years, "AAPL" each filing of a company, a filing's
    name that filing, "all" every filing. Amendments have no rows of their own unless they are named.

    Raises ``NotFound`` for what the library does not hold, ``UsageError`` for what means nothing.
    """
    found: dict[str, SheetRow] = {}
    for text in texts:
        waiting: list[str] = []
        for part in filter(None, (part.strip() for part in text.split(","))):
            match = _YEARS.fullmatch(part)
            if match is None:
                waiting.append(part)
                continue
            years = _span(match["first"], match["last"], part)
            for who in (*waiting, match["who"].strip()):
                found.update((row.key, row) for row in _company_rows(who, years, filings))
            waiting = []
        for part in waiting:
            found.update((row.key, row) for row in _filing_rows(part, filings))
    return tuple(found.values())


def _span(first: str, last: str | None, text: str) -> range:
    start, end = int(first), int(last or first)
    if not start <= end < start + _MOST_YEARS:
        raise UsageError(f"{text!r} names no span of years.", "The first year comes first: AAPL:2022-2024.")
    return range(start, end + 1)


def _company_rows(who: str, years: Iterable[int], filings: Sequence[Filing]) -> list[SheetRow]:
    keys = company_keys(who, filings)
    own = sorted((one for one in filings if one.company_key in keys), key=lambda one: str(one.period_end))
    name = _name(next((one for one in reversed(own) if one.ticker), own[-1]))
    return [SheetRow(f"{key}@{year}", f"{name} FY{year}", key, year) for year in years for key in (_key_in(year, own),)]


def _key_in(year: int, filings: Sequence[Filing]) -> str:
    """The number under which a company files for a year: older filings may know it by another one. ``filings`` oldest first."""
    return min(filings, key=lambda one: _distance(one, year)).company_key


def _distance(filing: Filing, year: int) -> tuple[bool, int]:
    """How far a filing is from a year; one that was made before it says nothing of it."""
    back = (filing.fiscal_year or 0) - year
    return back < 0, abs(back)


def _filing_rows(name: str, filings: Sequence[Filing]) -> list[SheetRow]:
    chosen = filings if name.lower() == _ALL else resolve_all(name, filings)
    originals = [filing for filing in chosen if not filing.form.endswith("/A")] or list(chosen)
    dated = sorted(originals, key=lambda filing: (filing.company.casefold(), str(filing.period_end)))
    return [_filing_row(filing) for filing in dated]


def _filing_row(filing: Filing) -> SheetRow:
    year = filing.fiscal_year or (filing.period_end.year if filing.period_end else 0)
    form = "" if filing.form == "10-K" else f" {filing.form}"
    return SheetRow(filing.id, clean(f"{_name(filing)} FY{year or '?'}{form}"), filing.company_key, year, filing.id)


def _name(filing: Filing) -> str:
    return clean(filing.ticker or filing.company or filing.file)


def read_columns(texts: Iterable[str], before: Sequence[SheetColumn] = ()) -> tuple[SheetColumn, ...]:
    """The columns that ``texts`` mean, behind those that are there ``before``: a figure in any wording, a question that ends in
    "?", or "NAME = FORMULA" over other columns, by name in square brackets or by letter. A formula's name that ends in "%" is
    shown in percent.

    Raises ``UsageError`` for an empty text, a name that is there already, and a formula that can't be read.
    """
    columns = list(before)
    for text in texts:
        column = _column(clean(text), columns)
        if any(column.name.casefold() == other.name.casefold() for other in columns):
            raise UsageError(f"There is a column called {column.name!r}.", "Leave it out, or give a formula another name.")
        columns.append(column)
    added = columns[len(before) :]
    # A formula may name a column that stands behind it: all names are known only now.
    checked = [named(column, columns) if column.kind == "formula" else column for column in added]
    whole = [*before, *checked]
    for column in checked:
        if column.kind == "formula":
            resolve(column, whole)
    return tuple(whole)


def _column(text: str, columns: Sequence[SheetColumn]) -> SheetColumn:
    if not text or len(text) > _LONGEST:
        raise UsageError("A column needs a figure, a question or a formula.", f"At most {_LONGEST:,} characters.")
    numbers = (int(column.key.removeprefix("c")) for column in columns)
    key = f"c{max(numbers, default=0) + 1}"
    name, equals, formula = text.partition("=")
    if equals and name.strip() and not text.endswith("?"):
        name = name.strip()
        return SheetColumn(key, name.removesuffix("%").strip() or name, "formula", formula.strip(), is_percent=name.endswith("%"))
    return SheetColumn(key, text, "question" if text.endswith("?") else "figure", text)


def without(sheet: Sheet, *, columns: Iterable[str] = (), rows: Iterable[str] = ()) -> Sheet:
    """``sheet`` without these columns (by name or letter) and rows (by label). Raises ``UsageError`` for one that is not there,
    for a column that a formula rests on, and where nothing would be left.
    """
    gone = {find_column(sheet, name).key for name in columns}
    kept = [column for column in sheet.columns if column.key not in gone]
    for column in kept:
        if column.kind == "formula":
            resolve(column, kept)
    labels = {label.casefold(): label for label in rows}
    known = {row.label.casefold() for row in sheet.rows}
    if missing := [label for folded, label in labels.items() if folded not in known]:
        raise UsageError(f"The sheet has no row {missing[0]!r}.", "fin-tui sheet show names them.")
    return new_sheet(sheet.name, [row for row in sheet.rows if row.label.casefold() not in labels], kept)


def find_column(sheet: Sheet, name: str) -> SheetColumn:
    """The column of this name or letter; raises ``UsageError`` with those that there are."""
    folded = name.strip().casefold()
    for at, column in enumerate(sheet.columns):
        if folded in (column.name.casefold(), letter(at).casefold()):
            return column
    raise UsageError(
        f"The sheet has no column {name!r}.",
        "Columns: " + ", ".join(f"{letter(at)} {column.name}" for at, column in enumerate(sheet.columns)) + ".",
    )


def hidden(sheet: Sheet, key: str, *, is_hidden: bool) -> Sheet:
    """``sheet`` with one column hidden or shown."""
    columns = (replace(column, is_hidden=is_hidden) if column.key == key else column for column in sheet.columns)
    return replace(sheet, columns=tuple(columns))


def letter(at: int) -> str:
    """0 -> A, 25 -> Z, 26 -> AA."""
    text = ""
    at += 1
    while at:
        at, rest = divmod(at - 1, 26)
        text = chr(ord("A") + rest) + text
    return text
