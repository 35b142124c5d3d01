"""One file from EDGAR onto the disk: gone on with where a transfer broke off, taken as done only when it is whole.

What has come stands in ``NAME.part``; its time is the one that EDGAR gives the document, so that the rest of another version
is never added to it.
"""

from __future__ import annotations

import html
import os
import re
import time
from collections.abc import Callable
from email.utils import formatdate, parsedate_to_datetime
from pathlib import Path
from typing import TYPE_CHECKING

from fin_tui.filings.edgar.client import Broken, Client, Listed, NotAtEdgar, TooLarge, pieces
from fin_tui.filings.submission import is_submission, points_to_report, report_parts, split_submission

if TYPE_CHECKING:
    from requests import Response

Advance = Callable[[float, float], None]
"""Called with bytes done and bytes in all (0 when unknown)."""
Check = Callable[[bytes], bool]
"""Whether a file has its end; raises ``Broken`` when it is something else than was asked for."""

_RANGE = re.compile(r"bytes (\d+)-(\d+)/(\d+|\*)")
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
        match = _RANGE.fullmatch(response.headers.get("content-range", ""))
        if match is None or int(match[1]) != had:
            raise Broken("it sent another part than was asked for")
        return had, int(match[3]) if match[3] != "*" else 0
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
    try:
        when = int(parsedate_to_datetime(modified).timestamp())
    except (TypeError, ValueError, OverflowError):
        when = _UNKNOWN
    if part.exists():
        os.utime(part, (when, when))


_END = 4096
_HTML_START = re.compile(rb"<(?:html|!doctype\s+html|document)\b|<\?xml", re.I)
_HTML_END = re.compile(rb"</html\s*>|</DOCUMENT>", re.I)
_INLINE = re.compile(rb"<ix:(?:header|nonfraction|nonnumeric)\b", re.I)
_SUBMISSION_END = re.compile(rb"</(?:SEC|IMS)-DOCUMENT>|-----END PRIVACY-ENHANCED MESSAGE-----", re.I)
_ERROR_PAGE = re.compile(
    rb"Request Rate Threshold Exceeded|Undeclared Automated Tool|<title>\s*(?:SEC\.gov \||Access Denied|Error|\d{3}\b)"
    rb"|<Error>\s*<Code>",
    re.I,
)
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
    if not _HTML_START.search(raw[:_END]) or _ERROR_PAGE.search(raw[: 4 * _END]):
        raise Broken("it answered with something else than the document")
    if _HTML_END.search(raw[-_END:]):
        return True
    if _INLINE.search(raw):
        # EDGAR takes inline XBRL only as well-formed XHTML.
        raise Broken("it broke off")
    return False


def _submission_is_whole(raw: bytes) -> bool:
    if not is_submission(raw):
        raise Broken("it answered with something else than the submission")
    return bool(_SUBMISSION_END.search(raw[-_END:]))


def _plain(raw: bytes) -> str:
    return " ".join(html.unescape(_TAG.sub(" ", raw.decode("utf-8", "replace"))).split())
