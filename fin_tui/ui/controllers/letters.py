"""Letters where no text is written: a command when one stands alone, the beginning of a question when more follow at once."""

from __future__ import annotations

from typing import ClassVar

from textual import events
from textual.binding import Binding
from textual.screen import Screen
from textual.timer import Timer
from textual.widgets import Input, TextArea

from fin_tui.ui.controllers.sources import Panes
from fin_tui.ui.widgets.prompt import Prompt

_AT_ONCE = ("scroll_", "cursor_", "source(", "digit(", "year(", "write")
"""Actions that only move, by how they begin: often wanted several times in a row, and harmless where a question was begun."""


class LettersController:
    """Sees each key of the screen before anything acts on it."""

    PAUSE_SECONDS: ClassVar[float] = 0.25
    """What a letter waits for another one: longer than between letters of a word, shorter than between two commands."""

    def __init__(self, screen: Screen[None], panes: Panes) -> None:
        self._screen = screen
        self._panes = panes
        self._run = ""
        """What was typed without a pause."""
        self._when = float("-inf")
        self._held: events.Key | None = None
        self._released: events.Key | None = None
        """One that has waited, on its way to what it does."""
        self._timer: Timer | None = None

    def takes(self, event: events.Key) -> bool:
        """Whether ``event`` is not to be passed on: its letter waits, or has become part of a question."""
        if event is self._released:
            return False
        if isinstance(self._screen.focused, Input | TextArea):
            self._run = ""
            return False
        typed = event.character or ""
        if len(typed) != 1 or not typed.isprintable():
            self._act()
            return False
        self._run = typed if event.time - self._when > self.PAUSE_SECONDS else self._run + typed
        self._when = event.time
        if self._is_question(event.key):
            self._write()
            return True
        self._act()
        if not self._waits(event.key):
            return False
        self._held = event
        self._timer = self._screen.set_timer(self.PAUSE_SECONDS, self._act)
        return True

    def _is_question(self, key: str) -> bool:
        """A letter that is no command, or letters of which one is more than a step to and fro."""
        run = self._run
        if len(run) == 1:
            return run.isalpha() and key not in self._screen.active_bindings and not self._is_idle(key)
        return run[0].isalnum() and len(set(run)) > 1 and any(c == " " or self._waits(c) for c in run)

    def _is_idle(self, key: str) -> bool:
        """Whether the key is a command of this screen that has nothing to act on now."""
        bound = (binding for binding in self._screen.BINDINGS if isinstance(binding, Binding))
        return any(key in binding.key.split(",") for binding in bound)

    def _waits(self, key: str) -> bool:
        """Whether the letter may begin a word, and does something that can't be taken back by its opposite."""
        bound = self._screen.active_bindings.get(key)
        is_step = bound is not None and bound.binding.action.removeprefix("app.").startswith(_AT_ONCE)
        return key.isalpha() and len(key) == 1 and not is_step and self.PAUSE_SECONDS > 0

    def _write(self) -> None:
        """The question goes into the prompt, which takes what follows."""
        self._drop()
        run, self._run = self._run, ""
        self._panes.show("chat")
        prompt = self._screen.query_one(Prompt)
        self._screen.set_focus(prompt)  # At once: the next letter is typed already.
        prompt.insert(run)

    def _act(self) -> None:
        """Nothing followed the letter that waits: it is a command."""
        held = self._drop()
        if held is not None:
            self._released = held
            self._screen.app.post_message(held)

    def _drop(self) -> events.Key | None:
        if self._timer is not None:
            self._timer.stop()
        held, self._held, self._timer = self._held, None, None
        return held
