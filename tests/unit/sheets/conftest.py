"""A library of two companies, three years each, and services over it."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from fin_tui.config import Settings
from fin_tui.engine.services import Services, open_services
from fin_tui.paths import Paths
from tests.unit.sheets.made import Company, filing_of

FIRST = Company()
SECOND = Company("Sample Industries Inc.", "SMPL", "0000000077", 2)


@pytest.fixture
def services(paths: Paths) -> Iterator[Services]:
    with open_services(paths, Settings(), with_model=False) as opened:
        for company in (FIRST, SECOND):
            for year in (2022, 2023):
                opened.library.add(filing_of(company, year))
        yield opened
