"""What a file is, from its bytes alone; a clear refusal for what can't be a filing, before any work is done on it."""

from __future__ import annotations

import codecs
import gzip
import re
import zlib
from typing import Literal

from fin_tui.errors import BadFiling

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
_HTML = re.compile(rb"<(?:html|body|!doctype\s+html|ix:header|head)\b", re.I)
_TAGS = re.compile(rb"</?(?:div|p|td|tr|font|br|span|h[1-6]|b|i|a|center|hr)(?:\s[^<>]{0,400})?/?>", re.I)
_XBRL = re.compile(rb"<(?:xbrli?:)?(?:xbrl|schema|linkbase)\b|<(?:link|xsd?):(?:linkbase|schema)\b", re.I)
_FILING_WORDS = re.compile(
    rb"10-?k|securities\s+(?:and|&amp;)\s+exchange|<sec-header>|<type>|annual\s+report|ix:header|xmlns:dei|dei:", re.I
)


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
    if len(raw) > _SUSPICIOUS_BYTES and not _FILING_WORDS.search(raw[:_EARLY]):
        raise BadFiling(f"{name} has {len(raw) // 1_000_000} MB and does not begin as an SEC filing.", _HINT)
    return raw, _text_format(raw, name)


def _text_format(raw: bytes, name: str) -> Format:
    from fin_tui.filings.submission import is_submission

    head = raw[:_LOOK]
    if is_submission(raw):
        return "submission"
    if _HTML.search(head):
        return "html"
    if _XBRL.search(head):
        raise BadFiling(f"{name} is XBRL data without the filing's text.", "Add the 10-K document (.htm) it belongs to.")
    if len(_TAGS.findall(head)) >= 3:
        return "html"
    if len(re.findall(rb"[A-Za-z]{2,}", raw[:_EARLY])) < _FEW_WORDS:
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
