"""From a company's name, its number or an accession number to its filings, by the lists that EDGAR keeps; and files to the disk.

A download goes on where a transfer broke off, and is taken as done only when it is whole. What has come stands in ``NAME.part``;
its time is the one that EDGAR gives the document, so that the rest of another version is never added to it.
"""

from __future__ import annotations

import datetime as dt
import html
import os
import re
import time
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, TypeVar

import msgspec
from msgspec import Struct

from fin_tui.errors import UsageError
from fin_tui.filings.company_names import normal_company
from fin_tui.filings.edgar.client import (
    Broken,
    Client,
    Company,
    Listed,
    NotAtEdgar,
    TooLarge,
    day,
    pieces,
    safe_document,
    unpacked,
)
from fin_tui.filings.submission import is_submission, points_to_report, report_parts, split_submission, tags
from fin_tui.records.filing import ACCESSION

if TYPE_CHECKING:
    from requests import Response


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


_INDEX_BYTES = 256 << 20
_GZIP = b"\x1f\x8b"
_CENTURY_TURN = 90


def find_accession(client: Client, accession: str, cik: str = "") -> Listed:
    """The filing; ``cik`` is tried first. Raises ``NotAtEdgar`` when no index has it as an annual report."""
    tried = []
    for number in dict.fromkeys(filter(None, (cik, accession[:10]))):
        if found := _of_company(client, accession, number):
            return found
        tried.append(number)
    number = _from_indexes(client, accession)
    if number and number not in tried and (found := _of_company(client, accession, number)):
        return found
    raise NotAtEdgar(f"EDGAR has no annual report {accession}.", "Check the number, or give the company too.")


def _of_company(client: Client, accession: str, cik: str) -> Listed | None:
    around = dt.date(_year(accession), 1, 1)
    try:
        for page in pages(client, cik, around, around.replace(year=around.year + 1, month=6)):
            for listed in page.listed:
                if listed.accession == accession:
                    return listed
    except NotAtEdgar:
        return None
    return None


def _from_indexes(client: Client, accession: str) -> str:
    """The filer's number, ten digits; "" when no index of that year or of the next quarter names the filing."""
    year = _year(accession)
    for at_year, quarter in ((year, 1), (year, 2), (year, 3), (year, 4), (year + 1, 1)):
        try:
            number = client.read(client.addresses.quarter(at_year, quarter), lambda raw: _filer(raw, accession))
        except NotAtEdgar:
            continue
        if number:
            return number
    return ""


def _filer(raw: bytes, accession: str) -> str:
    """The number in the line ``CIK|company|form|date|edgar/data/CIK/ACCESSION.txt``."""
    try:
        index = unpacked(raw, _INDEX_BYTES) if raw[:2] == _GZIP else raw
    except TooLarge:
        raise Broken("its index has no end") from None
    if b"|" not in index:
        raise Broken("it answered with something else than an index")
    end = f"/{accession}.txt".encode()
    line = next((line for line in index.split(b"\n") if line.rstrip().endswith(end)), b"")
    cik, _, _ = line.partition(b"|")
    return cik.decode().zfill(10) if cik.isdigit() and len(cik) <= 10 else ""


def _year(accession: str) -> int:
    two = int(accession[11:13])
    return 1900 + two if two >= _CENTURY_TURN else 2000 + two


_CIK_DIGITS = 10
_NEAR = 80
_SHOWN = 5
_BY_NUMBER = "A company without a ticker today is found by its CIK."


class _Table(Struct, frozen=True):
    """The list as EDGAR gives it: column names, then rows."""

    fields: list[str]
    data: list[list[str | int | float | None]]


class Companies:
    """The companies that have a ticker, asked for once and only when a name or ticker is to be found."""

    def __init__(self, client: Client) -> None:
        self._client = client
        self._known: tuple[Company, ...] | None = None

    def find(self, name: str) -> Company:
        """By CIK, ticker or name. Raises ``NotAtEdgar`` with the nearest names, ``UsageError`` when several fit."""
        name = " ".join(name.split())
        digits = name.upper().removeprefix("CIK")
        if digits.isascii() and digits.isdigit():
            if len(digits) > _CIK_DIGITS:
                raise UsageError(f"{name!r} has too many digits for a CIK", "An accession number goes with --accession.")
            return Company(digits.zfill(_CIK_DIGITS))
        known = self._all()
        if found := [company for company in known if _ticker(company.ticker) == _ticker(name)]:
            return found[0]
        return self._by_name(name, known)

    def _by_name(self, name: str, known: tuple[Company, ...]) -> Company:
        wanted = normal_company(name)
        if not wanted:
            raise UsageError(f"{name!r} names no company", "Give a ticker, a CIK or a name.")
        exact = _distinct(company for company in known if normal_company(company.name) == wanted)
        begun = exact or _distinct(company for company in known if f"{normal_company(company.name)} ".startswith(f"{wanted} "))
        if len(begun) == 1:
            return begun[0]
        if begun:
            raise UsageError(f"{name!r} fits several companies: {_listed(begun)}", "Give the ticker or the CIK.")
        raise NotAtEdgar(f"EDGAR lists no company {name!r}.", f"{_nearest(wanted, known)}{_BY_NUMBER}")

    def _all(self) -> tuple[Company, ...]:
        if self._known is None:
            self._known = self._client.read(self._client.addresses.tickers(), _companies)
        return self._known


