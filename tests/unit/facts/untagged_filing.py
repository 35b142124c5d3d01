"""A filing without tags, made of tables that a test writes as lines of cells."""

from __future__ import annotations

import datetime as dt
from dataclasses import replace

from fin_tui.config import Chunking
from fin_tui.ingest.pipeline import parse
from fin_tui.records import Cover, Filing
from fin_tui.store.library import Library


def table(title: str, rows: str, caption: str = "(In millions, except per share data)") -> str:
    """HTML of a table: cells parted by "|", rows by line breaks."""
    lines = [line.split("|") for line in rows.strip("\n").split("\n")]
    cells = "".join("<tr>" + "".join(f"<td>{cell.strip()}</td>" for cell in line) + "</tr>" for line in lines)
    return f"<p>{title}</p><p>{caption}</p><table>{cells}</table>"


def add(library: Library, body: str, *, company: str = "Acme Corporation", end: dt.date = dt.date(2009, 12, 31)) -> Filing:
    """A 10-K of ``company`` for the year to ``end`` with ``body``, put into ``library``."""
    cover = f"<p>FORM 10-K</p><p>ANNUAL REPORT</p><p>For the fiscal year ended {end:%B} {end.day}, {end.year}</p><p>{company}</p>"
    known = Cover(company=company, form="10-K", fiscal_year=end.year, period_end=end)
    entry = parse(f"<html><body>{cover}{body}</body></html>".encode(), "acme.htm", Chunking(), force=True, known=known)
    filing = replace(entry.filing, company=company, fiscal_year=end.year, period_end=end)
    library.add(replace(entry, filing=filing))
    return filing
