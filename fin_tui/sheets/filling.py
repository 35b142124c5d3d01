"""One cell of a sheet -> what the engine finds for it, kept only where company and period are those of the row."""

from __future__ import annotations

import datetime as dt
import hashlib
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from decimal import Decimal
from typing import Any, Protocol, cast

from fin_tui.engine.answering.answer import Request, Understanding
from fin_tui.engine.answering.events import Event, Failed, Finished
from fin_tui.engine.evidence.citations import without_markers
from fin_tui.engine.figures.answer import FigureAnswer, NoFigures
from fin_tui.engine.services import Services
from fin_tui.errors import FinTuiError
from fin_tui.facts.figures import Unit, show
from fin_tui.language import clean
from fin_tui.records import Answer, FactRecord, Filing, Scope, Sheet, SheetCell, SheetColumn, SheetRow
from fin_tui.sheets import compute
from fin_tui.store.kept import CellKey, Sheets
from fin_tui.store.library import Library
from fin_tui.version import __version__

_NEAR = 10
"""Days by which the end of a fiscal year may differ from the same day a year later: years of 52 and 53 weeks drift."""
_COVER = 130
"""Days after the year's end at which a cover states shares and market value."""
_LONGEST_LINE = 300


class Engine(Protocol):
    """What answers: ``fin_tui.engine.answering.answer.AnswerEngine``."""

    def understand(self, request: Request, among: Sequence[Filing] | None = ...) -> Understanding: ...
    def look_up(self, understood: Understanding) -> FigureAnswer | NoFigures | None: ...
    def stream(self, request: Request, cancelled: Callable[[], bool] = ...) -> Any: ...


class Filler:
    """Fills cells over the filings held when it was made."""

    def __init__(self, engine: Engine, filings: Sequence[Filing], *, use_model: bool = False) -> None:
        """``use_model``: the language model may word the answers of question columns."""
        self._engine = engine
        self._use_model = use_model
        self._filings: dict[str, list[Filing]] = {}
        for filing in filings:
            self._filings.setdefault(filing.company_key, []).append(filing)

    def fill(self, row: SheetRow, column: SheetColumn, cancelled: Callable[[], bool] = lambda: False) -> SheetCell | None:
        """The cell of a figure or question column; None when ``cancelled`` before there was one. Errors of the engine that a user
        can act on make a cell that says them.
        """
        if not self._of(row):
            return SheetCell(row.key, column.key, "nothing", "", note="No filing of this company is in the library.")
        try:
            if column.kind == "question":
                return self._answer(row, column, column.text, cancelled)
            return self._figure(row, column, cancelled)
        except FinTuiError as error:
            return SheetCell(row.key, column.key, "failed", "", note=f"{error.message} {error.hint}".strip())

    def _of(self, row: SheetRow) -> list[Filing]:
        held = self._filings.get(row.company, [])
        return [filing for filing in held if filing.id == row.filing] if row.filing else held

    def _figure(self, row: SheetRow, column: SheetColumn, cancelled: Callable[[], bool]) -> SheetCell | None:
        cell = self.look_up(row, column)
        if cell is not None:
            return cell
        answer = self._answer(row, column, column.text, cancelled)
        if answer is None or answer.value is not None or answer.state != "found":
            return answer
        # The column asks for a figure: words that stand near its name are no answer.
        return replace(
            answer,
            state="nothing",
            line="",
            note=f"No figure is known by this name; closest passage: {answer.line}",
            sentences=(),
        )

    def look_up(self, row: SheetRow, column: SheetColumn) -> SheetCell | None:
        """The cell of a figure from facts alone; None where the column names none. Raises ``FinTuiError``."""
        scope = Scope(filings=(row.filing,)) if row.filing else Scope(companies=(row.company,))
        asked = f"{column.text} in fiscal {row.year}"
        # The row says whose figure it is: "cost of revenue" names no company that trades as COST.
        among = self._filings[row.company]
        found = self._engine.look_up(self._engine.understand(Request(asked, scope, use_model=False), among))
        if isinstance(found, FigureAnswer):
            return self._found(row, column, found)
        if isinstance(found, NoFigures):
            state, line = ("several", "; ".join(found.close)) if found.close else ("nothing", "")
            return SheetCell(
                row.key, column.key, "several" if state == "several" else "nothing", _line(line),
                note=clean(" ".join(found.why)), candidates=found.candidates,
            )  # fmt: skip
        return None

    def _found(self, row: SheetRow, column: SheetColumn, found: FigureAnswer) -> SheetCell:
        wrong = self._mismatch(row, found)
        if wrong:
            return SheetCell(row.key, column.key, "nothing", "", note=wrong)
        citations = tuple(passage.citation for passage in found.passages)
        cell = SheetCell(
            row.key, column.key, "computed" if found.calculation else "found", _line(found.display), found.value, found.unit,
            max((str(fact["period_end"]) for fact in found.facts), default=None),
            sentences=found.sentences, citations=citations, facts=found.facts, calculation=found.calculation,
        )  # fmt: skip
        if found.value is None:
            line = "; ".join(without_markers(sentence.text) for sentence in found.sentences)
            return replace(cell, state="several", line=_line(line))
        notes = [str(fact["note"]) for fact in found.facts if fact.get("note")]
        restated = [fact for fact in found.facts if fact.get("restated") is not None]
        notes += [_restated(fact) for fact in restated]
        is_restated = bool(restated) and not found.calculation
        return replace(cell, state="restated" if is_restated else cell.state, note=clean("; ".join(dict.fromkeys(notes))))

    def _mismatch(self, row: SheetRow, found: FigureAnswer) -> str:
        """Why ``found`` is not of the row's company and year; "" when it is."""
        own = {filing.id for filing in self._of(row)}
        if any(fact["filing"] not in own for fact in found.facts):
            return "The figure found is of another company."
        end = self._end(row)
        if end is None or not found.facts:
            return ""
        last = max(found.facts, key=lambda fact: str(fact["period_end"]))
        away = (dt.date.fromisoformat(str(last["period_end"])) - end).days
        is_cover = last.get("period_start") is None and 0 <= away <= _COVER
        if abs(away) <= _NEAR or is_cover:
            return ""
        return f"The figure found is of another period: {last['period_end']}."

    def _end(self, row: SheetRow) -> dt.date | None:
        """The last day of the row's fiscal year, by the filing of that year or counted from the nearest one."""
        dated = [(f.fiscal_year, f.period_end) for f in self._of(row) if f.fiscal_year and f.period_end]
        if not dated:
            return None
        year, end = min(dated, key=lambda known: abs(known[0] - row.year))
        return end + dt.timedelta(days=round((row.year - year) * 365.25))

    def _answer(self, row: SheetRow, column: SheetColumn, question: str, cancelled: Callable[[], bool]) -> SheetCell | None:
        own = row.filing or next((f.id for f in self._of(row) if f.fiscal_year == row.year and not f.form.endswith("/A")), "")
        if not own:
            question = f"{question} (fiscal {row.year})"
        scope = Scope(filings=(own,)) if own else Scope(companies=(row.company,))
        event: Event
        for event in self._engine.stream(Request(question, scope, use_model=self._use_model), cancelled):
            if isinstance(event, Failed):
                return SheetCell(row.key, column.key, "failed", "", note=f"{event.message} {event.hint}".strip())
            if isinstance(event, Finished) and not cancelled():
                return _of_answer(row, column, event.answer)
        return None


