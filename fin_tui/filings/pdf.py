"""PDF filings -> blocks with physical pages; the only module that imports pypdfium2."""

from __future__ import annotations

import ctypes
import math
import re
import threading
import unicodedata
from collections import Counter
from collections.abc import Iterator, Sequence
from typing import Any

from fin_tui.errors import BadFiling
from fin_tui.filings.pdf_lines import HYPHEN, Row, Word, build_rows, with_doubled_letters
from fin_tui.filings.pdf_prose import PageFrame, Style, passages, reading_flows, strip_running, style_of
from fin_tui.filings.pdf_tables import FoundTable, split_tables
from fin_tui.filings.tables import DocumentBuilder
from fin_tui.language import without_ligatures
from fin_tui.records import Cover, Document


def build_document(
    pages: Sequence[list[Row]], letters: Sequence[Counter[str]], warnings: Sequence[str], title: str = ""
) -> Document:
    """The document of ``pages``; ``letters`` counts for each page what the engine read of it, ``title`` is the file's own."""
    frames = strip_running(pages)
    builder = DocumentBuilder()
    style = style_of(frame.rows for frame in frames)
    open_table: list[str] = []
    for number, frame in enumerate(frames, 1):
        open_table = _add_page(builder, frame, number, style, open_table)
    return Document(
        format="pdf",
        text=builder.text,
        blocks=tuple(builder.blocks),
        pages=len(pages),
        cover=Cover(),
        coverage=_coverage(letters, frames, builder),
        warnings=tuple(warnings),
        beside=(title, *dict.fromkeys(line for frame in frames for line in frame.running)),
    )


def _add_page(builder: DocumentBuilder, frame: PageFrame, number: int, style: Style, open_table: list[str]) -> list[str]:
    """Add the blocks of a page.

    A table that opens the page goes on from one that closed the page before, whose titles and units are ``open_table``;
    returns those of the table that closes this page, empty when none does.
    """
    above, last = list(open_table), list[str]()
    for flow in reading_flows(frame.rows):
        left, right = min(row.x0 for row in flow), max(row.x1 for row in flow)
        for part in _parts(flow):
            if isinstance(part, FoundTable):
                builder.add_table(part.cells, page=number, page_label=frame.label, above=above[-4:])
                above, last = [], above[-4:]
                continue
            if last or above == open_table:
                above, last = [], []
            for passage in passages(part, left, right, style):
                builder.add(passage.kind, passage.text, page=number, page_label=frame.label, level=passage.level)
                above.append(passage.text)
    return last


def _parts(flow: Sequence[Row]) -> Iterator[FoundTable | list[Row]]:
    """The tables of a flow and the runs of rows between them."""
    run: list[Row] = []
    for part in split_tables(flow):
        if isinstance(part, FoundTable):
            if run:
                yield run
            run = []
            yield part
        else:
            run.append(part)
    if run:
        yield run


def _coverage(raw: Sequence[Counter[str]], frames: Sequence[PageFrame], builder: DocumentBuilder) -> float:
    """Share of the engine's letters and digits that stand in the clean text, page by page; running rows count as kept.

    Letters, because the engine cuts words where letters are set apart, and the clean text does not.
    """
    kept = [letters_of("".join(frame.running)) for frame in frames]
    text = builder.text
    for block in builder.blocks:
        kept[block.page - 1].update(letters_of(text[block.start : block.end]))
    total = sum(page.total() for page in raw)
    lost = sum((page - held).total() for page, held in zip(raw, kept, strict=True))
    return 1.0 - lost / total if total else 0.0


def letters_of(text: str) -> Counter[str]:
    """How often each letter and digit stands in ``text``."""
    return Counter(filter(str.isalnum, unicodedata.normalize("NFKC", text)))


