"""Real sheets over a small real library of one's own, opened when a test first uses them."""

from __future__ import annotations

import tempfile
from functools import cached_property
from pathlib import Path
from typing import Any

from fin_tui.config import Settings
from fin_tui.engine.services import Services, open_services
from fin_tui.paths import Paths
from fin_tui.ui.live_rooms import LiveSheets
from tests.unit.sheets.made import Company, filing_of

COMPANIES = (Company(), Company("Sample Industries Inc.", "SMPL", "0000000077", 2))


class FakeSheets:
    """Does what ``LiveSheets`` does."""

    def __init__(self) -> None:
        self._folder = tempfile.TemporaryDirectory(prefix="fin-tui-sheets-")
        self.home = Path(self._folder.name)

    @cached_property
    def services(self) -> Services:
        """Two companies with two filings each, without weights."""
        services = open_services(Paths(self.home), Settings(), with_model=False)
        for company in COMPANIES:
            for year in (2022, 2023):
                services.library.add(filing_of(company, year))
        return services

    @cached_property
    def live(self) -> LiveSheets:
        """What the screens ask."""
        return LiveSheets(self.services, self.home / "exports")

    def __getattr__(self, name: str) -> Any:
        return getattr(self.live, name)