def _of_answer(row: SheetRow, column: SheetColumn, answer: Answer) -> SheetCell:
    if answer.status != "answered":
        message = answer.refusal.message if answer.refusal else answer.answer
        nearest = answer.refusal.nearest if answer.refusal else ()
        return SheetCell(row.key, column.key, "nothing", "", note=clean(message), citations=nearest, candidates=answer.candidates)
    line = " ".join(without_markers(sentence.text) for sentence in answer.sentences) or without_markers(answer.answer)
    return SheetCell(
        row.key, column.key, "computed" if answer.calculation else "found", _line(line), answer.value, answer.unit,
        sentences=answer.sentences, citations=answer.citations, facts=answer.facts, calculation=answer.calculation,
        candidates=answer.candidates,
    )  # fmt: skip


def _line(text: str) -> str:
    text = clean(text)
    return text if len(text) <= _LONGEST_LINE else f"{text[: _LONGEST_LINE - 1].rstrip()}…"


def _restated(fact: FactRecord) -> str:
    value = Decimal(str(fact["restated"]))
    return f"restated to {show(value, cast('Unit', fact['unit']))} by a later filing"


TRIAL_ROWS = 3
"""Rows on which a new column is tried."""
_STORE_EVERY = 0.5
"""Seconds between two transactions: one for each cell would wait for the disk each time."""


def fingerprints(sheet: Sheet, filings: Sequence[Filing], versions: Mapping[str, str]) -> dict[CellKey, str]:
    """What makes each cell of the figure and question columns: its column and row, the program, and the filings of the company
    with their versions (``versions``: filing id -> version). Another filing of a company makes its own rows stale and no others.
    """
    of_company: dict[str, list[str]] = {}
    for filing in filings:
        of_company.setdefault(filing.company_key, []).append(f"{filing.id}={versions.get(filing.id, '')}")
    prints: dict[CellKey, str] = {}
    for row in sheet.rows:
        held = sorted(one for one in of_company.get(row.company, ()) if not row.filing or one.startswith(f"{row.filing}="))
        for column in sheet.columns:
            if column.kind != "formula":
                said = "\n".join((__version__, column.kind, column.text, row.key, *held))
                prints[row.key, column.key] = hashlib.sha256(said.encode()).hexdigest()[:16]
    return prints


