"""The app fits any terminal: panes side by side or one at a time, resized in the middle, without colours."""

from __future__ import annotations

from dataclasses import replace
from functools import partial

import pytest
from textual.widget import Widget

from fin_tui.config import Settings
from fin_tui.ui.app import FinTuiApp
from fin_tui.ui.services import ModelState
from fin_tui.ui.themes import THEMES
from fin_tui.ui.widgets.bars import StatusLine
from fin_tui.ui.widgets.chat import Chat
from fin_tui.ui.widgets.prompt import Prompt
from fin_tui.ui.widgets.sources import Sources
from fin_tui.ui.widgets.text_view import TextView
from fin_tui.ui.widgets.turn import StatusText, Turn
from tests.ui.conftest import ask, running, screen_text, services_of, until
from tests.ui.fakes import GOOD, FakeServices, Script, passage, passages


@pytest.mark.parametrize("size", [(20, 8), (80, 24), (300, 80)])
async def test_an_answer_fits(size: tuple[int, int]) -> None:
    async with running(services_of(), size) as (app, pilot):
        await ask(app, pilot)
        prompt = app.main.query_one(Prompt)
        assert prompt.region.height > 0
        assert prompt.region.bottom <= size[1]
        assert prompt.region.right <= max(size[0], 14)


async def test_a_narrow_screen_shows_one_pane_and_escape_leads_back() -> None:
    async with running(services_of(), (80, 24)) as (app, pilot):
        await ask(app, pilot)
        middle, sources, filings = (app.main.query_one(s) for s in ("#middle", "#sources", "#filings"))
        assert (middle.display, sources.display, filings.display) == (True, False, False)
        await pilot.press("f4")
        await until(pilot, lambda: sources.display)
        assert not middle.display
        assert sources.region.width == 80
        assert sources.has_focus_within
        await pilot.press("escape")
        await until(pilot, lambda: middle.display)
        assert app.focused is app.main.query_one(Prompt)
        await pilot.press("f2")
        await until(pilot, lambda: filings.display)
        await pilot.press("f3")
        await until(pilot, lambda: middle.display)
        assert not filings.display


async def test_a_new_conversation_and_a_question_bring_the_chat_back_on_a_narrow_screen() -> None:
    async with running(services_of(), (80, 24)) as (app, pilot):
        await ask(app, pilot)
        middle, sources = app.main.query_one("#middle"), app.main.query_one("#sources")
        await pilot.press("f4")
        await until(pilot, lambda: sources.display)
        await pilot.press("f9")
        await until(pilot, lambda: middle.display and app.focused is app.main.query_one(Prompt))
        await ask(app, pilot)
        await pilot.press("f4")
        await until(pilot, lambda: sources.display)
        app.main.query_one(Prompt).focus()
        await ask(app, pilot, "And the year before?")
        await until(pilot, lambda: middle.display)
        assert not sources.display


async def test_a_number_on_a_narrow_screen_shows_the_passage() -> None:
    async with running(services_of(), (80, 24)) as (app, pilot):
        await ask(app, pilot)
        await pilot.press("alt+2")
        view = app.main.query_one("#passage-text", TextView)
        await until(pilot, lambda: view.region.height > 0 and bool(view.marked_text))
        assert view.marked_text == passages(2)[1].citation.quote


async def test_side_panes_hide_and_come_back() -> None:
    async with running(services_of(), (120, 40)) as (app, pilot):
        filings = app.main.query_one("#filings")
        await pilot.press("f2")
        await until(pilot, lambda: filings.has_focus_within)
        await pilot.press("f2")
        await until(pilot, lambda: not filings.display)
        assert app.focused is app.main.query_one(Prompt)
        await pilot.press("f2")
        await until(pilot, lambda: filings.display)
        assert filings.region.width > 0


async def test_resizing_while_words_arrive_loses_nothing() -> None:
    script = Script(hold_before=1)
    async with running(services_of(script), (120, 40)) as (app, pilot):
        app.main.query_one(Prompt).recall("What?")
        await pilot.press("enter")
        await until(pilot, lambda: app.main.answering.turn is not None and bool(app.main.answering.turn.passages))
        for size in ((60, 20), (200, 50), (80, 24)):
            await pilot.resize_terminal(*size)
        script.release.set()
        await until(pilot, lambda: not app.main.answering.is_answering)
        assert app.main.answering.turn is not None
        assert app.main.answering.turn.answer is not None
        assert app.main.query_one(Sources).chosen is not None


async def test_resizing_while_an_answer_is_searched_shows_the_question_and_whose_sources_these_are() -> None:
    held = Script(is_held=True)
    async with running(services_of(Script(), held), (80, 24)) as (app, pilot):
        await ask(app, pilot, "First?")
        prompt = app.main.query_one(Prompt)
        prompt.recall("Which other?")
        await pilot.press("enter")
        await until(pilot, lambda: app.main.answering.is_answering)
        await pilot.resize_terminal(160, 50)
        await until(pilot, lambda: app.main.query_one(Sources).region.width > 0)
        await until(pilot, lambda: "Which other?" in screen_text(app) and "searching" in screen_text(app))
        assert app.main.query_one(Sources).border_title == "Sources of the answer before"
        held.release.set()
        await until(pilot, lambda: not app.main.answering.is_answering)
        assert app.main.query_one(Sources).border_title == "Sources"


async def test_the_footer_shows_whole_keys_alone() -> None:
    async with running(services_of(), (120, 24)) as (app, pilot):
        for width in (120, 50, 20):
            await pilot.resize_terminal(width, 24)
            await until(pilot, lambda: all(key.region.right <= width for key in app.main.query("FooterKey")))  # noqa: B023
            *keys, palette = sorted(app.main.query("FooterKey"), key=lambda key: key.region.x)
            assert all(key.region.right <= palette.region.x for key in keys)
            assert bool(keys) == (width > 20)


