"""What was understood stands as a line over the answer; q makes parts of it that can be changed."""

from __future__ import annotations

from textual.widgets import Input, Static

from fin_tui.engine.questions.interpretation import Interpretation
from fin_tui.records import Refusal
from fin_tui.ui.scoping import Picks
from fin_tui.ui.screens.changing import ChangeScreen
from fin_tui.ui.screens.dialog import AskFirstScreen
from fin_tui.ui.widgets.filing_browser import FilingBrowser
from fin_tui.ui.widgets.turn import Turn
from tests.ui.conftest import ask, running, services_of, until
from tests.ui.fakes import ACME, Script

ASKED = "What was acmme revenue in 2025?"
READ = Interpretation(
    ASKED, ("Acme",), ("FY2025",), "revenue", corrected=(("acmme", "Acme"),),
    company_places=((9, 14),), period_places=((26, 30),), figure_places=((15, 22),),
)  # fmt: skip
BEYOND = Interpretation(
    "What was Zenith's revenue?",
    ("Zenith",),
    (),
    "revenue",
    company_places=((9, 15),),
    figure_places=((18, 25),),
    outside=("Zenith",),
    limit="Acme",
)
REFUSED = Refusal("out_of_scope", "The question names Zenith; the scope is limited to Acme.")


async def test_a_part_is_changed_and_asked_again() -> None:
    services = services_of(Script(interpretation=READ))
    async with running(services) as (app, pilot):
        await ask(app, pilot, ASKED)
        told = str(app.main.query(Turn).last().query_one(".understood", Static).render())
        assert told == "Acme · FY2025 · revenue  (acmme → Acme)"
        await pilot.press("escape", "q")
        await until(pilot, lambda: isinstance(app.screen, ChangeScreen))
        await pilot.press("tab")
        app.screen.query_one("#period", Input).value = "FY2024"
        await until(pilot, lambda: "FY2024" in str(app.screen.query_one("#anew", Static).render()))
        await pilot.press("enter")
        await until(pilot, lambda: len(services.asked) == 2)
        assert services.asked[1].question == "What was acmme revenue in FY2024?"


async def test_what_was_changed_is_asked_without_the_turns_before_and_stays_among_them() -> None:
    services = services_of(Script(), Script(interpretation=READ), Script(interpretation=READ), Script())
    async with running(services) as (app, pilot):
        await ask(app, pilot, "What does Zenith sell?")
        await ask(app, pilot, ASKED)
        await pilot.press("alt+q")
        await until(pilot, lambda: isinstance(app.screen, ChangeScreen))
        await until(pilot, lambda: app.screen.query_one("#company", Input).has_focus)
        app.screen.query_one("#company", Input).value = ""
        await pilot.press("enter")
        await until(pilot, lambda: len(app.main.query(Turn)) == 3 and not app.main.answering.is_answering)
        await ask(app, pilot, "And before?")
    assert [(asked.question, asked.history) for asked in services.asked[1:]] == [
        (ASKED, ("What does Zenith sell?",)),
        ("What was revenue in 2025?", ()),
        ("And before?", ("What does Zenith sell?", ASKED, "What was revenue in 2025?")),
    ]


async def test_a_question_that_is_left_as_it_was_is_not_asked_again() -> None:
    services = services_of(Script(interpretation=READ))
    async with running(services) as (app, pilot):
        await ask(app, pilot, ASKED)
        await pilot.press("alt+q")
        await until(pilot, lambda: isinstance(app.screen, ChangeScreen))
        await pilot.press("escape")
        await until(pilot, lambda: not isinstance(app.screen, ChangeScreen))
        assert [asked.question for asked in services.asked] == [ASKED]
        assert len(app.main.query(Turn)) == 1


async def test_where_the_scope_leaves_the_company_out_both_are_offered() -> None:
    services = services_of(Script(interpretation=BEYOND, refusal=REFUSED))
    async with running(services) as (app, pilot):
        browser = app.main.query_one(FilingBrowser)
        browser.pick(Picks(companies=frozenset({ACME.company_key})))
        await ask(app, pilot, BEYOND.text)
        assert "q (Alt+Q) asks one or the other" in str(app.main.query(Turn).last().query_one(".refusal", Static).render())
        await pilot.press("escape", "q")
        await until(pilot, lambda: isinstance(app.screen, AskFirstScreen))
        await pilot.press("down", "enter")
        await until(pilot, lambda: len(services.asked) == 2)
        assert services.asked[1].question == "What was Acme's revenue?"
        assert services.asked[1].scope.companies
        assert services.asked[1].history == ()
        await until(pilot, lambda: app.main.answering.turn is not None and app.main.answering.turn.is_done)
        await pilot.press("q")
        await until(pilot, lambda: isinstance(app.screen, AskFirstScreen))
        await pilot.press("enter")
        await until(pilot, lambda: len(services.asked) == 3)
        assert services.asked[2].question == BEYOND.text
        assert not services.asked[2].scope.companies
        assert services.asked[2].history == (BEYOND.text, "What was Acme's revenue?")
