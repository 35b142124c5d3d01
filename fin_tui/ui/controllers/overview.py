"""Shows what the library holds and what is going on: the welcome, the status line, the lists of filings and Items."""

from __future__ import annotations

import datetime as dt
from collections import Counter
from collections.abc import Iterator, Sequence

from textual.screen import Screen

from fin_tui.facts.words import spoken_name
from fin_tui.language import count
from fin_tui.records import Filing, Progress
from fin_tui.ui.controllers.answering import AnsweringController
from fin_tui.ui.controllers.scope import ScopeController
from fin_tui.ui.messages import LibraryRead, Loading, SectionsRead
from fin_tui.ui.text import one_line, sort_name, year_label
from fin_tui.ui.widgets.bars import StatusLine
from fin_tui.ui.widgets.chat import Chat
from fin_tui.ui.widgets.filing_browser import FilingBrowser
from fin_tui.ui.widgets.prompt import Prompt, completions

_MOST_NAMES = 3


class OverviewController:
    """Works on a screen with a chat, a filing browser, a prompt and a status line."""

    def __init__(self, screen: Screen[None], scope: ScopeController, answering: AnsweringController) -> None:
        self._screen = screen
        self._scope = scope
        self._answering = answering

    @property
    def _status(self) -> StatusLine:
        return self._screen.query_one(StatusLine)

    def begin(self) -> None:
        """Greet the reader while the library is being opened."""
        self._screen.query_one(Chat).welcome(welcome_lines(None, ()))
        self._status.busy("opening the library…")

    def hear(self, event: LibraryRead | Loading | SectionsRead) -> None:
        """Take a message of the screen."""
        match event:
            case LibraryRead():
                self._show_library(event)
            case Loading():
                if not self._answering.is_answering:
                    self._status.busy(event.text)
            case SectionsRead():
                self._screen.query_one(FilingBrowser).show_sections(event.filing, event.sections)

    def show_jobs(self, text: str) -> None:
        """Name what is done in the background; empty for nothing."""
        if self._screen.is_mounted:
            self._status.jobs(text)

    def show_vectors(self, progress: Progress) -> None:
        """How far the vectors are."""
        if self._screen.is_mounted:
            self._status.vectors(progress)

    def failed(self, message: str) -> None:
        """Background work failed: say so where a new reader looks first."""
        self._status.busy("")
        if not self._scope.filings:
            self._screen.query_one(Chat).welcome([*welcome_lines(self._scope.filings, (message,))])

    def _show_library(self, event: LibraryRead) -> None:
        self._scope.show(event.filings)
        self._answering.model = event.model
        self._screen.query_one(Prompt).known = completions(event.filings)
        self._screen.query_one(Chat).welcome(welcome_lines(event.filings, event.notes, event.place))
        passages = sum(f.chunks for f in event.filings)
        held = f"{count(len(event.filings), 'filing')} · {count(passages, 'passage')}"
        self._status.idle(f"{event.place}: {held}" if event.place else held)
        self._screen.app.sub_title = event.place
        self._answering.show_choice()


def welcome_lines(filings: Sequence[Filing] | None, notes: Sequence[str], place: str = "") -> list[tuple[str, str]]:
    """Lines of text with their style; ``filings`` is None until it is open, ``place`` the corpus that is asked instead."""
    lines = [("fin-tui", "bold $primary"), ("10-K filings, asked and answered on this machine.", "$foreground-muted"), ("", "")]
    if filings is None:
        return [*lines, ("Opening the library… you can type already.", "")]
    if place:
        lines += [(f"Asked is the corpus at {one_line(place)}; conversations and notebook stay on this machine.", ""), ("", "")]
    if filings:
        lines += [(f"{count(len(filings), 'filing')}: {_names(filings)}", ""), ("", ""), ("Try", "bold")]
        lines += [(f"  {question}", "$accent") for question in _examples(filings)]
    elif place:
        lines += [("It is empty: fin-tui ingest-corpus FOLDER --corpus URI, in a shell, adds filings.", "bold")]
    else:
        lines += [
            ("The library is empty: there is nothing to ask yet.", "bold"),
            ("  Alt+A   adds filings that you have on disk; no network needed", "$accent"),
            ("  F12     adds three sample filings and downloads the models, after asking", "$accent"),
            ("  Alt+G   fetches filings from EDGAR, after asking; fin-tui fetch does it in a shell", "$accent"),
        ]
    if notes:
        lines += [("", ""), ("What is missing", "bold"), *_missing(notes)]
    keys = (("Enter", "asks"), ("F2", "filings"), ("F4", "sources"), ("F1", "help"), ("Ctrl+P", "every command"))
    return [*lines, ("", ""), *((f"{key:<7} {what}", "$foreground-muted") for key, what in keys)]


def _missing(notes: Sequence[str]) -> Iterator[tuple[str, str]]:
    """Each note, then what can be done here."""
    yield from ((f"  {one_line(note)}", "$warning") for note in notes)
    yield "  F12     downloads what is missing, after asking; one that broke off goes on", "$accent"
    yield "  Alt+S   chooses among the models, and says what each is worth", "$accent"
    yield "Meanwhile figures and extracts are answered from the filings themselves.", "$foreground-muted"


def _names(filings: Sequence[Filing]) -> str:
    latest = {f.company_key: f for f in sorted(filings, key=lambda f: f.period_end or dt.date.min)}
    names = sorted({one_line(f.company) or f.file for f in latest.values()}, key=sort_name)
    more = len(names) - _MOST_NAMES
    shown = ", ".join(names[:_MOST_NAMES])
    return f"{shown} and {more} more" if more > 0 else shown


def _examples(filings: Sequence[Filing]) -> list[str]:
    """Questions that the library can answer, of the companies with most filings, the newest of them first."""
    latest: dict[str, Filing] = {}
    for filing in sorted(filings, key=lambda f: f.period_end or dt.date.min):
        latest[filing.company_key] = filing
    many = Counter(filing.company_key for filing in filings)
    some = sorted(latest.values(), key=lambda f: (-many[f.company_key], -(f.period_end or dt.date.min).toordinal()))[:_MOST_NAMES]
    names = [spoken_name(one_line(f.company)) or f.file for f in some]
    if not names:
        return []
    figure = f"What was the revenue of {names[0]} in {year_label(some[0])}?"
    second = f"Compare {names[0]} and {names[1]}" if len(names) > 1 else figure
    return [f"How is {names[0]} doing?", second, f"What are the main risk factors of {names[-1]}?"]
