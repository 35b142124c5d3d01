"""The real rooms beside the library: settings, helps in reading, fetching, the notebook and exports, sheets."""

from __future__ import annotations

import contextlib
import os
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any
from urllib.parse import urlsplit

from fin_tui.config import Settings, from_environment, load_settings, remove_setting, write_setting
from fin_tui.engine import saved_items
from fin_tui.engine.answering.events import Passage
from fin_tui.engine.exports import Format, of_conversation, of_notebook, refuse_unsupported
from fin_tui.engine.exports.file import Taken, text_of, write_new
from fin_tui.engine.figures.detail import FigureDetail, Stated, citation_at, detail_of
from fin_tui.engine.services import Services
from fin_tui.errors import FinTuiError, UsageError, in_one_line
from fin_tui.language import runs_of
from fin_tui.network import Offline, require_network
from fin_tui.paths import Paths
from fin_tui.records import Answer, Citation, FactRecord, Progress, Saved, Span
from fin_tui.records.answer import page_name
from fin_tui.store import Corpus
from fin_tui.store.library import Library
from fin_tui.ui.live_work import news_of
from fin_tui.ui.services import FetchTerms, JobLine, JobNews, NotebookState
from fin_tui.ui.text_layout import Grid

if TYPE_CHECKING:
    from fin_tui.engine.models.listing import ListedModel, Offer
    from fin_tui.engine.reader import Heading
    from fin_tui.ingest.fetch import FetchEvent
    from fin_tui.ingest.fetch_plan import Plan, Words
    from fin_tui.records import SheetCell
    from fin_tui.sheets.audit import Audit
    from fin_tui.sheets.filling import OpenSheet
    from fin_tui.store import Corpus
    from fin_tui.store.kept import Bookmark, Bookmarks, CellKey, SheetSummary


_KEYS = "app.keys."


class LiveOptions:
    """Implements ``ui.services.Options``."""

    def __init__(self, paths: Paths) -> None:
        self._paths = paths

    def settings(self) -> Settings:
        return load_settings(self._paths.settings)

    def fixed(self) -> frozenset[str]:
        return frozenset(f"{section}.{key}" for section, key, _ in from_environment(os.environ))

    def save(self, key: str, value: Any) -> Settings:
        section, name = ("app.keys", key.removeprefix(_KEYS)) if key.startswith(_KEYS) else key.split(".", 1)
        if value is None:
            remove_setting(self._paths.settings, section, name)
        else:
            write_setting(self._paths.settings, section, name, value)
        return self.settings()

    def models(self) -> Sequence[ListedModel]:
        from fin_tui.engine.models.listing import all_models

        return all_models(self._paths, self.settings().model.name)

    def offers(self) -> Sequence[Offer]:
        from fin_tui.engine.models.listing import best_models

        return best_models(self._paths, self.settings().model)


class LiveShelf:
    """Implements ``ui.services.Shelf``."""

    def __init__(self, corpus: Corpus, bookmarks: Bookmarks) -> None:
        self._corpus = corpus
        self._bookmarks = bookmarks

    def outline(self, filing: str) -> Sequence[Heading]:
        from fin_tui.engine.reader import outline

        return outline(self._corpus.document(filing), self._corpus.sections(filing))

    def pages(self, filing: str) -> Sequence[tuple[int, str]]:
        held = self._corpus.chunks.of_filing(filing)
        return sorted((chunk.start, page_name(chunk.page, chunk.page_label)) for chunk in held)

    def columns(self, filing: str, start: int, text: str) -> Grid:
        from fin_tui.engine.reader import cell_columns

        document, end = self._corpus.document(filing), start + len(text)
        return cell_columns(document, Span(start, end)) if document.text[start:end] == text else {}

    def bookmarks(self, filing: str) -> Sequence[Bookmark]:
        return self._bookmarks.of(filing, self._corpus.text(filing))

    def mark(self, filing: str, start: int) -> None:
        self._bookmarks.add(filing, start, self._corpus.text(filing))

    def unmark(self, filing: str, start: int) -> None:
        self._bookmarks.remove(filing, start)


