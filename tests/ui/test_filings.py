"""The filing browser and the scope it makes."""

from __future__ import annotations

from dataclasses import replace

import pytest
from textual.widgets import Input

from fin_tui.records import Scope
from fin_tui.ui.controllers.overview import welcome_lines
from fin_tui.ui.scoping import Picks
from fin_tui.ui.screens.reader import ReaderScreen
from fin_tui.ui.widgets.bars import ScopeChips
from fin_tui.ui.widgets.filing_browser import FilingBrowser, FilingTree, company_label
from tests.ui.conftest import ask, running, services_of, until
from tests.ui.fakes import ACME, ACME_OLD, FILINGS, ZENITH, FakeServices


async def test_space_limits_the_next_question_and_x_clears() -> None:
    services = services_of()
    async with running(services) as (app, pilot):
        await pilot.press("f2")
        await until(pilot, lambda: isinstance(app.focused, FilingTree))
        await pilot.press("down", "space")
        chips = app.main.query_one(ScopeChips)
        await until(pilot, lambda: chips.display)
        assert "Acme Corp FY2025" in str(chips.render())
        await ask(app, pilot, "In scope?")
        await pilot.press("alt+x")
        await until(pilot, lambda: not chips.display)
        await ask(app, pilot, "Anywhere?")
    assert services.asked[0].scope == Scope(filings=(ACME.id,))
    assert services.asked[1].scope == Scope()


async def test_items_load_when_a_year_opens_and_enter_reads_one() -> None:
    async with running(services_of()) as (app, pilot):
        await pilot.press("f2")
        await until(pilot, lambda: isinstance(app.focused, FilingTree))
        tree = app.main.query_one(FilingTree)
        await pilot.press("down", "right")
        await until(pilot, lambda: tree.cursor_node is not None and len(tree.cursor_node.children) == 2)
        await pilot.press("down", "enter")
        await until(pilot, lambda: isinstance(app.screen, ReaderScreen))
        assert isinstance(app.screen, ReaderScreen)
        assert app.screen.filing == ACME.id


async def test_typing_in_the_filter_leaves_what_matches() -> None:
    async with running(services_of()) as (app, pilot):
        await pilot.press("f2")
        await until(pilot, lambda: isinstance(app.focused, FilingTree))
        await pilot.press("slash", *"zen")
        tree = app.main.query_one(FilingTree)
        await until(pilot, lambda: len(tree.root.children) == 1)
        assert "Zenith [Holdings] Inc." in str(tree.root.children[0].label)
        await until(pilot, lambda: tree.cursor_line == 0)
        await pilot.press("escape")
        await until(pilot, lambda: len(tree.root.children) == 2)
        assert not app.main.query_one("#filter", Input).display


@pytest.mark.parametrize("key", ["escape", "x"])
async def test_a_filter_that_stays_is_named_and_dropped(key: str) -> None:
    async with running(services_of()) as (app, pilot):
        browser, tree = app.main.query_one(FilingBrowser), app.main.query_one(FilingTree)
        await pilot.press("f2")
        await until(pilot, lambda: isinstance(app.focused, FilingTree))
        await pilot.press("slash", *"zen", "enter")
        await until(pilot, lambda: len(tree.root.children) == 1 and app.focused is tree)
        assert (browser.border_title, browser.border_subtitle) == ("Filings, filtered", "1 of 3 · Esc: all")
        await pilot.press(key)
        await until(pilot, lambda: len(tree.root.children) == 2 and browser.border_title == "Filings")
        assert not app.main.query_one("#filter", Input).display


async def test_amendments_and_period_ends_are_named() -> None:
    async with running(services_of()) as (app, _):
        acme = app.main.query_one(FilingTree).root.children[0]
        labels = [str(node.label) for node in acme.children]
    assert labels == ["FY2025 10-K 2025-09-27", "FY2024 10-K/A 2024-09-28"]


async def test_an_empty_library_says_what_can_be_done() -> None:
    services = FakeServices(held=(), missing=("No encoder weights: fin-tui setup brings them.",))
    async with running(services) as (app, pilot):
        await until(pilot, lambda: "Alt+A" in str(app.main.query_one("#welcome").render()))
        welcome = str(app.main.query_one("#welcome").render())
        assert "fin-tui fetch" in welcome
        assert "No encoder weights" in welcome
        assert app.main.query_one("#no-filings").display
        assert not app.main.query_one(FilingTree).display
        assert app.main.query_one(FilingBrowser).filings == ()


async def test_f5_shows_what_another_program_added() -> None:
    services = FakeServices(held=(ACME,))
    async with running(services) as (app, pilot):
        services.held = FILINGS
        await pilot.press("f5")
        await until(pilot, lambda: len(app.main.scope.filings) == 3)
        await until(pilot, lambda: len(app.main.query_one(FilingTree).root.children) == 2)
        assert app.main.query_one(FilingTree).root.children[1].data is not None


def test_picks_are_a_union() -> None:
    picks = Picks().toggle_company(ACME.company_key)
    assert picks.scope(FILINGS) == Scope(companies=("cik:1",))
    both = picks.toggle_filing(ZENITH.id)
    assert both.scope(FILINGS) == Scope(filings=tuple(sorted((ACME.id, ACME_OLD.id, ZENITH.id))))
    assert both.chips(FILINGS) == ["Acme Corp", "Zenith [Holdings] Inc. FY2025"]
    item = Picks().toggle_item(ACME.id, "1A")
    assert item.scope(FILINGS) == Scope(filings=(ACME.id,), items=("1A",))
    assert item.toggle_filing(ZENITH.id).scope(FILINGS).items == ()
    assert not picks.toggle_company(ACME.company_key)


async def test_companies_are_sorted_without_their_article_and_what_is_shown_is_counted() -> None:
    held = (replace(ACME, id="x1", company="The Boeing Company", company_key="x1", ticker="BA"), ACME, ZENITH)
    async with running(FakeServices(held=held)) as (app, pilot):
        browser = app.main.query_one(FilingBrowser)
        names = [str(node.label) for node in browser.query_one(FilingTree).root.children]
        assert [name.split()[0] for name in names] == ["Acme", "The", "Zenith"]
        assert browser.border_subtitle == "3"
        browser.query_one("#filter", Input).value = "boeing"
        await until(pilot, lambda: browser.border_subtitle == "1 of 3 · Esc: all")


def test_a_long_name_leaves_room_for_its_ticker() -> None:
    long = replace(FILINGS[0], company="Marathon Digital Holdings and Mining, Inc.", ticker="MARA")
    assert company_label(long).plain == "Marathon Digital Holdings an… MARA"
    short = company_label(replace(FILINGS[0], company="Marathon Digital Holdings, Inc.", ticker="MARA"))
    assert short.plain == "Marathon Digital MARA"
    assert company_label(replace(FILINGS[0], company="Tesla, Inc.", ticker="TSLA")).plain == "Tesla, Inc. TSLA"


def test_the_welcome_asks_of_the_companies_with_most_filings() -> None:
    zenith = replace(FILINGS[0], company="Nadir Corp", company_key="nadir")
    own = [replace(zenith, id=f"n{year}", fiscal_year=year) for year in (2022, 2023, 2024)]
    told = "\n".join(text for text, _ in welcome_lines((*FILINGS, *own), (), ""))
    assert "How is Nadir doing?" in told
    assert told.count("Nadir Corp") == 1
