"""From a citation to the passage to the filing, by key and by mouse."""

from __future__ import annotations

import pytest
from textual import events
from textual.widgets import OptionList

from fin_tui.ui.app import FinTuiApp
from fin_tui.ui.controllers.sources import NumberKeys
from fin_tui.ui.screens.dialog import ErrorScreen
from fin_tui.ui.screens.reader import ReaderScreen
from fin_tui.ui.widgets.prompt import Prompt
from fin_tui.ui.widgets.sources import Sources
from fin_tui.ui.widgets.text_view import TextView
from fin_tui.ui.widgets.turn import Turn
from tests.ui.conftest import ask, running, services_of, until
from tests.ui.fakes import TABLE, TEXT, Script, passage, passages


def chosen(app: FinTuiApp) -> int | None:
    passage = app.main.query_one(Sources).chosen
    return passage.citation.id if passage else None


async def test_the_first_source_is_shown_with_its_cited_span_marked() -> None:
    async with running(services_of()) as (app, pilot):
        await ask(app, pilot)
        assert chosen(app) == 1
        assert app.main.query_one("#passage-text", TextView).marked_text == passages(1)[0].citation.quote


async def test_keys_walk_through_the_sources_inside_and_outside_the_prompt() -> None:
    async with running(services_of(Script(passages=passages(12)))) as (app, pilot):
        await ask(app, pilot)
        await pilot.press("alt+n")
        assert chosen(app) == 2
        await pilot.press("alt+p", "alt+p")
        assert chosen(app) == 12
        await pilot.press("escape", "n")
        assert chosen(app) == 1
        await pilot.press("7")
        assert chosen(app) == 7
        await pilot.press("1", "1")
        assert chosen(app) == 11


async def test_alt_keys_as_terminals_send_them_do_not_write_into_the_prompt() -> None:
    async with running(services_of()) as (app, pilot):
        await ask(app, pilot)
        prompt = app.main.query_one(Prompt)
        app.post_message(events.Key("alt+n", "n"))
        await until(pilot, lambda: chosen(app) == 2)
        app.post_message(events.Key("alt+3", "3"))
        await until(pilot, lambda: chosen(app) == 3)
        assert prompt.text == ""


async def test_letters_typed_into_the_prompt_stay_there() -> None:
    async with running(services_of()) as (app, pilot):
        await ask(app, pilot)
        await pilot.press(*"np1mrx")
        assert chosen(app) == 1
        assert app.main.query_one(Prompt).text == "np1mrx"


async def test_clicking_citations_of_two_turns_shows_each_turns_own_passage() -> None:
    other = passage(1, TABLE, "Total net sales\t$ 416,161")
    async with running(services_of(Script(), Script(passages=(other,))), size=(120, 60)) as (app, pilot):
        await ask(app, pilot, "First?")
        first = app.main.query(Turn).last()
        await ask(app, pilot, "Second?")
        assert app.main.query_one(Sources).passages == (other,)
        first.scroll_visible(animate=False, top=True)  # The second stands at the top.
        await until(pilot, lambda: first.region.y >= 0)
        x, y = _place_of(app, first, "[1]")
        await pilot.click(offset=(x, y))
        await until(pilot, lambda: app.main.query_one(Sources).passages == first.state.passages)
        assert chosen(app) == 1


def _place_of(app: FinTuiApp, turn: Turn, text: str) -> tuple[int, int]:
    """Screen cell of ``text`` in the extract of ``turn``."""
    extract = turn.query_one(".extract")
    region = extract.content_region
    for row in range(region.height):
        line = extract.render_line(row).text
        if text in line:
            return region.x + line.index(text) + 1, region.y + row
    raise AssertionError(f"{text} is not on screen")


