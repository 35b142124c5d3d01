"""What to download of a filing, and whether what came is it.

The primary document is the filing as people read it, with its inline XBRL facts, and a tenth of the full submission's size. The
full submission is taken where EDGAR has no separate HTML document (before 2001), and where the report refers to an Exhibit 13,
which holds the statements then.
"""

from __future__ import annotations

import html
import re
from pathlib import Path

from fin_tui.filings.edgar.client import Client
from fin_tui.filings.edgar.download import Advance, download
from fin_tui.filings.edgar.errors import NotAtEdgar
from fin_tui.filings.edgar.listed import Listed
from fin_tui.filings.edgar.transfer import Broken
from fin_tui.filings.submission import is_submission, points_to_report, report_parts, split_submission

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
