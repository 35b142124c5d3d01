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
from fin_tui.filings.blocks import DocumentBuilder
from fin_tui.filings.pdf_columns import reading_flows
from fin_tui.filings.pdf_lines import HYPHEN, Row, Word, build_rows
from fin_tui.filings.pdf_pages import PageFrame, strip_running
from fin_tui.filings.pdf_prose import Style, passages, style_of
from fin_tui.filings.pdf_tables import FoundTable, split_tables
from fin_tui.records import Cover, Document

MAX_PAGES = 2_500
"""Pages after these are left out, with a warning: a 10-K with all exhibits stays far below."""
_MAX_CHARACTERS = 60_000
"""Most characters read of one page; a page of small print holds about 8,000."""
_MIN_LETTERS_PER_PAGE = 25
_MIN_LETTERS = 2_000
"""Scans often carry a stamp or a page number as text: both limits must be missed."""
_ENGINE = threading.Lock()
"""The engine is not thread-safe."""
_WORD = re.compile(rf"[^\s{HYPHEN}\x00-\x1f]+{HYPHEN}?")
_NOT_LETTERS = re.compile(r"[\W_]+")
_LEADER = re.compile(r"\.{4,}|…{2,}|_{4,}")
_BOLD = re.compile(rb"(?i)bold|black|heavy|demi|[-,]bd|semib")
_ITALIC = re.compile(rb"(?i)italic|oblique|[-,]it\b|[-,]bi\b")
_SYMBOLS = str.maketrans(
    {"x": "☒", "¨": "☐", "o": "☐", "q": "☐", "þ": "☑", "ý": "☒", "ü": "✓", "§": "•", "l": "•", "n": "•", "Ø": "•", "v": "•"}
)


def read_pdf(raw: bytes) -> Document:
    """The filing in ``raw`` as text, blocks and tables; the cover is left empty.

    Raises BadFiling when the bytes can't be opened as a PDF, need a password, or hold no text.
    """
    pages, letters, warnings = _read_pages(raw)
    frames = strip_running(pages)
    builder = DocumentBuilder()
    style = style_of(frame.rows for frame in frames)
    for number, frame in enumerate(frames, 1):
        _add_page(builder, frame, number, style)
    return Document(
        format="pdf",
        text=builder.text,
        blocks=tuple(builder.blocks),
        pages=len(pages),
        cover=Cover(),
        coverage=_coverage(letters, frames, builder),
        warnings=tuple(warnings),
    )


def _read_pages(raw: bytes) -> tuple[list[list[Row]], list[Counter[str]], list[str]]:
    """Rows of each page, letters and digits of each page as the engine gives them, and warnings."""
    pages: list[list[Row]] = []
    letters: list[Counter[str]] = []
    warnings: list[str] = []
    with _ENGINE:
        document = _open(raw)
        try:
            count = len(document)
            if count > MAX_PAGES:
                warnings.append(f"only the first {MAX_PAGES} of {count} pages were read")
            unread = 0
            for index in range(min(count, MAX_PAGES)):
                found = _page_words(document.raw, index)
                unread += found is None
                words, text = found or ([], "")
                pages.append(build_rows(words))
                letters.append(_letters(text))
        finally:
            document.close()
    if unread:
        warnings.append(f"{unread} of {count} pages could not be read")
    total = sum(page.total() for page in letters)
    if total < _MIN_LETTERS_PER_PAGE * len(pages) and total < _MIN_LETTERS:
        raise BadFiling(
            "the PDF has no text (scanned images?)",
            "Run it through text recognition (OCR) first, or add the filing's HTML from EDGAR.",
        )
    return pages, letters, warnings


def _open(raw: bytes) -> Any:
    """The engine's document of ``raw``. Raises BadFiling."""
    import pypdfium2

    try:
        document = pypdfium2.PdfDocument(raw)
        count = len(document)
    except pypdfium2.PdfiumError as error:
        if getattr(error, "err_code", None) == pypdfium2.raw.FPDF_ERR_PASSWORD:
            raise BadFiling(
                "the PDF is encrypted and needs a password", "Save a copy without a password and add that."
            ) from error
        raise BadFiling("the file is not a readable PDF (damaged or cut off)", "Download it again.") from error
    if not count:
        document.close()
        raise BadFiling("the PDF has no pages (damaged or cut off)", "Download it again.")
    return document


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
    double = ctypes.c_double
    x, y, left, right, bottom, top = (double() for _ in range(6))
    refs = [ctypes.byref(value) for value in (x, y, left, right, bottom, top)]
    matrix = engine.FS_MATRIX()
    matrix_ref = ctypes.byref(matrix)
    fonts = _Fonts(engine, text_page)
    found: dict[int, list[Word]] = {}
    for match in _WORD.finditer(_LEADER.sub(lambda run: " " * len(run.group()), text)):
        start, end = match.span()
        if not engine.FPDFText_GetCharOrigin(text_page, start, refs[0], refs[1]):
            continue
        last = end - 2 if text[end - 1] == HYPHEN and end - start > 1 else end - 1
        if not engine.FPDFText_GetCharBox(text_page, last, *refs[2:]):
            continue
        a, b, scale = 1.0, 0.0, 1.0
        if engine.FPDFText_GetMatrix(text_page, start, matrix_ref):
            a, b, scale = matrix.a, matrix.b, math.hypot(matrix.c, matrix.d)
        size = engine.FPDFText_GetFontSize(text_page, start) * scale
        if not 1.0 <= size <= 200.0:
            size = max(1.0, min(200.0, top.value - bottom.value))
        quarter = round(math.atan2(b, a) / (math.pi / 2)) % 4 if b else (0 if a >= 0 else 2)
        x0, x1, baseline = _turned(quarter, x.value, y.value, left.value, right.value, bottom.value, top.value)
        bold, italic, symbol = fonts.at(start)
        word = match.group()
        if symbol and len(word) == 1:
            word = word.translate(_SYMBOLS)
        found.setdefault(quarter, []).append(
            Word(word, x0, max(x1, x0), baseline, size, bold, italic, text[start - 1 : start] not in ("\n", HYPHEN))
        )
    return _upright(found)


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
            symbol = b"dings" in name.lower()
            known = self._known[name] = (bool(_BOLD.search(name)), bool(_ITALIC.search(name)), symbol)
        return known


def _add_page(builder: DocumentBuilder, frame: PageFrame, number: int, style: Style) -> None:
    above: list[str] = []
    for flow in reading_flows(frame.rows):
        left, right = min(row.x0 for row in flow), max(row.x1 for row in flow)
        for part in _parts(flow):
            if isinstance(part, FoundTable):
                builder.add_table(part.cells, page=number, page_label=frame.label, above=above[-4:])
                above = []
                continue
            for passage in passages(part, left, right, style):
                builder.add(passage.kind, passage.text, page=number, page_label=frame.label, level=passage.level)
                above.append(passage.text)


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
    kept = [_letters("".join(frame.running)) for frame in frames]
    text = builder.text
    for block in builder.blocks:
        kept[block.page - 1].update(_letters(text[block.start : block.end]))
    total = sum(page.total() for page in raw)
    lost = sum((page - held).total() for page, held in zip(raw, kept, strict=True))
    return 1.0 - lost / total if total else 0.0


def _letters(text: str) -> Counter[str]:
    return Counter(_NOT_LETTERS.sub("", unicodedata.normalize("NFKC", text)))