def _companies(raw: bytes) -> tuple[Company, ...]:
    try:
        table = msgspec.json.decode(raw, type=_Table)
        cik, name, ticker = (table.fields.index(field) for field in ("cik", "name", "ticker"))
        return tuple(
            Company(str(row[cik]).zfill(_CIK_DIGITS), " ".join(str(row[name]).split())[:200], str(row[ticker]).upper()[:12])
            for row in table.data
            if str(row[cik]).isdigit() and len(str(row[cik])) <= _CIK_DIGITS
        )
    except (msgspec.DecodeError, msgspec.ValidationError, UnicodeDecodeError, RecursionError, ValueError, IndexError) as error:
        raise Broken("it answered with something else than its list of companies") from error


def _ticker(text: str) -> str:
    """Share classes are written with a dot, a dash or a slash."""
    return text.upper().replace(".", "-").replace("/", "-")


def _distinct(companies: Iterable[Company]) -> list[Company]:
    """One for each number: a company stands in the list once for every class of its shares."""
    found: dict[str, Company] = {}
    for company in companies:
        found.setdefault(company.cik, company)
    return list(found.values())


def _nearest(wanted: str, known: tuple[Company, ...]) -> str:
    from rapidfuzz import fuzz, process

    names = [normal_company(company.name) for company in known]
    near = process.extract(wanted, names, scorer=fuzz.WRatio, limit=_SHOWN, score_cutoff=_NEAR)
    found = _distinct(known[number] for _, _, number in near)
    return f"Did you mean {_listed(found)}? " if found else ""


def _listed(companies: list[Company]) -> str:
    shown = ", ".join(f"{company.name} ({company.ticker or company.cik})" for company in companies[:_SHOWN])
    return shown + (f" and {len(companies) - _SHOWN} more" if len(companies) > _SHOWN else "")


Advance = Callable[[float, float], None]
"""Called with bytes done and bytes in all (0 when unknown)."""
Check = Callable[[bytes], bool]
"""Whether a file has its end; raises ``Broken`` when it is something else than was asked for."""

_OK, _PARTIAL, _PAST_ITS_END = 200, 206, 416
_UNKNOWN = 0


def download(client: Client, address: str, place: Path, advance: Advance, check: Check) -> None:
    """Bring ``address`` to ``place``. A file without its end is asked for again; the same bytes twice are what there is.

    Raises ``NotAtEdgar``, ``EdgarError`` (all tries failed, too large), ``Stopped``; ``OSError`` from the disk.
    """
    part = place.with_name(place.name + ".part")
    place.parent.mkdir(parents=True, exist_ok=True)
    before: list[bytes] = []

    def once() -> None:
        _transfer(client, address, part, advance)
        raw = part.read_bytes()
        try:
            is_whole = check(raw)
        except Broken:
            part.unlink()
            raise
        if not is_whole and raw not in before:
            before[:] = [raw]
            part.unlink()
            raise Broken("the document has no end")
        part.replace(place)

    client.attempt(address, once)


def _transfer(client: Client, address: str, part: Path, advance: Advance) -> None:
    """Bring the rest of ``part``, or all of it. Raises ``Broken`` when it is not whole after that; what came stays."""
    from email.utils import formatdate

    stamp = int(part.stat().st_mtime) if part.exists() else _UNKNOWN
    had = part.stat().st_size if stamp else 0
    extra = {}
    if had:
        extra = {"Range": f"bytes={had}-", "Accept-Encoding": "identity", "If-Range": formatdate(stamp, usegmt=True)}
    with client.ask(address, extra) as response:
        if response.status_code == _PAST_ITS_END:
            part.unlink(missing_ok=True)
            raise Broken("what had come of it does not fit")
        start, total = _extent(response, had)
        if start != had:
            part.unlink(missing_ok=True)
        _write(client, response, part, start, total, advance)
    size = part.stat().st_size if part.exists() else 0
    if total and size != total:
        if size > total:
            part.unlink()
        raise Broken("it broke off")


