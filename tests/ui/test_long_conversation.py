"""A conversation of a whole day: the screen keeps its newest turns, each shown from its first line on."""

from __future__ import annotations

import gc
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from threading import Event
from weakref import WeakSet

import pytest
from textual.pilot import Pilot
from textual.widgets._footer import FooterKey

from fin_tui.ui.app import FinTuiApp
from fin_tui.ui.widgets import bars as key_bar
from fin_tui.ui.widgets import chat
from fin_tui.ui.widgets.bars import PaneTabs
from fin_tui.ui.widgets.chat import Chat
from fin_tui.ui.widgets.prompt import Prompt
from tests.ui.conftest import ask, running, screen_text, services_of, until
from tests.ui.fake_figures import growth
from tests.ui.fakes import Script


async def test_old_turns_leave_the_screen_and_stay_in_the_library(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(chat, "MOST_TURNS", 2)
    services = services_of()
    async with running(services, (160, 60)) as (app, pilot):
        shown = app.main.query_one(Chat)
        for number in range(4):
            await ask(app, pilot, f"Question {number}?")
        assert [turn.state.question for turn in shown.turns] == ["Question 2?", "Question 3?"]
        assert [answer.question for answer in services.kept["c1"]] == [f"Question {number}?" for number in range(4)]
        shown.scroll_home(animate=False)
        await until(pilot, lambda: "2 earlier turns of this conversation: F8 lists it" in screen_text(app))
        assert "Sources 3" in str(app.main.query_one(PaneTabs).render())
        shown.focus()
        await pilot.press("f9")
        await until(pilot, lambda: not shown.turns)
        assert "earlier turns" not in screen_text(app)
        await until(pilot, lambda: app.focused is app.main.query_one(Prompt))
        assert "Sources 3" not in str(app.main.query_one(PaneTabs).render())
        await pilot.press("f8")
        await until(pilot, lambda: app.screen is not app.main)
        await pilot.press("enter")
        await until(pilot, lambda: len(shown.turns) == 2)
        shown.scroll_home(animate=False)
        await until(pilot, lambda: "2 earlier turns" in screen_text(app))


async def test_the_view_stays_at_the_top_of_the_answer_and_leaves_the_reader_where_he_scrolled() -> None:
    words = [f"word{n} " for n in range(900)]
    scripts = [Script(tokens=words, answer="".join(words), sentences=(), hold_before=at) for at in (450, 450)]
    async with running(services_of(*scripts), (100, 30)) as (app, pilot):
        shown = app.main.query_one(Chat)
        for script, leaves in zip(scripts, (False, True), strict=True):
            app.main.query_one(Prompt).focus()
            app.main.query_one(Prompt).recall("Long?")
            await pilot.press("enter")
            await until(pilot, lambda: shown.max_scroll_y >= shown.turns[-1].virtual_region.y + 10)
            await until(pilot, lambda: shown.scroll_y == shown.turns[-1].virtual_region.y)
            if leaves:
                shown.scroll_home(animate=False)
                await until(pilot, lambda: shown.scroll_y == 0)
            script.release.set()
            await until(pilot, lambda: not app.main.answering.is_answering)
            await pilot.pause(0.1)
            assert shown.scroll_y == (0 if leaves else shown.turns[-1].virtual_region.y)


@asynccontextmanager
async def _long_answer_begun() -> AsyncIterator[tuple[FinTuiApp, Pilot[None], Chat, Event]]:
    """A long answer that is being written below a high turn: the app, what works it, its chat, and what lets the answer end."""
    words = [f"word{n} " for n in range(900)]
    scripts = [Script(), Script(tokens=words, answer="".join(words), sentences=(), hold_before=0)]
    async with running(services_of(*scripts), (100, 30)) as (app, pilot):
        shown = app.main.query_one(Chat)
        await ask(app, pilot)
        shown.turns[0].styles.min_height = 40
        app.main.query_one(Prompt).recall("Long?")
        await pilot.press("enter")
        await until(pilot, lambda: len(shown.turns) == 2 and 0 < shown.scroll_y == shown.max_scroll_y)
        yield app, pilot, shown, scripts[1].release


async def test_the_newest_answer_comes_to_the_top_where_a_turn_above_it_becomes_shorter() -> None:
    async with _long_answer_begun() as (app, pilot, shown, release):
        shown.turns[0].styles.min_height = 20
        await until(pilot, lambda: shown.max_scroll_y < 30)
        release.set()
        await until(pilot, lambda: not app.main.answering.is_answering)
        await until(pilot, lambda: shown.scroll_y == shown.turns[-1].virtual_region.y)


async def test_a_view_that_a_shorter_turn_moved_is_not_taken_for_the_readers(monkeypatch: pytest.MonkeyPatch) -> None:
    async with _long_answer_begun() as (app, pilot, shown, release):
        with monkeypatch.context() as patch:  # Both changes come before the view is put anew, as on a busy machine.
            patch.setattr(Chat, "_place", lambda _: None)
            shown.turns[0].styles.min_height = 20
            await until(pilot, lambda: shown.max_scroll_y < 30)
            shown.turns[0].styles.min_height = 60
            await until(pilot, lambda: shown.max_scroll_y > 30)
        release.set()
        await until(pilot, lambda: not app.main.answering.is_answering)
        await until(pilot, lambda: shown.scroll_y == shown.turns[-1].virtual_region.y)


async def test_the_newest_answer_stays_at_the_top_where_a_turn_above_it_becomes_longer() -> None:
    async with running(services_of(Script(), Script()), (100, 30)) as (app, pilot):
        shown = app.main.query_one(Chat)
        await ask(app, pilot)
        await ask(app, pilot, "Long?")
        shown.turns[-1].styles.min_height = 40
        await until(pilot, lambda: shown.scroll_y == shown.turns[-1].virtual_region.y)
        before = shown.scroll_y
        shown.turns[0].styles.min_height = 60
        await until(pilot, lambda: shown.turns[-1].virtual_region.y > before)
        await until(pilot, lambda: shown.scroll_y == shown.turns[-1].virtual_region.y)


async def test_another_size_leaves_the_newest_answer_at_the_top_until_the_reader_scrolls() -> None:
    async with running(services_of(*(Script() for _ in range(3))), (160, 50)) as (app, pilot):
        shown = app.main.query_one(Chat)
        for number in range(3):
            await ask(app, pilot, f"Question {number}?")
        newest = shown.turns[-1]
        for size in ((90, 24), (60, 20), (160, 24)):
            await pilot.resize_terminal(*size)
            await until(pilot, lambda: shown.scroll_y == min(newest.virtual_region.y, shown.max_scroll_y))
        shown.scroll_home(animate=False)
        await until(pilot, lambda: shown.scroll_y == 0)
        await pilot.resize_terminal(90, 24)
        await pilot.pause(0.2)
        assert shown.scroll_y == 0


async def test_another_size_leaves_what_the_reader_has_scrolled_to_where_it_was() -> None:
    long = "We depend on few suppliers of parts, and on fewer of the tools that make them. [1]"
    async with running(services_of(*(Script(extract=long) for _ in range(8))), (160, 24)) as (app, pilot):
        shown = app.main.query_one(Chat)
        for number in range(8):
            await ask(app, pilot, f"What does Acme say of the parts, the tools and the suppliers of number {number}?")
        read, newest = shown.turns[4], shown.turns[-1]
        await until(pilot, lambda: shown.scroll_y == newest.virtual_region.y)
        shown.scroll_to(y=read.virtual_region.y, animate=False)
        await until(pilot, lambda: shown.scroll_y == read.virtual_region.y)
        for size in ((60, 20), (160, 24), (90, 16), (60, 24)):
            await pilot.resize_terminal(*size)
            await until(pilot, lambda: abs(shown.scroll_y - read.virtual_region.y) <= 1)
            await pilot.pause(0.2)
            assert abs(shown.scroll_y - read.virtual_region.y) <= 1


async def test_a_short_answer_stands_at_the_top_and_stays_there_while_charts_above_it_are_drawn_anew() -> None:
    scripts = [*(Script(figures=growth(), extract="Net sales were $416,161. [2]") for _ in range(6)), Script()]
    async with running(services_of(*scripts), (100, 30)) as (app, pilot):
        shown = app.main.query_one(Chat)
        for number in range(7):
            await ask(app, pilot, f"Question {number}?")
        for size in ((80, 24), (160, 50), (100, 30), (80, 24)):
            await pilot.resize_terminal(*size)
            for _ in range(20):  # Charts are drawn in a worker, some after the others.
                await pilot.pause(0.05)
            assert shown.scroll_y == shown.turns[-1].virtual_region.y
            assert "Question 6?" in screen_text(app)


async def test_a_pasted_page_is_folded_over_its_answer() -> None:
    async with running(services_of(), (80, 24)) as (app, pilot):
        await ask(app, pilot, "What does this say of outsourcing?\n" + "A line of a pasted page.\n" * 40)
        question = app.main.query_one(Chat).turns[-1].query_one(".question")
        assert question.region.height <= 6
        assert "(246 words in all)" in str(question.render())


async def test_the_footer_does_not_hold_on_to_all_keys_it_ever_showed(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(key_bar, "_RENEW_AFTER", 3)
    others = WeakSet(_keys_off_screen())  # What other tests left in this process is not this footer's.
    async with running(services_of()) as (app, pilot):
        for number in range(5):
            await ask(app, pilot, f"Question {number}?")
        await until(pilot, lambda: "f2 Filings" in screen_text(app))
        await until(pilot, lambda: sum(key not in others for key in _keys_off_screen()) < 100, tries=200)


def _keys_off_screen() -> list[FooterKey]:
    gc.collect()
    return [thing for thing in gc.get_objects() if type(thing) is FooterKey and not thing.is_attached]


async def test_the_prompt_scrolls_the_conversation_by_pages() -> None:
    async with running(services_of(Script()), (80, 24)) as (app, pilot):
        await ask(app, pilot)
        chat = app.main.query_one(Chat)
        chat.turns[-1].styles.min_height = 80
        await until(pilot, lambda: chat.max_scroll_y > 2 * chat.size.height)
        top = chat.scroll_y
        assert app.main.query_one(Prompt).has_focus
        await pilot.press("pagedown")
        await until(pilot, lambda: chat.scroll_y >= top + chat.size.height - 2)
        await pilot.press("pageup")
        await until(pilot, lambda: chat.scroll_y == top)
        assert app.main.query_one(Prompt).has_focus
