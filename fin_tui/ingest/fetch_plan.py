"""What a fetch is to bring: wishes as a user says them, and the plan that EDGAR's lists make of them."""

from __future__ import annotations

import shutil
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field

from fin_tui.errors import FinTuiError
from fin_tui.filings.edgar.client import Client
from fin_tui.filings.edgar.listing import Company, Listed, NotAtEdgar, Selection, Stopped, choose, is_enough, spelled_accession
from fin_tui.filings.edgar.submissions import Companies, find_accession, pages
from fin_tui.paths import Paths
from fin_tui.plural import count
from fin_tui.records import Filing

_UNKNOWN_SIZE = 15 << 20
"""Bytes of a full submission of which EDGAR does not say them."""
_LARGE_BYTES = 500 << 20
_LARGE_COUNT = 25
_COPIES = 2
"""A download stands beside what the library keeps of it until it is taken in."""


@dataclass(frozen=True, slots=True)
class Wish:
    """The filings of one company, or one filing by its number."""

    company: str = ""
    """Ticker, CIK or name; may be empty beside an accession number."""
    selection: Selection = field(default_factory=Selection)
    accession: str = ""


def wish_for(name: str, selection: Selection) -> Wish:
    """The wish for what stands in a company's place: ticker, CIK or name, or the number of one filing."""
    number = spelled_accession(name)
    return Wish("", selection, number) if number else Wish(name, selection)


@dataclass(frozen=True, slots=True)
class Problem:
    """A wish that can't be met, and why."""

    wish: Wish
    message: str
    hint: str


@dataclass(frozen=True, slots=True)
class Plan:
    """What will be downloaded, newest first within a company."""

    wanted: tuple[Listed, ...]
    held: tuple[tuple[Listed, Filing], ...] = ()
    """Wished for and in the library already."""
    problems: tuple[Problem, ...] = ()
    free: int = 0
    """Bytes free where the library is."""

    @property
    def largest(self) -> int:
        """Bytes to download at most: as if every full submission were needed."""
        return sum(listed.size or _UNKNOWN_SIZE for listed in self.wanted)

    @property
    def is_large(self) -> bool:
        """Whether to ask before it is done."""
        return len(self.wanted) > _LARGE_COUNT or self.largest > _LARGE_BYTES

    def require_space(self) -> None:
        """Raises ``FinTuiError`` when the disk might fill up."""
        if self.largest * _COPIES > self.free:
            wanted = count(len(self.wanted), "filing")
            raise FinTuiError(
                f"{wanted} may need {self.largest * _COPIES >> 20:,} MB, and {self.free >> 20:,} MB are free.",
                "Fetch fewer years at a time, or make room.",
            )


class Planner:
    """Turns wishes into a plan, one by one, so that progress can be told in between."""

    def __init__(self, client: Client, held: Sequence[Filing], paths: Paths) -> None:
        self._client = client
        self._companies = Companies(client)
        self._held = held
        self._paths = paths
        self._found: dict[str, Listed] = {}
        self._problems: list[Problem] = []

    def add(self, wish: Wish) -> None:
        """Look up what ``wish`` means. What EDGAR does not have is a problem of the plan; what stops all is raised."""
        try:
            listed = self._listed(wish)
        except Stopped:
            raise
        except FinTuiError as error:
            self._problems.append(Problem(wish, error.message, error.hint))
            return
        for filing in listed:
            self._found.setdefault(filing.accession, filing)

    def plan(self) -> Plan:
        """The plan of all wishes so far."""
        pairs = [(listed, held_as(listed, self._held)) for listed in self._found.values()]
        folder = next(folder for folder in (self._paths.data, *self._paths.data.parents) if folder.is_dir())
        return Plan(
            tuple(listed for listed, held in pairs if held is None),
            tuple((listed, held) for listed, held in pairs if held is not None),
            tuple(self._problems),
            shutil.disk_usage(folder).free,
        )

    def _listed(self, wish: Wish) -> tuple[Listed, ...]:
        company = self._companies.find(wish.company) if wish.company else None
        if wish.accession:
            return (find_accession(self._client, wish.accession, company.cik if company else ""),)
        assert company is not None
        listed = tuple(self._of(company, wish.selection))
        found = choose(listed, wish.selection)
        if not found:
            raise NotAtEdgar(f"EDGAR has no such filing of {_said(listed, company)}.", _instead(listed))
        return found

    def _of(self, company: Company, selection: Selection) -> Iterator[Listed]:
        seen: list[Listed] = []
        for page in pages(self._client, company.cik, selection.filed_after, selection.before):
            yield from page.listed
            seen.extend(page.listed)
            if is_enough(seen, selection):
                return


def held_as(listed: Listed, held: Sequence[Filing]) -> Filing | None:
    """The filing of the library that ``listed`` is: by its number, else an original of the same company, form and period."""
    for filing in held:
        if filing.id == listed.accession:
            return filing
    if listed.is_amendment or listed.period_end is None:
        return None
    same = (listed.company.cik, listed.period_end)
    return next((f for f in held if (f.cik, f.period_end) == same and f.form == listed.form), None)


def _said(listed: Sequence[Listed], company: Company) -> str:
    known = next((filing.company for filing in listed), company)
    return f"{known.name} (CIK {known.cik})" if known.name else f"CIK {known.cik}"


def _instead(listed: Sequence[Listed]) -> str:
    if not listed:
        return "It has no annual report on Form 10-K there."
    ends = sorted({filing.year for filing in listed})
    forms = ", ".join(sorted({filing.form for filing in listed}))
    return f"It has {len(listed)} annual reports there, for periods that end in {ends[0]}-{ends[-1]} ({forms})."
