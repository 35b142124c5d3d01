"""The tools, without the protocol: each takes plain values and gives text. What is not held is said, never an error."""

from __future__ import annotations

import contextlib
import logging
import threading
from collections.abc import Callable, Sequence
from itertools import zip_longest
from typing import TYPE_CHECKING, TypeVar

from fin_tui.config import Settings
from fin_tui.errors import FinTuiError, NotFound
from fin_tui.filings.edgar.client import ANNUAL, Company, Selection
from fin_tui.ingest import FailedFile, Job
from fin_tui.ingest.fetch import Fetcher
from fin_tui.ingest.fetch_plan import Plan, Wish, forms_of
from fin_tui.ingest.worker import run
from fin_tui.mcp_server import texts
from fin_tui.paths import Paths
from fin_tui.records import Filing, Hit
from fin_tui.store.filings import matching_keys

if TYPE_CHECKING:
    from fin_tui.api import Library

_BEST = 5
_MOST_YEARS = 15
_SECTION = 12_000
"""Characters of a section in one answer."""
T = TypeVar("T")


class Desk:
    """Answers tool calls from one library; with a ``bringer`` it fetches what they lack first."""

    def __init__(self, library: Library, bringer: Bringer | None = None) -> None:
        self._library = library
        self._bringer = bringer

    def search_company(self, name: str) -> str:
        """Companies by name, ticker or CIK."""
        held = self._library.filings()
        keys = matching_keys(name, held)
        if keys:
            return texts.company_lines([filing for filing in held if filing.company_key in keys])
        if self._bringer is not None and (found := self._bringer.company(name)) is not None:
            return " — ".join(
                filter(None, (found.name or name, f"CIK {found.cik}", found.ticker, "none held; search_filing fetches"))
            )
        return f"No company {name!r} in the library. Held:\n{texts.company_lines(held) or 'nothing yet'}"

    def search_filing(self, company: str, query: str, form: str, years: int) -> str:
        """The best passages of the latest ``years`` filings of a company: the best of each year in turn."""
        if not query.strip():
            return "The query is empty: say what to look for."
        count = max(1, min(years, _MOST_YEARS))
        said, filings = self._latest(company, form, count)
        found = [self._library.search(query, filing=filing.id, k=_BEST) for filing in filings]
        hits = _in_turn([result.hits for result in found])[:_BEST]
        lacking = f"Only {len(filings)} of {count} years are held." if len(filings) < count else ""
        notes = [note for note in dict.fromkeys((said, lacking, *(note for one in found for note in one.notes))) if note]
        return texts.quotes(hits, self._titles(hits), notes) if hits else "\n".join(("Nothing found.", *notes))

    def get_facts(self, company: str, metrics: Sequence[str], years: Sequence[int], latest: bool) -> str:
        """Figures of a company, each with its place."""
        if not metrics:
            return "Name at least one figure, such as revenue."
        read = lambda: self._library.facts(list(metrics), company=company, year=list(years), latest=latest)  # noqa: E731
        return texts.figures(self._held(company, read))

    def ask(self, question: str, company: str, years: Sequence[int], use_model: bool) -> str:
        """An answer with its sources, or why there is none."""
        if not question.strip():
            return "The question is empty."
        return texts.answer(
            self._library.ask(question, use_model=use_model, company=[company] if company else [], year=list(years))
        )

    def check(self, text: str, company: str) -> str:
        """A verdict for every number of a text."""
        return texts.checked(self._library.check(text, company=[company] if company else []))

    def list_filings(self, company: str) -> str:
        """The filings held, of one company or all."""
        held = self._library.filings(company=[company] if company else [])
        return "\n".join(texts.filing_line(filing) for filing in held) or "The library is empty: fin-tui add imports filings."

    def read_section(self, filing: str, item: str, start: int) -> str:
        """The text of an Item, in pieces."""
        text = self._library.section(filing, item)
        if not 0 <= start < max(len(text), 1):
            return f"The section has {len(text):,} characters; start={start} is outside."
        return texts.part_of(text, start, _SECTION)

    def _latest(self, company: str, form: str, years: int) -> tuple[str, list[Filing]]:
        """What was fetched for it, and the latest filing of each of the last ``years`` years, newest first."""
        said = ""
        try:
            filings = self._library.filings(company=company, form=form)
        except NotFound:
            if self._bringer is None:
                raise
            filings = ()
        if len(_by_year(filings)) < years and self._bringer is not None:
            said = self._bringer.bring(company, years, form)
            filings = self._library.filings(company=company, form=form)
        return said, _by_year(filings)[:years]

    def _held(self, company: str, read: Callable[[], T]) -> T:
        """What ``read`` gives, with the company's latest filing fetched when none is held."""
        try:
            return read()
        except NotFound:
            if self._bringer is None:
                raise
            self._bringer.bring(company, 1)
            return read()

    def _titles(self, hits: Sequence[Hit]) -> dict[tuple[str, str], str]:
        filings = dict.fromkeys(hit.filing.id for hit in hits)
        return {(filing, section.item): section.title for filing in filings for section in self._library.sections(filing)}


