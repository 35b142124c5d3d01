"""Who filed what for which period: the cover completed from its three sources, and the filing's id and company key.

Tagged facts win, then what the filing prints (its cover page first, then the other places that name the registrant), then the
SGML header, field by field. A file's name is a label for people and is never read.
"""

from __future__ import annotations

import datetime as dt
import hashlib
import re
from collections import Counter
from dataclasses import replace

from fin_tui.filings.cover import cover_from_text, derive_fiscal_year
from fin_tui.language import normal_company, spelled_out, tidy_company
from fin_tui.records import Cover, Document, Filing

_ARCHIVES = "https://www.sec.gov/Archives/edgar/data"
_WEEK = 7
_FEW_TABLES = 5
"""Tables that must share a day before it counts as the end of the period."""


def complete_cover(document: Document, header: Cover | None = None) -> Document:
    """``document`` with its cover filled: what its facts gave, else its cover page, else the submission's ``header``."""
    tagged = document.cover
    header = header or Cover()
    printed = cover_from_text(document.text, document.beside)
    period_end = tagged.period_end or printed.period_end or header.period_end
    warnings = document.warnings
    if period_end is None and (period_end := _end_of_tables(document)):
        warnings = (*warnings, f"The cover gives no period end; {period_end} was taken from the columns of the tables.")
    cover = Cover(
        company=_company(tagged, printed, header, document.text),
        form=_form(tagged.form or printed.form, header.form),
        fiscal_year=tagged.fiscal_year,
        period_end=period_end,
        cik=tagged.cik or header.cik,
        # EDGAR's list has the symbol that people know the company by today; an SGML header has none.
        ticker=header.ticker or tagged.ticker or printed.ticker,
        irs_number=tagged.irs_number or printed.irs_number or header.irs_number,
        commission_file=tagged.commission_file or printed.commission_file or header.commission_file,
        accession=header.accession or tagged.accession,
        filed=header.filed or tagged.filed,
    )
    if cover.fiscal_year is None and period_end:
        cover = replace(cover, fiscal_year=derive_fiscal_year(document.text, period_end))
    if header.period_end and period_end and abs((header.period_end - period_end).days) > _WEEK:
        warnings = (
            *warnings,
            f"The cover gives the period end {period_end}, the SGML header {header.period_end}; the cover was taken.",
        )
    if not cover.form:
        warnings = (*warnings, "No cover page of an SEC form was found.")
    return replace(document, cover=cover, warnings=warnings)


def _company(tagged: Cover, printed: Cover, header: Cover, text: str) -> str:
    if tagged.company:
        return tidy_company(spelled_out(tagged.company, printed.company), text)
    if printed.company:
        return printed.company
    return tidy_company(header.company, text) if header.company else ""


def _end_of_tables(document: Document) -> dt.date | None:
    """The latest of the days that most tables have a column for; None where too few have any."""
    ends = Counter(
        end
        for block in document.blocks
        if block.table
        for end in {column.period_end for column in block.table.columns if column.period_end}
    )
    enough = max(_FEW_TABLES, max(ends.values(), default=0) / 2)
    return max((end for end, count in ends.items() if count >= enough), default=None)


def _form(own: str, header: str) -> str:
    """The document's own form, or the header's where that says the same more exactly (10-K405 and 10-K/A print "10-K")."""
    if not own:
        return header
    return header if header and header.startswith(own) else own


def company_key(cover: Cover) -> str:
    """What makes two filings one company's: "cik:0000320193", else "irs:94-2404110", "file:0-10030" or "name:apple inc"."""
    if cover.cik:
        return f"cik:{cover.cik}"
    if cover.irs_number:
        return f"irs:{cover.irs_number}"
    if cover.commission_file:
        return f"file:{_file_number(cover.commission_file)}"
    return f"name:{normal_company(cover.company)}"


def _file_number(number: str) -> str:
    """A Commission file number without the zeros that some writers put before its parts: "000-10030" is "0-10030"."""
    return "-".join(re.sub(r"^0+(?=\d)", "", part) for part in number.split("-"))


def make_filing(document: Document, raw: bytes, file_name: str) -> Filing:
    """The library's record of a filing, before sections and chunks are counted.

    ``raw`` is the file as added: its hash is the id when no SGML header gave an accession number. ``file_name`` is kept as a
    label only.
    """
    cover = document.cover
    return Filing(
        id=cover.accession or f"sha256:{hashlib.sha256(raw).hexdigest()[:16]}",
        file=file_name,
        company=cover.company,
        company_key=company_key(cover),
        form=cover.form,
        fiscal_year=cover.fiscal_year,
        period_end=cover.period_end,
        cik=cover.cik,
        ticker=cover.ticker,
        filed=cover.filed,
        pages=document.pages,
        facts=len(document.facts),
        format=document.format,
        coverage=document.coverage,
        url=filing_url(cover),
        warnings=document.warnings,
    )


def filing_url(cover: Cover) -> str:
    """The filing's index page at EDGAR; "" unless both CIK and accession number are known."""
    if not (cover.cik and cover.accession):
        return ""
    return f"{_ARCHIVES}/{int(cover.cik)}/{cover.accession.replace('-', '')}/{cover.accession}-index.htm"
