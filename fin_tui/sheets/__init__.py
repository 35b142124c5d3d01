"""The analyst's sheets: figures and questions in rows and columns, workbooks with live formulas, audits of a model.

Here a sheet begins: what a user types for it -> its rows and columns (pure). ``filling.py`` finds what stands in a cell.
"""

from __future__ import annotations

import hashlib
import re
import tomllib
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from decimal import Decimal
from functools import cache
from importlib.resources import files

from fin_tui.errors import UsageError
from fin_tui.facts.expression import CalculationError, Measure, Name, Node, evaluate, names, parse, rewrite, write
from fin_tui.facts.figures import Unit, show
from fin_tui.language import clean, year_span
from fin_tui.records import CalculationRecord, Filing, Sheet, SheetCell, SheetColumn, SheetRow
from fin_tui.store.filings import company_keys, resolve_all
from fin_tui.store.kept import CellKey

_BRACKETS = re.compile(r"\[([^\[\]]+)\]")
_PLACES: Mapping[str, int] = {"%": 1, "days": 1, "ratio": 2, "usd/share": 2}
_PER_SHARE = ("usd/share", "shares")
_DIGITS = 12


class _Missing(Exception):
    """A cell that the formula needs has no value."""


def named(column: SheetColumn, columns: Sequence[SheetColumn]) -> SheetColumn:
    """``column`` with every column that its formula names written by its name in brackets: letters change when columns move."""
    by_key = {other.key: other.name for other in columns}
    node = _read(column, columns)
    return replace(column, text=write(node, lambda name: _with_prior(f"[{by_key[name.name]}]", name.back)))


def resolve(column: SheetColumn, columns: Sequence[SheetColumn]) -> Node:
    """The tree of a formula; its names are column keys. Raises ``UsageError`` for a column that is not there, and for formulas
    that rest on each other in a circle.
    """
    node = _read(column, columns)
    by_key = {other.key: other for other in columns}
    waiting, seen = [(column.key, node)], {column.key}
    while waiting:
        _, inner = waiting.pop()
        for name in names(inner):
            if name.name == column.key and name.back == 0:
                raise UsageError(f"The formula of {column.name!r} rests on itself.", "Take it out of the circle.")
            other = by_key[name.name]
            if other.kind == "formula" and other.key not in seen:
                seen.add(other.key)
                waiting.append((other.key, _read(other, columns)))
    return node


def _read(column: SheetColumn, columns: Sequence[SheetColumn]) -> Node:
    known = {other.name.casefold(): other.key for other in columns}
    known |= {other.name.casefold().replace(" ", "_"): other.key for other in columns}
    for at, other in enumerate(columns):
        known.setdefault(_letter(at), other.key)
    brackets: dict[str, str] = {}

    def token(match: re.Match[str]) -> str:
        name = f"column_{len(brackets)}"
        brackets[name] = match[1].strip()
        return name

    def key(name: Name) -> Node:
        wanted = brackets.get(name.name, name.name)
        found = known.get(wanted.casefold())
        if found is None:
            shown = ", ".join(f"[{other.name}]" for other in columns if other.key != column.key)
            raise UsageError(f"The formula of {column.name!r} names no column: {wanted!r}.", f"Columns: {shown}.")
        return replace(name, name=found)

    try:
        return rewrite(parse(_BRACKETS.sub(token, column.text)), key)
    except CalculationError as error:
        raise UsageError(f"The formula of {column.name!r} can't be read: {error.message}", error.hint) from error


