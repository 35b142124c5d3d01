"""Conversations are kept as they grow, and can be gone on with."""

from __future__ import annotations

from collections.abc import Sequence

from textual.widgets import Markdown, OptionList

from fin_tui.engine.answering.events import Passage
from fin_tui.errors import FinTuiError
from fin_tui.records import Answer
from fin_tui.ui.screens.conversations import ConversationsScreen
from fin_tui.ui.widgets.evidence_card import FigureTable
from fin_tui.ui.widgets.prompt import Prompt
from fin_tui.ui.widgets.sources import Sources
from fin_tui.ui.widgets.turn import Turn
from tests.ui.conftest import ask, running, screen_text, services_of, until
from tests.ui.fake_figures import growth
from tests.ui.fakes import FakeServices, Script, passages


async def test_answers_are_kept_in_one_conversation_until_a_new_one_begins() -> None:
    services = services_of()
    async with running(services) as (app, pilot):
        await ask(app, pilot, "One?")
        await ask(app, pilot, "Two?")
        await pilot.press("f9")
        await until(pilot, lambda: not app.main.query(Turn))
        assert app.main.query_one("#welcome").display
        assert app.main.query_one(Sources).passages == ()
        await ask(app, pilot, "Three?")
        await until(pilot, lambda: len(services.kept) == 2)
        assert {c: [a.question for a in answers] for c, answers in services.kept.items()} == {
            "c1": ["One?", "Two?"],
            "c2": ["Three?"],
        }
        assert services.asked[-1].history == ()


async def test_a_conversation_is_gone_on_with_as_it_stood() -> None:
    services = services_of(Script(figures=growth()))
    async with running(services, (160, 50)) as (app, pilot):
        await ask(app, pilot, "One?")
        await pilot.press("f9")
        await until(pilot, lambda: not app.main.query(Turn))
        await pilot.press("f8")
        await until(pilot, lambda: isinstance(app.screen, ConversationsScreen))
        await pilot.pause()
        assert "2025-01-02 10:11 One? 1 question" in screen_text(app)
        await pilot.press("enter")
        await until(pilot, lambda: len(app.main.query(Turn)) == 1 and app.main.answering.turn is not None)
        turn = app.main.query(Turn).last()
        assert "[[1]](cite:1)" in turn.query_one(".answer", Markdown).source
        assert turn.query_one(FigureTable).display
        assert app.main.query_one(Sources).passages == passages()
        await ask(app, pilot, "Two?")
        assert services.asked[-1].history == ("One?",)
        await until(pilot, lambda: len(services.kept["c1"]) == 2)


async def test_conversations_are_renamed_narrowed_and_deleted() -> None:
    services = FakeServices()
    for question in ("About cash?", "About risk?"):
        services.keep("", Answer(question, "answered", "A."))
    async with running(services) as (app, pilot):
        await pilot.press("f8")
        await until(pilot, lambda: isinstance(app.screen, ConversationsScreen))
        await pilot.press("r", "ctrl+u", *"Money", "enter")
        await until(pilot, lambda: services.titles["c1"] == "Money")
        options = app.screen.query_one(OptionList)
        await pilot.press("slash", *"risk", "enter")
        await until(pilot, lambda: options.option_count == 1)
        await pilot.press("d")
        assert list(services.kept) == ["c1", "c2"]
        await pilot.press("d")
        await until(pilot, lambda: list(services.kept) == ["c1"])
        await pilot.press("escape", "escape")
        await until(pilot, lambda: app.screen is app.main)
        assert app.main.query_one(Prompt).has_focus


async def test_an_answer_that_cannot_be_stored_stands_on_screen() -> None:
    class Full(FakeServices):
        def keep(self, conversation: str, answer: Answer, passages: Sequence[Passage] = ()) -> str:
            raise FinTuiError("The disk is full.", "Make room.")

    async with running(Full()) as (app, pilot):
        await ask(app, pilot)
        await until(pilot, lambda: bool(app.screen.query("Toast")))
        assert app.main.answering.turn is not None
        assert app.main.answering.turn.answer is not None
        assert app.screen is app.main
