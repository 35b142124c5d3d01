"""A sheet, an answer or the notebook -> a workbook: inputs blue and linked, everything computed a live formula (pure)."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace

from fin_tui.facts.expression import names, parse
from fin_tui.language import runs_of
from fin_tui.records import Answer, CalculationRecord, Citation, FactRecord, Sentence, Sheet, SheetCell, SheetColumn, SheetRow
from fin_tui.sheets import resolve
from fin_tui.sheets.view import (
    NUMBER_FORMATS,
    Book,
    BookCell,
    BookGrid,
    Formula,
    Proof,
    Scale,
    address,
    column_cells,
    excel,
    may_add,
    safe_title,
    scale_of,
)
from fin_tui.store.kept import CellKey, NotebookEntry

_HEAD_ROW = 4
_FIRST_ROW = 5
_FIRST_COLUMN = 3
_WIDEST_LABEL = 44
_QUESTION_WIDTH = 60
_COMMAS = {1_000: ",", 1_000_000: ",,"}
_KEY = (
    "Blue: as a filing states it, linked to its source. Black: computed. Cells hold whole units; headers say how they are shown."
)


def sheet_book(sheet: Sheet, cells: Mapping[CellKey, SheetCell], fingerprint: Mapping[CellKey, str] | None = None) -> Book:
    """The workbook of a sheet: its grid with totals, then derivations and sources. Hidden columns are left out where no formula
    needs them. ``fingerprint`` says what would make each cell now: a stale cell is marked in its note.
    """
    return _SheetWriter(sheet, cells, fingerprint or {}).book()


class _SheetWriter:
    def __init__(self, sheet: Sheet, cells: Mapping[CellKey, SheetCell], prints: Mapping[CellKey, str]) -> None:
        self._cells = cells
        self._prints = prints
        self._rows = sheet.rows
        self._sheet = sheet
        needed = {n for c in sheet.columns if c.kind == "formula" and not c.is_hidden for n in _rests_on(c, sheet.columns)}
        self._columns = [column for column in sheet.columns if not column.is_hidden or column.key in needed]
        taken: set[str] = set()
        self._grid = BookGrid(safe_title(sheet.name, taken), freeze=(_FIRST_ROW, _FIRST_COLUMN))
        self._proof = Proof(taken)
        self._at = {column.key: _FIRST_COLUMN + at for at, column in enumerate(self._columns)}
        self._line = {row.key: _FIRST_ROW + at for at, row in enumerate(self._rows)}
        self._scales = {column.key: scale_of(column, column_cells(sheet, column, cells)) for column in self._columns}

    def book(self) -> Book:
        grid = self._grid
        grid.put(1, 1, BookCell(self._sheet.name, "title"))
        grid.put(2, 1, BookCell(_KEY, "muted"))
        grid.put(_HEAD_ROW, 1, BookCell("", "head"))
        grid.put(_HEAD_ROW, 2, BookCell("Period end", "head"))
        grid.widths = {1: min(max(24, *(len(row.label) + 2 for row in self._rows)), _WIDEST_LABEL), 2: 12}
        for column in self._columns:
            scale = self._scales[column.key]
            head = f"{column.name}\n({scale.head})" if scale.head else column.name
            grid.put(_HEAD_ROW, self._at[column.key], BookCell(head, "head"))
            width = _QUESTION_WIDTH if column.kind == "question" else max(16, min(len(column.name) + 2, 28))
            grid.widths[self._at[column.key]] = width
        for row in self._rows:
            grid.put(self._line[row.key], 1, BookCell(row.label, "label"))
            self._put_period(row)
            self._put_inputs(row)
        for row in self._rows:
            for column in self._columns:
                self._put_computed(row, column)
        self._put_totals()
        book = Book([grid], self._names())
        self._proof.finish(book)
        return book

    def _put_period(self, row: SheetRow) -> None:
        ends = [c.period_end for column in self._columns if (c := self._cells.get((row.key, column.key))) and c.period_end]
        if ends:
            self._grid.put(self._line[row.key], 2, BookCell(max(set(ends), key=ends.count), "text"))

    def _put_inputs(self, row: SheetRow) -> None:
        """The row's figures as filings state them, before any formula that may rest on them."""
        for column in self._columns:
            cell = self._cells.get((row.key, column.key))
            if cell is None or cell.value is None or cell.calculation is not None:
                continue
            place = self._line[row.key], self._at[column.key]
            fact = next((fact for fact in cell.facts if fact.get("value") == cell.value), None)
            citation = _citation(fact, cell)
            if fact is None:
                fact = {"value": cell.value, "unit": cell.unit, "as_reported": cell.line, "note": cell.note or None}
            made = self._proof.input_cell(fact, citation, self._format(column, cell))
            self._grid.put(*place, self._marked(made, cell))
            if fact.get("filing"):
                self._proof.register(fact, self._grid.ref(*place))

    def _put_computed(self, row: SheetRow, column: SheetColumn) -> None:
        cell = self._cells.get((row.key, column.key))
        line, at = self._line[row.key], self._at[column.key]
        if cell is None:
            self._grid.put(line, at, BookCell("not run", "muted", is_right=self._scales[column.key].unit is not None))
        elif cell.value is None:
            self._put_words(cell, line, at)
        elif cell.calculation is not None:
            formula = self._formula(row, column, cell, self._grid.ref(line, at))
            note = f"{cell.calculation['expression']}\n{cell.note}".strip()
            made = BookCell(formula, "formula", self._format(column, cell), note=note)
            self._grid.put(line, at, self._marked(made, cell))

    def _put_words(self, cell: SheetCell, line: int, at: int) -> None:
        for citation in cell.citations:
            self._proof.source(citation)
        first = cell.citations[0] if cell.citations else None
        is_long = len(cell.line) > self._grid.widths[at]
        # Some programs do not wrap a link: what takes several lines has its source in its note.
        link = self._proof.source_link(self._proof.source(first)) if first and cell.line and not is_long else ""
        note = first.reference if first and cell.line else ""
        words = cell.line or ("nothing found" if cell.state == "nothing" else cell.state)
        is_number = self._scales[cell.column].unit is not None
        made = BookCell(
            words, "text" if cell.line else "muted", link=link, note=note or cell.note,
            wrap=bool(cell.line), is_right=is_number and not cell.line,
        )  # fmt: skip
        self._grid.put(line, at, self._marked(made, cell))

    def _formula(self, row: SheetRow, column: SheetColumn, cell: SheetCell, at: str) -> Formula:
        calculation = cell.calculation or {}
        if column.kind != "formula":
            known = {citation.id: citation for citation in cell.citations}
            return self._proof.derive(calculation, cell.facts, known, f"{row.label}: {column.name}", at)
        places = {
            name: address(self._line[given["cell"][0]], self._at[given["cell"][1]])
            for name, given in calculation["inputs"].items()
        }
        node = parse(str(calculation["expression"]))
        return Formula(f"={excel(node, lambda name: places[name.name], self._proof.constant)}")

    def _marked(self, made: BookCell, cell: SheetCell) -> BookCell:
        """The cell with its state in its note, where a reader must know it."""
        told = [made.note]
        role = made.role
        if cell.state == "restated":
            told.append(f"Restated: {cell.note}")
        if self._prints.get((cell.row, cell.column), cell.fingerprint) != cell.fingerprint:
            told.append("Stale: filings have changed since this cell was filled.")
            role = "warning"
        return replace(made, role=role, note="\n".join(filter(None, told)))

    def _format(self, column: SheetColumn, cell: SheetCell) -> str:
        scale = self._scales[column.key]
        return number_format(scale) if scale.unit else NUMBER_FORMATS.get(cell.unit or "", "")

    def _put_totals(self) -> None:
        first, last = _FIRST_ROW, _FIRST_ROW + len(self._rows) - 1
        for at, (title, function) in enumerate((("Total", "SUM"), ("Average", "AVERAGE"), ("Median", "MEDIAN"))):
            line = last + 2 + at
            self._grid.put(line, 1, BookCell(title, "total"))
            for column in self._columns:
                scale = self._scales[column.key]
                numbers = [c for c in column_cells(self._sheet, column, self._cells) if c.value is not None]
                if scale.unit is None or len(numbers) < 2 or (function == "SUM" and not may_add(self._sheet, numbers)):
                    continue
                place = self._at[column.key]
                span = f"{address(first, place)}:{address(last, place)}"
                self._grid.put(line, place, BookCell(Formula(f"={function}({span})"), "formula", number_format(scale)))

    def _names(self) -> dict[str, str]:
        """A name for the numbers of each column and for each row: "col_net_revenue", "row_V_FY2023"."""
        names: dict[str, str] = {}
        last = _FIRST_ROW + len(self._rows) - 1
        for column in self._columns:
            if self._scales[column.key].unit is not None:
                at = self._at[column.key]
                top, bottom = (address(line, at, absolute=True) for line in (_FIRST_ROW, last))
                _add_name(names, f"col_{column.name}", f"{self._grid.ref(_FIRST_ROW, at).rpartition('!')[0]}!{top}:{bottom}")
        right = _FIRST_COLUMN + len(self._columns) - 1
        for row in self._rows:
            line = self._line[row.key]
            left = self._grid.ref(line, _FIRST_COLUMN)
            _add_name(names, f"row_{row.label}", f"{left}:{address(line, right, absolute=True)}")
        return names