async def test_a_table_stands_in_the_columns_that_the_filing_was_read_with() -> None:
    text = "2021\t2020\t2019\nSales\t9\t8\t7\nA gain\t498"
    services = services_of(Script(passages=(passage(1, text, "A gain\t498"),)))
    starts = [0, *(at + 1 for at, sign in enumerate(text) if sign in "\t\n")]
    services.shelf.grid = {at: (of, of) for at, of in zip(starts, (1, 2, 3, 0, 1, 2, 3, 0, 2), strict=True)}
    async with running(services) as (app, pilot):
        await ask(app, pilot)
        view = app.main.query_one("#passage-text", TextView)

        def lines() -> list[str]:
            return [view.render_line(y).text.rstrip() for y in range(4)]

        await until(pilot, lambda: lines()[2].index("498") + 3 == lines()[0].index("2020") + 4)
        assert [line.split() for line in lines()[:3]] == [
            ["2021", "2020", "2019"],
            ["Sales", "9", "8", "7"],
            ["A", "gain", "498"],
        ]
        assert view.marked_text == "A gain\t498"


async def test_a_click_in_the_list_shows_the_passage() -> None:
    async with running(services_of()) as (app, pilot):
        await ask(app, pilot)
        await pilot.click("#source-list", offset=(5, 2))
        await until(pilot, lambda: chosen(app) == 3)
        assert chosen(app) == 3


async def test_the_reader_opens_at_the_cited_span_and_escape_comes_back() -> None:
    deep = passage(1, TABLE, "Total net sales\t$ 416,161")
    async with running(services_of(Script(passages=(deep,)))) as (app, pilot):
        await ask(app, pilot)
        await pilot.press("ctrl+o")
        await until(pilot, lambda: isinstance(app.screen, ReaderScreen) and bool(app.screen.query_one(TextView).marked_text))
        view = app.screen.query_one(TextView)
        assert view.marked_text == "Total net sales\t$ 416,161"
        assert "Total net sales" in "".join(view.render_line(y).text for y in range(view.size.height))
        await pilot.press("escape")
        assert app.screen is app.main


async def test_enter_on_a_source_opens_the_reader_and_its_items_jump() -> None:
    async with running(services_of()) as (app, pilot):
        await ask(app, pilot)
        await pilot.press("f4", "enter")
        await until(pilot, lambda: isinstance(app.screen, ReaderScreen) and app.screen.query_one(OptionList).option_count == 4)
        await pilot.press("tab", "down", "enter")
        view = app.screen.query_one(TextView)
        await until(pilot, lambda: "2025" in view.render_line(0).text)
        assert "Products" in view.render_line(2).text


async def test_a_filing_that_is_gone_is_named_in_one_place() -> None:
    gone = passage(1)
    citation = gone.citation.__class__(**{f: getattr(gone.citation, f) for f in gone.citation.__slots__} | {"filing": "gone"})
    script = Script(passages=(gone.__class__(citation, gone.text, gone.start, gone.end, gone.score),))
    async with running(services_of(script)) as (app, pilot):
        await ask(app, pilot)
        await pilot.press("ctrl+o")
        await until(pilot, lambda: isinstance(app.screen, ErrorScreen))
        assert "gone: no such filing" in str(app.screen.query_one("#error-message").render())
        await pilot.press("escape")
        await until(pilot, lambda: app.screen is app.main)
        assert app.screen is app.main


@pytest.mark.parametrize(
    ("pressed", "known", "expected"),
    [("12", range(1, 16), [1, 12]), ("12", range(1, 9), [1, 2]), ("0", range(1, 9), [None]), ("1 2", range(1, 16), [1, 2])],
)
def test_two_digits_name_one_passage_only_when_typed_quickly(pressed: str, known: range, expected: list[int | None]) -> None:
    now = [0.0]
    keys = NumberKeys(lambda: now[0])
    got = []
    for key in pressed:
        now[0] += 5.0 if key == " " else 0.1
        if key != " ":
            got.append(keys.press(int(key), known))
    assert got == expected


def test_the_fake_filing_holds_what_its_passages_say() -> None:
    for p in passages(3):
        assert TEXT[p.start : p.end] == p.text
        assert TEXT[p.citation.start : p.citation.end] == p.citation.quote
