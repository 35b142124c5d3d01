"""The fiscal year of the scope moves by key."""

from __future__ import annotations

from dataclasses import replace

from fin_tui.ui.scoping import Picks
from fin_tui.ui.widgets.filing_browser import FilingBrowser
from tests.ui.conftest import running, until
from tests.ui.fakes import ACME, ACME_OLD, FILINGS, ZENITH, FakeServices

WHOLE_OLD = replace(ACME_OLD, id="whole", form="10-K")


async def test_brackets_move_the_year_and_stop_at_the_ends() -> None:
    async with running(FakeServices()) as (app, pilot):
        browser = app.main.query_one(FilingBrowser)
        await pilot.press("escape", "left_square_bracket")
        await until(pilot, lambda: browser.picks.filings == {ACME.id, ZENITH.id})
        await pilot.press("left_square_bracket")
        await until(pilot, lambda: browser.picks.filings == {ACME_OLD.id})
        await pilot.press("left_square_bracket")
        await until(pilot, lambda: bool(app.screen.query("Toast")))
        assert browser.picks.filings == {ACME_OLD.id}
        await pilot.press("i", "alt+right")
        await until(pilot, lambda: browser.picks.filings == {ACME.id})


def test_items_move_along_and_originals_go_before_amendments() -> None:
    library = (*FILINGS, WHOLE_OLD)
    picks = Picks(items=frozenset({(ACME.id, "7")}))
    assert picks.in_year(library, -1) == (Picks(items=frozenset({("whole", "7")})), 2024)
    assert Picks(companies=frozenset({ACME.company_key})).in_year(library, -1) == (Picks(filings=frozenset({ACME.id})), 2025)
    assert Picks(filings=frozenset({ACME.id})).in_year(library, 1) is None
    assert Picks().in_year((), 1) is None