def number_format(scale: Scale) -> str:
    """The number format of a column in its scale; commas behind the digits show thousands or millions of whole dollars."""
    if scale.unit not in ("usd", "shares", "count"):
        return NUMBER_FORMATS[scale.unit or "count"]
    digits = "#,##0" + (f".{'0' * scale.places}" if scale.places else "") + _COMMAS.get(scale.factor, "")
    return f'{digits}_);({digits});"–"_)'


def _add_name(names: dict[str, str], text: str, reference: str) -> None:
    base = "_".join(runs_of(text, "_")).strip("_")[:200]
    name, count = base, 2
    while name in names:
        name, count = f"{base}_{count}", count + 1
    names[name] = reference


def _rests_on(column: SheetColumn, columns: Sequence[SheetColumn]) -> Iterable[str]:
    by_key = {other.key: other for other in columns}
    for name in names(resolve(column, columns)):
        yield name.name
        if by_key[name.name].kind == "formula" and name.name != column.key:
            yield from _rests_on(by_key[name.name], columns)


def _citation(fact: FactRecord | None, cell: SheetCell) -> Citation | None:
    known = {citation.id: citation for citation in cell.citations}
    if fact is not None:
        return known.get(fact.get("citation") or 0)
    return cell.citations[0] if cell.citations else None


