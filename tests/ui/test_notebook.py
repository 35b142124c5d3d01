"""Answers, passages and figures are filed by key and by mouse, arranged, noted on, and written."""

from __future__ import annotations

from pathlib import Path

from textual.geometry import Offset
from textual.pilot import Pilot
from textual.selection import Selection
from textual.widget import Widget
from textual.widgets import Input, OptionList

from fin_tui.records import Saved
from fin_tui.ui.app import FinTuiApp
from fin_tui.ui.screens.conversations import ConversationsScreen
from fin_tui.ui.screens.dialog import AskFirstScreen
from fin_tui.ui.screens.notebook import NotebookScreen
from fin_tui.ui.screens.reader import ReaderScreen
from fin_tui.ui.widgets.sources import Sources
from fin_tui.ui.widgets.text_view import TextView
from fin_tui.ui.widgets.turn import Turn
from tests.ui.conftest import ask, running, screen_text, services_of, until
from tests.ui.fake_figures import growth
from tests.ui.fakes import GOOD, TEXT, FakeServices, Script, passages

GOOD_ONLY = Script(sentences=(GOOD,), answer=f"{GOOD.text} [1]", figures=growth())


def titles(services: FakeServices) -> list[str]:
    return [f"{entry.saved.kind}: {entry.saved.title}" for entry in services.notebook.library.notebook.all()]


def exported(services: FakeServices) -> list[Path]:
    return sorted((services.notebook.home / "exports").glob("*"))


async def click_words(pilot: Pilot[None], widget: Widget, words: str) -> None:
    """Click on ``words`` of what ``widget`` shows."""
    region = widget.content_region
    row = next(y for y in range(region.height) if words in widget.render_line(y).text)
    column = widget.render_line(row).text.index(words) + 1
    await pilot.click(offset=(region.x + column, region.y + row))


async def open_notebook(app: FinTuiApp, pilot: Pilot[None]) -> NotebookScreen:
    await pilot.press("f7")
    await until(pilot, lambda: isinstance(app.screen, NotebookScreen))
    screen = app.screen
    assert isinstance(screen, NotebookScreen)
    await until(pilot, lambda: screen.chosen is not None)
    return screen


async def test_an_answer_and_a_passage_are_filed_by_key_and_by_mouse() -> None:
    services = services_of(GOOD_ONLY)
    async with running(services, (160, 50)) as (app, pilot):
        await ask(app, pilot, "Who makes it?")
        await pilot.press("alt+k")
        await until(pilot, lambda: titles(services) == ["answer: Who makes it?"])
        app.main.query_one("#source-list").focus()
        await pilot.press("n", "f")
        await until(pilot, lambda: len(titles(services)) == 2)
        chosen = app.main.query_one(Sources).chosen
        assert chosen is not None
        assert titles(services)[1] == f"passage: {chosen.citation.reference}"
        turn = app.main.query(Turn).last()
        await click_words(pilot, turn.query_one(".status"), "save")
        await until(pilot, lambda: len(titles(services)) == 3)
        saved = services.notebook.library.notebook.all()[0].saved
        assert [citation.id for citation in saved.citations] == [1, 2]
        assert saved.sentences == (GOOD,)
        assert saved.facts == growth().facts


async def test_an_answer_that_is_not_there_is_not_filed() -> None:
    services = services_of()
    async with running(services) as (app, pilot):
        await pilot.press("alt+k")
        assert titles(services) == []
        await pilot.press("f7")
        await until(pilot, lambda: isinstance(app.screen, NotebookScreen))
        await until(pilot, lambda: "Nothing yet" in screen_text(app))
        await pilot.press("escape")
        await until(pilot, lambda: app.screen is app.main)


async def test_entries_are_moved_noted_and_deleted() -> None:
    services = services_of()
    for name in ("one", "two", "three"):
        services.notebook.library.notebook.add(Saved("answer", name, text="A."))
    async with running(services) as (app, pilot):
        screen = await open_notebook(app, pilot)
        await pilot.press("J")
        await until(pilot, lambda: titles(services) == ["answer: two", "answer: one", "answer: three"])
        await until(pilot, lambda: screen.query_one("#entries", OptionList).highlighted == 1)
        await pilot.press("n", *"check it", "enter")
        await until(pilot, lambda: services.notebook.library.notebook.all()[1].note == "check it")
        assert not screen.query_one(Input).display
        await until(pilot, lambda: "✎ check it" in screen_text(app))
        await pilot.click("#entries", offset=(4, 0))
        await until(pilot, lambda: screen.chosen is not None and screen.chosen.saved.title == "two")
        await pilot.press("d")
        assert len(titles(services)) == 3
        await pilot.press("d")
        await until(pilot, lambda: titles(services) == ["answer: one", "answer: three"])


