"""The conversation: turns one under the other, the newest shown from its first line on."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, ClassVar, cast

from textual.app import ComposeResult
from textual.binding import Binding, BindingType
from textual.containers import VerticalScroll
from textual.content import Content
from textual.geometry import Size
from textual.widget import Widget
from textual.widgets import Static

from fin_tui.engine.answering.events import Event, Passage
from fin_tui.language import count
from fin_tui.records import Answer
from fin_tui.ui.conversation import TurnState
from fin_tui.ui.services import ModelState
from fin_tui.ui.text import clean

if TYPE_CHECKING:
    from fin_tui.ui.widgets.turn import Turn

MOST_TURNS = 30
"""Shown at once; all of them are stored."""


class Chat(VerticalScroll):
    """Holds the turns and a welcome text until there is one."""

    BINDING_GROUP_TITLE = "Chat"
    HELP = """\
## Chat

Each question first shows its **answer** from the filings: figures or sentences with their sources. A language model may then
write an answer, each sentence checked against them. **⚠** marks what the sources do not support; **u** tells why.

Click a **[n]**, or type its number, to see the passage; **n** and **p** walk through the sources.

A click on a figure, or **d**, tells where it stands and its other years; **c** shows or hides the charts. **f** saves the
answer to the notebook (**F7**). **h** unfolds the rest of a long answer, the calculation, and the steps of a compound question.

