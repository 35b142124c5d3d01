"""Sheets over open services: what the command line, the app and other programs ask for."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from fin_tui.engine.services import Services
from fin_tui.records import Sheet, SheetCell
from fin_tui.sheets.filling import Filler
from fin_tui.sheets.running import Run, fingerprints
from fin_tui.store.library import Library
from fin_tui.store.sheets import CellKey


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