def stale(sheet: Sheet, cells: Mapping[CellKey, SheetCell], prints: Mapping[CellKey, str]) -> list[CellKey]:
    """The cells that were never filled, broke off, or were made by something that has changed since; row by row."""
    return [
        (row.key, column.key)
        for row in sheet.rows
        for column in sheet.columns
        if (row.key, column.key) in prints
        and (
            (cell := cells.get((row.key, column.key))) is None
            or cell.state == "failed"
            or cell.fingerprint != prints[row.key, column.key]
        )
    ]


def trial(sheet: Sheet, column: str) -> list[CellKey]:
    """The cells of a column (by key) in the first rows, to try it before all."""
    return [(row.key, column) for row in sheet.rows[:TRIAL_ROWS]]


class Run:
    """Fills cells of one stored sheet."""

    def __init__(self, sheet: Sheet, store: Sheets, filler: Filler, prints: Mapping[CellKey, str]) -> None:
        self._sheet = sheet
        self._store = store
        self._filler = filler
        self._prints = prints
        self._cells = dict(store.cells(sheet.name))

    @property
    def cells(self) -> Mapping[CellKey, SheetCell]:
        """All cells as they stand."""
        return self._cells

    def fill(
        self,
        wanted: Sequence[CellKey],
        cancelled: Callable[[], bool] = lambda: False,
        first: Callable[[], Sequence[CellKey]] = tuple,
    ) -> Iterator[SheetCell]:
        """Make the ``wanted`` cells one after another, those that ``first`` names at that moment before others, then
        every formula over them. What is made is stored also when the work is cancelled or the iteration ends early.
        """
        rows = {row.key: row for row in self._sheet.rows}
        columns = {column.key: column for column in self._sheet.columns}
        waiting = dict.fromkeys(key for key in wanted if key in self._prints)
        unstored: list[SheetCell] = []
        stored_at = time.monotonic()
        try:
            while waiting and not cancelled():
                key = next((key for key in first() if key in waiting), None) or next(iter(waiting))
                del waiting[key]
                cell = self._make(rows[key[0]], columns[key[1]], cancelled)
                if cell is None:
                    break
                unstored.append(cell)
                if time.monotonic() - stored_at > _STORE_EVERY:
                    self._store.put(self._sheet.name, unstored)
                    unstored, stored_at = [], time.monotonic()
                yield cell
            for cell in compute(self._sheet, self._cells):
                if self._cells.get((cell.row, cell.column)) != cell:
                    changed = self._marked(cell)
                    unstored.append(changed)
                    yield changed
        finally:
            if unstored:
                self._store.put(self._sheet.name, unstored)

    def _make(self, row: SheetRow, column: SheetColumn, cancelled: Callable[[], bool]) -> SheetCell | None:
        made = self._filler.fill(row, column, cancelled)
        return self._marked(replace(made, fingerprint=self._prints[row.key, column.key])) if made is not None else None

    def _marked(self, cell: SheetCell) -> SheetCell:
        """The cell with what stood there before, where that was something else."""
        known = self._cells.get((cell.row, cell.column))
        if known is not None and known.state != "failed" and known.line != cell.line:
            cell = replace(cell, before=known.line or "nothing")
        self._cells[cell.row, cell.column] = cell
        return cell


@dataclass(frozen=True, slots=True)
class OpenSheet:
    """A stored sheet with its cells and what would make each of them now."""

    sheet: Sheet
    cells: Mapping[CellKey, SheetCell]
    prints: Mapping[CellKey, str]


def open_sheet(services: Services, name: str) -> OpenSheet:
    """The sheet of this name; raises ``NotFound``."""
    sheet = services.library.sheets.get(name)
    prints = fingerprints(sheet, services.corpus.filings(), versions(services))
    return OpenSheet(sheet, services.library.sheets.cells(name), prints)


def open_run(services: Services, name: str, *, use_model: bool = False) -> tuple[Run, OpenSheet]:
    """A run over the sheet of this name, and the sheet as it stands; raises ``NotFound``."""
    opened = open_sheet(services, name)
    filler = Filler(services.engine, services.corpus.filings(), use_model=use_model)
    return Run(opened.sheet, services.library.sheets, filler, opened.prints), opened


def versions(services: Services) -> Mapping[str, str]:
    """Filing id -> version; in a corpus elsewhere every change of it makes new versions of all."""
    corpus = services.corpus
    if isinstance(corpus, Library):
        return corpus.records.versions()
    return {filing.id: str(corpus.generation()) for filing in corpus.filings()}
