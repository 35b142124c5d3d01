"""A sheet as people see it: states in words and glyphs, units, sorting, ranks and totals; a workbook as grids of cells (pure).

Cells of a workbook have looks, links, notes and formulas, independent of any library. Its sources have one row for each cited
span, its derivations one block for each computed cell.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from decimal import Decimal
from statistics import median
from typing import Any, Literal

from fin_tui.facts.expression import Binary, Call, Name, Negative, Node, Number, parse
from fin_tui.facts.figures import Unit, plain, rounded
from fin_tui.records import CalculationRecord, Citation, FactRecord, Filing, Sheet, SheetCell, SheetColumn, SheetRow
from fin_tui.records.filing import ACCESSION
from fin_tui.store.kept import CellKey

Shown = Literal["found", "computed", "restated", "several", "nothing", "failed", "stale", "running", "empty"]
WORDS: Mapping[Shown, tuple[str, str]] = {
    "found": ("●", "found"),
    "computed": ("ƒ", "computed"),
    "restated": ("↺", "restated"),
    "several": ("≈", "several"),
    "nothing": ("○", "nothing found"),
    "failed": ("✗", "failed"),
    "stale": ("◷", "stale"),
    "running": ("…", "running"),
    "empty": ("·", "not run"),
}
_ADDITIVE = ("usd", "shares", "count")
_SCALES = ((1_000_000, "millions", 10_000_000), (1_000, "thousands", 10_000))


@dataclass(frozen=True, slots=True)
class Scale:
    """In which unit a column shows its numbers."""

    factor: int
    places: int
    head: str
    """As a header says it: "$ in millions", "%", "x"; "" for a column of words."""
    unit: Unit | None = None


@dataclass(frozen=True, slots=True)
class Summary:
    """What the numbers of a column come to, in base units."""

    total: float | None
    """None where adding has no meaning: ratios, percentages, amounts per share, a company's balances of several years."""
    average: float
    median: float
    count: int


def shown_state(cell: SheetCell | None, fingerprint: str | None, *, is_running: bool = False) -> Shown:
    """The state to show; ``fingerprint`` is what would make the cell now, None for a formula, which is never stale."""
    if is_running:
        return "running"
    if cell is None:
        return "empty"
    return "stale" if fingerprint is not None and cell.fingerprint != fingerprint else cell.state


def scale_of(column: SheetColumn, cells: Sequence[SheetCell]) -> Scale:
    """One scale for all numbers of a column, by its largest; words where no cell has a number or units differ."""
    units = {cell.unit for cell in cells if cell.value is not None}
    if len(units) != 1:
        return Scale(1, 2, "" if not units else "mixed units")
    unit: Unit = units.pop()  # type: ignore[assignment]  # Only units of facts are stored.
    sizes = [abs(cell.value) for cell in cells if cell.value]
    if unit in ("usd", "shares", "count"):
        factor, word, _ = next((s for s in _SCALES if max(sizes, default=0) >= s[2]), (1, "", 0))
        if unit == "count":
            factor, word = 1, ""
        places = 1 if factor > 1 and min(sizes, default=factor) < 10 * factor else 0
        head = {"usd": "$", "shares": "shares", "count": ""}[unit]
        return Scale(factor, places, f"{head} in {word}" if word else head, unit)
    return {
        "usd/share": Scale(1, 2, "$ per share", unit),
        "%": Scale(1, 1, "%", unit),
        "days": Scale(1, 1, "days", unit),
    }.get(unit, Scale(1, 2, "x", unit))


def printed(cell: SheetCell, scale: Scale) -> str:
    """The number in the column's scale, negatives in brackets; the line of a cell without one."""
    if cell.value is None or scale.unit is None:
        return cell.line
    value = rounded(Decimal(str(cell.value)) / scale.factor, scale.places)
    text = plain(abs(value), scale.places)
    return f"({text})" if value < 0 else text


def number_text(value: float, scale: Scale) -> str:
    """A total or average as its column prints numbers."""
    return printed(SheetCell("", "", "computed", "", value, scale.unit), scale)


