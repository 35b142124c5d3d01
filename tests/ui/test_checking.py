"""A text of the reader's own, checked: symbols and words, places, the file, the copy."""

from __future__ import annotations

import threading
from pathlib import Path
from typing import cast

from textual.pilot import Pilot
from textual.widgets import OptionList, TextArea

from fin_tui.engine.checking import Checked, CheckedNumber, Statement
from fin_tui.records import PlacedFact
from fin_tui.ui.app import FinTuiApp
from fin_tui.ui.screens.check import CheckScreen, _place, checked_markdown, findings, summary
from fin_tui.ui.screens.reader import ReaderScreen
from fin_tui.ui.widgets.text_view import TextView
from tests.ui.conftest import running, screen_text, until
from tests.ui.fakes import ACME, TABLE, TEXT, FakeServices

AT = TEXT.find(TABLE) + TABLE.find("$ 416,161")
FOUND: PlacedFact = {"filing": ACME.id, "file": "acme.htm", "company": "Acme Corp", "page": 40, "start": AT, "end": AT + 9}
RIGHT = CheckedNumber("$416,161 million", 416_161e6, "usd", "supported", FOUND, "Total net sales FY2025 is $416,161 million.")
WRONG = CheckedNumber("12 %", 12.0, "%", "contradicted", None, "It is 6.43 %.")
OPEN = CheckedNumber("[7]", 7.0, None, "unknown", None, "Nothing says which figure it is.")
CHECKED = Checked(
    None,
    "contradicted",
    (
        Statement("Sales were $416,161 million, up 12 %, in [7] lands.", "contradicted", (RIGHT, WRONG, OPEN)),
        Statement("All went well.", "unknown", ()),
    ),
)


async def checked(app: FinTuiApp, pilot: Pilot[None]) -> CheckScreen:
    """Paste a text and check it."""
    await pilot.press("alt+v")
    await until(pilot, lambda: isinstance(app.screen, CheckScreen))
    app.screen.query_one(TextArea).load_text("Sales were $416,161 million.")
    await pilot.press("ctrl+r")
    await until(pilot, lambda: bool(app.screen.query_one(OptionList).display))
    screen = app.screen
    assert isinstance(screen, CheckScreen)
    return screen


async def test_figures_are_told_by_symbol_and_word_and_open_their_place() -> None:
    services = FakeServices(found_in_check=CHECKED)
    async with running(services) as (app, pilot):
        screen = await checked(app, pilot)
        text = screen_text(app)
        assert "✓ supported $416,161 million Total net sales FY2025 is $416,161 million." in text
        assert "Acme Corp, p. 40" in text
        assert "✗ contradicted 12 % It is 6.43 %." in text
        assert "? unknown [7]" in text
        assert "1 supported, 1 contradicted, 1 unknown: 1 figure conflicts with the filings" in text
        await pilot.press("enter")
        await until(pilot, lambda: isinstance(app.screen, ReaderScreen) and bool(app.screen.query_one(TextView).marked_text))
        assert app.screen.query_one(TextView).marked_text == "$ 416,161"
        await pilot.press("escape")
        await until(pilot, lambda: app.screen is screen)
        await pilot.press("escape")
        await until(pilot, lambda: bool(screen.query_one(TextArea).has_focus))
        await pilot.press("escape")
        await until(pilot, lambda: app.screen is app.main)
    assert services.checked[0][0] == "Sales were $416,161 million."


async def test_a_click_on_a_figure_opens_its_place() -> None:
    async with running(FakeServices(found_in_check=CHECKED)) as (app, pilot):
        screen = await checked(app, pilot)
        await pilot.click(screen.query_one(OptionList), offset=(8, 1))
        await until(pilot, lambda: isinstance(app.screen, ReaderScreen) and bool(app.screen.query_one(TextView).marked_text))
        assert app.screen.query_one(TextView).marked_text == "$ 416,161"


async def test_a_file_is_opened_and_checked_and_a_missing_one_told(tmp_path: Path) -> None:
    memo = tmp_path / "memo.md"
    memo.write_text("Sales were $1.")
    services = FakeServices(found_in_check=CHECKED)
    async with running(services) as (app, pilot):
        await pilot.press("alt+v")
        await until(pilot, lambda: isinstance(app.screen, CheckScreen))
        await pilot.press("ctrl+o", *str(tmp_path / "no"), "enter")
        await until(pilot, lambda: "No such file" in str(app.screen.query_one("#check-title").render()))
        await pilot.press(*[*["backspace"] * 2, *"memo.md"], "enter")
        await until(pilot, lambda: bool(services.checked))
        assert services.checked[0][0] == "Sales were $1."


async def test_no_text_is_no_check() -> None:
    services = FakeServices()
    async with running(services) as (app, pilot):
        await pilot.press("alt+v")
        await until(pilot, lambda: isinstance(app.screen, CheckScreen))
        await pilot.press("ctrl+r")
        await until(pilot, lambda: "no text yet" in str(app.screen.query_one("#check-title").render()))
    assert services.checked == []


def test_the_markdown_holds_no_markup_of_the_text() -> None:
    told = checked_markdown(CHECKED)
    assert told.startswith("**1 supported, 1 contradicted, 1 unknown: 1 figure conflicts with the filings**")
    assert "- ? \\[7\\] — unknown: Nothing says which figure it is." in told
    assert "(Acme Corp, p. 40)" in told
    assert "All went well" not in told


def test_a_text_without_figures_says_so() -> None:
    bare = Checked(None, "unknown", (Statement("All went well.", "unknown", ()),))
    assert summary(bare) == "No figure was found in the text."
    assert [finding.is_number for finding in findings(bare)] == [False]


async def test_letters_that_are_typed_on_while_the_findings_come_do_nothing() -> None:
    async with running(FakeServices(found_in_check=CHECKED)) as (app, pilot):
        screen = await checked(app, pilot)
        await pilot.press(*"yjkdfcqn")
        await pilot.pause()
        assert app.screen is screen
        assert screen.query_one(OptionList).has_focus
        assert not app._notifications
        await pilot.press("alt+y")
        await until(pilot, lambda: bool(app._notifications))


async def test_a_long_check_tells_how_far_it_is_and_escape_stops_it_and_keeps_the_text() -> None:
    services = FakeServices(found_in_check=CHECKED, check_waits=threading.Event())
    async with running(services) as (app, pilot):
        await pilot.press("alt+v")
        await until(pilot, lambda: isinstance(app.screen, CheckScreen))
        app.screen.query_one(TextArea).load_text("Sales were $416,161 million.")
        await pilot.press("ctrl+r")
        await until(pilot, lambda: "checking… 1 of 2 sentences; Esc stops" in screen_text(app))
        await pilot.press("escape")
        await until(pilot, lambda: "Stopped; the text is as it was." in screen_text(app))
        await app.workers.wait_for_complete()
        assert app.screen.query_one(TextArea).text == "Sales were $416,161 million."
        assert not app.screen.query_one(OptionList).display
        assert services.check_waits is not None
        services.check_waits.set()
        await pilot.press("ctrl+r")
        await until(pilot, lambda: bool(app.screen.query_one(OptionList).display))


def test_the_reader_is_titled_by_company_and_fiscal_year() -> None:
    dated: PlacedFact = {**FOUND, "period_end": "2025-09-27"}
    titles = [place.title for found in (dated, {**dated, "fiscal_year": 2025}) if (place := _place(cast("PlacedFact", found)))]
    assert titles == ["Acme Corp · 2025-09-27", "Acme Corp FY2025"]
