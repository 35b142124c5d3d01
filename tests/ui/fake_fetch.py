"""EDGAR as the fetch dialog sees it, scripted; the real thing is tried against a stand-in server."""

from __future__ import annotations

import datetime as dt
import threading
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field, replace

from fin_tui.errors import FinTuiError
from fin_tui.filings.edgar.client import Company, Listed, checked_contact
from fin_tui.ingest.fetch_plan import Plan, Words
from fin_tui.ui.services import FetchTerms, JobLine, JobNews


def listed(name: str, year: int, size: int = 4_200_000) -> Listed:
    return Listed(
        f"0000000001-{year - 1999:02d}-000001",
        Company("0000000001", name, "ACM"),
        "10-K",
        dt.date(year + 1, 2, 1),
        dt.date(year, 9, 27),
        size=size,
    )


@dataclass
class FakeFetching:
    """Gives ``made`` for every wish; keeps what was asked of it."""

    now: FetchTerms = field(default_factory=lambda: FetchTerms("www.example.org", "A Test test@example.org"))
    made: Plan = field(default_factory=lambda: Plan((listed("Acme [Corp]", 2023),), free=9_000_000_000))
    news: tuple[JobNews, ...] = (JobLine("done", "Acme Corp FY2023 10-K"),)
    error: FinTuiError | None = None
    hold: threading.Event | None = None
    planned: list[Words] = field(default_factory=list)
    ran: list[Plan] = field(default_factory=list)

    def terms(self) -> FetchTerms:
        return self.now

    def introduce(self, name: str, email: str) -> FetchTerms:
        known = checked_contact(name, email)
        self.now = replace(self.now, asker=f"{known.name} {known.email}")
        return self.now

    def plan(self, words: Words, cancelled: Callable[[], bool]) -> Plan:
        self.planned.append(words)
        while self.hold is not None and not cancelled() and not self.hold.wait(0.01):
            pass
        if self.error is not None:
            raise self.error
        return self.made

    def run(self, plan: Plan, cancelled: Callable[[], bool]) -> Iterator[JobNews]:
        self.ran.append(plan)
        yield from self.news
