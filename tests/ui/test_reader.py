"""Inside a filing: find, citations, notes, the year before."""

from __future__ import annotations

from dataclasses import replace

from textual.pilot import Pilot
from textual.widgets import OptionList

from fin_tui.engine.changes import Change
from fin_tui.records import Span
from fin_tui.ui.app import FinTuiApp
from fin_tui.ui.screens.changes import ChangesScreen, change_at, change_lines
from fin_tui.ui.screens.dialog import ErrorScreen
from fin_tui.ui.screens.reader import FindBar, ReaderScreen, ReaderTitle, find_all, note_heading, note_named
from fin_tui.ui.widgets.text_view import TextView
from tests.ui.conftest import ask, running, screen_text, services_of, until
from tests.ui.fakes import ACME, PARAGRAPH, TABLE, TEXT, FakeServices, Script, passage


async def read(app: FinTuiApp, pilot: Pilot[None]) -> TextView:
    """Ask, and open the reader at the first source."""
    await ask(app, pilot)
    await pilot.press("ctrl+o")
    await until(pilot, lambda: isinstance(app.screen, ReaderScreen) and bool(app.screen.query_one(TextView).marked_text))
    return app.screen.query_one(TextView)


def top(view: TextView) -> str:
    return TEXT[view.on_screen.start : view.on_screen.end]


async def test_find_counts_goes_on_and_comes_back_to_the_citations() -> None:
    async with running(services_of()) as (app, pilot):
        view = await read(app, pilot)
        cited = view.marked_text
        await pilot.press("slash", *"the company")
        await until(pilot, lambda: view.marked_text == "the Company")
        assert "1 of 2" in str(app.screen.query_one("#find-count").render())
        await pilot.press("enter", "n")
        await until(pilot, lambda: view.marked_text == "The Company")
        await pilot.press("N")
        await until(pilot, lambda: view.marked_text == "the Company")
        await pilot.press("slash", "escape")
        await until(pilot, lambda: view.marked_text == cited)
        assert not app.screen.query_one(FindBar).display
        assert isinstance(app.screen, ReaderScreen)
        await pilot.press("slash", "enter", "escape")
        await until(pilot, lambda: not app.screen.query_one(FindBar).display)
        await pilot.press("tab", "escape")
        await until(pilot, lambda: view.has_focus)
        assert isinstance(app.screen, ReaderScreen)
        await pilot.press("escape")
        await until(pilot, lambda: app.screen is app.main)


async def test_the_title_names_the_page_of_the_cited_words_as_their_citation_does() -> None:
    async with running(services_of()) as (app, pilot):
        await read(app, pilot)
        assert isinstance(app.screen, ReaderScreen)
        page = "p. 3" if app.screen._span.start < len(TEXT) // 2 else "p. 4 (physical page 7)"
        await until(pilot, lambda: str(app.screen.query_one("#reader-title").render()).endswith(f" · {page}"))


def test_the_page_is_that_of_the_top_of_the_screen_where_nothing_cited_is_on_it() -> None:
    title = ReaderTitle("Globex Corporation FY2024 · 10-K")
    title.pages = ((0, "p. 3"), (500, "p. 4 (physical page 7)"))
    title.tell(Span(100, 700), Span(600, 610))
    assert str(title.render()).endswith("10-K · p. 4 (physical page 7)")
    title.tell(Span(100, 400), Span(600, 610))
    assert str(title.render()).endswith("10-K · p. 3")


async def test_words_that_are_not_there_are_told_so() -> None:
    async with running(services_of()) as (app, pilot):
        await read(app, pilot)
        await pilot.press("slash", *"zebra")
        await until(pilot, lambda: bool(str(app.screen.query_one("#find-count").render())))
        assert "none" in str(app.screen.query_one("#find-count").render())


async def test_c_walks_through_all_that_is_cited_of_the_filing() -> None:
    sources = (passage(1, PARAGRAPH), passage(2, TABLE, "Total net sales\t$ 416,161"))
    async with running(services_of(Script(passages=sources)), (120, 12)) as (app, pilot):
        view = await read(app, pilot)
        assert view.marked_text.endswith("Total net sales\t$ 416,161")
        await pilot.press("c")
        await until(pilot, lambda: "Total net sales" in top(view))
        await pilot.press("c")
        await until(pilot, lambda: "Substantially" in top(view))


async def test_a_note_that_is_named_is_followed_and_left_again() -> None:
    async with running(services_of()) as (app, pilot):
        view = await read(app, pilot)
        await pilot.press("l")
        await until(pilot, lambda: "The agreements with partners run for a year." in top(view))
        assert "Substantially" not in top(view)
        await pilot.press("backspace")
        await until(pilot, lambda: "Substantially" in top(view))


async def test_the_contents_hold_items_statements_notes_and_bookmarks() -> None:
    services = services_of()
    async with running(services) as (app, pilot):
        view = await read(app, pilot)
        contents = app.screen.query_one(OptionList)
        await until(pilot, lambda: contents.option_count == 4)
        await pilot.press("m")
        await until(pilot, lambda: contents.option_count == 5)
        assert services.shelf.marks == {TEXT.index("Substantially")}
        assert "★ Substantially all of the Com" in screen_text(app)
        await pilot.press("tab", "end", "enter")
        await until(pilot, lambda: "Note 3 – Agreements" in top(view))
        await pilot.press("M")
        await until(pilot, lambda: "Substantially" in top(view))
        await pilot.press("m")
        await until(pilot, lambda: contents.option_count == 4)
        assert services.shelf.marks == set()


