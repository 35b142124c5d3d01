"""The reader's own text, compared with the library: each figure supported, contradicted or unknown, and why."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, ClassVar

from textual import on, work
from textual.app import ComposeResult
from textual.binding import Binding, BindingType
from textual.content import Content
from textual.screen import Screen
from textual.widgets import Footer, Input, OptionList, Static, TextArea
from textual.widgets.option_list import Option
from textual.worker import get_current_worker

from fin_tui.errors import FinTuiError, in_one_line
from fin_tui.records import PlacedFact, Scope
from fin_tui.records.answer import place_of
from fin_tui.ui.browse import read_text
from fin_tui.ui.messages import Checking, CheckTold, CopyWanted, MemoRead, ReaderWanted, WorkFailed
from fin_tui.ui.services import Services
from fin_tui.ui.text import clean, one_line
from fin_tui.ui.widgets.prompt import BoundedTextArea

if TYPE_CHECKING:
    from fin_tui.engine.checking import Checked, CheckedNumber

MARKS = {"supported": ("✓", "$success"), "contradicted": ("✗", "$error"), "unknown": ("?", "$warning")}


@dataclass(frozen=True, slots=True)
class Place:
    """Where the figure that was found stands."""

    filing: str
    title: str
    start: int
    end: int


@dataclass(frozen=True, slots=True)
class Finding:
    """A line: a statement, or one number of it with the place it was held against."""

    content: Content
    is_number: bool = False
    place: Place | None = None


def findings(checked: Checked) -> list[Finding]:
    """Every statement, each followed by its numbers."""
    found: list[Finding] = []
    for statement in checked.statements:
        style = "bold" if statement.numbers else "$foreground-muted"
        found.append(Finding(Content.styled(one_line(statement.text), style)))
        found += [_number(number) for number in statement.numbers]
    return found


def summary(checked: Checked) -> str:
    """ "2 supported, 1 contradicted, 0 unknown: 1 figure conflicts with the filings"."""
    counts = Counter(str(number.status) for statement in checked.statements for number in statement.numbers)
    if not counts:
        return "No figure was found in the text."
    bad = counts["contradicted"]
    told = f"{bad or 'no'} {'figures conflict' if bad != 1 else 'figure conflicts'} with the filings"
    return f"{', '.join(f'{counts[status]} {status}' for status in MARKS)}: {told}"


def checked_markdown(checked: Checked) -> str:
    """The findings as Markdown: a quote for each statement, a list of its numbers."""
    lines = [f"**{summary(checked)}**", ""]
    for statement in checked.statements:
        if not statement.numbers:
            continue
        lines += [f"> {_plain(statement.text)}", ""]
        for number in statement.numbers:
            mark = MARKS[number.status][0]
            where = f" ({_plain(_source(number.found))})" if number.found else ""
            lines.append(f"- {mark} {_plain(number.text)} — {number.status}: {_plain(number.why)}{where}")
        lines.append("")
    return "\n".join(lines)


def _number(number: CheckedNumber) -> Finding:
    mark, style = MARKS[number.status]
    parts: list[Content | str | tuple[str, str]] = [
        (f"  {mark} {number.status:<12} ", style),
        (one_line(number.text), "bold"),
        f"  {one_line(number.why)}",
    ]
    if number.found:
        parts.append((f"\n      {_source(number.found)}", "$foreground-muted"))
    return Finding(Content.assemble(*parts), True, _place(number.found))


def _place(found: PlacedFact | None) -> Place | None:
    if found is None or not found.get("filing"):
        return None
    start, end = found.get("start"), found.get("end")
    if start is None or end is None:
        return None
    name, year = one_line(str(found.get("company") or found["file"])), found.get("fiscal_year")
    title = f"{name} FY{year}" if year else f"{name} · {found.get('period_end') or ''}".strip(" ·")
    return Place(str(found["filing"]), title, start, end)


def _source(found: PlacedFact) -> str:
    return one_line(place_of(found))


def _plain(text: str) -> str:
    """One line in which nothing is Markdown."""
    return "".join(f"\\{c}" if c in "\\`*_[]<>|" else c for c in one_line(text))


class _Stopped(Exception):
    """The reader stopped the check."""


class CheckScreen(Screen[None]):
    """A text to be written or pasted; then what was found of its figures."""

    CSS_PATH = "check.tcss"
    AUTO_FOCUS = "#memo"
    HELP = """\
## Check

Paste or type a text, or open a file with **Ctrl+O**; **Ctrl+R** checks it. Each figure is **✓ supported**, **✗ contradicted** or
**? unknown**, with the figure found and why.

