"""What a fetch is to bring: wishes as a user says them, and the plan that EDGAR's lists make of them."""

from __future__ import annotations

import datetime as dt
import re
import shlex
import shutil
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import msgspec
from msgspec import Meta, Struct

from fin_tui.errors import FinTuiError, UsageError, said
from fin_tui.filings.edgar.client import (
    ANNUAL,
    Client,
    Company,
    Listed,
    NotAtEdgar,
    Selection,
    Stopped,
    choose,
    is_enough,
    spelled_accession,
)
from fin_tui.filings.edgar.submissions import Companies, find_accession, pages
from fin_tui.language import count
from fin_tui.paths import Paths
from fin_tui.records import Filing

if TYPE_CHECKING:
    from fin_tui.filings.edgar.client import Selection

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


_EXAMPLE = 'Write [[company]] with name = "AAPL" (ticker, CIK or name) and, if wanted, years, form, after, before, amends.'
_FIRST_YEAR = 1990


class _Entry(Struct, frozen=True, forbid_unknown_fields=True):
    name: str = ""
    years: Annotated[int, Meta(ge=1, le=60)] | None = None
    year: list[Annotated[int, Meta(ge=_FIRST_YEAR, le=2200)]] = []
    form: str | None = None
    after: dt.date | None = None
    before: dt.date | None = None
    amends: bool | None = None
    accession: str = ""


class _File(Struct, frozen=True, forbid_unknown_fields=True):
    company: list[_Entry] = []


def read_list(file: Path, common: Selection) -> tuple[Wish, ...]:
    """The wishes of a TOML file; ``common`` holds for what an entry does not say. Raises ``UsageError``."""
    try:
        entries = msgspec.toml.decode(file.read_bytes(), type=_File).company
    except (OSError, msgspec.DecodeError, UnicodeDecodeError) as error:
        raise UsageError(f"{file}: {said(error)}", _EXAMPLE) from error
    if not entries:
        raise UsageError(f"{file} names no company.", _EXAMPLE)
    return tuple(_wish(entry, common, file) for entry in entries)


def _wish(entry: _Entry, common: Selection, file: Path) -> Wish:
    accession = spelled_accession(entry.accession)
    if entry.accession and not accession:
        raise UsageError(f"{file}: {entry.accession!r} is no accession number", "Write it as 0000320193-24-000123.")
    if not entry.name.strip() and not accession:
        raise UsageError(f"{file}: an entry has neither name nor accession.", _EXAMPLE)
    selection = Selection(
        forms=forms_of(entry.form) if entry.form else common.forms,
        newest=entry.years if entry.years is not None else common.newest,
        after=entry.after or common.after,
        before=entry.before or common.before,
        years=tuple(entry.year) or common.years,
        amends=common.amends if entry.amends is None else entry.amends,
    )
    return Wish(entry.name.strip(), selection, accession)


def forms_of(form: str) -> tuple[str, ...]:
    """The forms that a name means. Raises ``UsageError`` for one that is no annual report on Form 10-K."""
    wanted = form.strip().upper().removesuffix("/A")
    if wanted not in ANNUAL:
        raise UsageError(f"{form!r} can't be fetched", f"Known: {', '.join(ANNUAL)}; --amends adds their amendments.")
    return (wanted,)


# The app imports this at its start: what goes to EDGAR is imported when it is used.

_EDGAR_BEGINS, _LAST_YEAR = 1993, 2200
"""EDGAR begins in 1993."""
_MOST_PERIODS = 60
_LEGAL_FORMS = "inc|incorporated|corp|corporation|co|company|ltd|limited|llc|l\\.l\\.c|lp|l\\.p|plc|n\\.v|s\\.a|ag"
# "Alphabet, Inc." is one name: a comma before a legal form does not separate.
_BETWEEN = re.compile(rf"[;\n]|,(?!\s*(?:{_LEGAL_FORMS})\b)", re.IGNORECASE)
_HOW_YEARS = "Write 2022-2024, or 2021, 2023, or 3 for the newest three; nothing for the newest."


@dataclass(frozen=True, slots=True)
class Words:
    """The two lines."""

    companies: str = ""
    """Tickers, CIKs, names or accession numbers, with commas between."""
    years: str = ""
    """Fiscal years, or how many of the newest; empty: the newest."""

    @property
    def names(self) -> tuple[str, ...]:
        """The companies one by one."""
        return tuple(name for part in _BETWEEN.split(self.companies) if (name := " ".join(part.split())))

    def wishes(self) -> tuple[Wish, ...]:
        """What the lines ask for. Raises ``UsageError``."""
        if not self.names:
            raise UsageError("Nothing to fetch yet.", "Name a company: its ticker, CIK or name; or an accession number.")

        selection = _selection(self.years)
        return tuple(wish_for(name, selection) for name in self.names)


def words_of_command(command: str) -> Words:
    """The lines that mean what a refusal's ``fin-tui fetch …`` does; empty for anything else."""
    try:
        parts = shlex.split(command)
    except ValueError:
        return Words()
    if parts[:2] != ["fin-tui", "fetch"] or len(parts) < 3:
        return Words()
    years = [value for option, value in zip(parts[3::2], parts[4::2], strict=False) if option == "--year"]
    return Words(parts[2], ", ".join(years))


def _selection(text: str) -> Selection:
    from fin_tui.filings.edgar.client import Selection

    text = text.strip()
    if not text:
        return Selection(newest=1)
    if text.isascii() and text.isdigit() and 0 < int(text) <= _MOST_PERIODS:
        return Selection(newest=int(text))
    years: set[int] = set()
    spans = "-".join(part.strip() for part in text.replace("–", "-").split("-"))
    for part in spans.replace(",", " ").replace(";", " ").split():
        begin, mark, end = part.upper().partition("-")
        first = _year(begin)
        last = _year(end) if mark else first
        if not _EDGAR_BEGINS <= first <= last <= _LAST_YEAR:
            raise UsageError(f"{part!r} is no year, nor years from one to another.", _HOW_YEARS)
        years.update(range(first, last + 1))
    return Selection(years=tuple(sorted(years)))


def _year(text: str) -> int:
    """ "2024", "FY2024"; 0 for anything else."""
    year = text.removeprefix("FY")
    return int(year) if len(year) == len("2024") and year.isascii() and year.isdigit() else 0