def _extent(response: Response, had: int) -> tuple[int, int]:
    """Where the answer's body begins in the file, and the file's whole size (0: unknown). Raises ``Broken`` for a wrong part."""
    if response.status_code == _PARTIAL:
        span, _, total = response.headers.get("content-range", "").removeprefix("bytes ").partition("/")
        if span.partition("-")[0] != str(had) or not (total == "*" or (total.isascii() and total.isdigit())):
            raise Broken("it sent another part than was asked for")
        return had, int(total) if total != "*" else 0
    length = response.headers.get("content-length", "")
    is_plain = response.headers.get("content-encoding", "identity") == "identity"
    return 0, int(length) if is_plain and length.isascii() and length.isdigit() else 0


def _write(client: Client, response: Response, part: Path, start: int, total: int, advance: Advance) -> None:
    largest = client.settings.file_mb << 20
    until = time.monotonic() + client.settings.file_s
    try:
        with part.open("ab" if start else "wb") as file:
            for piece in pieces(response.raw, largest=largest, until=until, cancelled=client.cancelled, before=start):
                file.write(piece)
                start += len(piece)
                advance(float(start), float(total))
            file.flush()
            os.fsync(file.fileno())
    except TooLarge:
        part.unlink()
        raise
    finally:
        _stamp(part, response.headers.get("last-modified", ""))


def _stamp(part: Path, modified: str) -> None:
    """Give the file the document's own time; without one, what came can't be gone on with and is not kept."""
    from email.utils import parsedate_to_datetime

    try:
        when = int(parsedate_to_datetime(modified).timestamp())
    except (TypeError, ValueError, OverflowError):
        when = _UNKNOWN
    if part.exists():
        os.utime(part, (when, when))


_END = 4096
_STARTS = frozenset((b"html", b"!doctype html", b"document", b"?xml"))
_ENDS = frozenset((b"/html", b"/document"))
_INLINE = (b"<ix:header", b"<ix:nonfraction", b"<ix:nonnumeric")
_SUBMISSION_ENDS = (b"</SEC-DOCUMENT>", b"</IMS-DOCUMENT>", b"-----END PRIVACY-ENHANCED MESSAGE-----")
_ERRORS = (
    b"request rate threshold exceeded", b"undeclared automated tool", b"<error><code>",
    b"<title>sec.gov |", b"<title>access denied", b"<title>error",
)  # fmt: skip
_TAG = re.compile(r"<[^<>]{0,4000}>")


def bring_filing(client: Client, listed: Listed, folder: Path, advance: Advance) -> Path:
    """Download what is best to read of the filing into ``folder``; gives the file.

    Raises ``NotAtEdgar``, ``EdgarError``, ``Stopped``, ``OSError``; what came by then is gone on with by the next call.
    """
    if not listed.document:
        return _submission(client, listed, folder, advance)
    place = folder / listed.document
    if not place.exists():
        address = client.addresses.document(listed.company.cik, listed.accession, listed.document)
        try:
            download(client, address, place, advance, _page_is_whole)
        except NotAtEdgar:
            return _submission(client, listed, folder, advance)
    main = _plain(place.read_bytes())
    if not points_to_report(main):
        return place
    whole = _submission(client, listed, folder, advance)
    if report_parts(split_submission(whole.read_bytes()).parts, main):
        place.unlink()
        return whole
    whole.unlink()
    return place


def _submission(client: Client, listed: Listed, folder: Path, advance: Advance) -> Path:
    place = folder / f"{listed.accession}.txt"
    if not place.exists():
        address = client.addresses.submission(listed.company.cik, listed.accession)
        download(client, address, place, advance, _submission_is_whole)
    return place


def _page_is_whole(raw: bytes) -> bool:
    if _STARTS.isdisjoint(tags(raw[:_END])) or _is_error(raw[: 4 * _END]):
        raise Broken("it answered with something else than the document")
    if not _ENDS.isdisjoint(tags(raw[-_END:])):
        return True
    if any(tag in raw.lower() for tag in _INLINE):
        # EDGAR takes inline XBRL only as well-formed XHTML.
        raise Broken("it broke off")
    return False


def _submission_is_whole(raw: bytes) -> bool:
    if not is_submission(raw):
        raise Broken("it answered with something else than the submission")
    return any(mark in raw[-_END:].upper() for mark in _SUBMISSION_ENDS)


def _is_error(page: bytes) -> bool:
    """Whether it is what EDGAR answers in place of a document; such a page has an error or its status in the title."""
    text = b" ".join(page.lower().split()).replace(b"> ", b">")
    status = text.partition(b"<title>")[2][:4]
    return any(words in text for words in _ERRORS) or (status[:3].isdigit() and not status[3:].isalnum())


def _plain(raw: bytes) -> str:
    return " ".join(html.unescape(_TAG.sub(" ", raw.decode("utf-8", "replace"))).split())
