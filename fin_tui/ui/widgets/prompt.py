"""The question box: several lines, history at its edges, Enter asks."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import ClassVar

from textual import events
from textual.binding import Binding, BindingType
from textual.message import Message
from textual.widgets import TextArea

from fin_tui.facts.words import spoken_name
from fin_tui.language import UNBROKEN, only_digits
from fin_tui.records import Filing
from fin_tui.ui.text import clean, one_line

_MOST_WORDS = 5
_SHORTEST = 2


def completions(filings: Iterable[Filing]) -> tuple[str, ...]:
    """All that can be completed: names as people say them, newest years first, Items in order."""
    held = list(filings)
    names = sorted({said for f in held if (said := spoken_name(one_line(f.company)))}, key=str.casefold)
    years = sorted({f.fiscal_year for f in held if f.fiscal_year}, reverse=True)
    items = sorted({item for f in held for item in f.items if item}, key=lambda i: (int(only_digits(i) or 0), i))
    return (*names, *(str(year) for year in years), *(f"FY{year}" for year in years), *(f"Item {one_line(i)}" for i in items))


def completion(typed: str, known: Sequence[str]) -> str:
    """What to add to ``typed``, of which the last words begin one of ``known``; the longest such beginning counts."""
    starts = [match.start() for match in UNBROKEN.finditer(typed)][-_MOST_WORDS:]
    for start in starts:
        begun = typed[start:]
        if len(begun) < _SHORTEST or (begun != begun.rstrip() and begun.count(" ") < 1):
            continue
        for name in known:
            if len(name) > len(begun) and name.casefold().startswith(begun.casefold()):
                return name[len(begun) :]
    return ""


class BoundedTextArea(TextArea):
    """May hold ``longest`` characters with what is pasted."""

    @property
    def longest(self) -> int:
        """Characters."""
        return 2_000_000

    def on_paste(self, event: events.Paste) -> None:
        total = len(self.text) - len(self.selected_text) + len(event.text)
        if total > self.longest:
            event.prevent_default()
            event.stop()
            told = f"The text would have {total:,} characters; at most {self.longest:,} are read. Nothing was pasted."
            self.notify(told, severity="warning", timeout=8)


class Prompt(BoundedTextArea):
    """Posts ``Submitted``; keeps what was asked before."""

    BINDING_GROUP_TITLE = "Prompt"
    HELP = """\
## Prompt

Type a question and press **Enter**. Name companies, years and Items as you would to a colleague: *"What were Apple's net
sales in 2025?"* limits itself to Apple and that year.

A company, year or Item that you begin is completed by **Tab**. The sources follow what you type.

**Shift+Enter** or **Ctrl+J** starts a new line. **Up** and **Down** at the edges bring back earlier questions; **Page up** and
**Page down** scroll the conversation.
**Esc** leaves the prompt, or stops an answer.
"""
    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("enter", "submit", "Ask", id="prompt.ask", tooltip="Ask the question"),
        Binding("tab", "complete", "Complete", id="prompt.complete", show=False, tooltip="Complete a company, a year or an Item"),
        Binding("shift+enter,ctrl+j", "newline", "New line", id="prompt.newline", show=False, tooltip="Start a new line"),
        Binding("up", "history(-1)", "Earlier", id="prompt.earlier", show=False, tooltip="Earlier questions, at the first line"),
        Binding("down", "history(1)", "Later", id="prompt.later", show=False, tooltip="Later questions, at the last line"),
        Binding("pageup", "page(-1)", "Page up", id="prompt.page-up", show=False, tooltip="Scroll the conversation up"),
        Binding("pagedown", "page(1)", "Page down", id="prompt.page-down", show=False, tooltip="Scroll the conversation down"),
    ]

    @dataclass
    class Submitted(Message):
        """The reader asks."""

        prompt: Prompt
        question: str

        @property
        def control(self) -> Prompt:
            return self.prompt

    @dataclass
    class Paged(Message):
        """The reader wants to see another page of the conversation."""

        step: int

    def __init__(self, *, id: str | None = None) -> None:
        super().__init__(
            id=id,
            soft_wrap=True,
            tab_behavior="focus",
            compact=True,
            highlight_cursor_line=False,
            placeholder="Ask the filings…",
        )
        self.known: tuple[str, ...] = ()
        """What words may be completed to."""
        self._history: list[str] = []
        self._at = 0
        self._draft = ""

    @property
    def longest(self) -> int:
        """Characters of a question."""
        from fin_tui.engine.questions.understanding import LONGEST_QUESTION

        return LONGEST_QUESTION

    async def on_key(self, event: events.Key) -> None:
        """Keys that are bound here act here, in the order in which they are typed: bindings, which the app acts on, are overtaken
        by the letters behind them, priority bindings overtake those before. Alt with a letter is a command of the screen, though
        terminals send the letter with it.
        """
        bound = self.screen.active_bindings.get(event.key)
        if event.key.startswith("alt+"):
            event.prevent_default()
        elif bound is not None and bound.node is self and bound.enabled:
            event.prevent_default()
            event.stop()
            await self.run_action(bound.binding.action)

    def update_suggestion(self) -> None:
        """Show how the word at the end goes on; Tab takes it."""
        before = self.document.get_line(self.cursor_location[0])
        is_at_end = self.cursor_location == self.document.end and not self.selected_text
        self.suggestion = completion(before, self.known) if is_at_end else ""

    def action_submit(self) -> None:
        question = clean(self.text).strip()
        if not question:
            return
        if not self._history or self._history[-1] != question:
            self._history.append(question)
        self._at = len(self._history)
        self._draft = ""
        self.load_text("")
        lines = sum(bool(line.strip()) for line in question.split("\n"))
        if lines > 1:
            self.notify(f"The {lines} lines are read as one question. To ask each, send them one by one.", timeout=8)
        self.post_message(self.Submitted(self, question))

    def action_complete(self) -> None:
        """Take the completion; without one, go to the next pane."""
        if self.suggestion:
            self.insert(self.suggestion)
        else:
            self.screen.focus_next()

    def action_newline(self) -> None:
        self.insert("\n")

    def action_page(self, step: int) -> None:
        self.post_message(self.Paged(step))

    def action_history(self, step: int) -> None:
        """Move through earlier questions at the first or last line; inside the text move the cursor."""
        at_edge = self.cursor_at_first_line if step < 0 else self.cursor_at_last_line
        if not at_edge:
            if step < 0:
                self.action_cursor_up()
            else:
                self.action_cursor_down()
            return
        target = min(max(self._at + step, 0), len(self._history))
        if target == self._at:
            return
        if self._at == len(self._history):
            self._draft = self.text
        self._at = target
        self.recall(self._history[target] if target < len(self._history) else self._draft)

    def recall(self, text: str) -> None:
        """Put ``text`` into the box with the cursor at its end."""
        self.load_text(text)
        self.move_cursor(self.document.end)
