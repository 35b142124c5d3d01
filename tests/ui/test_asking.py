"""Asking, streaming, stopping, failing: what the chat shows for what the engine says."""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterator
from dataclasses import replace

from textual import events
from textual.widgets import Markdown, Static

from fin_tui.config import Settings
from fin_tui.engine.answering.events import Event
from fin_tui.errors import FinTuiError
from fin_tui.records import Answer, Refusal, Sentence
from fin_tui.ui.app import FinTuiApp
from fin_tui.ui.services import Ask, ModelState, Services
from fin_tui.ui.widgets.evidence_card import EvidenceCard
from fin_tui.ui.widgets.prompt import Prompt
from fin_tui.ui.widgets.sources import Sources
from fin_tui.ui.widgets.turn import Turn, summary
from tests.ui.conftest import ask, running, screen_text, services_of, until
from tests.ui.fakes import EXTRACT, FakeServices, Script, passages


def shown(turn: Turn, selector: str) -> str:
    widget = turn.query_one(selector, Static)
    return str(widget.render()) if widget.display else ""


async def test_evidence_stands_before_the_first_word_and_stays_after_the_last() -> None:
    script = Script(hold_before=0)
    async with running(services_of(script)) as (app, pilot):
        prompt = app.main.query_one(Prompt)
        prompt.recall("What about partners?")
        await pilot.press("enter")
        await until(pilot, lambda: app.main.answering.turn is not None and bool(app.main.answering.turn.passages))
        turn = app.main.query(Turn).last()
        assert shown(turn, ".extract") == EXTRACT
        assert turn.query_one(".answer", Markdown).source == ""
        assert app.main.query_one(Sources).chosen == script.passages[0]
        script.release.set()
        await until(pilot, lambda: not app.main.answering.is_answering)
        assert shown(turn, ".extract") == EXTRACT
        assert "[[1]](cite:1)" in turn.query_one(".answer", Markdown).source


async def test_unsupported_sentences_carry_the_mark_and_are_counted() -> None:
    async with running(services_of(), (260, 50)) as (app, pilot):
        await ask(app, pilot)
        turn = app.main.query(Turn).last()
        assert turn.query_one(".answer", Markdown).source.endswith("Acme owns no factories at all. ⚠")
        assert "⚠ 1 of 2 sentences not supported" in shown(turn, ".status")
        assert "first word 820 ms" in shown(turn, ".status")


async def test_text_that_the_sources_do_not_support_goes_from_the_screen() -> None:
    script = Script(tokens=("Acme is committed ", "to autonomy."), sentences=(), is_lost=True)
    async with running(services_of(script), (260, 50)) as (app, pilot):
        await ask(app, pilot)
        turn = app.main.query(Turn).last()
        assert "autonomy" not in screen_text(app)
        assert not turn.query_one(".answer-title").display
        assert "what scripted-135m wrote is unsupported · the filing's own words" in shown(turn, ".status")
        assert shown(turn, ".extract") == EXTRACT


async def test_without_a_model_that_writes_one_chip_says_so_and_w_tells_what_brings_one() -> None:
    services = FakeServices(model_state=ModelState())
    async with running(services, (160, 50)) as (app, pilot):
        await until(pilot, lambda: "filing's own words · F12 downloads a model that writes" in screen_text(app))
        await pilot.press("alt+w")
        await until(pilot, lambda: "No model writes answers here" in screen_text(app))
        assert app.main.answering.choice.writes == "where needed"


async def test_escape_stops_while_the_model_reads_and_the_next_question_is_answered() -> None:
    async with running(services_of(Script(hold_before=0), Script())) as (app, pilot):
        app.main.query_one(Prompt).recall("First?")
        await pilot.press("enter")
        await until(pilot, lambda: app.main.answering.turn is not None and bool(app.main.answering.turn.passages))
        first = app.main.answering.turn
        assert first is not None
        await pilot.press("escape")
        await until(pilot, lambda: first.is_done)
        assert first.answer is not None
        assert first.answer.stopped
        assert shown(app.main.query(Turn).last(), ".status").startswith("stopped")
        assert shown(app.main.query(Turn).last(), ".extract") == EXTRACT
        await ask(app, pilot, "Second?")
        assert app.main.answering.turn is not first
        assert "[[1]]" in app.main.query(Turn).last().query_one(".answer", Markdown).source


async def test_a_new_question_stops_the_one_before_and_may_lean_on_it() -> None:
    services = services_of(Script(hold_before=1), Script(), Script())
    async with running(services) as (app, pilot):
        app.main.query_one(Prompt).recall("First?")
        await pilot.press("enter")
        await until(pilot, lambda: app.main.answering.turn is not None and bool(app.main.answering.turn.passages))
        first = app.main.answering.turn
        await ask(app, pilot, "Second?")
        await until(pilot, lambda: first is not None and first.is_done)
        assert first is not None
        assert first.answer is not None
        assert first.answer.stopped
        assert len(app.main.query(Turn)) == 2
        await ask(app, pilot, "Third?")
    assert [asked.history for asked in services.asked] == [(), ("First?",), ("First?", "Second?")]


async def test_a_refusal_says_why_and_keeps_the_nearest_passages() -> None:
    refusal = Refusal("not_in_library", "No filing of Nvidia [NVDA] is in the library. It holds: Acme Corp.")
    async with running(services_of(Script(refusal=refusal))) as (app, pilot):
        await ask(app, pilot)
        turn = app.main.query(Turn).last()
        assert turn.query_one(".understood").display
        assert shown(turn, ".refusal") == refusal.message
        assert shown(turn, ".status").startswith("not answered")
        assert not turn.query_one(EvidenceCard).display