@dataclass(frozen=True, slots=True)
class SavedAnswer:
    """An answer or an entry of the notebook, as a workbook takes it."""

    title: str
    sentences: tuple[Sentence, ...] = ()
    text: str = ""
    citations: tuple[Citation, ...] = ()
    facts: tuple[FactRecord, ...] = ()
    calculation: CalculationRecord | None = None
    note: str = ""


def told_of_answer(answer: Answer) -> SavedAnswer:
    """A stored answer; a refusal by what it says."""
    return SavedAnswer(answer.question, answer.sentences, answer.answer, answer.citations, answer.facts, answer.calculation)


def told_of_entry(entry: NotebookEntry) -> SavedAnswer:
    """An entry of the notebook with its note."""
    saved = entry.saved
    return SavedAnswer(saved.title, saved.sentences, saved.text, saved.citations, saved.facts, saved.calculation, entry.note)


def answers_book(title: str, told: Sequence[SavedAnswer]) -> Book:
    """The workbook of answers: a sheet of figures, one of words, then derivations and sources."""
    taken: set[str] = set()
    figures = BookGrid(safe_title("Figures", taken), freeze=(3, 1), widths={1: 60, 2: 36, 3: 14, 4: 20, 5: 10, 6: 16})
    words = BookGrid(safe_title("Answers", taken), freeze=(2, 1), widths={1: 40, 2: 100, 3: 12, 4: 14})
    proof = Proof(taken)
    figures.put(1, 1, BookCell(title, "title"))
    for at, head in enumerate(("Question", "Figure", "Period end", "Value", "Unit", "Source"), start=1):
        figures.put(2, at, BookCell(head, "head"))
    for at, head in enumerate(("Question", "Sentence", "Support", "Source"), start=1):
        words.put(1, at, BookCell(head, "head"))
    line, word_line = 3, 2
    for one in told:
        known = {citation.id: citation for citation in one.citations}
        line = _put_figures(figures, line, one, known, proof)
        word_line = _put_sentences(words, word_line, one, known, proof)
    book = Book([grid for grid, used in ((figures, line > 3), (words, word_line > 2)) if used] or [figures])
    proof.finish(book)
    return book