async def test_without_colours_the_cited_span_is_still_marked(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("NO_COLOR", "1")
    async with running(services_of(), (120, 40)) as (app, pilot):
        await ask(app, pilot)
        view = app.main.query_one("#passage-text", TextView)
        segments = [s for y in range(view.size.height) for s in view.render_line(y) if s.style and s.style.underline]
        assert "".join(s.text for s in segments).replace(" ", "") == passages(1)[0].citation.quote.replace(" ", "")


async def test_themes_switch_and_a_wrong_one_falls_back() -> None:
    async with running(services_of()) as (app, pilot):
        seen = [app.theme]
        for _ in THEMES:
            await pilot.press("ctrl+t")
            seen.append(app.theme)
        assert seen == ["fin-dark", "fin-light", "fin-dark"]
        app.theme = "nord"
        await pilot.pause()
        assert app.theme_variables["mark"]
    assert FinTuiApp(services_of, Settings(app=Settings().app.__class__(theme="no-such"))).theme == "fin-dark"


@pytest.mark.parametrize("size", [(80, 24), (120, 40), (300, 80)], ids=str)
async def test_a_source_is_listed_with_its_page_in_full(size: tuple[int, int]) -> None:
    many = passages(12)
    async with running(services_of(Script(passages=many)), size) as (app, pilot):
        await ask(app, pilot)
        await pilot.press("escape", "f4")
        await until(pilot, lambda: many[0].citation.company in screen_text(app))
        assert f"p.{many[0].citation.page_label}" in screen_text(app)


async def test_both_sides_of_the_status_line_fit_or_one_gives_way() -> None:
    services = FakeServices(model_state=ModelState())
    async with running(services, (80, 24)) as (app, pilot):
        line = app.main.query_one(StatusLine)
        await until(pilot, lambda: "3 filings · 320 passages filing's own words · F12: a model that writes" in screen_text(app))
        line.jobs("Fetch 12 filings of Acme Corp, Zenith and Globex from EDGAR: 3 of 12")
        await until(pilot, lambda: "from EDGAR: 3 of 12" in screen_text(app))
        assert "own words" not in screen_text(app)


async def test_an_answer_that_fits_again_stands_at_the_top() -> None:
    async with running(services_of(Script(tokens=["word "] * 300, answer="word " * 300, sentences=())), (80, 24)) as (app, pilot):
        await ask(app, pilot)
        chat = app.main.query_one(Chat)
        await until(pilot, lambda: chat.max_scroll_y > 0)
        await pilot.resize_terminal(140, 80)
        await until(pilot, lambda: chat.max_scroll_y == 0)
        assert chat.query_one(Turn).region.y <= chat.region.y + 1


def _is_wide(widget: Widget, width: int) -> bool:
    return widget.region.width == width


def _lacks(line: StatusText, words: str) -> bool:
    return words not in str(line.render())


@pytest.mark.parametrize("script", [Script(), Script(is_lost=True, sentences=(GOOD,))])
async def test_what_is_told_under_an_answer_is_one_line_and_what_matters_stays(script: Script) -> None:
    async with running(services_of(script), (80, 24)) as (app, pilot):
        await ask(app, pilot)
        line = app.main.query_one(StatusText)
        matters = "own words" if script.is_lost else "⚠ 1 of 2 "
        for width, gone in ((80, "first word"), (120, "scripted-135m")):
            await pilot.resize_terminal(width, 40)
            middle = 80 - 2 if width == 80 else 120 - 31 - 42 - 2
            await until(pilot, partial(_is_wide, app.main.query_one(Chat), middle))
            await until(pilot, partial(_lacks, line, gone))
            said = str(line.render())
            assert line.region.height == 1
            assert said.startswith(matters) or matters in said
            assert "total 2.4 s" in said
            assert "first word 820 ms" in str(line.tooltip)
        await pilot.resize_terminal(320, 40)
        await until(pilot, lambda: "first word 820 ms" in str(line.render()))
        assert line.tooltip is None


async def test_a_name_of_wide_characters_leaves_room_for_the_page() -> None:
    found = passage(1)
    wide = replace(found, citation=replace(found.citation, company="東京電子半導体製造装置株式会社ホールディングス", ticker=""))
    async with running(services_of(Script(passages=(wide, passage(2)))), (120, 40)) as (app, pilot):
        await ask(app, pilot)
        await until(pilot, lambda: "東京電子半… FY2025 1A p.10" in screen_text(app))
        assert "Acme Corp FY2025 1A p.11" in screen_text(app)


async def test_what_passes_by_is_one_at_a_time_and_a_warning_stays() -> None:
    async with running(services_of(), (80, 24)) as (app, pilot):
        for text in ("Copied.", "Saved.", "Written."):
            app.notify(text)
            await pilot.pause()
        await until(pilot, lambda: [str(toast.render()) for toast in app.screen.query("Toast")] == ["Written."])
        app.notify("The model broke off.", severity="warning")
        await pilot.pause()
        app.notify("Copied.")
        told = ["The model broke off.", "Copied."]
        await until(pilot, lambda: [str(toast.render()) for toast in app.screen.query("Toast")] == told)


@pytest.mark.parametrize("size", [(80, 24), (100, 30), (160, 50)])
async def test_what_passes_by_never_covers_what_is_typed(size: tuple[int, int]) -> None:
    async with running(services_of(), size) as (app, pilot):
        app.notify("Copied.")
        await until(pilot, lambda: any(toast.region.height for toast in app.screen.query("Toast")))
        prompt = app.main.query_one(Prompt)
        assert all(toast.region.bottom <= prompt.region.y for toast in app.screen.query("Toast"))
