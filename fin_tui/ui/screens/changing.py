"""What was understood of a question, part by part: change one, and ask again."""

from __future__ import annotations

from collections.abc import Sequence
from typing import ClassVar

from textual import on
from textual.app import ComposeResult
from textual.binding import Binding, BindingType
from textual.containers import Vertical
from textual.content import Content
from textual.suggester import SuggestFromList
from textual.widgets import Input, Static

from fin_tui.engine.questions.interpretation import Interpretation, asked_anew
from fin_tui.ui.screens.dialog import Dialog, way_out
from fin_tui.ui.text import one_line

_CHIPS = ("#company", "#period", "#figure")


class ChangeScreen(Dialog[str | None]):
    """Gives the question to be asked now, or None."""

    CSS_PATH = "changing.tcss"
    AUTO_FOCUS = "#company"
    HELP = """\
## Change the question

What was read in the question: **company**, **period** and **figure**. Change any of them; **Tab** goes to the next, **Enter**
asks the question anew with them, **Esc** leaves it.

Several companies or years stand with commas between. What the question left unsaid is added to it.
"""
    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("escape", "dismiss(None)", "Close", id="change.close", tooltip="Leave the question as it is"),
        Binding("tab", "app.focus_next", "Next part", show=False, id="change.next", tooltip="Go to the next part"),
    ]

    def __init__(self, read: Interpretation, companies: Sequence[str]) -> None:
        """``companies``: of the library, as suggestions."""
        super().__init__()
        self._read = read
        self._companies = companies

    def compose(self) -> ComposeResult:
        read = self._read
        chips = (
            ("Company", ", ".join(read.companies), SuggestFromList(self._companies, case_sensitive=False), "all in scope"),
            ("Period", ", ".join(read.periods), None, "the latest"),
            ("Figure", read.figure, None, "what the question says"),
        )
        with Vertical(id="changing") as box:
            box.border_title = "Change the question"
            box.border_subtitle = Content("Enter asks, ") + way_out("Esc closes", "screen.dismiss")
            for name, now, suggester, empty in chips:
                yield Static(name, markup=False, classes="label")
                yield Input(one_line(now), placeholder=empty, suggester=suggester, compact=True, id=name.lower())
            yield Static("", markup=False, id="anew")

    @property
    def anew(self) -> str:
        """The question with the parts as they stand now."""
        company, period, figure = (self.query_one(chip, Input).value for chip in _CHIPS)
        return asked_anew(self._read, company, period, figure)

    @on(Input.Changed)
    def _changed(self, event: Input.Changed) -> None:
        event.stop()
        self.query_one("#anew", Static).update(Content(one_line(self.anew)))

    @on(Input.Submitted)
    def _entered(self, event: Input.Submitted) -> None:
        event.stop()
        self.dismiss(self.anew)