def summary(sheet: Sheet, column: SheetColumn, cells: Mapping[CellKey, SheetCell]) -> Summary | None:
    """Total, average and median of the numbers of a column in one unit; None for fewer than two, or several units."""
    held = [cell for cell in column_cells(sheet, column, cells) if cell.value is not None]
    if len(held) < 2 or len({cell.unit for cell in held}) != 1:
        return None
    values = [cell.value for cell in held if cell.value is not None]
    total = float(sum(map(_exact, values))) if may_add(sheet, held) else None
    return Summary(total, float(sum(map(_exact, values)) / len(values)), median(values), len(values))


def may_add(sheet: Sheet, cells: Sequence[SheetCell]) -> bool:
    """Whether the sum of numbers means something: amounts, and not what one company has at the end of several years."""
    if not {cell.unit for cell in cells} <= set(_ADDITIVE):
        return False
    company = {row.key: row.company for row in sheet.rows}
    balances = [company[cell.row] for cell in cells if any(_is_balance(fact) for fact in cell.facts)]
    return len(balances) == len(set(balances))


def _is_balance(fact: FactRecord) -> bool:
    return bool(fact.get("period_end")) and not fact.get("period_start")


def sum_text(name: str, found: Summary | None, scale: Scale, rows: int) -> str:
    """The total, average or median of a column over so many rows, with how many have a number where some have none."""
    value = getattr(found, name) if found is not None else None
    if found is None or value is None:
        return ""
    return number_text(value, scale) + (f" ({found.count} of {rows})" if found.count < rows else "")


def _exact(value: float) -> Decimal:
    return Decimal(str(value))


def ranks(rows: Sequence[SheetRow], column: str, cells: Mapping[CellKey, SheetCell]) -> dict[str, int]:
    """Row key -> place of its number in a column, 1 the highest; equal numbers share a place, rows without one have none."""
    values = {row.key: cell.value for row in rows if (cell := cells.get((row.key, column))) and cell.value is not None}
    places: dict[float, int] = {}
    for place, value in enumerate(sorted(values.values(), reverse=True), start=1):
        places.setdefault(value, place)
    return {key: places[value] for key, value in values.items()}


def sorted_rows(sheet: Sheet, column: str, cells: Mapping[CellKey, SheetCell], *, down: bool = True) -> tuple[SheetRow, ...]:
    """The rows by their number in a column (by key), highest first when ``down``; words by the alphabet, empty ones last."""
    with_number = [row for row in sheet.rows if (cell := cells.get((row.key, column))) and cell.value is not None]
    numbered = sorted(with_number, key=lambda row: cells[row.key, column].value or 0.0, reverse=down)
    keys = {row.key for row in numbered}
    worded = [row for row in sheet.rows if row.key not in keys and (c := cells.get((row.key, column))) and c.line]
    words = sorted(worded, key=lambda row: cells[row.key, column].line.casefold(), reverse=not down)
    keys |= {row.key for row in words}
    return (*numbered, *words, *(row for row in sheet.rows if row.key not in keys))


def column_cells(sheet: Sheet, column: SheetColumn, cells: Mapping[CellKey, SheetCell]) -> list[SheetCell]:
    """The filled cells of a column from the top."""
    return [cell for row in sheet.rows if (cell := cells.get((row.key, column.key))) is not None]


_LONGEST_QUOTE = 600
_STRUCTURAL = (Decimal(0), Decimal(1))
"""Constants that are part of a formula's form ("a / b - 1"); all others stand in cells of their own."""
_FUNCTIONS = {"sum": "SUM", "avg": "AVERAGE", "min": "MIN", "max": "MAX", "abs": "ABS"}
_SOURCE_HEADS = (
    "#",
    "Company",
    "Form",
    "Fiscal year",
    "Period end",
    "Item",
    "Page",
    "Heading",
    "Quote",
    "Filing",
    "File",
    "Link",
)
_DERIVATION_HEADS = ("Cell", "What", "Input", "Value", "As printed", "Period end", "Source", "Formula")

NUMBER_FORMATS: Mapping[str, str] = {
    "usd": '#,##0_);(#,##0);"–"_)',
    "usd/share": "0.00_);(0.00)",
    "shares": '#,##0_);(#,##0);"–"_)',
    "%": "0.0%_);(0.0%)",
    "ratio": '0.00"x"_);(0.00"x")',
    "count": "#,##0_);(#,##0)",
    "days": "0.0_);(0.0)",
}
"""Negatives stand in brackets."""


