"""The lists of a company's filings: one recent list, and older ones that it names, newest first."""

from __future__ import annotations

import datetime as dt
import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import TypeVar

import msgspec
from msgspec import Struct

from fin_tui.filings.edgar.client import Client
from fin_tui.filings.edgar.errors import NotAtEdgar
from fin_tui.filings.edgar.listed import ACCESSION, Company, Listed, day, safe_document
from fin_tui.filings.edgar.transfer import Broken

T = TypeVar("T")
_OLDER_NAME = re.compile(r"CIK\d{10}-submissions-\d{3,5}\.json")
_MOST_OLDER = 400
"""The largest filers of structured notes have a few hundred."""


class _Columns(Struct, frozen=True):
    accessionNumber: list[str]
    form: list[str]
    filingDate: list[str]
    reportDate: list[str | None] = []
    primaryDocument: list[str | None] = []
    size: list[int | None] = []


class _Older(Struct, frozen=True):
    name: str
    filingFrom: str = ""
    filingTo: str = ""


class _Filings(Struct, frozen=True):
    recent: _Columns
    files: list[_Older] = []


class _Submissions(Struct, frozen=True):
    filings: _Filings
    cik: str | int = ""
    name: str = ""
    tickers: list[str] = []


@dataclass(frozen=True, slots=True)
class Page:
    """One list: the annual reports in it, newest first."""

    company: Company
    listed: tuple[Listed, ...]


def pages(client: Client, cik: str, after: dt.date | None = None, before: dt.date | None = None) -> Iterator[Page]:
    """The lists of the company with this number (ten digits), newest first; lists wholly outside the dates are left out.

    Raises ``NotAtEdgar`` for an unknown number, ``EdgarError``, ``Stopped``.
    """
    try:
        head = client.read(client.addresses.submissions(f"CIK{cik}.json"), lambda raw: _decoded(raw, _Submissions))
    except NotAtEdgar as error:
        raise NotAtEdgar(f"EDGAR knows no company with the number {cik}.", "Give its ticker, or its CIK from EDGAR.") from error
    company = Company(cik, " ".join(head.name.split())[:200], (head.tickers[0] if head.tickers else "")[:12].upper())
    yield Page(company, _annual(head.filings.recent, company))
    for older in head.filings.files[:_MOST_OLDER]:
        if _OLDER_NAME.fullmatch(older.name) and _overlaps(older, after, before):
            columns = client.read(client.addresses.submissions(older.name), lambda raw: _decoded(raw, _Columns))
            yield Page(company, _annual(columns, company))


def _overlaps(older: _Older, after: dt.date | None, before: dt.date | None) -> bool:
    first, last = day(older.filingFrom), day(older.filingTo)
    return not (after and last and last < after) and not (before and first and first > before)


def _annual(columns: _Columns, company: Company) -> tuple[Listed, ...]:
    """What of ``columns`` is an annual report with a true accession number, newest first."""
    found = []
    for n, form in enumerate(columns.form):
        if not form.startswith("10-K") or not ACCESSION.fullmatch(columns.accessionNumber[n]):
            continue
        found.append(
            Listed(
                columns.accessionNumber[n],
                company,
                form[:12],
                day(columns.filingDate[n]),
                day(_at(columns.reportDate, n)),
                safe_document(_at(columns.primaryDocument, n)),
                max(columns.size[n] or 0, 0) if n < len(columns.size) else 0,
            )
        )
    return tuple(sorted(found, key=lambda listed: listed.filed or dt.date.min, reverse=True))


def _at(column: Sequence[str | None], n: int) -> str:
    return (column[n] or "") if n < len(column) else ""


def _decoded(raw: bytes, kind: type[T]) -> T:
    try:
        found = msgspec.json.decode(raw, type=kind)
    except (msgspec.DecodeError, msgspec.ValidationError, UnicodeDecodeError, RecursionError) as error:
        raise Broken(
            "it answered with a page instead of a list" if raw.lstrip()[:1] == b"<" else "its list is garbled"
        ) from error
    columns = found.filings.recent if isinstance(found, _Submissions) else found
    if isinstance(columns, _Columns) and not len(columns.accessionNumber) == len(columns.form) == len(columns.filingDate):
        raise Broken("its list is garbled")
    return found
