"""The filing that a filing is compared with."""

from __future__ import annotations

import datetime as dt
from collections.abc import Sequence
from dataclasses import dataclass, field, replace

import pytest

from fin_tui.engine.reader.year_before import compare_item, filing_before
from fin_tui.errors import NotFound
from fin_tui.records import Filing, Section

NOW = Filing("now", "a.htm", "Acme", "cik:1", "10-K", 2025, dt.date(2025, 9, 27))
BEFORE = replace(NOW, id="before", fiscal_year=2024, period_end=dt.date(2024, 9, 28))
AMENDED = replace(BEFORE, id="amended", form="10-K/A")
OLDEST = replace(NOW, id="oldest", fiscal_year=2020, period_end=None)
OTHER = replace(BEFORE, id="other", company_key="cik:2")


@dataclass
class Held:
    texts: dict[str, str] = field(default_factory=lambda: {"now": "We grew. New.", "before": "We grew. Old thing."})
    item: str = "1A"

    def filings(self) -> Sequence[Filing]:
        return NOW, BEFORE, AMENDED, OLDEST, OTHER

    def filing(self, filing_id: str) -> Filing:
        return next(f for f in self.filings() if f.id == filing_id)

    def text(self, filing_id: str) -> str:
        return self.texts[filing_id]

    def sections(self, filing_id: str) -> Sequence[Section]:
        return (Section("I", self.item, "Risk Factors", 0, len(self.texts[filing_id]), 1, 0.9),)


def test_the_latest_earlier_filing_of_the_company_is_taken_amendments_last() -> None:
    held = Held().filings()
    assert filing_before(NOW, held) == BEFORE
    assert filing_before(BEFORE, held) == OLDEST
    assert filing_before(NOW, (NOW, AMENDED, OTHER)) == AMENDED
    assert filing_before(OLDEST, held) is None


def test_an_item_is_compared_or_it_is_told_why_not() -> None:
    found = compare_item(Held(), "now", "1A")
    assert (found.older, [c.kind for c in found.changes]) == (BEFORE, ["added", "removed"])
    with pytest.raises(NotFound, match="no Item 7"):
        compare_item(Held(), "now", "7")
    with pytest.raises(NotFound, match="no earlier filing"):
        compare_item(Held(), "oldest", "1A")
