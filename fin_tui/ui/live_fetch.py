"""EDGAR for the app: the fetcher of the real home, told as jobs tell it."""

from __future__ import annotations

import contextlib
from collections.abc import Callable, Iterator
from typing import TYPE_CHECKING
from urllib.parse import urlsplit

from fin_tui.errors import UsageError
from fin_tui.network import Offline, require_network
from fin_tui.paths import Paths
from fin_tui.records import Progress
from fin_tui.ui.fetch_room import FetchTerms
from fin_tui.ui.jobs import JobLine, JobNews
from fin_tui.ui.live_options import LiveOptions
from fin_tui.ui.live_work import news_of

if TYPE_CHECKING:
    from fin_tui.ingest.fetch import FetchEvent
    from fin_tui.ingest.fetch_plan import Plan
    from fin_tui.ingest.fetch_words import Words


class LiveFetching:
    """Implements ``ui.fetch_room.FetchRoom`` for one home."""

    def __init__(self, paths: Paths, options: LiveOptions) -> None:
        self._paths = paths
        self._options = options

    def terms(self) -> FetchTerms:
        from fin_tui.filings.edgar.contact import contact

        edgar = self._options.settings().edgar
        server, forbidden = urlsplit(edgar.archives).netloc, ""
        try:
            require_network("Fetching")
        except Offline as error:
            forbidden = f"{error.message} {error.hint}"
        try:
            known = contact(edgar)
        except UsageError:
            return FetchTerms(server, forbidden=forbidden)
        return FetchTerms(server, f"{known.name} {known.email}", forbidden)

    def introduce(self, name: str, email: str) -> FetchTerms:
        from fin_tui.filings.edgar.contact import checked_contact

        known = checked_contact(name, email)
        self._options.save("edgar.name", known.name)
        self._options.save("edgar.email", known.email)
        return self.terms()

    def plan(self, words: Words, cancelled: Callable[[], bool]) -> Plan:
        from fin_tui.ingest.fetch import Fetcher

        with Fetcher(self._paths, self._options.settings(), cancelled) as fetcher:
            steps = fetcher.plan(words.wishes())
            while True:
                try:
                    next(steps)
                except StopIteration as done:
                    plan: Plan = done.value
                    return plan

    def run(self, plan: Plan, cancelled: Callable[[], bool]) -> Iterator[JobNews]:
        from fin_tui.filings.edgar.errors import Stopped
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