class LiveFetching:
    """Implements ``ui.fetch_room.FetchRoom`` for one home."""

    def __init__(self, paths: Paths, options: LiveOptions) -> None:
        self._paths = paths
        self._options = options

    def terms(self) -> FetchTerms:
        from fin_tui.filings.edgar.client import contact

        edgar = self._options.settings().edgar
        server, forbidden = urlsplit(edgar.archives).netloc, ""
        try:
            require_network("Fetching")
        except Offline as error:
            forbidden = in_one_line(error.message, error.hint)
        given = from_environment(os.environ)
        overriding = tuple(f"FIN_TUI_{section}_{key}".upper() for section, key, _ in given if section == "edgar")
        try:
            known = contact(edgar)
        except UsageError:
            return FetchTerms(server, "", forbidden, overriding)
        return FetchTerms(server, f"{known.name} {known.email}", forbidden, overriding)

    def introduce(self, name: str, email: str) -> FetchTerms:
        from fin_tui.filings.edgar.client import checked_contact

        known = checked_contact(name, email)
        self._options.save("edgar.name", known.name)
        self._options.save("edgar.email", known.email)
        return self.terms()

    def plan(self, words: Words, cancelled: Callable[[], bool]) -> Plan:
        from fin_tui.ingest.fetch import Fetcher

        with Fetcher(self._paths, self._options.settings(), cancelled) as fetcher:
            return fetcher.planned(words.wishes())

    def run(self, plan: Plan, cancelled: Callable[[], bool]) -> Iterator[JobNews]:
        from fin_tui.filings.edgar.client import Stopped
        from fin_tui.ingest.fetch import Fetcher

        # The app makes the vectors itself, in a lane of their own.
        with (
            Fetcher(self._paths, self._options.settings(), cancelled) as fetcher,
            contextlib.closing(fetcher.run(plan, embed=False)) as events,
        ):
            try:
                yield from filter(None, map(_news, events))
            except Stopped:
                if not cancelled():
                    raise


def _news(event: FetchEvent) -> JobNews | None:
    from fin_tui.ingest.fetch import Brought

    if isinstance(event, Brought):
        return JobLine("note", f"{event.listed.label} came: {event.size / 1e6:.1f} MB")
    if isinstance(event, Progress):
        return event
    return news_of(event)


class LiveNotebook:
    """Implements ``ui.notebook_room.NotebookRoom``."""

    def __init__(self, library: Library, corpus: Corpus, exports: Path) -> None:
        """``library`` keeps notebook and conversations, ``corpus`` holds the filings; files are written into ``exports``."""
        self._library = library
        self._corpus = corpus
        self._exports = exports

    def read(self) -> NotebookState:
        entries = self._library.notebook.all()
        return NotebookState(entries, saved_items.trace((entry.saved for entry in entries), self._corpus))

    def keep_answer(self, answer: Answer, passages: Sequence[Passage]) -> None:
        self._add(saved_items.of_answer(answer, passages))

    def keep_passage(self, passage: Passage) -> None:
        self._add(saved_items.of_passage(passage))

    def keep_figure(self, fact: FactRecord, citation: Citation | None) -> None:
        self._add(saved_items.of_figure(fact, citation))

    def keep_span(self, filing: str, start: int, end: int) -> None:
        corpus = self._corpus
        blocks = corpus.document(filing).blocks
        self._add(saved_items.of_span(corpus.filing(filing), start, end, corpus.text(filing), corpus.chunks, blocks))

    def annotate(self, number: int, note: str) -> None:
        self._library.notebook.annotate(number, note)

    def move(self, number: int, by: int) -> None:
        self._library.notebook.move(number, by)

    def remove(self, number: int) -> None:
        self._library.notebook.remove(number)

    def export(self, form: Format, *, with_unsupported: bool, taken: Taken | None = None) -> Path:
        state = self.read()
        page = of_notebook(state.entries, state.traced)
        refuse_unsupported(page, allowed=with_unsupported)
        return write_new(self._exports, "notebook", form, text_of(page, form), taken)

    def export_conversation(self, conversation: str, form: Format, taken: Taken | None = None) -> Path:
        found = self._library.conversations.get(conversation)
        page = of_conversation(found, self._library.conversations.turns(found.id))
        return write_new(self._exports, found.title or "conversation", form, text_of(page, form), taken)

    def figure(self, fact: FactRecord) -> FigureDetail:
        return detail_of(fact, self._corpus)

    def citation_of(self, stated: Stated) -> Citation | None:
        return citation_at(stated, 1, self._corpus)

    def _add(self, saved: Saved) -> None:
        self._library.notebook.add(saved_items.with_versions(saved, self._corpus))


