"""Opens filings: the reader fills with the text first, then with the contents; what changed since the year before."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import Any

from textual.app import App

from fin_tui.errors import FinTuiError
from fin_tui.records import Span
from fin_tui.ui.controllers.library import LibraryController
from fin_tui.ui.messages import (
    BookmarkWanted,
    ChangesRead,
    ChangesWanted,
    ColumnsRead,
    ColumnsWanted,
    ContentsRead,
    ReaderWanted,
    TextRead,
    WhatsNewRead,
    WhatsNewWanted,
)
from fin_tui.ui.screens.changes import ChangesScreen, WhatsNewScreen
from fin_tui.ui.screens.jobs import JobsScreen
from fin_tui.ui.screens.reader import ReaderScreen
from fin_tui.ui.services import Services

Heard = ReaderWanted | ColumnsWanted | BookmarkWanted | ChangesWanted | ChangesRead | WhatsNewWanted | WhatsNewRead


class ReadingController:
    """Reads filings for the reader."""

    def __init__(self, app: App[Any], library: LibraryController) -> None:
        self._app = app
        self._library = library

    def hear(self, event: Heard) -> None:
        """Take a message of the app."""
        services, screen = self._library.services, self._app.screen
        match event:
            case ChangesRead():
                self._app.push_screen(ChangesScreen(event.changes, event.place))
            case WhatsNewRead():
                if isinstance(screen, JobsScreen):
                    self._app.pop_screen()
                self._app.push_screen(WhatsNewScreen(event.found))
            case ReaderWanted() if services is not None:
                reader = ReaderScreen(event.filing, event.title, Span(event.start, event.end), event.citations)
                self._app.push_screen(reader)
                self._in_background(partial(self._read_text, services, reader, event.filing), "reader")
            case ColumnsWanted() if services is not None:
                self._in_background(partial(_read_columns, services, event), "columns")
            case BookmarkWanted() if services is not None and isinstance(screen, ReaderScreen):
                self._in_background(partial(self._bookmark, services, screen, event), "bookmark", exclusive=False)
            case ChangesWanted() if services is not None:
                self._in_background(partial(self._compare, services, event), "compare")
            case WhatsNewWanted() if services is not None:
                self._in_background(partial(self._read_whats_new, services, event), "compare")
            case _:
                pass  # Nothing is open.

    def close_unfilled(self) -> None:
        """Take a reader away whose text could not be read."""
        if isinstance(self._app.screen, ReaderScreen) and not self._app.screen.is_filled:
            self._app.pop_screen()

    def _in_background(self, act: Callable[[], None], group: str, *, exclusive: bool = True) -> None:
        self._app.run_worker(act, group, group=group, thread=True, exclusive=exclusive, exit_on_error=False)

    def _read_text(self, services: Services, reader: ReaderScreen, filing: str) -> None:
        text = services.text(filing)
        columns = services.shelf.columns(filing, 0, text)
        reader.post_message(TextRead(filing, text, services.sections(filing), columns))
        _post_contents(services, reader, filing)

    def _bookmark(self, services: Services, reader: ReaderScreen, event: BookmarkWanted) -> None:
        change = services.shelf.mark if event.is_wanted else services.shelf.unmark
        change(event.filing, event.start)
        _post_contents(services, reader, event.filing)

    def _compare(self, services: Services, event: ChangesWanted) -> None:
        self._app.post_message(ChangesRead(services.changes(event.filing, event.item), event.place))

    def _read_whats_new(self, services: Services, event: WhatsNewWanted) -> None:
        self._app.post_message(WhatsNewRead(services.whats_new(event.filing)))


def _read_columns(services: Services, event: ColumnsWanted) -> None:
    passage = event.passage
    try:
        grid = services.shelf.columns(passage.citation.filing, passage.start, passage.text)
    except FinTuiError:
        return  # The passage stands there without columns; opening its filing will say what is wrong.
    event.shown_by.post_message(ColumnsRead(passage, grid))


def _post_contents(services: Services, reader: ReaderScreen, filing: str) -> None:
    """From a worker."""
    shelf = services.shelf
    reader.post_message(ContentsRead(filing, shelf.outline(filing), shelf.bookmarks(filing), shelf.pages(filing)))
