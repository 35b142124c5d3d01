"""Companies and filings as EDGAR lists them, which of them are wanted, and what can go wrong between us and EDGAR."""

from __future__ import annotations

import datetime as dt
import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from fin_tui.errors import FinTuiError

ACCESSION = re.compile(r"\d{10}-\d{2}-\d{6}")
_SAFE_NAME = re.compile(r"[A-Za-z0-9][A-Za-z0-9._-]{0,99}")
_HTML = (".htm", ".html")


@dataclass(frozen=True, slots=True)
class Company:
    """Who files. From outside: clean before it is shown."""

    cik: str
    """Ten digits."""
    name: str = ""
    ticker: str = ""


@dataclass(frozen=True, slots=True)
class Listed:
    """A filing that can be fetched. Its fields are checked: safe as parts of an address and of a path."""

    accession: str
    company: Company
    form: str
    filed: dt.date | None
    period_end: dt.date | None
    document: str = ""
    """Base name of the primary HTML document; "" when there is only the full submission (before 2001)."""
    size: int = 0
    """Bytes of the full submission; 0 when EDGAR does not say. No document of it is larger."""

    @property
    def is_amendment(self) -> bool:
        return self.form.endswith("/A")

    @property
    def base_form(self) -> str:
        return self.form.removesuffix("/A")

    @property
    def year(self) -> int:
        """Of the period's end, else the year before it was filed."""
        if self.period_end:
            return self.period_end.year
        return self.filed.year - 1 if self.filed else 0

    @property
    def label(self) -> str:
        """For people; not cleaned."""
        name = self.company.ticker or self.company.name or self.company.cik
        return f"{name} {self.form} {self.period_end or self.filed or ''} ({self.accession})"


def spelled_accession(text: str) -> str:
    """``text`` as an accession number with its dashes; "" when it is none."""
    digits = text.strip().replace("-", "")
    if not (digits.isascii() and digits.isdigit() and len(digits) == 18):
        return ""
    return f"{digits[:10]}-{digits[10:12]}-{digits[12:]}"


def safe_document(name: str) -> str:
    """The base name of an HTML primary document; "" when it is of another kind, or no plain file name."""
    base = name.rsplit("/", 1)[-1]
    is_plain = bool(_SAFE_NAME.fullmatch(base)) and ".." not in name and "\\" not in name
    return base if is_plain and base.lower().endswith(_HTML) else ""


def day(text: str) -> dt.date | None:
    """An ISO date; None when it is none."""
    try:
        return dt.date.fromisoformat(text[:10])
    except ValueError:
        return None


ANNUAL = ("10-K", "10-K405", "10-KT", "10-KT405")
"""Annual reports of one kind: 10-K405 until 2002 with a box ticked, 10-KT for a year cut short."""
_LABEL_REACH = dt.timedelta(days=120)
"""A fiscal year may end in the first months of the next calendar year."""


@dataclass(frozen=True, slots=True)
class Selection:
    """What is wanted of one company. Dates are of filing, as EDGAR counts."""

    forms: tuple[str, ...] = ANNUAL
    newest: int = 0
    """Only so many periods, the latest first; 0: all."""
    after: dt.date | None = None
    before: dt.date | None = None
    years: tuple[int, ...] = ()
    """Fiscal years; all when empty."""
    amends: bool = False

    @property
    def filed_after(self) -> dt.date | None:
        """No wanted original was filed earlier."""
        by_year = dt.date(min(self.years), 1, 1) if self.years else None
        return max(filter(None, (self.after, by_year)), default=None)


def choose(listed: Iterable[Listed], selection: Selection) -> tuple[Listed, ...]:
    """The wanted filings, newest first; an amendment only beside a wanted period."""
    fitting = [filing for filing in listed if _fits(filing, selection)]
    unique = list({filing.accession: filing for filing in fitting}.values())
    unique.sort(key=lambda filing: (filing.filed or dt.date.min, filing.accession), reverse=True)
    if not selection.newest:
        return tuple(unique)
    periods = set(_periods(unique)[: selection.newest])
    return tuple(filing for filing in unique if _period(filing) in periods)


def is_enough(listed: Sequence[Listed], selection: Selection) -> bool:
    """Whether older lists can add nothing that is wanted: the newest periods are there."""
    fitting = [filing for filing in listed if _fits(filing, selection)]
    return bool(selection.newest) and len(_periods(fitting)) >= selection.newest


def _periods(filings: Iterable[Listed]) -> list[object]:
    return list(dict.fromkeys(_period(filing) for filing in filings if not filing.is_amendment))


def _period(filing: Listed) -> object:
    return filing.period_end or filing.filed or filing.accession


def _fits(filing: Listed, selection: Selection) -> bool:
    if filing.base_form not in selection.forms or (filing.is_amendment and not selection.amends):
        return False
    if selection.after and (filing.filed is None or filing.filed < selection.after):
        return False
    if selection.before and (filing.filed is None or filing.filed > selection.before):
        return False
    return not selection.years or any(_may_be(filing, year) for year in selection.years)


def _may_be(filing: Listed, year: int) -> bool:
    """Whether a company may call the filing's period ``year``: it ends in it, or soon after it."""
    if filing.period_end is None:
        return filing.year == year
    return dt.date(year, 1, 1) <= filing.period_end <= dt.date(year, 12, 31) + _LABEL_REACH


class EdgarError(FinTuiError):
    """EDGAR could not be asked, or its answer can't be used."""


class NotAtEdgar(EdgarError):
    """EDGAR has no such file or company."""

    exit_code = 3


class Stopped(EdgarError):
    """The user stopped the work."""