def _put_figures(grid: BookGrid, line: int, told: SavedAnswer, known: Mapping[int, Citation], proof: Proof) -> int:
    for fact in told.facts:
        if fact.get("value") is None:
            continue
        citation = known.get(fact.get("citation") or 0)
        grid.put(line, 1, BookCell(told.title, "label", wrap=True))
        grid.put(line, 2, BookCell(str(fact.get("label") or ""), "text"))
        grid.put(line, 3, BookCell(str(fact.get("period_end") or ""), "text"))
        grid.put(line, 4, proof.input_cell(fact, citation))
        grid.put(line, 5, BookCell(str(fact.get("unit") or ""), "muted"))
        if citation is not None:
            number = proof.source(citation)
            grid.put(line, 6, BookCell(f"[{number}]", "link", link=proof.source_link(number)))
        proof.register(fact, grid.ref(line, 4))
        line += 1
    if told.calculation is not None and all("fact" in given for given in told.calculation["inputs"].values()):
        unit = str(told.calculation.get("unit") or "")
        formula = proof.derive(told.calculation, told.facts, known, told.title, grid.ref(line, 4))
        grid.put(line, 1, BookCell(told.title, "label", wrap=True))
        grid.put(line, 2, BookCell(str(told.calculation["expression"]), "text"))
        grid.put(line, 4, BookCell(formula, "formula", NUMBER_FORMATS.get(unit, "")))
        grid.put(line, 5, BookCell(unit, "muted"))
        line += 1
    return line


def _put_sentences(grid: BookGrid, line: int, told: SavedAnswer, known: Mapping[int, Citation], proof: Proof) -> int:
    runs = told.sentences or ((Sentence(told.text, tuple(known), "grounded"),) if told.text else ())
    for sentence in runs:
        grid.put(line, 1, BookCell(told.title, "label", wrap=True))
        grid.put(line, 2, BookCell(sentence.text, "text", wrap=True))
        grid.put(line, 3, BookCell(sentence.support, "muted"))
        numbers = [proof.source(known[number]) for number in sentence.citations if number in known]
        if numbers:
            text = " ".join(f"[{number}]" for number in numbers)
            grid.put(line, 4, BookCell(text, "link", link=proof.source_link(numbers[0])))
        line += 1
    if told.note:
        grid.put(line, 1, BookCell(told.title, "label", wrap=True))
        grid.put(line, 2, BookCell(told.note, "text", wrap=True))
        grid.put(line, 3, BookCell("note", "muted"))
        line += 1
    return line