async def test_on_a_narrow_screen_the_contents_are_there_only_while_they_are_used() -> None:
    async with running(services_of(), (80, 24)) as (app, pilot):
        view = await read(app, pilot)
        contents = app.screen.query_one(OptionList)
        await until(pilot, lambda: contents.option_count == 4)
        assert not contents.display
        assert view.region.width == 80
        await pilot.press("tab")
        await until(pilot, lambda: contents.has_focus and contents.region.width > 0)
        await pilot.press("end", "enter")
        await until(pilot, lambda: view.has_focus and not contents.display and "Note 3 – Agreements" in top(view))
        await pilot.press("tab")
        await until(pilot, lambda: contents.has_focus)
        await pilot.press("tab")
        await until(pilot, lambda: view.has_focus and not contents.display)


async def test_a_named_note_is_followed_by_a_click() -> None:
    async with running(services_of()) as (app, pilot):
        view = await read(app, pilot)
        await until(pilot, lambda: app.screen.query_one(OptionList).option_count == 4)
        row, column = next(
            (y, line.text.index("Note 3")) for y in range(view.size.height) if "Note 3" in (line := view.render_line(y)).text
        )
        assert "The agreements with partners run for a year." not in top(view)
        await pilot.click(view, offset=(column + 2, row))
        await until(pilot, lambda: "The agreements with partners run for a year." in top(view))


async def test_the_item_on_screen_is_compared_with_the_year_before() -> None:
    async with running(services_of()) as (app, pilot):
        await read(app, pilot)
        await pilot.press("D")
        await until(pilot, lambda: isinstance(app.screen, ChangesScreen))
        await pilot.pause()
        text = screen_text(app)
        assert "Acme Corp · Item 1A · FY2025 vs. FY2024: 1 added, 1 removed, 1 changed" in text
        assert "+ A failure of these partners could harm the business." in text
        assert "− Hurricanes could close the only plant." in text
        assert "was: Substantially all of the Company's manufacturing is performed by partners in one country." in text
        assert app.screen.query_one(TextView).marked_text == "outsourcing partners."
        await pilot.press("n", "escape")
        await until(pilot, lambda: isinstance(app.screen, ReaderScreen))


async def test_without_a_year_before_it_says_so() -> None:
    async with running(FakeServices()) as (app, pilot):
        await read(app, pilot)
        await pilot.press("tab", "down", "D")
        await until(pilot, lambda: isinstance(app.screen, ErrorScreen))
        assert "No earlier filing" in str(app.screen.query_one("#error-message").render())


def test_marks_of_changes_stand_on_the_new_words() -> None:
    text, marks, starts = change_lines(FakeServices().changes(ACME.id, "1A"))
    assert [text[mark.start : mark.end] for mark in marks] == ["outsourcing partners."]
    assert [text[start] for start in starts] == ["~", "+", "−"]


def test_changes_begin_at_the_one_that_the_reader_was_at_or_after_it() -> None:
    found = replace(FakeServices().changes(ACME.id, "1A"), start=1_000)
    starts = [1_000 + change.start for change in found.changes]
    assert [change_at(found, place) for place in (0, starts[0], starts[0] + 1, starts[1], starts[-1] + 500)] == [0, 0, 1, 1, 2]
    assert change_at(replace(found, changes=()), 5) == 0


async def test_the_first_n_goes_on_from_the_change_that_is_shown() -> None:
    async with running(FakeServices()) as (app, pilot):
        app.push_screen(ChangesScreen(replace(FakeServices().changes(ACME.id, "1A"), changes=_many()), 0))
        await until(pilot, lambda: isinstance(app.screen, ChangesScreen))
        await pilot.pause()
        view = app.screen.query_one(TextView)
        assert view.on_screen.start == 0
        await pilot.press("n")
        await until(pilot, lambda: view.on_screen.start > 0)
        shown = screen_text(app)
        assert "+ Sentence 1 " in shown
        assert "+ Sentence 0 " not in shown


def _many() -> tuple[Change, ...]:
    return tuple(Change("added", "", f"Sentence {at} " + "is new here. " * 40, at) for at in range(12))


async def test_the_contents_come_and_go_beside_the_same_text() -> None:
    async with running(FakeServices(), size=(80, 24)) as (app, pilot):
        view = await read(app, pilot)
        for key in ("down", "down", "down"):
            await pilot.press(key)
        await pilot.pause(0.1)
        before = view.on_screen
        for _ in range(3):
            await pilot.press("tab")
            await until(pilot, lambda: bool(app.screen.query_one("#items").display))
            await pilot.pause(0.1)
            assert abs(view.on_screen.start - before.start) < view.size.width
            await pilot.press("escape")
            await until(pilot, lambda: not app.screen.query_one("#items").display)
            await pilot.pause(0.1)
            assert view.on_screen == before


def test_words_are_found_over_line_breaks_and_in_any_case() -> None:
    text = "Net\n sales and NET SALES of [net] sales."
    assert [text[s.start : s.end] for s in find_all(text, "net sales")] == ["Net\n sales", "NET SALES"]
    assert find_all(text, "  ") == []


def test_a_note_is_where_its_heading_is_not_where_the_contents_name_it() -> None:
    text = "Note 7\tIncome Taxes\t53\nSee Note 7.\n\n7. Income Taxes\n\nWe pay."
    assert note_named(text, 23, len(text)) == 7
    assert note_heading(text, 7) == text.index("7. Income")
    assert note_heading("Note 7 to the statements explains this.\n", 7) is None
    assert note_heading(text, 8) is None
