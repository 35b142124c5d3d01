"""EDGAR full submissions: the SGML header and the documents inside, from 1993 to today.

A submission is text: perhaps a privacy-enhanced-mail wrapper (to 2001), a header of ``KEY: value`` lines, then one
``<DOCUMENT>`` after another. Some stores have stripped the tags, so that a document begins with its bare type and sequence
number on two lines. File names in it are labels only: nothing is ever opened by them.
"""

from __future__ import annotations

import datetime as dt
import re
from collections.abc import Sequence
from dataclasses import dataclass, field

from fin_tui.filings.cleaning import clean
from fin_tui.records import Cover

_MARKS = re.compile(
    rb"^[ \t]*(?:-----BEGIN PRIVACY-ENHANCED MESSAGE-----|<(?:SEC|IMS)-(?:DOCUMENT|HEADER)>"
    rb"|<DOCUMENT>\s*<TYPE>|ACCESSION NUMBER:\s)",
    re.I | re.M,
)
_DOCUMENT = re.compile(rb"^[ \t]*<DOCUMENT>[ \t]*\r?$", re.I | re.M)
_STRIPPED = re.compile(rb"^[ \t]*(10-K[A-Z0-9/]{0,6}|EX-\d{1,2}[.0-9A-Z]*)[ \t]*\r?\n[ \t]*(\d{1,3})[ \t]*\r?$", re.M)
_FIELD = re.compile(rb"^[ \t]*<(TYPE|SEQUENCE|FILENAME|DESCRIPTION)>[ \t]*([^\r\n]*)", re.I | re.M)
_TEXT = re.compile(rb"<TEXT>[ \t]*\r?\n?", re.I)
_TEXT_END = re.compile(rb"\s*(?:</TEXT>\s*)?(?:</DOCUMENT>\s*)?(?:</(?:SEC|IMS)-DOCUMENT>\s*)?\Z", re.I)
_PEM_END = re.compile(rb"^-----END PRIVACY-ENHANCED MESSAGE-----", re.M)
_WRAPPER = re.compile(rb"\A\s*<(XBRL|XML)>\s*|\s*</(?:XBRL|XML)>\s*\Z", re.I)
_ENCODED = re.compile(rb"\A\s*(?:<PDF>|begin \d{3} \S|%PDF-)", re.I)
_HEADER_LINE = re.compile(r"^[ \t]*([A-Z][A-Z0-9 ./&-]{2,45}):[ \t]*(\S.*?)?[ \t]*$", re.M)
_ANNUAL = re.compile(r"10-?K", re.I)
_EXHIBIT_13 = re.compile(r"EX-13(?:\D|$)", re.I)
_POINTS_TO_REPORT = re.compile(
    r"annual\s+report\s+to\s+(?:its\s+|our\s+|the\s+)?(?:(?:share|stock)\s*(?:holder|owner)|security\s+holder)"
    r"|(?:share|stock)holders['’]?\s+annual\s+report|exhibit\s+13\b",
    re.I,
)


@dataclass(frozen=True, slots=True)
class SubmissionPart:
    """One document of a submission."""

    type: str
    """As filed: "10-K405", "EX-13.1", "GRAPHIC"."""
    sequence: int
    filename: str
    """A label from outside; never a path to open."""
    description: str
    body: bytes = field(repr=False)
    """What stands between its TEXT tags."""


@dataclass(frozen=True, slots=True)
class Submission:
    """A submission: what its header says, and its documents in order."""

    header: Cover
    parts: tuple[SubmissionPart, ...]
    truncated: bool = False
    """The last document has no end."""


def is_submission(raw: bytes) -> bool:
    """Whether ``raw`` begins as an EDGAR submission or one of its documents with its SGML head."""
    head = raw[:65536]
    mark = _MARKS.search(head)
    if mark is None:
        return False
    page = re.search(rb"<html|<!doctype", head, re.I)
    return page is None or mark.start() < page.start()


def split_submission(raw: bytes) -> Submission:
    """The header and documents of a submission; a file cut off anywhere gives what is there."""
    if end := _PEM_END.search(raw):
        raw = raw[: end.start()]
    starts = list(_DOCUMENT.finditer(raw))
    if starts:
        spans = [(found.end(), starts[n + 1].start() if n + 1 < len(starts) else len(raw)) for n, found in enumerate(starts)]
        head = raw[: starts[0].start()]
        parts = tuple(_tagged_part(raw[start:stop], n + 1) for n, (start, stop) in enumerate(spans))
        truncated = b"</TEXT>" not in raw[spans[-1][0] :].upper() and b"</TEXT>" in raw.upper()
    else:
        head, parts = _untagged_parts(raw)
        truncated = False
    header = read_header(head.decode("latin-1").replace("\r", ""))
    return Submission(header, parts, truncated)