**Enter** on a figure reads the filing there, **Alt+Y** copies the findings as Markdown, **Esc** goes back to the text and
then to the conversation.
"""
    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("escape", "back", "Back", id="check.back", tooltip="Back to the text, then to the conversation"),
        Binding("ctrl+r", "check", "Check", id="check.run", tooltip="Check the figures of the text"),
        Binding("ctrl+o", "open", "Open file", id="check.open", tooltip="Open a text file"),
        Binding("alt+y", "copy", "Copy", id="check.copy", tooltip="Copy (export) the findings as Markdown"),
    ]

    def __init__(self, services: Services, scope: Scope, limits: str) -> None:
        super().__init__()
        self._services = services
        self._scope = scope
        self._limits = limits
        """What the scope is, for people; empty for everything."""
        self._found: list[Finding] = []
        self._markdown = ""
        self._is_checking = False

    def compose(self) -> ComposeResult:
        yield Static("", markup=False, id="check-title")
        yield BoundedTextArea(
            id="memo",
            soft_wrap=True,
            tab_behavior="focus",
            compact=True,
            placeholder="Paste a text here; Ctrl+R checks its figures.",
        )
        yield OptionList(id="findings", markup=False, compact=True)
        yield Input(placeholder="path of a text file", compact=True, id="memo-path")
        yield Footer(compact=True)

    def on_mount(self) -> None:
        self.query_one(Input).display = False
        self._show_text()

    def check_action(self, action: str, parameters: tuple[object, ...]) -> bool | None:
        return self._shows_findings if action == "copy" else True

    @property
    def _shows_findings(self) -> bool:
        return self.is_mounted and bool(self.query_one("#findings").display)

    def action_check(self) -> None:
        text = clean(self.query_one(TextArea).text).strip()
        if text:
            self._title("checking…; Esc stops")
            self._is_checking = True
            self._check(text)
        else:
            self._title("There is no text yet.")

    def action_open(self) -> None:
        line = self.query_one(Input)
        line.display = True
        line.focus()

    def action_copy(self) -> None:
        self.app.post_message(CopyWanted("findings", self._markdown))

    def action_back(self) -> None:
        line = self.query_one(Input)
        if self._is_checking:
            self._is_checking = False
            self.workers.cancel_group(self, "check")
            self._title("Stopped; the text is as it was.")
        elif line.display:
            line.display = False
            self.query_one("#findings" if self._shows_findings else "#memo").focus()
        elif self._shows_findings:
            self._show_text()
        else:
            self.dismiss()

    @on(Input.Submitted)
    def _path_given(self, event: Input.Submitted) -> None:
        event.stop()
        self._read(Path(event.value.strip()).expanduser())

    @on(MemoRead)
    def _memo_read(self, event: MemoRead) -> None:
        self.query_one(Input).display = False
        self.query_one(TextArea).load_text(clean(event.text))
        self._show_text()
        self.action_check()

    @on(CheckTold)
    def _told(self, event: CheckTold) -> None:
        if self._is_checking:
            self._title(f"checking… {event.done} of {event.total} sentences; Esc stops")

    @on(Checking)
    def _checked(self, event: Checking) -> None:
        self._is_checking = False
        self._found, self._markdown = findings(event.checked), checked_markdown(event.checked)
        options = self.query_one(OptionList)
        options.set_options([Option(finding.content, disabled=not finding.is_number) for finding in self._found])
        first = next((index for index, finding in enumerate(self._found) if finding.is_number), None)
        self._title(summary(event.checked))
        if first is None:
            return
        self.query_one(TextArea).display = False
        options.display = True
        options.highlighted = first
        options.focus()
        self.refresh_bindings()

    @on(WorkFailed)
    def _failed(self, event: WorkFailed) -> None:
        event.stop()
        self._is_checking = False
        self._title(in_one_line(event.message, event.hint))

    @on(OptionList.OptionSelected)
    def _selected(self, event: OptionList.OptionSelected) -> None:
        event.stop()
        place = self._found[event.option_index].place
        if place is None:
            self.notify("No place in a filing was found for this figure.", severity="warning")
        else:
            self.app.post_message(ReaderWanted(place.filing, place.title, place.start, place.end))

    def _show_text(self) -> None:
        self.query_one(OptionList).display = False
        memo = self.query_one(TextArea)
        memo.display = True
        memo.focus()
        self._title("Check a text")
        self.refresh_bindings()

    def _title(self, text: str) -> None:
        within = f" · within {self._limits}" if self._limits else ""
        self.query_one("#check-title", Static).update(Content(f"{one_line(text)}{within}"))

    @work(thread=True, exclusive=True, group="check", exit_on_error=False)
    def _check(self, text: str) -> None:
        worker = get_current_worker()

        def tell(done: int, total: int) -> None:
            if worker.is_cancelled:
                raise _Stopped("stopped")
            self.post_message(CheckTold(done, total))

        try:
            found = self._services.check(text, self._scope, tell)
            if not worker.is_cancelled:
                self.post_message(Checking(found))
        except _Stopped:
            return
        except FinTuiError as error:
            self.post_message(WorkFailed("The check failed", error.message, error.hint))

    @work(thread=True, exclusive=True, group="memo", exit_on_error=False)
    def _read(self, path: Path) -> None:
        try:
            self.post_message(MemoRead(read_text(path)))
        except FinTuiError as error:
            self.post_message(WorkFailed("The file can't be read", error.message, error.hint))
