"""The events of a page -> paragraphs, grids and page breaks in reading order, with the marks of tagged facts."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

from fin_tui.filings.dom import Attributes, Event, Kind
from fin_tui.filings.html_pieces import PLAIN, Break, BreakSource, Css, Look, Mark, Para, Piece, TableFrame, element_look
from fin_tui.filings.xbrl import FactReader
from fin_tui.language import any_of, is_enumerator, printable, without_ligatures

_NEARLY_ALL = 0.9


def _is_footnote(text: str) -> bool:
    """ "1", "a,b", "iv"."""
    return text == text.lower() and all(is_enumerator(mark.strip()) for mark in text.split(","))


class Run:
    """Collects the pieces of one paragraph at a time."""

    def __init__(self, facts: FactReader) -> None:
        self._facts = facts
        self.indent = 0.0
        """Left indentation of the block that the next paragraph stands in."""
        self._starts: dict[int, int] = {}
        self._done: set[int] = set()
        self._finished: list[Para] = []
        self._reset()

    def _reset(self) -> None:
        self._parts: list[str] = []
        self._length = 0
        self._spaced = True
        self._marks: list[Mark] = []
        self._note = ""
        self._blanks = 0
        self._breaks = 0
        self._bold = self._italic = self._underlined = self._linked = self._letters = self._lead = 0
        self._size = 10.0
        self._biggest = 0
        self._centered = False

    def add(self, text: str, look: Look, *, linked: bool) -> None:
        """Append a run of text as it stands in the file."""
        words = text.split()
        if not words:
            if text:
                self._space()
                if not self._length:
                    self._blanks += text.count("\xa0")
            return
        self._close_line(look)
        if not self._length:
            self._begin(text, look)
        if text[0].isspace():
            self._space()
        body = " ".join(words)
        if look.raised and not self._spaced and _is_footnote(body):
            body = f"({body})"
        for fact in self._facts.open:
            if fact not in self._done:
                self._starts.setdefault(fact, self._length)
        self._count(body, look, linked)
        self._parts.append(body)
        self._length += len(body)
        self._spaced = False
        if text[-1].isspace():
            self._space()

    def _begin(self, text: str, look: Look) -> None:
        self._note = self._facts.note
        self._centered = look.centered
        self._blanks += len(text) - len(text.lstrip("\xa0"))

    def _count(self, body: str, look: Look, linked: bool) -> None:
        size = len(body)
        emphasised = look.bold or look.italic or look.underline
        if emphasised and self._lead == self._letters:
            self._lead += size
        self._letters += size
        self._bold += size * look.bold
        self._italic += size * look.italic
        self._underlined += size * look.underline
        self._linked += size * linked
        if size > self._biggest:
            self._biggest = size
            self._size = look.size

    def _space(self) -> None:
        if not self._spaced:
            self._parts.append(" ")
            self._length += 1
            self._spaced = True

    def apart(self) -> None:
        """The next text starts a new word."""
        self._space()

    def line_break(self) -> None:
        """A ``<br>``: a blank; two of them, or one after a line of emphasised text, end the paragraph."""
        self._space()
        self._breaks += 1

    def _close_line(self, look: Look) -> None:
        breaks, self._breaks = self._breaks, 0
        if not breaks or not self._length:
            return
        headed = self._lead == self._letters and not (look.bold or look.italic or look.underline)
        if breaks > 1 or headed:
            self._close()

    def fact_ends(self) -> None:
        """The innermost open ``ix:`` element closes; a fact among them gets its mark."""
        if not self._facts.closes_fact:
            return
        fact = self._facts.open[-1]
        self._mark(fact)
        self._done.discard(fact)

    def _mark(self, fact: int) -> None:
        start = self._starts.pop(fact, None)
        if start is None:
            return
        end = self._length - (1 if self._spaced else 0)
        if end > start:
            self._marks.append(Mark(fact, start, end))

    def _close(self) -> None:
        for fact in self._facts.open:
            if fact in self._starts:
                self._mark(fact)
                self._done.add(fact)
        text = "".join(self._parts).rstrip()
        if text:
            self._finished.append(self._paragraph(text))
        blanks = self._breaks
        self._reset()
        self._breaks = blanks

    def _paragraph(self, text: str) -> Para:
        most = self._letters * _NEARLY_ALL
        look = Look(
            bold=self._bold >= most,
            italic=self._italic >= most,
            underline=self._underlined >= most,
            centered=self._centered,
            size=self._size,
        )
        return Para(
            text=text,
            marks=tuple(self._marks),
            look=PLAIN if look == PLAIN else look,
            indent=self.indent + 3.0 * self._blanks,
            note=self._note,
            linked=self._linked >= most,
            lead=self._lead,
        )

    def finish(self, *, listed: bool) -> list[Para]:
        """The paragraphs that ended since the last call; empty when there was no text."""
        if self._length or self._blanks or self._breaks:
            self._breaks = 0
            self._close()
        finished, self._finished = self._finished, []
        for paragraph in finished:
            paragraph.listed = listed
        return finished


_BLOCKS = frozenset(
    "address article aside blockquote body center dd div dl dt fieldset figure footer form h1 h2 h3 h4 h5 h6 header html li main "
    "nav ol p pre section ul document text page type sequence filename description".split()
)
_TABLES = frozenset("table caption thead tbody tfoot tr td th".split())
_PAGE_COMMENT = any_of("pagebreak*, field: page, field:page")
_SYMBOLS = str.maketrans({"þ": "☒", "ý": "☒", "x": "☒", "o": "☐", "¨": "☐", "q": "☐", "§": "•", "l": "•", "n": "•", "·": "•"})
_PRINTS = "-sec-ix-hidden"
"""What names in a style the hidden fact that an element prints: "nil" for a tagged zero. EDGAR Filer Manual,
volume II, 5.2.5.14.
"""
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


def _printed(style: str) -> str:
    """The id of the hidden fact that an element of this ``style`` prints."""
    return style.partition(_PRINTS)[2].lstrip(": ").partition(";")[0].strip()


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
            elif _PAGE_COMMENT.match(value.lstrip()):
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
        elif _PRINTS in (attributes.get("style") or ""):
            frame.is_ix = self.facts.points_to(_printed(attributes.get("style") or ""))
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
            self.facts.start(tag, attributes, is_hidden=True)
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
        text = without_ligatures(printable(text))
        self.facts.text(text)
        if frame.look.pre and "\n" in text:
            self._preformatted(text, frame.look)
            return
        self.seen.append(f" {text}" if frame.look.raised and _is_footnote(text.strip()) else text)
        self._run.add(text, frame.look, linked=self._links > 0)

    def _preformatted(self, text: str, look: Look) -> None:
        lines = "\n".join(line if line.strip(" \t") else "" for line in text.split("\n"))
        for number, paragraph in enumerate(lines.split("\n\n")):
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
