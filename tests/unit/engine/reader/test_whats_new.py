"""What a filing changed against that of the year before."""

from __future__ import annotations

import pytest

from fin_tui.engine.reader.whats_new import markdown, whats_new
from fin_tui.errors import NotFound
from fin_tui.paths import Paths
from fin_tui.store.library import Library
from tests.unit.sheets.made import Company, filing_of


def test_restated_figures_stand_with_old_and_new_and_both_places(paths: Paths) -> None:
    company = Company()
    with Library.open(paths) as library:
        library.add(filing_of(company, 2022))
        library.add(filing_of(company, 2023, restated={(2022, "Goodwill"): 777e6}))
        found = whats_new(library, library.resolve("EXM:2023").id)
    (part,) = [part for part in found.parts if part.title == "Restated figures"]
    (line,) = part.lines
    assert line.text.startswith("Goodwill, period to 2022-09-30: 777,000,000 usd, before ")
    assert [citation.fiscal_year for citation in line.citations] == [2023, 2022]
    assert "## Restated figures" in markdown(found)


def test_nothing_changed_says_so_and_a_first_filing_has_nothing_before(paths: Paths) -> None:
    company = Company()
    with Library.open(paths) as library:
        library.add(filing_of(company, 2022))
        with pytest.raises(NotFound, match="No earlier filing"):
            whats_new(library, library.resolve("EXM:2022").id)
        library.add(filing_of(company, 2023))
        assert "No change was found" in markdown(whats_new(library, library.resolve("EXM:2023").id))