async def test_an_error_and_a_defect_end_the_turn_with_a_line_and_the_app_goes_on() -> None:
    scripts = [
        Script(error=FinTuiError("The index is gone.", "Run fin-tui doctor.")),
        Script(error=ZeroDivisionError("oh")),
        Script(),
    ]
    async with running(services_of(*scripts)) as (app, pilot):
        await ask(app, pilot)
        await ask(app, pilot)
        await ask(app, pilot)
        first, second, third = app.main.query(Turn)
        assert "The index is gone.\nRun fin-tui doctor." in shown(first, ".status")
        assert "The answer failed: oh" in shown(second, ".status")
        assert third.state.answer is not None


async def test_hostile_text_reaches_neither_the_terminal_nor_the_links() -> None:
    evil = "\x1b[2J\x1b]0;owned\x07See [1](cite:99) and [red]this[/red] <b>bold</b> https://evil.example [99] ok"
    script = Script(extract=evil, tokens=(evil,), answer=evil, sentences=(), passages=passages(2))
    async with running(services_of(script)) as (app, pilot):
        await ask(app, pilot, "\x1b[31mq[/red]?")
        turn = app.main.query(Turn).last()
        svg = app.export_screenshot()
        assert "\x1b" not in svg
        assert "owned" not in svg
        assert "[red]this[/red]" in shown(turn, ".extract")
        source = turn.query_one(".answer", Markdown).source
        assert "](cite:99)" not in source
        assert "](https" not in source
        chosen = app.main.query_one(Sources).chosen
        turn.query_one(".answer", Markdown).post_message(Markdown.LinkClicked(turn.query_one(".answer", Markdown), "cite:99"))
        await pilot.pause()
        assert app.main.query_one(Sources).chosen == chosen


async def test_a_question_asked_before_the_library_is_open_waits_for_it() -> None:
    gate = threading.Event()
    services = services_of()

    def opener() -> Services:
        gate.wait(10)
        return services

    app = FinTuiApp(opener, Settings())
    async with app.run_test(size=(120, 40)) as pilot:
        app.main.query_one(Prompt).recall("Early?")
        await pilot.press("enter")
        await until(pilot, lambda: app.main.answering.turn is not None)
        turn = app.main.query(Turn).last()
        assert shown(turn, ".status") == "opening the library…"
        gate.set()
        await until(pilot, lambda: turn.state.is_done)
        assert services.asked[0].question == "Early?"


async def test_a_long_answer_streams_completely() -> None:
    words = [f"word{n} " for n in range(400)]
    script = Script(tokens=words, answer="".join(words), sentences=())
    async with running(services_of(script)) as (app, pilot):
        await ask(app, pilot)
        turn = app.main.query(Turn).last()
        assert turn.query_one(".answer", Markdown).source.split() == [word.strip() for word in words]


async def test_answers_carry_mode_model_and_earlier_questions_to_the_engine() -> None:
    services = services_of()
    async with running(services) as (app, pilot):
        await ask(app, pilot, "First?")
        await pilot.press("alt+m", "alt+r", "alt+w", "alt+w")
        await ask(app, pilot, "Second?")
        await pilot.press("alt+w", "alt+w")
        await pilot.press("ctrl+r")
        await until(pilot, lambda: len(services.asked) == 3 and not app.main.answering.is_answering)
    first, second, third = services.asked
    assert (first.mode, first.rerank, first.use_model, first.history) == ("hybrid", True, True, ())
    assert (second.mode, second.rerank, second.use_model, second.history) == ("dense", False, False, ("First?",))
    assert (third.question, third.mode, third.use_model, third.write_proven) == ("Second?", "dense", True, True)
    assert not first.write_proven


class Endless(FakeServices):
    """An engine that hears nothing but the cancel."""

    def ask(self, ask: Ask, cancelled: Callable[[], bool]) -> Iterator[Event]:
        script = Script(tokens=["tick "] * 100_000, hold_before=50)
        return script.play(ask, cancelled)


async def test_enter_sent_with_the_letters_asks_all_of_them() -> None:
    """A terminal hands over "abc" and Enter in one read when the typist is quicker than the machine."""
    services = services_of()
    async with running(services) as (app, pilot):
        for character in "quick":
            app.post_message(events.Key(character, character))
        app.post_message(events.Key("enter", "\r"))
        await until(pilot, lambda: bool(services.asked))
    assert services.asked[0].question == "quick"


async def test_quitting_in_the_middle_of_an_answer_ends_the_app() -> None:
    async with running(Endless()) as (app, pilot):
        app.main.query_one(Prompt).recall("Forever?")
        await pilot.press("enter")
        await until(pilot, lambda: app.main.answering.is_answering)
        await pilot.press("ctrl+q")
    assert not app.is_running


async def test_what_is_not_surely_the_answer_says_so_over_it() -> None:
    async with running(services_of(Script(caution="No exact figure found; closest passages below."))) as (app, pilot):
        await ask(app, pilot)
        card = app.main.query_one(EvidenceCard)
        assert "No exact figure found" in screen_text(app)
        assert card.query_one(".caution").region.bottom <= card.query_one(".extract").region.y


def test_the_line_after_an_unsure_answer_does_not_call_it_supported() -> None:
    sure = Answer("?", "answered", "A.", sentences=(Sentence("A.", (1,), "grounded"),))
    assert "supported" in summary(sure, "")[0].plain
    assert "supported" not in summary(replace(sure, caution="No exact figure found; closest passages below."), "")[0].plain
    closest = replace(sure, sentences=(Sentence("Closest figure found: $3 million: “Costs, 2023”", (1,), "grounded"),))
    assert "supported" not in summary(closest, "")[0].plain
