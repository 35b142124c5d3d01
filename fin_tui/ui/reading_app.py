"""The part of the app that opens filings: the reader fills with the text first, then with the contents."""

from __future__ import annotations

from textual import on, work

from fin_tui.records import Span
from fin_tui.ui.library_app import LibraryApp
from fin_tui.ui.messages import BookmarkWanted, ContentsRead, ReaderWanted, TextRead
from fin_tui.ui.screens.reader import ReaderScreen
from fin_tui.ui.services import Services


class ReadingApp(LibraryApp):
    """Reads filings for the reader."""

    @on(ReaderWanted)
    def _reader_wanted(self, event: ReaderWanted) -> None:
        if self._services is not None:
            reader = ReaderScreen(event.filing, event.title, Span(event.start, event.end), event.citations)
            self.push_screen(reader)
            self._read_text(self._services, reader, event.filing)

    @on(BookmarkWanted)
    def _bookmark_wanted(self, event: BookmarkWanted) -> None:
        reader = self.screen
        if self._services is not None and isinstance(reader, ReaderScreen):
            self._bookmark(self._services, reader, event)

    @work(thread=True, exclusive=True, group="reader", exit_on_error=False)
    def _read_text(self, services: Services, reader: ReaderScreen, filing: str) -> None:
        reader.post_message(TextRead(filing, services.text(filing), services.sections(filing)))
        self._post_contents(services, reader, filing)

    @work(thread=True, group="bookmark", exit_on_error=False)
    def _bookmark(self, services: Services, reader: ReaderScreen, event: BookmarkWanted) -> None:
        change = services.shelf.mark if event.is_wanted else services.shelf.unmark
        change(event.filing, event.start)
        self._post_contents(services, reader, event.filing)

    def _post_contents(self, services: Services, reader: ReaderScreen, filing: str) -> None:
        """From a worker."""
        reader.post_message(ContentsRead(filing, services.shelf.outline(filing), services.shelf.bookmarks(filing)))
