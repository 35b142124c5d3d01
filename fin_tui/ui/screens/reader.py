"""The filing itself, at a place: clean text as far as the eye goes, the cited span marked, the Items beside it."""

from __future__ import annotations

import re
from bisect import bisect_left, bisect_right
from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, ClassVar

from textual import events, on
from textual.app import ComposeResult
from textual.binding import Binding, BindingType
from textual.containers import Horizontal
from textual.content import Content
from textual.message import Message
from textual.screen import Screen
from textual.widgets import Footer, Input, OptionList, Static
from textual.widgets.option_list import Option

from fin_tui.records import Section, Span
from fin_tui.ui.messages import BookmarkWanted, ChangesWanted, ContentsRead, CopyWanted, KeepWanted, TextRead
from fin_tui.ui.text import clean, one_line, shorten
from fin_tui.ui.widgets.text_view import TextView

if TYPE_CHECKING:
    from collections.abc import Sequence

    from fin_tui.engine.reader import Heading
    from fin_tui.store.kept import Bookmark

_INDENTS = {"item": "", "statement": "  ", "note": "  "}
_WIDTH = 60
_CONSOLIDATED = " consolidated "


@dataclass(frozen=True, slots=True)
class Entry:
    """A line of the contents."""

    label: str
    start: int


def contents_of_sections(sections: Sequence[Section]) -> list[Entry]:
    """The Items alone, while the rest is not read yet."""
    return [Entry(f"{one_line(s.item):<3} {shorten(one_line(s.title), _WIDTH)}", s.start) for s in sections]


def contents(headings: Sequence[Heading], bookmarks: Sequence[Bookmark]) -> list[Entry]:
    """Everything in the order of the text; bookmarks carry a star and their words."""
    entries = [(h.start, 0, Entry(_INDENTS[h.kind] + _label(h), h.start)) for h in headings]
    entries += [(b.at, 1, Entry(f"★ {shorten(one_line(b.quote), _WIDTH)}", b.at)) for b in bookmarks]
    return [entry for *_, entry in sorted(entries, key=lambda found: found[:2])]


def section_at(sections: Sequence[Section], offset: int) -> int | None:
    """Which of ``sections`` is the innermost that holds ``offset``; None where none does."""
    inside = [(section.start, index) for index, section in enumerate(sections) if section.start <= offset < section.end]
    return max(inside)[1] if inside else None


def _label(heading: Heading) -> str:
    if heading.kind == "item":
        number, _, title = heading.title.partition(" ")
        return f"{one_line(number):<3} {shorten(one_line(title), _WIDTH)}"
    title = one_line(heading.title)
    if heading.kind == "statement":  # All begin with it, and the list is narrow.
        behind = f" {title}".lower().rpartition(_CONSOLIDATED)[2]
        title = title[max(len(title) - len(behind), 0) :]
    return shorten(title, _WIDTH)


_NOTE = re.compile(r"\bNotes?\s+(\d{1,2})\b", re.IGNORECASE)


def find_all(text: str, words: str) -> list[Span]:
    """Every place of ``words``, whatever their case and the white space between them."""
    pattern = r"\s+".join(re.escape(word) for word in words.split())
    return [Span(m.start(), m.end()) for m in re.finditer(pattern, text, re.IGNORECASE)] if pattern else []


def paragraph_at(text: str, start: int) -> Span:
    """The first line with words that begins at ``start`` or after it, or that ``start`` stands in."""
    begin = text.rfind("\n", 0, start) + 1
    while begin < len(text):
        end = text.find("\n", begin)
        end = len(text) if end < 0 else end
        if text[begin:end].strip():
            return Span(begin, end)
        begin = end + 1
    return Span(len(text), len(text))


def note_named(text: str, start: int, end: int) -> int | None:
    """The number of the first note that ``text[start:end]`` points to ("see Note 7")."""
    match = _NOTE.search(text, start, end)
    return int(match[1]) if match else None


def line_start(text: str, offset: int) -> int:
    """Where the table row around ``offset`` begins, so that its label is named; in prose the place itself."""
    start, end = text.rfind("\n", 0, offset) + 1, text.find("\n", offset)
    return start if "\t" in text[start : end if end >= 0 else len(text)] else offset


def notes_named(text: str) -> list[Span]:
    """Every place that points to a note; the headings of the notes themselves are none."""
    return [Span(m.start(), m.end()) for m in _NOTE.finditer(text) if text[max(m.start() - 1, 0)] != "\n"]


def _names_page(line: str) -> bool:
    _, tab, page = line.rpartition("\t")
    return bool(tab) and page.strip().isdigit()