async def test_what_nothing_supports_is_written_only_when_confirmed() -> None:
    services = services_of()
    async with running(services) as (app, pilot):
        await ask(app, pilot)
        await pilot.press("alt+k")
        await until(pilot, lambda: len(titles(services)) == 1)
        await open_notebook(app, pilot)
        await pilot.press("m")
        await until(pilot, lambda: any("press m again" in str(toast.render()) for toast in app.screen.query("Toast")))
        assert exported(services) == []
        await pilot.press("m")
        await until(pilot, lambda: [path.name for path in exported(services)] == ["notebook.md"])
        assert "Acme owns no factories at all. ⚠" in exported(services)[0].read_text()
        await pilot.press("v")
        await until(pilot, lambda: [path.name for path in exported(services)] == ["notebook.csv", "notebook.md"])
        exported(services)[0].write_text("mine")
        await pilot.press("v")
        await until(pilot, lambda: isinstance(app.screen, AskFirstScreen))
        assert exported(services)[0].read_text() == "mine"
        await pilot.press("down", "enter")
        names = ["notebook-2.csv", "notebook.csv", "notebook.md"]
        await until(pilot, lambda: [path.name for path in exported(services)] == names)
        assert exported(services)[1].read_text() == "mine"
        await pilot.press("v")
        await until(pilot, lambda: isinstance(app.screen, AskFirstScreen))
        await pilot.press("enter")
        await until(pilot, lambda: exported(services)[1].read_text() != "mine")


async def test_an_entry_says_when_its_words_are_gone_and_opens_nothing() -> None:
    services = services_of(GOOD_ONLY)
    async with running(services) as (app, pilot):
        await ask(app, pilot)
        await pilot.press("alt+k")
        await until(pilot, lambda: len(titles(services)) == 1)
        await open_notebook(app, pilot)
        await until(pilot, lambda: "in the library no more" in screen_text(app))
        await pilot.press("enter")
        await pilot.pause()
        assert not isinstance(app.screen, ReaderScreen)


async def test_a_conversation_is_written_from_the_list() -> None:
    services = services_of(GOOD_ONLY)
    library = services.notebook.library
    async with running(services) as (app, pilot):
        await ask(app, pilot, "Who makes it?")
        made = library.conversations.create()
        (answer,) = next(iter(services.kept.values()))
        library.conversations.append(made, answer.question, answer, {})
        services.kept[made] = services.kept.pop("c1")
        services.titles[made] = "Who makes it?"
        await pilot.press("f8")
        await until(pilot, lambda: isinstance(app.screen, ConversationsScreen))
        await pilot.press("h", "m", "v")
        names = ["who-makes-it.csv", "who-makes-it.html", "who-makes-it.md"]
        await until(pilot, lambda: [path.name for path in exported(services)] == names)
        assert "## Who makes it?" in exported(services)[2].read_text()


async def test_words_of_the_reader_are_filed_selected_marked_or_on_top() -> None:
    services = services_of()
    asked: list[str] = []
    services.notebook.keep_span = lambda filing, start, end: asked.append(TEXT[start:end])  # type: ignore[method-assign]
    async with running(services) as (app, pilot):
        await ask(app, pilot)
        await pilot.press("escape", "ctrl+o")
        await until(pilot, lambda: isinstance(app.screen, ReaderScreen) and app.screen.is_filled)
        view = app.screen.query_one(TextView)
        await until(pilot, lambda: view.on_screen.end > 0)
        await pilot.press("f")
        await until(pilot, lambda: asked == [passages()[0].citation.quote])
        await pilot.press("G")
        await pilot.wait_for_scheduled_animations()
        await pilot.press("f")
        await until(pilot, lambda: len(asked) == 2)
        assert asked[1].strip()
        assert TEXT.find(asked[1]) <= view.on_screen.start < TEXT.find(asked[1]) + len(asked[1])
        await pilot.press("g")
        await until(pilot, lambda: view.on_screen.start == 0)
        app.screen.selections = {view: Selection(Offset(0, 0), Offset(4, 0))}
        await pilot.press("f")
        await until(pilot, lambda: asked[2:] == ["ACME"])