_LONGEST_NAME = 60


class LiveSheets:
    """Implements ``ui.sheet_room.SheetRoom``."""

    def __init__(self, services: Services, exports: Path) -> None:
        """Files are written into ``exports``."""
        self._services = services
        self._store = services.library.sheets
        self._exports = exports

    def all(self) -> Sequence[SheetSummary]:
        return self._store.all()

    def example(self) -> str:
        held: dict[str, list[int]] = {}
        for filing in self._services.corpus.filings():
            if filing.ticker and filing.fiscal_year:
                held.setdefault(filing.ticker, []).append(filing.fiscal_year)
        names = sorted(held, key=lambda name: (-len(held[name]), name))[:2]
        years = [year for name in names for year in held[name]]
        return f"{','.join(names)}:{min(years)}-{max(years)}" if names else ""

    def open(self, name: str) -> OpenSheet:
        from fin_tui.sheets.filling import open_sheet

        return open_sheet(self._services, name)

    def new(self, name: str, rows: str, columns: str) -> OpenSheet:
        from fin_tui.sheets import new_sheet, read_columns, read_rows, templates

        ready = {one.name: one.columns for one in templates()}
        # A list with commas is one of figures, where no question or formula would be cut apart.
        between = ";" if set(columns) & set(";?=(") else ","
        texts = [text.strip() for text in columns.split(between) if text.strip()]
        wanted = [column for text in texts for column in ready.get(text.casefold(), (text,))]
        sheet = new_sheet(name, read_rows([rows], self._services.corpus.filings()), read_columns(wanted))
        self._store.add(sheet)
        return self.open(sheet.name)

    def remove(self, name: str) -> None:
        self._store.remove(name)

    def add_column(self, name: str, text: str) -> str:
        from fin_tui.sheets import new_sheet, read_columns

        sheet = self._store.get(name)
        columns = read_columns([text], sheet.columns)
        self._store.change(new_sheet(sheet.name, sheet.rows, columns))
        return columns[-1].key

    def drop_column(self, name: str, key: str) -> None:
        from fin_tui.sheets import without

        sheet = self._store.get(name)
        names = [column.name for column in sheet.columns if column.key == key]
        self._store.change(without(sheet, columns=names))

    def hide(self, name: str, key: str, *, is_hidden: bool) -> None:
        from fin_tui.sheets import hidden

        self._store.change(hidden(self._store.get(name), key, is_hidden=is_hidden))

    def fill(
        self,
        name: str,
        wanted: Sequence[CellKey],
        cancelled: Callable[[], bool],
        first: Callable[[], Sequence[CellKey]],
    ) -> Iterator[SheetCell]:
        from fin_tui.sheets.filling import open_run

        return open_run(self._services, name)[0].fill(wanted, cancelled, first)

    def export(self, name: str) -> Path:
        from fin_tui.sheets.workbook import sheet_book
        from fin_tui.sheets.xlsx import save

        opened = self.open(name)
        path = self._free(opened.sheet.name)
        save(sheet_book(opened.sheet, opened.cells, opened.prints), path)
        return path

    def audit(self, path: Path) -> Audit:
        from fin_tui.sheets.audit import audit

        return audit(self._services, path)

    def marked_copy(self, path: Path, audit: Audit) -> Path:
        from fin_tui.sheets.xlsx import mark_copy

        target = self._free(f"{path.stem} audited", path.suffix)
        mark_copy(path, target, audit.marks)
        return target

    def _free(self, name: str, suffix: str = ".xlsx") -> Path:
        """A file of the exports that is not there yet, called after ``name``. Raises ``FinTuiError``."""
        words = "-".join(runs_of(name.casefold(), "_"))[:_LONGEST_NAME].strip("-") or "sheet"
        try:
            self._exports.mkdir(parents=True, exist_ok=True)
        except OSError as error:
            raise FinTuiError(f"{self._exports} can't be written: {error.strerror}.", "fin-tui export NAME -o FILE.") from error
        names = (f"{words}{f'-{at}' if at > 1 else ''}{suffix}" for at in range(1, 10_000))
        return next(self._exports / one for one in names if not (self._exports / one).exists())
