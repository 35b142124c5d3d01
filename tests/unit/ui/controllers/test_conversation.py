"""Each controller of the main screen alone: what it posts, shows, tells and asks."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

from fin_tui.engine.answering.events import Finished, ModelEnded
from fin_tui.records import Refusal
from fin_tui.ui.controllers.overview import OverviewController
from fin_tui.ui.controllers.preview import PreviewController
from fin_tui.ui.controllers.turns import Look, ReaskingController, TurnsController
from fin_tui.ui.conversation import TurnState
from fin_tui.ui.messages import (
    ConversationResumed,
    CopyWanted,
    EngineEvent,
    FetchWanted,
    KeepWanted,
    LibraryRead,
    Loading,
    PreviewRead,
    ServicesOpened,
)
from fin_tui.ui.services import ModelState
from fin_tui.ui.widgets.bars import ScopeChips
from fin_tui.ui.widgets.chat import Chat
from fin_tui.ui.widgets.filing_browser import FilingBrowser
from fin_tui.ui.widgets.prompt import Prompt
from fin_tui.ui.widgets.sources import Sources
from fin_tui.ui.widgets.turn import StatusText
from tests.ui.conftest import until
from tests.ui.fakes import ACME, FILINGS, FakeServices, Script, passages
from tests.unit.ui.controllers.alone import Conversation, ask, bare, conversation, ended, posted


async def test_a_question_is_answered_event_by_event_and_stored() -> None:
    async with conversation() as (screen, pilot, services):
        await ask(screen, pilot)
        turn = screen.answering.turn
        assert turn is not None
        assert turn.answer is not None
        assert turn.answer.status == "answered"
        assert screen.query_one(Sources).passages == turn.passages
        await until(pilot, lambda: len(services.kept) == 1)
        assert screen.answering.conversation.id in services.kept


async def test_a_model_that_breaks_off_is_told_and_the_answer_goes_on() -> None:
    async with conversation() as (screen, pilot, _):
        app: Any = screen.app
        await ask(screen, pilot)
        turn = screen.answering.turn
        assert turn is not None
        assert app.told == ""
        await screen.answering.hear(EngineEvent(turn, ModelEnded("The process ended.", "Ask again: it starts anew.")))
        assert app.told == "The process ended.\nAsk again: it starts anew.\n"


async def test_a_question_asked_early_waits_for_the_library_and_can_be_stopped() -> None:
    async with bare() as (app, pilot):
        screen = Conversation()
        await app.push_screen(screen)
        await screen.answering.ask("Early?")
        first = screen.answering.turn
        await screen.answering.stop()
        assert first is not None
        assert first.is_done
        assert first.answer is None
        await screen.answering.ask("Again?")
        services = FakeServices()
        await screen.answering.hear(ServicesOpened(services))
        await until(pilot, lambda: [asked.question for asked in services.asked] == ["Again?"])


async def test_a_question_that_gives_way_to_the_next_says_so_until_it_has_ended() -> None:
    async with conversation(Script(is_held=True), Script(), Script()) as (screen, pilot, services):
        await screen.answering.ask("First?")
        await until(pilot, lambda: len(services.asked) == 1)
        await screen.hand_over()
        assert _status(screen, 0) == "searching…"
        await screen.answering.ask("Second?")
        assert _status(screen, 0) == "stopped for the question below"
        assert _status(screen, 1) == "searching…"
        first = screen.query_one(Chat).turns[0].state
        await until(pilot, lambda: any(_is_end(message, first) for message in screen.posted))
        await screen.hand_over()
        assert first.is_done
        assert _status(screen, 0).startswith("stopped ·")
        await ask(screen, pilot, "Third?")
        assert "scripted-135m" in _status(screen, 1)
    assert [asked.history for asked in services.asked] == [(), ("First?",), ("First?", "Second?")]


def _status(screen: Conversation, turn: int) -> str:
    """The line under a turn."""
    return str(screen.query_one(Chat).turns[turn].query_one(StatusText).render())


def _is_end(message: object, turn: TurnState) -> bool:
    return isinstance(message, EngineEvent) and message.turn is turn and isinstance(message.event, Finished)


async def test_the_same_question_asked_again_stops_the_first_and_does_not_lean_on_it() -> None:
    async with conversation(Script(is_held=True), Script()) as (screen, pilot, services):
        await screen.answering.ask("What?")
        await until(pilot, lambda: len(services.asked) == 1)
        await screen.answering.ask("What?")
        assert _status(screen, 0) == "stopped for the question below"
        await until(pilot, lambda: len(services.asked) == 2)
    assert [asked.history for asked in services.asked] == [(), ()]


async def test_a_question_that_gives_way_before_the_library_is_open_is_never_asked_and_keeps_its_line() -> None:
    async with bare() as (app, pilot):
        screen = Conversation()
        await app.push_screen(screen)
        await screen.answering.ask("Early?")
        assert _status(screen, 0) == "opening the library…"
        await screen.answering.ask("Then?")
        services = FakeServices()
        await screen.answering.hear(ServicesOpened(services))
        await ended(screen, pilot)
        assert [(asked.question, asked.history) for asked in services.asked] == [("Then?", ("Early?",))]
        assert _status(screen, 0) == "stopped for the question below"


async def test_an_answered_question_is_not_told_to_have_given_way() -> None:
    async with conversation() as (screen, pilot, _):
        await ask(screen, pilot, "First?")
        told = _status(screen, 0)
        await ask(screen, pilot, "Second?")
        assert _status(screen, 0) == told
        assert "stopped" not in told


async def test_a_question_asked_alone_leans_on_no_turn_but_the_next_leans_on_it() -> None:
    async with conversation(*(Script() for _ in range(4))) as (screen, pilot, services):
        await ask(screen, pilot, "First?")
        await ask(screen, pilot, "Second?")
        leaning = screen.answering.request("Alone?")
        assert leaning.history == ("First?", "Second?")
        await ask(screen, pilot, "Alone?", alone=True)
        assert services.asked[2] == replace(leaning, history=())
        await ask(screen, pilot, "Fourth?")
    assert services.asked[3].history == ("First?", "Second?", "Alone?")


async def test_a_stored_conversation_takes_the_place_of_this_one() -> None:
    async with conversation() as (screen, pilot, services):
        await ask(screen, pilot, "First?")
        await until(pilot, lambda: bool(services.kept))
        (stored,) = services.kept
        screen.answering.begin_anew()
        await screen.hand_over()
        assert not screen.query_one(Chat).turns
        await screen.answering.hear(ConversationResumed(stored, services.turns(stored)))
        turn = screen.answering.turn
        assert turn is not None
        assert (turn.question, turn.is_done) == ("First?", True)


async def test_how_is_searched_stands_in_the_status_line() -> None:
    async with conversation() as (screen, _, _):
        screen.answering.choose("mode")
        assert screen.answering.choice.mode == "dense"
        screen.answering.choose("model")
        assert screen.answering.choice.writes == "where needed"
        screen.answering.model = ModelState("scripted-135m")
        screen.answering.choose("model")
        assert "search by meaning · model always" in screen.say("#made-with")


async def test_sources_are_walked_through_and_named_by_two_digits() -> None:
    async with conversation(Script(passages=passages(12))) as (screen, pilot, _):
        assert not screen.sources.has_any
        await ask(screen, pilot)
        screen.sources.press(1)
        screen.sources.press(2)
        assert _chosen(screen) == 12
        screen.sources.go("next")
        assert _chosen(screen) == 1
        screen.sources.go("previous")
        assert _chosen(screen) == 12


def _chosen(screen: Conversation) -> int:
    chosen = screen.sources.pane.chosen
    return chosen.citation.id if chosen is not None else 0


async def test_the_scope_is_what_was_picked() -> None:
    async with conversation() as (screen, _, _):
        assert not screen.scope.has_picks
        screen.query_one(FilingBrowser).pick(screen.query_one(FilingBrowser).picks.toggle_company(ACME.company_key))
        screen.scope.picked()
        assert screen.scope.scope().companies == (ACME.company_key,)
        assert "Acme" in " ".join(screen.scope.labels)
        assert screen.query_one(ScopeChips).display
        screen.scope.clear()
        assert not screen.scope.has_picks


async def test_only_a_warm_engine_searches_what_is_typed_and_only_what_still_stands_is_shown() -> None:
    async with conversation() as (screen, pilot, services):
        services.found = passages(2)
        preview = PreviewController(screen, screen.answering, screen.sources)
        screen.query_one(Prompt).recall("supply chain risk")
        preview._look()
        assert services.previewed == []
        preview.hear(Loading(""))
        preview._look()
        event = await posted(pilot, screen, PreviewRead)
        preview.hear(PreviewRead("another question", services.found))
        assert not screen.sources.has_any
        preview.hear(event)
        assert screen.sources.pane.is_preview


async def test_the_newest_answer_is_looked_into_kept_and_copied() -> None:
    async with conversation() as (screen, pilot, _):
        app: Any = screen.app
        turns = TurnsController(screen, screen.answering)
        nothing_yet: tuple[Look, ...] = ("copy", "copy-table", "figure", "reasons", "plan")
        for what in nothing_yet:
            turns.look(what)
        assert (len(app.told.splitlines()), screen.posted) == (5, [])
        await ask(screen, pilot)
        turns.look("copy")
        assert (await posted(pilot, screen, CopyWanted)).text.startswith("**What?**")
        turns.look("file")
        assert (await posted(pilot, app, KeepWanted)).what == "answer"


async def test_what_a_refusal_misses_can_be_fetched_and_the_question_asked_again() -> None:
    refusal = Refusal("not_in_library", "No filing of Globex is here.", fetch="fin-tui fetch Globex --year 2023")
    async with conversation(Script(refusal=refusal), Script()) as (screen, pilot, services):
        app: Any = screen.app
        reasking = ReaskingController(screen, screen.answering, screen.scope)
        assert reasking.missing == ""
        await ask(screen, pilot)
        assert reasking.missing == refusal.fetch
        reasking.fetch()
        assert "Globex" in str((await posted(pilot, app, FetchWanted)).words)
        await reasking.again()
        await until(pilot, lambda: [asked.question for asked in services.asked] == ["What?", "What?"])


async def test_what_the_library_holds_is_shown_and_a_failure_where_a_new_reader_looks() -> None:
    async with conversation() as (screen, _, _):
        overview = OverviewController(screen, screen.scope, screen.answering)
        overview.begin()
        overview.hear(LibraryRead(FILINGS, ModelState("scripted-135m"), ()))
        overview.hear(Loading(""))
        assert "3 filings · 320 passages" in screen.say("#state")
        assert screen.answering.model.name == "scripted-135m"
        overview.show_jobs("Add 2 files")
        assert "Add 2 files" in screen.say("#state")
        overview.hear(LibraryRead((), ModelState(), ()))
        overview.failed("It broke.")
        assert "It broke." in str(screen.query_one("#welcome").render())
