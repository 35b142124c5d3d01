"""The log: every job since the app began, what it did, what failed and what to do about it."""

from __future__ import annotations

from collections.abc import Iterator
from typing import ClassVar, NamedTuple

from textual.app import ComposeResult
from textual.binding import Binding, BindingType
from textual.containers import Vertical
from textual.content import Content
from textual.widgets import Footer, OptionList, Static
from textual.widgets.option_list import Option

from fin_tui.language import count
from fin_tui.ui.messages import CopyWanted, JobCancelled, JobWanted, WhatsNewWanted
from fin_tui.ui.screens.dialog import Dialog
from fin_tui.ui.services import JobBoard, JobLine, JobRecord, progress_text
from fin_tui.ui.text import one_line

_REDRAW_SECONDS = 0.25
_MOST_LINES = 200
"""Of a job's files that went well; failures are all shown."""
_STATES = {
    "waiting": ("…", "$foreground-muted"),
    "running": ("◌", "$warning"),
    "done": ("✓", "$success"),
    "failed": ("✗", "$error"),
    "cancelled": ("–", "$foreground-muted"),
}
_KINDS = {
    "done": ("✓", "$success"),
    "skipped": ("=", "$foreground-muted"),
    "failed": ("✗", "$error"),
    "note": ("·", "$warning"),
}


class JobsScreen(Dialog[None]):
    """Newest job first, its lines below it; follows what goes on."""

    CSS_PATH = "jobs.tcss"
    AUTO_FOCUS = "#job-list"
    HELP = """\
## Log

What was done in the background: files taken in, models brought, vectors made. **✗** failed, with what to do about it.

**c** cancels the job under the cursor: what it has done stays. **r** does it again: files that are in the library are skipped, a
download goes on where it stopped. **n** shows what the filing under the cursor changed since the year before. **y** copies the
log, **Esc** closes it.
"""
    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("escape,q", "dismiss", "Close", id="log.close", tooltip="Close the log; jobs go on"),
        Binding("c", "cancel", "Cancel job", id="log.cancel", tooltip="Cancel the job under the cursor; what it has done stays"),
        Binding("r", "again", "Do again", id="log.again", tooltip="Do the job under the cursor once more"),
        Binding("n", "news", "What's new", id="log.news", tooltip="What this filing changed since the year before"),
        Binding("y", "copy", "Copy", id="log.copy", tooltip="Copy the log"),
    ]

    def __init__(self, board: JobBoard) -> None:
        super().__init__()
        self._board = board
        self._drawn = -1
        self._owners: list[JobRecord] = []
        """The job that each line belongs to."""
        self._filings: list[str] = []
        """The filing that each line tells of."""

    def compose(self) -> ComposeResult:
        with Vertical(id="jobs") as box:
            box.border_title = "Log"
            yield Static("Nothing was done in the background yet.", id="no-jobs")
            yield OptionList(id="job-list", markup=False, compact=True)
            yield Footer(compact=True)

    def on_mount(self) -> None:
        self._draw()
        self.set_interval(_REDRAW_SECONDS, self._draw)

    def check_action(self, action: str, parameters: tuple[object, ...]) -> bool | None:
        record = self._chosen if self.is_mounted else None
        match action:
            case "cancel":
                return record is not None and not record.is_over
            case "again":
                return record is not None and record.is_over
            case "news":
                return bool(self._filing)
        return True

    def on_option_list_option_highlighted(self) -> None:
        self.refresh_bindings()

    def action_cancel(self) -> None:
        if self._chosen is not None:
            self.app.post_message(JobCancelled(self._chosen))

    def action_again(self) -> None:
        if self._chosen is not None:
            self.app.post_message(JobWanted(self._chosen.job))

    def action_news(self) -> None:
        self.app.post_message(WhatsNewWanted(self._filing))

    def action_copy(self) -> None:
        lines = [entry.content.plain for record in self._listed for entry in entries(record)]
        self.app.post_message(CopyWanted("log", "\n".join(lines) + "\n"))

    @property
    def _listed(self) -> list[JobRecord]:
        return [record for record in reversed(self._board.records) if record.is_listed]

    @property
    def _chosen(self) -> JobRecord | None:
        at = self.query_one(OptionList).highlighted
        return self._owners[at] if at is not None and at < len(self._owners) else None

    @property
    def _filing(self) -> str:
        """The filing that the line under the cursor tells of; "" for none."""
        at = self.query_one(OptionList).highlighted if self.is_mounted else None
        return self._filings[at] if at is not None and at < len(self._filings) else ""

    def _draw(self) -> None:
        if self._board.version == self._drawn:
            return
        self._drawn = self._board.version
        options = self.query_one(OptionList)
        chosen, at = self._chosen, options.highlighted or 0
        first = self._owners.index(chosen) if chosen in self._owners else 0
        self._owners, shown = [], []
        self._filings = []
        for record in self._listed:
            for entry in entries(record):
                self._owners.append(record)
                self._filings.append(entry.filing)
                shown.append(Option(entry.content))
        scroll = options.scroll_y
        options.set_options(shown)
        options.display = bool(shown)
        self.query_one("#no-jobs").display = not shown
        if shown:
            start = self._owners.index(chosen) if chosen in self._owners else 0
            options.highlighted = min(start + at - first, len(shown) - 1)
            options.scroll_to(y=scroll, animate=False)
        self.refresh_bindings()


class Entry(NamedTuple):
    """A line of the log."""

    content: Content
    filing: str = ""
    """The filing that it tells of."""


def entries(record: JobRecord) -> Iterator[Entry]:
    """The lines of a job: what it is and how far, then failures, then the rest, the latest first."""
    mark, style = _STATES[record.state]
    when = f"{record.began:%H:%M} " if record.began else ""
    told = one_line(progress_text(record)) if record.state == "running" else f"{one_line(record.job.title)}: {record.state}"
    counts = f" ({record.counts})" if record.counts else ""
    yield Entry(Content.assemble((f"{mark} ", style), (when, "$foreground-muted"), (told, "bold"), counts))
    for line in record.failures:
        yield _line(line)
    others = [line for line in reversed(record.lines) if line.kind != "failed"]
    for line in others[:_MOST_LINES]:
        yield _line(line)
    if len(others) > _MOST_LINES:
        yield Entry(Content.styled(f"    and {count(len(others) - _MOST_LINES, 'more line')}", "$foreground-muted"))


def _line(line: JobLine) -> Entry:
    mark, style = _KINDS[line.kind]
    parts: list[Content | str | tuple[str, str]] = [(f"  {mark} ", style), one_line(line.text)]
    if line.hint:
        parts.append((f"\n      {one_line(line.hint)}", "$foreground-muted"))
    return Entry(Content.assemble(*parts), line.filing)
