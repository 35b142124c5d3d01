"""Filings that a tool wants and the library lacks, from EDGAR, where that is allowed."""

from __future__ import annotations

import contextlib
import logging
import threading

from fin_tui.config import Settings
from fin_tui.errors import FinTuiError
from fin_tui.filings.edgar.client import ANNUAL, Company, Selection
from fin_tui.ingest.fetch import Fetcher
from fin_tui.ingest.fetch_plan import Plan, Wish, forms_of
from fin_tui.ingest.job import FailedFile, Job
from fin_tui.ingest.worker import run
from fin_tui.paths import Paths

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