MAX_PAGES = 2_500
"""Pages after these are left out, with a warning: a 10-K with all exhibits stays far below."""
_MAX_CHARACTERS = 60_000
"""Most characters read of one page; a page of small print holds about 8,000."""
_MIN_LETTERS_PER_PAGE = 10
_MIN_LETTERS = 2_000
"""Scans often carry a stamp or a page number as text: both limits must be missed."""
_ENGINE = threading.Lock()
"""The engine is not thread-safe."""
_WORD = re.compile(rf"[^\s{HYPHEN}\x00-\x1f]+{HYPHEN}?")
_LEADER = re.compile(r"\.{4,}|…{2,}|_{4,}")
_OBJECT = re.compile(rb"(\d{1,7}) \d{1,5} obj\b")
_CATALOG = re.compile(rb"(\d{1,7}) (\d{1,5}) obj\s*<<(?:(?!endobj)[^\x00]){0,2000}?/Type\s*/Catalog\b", re.DOTALL)
_BOLD = (b"bold", b"black", b"heavy", b"demi", b"-bd", b",bd", b"semib")
_ITALIC = (b"italic", b"oblique")
_ITALIC_ENDS = (b"it", b"bi")
_SYMBOLS = str.maketrans(
    {"x": "☒", "¨": "☐", "o": "☐", "q": "☐", "þ": "☑", "ý": "☒", "ü": "✓", "§": "•", "l": "•", "n": "•", "Ø": "•", "v": "•"}
)


def read_pdf(raw: bytes) -> Document:
    """The filing in ``raw`` as text, blocks and tables; the cover is left empty.

    Raises BadFiling when the bytes can't be opened as a PDF, need a password, or hold no text.
    """
    pages, letters, warnings, title = _read_pages(raw)
    return build_document(pages, letters, warnings, title)


def _read_pages(raw: bytes) -> tuple[list[list[Row]], list[Counter[str]], list[str], str]:
    """Rows of each page, letters and digits of each page as the engine gives them, warnings, and the title in the metadata."""
    pages: list[list[Word]] = []
    letters: list[Counter[str]] = []
    warnings: list[str] = []
    with _ENGINE:
        document, notes = _open(raw)
        warnings += notes
        try:
            title = " ".join(filter(None, (document.get_metadata_value(key) for key in ("Title", "Subject", "Author"))))
            count = len(document)
            if count > MAX_PAGES:
                warnings.append(f"Only the first {MAX_PAGES} of {count} pages were read.")
            unread = 0
            for index in range(min(count, MAX_PAGES)):
                found = _page_words(document.raw, index)
                unread += found is None
                words, text = found or ([], "")
                pages.append(words)
                letters.append(letters_of(text))
        finally:
            document.close()
    if unread:
        warnings.append(f"{unread} of {count} pages could not be read.")
    total = sum(page.total() for page in letters)
    if total < _MIN_LETTERS_PER_PAGE * len(pages) and total < _MIN_LETTERS:
        raise BadFiling(
            "The PDF has no text (scanned images?).",
            "Run it through text recognition (OCR) first, or add the filing's HTML from EDGAR.",
        )
    return [build_rows(words) for words in with_doubled_letters(pages)], letters, warnings, title


def _open(raw: bytes) -> tuple[Any, list[str]]:
    """The engine's document of ``raw``, and a warning when it had to be mended. Raises BadFiling."""
    import pypdfium2

    try:
        return pypdfium2.PdfDocument(raw), []
    except pypdfium2.PdfiumError as error:
        if getattr(error, "err_code", None) == pypdfium2.raw.FPDF_ERR_PASSWORD:
            raise BadFiling(
                "The PDF is encrypted and needs a password.", "Save a copy without a password and add that."
            ) from error
        mended = _with_trailer(raw)
        if mended is not None:
            try:
                return pypdfium2.PdfDocument(mended), ["The PDF is damaged or cut off; pages may be missing."]
            except pypdfium2.PdfiumError:  # nothing more to try
                pass
        raise BadFiling("The file is not a readable PDF (damaged or cut off).", "Download it again.") from error