def excel_value(value: float, unit: str | None) -> float:
    """A value as a spreadsheet holds it: 14.2 for 14.2 % becomes 0.142."""
    return float(Decimal(str(value)) / 100) if unit == "%" else value


def filing_link(citation: Citation | None, filing: Filing | None = None) -> str:
    """Where the filing can be opened: its EDGAR address where one is known, else its file."""
    url = citation.url if citation else filing.url if filing else ""
    if url and url.startswith("https://"):
        return url
    name = citation.filing if citation else filing.id if filing else ""
    cik = (citation.cik if citation else filing.cik if filing else "") or ""
    if ACCESSION.fullmatch(name) and cik.isdigit():
        return f"https://www.sec.gov/Archives/edgar/data/{int(cik)}/{name.replace('-', '')}/{name}-index.htm"
    return citation.file if citation else filing.file if filing else ""


def note_of(fact: FactRecord | None, citation: Citation | None) -> str:
    """Filing, Item, page, value as printed and quote, one line each."""
    lines = [citation.reference] if citation else []
    if fact is not None:
        if not lines:
            lines.append(f"{fact.get('file')}, not shown on a page")
        lines.append(f"as printed: {fact.get('as_reported')}")
        if fact.get("restated") is not None:
            lines.append("a later filing gives another value")
        if fact.get("note"):
            lines.append(str(fact["note"]))
    if citation is not None and citation.quote:
        lines.append(f"“{' '.join(citation.quote.split())[:_LONGEST_QUOTE]}”")
    return "\n".join(lines)


