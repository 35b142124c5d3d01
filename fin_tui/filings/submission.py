"""What a file is, from its bytes alone; and EDGAR full submissions: the SGML header and the documents inside, from 1993 to
today.

What can't be a filing is refused before any work is done on it. A submission is text: perhaps a privacy-enhanced-mail wrapper
(to 2001), a header of ``KEY: value`` lines, then one ``<DOCUMENT>`` after another. Some stores have stripped the tags, so that
a document begins with its bare type and sequence number on two lines. File names in it are labels only: nothing is ever opened
by them.
"""

from __future__ import annotations

import codecs
import datetime as dt
import gzip
import re
import zlib
from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from itertools import pairwise
from typing import Literal

from fin_tui.errors import BadFiling
from fin_tui.filings.dom import Attributes, Kind, decode, repair, walk
from fin_tui.language import any_of, clean, only_digits, runs_of
from fin_tui.records import Cover, Document, Fact
from fin_tui.records.filing import ACCESSION

_MARKS = (
    b"-----BEGIN PRIVACY-ENHANCED MESSAGE-----", b"<SEC-DOCUMENT>", b"<IMS-DOCUMENT>", b"<SEC-HEADER>", b"<IMS-HEADER>",
    b"ACCESSION NUMBER:",
)  # fmt: skip
"""How a line of a submission's head begins."""
_STRIPPED = re.compile(rb"^[ \t]*(10-K[A-Z0-9/]{0,6}|EX-\d{1,2}[.0-9A-Z]*)[ \t]*\r?\n[ \t]*(\d{1,3})[ \t]*\r?$", re.M)
_FIELD = re.compile(rb"^[ \t]*<(DOCUMENT|TYPE|SEQUENCE|FILENAME|DESCRIPTION)>[ \t]*([^\r\n]*)", re.I | re.M)
_TEXT = b"<TEXT>"
_ENDS = ((b"</SEC-DOCUMENT>", b"</IMS-DOCUMENT>"), (b"</DOCUMENT>",), (b"</TEXT>",))
_HEADER_ENDS = (b"</SEC-HEADER>", b"</IMS-HEADER>")
_ADDRESS_LINES = (b"BUSINESS PHONE:", b"ZIP:", b"FILM NUMBER:", b"FISCAL YEAR END:")
_ANNUAL = ("10-K", "10K")
_NO_PROSE = ("GRAPHIC", "ZIP", "EXCEL", "PDF", "XML", "JSON", "COVER", "EX-101")
_POINTS_TO_REPORT = any_of(
    "annual report to (its/our/the) shareholder*/stockholder*/shareowner*/stockowner*/share-holder*/stock-holder*/share-owner*"
    "/stock-owner*/security-holder*, shareholders/stockholders/shareholders'/stockholders' annual report, exhibit 13"
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
    lines = [line.strip() for line in raw[:_LOOK].upper().split(b"\n") if line.strip()]
    for line, following in pairwise([*lines, b""]):
        mark, _, behind = line.partition(b">")
        if line.startswith(_MARKS) or (mark == b"<DOCUMENT" and (behind.lstrip() or following).startswith(b"<TYPE>")):
            return True
        if b"<HTML" in line or b"<!DOCTYPE" in line:
            break
    return False


def split_submission(raw: bytes) -> Submission:
    """The header and documents of a submission; a file cut off anywhere gives what is there."""
    raw = raw.partition(b"\n-----END PRIVACY-ENHANCED MESSAGE-----")[0]
    starts = [field for field in _FIELD.finditer(raw) if field[1].upper() == b"DOCUMENT" and not field[2].strip()]
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
    text = block.upper().find(_TEXT)
    fields = {
        key.upper().decode(): clean(value.decode("latin-1"))
        for key, value in _FIELD.findall(block[:text] if text >= 0 else block[:4096])
    }
    body = block[text + len(_TEXT) :].lstrip(b" \t") if text >= 0 else block[_end_of_fields(block) :]
    body = body.removeprefix(b"\r").removeprefix(b"\n") if text >= 0 else body
    for marks in _ENDS:
        body = _without_end(body.rstrip(), marks)
    body = _without_end(body, (b"</XBRL>", b"</XML>"))
    wrapper, _, inside = body.partition(b">")
    body = inside.lstrip() if wrapper.lstrip().upper() in (b"<XBRL", b"<XML") else body
    sequence = fields.get("SEQUENCE", "")
    return SubmissionPart(
        type=fields.get("TYPE", "").upper(),
        sequence=int(sequence) if sequence.isdecimal() and len(sequence) < 6 else number,
        filename=fields.get("FILENAME", "").replace("\\", "/").rsplit("/", 1)[-1],
        description=fields.get("DESCRIPTION", ""),
        body=body,
    )


def _without_end(body: bytes, ends: Iterable[bytes]) -> bytes:
    bare = body.rstrip()
    mark = next((mark for mark in ends if bare[-len(mark) :].upper() == mark), b"")
    return bare[: -len(mark)].rstrip() if mark else body


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
    end = at = 0
    is_closed = False
    for line in head.splitlines(keepends=True):
        at += len(line)
        closes = any(mark in line.upper() for mark in _HEADER_ENDS)
        if closes or (not is_closed and line.lstrip(b" \t").startswith(_ADDRESS_LINES)):
            end, is_closed = at, is_closed or closes
    return end


def read_header(text: str) -> Cover:
    """What an SGML header says of the filing; empty fields where it says nothing.

    With several filers the first one counts: EDGAR lists the registrant that the filing is about first.
    """
    found: dict[str, str] = {}
    for line in text.split("\n"):
        key, _, value = line.partition(":")
        if value.strip():
            found.setdefault(key.strip(), clean(value))
    accession = ACCESSION.search(found.get("ACCESSION NUMBER", ""))
    cik = only_digits(found.get("CENTRAL INDEX KEY", ""))
    irs = only_digits(found.get("IRS NUMBER", ""))
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


def _is_exhibit(kind: str, number: str) -> bool:
    """Whether a document's type is the exhibit, or a part of it: "EX-13", "EX-13.1", no "EX-131"."""
    rest = kind.removeprefix(f"EX-{number}")
    return rest != kind and not rest[:1].isdigit()


def readable(part: SubmissionPart) -> bool:
    """Whether a part is prose to read: not a graphic, an encoded PDF, a financial data schedule or an XBRL file."""
    if part.type.startswith(_NO_PROSE) or _is_exhibit(part.type, "27"):
        return False
    begin = part.body[:256].lstrip().upper()
    is_encoded = begin.startswith((b"<PDF>", b"%PDF-")) or (begin.startswith(b"BEGIN ") and begin[6:9].isdigit())
    return bool(part.body.strip()) and not is_encoded


def main_part(parts: Sequence[SubmissionPart]) -> SubmissionPart | None:
    """The annual report itself: the first readable 10-K of any kind, else the first that is no exhibit, else any."""
    good = [part for part in parts if readable(part)]
    for part in good:
        if part.type.startswith(_ANNUAL):
            return part
    for part in good:
        if not part.type.startswith("EX-"):
            return part
    return good[0] if good else None


def report_parts(parts: Sequence[SubmissionPart], main_text: str) -> list[SubmissionPart]:
    """The readable Exhibits 13 (annual report to shareholders), when ``main_text`` takes matter from one by reference."""
    exhibits = [part for part in parts if _is_exhibit(part.type, "13") and readable(part)]
    return exhibits if exhibits and points_to_report(main_text) else []


def points_to_report(main_text: str) -> bool:
    """Whether a 10-K's text speaks of an annual report to shareholders or of an Exhibit 13."""
    return bool(_POINTS_TO_REPORT.search(main_text))


_TYPES = ("EX-101.LAB", "EX-101.CAL", "EX-101.SCH")
_STANDARD = "/label"
_ROLES = (_STANDARD, "/terselabel", "/verboselabel", "/totallabel", "/netlabel")
"""Ends of the roles of labels, the best first: documentation is no label."""
_EXACT = 12


@dataclass(slots=True)
class Linkbases:
    """What the linkbases of a filing say; concepts are prefixed names, as in its facts."""

    labels: dict[str, str] = field(default_factory=dict)
    sums: dict[str, dict[str, dict[str, float]]] = field(default_factory=dict)
    """Role of a statement -> total -> part -> weight."""


def read_linkbases(parts: Iterable[SubmissionPart]) -> Linkbases:
    """The labels and sums of ``parts``; documents of other types are passed over. Raises ``BadFiling`` for hostile markup."""
    found = Linkbases()
    for part in parts:
        if part.type.startswith(_TYPES):
            _Reader(found).read(part.body)
    return found


def with_linkbases(document: Document, parts: Sequence[SubmissionPart]) -> Document:
    """``document`` with its hidden facts named by the label linkbase, and a warning where declared sums don't add up."""
    try:
        found = read_linkbases(parts)
    except BadFiling as error:
        return replace(document, warnings=(*document.warnings, f"The XBRL linkbases could not be read: {error.message}"))
    facts = tuple(fact if fact.label else replace(fact, label=found.labels.get(fact.concept, "")) for fact in document.facts)
    agreed, checked = check_sums(facts, found.sums)
    told = (f"{checked - agreed} of {checked} sums that the filing declares do not add up.",) if agreed < checked else ()
    return replace(document, facts=facts, warnings=(*document.warnings, *told))


def check_sums(facts: Iterable[Fact], sums: Mapping[str, Mapping[str, Mapping[str, float]]]) -> tuple[int, int]:
    """(sums that add up, sums that could be checked): for each period and part of the business that states total and all parts.

    A sum adds up when it is off by no more than half of the last stated digit of each figure in it.
    """
    stated: defaultdict[tuple[object, ...], dict[str, Fact]] = defaultdict(dict)
    for fact in facts:
        if fact.source == "xbrl" and fact.value is not None:
            key = (fact.period_start, fact.period_end, tuple(sorted(fact.dimensions.items())), fact.unit)
            stated[key].setdefault(fact.concept, fact)
    agreed = checked = 0
    for declared in sums.values():
        for total, weights in declared.items():
            for held in stated.values():
                if total in held and weights.keys() <= held.keys():
                    checked += 1
                    agreed += _adds_up(held[total], [(held[part], weight) for part, weight in weights.items()])
    return agreed, checked


def _adds_up(total: Fact, parts: Sequence[tuple[Fact, float]]) -> bool:
    slack = sum(_half_digit(fact) for fact in (total, *(fact for fact, _ in parts)))
    return abs((total.value or 0.0) - sum(weight * (fact.value or 0.0) for fact, weight in parts)) <= slack + 1e-6


def _half_digit(fact: Fact) -> float:
    return 0.5 * 10.0 ** -(_EXACT if fact.decimals is None else fact.decimals)


class _Reader:
    """Takes the events of one linkbase document. Locators and resources are named within one extended link."""

    def __init__(self, found: Linkbases) -> None:
        self._found = found
        self._role = ""
        self._concepts: dict[str, str] = {}
        self._texts: dict[str, list[tuple[str, list[str]]]] = {}
        self._arcs: list[tuple[str, str, float | None]] = []
        self._text: list[str] | None = None

    def read(self, body: bytes) -> None:
        for kind, value, attributes in walk(repair(decode(body))):
            if kind is Kind.START:
                self._start(value.rpartition(":")[2], attributes)
            elif kind is Kind.TEXT and self._text is not None:
                self._text.append(value)
            elif kind is Kind.END:
                self._end(value.rpartition(":")[2])

    def _start(self, name: str, attributes: Attributes) -> None:
        label = attributes.get("xlink:label") or ""
        if name in ("labellink", "calculationlink"):
            self._role = attributes.get("xlink:role") or ""
            self._concepts, self._texts, self._arcs = {}, {}, []
        elif name == "loc":
            self._concepts[label] = _concept(attributes.get("xlink:href") or "")
        elif name == "label":
            self._text = []
            self._texts.setdefault(label, []).append(((attributes.get("xlink:role") or _STANDARD).lower(), self._text))
        elif name in ("labelarc", "calculationarc") and (attributes.get("use") or "") != "prohibited":
            weight = _number(attributes.get("weight")) if name == "calculationarc" else None
            self._arcs.append((attributes.get("xlink:from") or "", attributes.get("xlink:to") or "", weight))

    def _end(self, name: str) -> None:
        if name == "label":
            self._text = None
        elif name == "labellink":
            self._name()
        elif name == "calculationlink":
            declared = self._found.sums.setdefault(self._role, {})
            for source, target, weight in self._arcs:
                total, part = self._concepts.get(source), self._concepts.get(target)
                if total and part and weight is not None:
                    declared.setdefault(total, {})[part] = weight

    def _name(self) -> None:
        best: dict[str, tuple[int, str]] = {}
        for source, target, _ in self._arcs:
            concept = self._concepts.get(source, "")
            for role, runs in self._texts.get(target, ()):
                rank = next((n for n, end in enumerate(_ROLES) if role.endswith(end)), None)
                text = clean(" ".join("".join(runs).split()))
                if concept and text and rank is not None and rank < best.get(concept, (len(_ROLES), ""))[0]:
                    best[concept] = (rank, text)
        for concept, (_, text) in best.items():
            self._found.labels.setdefault(concept, text)


def _concept(href: str) -> str:
    """ "…/us-gaap-2024.xsd#us-gaap_Revenues" -> "us-gaap:Revenues"."""
    prefix, _, name = clean(href.rpartition("#")[2]).partition("_")
    return f"{prefix}:{name}" if prefix and name else ""


def _number(text: str | None) -> float | None:
    try:
        return float(text or "")
    except ValueError:
        return None


Format = Literal["pdf", "submission", "html", "text"]

MAX_BYTES = 200 * 1024 * 1024
"""Far above the largest 10-K with its exhibits."""
MAX_TEXT_BYTES = 32 * 1024 * 1024
"""One plain-text document; the longest of the 1990s have a few MB."""
_SUSPICIOUS_BYTES = 24 * 1024 * 1024
"""From here on a file must say early on that it is a filing."""
_LOOK = 65_536
_EARLY = 1024 * 1024
_FEW_WORDS = 20
_FEW_TAGS = 3
_MAX_CONTROL_SHARE = 0.02
_HINT = "Add the 10-K itself: the .htm, .txt or .pdf document, or the full submission .txt from EDGAR."
_KNOWN = (
    (b"PK\x03\x04", "a ZIP archive or an Office document"),
    (b"\xd0\xcf\x11\xe0", "an old Office document"),
    (b"\x89PNG", "a picture"),
    (b"\xff\xd8\xff", "a picture"),
    (b"GIF8", "a picture"),
    (b"{\\rtf", "an RTF document"),
    (b"SQLite format 3", "a database"),
    (b"GGUF", "model weights"),
    (b"\x7fELF", "a program"),
)
_TAG = re.compile(rb"<(/?[a-z][a-z0-9:-]*|!doctype\s+html|\?xml)(?=[\s/>])", re.I)
_PAGES = frozenset((b"html", b"body", b"!doctype html", b"ix:header", b"head"))
_MARKUP = frozenset(b"div p td tr font br span h1 h2 h3 h4 h5 h6 b i a center hr".split())
_SCHEMES = frozenset((b"xbrl", b"schema", b"linkbase"))


def tags(raw: bytes) -> list[bytes]:
    """The names of the tags in ``raw``, in order and in small letters; those that close begin with a slash."""
    return [b" ".join(name.lower().split()) for name in _TAG.findall(raw)]


_FILING_WORDS = (
    b"10-k", b"10k", b"securities and exchange", b"securities &amp; exchange", b"<sec-header>", b"<type>", b"annual report",
    b"ix:header", b"xmlns:dei", b"dei:",
)  # fmt: skip


def prepare(raw: bytes, name: str) -> tuple[bytes, Format]:
    """The bytes to read (decompressed, UTF-16 and UTF-32 turned into UTF-8) and their format.

    Raises BadFiling for what is empty, too large, too short, binary or another kind of file. ``name`` is for the message only.
    """
    if len(raw) < _LOOK and not raw.strip(b" \t\r\n\0\xef\xbb\xbf"):
        raise BadFiling(f"{name} is empty.", _HINT)
    _refuse_size(len(raw), name)
    if raw[:2] == b"\x1f\x8b":
        raw = _gunzip(raw, name)
    if b"%PDF-" in raw[:1024]:
        return raw, "pdf"
    for magic, what in _KNOWN:
        if raw.startswith(magic):
            raise BadFiling(f"{name} is {what}, not a filing.", _HINT)
    raw = _to_ascii_compatible(raw, name)
    _refuse_binary(raw, name)
    if len(raw) > _SUSPICIOUS_BYTES and not any(words in raw[:_EARLY].lower() for words in _FILING_WORDS):
        raise BadFiling(f"{name} has {len(raw) // 1_000_000} MB and does not begin as an SEC filing.", _HINT)
    return raw, _text_format(raw, name)


def _text_format(raw: bytes, name: str) -> Format:
    if is_submission(raw):
        return "submission"
    names = tags(raw[:_LOOK])
    if not _PAGES.isdisjoint(names):
        return "html"
    if any(name.rpartition(b":")[2] in _SCHEMES for name in names):
        raise BadFiling(f"{name} is XBRL data without the filing's text.", "Add the 10-K document (.htm) it belongs to.")
    if sum(name.removeprefix(b"/") in _MARKUP for name in names) >= _FEW_TAGS:
        return "html"
    if sum(len(word) > 1 and word.isalpha() for word in runs_of(raw[:_EARLY].decode("latin-1"))) < _FEW_WORDS:
        raise BadFiling(f"{name} is too short to be a filing.", _HINT)
    if len(raw) > MAX_TEXT_BYTES:
        raise BadFiling(f"{name} has {len(raw) // 1_000_000} MB of plain text; no filing is that long.", _HINT)
    return "text"


def _refuse_size(size: int, name: str) -> None:
    if size > MAX_BYTES:
        raise BadFiling(f"{name} has {size // (1024 * 1024)} MB; at most {MAX_BYTES // (1024 * 1024)} MB can be read.", _HINT)


def _gunzip(raw: bytes, name: str) -> bytes:
    unzipper = zlib.decompressobj(wbits=zlib.MAX_WBITS | 16)
    try:
        out = unzipper.decompress(raw, MAX_BYTES + 1)
    except (zlib.error, gzip.BadGzipFile) as error:
        raise BadFiling(f"{name} is a damaged gzip file.", "Download it again.") from error
    _refuse_size(len(out), name)
    if not out:
        raise BadFiling(f"{name} is a damaged or empty gzip file.", "Download it again.")
    return out


def _to_ascii_compatible(raw: bytes, name: str) -> bytes:
    """``raw`` in an encoding that agrees with ASCII: UTF-16 and UTF-32, with a mark or without, become UTF-8."""
    encoding = ""
    if raw.startswith((codecs.BOM_UTF32_LE, codecs.BOM_UTF32_BE)):
        encoding = "utf-32"
    elif raw.startswith((codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE)):
        encoding = "utf-16"
    elif len(raw) > 8 and (sample := raw[: _LOOK // 2 * 2]).count(0) > len(sample) // 4:
        if sample[1::2].count(0) > len(sample) * 0.4:
            encoding = "utf-16-le"
        elif sample[0::2].count(0) > len(sample) * 0.4:
            encoding = "utf-16-be"
    if encoding:
        text = raw.decode(encoding, errors="replace")
        if text[:_LOOK].count("�") > len(text[:_LOOK]) // 50:
            raise BadFiling(f"{name} is in an encoding that can't be read.", "Save it as UTF-8 and add it again.")
        raw = text.encode("utf-8", errors="replace")
    return raw.removeprefix(codecs.BOM_UTF8)


def _refuse_binary(raw: bytes, name: str) -> None:
    """Looks at the start, the middle and the end: enough to tell a binary file of any size at once."""
    middle = len(raw) // 2
    for sample in (raw[:_LOOK], raw[middle : middle + _LOOK], raw[-_LOOK:]):
        controls = sum(sample.count(bytes([code])) for code in (*range(9), *range(14, 26), *range(28, 32), 127))
        if controls > len(sample) * _MAX_CONTROL_SHARE:
            raise BadFiling(f"{name} is a binary file, not a filing.", _HINT)
