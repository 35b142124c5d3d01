"""Looking into an answer: the steps of a compound question, why a sentence is marked, the passage that is named first."""

from __future__ import annotations

from dataclasses import replace

from fin_tui.records import PlanStep, Sentence
from fin_tui.ui.widgets.evidence_card import PlanSteps
from fin_tui.ui.widgets.sources import Sources
from fin_tui.ui.widgets.turn import Reasons, StatusText
from tests.ui.conftest import ask, running, screen_text, services_of, until
from tests.ui.fake_figures import growth
from tests.ui.fakes import GOOD, FakeServices, Script

DOUBT = Sentence("Acme owns [no] factories at all.", (), "unsupported", "no source speaks of factories")
STEPS: tuple[PlanStep, ...] = (
    {"question": "Acme Corp Total net sales, FY2025", "operation": "lookup"},
    {"question": "Acme Corp Total net sales, FY2024", "operation": "lookup"},
    {"question": "growth revenue", "operation": "growth"},
)
SIZE = (170, 70)
"""All of a turn is on screen."""


def compound() -> FakeServices:
    return services_of(Script(figures=replace(growth(), plan=STEPS), extract="Net sales grew by 6.43 %. [2]"))


async def test_the_plan_is_folded_until_asked_for_by_key_or_mouse() -> None:
    async with running(compound(), SIZE) as (app, pilot):
        await ask(app, pilot)
        assert "▶ Steps: 3 (Alt+H)" in screen_text(app)
        assert "look up: Acme" not in screen_text(app)
        await pilot.press("alt+h")
        await until(pilot, lambda: "1. look up: Acme Corp Total net sales, FY2025" in screen_text(app))
        assert "3. growth: revenue" in screen_text(app)
        await pilot.press("escape", "h")
        await until(pilot, lambda: "look up: Acme" not in screen_text(app))
        await pilot.click("PlanSteps CollapsibleTitle")
        await until(pilot, lambda: "look up: Acme" in screen_text(app))


async def test_a_question_of_one_step_has_no_plan() -> None:
    async with running(services_of()) as (app, pilot):
        await ask(app, pilot)
        assert not app.main.query_one(PlanSteps).display
        await pilot.press("alt+h")
        await until(pilot, lambda: "The last answer has nothing folded away." in screen_text(app))


async def test_the_reason_of_a_mark_is_told_on_focus() -> None:
    async with running(services_of(Script(sentences=(GOOD, DOUBT)))) as (app, pilot):
        await ask(app, pilot)
        reasons = app.main.query_one(Reasons)
        assert "⚠ 1 unverified sentence (u: details)" in screen_text(app)
        await pilot.press("alt+u")
        await until(pilot, lambda: reasons.has_focus)
        assert str(reasons.render()) == "⚠ “Acme owns [no] factories at all.” no source speaks of factories"
        await pilot.press("u")
        await until(pilot, lambda: not reasons.has_focus)
        assert "no source speaks" not in screen_text(app)
        await pilot.click(Reasons)
        await until(pilot, lambda: "no source speaks" in screen_text(app))


async def test_an_answer_without_marks_gives_no_reasons() -> None:
    async with running(services_of(Script(sentences=(GOOD,)))) as (app, pilot):
        await ask(app, pilot)
        assert not app.main.query_one(Reasons).display


async def test_the_passage_that_the_evidence_names_first_is_shown() -> None:
    async with running(compound(), SIZE) as (app, pilot):
        await ask(app, pilot)
        chosen = app.main.query_one(Sources).chosen
        assert chosen is not None
        assert chosen.citation.id == 2


async def test_a_resumed_answer_can_be_filed_by_its_link_and_shows_its_plan_and_reasons() -> None:
    services = services_of(Script(sentences=(GOOD, DOUBT), figures=replace(growth(), plan=STEPS)))
    async with running(services, SIZE) as (app, pilot):
        await ask(app, pilot)
        answer = app.main.answering.turn.answer if app.main.answering.turn is not None else None
        assert answer is not None
        services.kept["c1"] = [replace(answer, plan=STEPS)]
        await pilot.press("f8")
        await until(pilot, lambda: app.screen is not app.main)
        await pilot.press("enter")
        await until(
            pilot, lambda: app.screen is app.main and app.main.answering.turn is not None and app.main.answering.turn.is_done
        )
        assert "Steps: 3" in screen_text(app)
        assert app.main.query_one(Reasons).display
        status = app.main.query_one(StatusText)
        line = str(status.render())
        assert line.endswith("save")
        await pilot.click(StatusText, offset=_last_word(line, status.content_size.width))
        await until(pilot, lambda: len(services.notebook.read().entries) == 1)


def _last_word(line: str, width: int) -> tuple[int, int]:
    """Where the last word of ``line`` stands when it wraps at ``width``, with two cells of padding."""
    row, column = 0, 0
    for word in line.split(" "):
        if column and column + len(word) > width:
            row, column = row + 1, 0
        column += len(word) + 1
    return 3 + column - len(line.split(" ")[-1]) - 1, row


async def test_the_rest_of_a_long_answer_is_folded_until_asked_for() -> None:
    long = " ".join(
        f"Sentence {at} tells of partners at some length, so that a screen is soon full of it. [1]" for at in range(12)
    )
    async with running(services_of(Script(extract=long)), SIZE) as (app, pilot):
        await ask(app, pilot)
        await until(pilot, lambda: "more words (Alt+H)" in screen_text(app))
        assert "Sentence 4" in screen_text(app)
        assert "Sentence 11" not in screen_text(app)
        await pilot.press("alt+h")
        await until(pilot, lambda: "Sentence 11" in screen_text(app))
