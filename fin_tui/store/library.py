"""The library: one SQLite file that holds the truth, seen through one object whose rooms do the work."""

from __future__ import annotations

from collections.abc import Sequence
from types import TracebackType

from fin_tui.paths import Paths
from fin_tui.records import Document, Filing, Section
from fin_tui.store import resolve as names
from fin_tui.store.bookmarks import Bookmarks
from fin_tui.store.conversations import Conversations
from fin_tui.store.database import Database
from fin_tui.store.entry import Entry, Stored
from fin_tui.store.figure_rows import FigureRows
from fin_tui.store.notebook import Notebook
from fin_tui.store.search_view import SearchView
from fin_tui.store.sheets import Sheets
from fin_tui.store.writing import add_entry, remove_filings, rewrite_entry


class Library(SearchView):
    """Filings, their text and facts, vectors and conversations. Usable from several threads at once.

    The methods cover common use; ``records``, ``documents``, ``facts``, ``chunks``, ``embeddings``, ``conversations``,
    ``notebook``, ``bookmarks``, ``sheets`` and ``figure_rows`` are the stores behind them.
    All raise ``FinTuiError`` with a clear line when the file is damaged, locked, read-only or its disk full.
    """

    def __init__(self, database: Database) -> None:
        super().__init__(database)
        self.conversations = Conversations(database)
        self.notebook = Notebook(database)
        self.bookmarks = Bookmarks(database)
        self.sheets = Sheets(database)
        self.figure_rows = FigureRows(database)

    @classmethod
    def open(cls, paths: Paths, *, read_only: bool = False, busy_seconds: float = 10.0) -> Library:
        """The library under ``paths``; made when absent, unless ``read_only`` (then it reads as empty)."""
        return cls(Database(paths.database, read_only=read_only, busy_seconds=busy_seconds))

    def close(self) -> None:
        """Close all connections."""
        self._database.close()

    def __enter__(self) -> Library:
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None) -> None:
        self.close()

    def filings(self) -> tuple[Filing, ...]:
        """All filings by company and period."""
        return self.records.all()

    def filing(self, filing_id: str) -> Filing:
        """By exact id; raises ``NotFound``."""
        return self.records.get(filing_id)

    def resolve(self, name: str) -> Filing:
        """By id, unique prefix, base name or ``COMPANY:YEAR``; raises ``UsageError`` (ambiguous) or ``NotFound``."""
        return names.resolve(name, self.filings())

    def company_keys(self, name: str) -> tuple[str, ...]:
        """Keys of a company by ticker, CIK or name; raises ``UsageError`` (ambiguous) or ``NotFound``."""
        return names.company_keys(name, self.filings())

    def text(self, filing_id: str) -> str:
        """Clean text; raises ``NotFound``."""
        return self.documents.text(filing_id)

    def document(self, filing_id: str) -> Document:
        """Text, blocks, cover and facts; raises ``NotFound``."""
        return self.documents.document(filing_id)

    def sections(self, filing_id: str) -> tuple[Section, ...]:
        """Parts and Items; raises ``NotFound``."""
        return self.documents.sections(filing_id)

    def original(self, filing_id: str) -> bytes:
        """The bytes as added; raises ``NotFound``."""
        return self.records.original(filing_id)

    def add(self, entry: Entry) -> Stored:
        """Store a filing in one transaction. The same bytes again change nothing; other bytes of the same company, form and
        period end are a new version, which takes the old one's place everywhere.
        """
        return add_entry(self._database, self.records, entry)

    def rewrite(self, entry: Entry) -> Filing:
        """Store a held filing's content again, parsed anew or corrected: same id, same version. Raises ``NotFound``, and
        ``UsageError`` when the correction makes it a second filing of the same company, form and period end.
        """
        return rewrite_entry(self._database, self.records, entry)

    def remove(self, filing_ids: Sequence[str]) -> tuple[Filing, ...]:
        """Remove filings with all that was made from them (conversations and vectors stay); gives what was removed."""
        return remove_filings(self._database, self.records, filing_ids)