def _by_year(filings: Sequence[Filing]) -> list[Filing]:
    """One filing a fiscal year, the newest year first."""
    years = {filing.fiscal_year or (filing.period_end.year if filing.period_end else 0): filing for filing in filings}
    return [filing for _, filing in sorted(years.items(), reverse=True)]


def _in_turn(ranked: Sequence[Sequence[Hit]]) -> list[Hit]:
    """The first of each list, then the second of each."""
    return [hit for rank in zip_longest(*ranked) for hit in rank if hit is not None]


_log = logging.getLogger(__name__)


class Bringer:
    """Fetches, takes in, and makes the vectors in the background: what came can be searched by its words at once."""

    def __init__(self, paths: Paths, settings: Settings) -> None:
        self._paths, self._settings = paths, settings
        self._stop = threading.Event()
        self._embedding: threading.Thread | None = None

    def company(self, name: str) -> Company | None:
        """Who ``name`` is at EDGAR; None when it files no annual report there. Raises ``FinTuiError``."""
        with Fetcher(self._paths, self._settings, self._stop.is_set) as fetcher:
            plan = self._plan(fetcher, Wish(name, Selection(newest=1)))
        listed = [*plan.wanted, *(listed for listed, _ in plan.held)]
        return listed[0].company if listed else None

    def bring(self, company: str, years: int, form: str = "") -> str:
        """The latest ``years`` annual reports of ``company``; says what came, "" when nothing was missing.

        Raises ``FinTuiError`` when EDGAR has none, or it can't be asked.
        """
        selection = Selection(forms_of(form) if form else ANNUAL, newest=years)
        with Fetcher(self._paths, self._settings, self._stop.is_set) as fetcher:
            plan = self._plan(fetcher, Wish(company, selection))
            if plan.problems and not plan.held:
                raise FinTuiError(plan.problems[0].message, plan.problems[0].hint)
            failed = [event for event in fetcher.run(plan, embed=False) if isinstance(event, FailedFile)]
        if plan.wanted:
            self._make_vectors()
        came = [listed.label for listed in plan.wanted]
        said = [f"Brought from EDGAR: {', '.join(came)}."] if len(came) > len(failed) else []
        return " ".join((*said, *(f"{one.path}: {one.message}" for one in failed)))

    def close(self) -> None:
        """End what is under way; what was taken in stays."""
        self._stop.set()
        if self._embedding is not None:
            self._embedding.join()

    def _plan(self, fetcher: Fetcher, wish: Wish) -> Plan:
        steps = fetcher.plan([wish])
        while True:
            try:
                next(steps)
            except StopIteration as done:
                plan: Plan = done.value
                return plan

    def _make_vectors(self) -> None:
        if self._embedding is None or not self._embedding.is_alive():
            self._embedding = threading.Thread(target=self._embed, name="vectors", daemon=True)
            self._embedding.start()

    def _embed(self) -> None:
        with contextlib.closing(run(Job(self._paths, self._settings), self._stop.is_set)) as outcomes:
            try:
                for _ in outcomes:
                    pass
            except FinTuiError as error:
                _log.warning("vectors: %s", error.message)