def _letter(at: int) -> str:
    return (chr(ord("a") + at // 26 - 1) if at >= 26 else "") + chr(ord("a") + at % 26)


def _with_prior(text: str, back: int) -> str:
    return f"prior({_with_prior(text, back - 1)})" if back else text


def in_order(columns: Sequence[SheetColumn]) -> tuple[SheetColumn, ...]:
    """The formula columns of a sheet, each behind those that it rests on."""
    by_key = {column.key: column for column in columns}
    ordered: dict[str, SheetColumn] = {}

    def add(column: SheetColumn) -> None:
        if column.kind != "formula" or column.key in ordered:
            return
        for name in names(resolve(column, columns)):
            if name.name != column.key:
                add(by_key[name.name])
        ordered[column.key] = column

    for column in columns:
        add(column)
    return tuple(ordered.values())


def compute(sheet: Sheet, cells: Mapping[CellKey, SheetCell]) -> tuple[SheetCell, ...]:
    """The cells of all formula columns over ``cells``; those that rest on a cell without a value say which."""
    known = dict(cells)
    rows = {(row.company, row.year): row for row in sheet.rows}
    made: list[SheetCell] = []
    for column in in_order(sheet.columns):
        node = resolve(column, sheet.columns)
        # Earlier years come first: a formula may rest on its own cell of the year before.
        for row in sorted(sheet.rows, key=lambda row: row.year):
            cell = _cell(sheet, column, node, row, rows, known)
            if cell is not None:
                known[row.key, column.key] = cell
                made.append(cell)
    return tuple(made)


def _cell(
    sheet: Sheet,
    column: SheetColumn,
    node: Node,
    row: SheetRow,
    rows: Mapping[tuple[str, int], SheetRow],
    cells: Mapping[CellKey, SheetCell],
) -> SheetCell | None:
    """None where a cell that it rests on was never filled."""
    labels = {other.key: other.name for other in sheet.columns}
    reaches_back = any(name.back for name in names(node))
    inputs: dict[str, SheetCell] = {}
    waits = False

    def figure(name: Name) -> Measure:
        nonlocal waits
        of = row if not name.back else rows.get((row.company, row.year - name.back))
        if of is None:
            raise _Missing(f"The sheet has no row of FY{row.year - name.back}.")
        cell = cells.get((of.key, name.name))
        if cell is None:
            waits = True
            raise _Missing(f"{labels[name.name]} has not been filled.")
        if cell.value is None or cell.unit is None:
            raise _Missing(f"{labels[name.name]} of {of.label} has no value.")
        if reaches_back and cell.unit in _PER_SHARE and any("split" in str(fact.get("note")) for fact in cell.facts):
            raise _Missing(f"{labels[name.name]} of {of.label} stands before a stock split: the years are not on one basis.")
        inputs[_input(name)] = cell
        return Measure(Decimal(str(cell.value)), _unit(cell.unit))

    unit: Unit | None = "%" if column.is_percent else None
    try:
        measure = evaluate(node, figure, unit=unit)
    except (_Missing, CalculationError) as error:
        if waits:
            return None
        why = error.message if isinstance(error, CalculationError) else str(error)
        return SheetCell(row.key, column.key, "nothing", "", note=why, fingerprint=_print(column, inputs))
    value = float(f"{measure.value:.{_DIGITS}g}")
    line = show(measure.value, measure.unit, places=_PLACES.get(measure.unit))
    calculation: CalculationRecord = {
        "expression": write(node, _input),
        "inputs": {
            name: {"item": labels[cell.column], "value": cell.value, "unit": cell.unit, "period_end": cell.period_end,
                   "cell": [cell.row, cell.column]}
            for name, cell in inputs.items()
        },
        "result": value,
        "unit": measure.unit,
        "display": line,
    }  # fmt: skip
    ends = [cell.period_end for cell in inputs.values() if cell.period_end]
    return SheetCell(
        row.key, column.key, "computed", line, value, measure.unit, max(ends, default=None),
        calculation=calculation, fingerprint=_print(column, inputs),
    )  # fmt: skip


def _input(name: Name) -> str:
    return f"{name.name}_{name.back}" if name.back else name.name


def _unit(unit: str) -> Unit:
    """Counts are plain numbers for arithmetic; all other units are those of facts."""
    return unit  # type: ignore[return-value]  # Only units of facts are stored.


def _print(column: SheetColumn, inputs: Mapping[str, SheetCell]) -> str:
    said = [
        column.text,
        str(column.is_percent),
        *(f"{name}:{cell.fingerprint}:{cell.line}" for name, cell in sorted(inputs.items())),
    ]
    return hashlib.sha256("\n".join(said).encode()).hexdigest()[:16]


MOST_CELLS = 20_000
"""Rows times columns of a sheet."""
_MOST_YEARS = 60
_LONGEST = 2_000
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
            last, _, span = part.rpartition(":" if ":" in part else " ")
            if not last or (ends := year_span(span)) is None:
                waiting.append(part)
                continue
            years = _span(*ends, part)
            for who in (*waiting, last.strip()):
                found.update((row.key, row) for row in _company_rows(who, years, filings))
            waiting = []
        for part in waiting:
            found.update((row.key, row) for row in _filing_rows(part, filings))
    return tuple(found.values())


def _span(start: int, end: int, text: str) -> range:
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


@dataclass(frozen=True, slots=True)
class Template:
    """Columns that are used together."""

    name: str
    title: str
    columns: tuple[str, ...]


@cache
def templates() -> tuple[Template, ...]:
    """All templates, in the order of the file."""
    raw = tomllib.loads(files("fin_tui.sheets").joinpath("templates.toml").read_text(encoding="utf-8"))
    return tuple(Template(name, entry["title"], tuple(entry["columns"])) for name, entry in raw.items())


def template(name: str) -> Template:
    """By name; raises ``UsageError`` with those that there are."""
    found = next((one for one in templates() if one.name == name.strip().casefold()), None)
    if found is None:
        raise UsageError(f"There is no template {name!r}.", f"Templates: {', '.join(one.name for one in templates())}.")
    return found