def note_heading(text: str, number: int) -> int | None:
    """Where note ``number`` begins: the last line that reads as its heading; contents, which name a page, are none."""
    for pattern in (rf"note[ \t]+{number}\b", rf"{number}[ \t]*[.)–—-][ \t]+(?=[A-Z])"):
        lines = re.finditer(rf"^[ \t]*{pattern}[^\n]{{0,120}}$", text, re.IGNORECASE | re.MULTILINE)
        starts = [line.start() for line in lines if not _names_page(line[0]) and not line[0].rstrip().endswith(".")]
        if starts:
            return starts[-1]
    return None


class FindBar(Horizontal):
    """Hidden until it is opened; posts what is looked for as it is typed."""

    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("escape", "close", "Close", show=False, id="find.close", tooltip="Leave the search line"),
    ]

    @dataclass
    class Changed(Message):
        """Look for other words; ``is_final`` when the reader pressed Enter."""

        words: str
        is_final: bool = False

    class Closed(Message):
        """The reader left the line."""

    def __init__(self, *, id: str | None = None) -> None:
        super().__init__(id=id)
        self.display = False

    def compose(self) -> ComposeResult:
        yield Input(placeholder="find", compact=True, id="find-words")
        yield Static("", markup=False, id="find-count")

    def open(self) -> None:
        """Show the line and type into it."""
        self.display = True
        self.screen.set_focus(self.query_one(Input))  # At once: the next letters are looked for.

    def count(self, text: str) -> None:
        """Say how many places there are."""
        self.query_one("#find-count", Static).update(Content(text))

    def action_close(self) -> None:
        self.display = False
        self.post_message(self.Closed())

    @on(Input.Changed)
    def _typed(self, event: Input.Changed) -> None:
        event.stop()
        self.post_message(self.Changed(event.value))

    @on(Input.Submitted)
    def _entered(self, event: Input.Submitted) -> None:
        event.stop()
        self.post_message(self.Changed(event.value, is_final=True))


class ReaderTitle(Static):
    """Names the filing, and the page that is read."""

    def __init__(self, title: str) -> None:
        super().__init__(Content(one_line(title)), markup=False, id="reader-title")
        self._title = title
        self.pages: Sequence[tuple[int, str]] = ()
        """Where each begins in the text, in order, and its name."""

    def tell(self, shown: Span, cited: Span) -> None:
        """Say which page ``cited`` begins on; while it is off the screen, which one the top of the screen is on."""
        at = cited.start if shown.start <= cited.start < shown.end else shown.start
        page = next((name for start, name in reversed(self.pages) if start <= at), "")
        told = Content.styled(f" · {one_line(page)}" if page else "", "$foreground-muted")
        self.update(Content(one_line(self._title)) + told)