@dataclass(slots=True)
class Proof:
    """Collects sources, inputs and derivations while the sheets of a book are written."""

    taken: set[str]
    """Titles of sheets that there are already, folded."""
    sources: BookGrid = field(init=False)
    derivations: BookGrid = field(init=False)
    _spans: dict[tuple[str, int, int], int] = field(default_factory=dict)
    _inputs: dict[tuple[Any, ...], str] = field(default_factory=dict)
    """What an input is -> where it stands, with its sheet."""
    _constants: dict[Decimal, str] = field(default_factory=dict)
    _row: int = 2

    def __post_init__(self) -> None:
        self.sources = BookGrid(safe_title("Sources", self.taken), freeze=(2, 1))
        self.derivations = BookGrid(safe_title("Derivations", self.taken), freeze=(2, 1))
        for grid, heads in ((self.sources, _SOURCE_HEADS), (self.derivations, _DERIVATION_HEADS)):
            for at, head in enumerate(heads, start=1):
                grid.put(1, at, BookCell(head, "head"))
        self.sources.widths = {1: 5, 2: 24, 3: 8, 4: 8, 5: 12, 6: 6, 7: 6, 8: 30, 9: 80, 10: 24, 11: 28, 12: 40}
        self.derivations.widths = {1: 22, 2: 36, 3: 8, 4: 18, 5: 14, 6: 12, 7: 8, 8: 36}

    def source(self, citation: Citation) -> int:
        """The number of a cited span, from 1."""
        key = (citation.filing, citation.start, citation.end)
        if key not in self._spans:
            number = self._spans[key] = len(self._spans) + 1
            link = filing_link(citation)
            values = (number, citation.company, citation.form, citation.fiscal_year, citation.period_end, citation.item or "",
                      citation.page_label or str(citation.page), citation.heading, " ".join(citation.quote.split()),
                      citation.filing, citation.file, link)  # fmt: skip
            for at, value in enumerate(values, start=1):
                is_link = at == len(values)
                cell = BookCell(value, "link" if is_link else "text", link=link if is_link else "", wrap=at == 9)
                self.sources.put(number + 1, at, cell)
        return self._spans[key]

    def source_link(self, number: int) -> str:
        """A link to the row of a source."""
        return f"#{self.sources.ref(number + 1, 1)}"

    def input_cell(self, fact: FactRecord, citation: Citation | None, number_format: str = "") -> BookCell:
        """A figure as a filing states it: blue, linked, with its note."""
        number = self.source(citation) if citation is not None else 0
        link = filing_link(citation) if citation is not None else str(fact.get("file") or "")
        if link and not link.startswith("https://") and number:
            link = self.source_link(number)
        unit = str(fact.get("unit") or "")
        return BookCell(
            excel_value(float(fact["value"] or 0.0), unit),
            "input",
            number_format or NUMBER_FORMATS.get(unit, ""),
            link,
            note_of(fact, citation),
        )

    def register(self, fact: FactRecord, reference: str) -> None:
        """Say where the input cell of a fact stands, so that formulas refer to it."""
        self._inputs.setdefault(fact_key(fact), reference)

    def derive(
        self,
        calculation: CalculationRecord,
        facts: tuple[FactRecord, ...],
        citations: Mapping[int, Citation],
        what: str,
        at: str,
    ) -> Formula:
        """The live formula of a computed value; its inputs are cells of the workbook, made here where there are none yet.

        ``at`` is the address of the computed cell, with its sheet.
        """
        first, places = self._row, dict[str, str]()
        self._row += 1
        for name, given in calculation["inputs"].items():
            fact = facts[given["fact"]]
            places[name] = self._input(name, fact, citations.get(fact.get("citation") or 0))
        node = parse(str(calculation["expression"]))
        formula = Formula(f"={excel(node, lambda name: places[name.name], self.constant)}")
        self.derivations.put(first, 1, BookCell(at.replace("$", "").replace("'", ""), "link", link=f"#{at}"))
        self.derivations.put(first, 2, BookCell(what, "label", wrap=True))
        self.derivations.put(first, 3, BookCell("=", "label"))
        unit = NUMBER_FORMATS.get(str(calculation.get("unit") or ""), "")
        self.derivations.put(first, 4, BookCell(Formula(f"={at}"), "formula", unit))
        self.derivations.put(first, 8, BookCell(str(calculation["expression"]), "muted"))
        self._row += 1
        return formula

    def _input(self, name: str, fact: FactRecord, citation: Citation | None) -> str:
        """A line of the derivation: the input itself, or a reference to the cell that holds it already."""
        row, grid = self._row, self.derivations
        known = self._inputs.get(fact_key(fact))
        unit = str(fact.get("unit") or "")
        number = self.source(citation) if citation is not None else 0
        grid.put(row, 2, BookCell(str(fact.get("label") or ""), "text", wrap=True))
        grid.put(row, 3, BookCell(name, "text"))
        if known is not None:
            grid.put(row, 4, BookCell(Formula(f"={known}"), "formula", NUMBER_FORMATS.get(unit, "")))
        else:
            grid.put(row, 4, self.input_cell(fact, citation))
            known = self._inputs[fact_key(fact)] = grid.ref(row, 4)
        grid.put(row, 5, BookCell(str(fact.get("as_reported") or ""), "text"))
        grid.put(row, 6, BookCell(str(fact.get("period_end") or ""), "text"))
        if number:
            grid.put(row, 7, BookCell(f"[{number}]", "link", link=self.source_link(number)))
        self._row += 1
        return known

    def constant(self, value: Decimal) -> str:
        """The cell of a constant, made when it is first needed."""
        if value not in self._constants:
            column = len(_DERIVATION_HEADS) + 2
            row = len(self._constants) + 2
            self.derivations.put(1, column, BookCell("Constants", "head"))
            self.derivations.put(row, column, BookCell(float(value), "input"))
            self._constants[value] = self.derivations.ref(row, column)
        return self._constants[value]

    def finish(self, book: Book) -> None:
        """Add the sheets to the book: derivations where there are any, sources always."""
        if self._row > 2 or self._constants:
            book.grids.append(self.derivations)
        book.grids.append(self.sources)


def fact_key(fact: FactRecord) -> tuple[Any, ...]:
    """What makes two fact objects the same input."""
    dimensions = tuple(sorted((fact.get("dimensions") or {}).items()))
    names = ("filing", "concept", "label", "period_start", "period_end", "value", "unit")
    return (*(fact.get(name) for name in names), dimensions)


