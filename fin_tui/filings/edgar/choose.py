"""Which of the listed filings are wanted (pure)."""

from __future__ import annotations

import datetime as dt
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from fin_tui.filings.edgar.listed import Listed

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