class ReaderScreen(Screen[None]):
    """Opens at once and fills when the text has been read."""

    CSS_PATH = "reader.tcss"
    AUTO_FOCUS = "#text"
    HELP = """\
## Reader

The clean text of the filing. What the answer cites is marked and underlined; **c** and **C** walk through it. **Tab** goes to
the contents, **/** finds words, **n** and **N** go on. **l** follows the first "see Note 7" on screen, a click any of them, and
**Backspace** comes back.

**m** puts a bookmark here, or takes it away; **M** goes to the next. They stand in the contents (★) and are kept.

**D** compares the Item on screen with the year before, from here on. **Esc** goes back.
"""
    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("escape,q", "close", "Back", id="reader.close", tooltip="Back to the conversation"),
        Binding("tab", "contents", "Contents", id="reader.items", tooltip="Go to the contents, and back"),
        Binding("slash", "find", "Find", id="reader.find", tooltip="Find words in this filing"),
        Binding("n", "match(1)", "Next match", show=False, id="reader.next-match", tooltip="Go to the next place of the words"),
        Binding("N", "match(-1)", "Previous match", show=False, id="reader.previous-match", tooltip="Go to the place before"),
        Binding("c", "citation(1)", "Citation", id="reader.citation", tooltip="Go to the next cited text"),
        Binding(
            "C",
            "citation(-1)",
            "Previous citation",
            show=False,
            id="reader.previous-citation",
            tooltip="Go to the cited text before",
        ),
        Binding("l", "follow", "Note", id="reader.follow", tooltip="Go to the note that the text on screen names first"),
        Binding(
            "backspace", "back", "Go back", show=False, id="reader.back", tooltip="Back to where you came from in this filing"
        ),
        Binding("m", "bookmark", "Bookmark", show=False, id="reader.bookmark", tooltip="Put a bookmark here, or take it away"),
        Binding("M", "next_bookmark", "Next bookmark", show=False, id="reader.next-bookmark", tooltip="Go to the next bookmark"),
        Binding("D", "compare", "Year before", id="reader.compare", tooltip="Compare this Item with the year before"),
        Binding("f", "file", "Save", id="reader.file", tooltip="Save what is selected, marked or on top to the notebook"),
        Binding("y", "copy", "Copy", show=False, id="reader.copy", tooltip="Copy the marked text with its filing"),
    ]

    def __init__(self, filing: str, title: str, span: Span, citations: Sequence[Span] = ()) -> None:
        super().__init__()
        self.filing = filing
        self._title = title
        self._span = span
        self._citations = sorted({*citations, span}, key=lambda s: s.start) if span.start < span.end else list(citations)
        self._matches: list[Span] = []
        self._match: Span | None = None
        self._places: list[int] = []
        """Where the reader was before each jump, to go back to."""
        self._text = ""
        self._sections: Sequence[Section] = ()
        self._contents: Sequence[Entry] = ()
        self._bookmarks: Sequence[Bookmark] = ()
        self._has_contents = False
        self.is_filled = False
        """The text has arrived."""

    def compose(self) -> ComposeResult:
        yield ReaderTitle(self._title)
        with Horizontal():
            yield OptionList(id="items", markup=False, compact=True)
            yield TextView(id="text")
        yield FindBar(id="find")
        yield Footer(compact=True)

    def on_mount(self) -> None:
        view = self.query_one(TextView)
        view.loading = True
        self.watch(view, "scroll_y", lambda: self.query_one(ReaderTitle).tell(view.on_screen, self._span), init=False)

    @on(TextRead)
    def _text_read(self, event: TextRead) -> None:
        self.is_filled = True
        self._sections = [s for s in event.sections if s.item]
        self._show_contents(contents_of_sections(self._sections))
        view = self.query_one(TextView)
        view.loading = False
        self._text = event.text
        view.show(event.text, self._citations, event.grid)
        view.mark(self._citations, self._span)
        if self._span.start >= self._span.end:
            view.go_to(self._span.start)
        view.focus()

    @on(OptionList.OptionSelected)
    def _item_selected(self, event: OptionList.OptionSelected) -> None:
        event.stop()
        self.query_one(TextView).go_to(self._contents[event.option_index].start)
        self.query_one(TextView).focus()

    @on(ContentsRead)
    def _contents_read(self, event: ContentsRead) -> None:
        if not self._has_contents:
            # After the text is on screen: in the longest filings this takes a blink.
            self.query_one(TextView).link(notes_named(self._text))
            self._has_contents = True
        self._bookmarks = event.bookmarks
        title = self.query_one(ReaderTitle)
        title.pages = event.pages
        title.tell(self.query_one(TextView).on_screen, self._span)
        self._show_contents(contents(event.headings, event.bookmarks) if event.headings else self._contents)

    @on(TextView.LinkClicked)
    def _link_clicked(self, event: TextView.LinkClicked) -> None:
        self._follow(event.span.start, event.span.end)

    def _show_contents(self, entries: Sequence[Entry]) -> None:
        """Fill the list; the cursor is on what it was on, at first on where the text is opened."""
        items = self.query_one(OptionList)
        at = items.highlighted
        where = self._contents[at].start if at is not None and at < len(self._contents) else self._span.start
        self._contents = tuple(entries)
        items.set_options(Option(Content(entry.label)) for entry in self._contents)
        items.set_class(not self._contents, "-empty")
        items.highlighted = max(bisect_right([entry.start for entry in self._contents], where) - 1, 0) if self._contents else None

    @on(FindBar.Changed)
    def _find(self, event: FindBar.Changed) -> None:
        self._matches = find_all(self._text, event.words) if len(event.words.strip()) > 1 else []
        if event.is_final:
            self.query_one(TextView).focus()
            if self._match in self._matches:
                return
        self._match = None
        self.action_match(1)

    @on(FindBar.Closed)
    def _find_closed(self) -> None:
        self._matches, self._match = [], None
        view = self.query_one(TextView)
        view.mark(self._citations, Span(view.on_screen.start, view.on_screen.end))
        view.focus()

    def on_descendant_blur(self, event: events.DescendantBlur) -> None:
        """On a narrow screen the contents are there only while they are used."""
        event.widget.remove_class("-used")

    def action_contents(self) -> None:
        items = self.query_one(OptionList)
        if items.has_focus or not self._contents:
            self.query_one(TextView).focus()
        else:
            items.add_class("-used")
            self.call_after_refresh(items.focus)

    def action_find(self) -> None:
        self.query_one(FindBar).open()

    def action_match(self, by: int) -> None:
        """The next or previous place of the words, from the top of the screen at first."""
        bar, view = self.query_one(FindBar), self.query_one(TextView)
        if not self._matches:
            bar.count("none" if self._text and bar.display else "")
            return
        starts = [match.start for match in self._matches]
        if self._match is None:
            index = bisect_left(starts, view.on_screen.start) % len(starts)
        else:
            index = (starts.index(self._match.start) + by) % len(starts)
        self._match = self._matches[index]
        bar.count(f"{index + 1} of {len(starts):,}")
        view.mark([self._match], self._match)

    def action_citation(self, by: int) -> None:
        """The next or previous cited span from the one gone to last, round at the ends."""
        if self._citations:
            at = self._citations.index(self._span) if self._span in self._citations else -1
            self._span = self._citations[(at + by) % len(self._citations)]
            self.query_one(TextView).mark(self._citations, self._span)

    def action_follow(self) -> None:
        shown = self.query_one(TextView).on_screen
        self._follow(shown.start, shown.end)

    def action_bookmark(self) -> None:
        """Mark the cited text where it is on screen, else the top line; a bookmark on screen is taken away."""
        shown = self.query_one(TextView).on_screen
        held = next((mark for mark in self._bookmarks if shown.start <= mark.at < shown.end), None)
        place = held.start if held is not None else line_start(self._text, self._place)
        self.app.post_message(BookmarkWanted(self.filing, place, held is None))
        self.notify("The bookmark is gone." if held else "Bookmarked: M goes to it, the contents show it.", timeout=3)

    def action_next_bookmark(self) -> None:
        places = [mark.at for mark in self._bookmarks]
        if not places:
            self.notify("This filing has no bookmarks: m makes one.", severity="warning")
            return
        view = self.query_one(TextView)
        self._places.append(view.on_screen.start)
        view.go_to(places[bisect_right(places, view.on_screen.start) % len(places)])

    def _follow(self, start: int, end: int) -> None:
        """Go to the note that ``start`` to ``end`` of the text names first."""
        view = self.query_one(TextView)
        shown = view.on_screen
        number = note_named(self._text, start, end)
        place = note_heading(self._text, number) if number is not None else None
        if place is None:
            told = "names no note" if number is None else f"names Note {number}, which was not found"
            self.notify(f"The text on screen {told}.", severity="warning")
            return
        self._places.append(shown.start)
        view.go_to(place)

    def action_back(self) -> None:
        if self._places:
            self.query_one(TextView).go_to(self._places.pop())

    def action_compare(self) -> None:
        """Compare the Item that is on screen, or that the list is on."""
        items = self.query_one(OptionList)
        at = items.highlighted if items.has_focus else None
        place = self._contents[at].start if at is not None else self._place
        index = section_at(self._sections, place)
        if index is None:
            self.notify("This part of the filing belongs to no Item.", severity="warning")
            return
        self.notify("Comparing with the year before…", timeout=2)
        self.app.post_message(ChangesWanted(self.filing, self._sections[index].item, place))

    def action_copy(self) -> None:
        marked = self.query_one(TextView).marked_text
        if marked:
            self.app.post_message(CopyWanted("marked text", f"{clean(marked)}\n\n{one_line(self._title)}\n"))

    def action_file(self) -> None:
        """File what is selected, else the words gone to last where they are on screen, else the paragraph on top."""
        view, filing = self.query_one(TextView), self.filing
        shown = view.on_screen
        near = [span for span in (self._match, self._span) if span is not None and shown.start <= span.start < shown.end]
        marked = next((span for span in near if span.start < span.end), None)
        span = view.selected or marked or paragraph_at(self._text, shown.start)
        self.app.post_message(KeepWanted("words", lambda room: room.keep_span(filing, span.start, span.end)))

    @property
    def _place(self) -> int:
        """What the reader looks at: the cited span where it is on screen, else the top line."""
        shown = self.query_one(TextView).on_screen
        return self._span.start if shown.start <= self._span.start < shown.end else shown.start

    def action_close(self) -> None:
        """Out of what is open within the reader first, then out of it."""
        bar = self.query_one(FindBar)
        if bar.display:
            bar.action_close()
        elif self.query_one(OptionList).has_focus:
            self.action_contents()
        else:
            self.dismiss()