def excel(node: Node, place: Callable[[Name], str], constant: Callable[[Decimal], str]) -> str:
    """An expression as a spreadsheet writes it, every operation in brackets: precedence differs there (``-2^2`` is 4)."""
    match node:
        case Number(value=value):
            return f"{value:f}" if value in _STRUCTURAL else constant(value)
        case Name():
            return place(node)
        case Negative(of=of):
            return f"(-{excel(of, place, constant)})"
        case Call(function="opt", arguments=(of,)):
            return excel(of, place, constant)
        case Call(function=function, arguments=arguments):
            return f"{_FUNCTIONS[function]}({','.join(excel(one, place, constant) for one in arguments)})"
        case Binary(operator=operator, left=left, right=right):
            return f"({excel(left, place, constant)}{operator}{excel(right, place, constant)})"


Role = Literal["title", "head", "total", "label", "input", "formula", "text", "muted", "warning", "link"]
"""What a cell is, which decides how it looks: inputs blue, formulas black."""


@dataclass(frozen=True, slots=True)
class Formula:
    """A live formula with its "="; made by us alone, never from text of a filing."""

    text: str


@dataclass(frozen=True, slots=True)
class BookCell:
    """One cell to be written."""

    value: float | str | Formula | None
    role: Role = "text"
    number_format: str = ""
    link: str = ""
    """A web address, a file beside the workbook, or "#Sheet!A1" within it."""
    note: str = ""
    wrap: bool = False
    is_right: bool = False
    """Stands at the right, as numbers do: a word in a column of numbers."""


@dataclass(slots=True)
class BookGrid:
    """One sheet of a workbook; places count from 1, as spreadsheets count."""

    title: str
    cells: dict[tuple[int, int], BookCell] = field(default_factory=dict)
    """(row, column) -> cell."""
    widths: dict[int, float] = field(default_factory=dict)
    """Column -> width in characters."""
    freeze: tuple[int, int] | None = None
    """The first cell that scrolls."""

    def put(self, row: int, column: int, cell: BookCell) -> str:
        """Place a cell; gives its address within the sheet."""
        self.cells[row, column] = cell
        return address(row, column)

    def ref(self, row: int, column: int) -> str:
        """An address as another sheet writes it: 'My sheet'!$B$3."""
        return f"{quoted(self.title)}!{address(row, column, absolute=True)}"


@dataclass(slots=True)
class Book:
    """All sheets of a workbook, first to last, and names for ranges."""

    grids: list[BookGrid]
    names: dict[str, str] = field(default_factory=dict)
    """Defined name -> reference with its sheet."""


@dataclass(frozen=True, slots=True)
class ReadCell:
    """One cell of a user's workbook."""

    row: int
    column: int
    value: float | str | None
    """A number, a text, or None for what is neither. A date is its ISO text."""
    formula: str = ""
    """With its "="; ``value`` is then what the file says that it came to."""
    number_format: str = ""
    is_date: bool = False

    @property
    def address(self) -> str:
        """ "B3"."""
        return address(self.row, self.column)


@dataclass(frozen=True, slots=True)
class ReadSheet:
    """One sheet of a user's workbook: its cells that are not empty."""

    title: str
    cells: Mapping[tuple[int, int], ReadCell]
    is_hidden: bool = False


TokenKind = Literal["number", "text", "range", "open", "close", "operator", "separator", "space", "other"]


@dataclass(frozen=True, slots=True)
class Token:
    """A piece of a formula."""

    kind: TokenKind
    text: str
    """As written; a function with its bracket: "SUM("."""


Mark = Literal["supported", "contradicted", "unknown", "check"]


def address(row: int, column: int, *, absolute: bool = False) -> str:
    """(3, 2) -> "B3"; "$B$3" when ``absolute``."""
    letters = ""
    while column:
        column, rest = divmod(column - 1, 26)
        letters = chr(ord("A") + rest) + letters
    return f"${letters}${row}" if absolute else f"{letters}{row}"


def quoted(title: str) -> str:
    """A sheet's title as a reference writes it."""
    doubled = title.replace("'", "''")
    return f"'{doubled}'"


def safe_title(text: str, taken: set[str]) -> str:
    """A title that spreadsheets take (31 characters, none of them special) and that is not ``taken``; it is added there."""
    base = "".join(" " if c in "[]:*?/\\'" else c for c in text).strip()[:31] or "Sheet"
    title, count = base, 2
    while title.casefold() in taken:
        title, count = f"{base[:27]} {count}", count + 1
    taken.add(title.casefold())
    return title
