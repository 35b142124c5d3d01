"""Whatever has a key can be done with the mouse as well: by a click on the footer, in the palette, or on the thing itself."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from functools import partial
from pathlib import Path
from typing import Any, NamedTuple, cast

import pytest
from textual.binding import Binding
from textual.command import CommandPalette
from textual.pilot import Pilot
from textual.widget import Widget
from textual.widgets import Footer, OptionList

from fin_tui.ui.app import FinTuiApp
from fin_tui.ui.keymap import actions
from fin_tui.ui.keys import PLACES
from fin_tui.ui.screens import adding
from fin_tui.ui.screens.dialog import ErrorScreen
from fin_tui.ui.screens.figure import FigureScreen
from fin_tui.ui.screens.reader import ReaderScreen
from fin_tui.ui.screens.settings import SettingsScreen
from fin_tui.ui.widgets.bars import ScopeChips
from fin_tui.ui.widgets.evidence_card import PlanSteps
from fin_tui.ui.widgets.filing_browser import FilingTree
from fin_tui.ui.widgets.sources import Sources
from fin_tui.ui.widgets.text_view import TextView
from fin_tui.ui.widgets.turn import Reasons
from tests.ui import test_every_key as keys
from tests.ui import test_snapshots_screens as shots
from tests.ui.conftest import running, until
from tests.ui.fakes import FakeServices
from tests.ui.test_notebook import click_words, titles

WIDE = (260, 50)
"""Where the footer has room for all its keys."""


@pytest.fixture(autouse=True)
def _folder(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(adding, "list_folder", lambda folder: shots.ENTRIES)


_NO_FOOTER = ("Fetch", "Change question")
"""These dialogs have buttons, or name their keys in the frame, in place of a footer."""


def footer_keys(app: FinTuiApp) -> dict[str, Any]:
    return {key.action: key for key in cast("Iterator[Any]", iter(app.screen.query("FooterKey")))}


@pytest.mark.parametrize(("place", "steps"), [(place, ways[-1]) for place, ways in keys.WAYS.items() if place not in _NO_FOOTER])
async def test_a_click_on_a_key_of_the_footer_is_that_key(place: str, steps: keys.Steps) -> None:
    failed, clicked = [], 0
    async with running(shots.services(), WIDE) as (app, pilot):
        app.dialogs.folder = Path("/filings")
        await steps(app, pilot)
        await until(pilot, lambda: bool(footer_keys(app)))
        for press in keys.presses(place, steps):
            key = footer_keys(app).get(press.action)
            if key is None or key.key != press.key:
                continue
            done: list[str] = []
            with pytest.MonkeyPatch.context() as patch:
                keys.record(patch, press, done)
                await pilot.click(key)
                await until(pilot, partial(bool, done))
            clicked += 1
            if done != [press.action.removeprefix("app.")]:
                failed.append((press.key, press.action, done))
    assert failed == []
    assert clicked or place == "Prompt"


@pytest.mark.parametrize(("place", "steps"), [(place, ways[-1]) for place, ways in keys.WAYS.items()])
async def test_each_action_stands_in_the_palette_and_runs_from_there(place: str, steps: keys.Steps) -> None:
    bindings = [(owner, b) for owner in dict(PLACES)[place] for b in owner.BINDINGS if isinstance(b, Binding) and b.tooltip]
    wanted = [(owner, b) for owner, b in bindings if not b.action.startswith("digit(")]
    async with running(shots.services(), WIDE) as (app, pilot):
        app.dialogs.folder = Path("/filings")
        await steps(app, pilot)
        behind = app.screen
        commands = {(c.help, c.title.split("  (")[0]): c for c in actions(behind, {})}
        for owner, binding in wanted:
            done: list[str] = []
            with pytest.MonkeyPatch.context() as patch:
                keys.record(patch, keys.Press(owner, binding.action, binding.key.split(",")[0]), done)
                by_name = commands.get((binding.tooltip, binding.description))
                # Of two commands of one name the second is called by what it does.
                await (by_name or commands[binding.tooltip, binding.tooltip]).callback()
            assert done == [binding.action.removeprefix("app.")]
        if behind.query(Footer):
            await until(pilot, lambda: "app.command_palette" in footer_keys(app) or "command_palette" in footer_keys(app))
            await pilot.click(next(iter(app.screen.query("FooterKey.-command-palette"))))
        else:
            await pilot.press("ctrl+p")
        await until(pilot, lambda: isinstance(app.screen, CommandPalette))
        lines = app.screen.query_one(OptionList)
        told = {binding.tooltip for _, binding in wanted}
        await until(pilot, lambda: all(any(what in str(line.prompt) for line in lines.options) for what in told))


async def test_a_click_on_a_line_of_the_palette_runs_it() -> None:
    async with running(shots.services(), (120, 40)) as (app, pilot):
        await until(pilot, lambda: bool(footer_keys(app)))
        await pilot.click(next(iter(app.screen.query("FooterKey.-command-palette"))))
        await until(pilot, lambda: isinstance(app.screen, CommandPalette))
        lines = app.screen.query_one(OptionList)
        await pilot.press(*"mode")
        await until(pilot, lambda: lines.option_count > 0 and "Search by meaning" in str(lines.options[0].prompt))
        await until(pilot, lambda: lines.region.height > 0)
        await click_words(pilot, lines, "Mode")
        await until(pilot, lambda: app.main.answering.choice.mode == "dense")


class Click(NamedTuple):
    """Words on screen, and what clicks on them must come to."""

    id: str
    steps: keys.Steps
    on: str
    """Selects the widget that shows the words."""
    words: str
    done: Callable[[FinTuiApp, FakeServices], bool]
    times: int = 1
    size: tuple[int, int] = (170, 70)


def chosen(number: int) -> Callable[[FinTuiApp, FakeServices], bool]:
    def is_chosen(app: FinTuiApp, _: FakeServices) -> bool:
        found = app.main.query_one(Sources).chosen
        return app.screen is app.main and found is not None and found.citation.id == number

    return is_chosen


def reading(app: FinTuiApp, _: FakeServices) -> bool:
    return isinstance(app.screen, ReaderScreen) and app.screen.is_filled


async def on_third(app: FinTuiApp, pilot: Pilot[Any]) -> None:
    """So that the first and second source are not the chosen one."""
    await shots.answer(app, pilot)
    await pilot.press("3")
    await until(pilot, lambda: chosen(3)(app, shots.services()))


async def unfolded(app: FinTuiApp, pilot: Pilot[Any]) -> None:
    await on_third(app, pilot)
    await pilot.press("alt+h")
    await until(pilot, lambda: app.main.query_one(".operands").region.height > 0)


async def scoped(app: FinTuiApp, pilot: Pilot[Any]) -> None:
    await keys.filings(app, pilot)
    await pilot.press("space")
    await until(pilot, lambda: app.main.query_one(ScopeChips).display)


async def items(app: FinTuiApp, pilot: Pilot[Any]) -> None:
    """The Items of the newest filing are in the tree, the cursor is elsewhere."""
    await keys.filings(app, pilot)
    tree = app.main.query_one(FilingTree)
    await pilot.press("down", "right")
    await until(pilot, lambda: tree.cursor_node is not None and len(tree.cursor_node.children) == 2)


async def contents(app: FinTuiApp, pilot: Pilot[Any]) -> None:
    await shots.reader(app, pilot)
    await until(pilot, lambda: app.screen.query_one(OptionList).option_count == 4)


async def two_conversations(app: FinTuiApp, pilot: Pilot[Any]) -> None:
    await shots.answer(app, pilot)
    await pilot.press("f9")
    await until(pilot, lambda: app.main.answering.turn is None)
    await pilot.press("f8")
    await until(pilot, lambda: bool(app.screen.query("#conversation-list")))


async def choosing(app: FinTuiApp, pilot: Pilot[Any]) -> None:
    await shots.settings(app, pilot)
    await pilot.press("slash", *"search.mode", "enter", "enter")
    await until(pilot, lambda: bool(app.screen.query("#values")))


async def failed(app: FinTuiApp, pilot: Pilot[Any]) -> None:
    app.push_screen(ErrorScreen("Not [so]", "It failed."))
    await until(pilot, lambda: isinstance(app.screen, ErrorScreen))


def mode(wanted: str) -> Callable[[FinTuiApp, FakeServices], bool]:
    return lambda app, _: app.main.answering.choice.mode == wanted and isinstance(app.screen, SettingsScreen)


CLICKS = (
    Click("citation of the evidence", on_third, ".extract", "[1]", chosen(1)),
    Click("citation of a passage", on_third, ".references", "[2]", chosen(2)),
    Click("citation of the model's words", on_third, ".answer MarkdownBlock", "[1]", chosen(1)),
    Click("citation of a figure", unfolded, ".operands", "[2]", chosen(2)),
    Click("figure", unfolded, ".operands", "$391,035", lambda app, _: isinstance(app.screen, FigureScreen)),
    Click("plan", on_third, "PlanSteps CollapsibleTitle", "Steps", lambda app, _: not app.main.query_one(PlanSteps).collapsed),
    Click("reasons", on_third, "Reasons", "unverified", lambda app, _: app.main.query_one(Reasons).has_focus),
    Click("save", on_third, "StatusText", "save", lambda _, services: len(titles(services)) == 1),
    Click("source", on_third, "#source-list", " 1 ", chosen(1)),
    Click("source twice", on_third, "#source-list", " 1 ", reading, times=2),
    Click("chips", scoped, "#scope", "clears", lambda app, _: not app.main.query_one(ScopeChips).display),
    Click("tab", shots.answer, "#tabs", "Sources", lambda app, _: app.main.query_one(Sources).display, size=(80, 24)),
    Click("arrow", items, "#tree", "▾", lambda app, _: not app.main.query_one(FilingTree).root.children[0].is_expanded),
    Click("Item", items, "#tree", "Risk", lambda app, _: app.screen is app.main and "1A" in tree_line(app)),
    Click("Item twice", items, "#tree", "Risk", reading, times=2),
    Click("contents", contents, "#items", "Note 3", lambda app, _: "run for a year" in seen(app)),
    Click("note", contents, "#text", "Note 3", lambda app, _: "run for a year" in seen(app)),
    Click("place of a figure", keys.figure, "#figure-places", "Item 8", reading),
    Click(
        "conversation", two_conversations, "#conversation-list", "How much", lambda app, _: app.main.answering.turn is not None
    ),
    Click("setting", shots.settings, "#setting-list", "  rerank ", lambda app, _: "rerank" in setting(app)),
    Click("choice", choosing, "#values", "dense", mode("dense")),
    Click("way out of a choice", choosing, "#choosing", "", mode("hybrid")),
    Click("way out of an error", failed, "#error", "", lambda app, _: app.screen is app.main),
    Click("way out of fetching", keys.fetch, "#fetching", "", lambda app, _: app.screen is app.main),
)


def tree_line(app: FinTuiApp) -> str:
    node = app.main.query_one(FilingTree).cursor_node
    return str(node.label) if node is not None else ""


def seen(app: FinTuiApp) -> str:
    view = app.screen.query_one("#text", TextView)
    return "".join(view.render_line(y).text for y in range(view.size.height))


def setting(app: FinTuiApp) -> str:
    options = app.screen.query_one(OptionList)
    return str(options.options[options.highlighted or 0].prompt)


def place_of(widget: Widget, words: str) -> tuple[int, int] | None:
    """The cell of ``words`` in what ``widget`` shows; without words, of the link in its lower border."""
    region = widget.content_region
    for row in range(region.height if words else 0):
        line = widget.render_line(row).text
        if words in line:
            return region.x + line.index(words) + 1, region.y + row
    low = widget.region.bottom - 1
    linked = (x for x in range(widget.region.x, widget.region.right) if "@click" in widget.screen.get_style_at(x, low).meta)
    return next(((x + 1, low) for x in linked), None)


@pytest.mark.parametrize("click", CLICKS, ids=lambda click: click.id.replace(" ", "-"))
async def test_click(click: Click) -> None:
    services = shots.services()
    services.notebook.citation = services.scripts[0].passages[1].citation
    async with running(services, click.size) as (app, pilot):
        await click.steps(app, pilot)
        widget = app.screen.query(click.on).first()
        for _ in range(click.times):
            await until(pilot, lambda: place_of(widget, click.words) is not None)
            place = place_of(widget, click.words)
            assert place is not None
            await pilot.click(offset=place)
        await until(pilot, lambda: click.done(app, services))