def _tagged_part(block: bytes, number: int) -> SubmissionPart:
    text = _TEXT.search(block)
    fields = {
        key.upper().decode(): clean(value.decode("latin-1"))
        for key, value in _FIELD.findall(block[: text.start() if text else 4096])
    }
    body = block[text.end() :] if text else block[_end_of_fields(block) :]
    body = _TEXT_END.sub(b"", body)
    body = _WRAPPER.sub(b"", body)
    sequence = fields.get("SEQUENCE", "")
    return SubmissionPart(
        type=fields.get("TYPE", "").upper(),
        sequence=int(sequence) if sequence.isdecimal() and len(sequence) < 6 else number,
        filename=fields.get("FILENAME", "").replace("\\", "/").rsplit("/", 1)[-1],
        description=fields.get("DESCRIPTION", ""),
        body=body,
    )


def _end_of_fields(block: bytes) -> int:
    return max((found.end() for found in _FIELD.finditer(block[:4096])), default=0)


def _untagged_parts(raw: bytes) -> tuple[bytes, tuple[SubmissionPart, ...]]:
    """Documents of a submission whose tags were stripped: each begins with its type and its number, which count up from 1."""
    starts: list[re.Match[bytes]] = []
    for found in _STRIPPED.finditer(raw):
        if int(found[2]) == len(starts) + 1:
            starts.append(found)
    if not starts:
        cut = _end_of_header(raw)
        return raw[:cut], (SubmissionPart("", 1, "", "", raw[cut:]),)
    parts = tuple(
        SubmissionPart(
            type=found[1].decode().upper(),
            sequence=int(found[2]),
            filename="",
            description="",
            body=raw[found.end() : starts[n + 1].start() if n + 1 < len(starts) else len(raw)],
        )
        for n, found in enumerate(starts)
    )
    return raw[: starts[0].start()], parts


def _end_of_header(raw: bytes) -> int:
    """Where the body of a file without ``<DOCUMENT>`` begins: after the header's last closing tag or address line."""
    head = raw[:16384]
    closing = list(re.finditer(rb"</(?:SEC|IMS)-HEADER>[^\n]*\n?", head, re.I))
    if closing:
        return closing[-1].end()
    lines = list(re.finditer(rb"^[ \t]*(?:BUSINESS PHONE|ZIP|FILM NUMBER|FISCAL YEAR END):[^\n]*\n?", head, re.M))
    return lines[-1].end() if lines else 0


def read_header(text: str) -> Cover:
    """What an SGML header says of the filing; empty fields where it says nothing.

    With several filers the first one counts: EDGAR lists the registrant that the filing is about first.
    """
    found: dict[str, str] = {}
    for key, value in _HEADER_LINE.findall(text):
        if value:
            found.setdefault(key.strip(), clean(value))
    accession = re.search(r"\d{10}-\d{2}-\d{6}", found.get("ACCESSION NUMBER", ""))
    cik = re.sub(r"\D", "", found.get("CENTRAL INDEX KEY", ""))
    irs = re.sub(r"\D", "", found.get("IRS NUMBER", ""))
    return Cover(
        company=found.get("COMPANY CONFORMED NAME", ""),
        form=found.get("CONFORMED SUBMISSION TYPE", found.get("FORM TYPE", "")).upper(),
        period_end=_date(found.get("CONFORMED PERIOD OF REPORT", "")),
        cik=cik.zfill(10) if 0 < len(cik) <= 10 else "",
        irs_number=f"{irs[:2]}-{irs[2:]}" if len(irs) == 9 and irs.strip("0") else "",
        commission_file=found.get("SEC FILE NUMBER", ""),
        accession=accession[0] if accession else "",
        filed=_date(found.get("FILED AS OF DATE", "")),
    )


def _date(digits: str) -> dt.date | None:
    try:
        return dt.datetime.strptime(digits[:8], "%Y%m%d").date()
    except ValueError:
        return None


def readable(part: SubmissionPart) -> bool:
    """Whether a part is prose to read: not a graphic, an encoded PDF, a financial data schedule or an XBRL file."""
    if re.match(r"GRAPHIC|ZIP|EXCEL|PDF|XML|JSON|COVER|EX-101|EX-27(?:\D|$)", part.type):
        return False
    return bool(part.body.strip()) and not _ENCODED.match(part.body[:256])


def main_part(parts: Sequence[SubmissionPart]) -> SubmissionPart | None:
    """The annual report itself: the first readable 10-K of any kind, else the first that is no exhibit, else any."""
    good = [part for part in parts if readable(part)]
    for part in good:
        if _ANNUAL.match(part.type):
            return part
    for part in good:
        if not part.type.startswith("EX-"):
            return part
    return good[0] if good else None


def report_parts(parts: Sequence[SubmissionPart], main_text: str) -> list[SubmissionPart]:
    """The readable Exhibits 13 (annual report to shareholders), when ``main_text`` takes matter from one by reference."""
    exhibits = [part for part in parts if _EXHIBIT_13.match(part.type) and readable(part)]
    return exhibits if exhibits and points_to_report(main_text) else []


def points_to_report(main_text: str) -> bool:
    """Whether a 10-K's text speaks of an annual report to shareholders or of an Exhibit 13."""
    return bool(_POINTS_TO_REPORT.search(main_text))