def _with_trailer(raw: bytes) -> bytes | None:
    """``raw`` with a trailer that points to its catalog, for a file that was cut off before its own; None without a catalog."""
    catalogs = list(_CATALOG.finditer(raw)) if raw.startswith(b"%PDF-") else []
    if not catalogs:
        return None
    number, generation = (int(group) for group in catalogs[-1].groups())
    size = 1 + max((int(found) for found in _OBJECT.findall(raw)), default=number)
    return raw + b"\ntrailer\n<< /Root %d %d R /Size %d >>\nstartxref\n0\n%%%%EOF\n" % (number, generation, size)


def _page_words(document: Any, index: int) -> tuple[list[Word], str] | None:
    """Words of a page with their places, and its raw text. None when the engine can't load the page."""
    import pypdfium2.raw as engine

    page = engine.FPDF_LoadPage(document, index)
    if not page:
        return None
    text_page = engine.FPDFText_LoadPage(page)
    try:
        if not text_page:
            return None
        count = min(engine.FPDFText_CountChars(text_page), _MAX_CHARACTERS)
        text = _characters(engine, text_page, count)
        return _placed_words(engine, text_page, text), text
    finally:
        if text_page:
            engine.FPDFText_ClosePage(text_page)
        engine.FPDF_ClosePage(page)


def _characters(engine: Any, text_page: Any, count: int) -> str:
    """The first ``count`` characters of a page, one string index per engine index."""
    if count <= 0:
        return ""
    buffer = (ctypes.c_ushort * (count + 1))()
    written = engine.FPDFText_GetText(text_page, 0, count, buffer)
    text = bytes(buffer)[: 2 * max(0, written - 1)].decode("utf-16-le", "replace")
    if len(text) != count:  # characters beyond the basic plane, or left out by the engine
        text = "".join(
            chr(code) if 0 < code < 0x110000 else " " for code in (engine.FPDFText_GetUnicode(text_page, i) for i in range(count))
        )
    return text.replace("\x02", HYPHEN)


def _placed_words(engine: Any, text_page: Any, text: str) -> list[Word]:
    """Words of ``text``, the characters of a page, with their places; raised footnote marks are words of their own."""
    reader = _Reader(engine, text_page)
    found: dict[int, list[Word]] = {}
    for match in _WORD.finditer(_LEADER.sub(lambda run: " " * len(run.group()), text)):
        start, end = match.span()
        spaced = text[start - 1 : start] not in ("\n", HYPHEN)
        pieces = [(start, end)]
        if end - start > 1 and (text[end - 1].isdigit() or text[start].isdigit()):
            pieces = reader.pieces(start, end, text)
        for number, (low, high) in enumerate(pieces):
            placed = reader.word(text[low:high], low, high)
            if placed is not None:
                placed[1].spaced = spaced and not number
                found.setdefault(placed[0], []).append(placed[1])
    return _upright(found)


