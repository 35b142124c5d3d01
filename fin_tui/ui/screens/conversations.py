"""The conversations of this library: go on with one, name it, delete it."""

from __future__ import annotations

from typing import TYPE_CHECKING, ClassVar

from textual import on
from textual.app import ComposeResult
from textual.binding import Binding, BindingType
from textual.containers import Vertical
from textual.content import Content
from textual.widgets import Footer, Input, OptionList, Static
from textual.widgets.option_list import Option

from fin_tui.language import count
from fin_tui.store.kept import Conversation
from fin_tui.ui.messages import ConversationRemoved, ConversationRenamed, ExportWanted, ResumeWanted
from fin_tui.ui.screens.dialog import Dialog
from fin_tui.ui.text import one_line
from fin_tui.ui.widgets.bars import PassingLine
from fin_tui.ui.widgets.lists import PickList

if TYPE_CHECKING:
    from collections.abc import Sequence

    from fin_tui.engine.exports import Format


class ConversationsScreen(Dialog[None]):
    """A list, newest first, that a line of words narrows."""

    CSS_PATH = "conversations.tcss"
    AUTO_FOCUS = "#conversation-list"
    HELP = """\
## Conversations

**Enter** goes on with a conversation. **r** renames it, **d** twice deletes it, **/** narrows the list, **Esc** closes it.
**m** and **h** write it into a file as Markdown or HTML, **v** its figures as CSV.
"""
    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("escape", "close", "Close", id="conversations.close", tooltip="Back to the conversation"),
        Binding("r", "rename", "Rename", id="conversations.rename", tooltip="Give this conversation another name"),
        Binding("d", "delete", "Delete", id="conversations.delete", tooltip="Delete this conversation; press twice"),
        Binding("m", "export('md')", "Markdown", id="conversations.markdown", tooltip="Write this conversation as Markdown"),
        Binding("h", "export('html')", "HTML", id="conversations.html", tooltip="Write this conversation as HTML"),
        Binding("v", "export('csv')", "CSV", show=False, id="conversations.csv", tooltip="Write its figures as CSV"),
        Binding("slash", "filter", "Filter", id="conversations.filter", tooltip="Show only conversations with these words"),
    ]

    def __init__(self, conversations: Sequence[Conversation]) -> None:
        super().__init__()
        self._all = list(conversations)
        self._shown: list[Conversation] = []
        self._doomed = ""
        self._is_renaming = False

    def compose(self) -> ComposeResult:
        with Vertical(id="conversations") as box:
            box.border_title = "Conversations"
            yield PassingLine(id="conversation-words")
            yield Static("No conversation yet: each answer is kept by itself.", id="no-conversations")
            yield PickList(id="conversation-list", markup=False, compact=True)
            yield Footer(compact=True)

    def on_mount(self) -> None:
        self._fill()

    @on(OptionList.OptionSelected)
    def _selected(self, event: OptionList.OptionSelected) -> None:
        event.stop()
        self.app.post_message(ResumeWanted(self._shown[event.option_index].id))
        self.dismiss()

    @on(OptionList.OptionHighlighted)
    def _highlighted(self) -> None:
        self._doomed = ""

    @on(Input.Changed)
    def _typed(self, event: Input.Changed) -> None:
        if not self._is_renaming:
            self._fill()

    @on(Input.Submitted)
    def _entered(self, event: Input.Submitted) -> None:
        chosen, title = self._chosen, one_line(event.value)
        if self._is_renaming and chosen is not None and title:
            self.app.post_message(ConversationRenamed(chosen.id, title))
            place = self._all.index(chosen)
            self._all[place] = Conversation(chosen.id, title, chosen.created, chosen.updated, chosen.turns)
        self._leave_line(keep_words=not self._is_renaming)

    def action_rename(self) -> None:
        chosen = self._chosen
        if chosen is not None:
            self._is_renaming = True
            self.query_one(PassingLine).open("new name", chosen.title)

    def action_filter(self) -> None:
        self._is_renaming = False
        self.query_one(PassingLine).open("words")

    def action_delete(self) -> None:
        chosen = self._chosen
        if chosen is None:
            return
        if self._doomed != chosen.id:
            self._doomed = chosen.id
            self.notify(f"Press d again to delete “{one_line(chosen.title)}”.", severity="warning", markup=False)
            return
        self.app.post_message(ConversationRemoved(chosen.id))
        self._all.remove(chosen)
        self._fill()

    def action_export(self, form: Format) -> None:
        chosen = self._chosen
        if chosen is not None:
            self.app.post_message(ExportWanted(chosen.id, form))

    def action_close(self) -> None:
        if self.query_one(PassingLine).display:
            self._leave_line()
        else:
            self.dismiss()

    @property
    def _chosen(self) -> Conversation | None:
        return self.query_one(PickList).chosen_of(self._shown)

    def _leave_line(self, *, keep_words: bool = False) -> None:
        self._is_renaming = False
        if not keep_words:
            self.query_one(PassingLine).leave()
        self._fill()
        self.query_one(OptionList).focus()

    def _fill(self) -> None:
        words = self.query_one(PassingLine).value.casefold().split()
        self._shown = [c for c in self._all if all(word in c.title.casefold() for word in words)]
        options = self.query_one(OptionList)
        at = options.highlighted or 0
        options.set_options([Option(_line(c)) for c in self._shown])
        options.highlighted = min(at, len(self._shown) - 1) if self._shown else None
        self.query_one("#no-conversations").display = not self._all


def _line(conversation: Conversation) -> Content:
    when = conversation.updated[:16].replace("T", " ")
    return Content.assemble(
        (f"{when}  ", "$foreground-muted"),
        one_line(conversation.title) or "untitled",
        (f"  {count(conversation.turns, 'question')}", "$foreground-muted"),
    )
