"""The tools, without the protocol: each takes plain values and gives text. What is not held is said, never an error."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from itertools import zip_longest
from typing import TYPE_CHECKING, TypeVar

from fin_tui.errors import NotFound
from fin_tui.mcp_server import texts
from fin_tui.records import Filing, Hit
from fin_tui.store.resolve import matching_keys

if TYPE_CHECKING:
    from fin_tui.api import Library
    from fin_tui.mcp_server.bringing import Bringer

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
        return "\n".join(texts.filing_line(filing) for filing in held) or "The library is empty: fin-tui add brings filings in."

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