class _Reader:
    """Places, sizes and fonts of the characters of one page."""

    def __init__(self, engine: Any, text_page: Any) -> None:
        self._engine = engine
        self._page = text_page
        self._fonts = _Fonts(engine, text_page)
        self._x, self._y = ctypes.c_double(), ctypes.c_double()
        self._box, self._matrix = engine.FS_RECTF(), engine.FS_MATRIX()
        refs = (self._x, self._y, self._box, self._matrix)
        self._x_ref, self._y_ref, self._box_ref, self._matrix_ref = (ctypes.byref(value) for value in refs)

    def size(self, index: int) -> float:
        """Font size at ``index`` as drawn; leaves the character's matrix behind."""
        size: float = self._engine.FPDFText_GetFontSize(self._page, index)
        matrix = self._matrix
        if self._engine.FPDFText_GetMatrix(self._page, index, self._matrix_ref):
            return size * math.hypot(matrix.c, matrix.d)
        matrix.a, matrix.b = 1.0, 0.0
        return size

    def pieces(self, start: int, end: int, text: str) -> list[tuple[int, int]]:
        """``[start, end)`` cut where digits in smaller type begin or end: "1,234²" is not 12342."""
        first, last = self.size(start), self.size(end - 1)
        if text[end - 1].isdigit() and last < 0.85 * first:
            cut = end - 1
            while cut - 1 > start and (text[cut - 1].isdigit() or text[cut - 1] == ",") and self.size(cut - 1) < 0.85 * first:
                cut -= 1
            return [(start, cut), (cut, end)]
        if text[start].isdigit() and first < 0.85 * last:
            cut = start + 1
            while cut + 1 < end and text[cut].isdigit() and self.size(cut) < 0.85 * last:
                cut += 1
            return [(start, cut), (cut, end)]
        return [(start, end)]

    def word(self, text: str, start: int, end: int) -> tuple[int, Word] | None:
        """The direction of a word in right angles, and the word; None when the engine knows no place for it."""
        engine, page, box, matrix = self._engine, self._page, self._box, self._matrix
        last = end - 2 if text[-1] == HYPHEN and end - start > 1 else end - 1
        if not engine.FPDFText_GetCharOrigin(page, start, self._x_ref, self._y_ref):
            return None
        if not engine.FPDFText_GetLooseCharBox(page, last, self._box_ref):
            return None
        size = self.size(start)
        if not 1.0 <= size <= 200.0:
            size = max(1.0, min(200.0, box.top - box.bottom))
        a, b = matrix.a, matrix.b
        if not all(map(math.isfinite, (size, a, b, self._x.value, self._y.value, box.left, box.right, box.top, box.bottom))):
            return None
        quarter = round(math.atan2(b, a) / (math.pi / 2)) % 4 if b else (0 if a >= 0 else 2)
        x0, x1, baseline = _turned(quarter, self._x.value, self._y.value, box.left, box.right, box.bottom, box.top)
        bold, italic, symbol = self._fonts.at(start)
        if symbol and len(text) == 1:
            text = text.translate(_SYMBOLS)
        return quarter, Word(without_ligatures(text), x0, max(x1, x0), baseline, size, bold, italic)


def _turned(quarter: int, x: float, y: float, left: float, right: float, bottom: float, top: float) -> tuple[float, float, float]:
    """(x0, x1, baseline), along and across the direction in which text turned by ``quarter`` right angles is read."""
    if quarter == 0:
        return x, right, -y
    if quarter == 1:
        return y, top, x
    if quarter == 2:
        return -x, -left, y
    return -y, -bottom, -x


def _upright(found: dict[int, list[Word]]) -> list[Word]:
    """All words in the coordinates of the direction that most of them have; others follow below."""
    if not found:
        return []
    order = sorted(found, key=lambda quarter: -len(found[quarter]))
    words = found[order[0]]
    for quarter in order[1:]:
        shift = max(word.y for word in words) + 100.0 - min(word.y for word in found[quarter])
        for word in found[quarter]:
            word.y += shift
        words = words + found[quarter]
    return words


class _Fonts:
    """Font traits by character, each font name looked at once."""

    def __init__(self, engine: Any, text_page: Any) -> None:
        self._engine = engine
        self._page = text_page
        self._buffer = ctypes.create_string_buffer(128)
        self._flags = ctypes.c_int()
        self._known: dict[bytes, tuple[bool, bool, bool]] = {}

    def at(self, index: int) -> tuple[bool, bool, bool]:
        """(bold, italic, symbol font) of the character at ``index``."""
        self._engine.FPDFText_GetFontInfo(self._page, index, self._buffer, 128, ctypes.byref(self._flags))
        name = self._buffer.value
        known = self._known.get(name)
        if known is None:
            lowered = name.lower()
            ends = (part for part in lowered.replace(b",", b"-").split(b"-")[1:] if not part[2:3].isalnum())
            italic = any(mark in lowered for mark in _ITALIC) or any(part[:2] in _ITALIC_ENDS for part in ends)
            known = self._known[name] = (any(mark in lowered for mark in _BOLD), italic, b"dings" in lowered)
        return known
