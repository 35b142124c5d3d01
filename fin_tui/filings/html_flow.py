"""The events of a page -> paragraphs, grids and page breaks in reading order, with the marks of tagged facts."""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import dataclass

from fin_tui.filings.cleaning import printable
from fin_tui.filings.dom import Attributes, Event, Kind
from fin_tui.filings.html_pieces import Break, BreakSource, Piece
from fin_tui.filings.html_run import FOOTNOTE, Run
from fin_tui.filings.html_style import PLAIN, Css, Look, element_look
from fin_tui.filings.html_tables import TableFrame
from fin_tui.filings.xbrl import FactReader

_BLOCKS = frozenset(
    "address article aside blockquote body center dd div dl dt fieldset figure footer form h1 h2 h3 h4 h5 h6 header html li main "
    "nav ol p pre section ul document text page type sequence filename description".split()
)
_TABLES = frozenset("table caption thead tbody tfoot tr td th".split())
_PAGE_COMMENT = re.compile(r"^\s*(?:PAGEBREAK|Field:\s*Page\b)", re.IGNORECASE)
_SYMBOLS = str.maketrans({"þ": "☒", "ý": "☒", "x": "☒", "o": "☐", "¨": "☐", "q": "☐", "§": "•", "l": "•", "n": "•", "·": "•"})
_APART = 3.0
"""Left padding in points from which an inline element starts a new word."""


@dataclass(slots=True)
class _Frame:
    tag: str
    look: Look
    css: Css
    is_block: bool
    in_header: bool
    is_ix: bool = False
    is_link: bool = False
    indent: float = 0.0
    """Left indentation of blocks so far, in points; tables start anew."""


class Flow:
    """Reads one page. After :meth:`read`: ``pieces`` in reading order, ``facts``, and all visible text in ``seen``."""

    def __init__(self) -> None:
        self.pieces: list[Piece] = []
        self.facts = FactReader()
        self.seen: list[str] = []
        """Every visible run of text, with a blank where words are apart: what coverage is measured against."""
        self._sink = self.pieces
        self._run = Run(self.facts)
        self._frames: list[_Frame] = []
        self._tables: list[TableFrame] = []
        self._lists = 0
        self._links = 0

    def read(self, events: Iterable[Event]) -> None:
        """Take all events of a page."""
        for kind, value, attributes in events:
            if kind is Kind.TEXT:
                self._text(value)
            elif kind is Kind.START:
                self._start(value, attributes)
            elif kind is Kind.END:
                self._end()
            elif _PAGE_COMMENT.match(value):
                self._break("comment")
        while self._frames:
            self._end()
        self._flush()

    def _start(self, tag: str, attributes: Attributes) -> None:
        outer = self._frames[-1] if self._frames else None
        if outer is not None and outer.in_header:
            self._start_hidden(tag, attributes, outer)
            return
        look, css = element_look(outer.look if outer else PLAIN, tag, attributes)
        is_ix = tag.startswith("ix:")
        frame = _Frame(tag, look, css, tag in _TABLES or (tag in _BLOCKS and not css.inline), tag == "ix:header", is_ix)
        if outer is not None and tag != "table":
            frame.indent = outer.indent + css.indent if frame.is_block else outer.indent
        self._frames.append(frame)
        if is_ix:
            self.facts.start(tag, attributes)
        if look.hidden or frame.in_header:
            return
        if frame.is_block:
            self._start_block(frame, attributes)
        elif tag == "br":
            self._run.line_break()
            self.seen.append(" ")
        elif tag == "hr":
            self._flush()
            self._break("rule")
        elif tag == "a":
            frame.is_link = bool(attributes.get("href"))
            self._links += frame.is_link
        elif css.padding >= _APART or css.inline:
            self._run.apart()
            self.seen.append(" ")
        if css.break_before:
            self._break("style")

    def _start_hidden(self, tag: str, attributes: Attributes, outer: _Frame) -> None:
        is_ix = tag.startswith("ix:")
        self._frames.append(_Frame(tag, outer.look, outer.css, False, True, is_ix))
        if is_ix:
            self.facts.start(tag, attributes)
        else:
            self.facts.header.start(tag, attributes)

    def _start_block(self, frame: _Frame, attributes: Attributes) -> None:
        self._flush()
        tag = frame.tag
        if tag == "li":
            self._lists += 1
        if tag == "table":
            self._tables.append(TableFrame(self._sink))
        elif tag == "tr" and self._tables:
            self._tables[-1].start_row()
        elif tag in ("td", "th") and self._tables:
            self._sink = self._tables[-1].start_cell(attributes, header=tag == "th")
        self._run.indent = frame.indent

    def _end(self) -> None:
        frame = self._frames.pop()
        if frame.is_ix:
            self._run.fact_ends()
            self.facts.end()
        elif frame.in_header:
            self.facts.header.end(frame.tag)
        if frame.look.hidden or frame.in_header:
            return
        if frame.is_block:
            self._end_block(frame)
        elif frame.tag == "a":
            self._links -= frame.is_link
        elif frame.css.inline:
            self._run.apart()
            self.seen.append(" ")
        if frame.css.break_after:
            self._flush()
            self._break("style")

    def _end_block(self, frame: _Frame) -> None:
        self._flush()
        tag = frame.tag
        if tag == "li":
            self._lists -= 1
        elif tag in ("td", "th") and self._tables:
            self._sink = self._tables[-1].outer
        elif tag == "table" and self._tables:
            table = self._tables.pop()
            self._sink = table.outer
            self._sink.extend(table.close())
        self._run.indent = self._frames[-1].indent if self._frames else 0.0

    def _text(self, text: str) -> None:
        frame = self._frames[-1] if self._frames else None
        if frame is None:
            return
        if frame.in_header or frame.look.hidden:
            self.facts.text(printable(text))
            if frame.in_header:
                self.facts.header.text(text)
            return
        if frame.look.symbol and len(text.strip()) == 1:
            text = text.translate(_SYMBOLS)
        text = printable(text)
        self.facts.text(text)
        if frame.look.pre and "\n" in text:
            self._preformatted(text, frame.look)
            return
        self.seen.append(f" {text}" if frame.look.raised and FOOTNOTE.match(text.strip()) else text)
        self._run.add(text, frame.look, linked=self._links > 0)

    def _preformatted(self, text: str, look: Look) -> None:
        for number, paragraph in enumerate(re.split(r"\n[ \t]*\n", text)):
            if number:
                self._flush()
            self.seen.append(paragraph)
            self._run.add(paragraph, look, linked=False)

    def _flush(self) -> None:
        self.seen.append("\n")
        paragraph = self._run.finish(listed=self._lists > 0)
        self._sink.extend(paragraph)

    def _break(self, source: BreakSource) -> None:
        self._flush()
        self._sink.append(Break(source))
