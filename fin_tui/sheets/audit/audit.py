"""A workbook audited: every sheet read, its numbers judged, its formulas checked; the report, and the marks of a copy."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from fin_tui.engine.services import Services
from fin_tui.plural import count
from fin_tui.sheets.audit.checks import Check, check_sheet
from fin_tui.sheets.audit.held import HeldFacts
from fin_tui.sheets.audit.judging import AuditedCell, Judge
from fin_tui.sheets.audit.layout import typed_numbers
from fin_tui.sheets.audit.meaning import Meaning
from fin_tui.sheets.book import Mark
from fin_tui.sheets.filling import Filler
from fin_tui.sheets.xlsx import read_book
from fin_tui.store.resolve import company_keys


@dataclass(frozen=True, slots=True)
class Audit:
    """What was found in a workbook."""

    file: str
    cells: tuple[AuditedCell, ...]
    checks: tuple[Check, ...]

    @property
    def counts(self) -> Mapping[str, int]:
        """Status -> number of cells."""
        found = Counter(cell.status for cell in self.cells)
        return {status: found.get(status, 0) for status in ("supported", "contradicted", "unknown")}

    @property
    def document(self) -> dict[str, Any]:
        """The document of ``audit --json``."""
        cells = [
            {"sheet": c.sheet, "cell": c.cell, "label": c.label, "period_end": c.period_end, "typed": c.typed, "status": c.status,
             "found": c.found, "slip": c.slip, "why": c.why, "company": c.company or None}
            for c in self.cells
        ]  # fmt: skip
        checks = [{"sheet": c.sheet, "cell": c.cell, "kind": c.kind, "why": c.why} for c in self.checks]
        return {"file": self.file, "counts": self.counts, "cells": cells, "checks": checks}

    @property
    def marks(self) -> dict[tuple[str, str], tuple[Mark, str]]:
        """(sheet, cell) -> how a copy is marked. A verdict comes before a check of the same cell."""
        found: dict[tuple[str, str], tuple[Mark, str]] = {
            (check.sheet, check.cell): ("check", f"{check.kind}: {check.why}") for check in self.checks
        }
        for cell in self.cells:
            place = cell.found.get("reference") if cell.found else None
            slip = f" Likely slip: {cell.slip}." if cell.slip and cell.slip != "other" else ""
            note = " ".join(filter(None, (cell.why + slip, f"Source: {place}." if place else "")))
            found[cell.sheet, cell.cell] = (cell.status, note)
        return found


def audit(
    services: Services, path: Path, *, company: str = "", tell: Callable[[int, int], None] = lambda done, total: None
) -> Audit:
    """Audit the workbook at ``path`` against the filings held. ``company`` (name, ticker or CIK) says whose numbers they are
    where the workbook does not; the one company of a library needs no naming. ``tell`` hears how many sheets are done.

    Raises ``FinTuiError`` for a file that can't be read, ``NotFound`` for a company that is not held.
    """
    sheets = read_book(path)
    filings = services.corpus.filings()
    held = HeldFacts(services.corpus, services.book, Filler(services.engine, filings))
    default = company_keys(company, filings)[0] if company else _only(held, path)
    judge = Judge(held, Meaning(services.encoder.vectors), default)
    numbers = [typed_numbers(sheet, held.company) for sheet in sheets]
    cells = judge.judge(numbers, lambda done: tell(done, len(sheets)))
    checks = tuple(check for sheet in sheets for check in check_sheet(sheet))
    tell(len(sheets), len(sheets))
    return Audit(path.name, cells, checks)


def _only(held: HeldFacts, path: Path) -> str:
    """The company that the file is called after, else the only one held."""
    name = path.stem.replace("_", " ").replace("-", " ")
    for text in (name, *name.split()):
        if key := held.company(text):
            return key
    return held.companies[0] if len(held.companies) == 1 else ""


def report(found: Audit) -> str:
    """The audit as Markdown: counts, what is contradicted, what the checks say, what is unknown."""
    told = found.counts
    lines = [f"# Audit of {_text(found.file)}", "", ", ".join(f"{number} {status}" for status, number in told.items()) + "."]
    wrong = [cell for cell in found.cells if cell.status == "contradicted"]
    if wrong:
        lines += [
            "",
            "## Contradicted",
            "",
            "| Cell | Label | Period end | Typed | Slip | Why | Source |",
            "|---|---|---|---|---|---|---|",
        ]
        lines += [_row(cell) for cell in wrong]
    if found.checks:
        lines += ["", "## Sums and formulas", "", "| Cell | What | Why |", "|---|---|---|"]
        lines += [f"| {_text(c.sheet)}!{c.cell} | {c.kind} | {_text(c.why)} |" for c in found.checks]
    reasons = Counter(cell.why for cell in found.cells if cell.status == "unknown")
    if reasons:
        lines += ["", "## Unknown", ""]
        lines += [f"- {count(number, 'cell')}: {_text(why)}" for why, number in reasons.most_common()]
    return "\n".join(lines) + "\n"


def _row(cell: AuditedCell) -> str:
    source = cell.found.get("reference") if cell.found else None
    parts = (
        f"{cell.sheet}!{cell.cell}",
        cell.label,
        cell.period_end or "",
        f"{cell.typed:,.10g}",
        cell.slip or "",
        cell.why,
        source or "",
    )
    return "| " + " | ".join(_text(part) for part in parts) + " |"


def _text(text: str) -> str:
    """Text of a workbook or filing within a table of Markdown: no markup, no further column."""
    for mark in "\\|<>*_`[]":
        text = text.replace(mark, f"\\{mark}")
    return " ".join(text.split())
