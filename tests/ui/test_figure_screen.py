"""A figure is looked into by key and by mouse."""

from __future__ import annotations

from dataclasses import replace

from textual.widgets import OptionList

from fin_tui.engine.figures.detail import FigureDetail, Stated
from fin_tui.records import Fact
from fin_tui.ui.screens.figure import FigureScreen, facts_of
from fin_tui.ui.screens.reader import ReaderScreen
from fin_tui.ui.widgets.evidence_card import FigureTable
from tests.ui.conftest import ask, running, screen_text, services_of, until
from tests.ui.fake_figures import fact, growth
from tests.ui.fakes import ACME, ACME_OLD, FakeServices, Script, passages
from tests.ui.test_notebook import click_words, titles


def detail(text: str) -> FigureDetail:
    fact = Fact("us-gaap:Revenues", "Total net sales", 416_161e6, text, "usd", None, None)
    printed = Stated(ACME, fact, f"${text} million", "8", "p. 32 (physical page 34)")
    hidden = Stated(ACME_OLD, fact, "$391,100 million", is_different=True)
    return FigureDetail(
        "Total net sales", "us-gaap:Revenues", "2024-09-28 to 2025-09-27 (365 days)", (("segment", "[greater] china"),), "usd",
        "to the million", "xbrl", f"${text} million", ACME, "", (printed, hidden), (printed,),
    )  # fmt: skip


def services() -> FakeServices:
    made = services_of(Script(figures=growth()))
    made.notebook.details = {text: detail(text) for text in ("416,161", "391,035")}
    made.notebook.citation = passages(2)[1].citation
    return made


async def test_a_figure_tells_what_it_is_where_it_stands_and_its_other_years() -> None:
    held = services()
    async with running(held, (160, 50)) as (app, pilot):
        await ask(app, pilot)
        await pilot.press("alt+d")
        await until(pilot, lambda: isinstance(app.screen, FigureScreen))
        await until(pilot, lambda: app.screen.query_one(OptionList).option_count == 5)
        text = screen_text(app)
        assert "Concept us-gaap:Revenues" in text
        assert "Part segment: [greater] china" in text
        assert "Reported $391,100 million in FY2024" in text
        assert "$416,161 million FY2025 10-K · Item 8 · p. 32 (physical page 34)" in text
        assert "FY2024 10-K/A · in its hidden data, not printed ® another value" in text
        await pilot.press("n")
        await until(pilot, lambda: "Value $391,035 million" in screen_text(app))
        await pilot.press("p", "f")
        await until(pilot, lambda: titles(held) == ["figure: Acme: Total net sales, year to 2025-09-27"])
        assert held.notebook.library.notebook.all()[0].saved.text == "$416,161 million, year to 2025-09-27"
        await pilot.press("down", "enter")
        await until(pilot, lambda: any("without printing" in str(toast.render()) for toast in app.screen.query("Toast")))
        await pilot.press("up", "enter")
        await until(pilot, lambda: isinstance(app.screen, ReaderScreen))
        await pilot.press("escape")
        await until(pilot, lambda: isinstance(app.screen, FigureScreen))
        await pilot.press("escape")
        await until(pilot, lambda: app.screen is app.main)


async def test_a_click_on_a_figure_looks_into_it() -> None:
    async with running(services(), (160, 50)) as (app, pilot):
        await ask(app, pilot)
        await pilot.press("alt+h")
        operands = app.main.query_one(FigureTable).query_one(".operands")
        await until(pilot, lambda: operands.region.height > 0)
        await click_words(pilot, operands, "$391,035")
        await until(pilot, lambda: isinstance(app.screen, FigureScreen) and "figure" in screen_text(app))
        assert "figure 2 of 2" in screen_text(app)


async def test_a_figure_that_is_gone_says_so() -> None:
    held = services()
    held.notebook.details = {}
    async with running(held, (160, 50)) as (app, pilot):
        await ask(app, pilot)
        await pilot.press("alt+d")
        await until(pilot, lambda: "no longer in the library" in screen_text(app))
        assert held.notebook.library.notebook.all() == ()


async def test_without_figures_nothing_opens() -> None:
    async with running(services_of()) as (app, pilot):
        await ask(app, pilot)
        await pilot.press("alt+d")
        await pilot.pause()
        assert app.screen is app.main


async def test_a_label_with_brackets_is_no_markup() -> None:
    made = services_of(Script(figures=replace(growth(), facts=(fact("Segments [Member] [/] sales", "416,161", 1.0, 2025, 2),))))
    async with running(made, (160, 50)) as (app, pilot):
        await ask(app, pilot)
        await pilot.press("alt+d")
        await until(pilot, lambda: "Segments [Member] [/] sales" in screen_text(app) and isinstance(app.screen, FigureScreen))


def test_a_figure_without_a_tag_names_none_and_units_are_words() -> None:
    read = dict(facts_of(replace(detail("14.2"), source="table", concept="table:gross-margin", unit="pure", text="14.2%")))
    assert "Concept" not in read
    assert read["Unit"] == "percent, to the million"
    assert dict(facts_of(detail("1")))["Unit"] == "US dollars, to the million"
    assert dict(facts_of(replace(detail("1"), unit="usd/shares")))["Unit"].startswith("US dollars per share")