A letter is a command when it stands alone; letters typed one after the other are a question, and go to the prompt.
"""
    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("j", "scroll_down", "Down", show=False, id="chat.down"),
        Binding("k", "scroll_up", "Up", show=False, id="chat.up"),
        Binding("g", "scroll_home", "Top", show=False, id="chat.top"),
        Binding("G", "scroll_end", "End", show=False, id="chat.end"),
    ]

    def __init__(self, *, id: str | None = None) -> None:
        super().__init__(id=id)
        self._wanted_top: Turn | None = None
        """The turn that is to be shown from its first line on, until there is enough below it."""
        self._placed: float | None = None
        """Where the view was put last; when it is elsewhere, the reader has scrolled."""
        self._top: Turn | None = None
        """The newest turn, until the reader scrolls: its first line stays in view where the screen gets another size."""
        self._top_at: tuple[float, Size, Size] = 0.0, Size(0, 0), Size(0, 0)
        """Where the view was put, and how large it and all turns were then."""
        self._anchor: tuple[Turn, Widget, float] | None = None
        """Where the reader has scrolled, what stands at the upper edge, and how far down in it that is: it stays there where all
        is laid out anew.
        """
        self._dropped = 0
        """Turns of this conversation that are not shown."""

    def compose(self) -> ComposeResult:
        yield Static("", markup=False, id="welcome")
        yield Static("", markup=False, id="earlier")

    def on_mount(self) -> None:
        self.query_one("#earlier").display = False

    @property
    def turns(self) -> list[Turn]:
        return [cast("Turn", child) for child in self.children if child.has_class("turn")]

    def welcome(self, lines: Sequence[tuple[str, str]]) -> None:
        """Replace the welcome text: (text, style) pieces, a line each."""
        pieces = [Content.styled(clean(text), style) for text, style in lines]
        self.query_one("#welcome", Static).update(Content("\n").join(pieces))

    async def add(self, question: str, model: ModelState) -> Turn:
        """Begin a turn and bring it into view."""
        self.query_one("#welcome").display = False
        from fin_tui.ui.widgets.turn import Turn  # With Markdown, which no one waits for at the start.

        turn = Turn(question, model)
        await self.mount(turn)
        await self._drop_oldest()
        self._wanted_top, self._placed, self._top = turn, None, turn
        self._to_top()
        return turn

    async def restore(self, answers: Sequence[tuple[Answer, Sequence[Passage]]]) -> None:
        """Replace all turns by stored ones."""
        await self.remove_children(".turn")
        self._dropped = max(len(answers) - MOST_TURNS, 0)
        self.query_one("#earlier").display = False
        self.query_one("#welcome").display = not answers
        for answer, passages in answers[-MOST_TURNS:]:
            turn = await self.add(answer.question, ModelState())
            await turn.restore(answer, passages)

    async def _drop_oldest(self) -> None:
        """Turns beyond the bound leave the screen, so that a long day costs no more memory than its first hour."""
        turns = self.turns
        for turn in turns[:-MOST_TURNS]:
            await turn.remove()
        self._dropped += max(len(turns) - MOST_TURNS, 0)
        line = self.query_one("#earlier", Static)
        line.update(f"{count(self._dropped, 'earlier turn')} of this conversation: F8 lists it, m there writes all of it.")
        line.display = bool(self._dropped)

    async def show(self, state: TurnState, event: Event) -> None:
        """Pass an event to its turn, if that is still shown; the view stays at the top of the newest turn."""
        turn = self.view_of(state)
        if turn is not None:
            await turn.show(event)

    def view_of(self, state: TurnState | None) -> Turn | None:
        """The turn as it is drawn; None once it is no longer shown."""
        return next((turn for turn in reversed(self.turns) if turn.state is state), None)

    def say(self, state: TurnState, text: str) -> None:
        """Put ``text`` into the status line of a turn."""
        turn = self.view_of(state)
        if turn is not None:
            turn.say(text)

    def watch_virtual_size(self) -> None:
        place, *_ = self._top_at
        if self._wanted_top is None and self._top is not None and abs(self.scroll_y - place) <= 1:
            # What grows below the top moves nothing; what does above it (a chart that is drawn late) moves the top.
            self._top_at = place, self.size, self.virtual_size
            self._wanted_top, self._placed = self._top, self.scroll_y
        self._to_top()
        self._to_anchor()

    def page(self, step: int) -> None:
        """Scroll by a page: down for 1, up for -1."""
        (self.scroll_page_down if step > 0 else self.scroll_page_up)(animate=False)

    def on_resize(self) -> None:
        if self._top is not None:
            self._wanted_top, self._placed = self._top, None
        self._to_top()
        self._to_anchor()

    def watch_scroll_y(self, old_value: float, new_value: float) -> None:
        super().watch_scroll_y(old_value, new_value)
        if self._placed is not None and old_value > new_value == self.max_scroll_y:
            self._placed = new_value  # The end came up to the view, which no reader's hand moved.
        place, *sizes = self._top_at
        if [self.size, self.virtual_size] == sizes and abs(new_value - place) > 1:
            self._top = None
            self.call_after_refresh(self._note_anchor)

    def _note_anchor(self) -> None:
        """What the reader has scrolled to."""
        edge = self.content_region.y
        for turn in self.turns:
            if self._top is None and turn.region.y <= edge < turn.region.bottom:
                leaves = [w for w in turn.walk_children(Widget) if not w.children and w.region.y <= edge < w.region.bottom]
                leaf = leaves[0] if leaves else turn
                self._anchor = turn, leaf, (edge - leaf.region.y) / leaf.region.height

    def _to_anchor(self) -> None:
        if self._anchor is not None and self._top is None:
            self.call_after_refresh(self._scroll_to_anchor)

    def _scroll_to_anchor(self) -> None:
        if self._anchor is None or self._top is not None:
            return
        turn, leaf, share = self._anchor
        if leaf.is_attached and leaf.region.height:
            y = turn.virtual_region.y + leaf.region.y - turn.region.y + round(share * leaf.region.height)
            self._top_at = min(y, self.max_scroll_y), self.size, self.virtual_size  # None of the reader's.
            self.scroll_to(y=y, animate=False, force=True, immediate=True)

    def _to_top(self) -> None:
        if self._wanted_top is not None:
            self.call_after_refresh(self._scroll_to_top)

    def _scroll_to_top(self) -> None:
        """The answer's first line is what counts: it comes to the top as soon as enough stands below it, and stays there."""
        turn = self._wanted_top
        # Where turns above become shorter (a scroll bar takes columns), the end moves, and the view with it.
        expected = None if self._placed is None else min(self._placed, self.max_scroll_y)
        has_reader_scrolled = expected is not None and abs(self.scroll_y - expected) > 1
        if turn is None or not turn.is_attached or has_reader_scrolled:
            self._wanted_top = None
            return
        self.scroll_to(y=turn.virtual_region.y, animate=False, force=True, immediate=True)
        self._placed = self.scroll_y
        self._top_at = self.scroll_y, self.size, self.virtual_size
        if turn.virtual_region.height and self.scroll_y >= turn.virtual_region.y:
            self._wanted_top = None
