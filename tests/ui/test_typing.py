"""Typing: words are completed, sources follow, and nothing gets in the way."""

from __future__ import annotations

import pytest
from textual import events

from fin_tui.engine.answering.events import Passage
from fin_tui.engine.questions.understanding import LONGEST_QUESTION
from fin_tui.errors import FinTuiError
from fin_tui.facts.words import spoken_name
from fin_tui.records import Filing
from fin_tui.ui.services import Ask
from fin_tui.ui.widgets.prompt import Prompt, completion, completions
from fin_tui.ui.widgets.sources import Sources
from tests.ui.conftest import ask, running, services_of, until
from tests.ui.fakes import FILINGS, FakeServices, Script, passage, passages


async def test_tab_completes_a_company_and_a_year_and_else_leaves_the_prompt() -> None:
    async with running(services_of()) as (app, pilot):
        prompt = app.main.query_one(Prompt)
        await pilot.press(*"sales of zen")
        await until(pilot, lambda: prompt.suggestion == "ith [Holdings]")
        await pilot.press("tab", *" in FY2", "tab")
        assert prompt.text == "sales of zenith [Holdings] in FY2025"
        await pilot.press("tab")
        await until(pilot, lambda: app.focused is not prompt)
        assert prompt.text == "sales of zenith [Holdings] in FY2025"


async def test_sources_follow_what_is_typed_and_give_way_to_the_answer() -> None:
    services = FakeServices([Script(passages=passages(2))], found=(passage(1), passage(2), passage(3)))
    async with running(services) as (app, pilot):
        sources = app.main.query_one(Sources)
        await pilot.press(*"supply chain")
        await until(pilot, lambda: sources.is_preview)
        assert sources.passages == services.found
        assert services.previewed == ["supply chain"]
        assert app.main.query_one(Prompt).has_focus
        await pilot.press("enter")
        await until(pilot, lambda: app.main.answering.turn is not None and not app.main.answering.is_answering)
        assert sources.passages == passages(2)
        assert not sources.is_preview


async def test_sources_of_the_answer_come_back_when_the_prompt_is_emptied() -> None:
    services = FakeServices([Script(passages=passages(2))], found=(passage(3),))
    async with running(services) as (app, pilot):
        await ask(app, pilot)
        sources, prompt = app.main.query_one(Sources), app.main.query_one(Prompt)
        prompt.recall("two words")
        await until(pilot, lambda: sources.is_preview)
        prompt.recall("")
        await until(pilot, lambda: not sources.is_preview)
        assert sources.passages == passages(2)


async def test_a_preview_that_fails_says_nothing() -> None:
    class Broken(FakeServices):
        def preview(self, ask: Ask) -> tuple[Passage, ...]:
            self.previewed.append(ask.question)
            raise FinTuiError("The index is gone.")

    services = Broken()
    async with running(services) as (app, pilot):
        await pilot.press(*"supply chain")
        await until(pilot, lambda: bool(services.previewed) and not [w for w in app.workers if w.is_running])
        await pilot.press(*" risk")
        assert app.main.query_one(Prompt).text == "supply chain risk"
        assert not app.screen.query("Toast")


KNOWN = completions([*FILINGS, Filing("x", "x.htm", "Coca-Cola Company", "cik:9", "10-K", 2023, None, items=("1", "1A", "10"))])


@pytest.mark.parametrize(
    ("typed", "added"),
    [
        ("What does ac", "me"),
        ("zenith [ho", "ldings]"),
        ("What of 202", "5"),
        ("in item 1", "A"),
        ("coca", "-Cola"),
        ("a", ""),
        ("Acme", ""),
        ("Acme ", ""),
        ("", ""),
    ],
)
def test_the_last_words_are_completed(typed: str, added: str) -> None:
    assert completion(typed, KNOWN) == added


def test_names_are_completed_as_people_say_them() -> None:
    names = ("Amazon.com, Inc.", "Target Corporation", "Coca-Cola Company", "The Walt Disney Company", "Inc.")
    assert [spoken_name(name) for name in names] == ["Amazon.com", "Target", "Coca-Cola", "Walt Disney", "Inc."]


async def test_a_paste_longer_than_a_question_may_be_is_refused_before_it_is_shown() -> None:
    async with running(services_of()) as (app, pilot):
        prompt = app.main.query_one(Prompt)
        await pilot.press(*"net")
        app.post_message(events.Paste("x" * LONGEST_QUESTION))
        await until(pilot, lambda: bool(app._notifications))
        assert prompt.text == "net"
        app.post_message(events.Paste(" income"))
        await until(pilot, lambda: prompt.text == "net income")


async def test_lines_that_are_read_as_one_question_are_said_to_be() -> None:
    async with running(services_of()) as (app, pilot):
        prompt = app.main.query_one(Prompt)
        prompt.load_text("Acme revenue\n\nZenith revenue")
        prompt.action_submit()
        await until(pilot, lambda: any("2 lines are read as one question" in one.message for one in app._notifications))


async def test_keys_that_come_in_one_burst_act_in_their_order() -> None:
    async with running(services_of()) as (app, pilot):
        prompt = app.main.query_one(Prompt)
        prompt.focus()
        await pilot.pause()
        for key in (*"capexx", "backspace", "backspace", "x", "left", "e", "right", "!"):
            app.post_message(events.Key({"!": "exclamation_mark"}.get(key, key), key if len(key) == 1 else None))
        await until(pilot, lambda: prompt.text.endswith("!"))
        await pilot.pause()
        assert prompt.text == "capeex!"
