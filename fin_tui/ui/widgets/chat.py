"""The conversation: turns one under the other, the newest shown from its first line on."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
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
        self._anchor: _Anchor | None = None
        """What stays at the upper edge, however all is laid out anew: the newest turn, until the reader scrolls."""
        self._laid_out: tuple[Size, Size] = Size(0, 0), Size(0, 0)
        """How large the view and all turns were when they were laid out last: the view moves without the reader in between."""
        self._is_placing = False
        self._dropped = 0
        """Turns of this conversation that are not shown."""

    def compose(self) -> ComposeResult:
        yield Static("", markup=False, id="welcome")
        yield Static("", markup=False, id="earlier")

    def on_mount(self) -> None:
        self.query_one("#earlier").display = False
        self.screen.screen_layout_refresh_signal.subscribe(self, lambda _: self._place(), immediate=True)

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
        self._anchor = _Anchor(turn, turn)
        self.call_after_refresh(self._place)
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

    def page(self, step: int) -> None:
        """Scroll by a page: down for 1, up for -1."""
        (self.scroll_page_down if step > 0 else self.scroll_page_up)(animate=False)

    def watch_scroll_y(self, old_value: float, new_value: float) -> None:
        super().watch_scroll_y(old_value, new_value)
        if not self._is_placing and self._laid_out == (self.size, self.virtual_size) and round(new_value) != round(old_value):
            self._anchor = self._at_edge(round(new_value))

    def _place(self) -> None:
        """Scroll to where the anchor is now."""
        self._laid_out = self.size, self.virtual_size
        anchor = self._anchor
        if anchor is None or not anchor.turn.is_attached or not anchor.turn.virtual_region.height:
            return
        y = anchor.y
        if y is None:
            self._anchor = self._at_edge(round(self.scroll_y))
        elif y != round(self.scroll_y):
            self._is_placing = True
            self.scroll_to(y=y, animate=False, force=True, immediate=True)
            self._is_placing = False

    def _at_edge(self, y: int) -> _Anchor | None:
        """What stands at row ``y`` of all turns; None between them."""
        for turn in self.turns:
            top = turn.virtual_region.y
            if not top <= y < turn.virtual_region.bottom:
                continue
            row = turn.region.y + y - top
            if row == turn.region.y:
                return _Anchor(turn, turn)
            leaves = [w for w in turn.walk_children(Widget) if not w.children and w.region.y <= row < w.region.bottom]
            leaf = leaves[0] if leaves else turn
            return _Anchor(turn, leaf, (row - leaf.region.y) / leaf.region.height)
        return None


@dataclass(frozen=True, slots=True)
class _Anchor:
    """A row of the conversation, told by what stands there."""

    turn: Turn
    leaf: Widget
    share: float = 0.0
    """How much of the leaf is above the row."""

    @property
    def y(self) -> int | None:
        """Its row among all turns now; None where it isn't shown any more."""
        if not self.leaf.is_attached or not self.leaf.region.height:
            return None
        within = self.leaf.region.y - self.turn.region.y + round(self.share * self.leaf.region.height)
        return self.turn.virtual_region.y + within
