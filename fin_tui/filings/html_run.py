"""Text gathered between two block boundaries: white space, emphasis, and where tagged facts start and end in it."""

from __future__ import annotations

import re

from fin_tui.filings.html_pieces import Mark, Para
from fin_tui.filings.html_style import PLAIN, Look
from fin_tui.filings.xbrl import FactReader

_NEARLY_ALL = 0.9
FOOTNOTE = re.compile(r"^(?:\d{1,2}|[a-z]|[ivx]{1,4})(?:,\s?(?:\d{1,2}|[a-z]))*$")


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
        if look.raised and not self._spaced and FOOTNOTE.match(body):
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
