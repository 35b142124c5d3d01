"""Each task of ``tests.ui.tasks``, done in the app by the keys that stand there, from what the screen shows."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest
from textual import events
from textual.pilot import Pilot
from textual.widgets import OptionList

from fin_tui.records import Refusal
from fin_tui.ui.app import FinTuiApp
from fin_tui.ui.screens.adding import AddScreen
from fin_tui.ui.screens.changes import ChangesScreen
from fin_tui.ui.screens.check import CheckScreen
from fin_tui.ui.screens.conversations import ConversationsScreen
from fin_tui.ui.screens.fetching import FetchScreen
from fin_tui.ui.screens.figure import FigureScreen
from fin_tui.ui.screens.notebook import NotebookScreen
from fin_tui.ui.screens.reader import ReaderScreen
from fin_tui.ui.widgets.reasons import Reasons
from fin_tui.ui.widgets.sources import Sources
from fin_tui.ui.widgets.text_view import TextView
from tests.ui.conftest import ask, running, services_of, until
from tests.ui.fake_figures import growth
from tests.ui.fakes import PARAGRAPH, FakeServices, Script
from tests.ui.tasks import TASKS, Press, Task, task_table
from tests.ui.test_checking import CHECKED
from tests.ui.test_figure_screen import detail

README = Path(__file__).parents[2] / "README.md"
MARKS = ("<!-- tasks: python -m tests.ui.tasks -->", "<!-- tasks end -->")
REFUSAL = Refusal("not_in_library", "No filing of Globex is in the library.", fetch="fin-tui fetch Globex")
Done = Callable[[FinTuiApp, FakeServices], bool]


def made(task: Task) -> FakeServices:
    script = Script(refusal=REFUSAL) if task.id == "fetch" else Script(figures=growth(), extract="Net sales were $416,161. [2]")
    if task.id in ("third", "changes"):
        script = Script()
    services = services_of(script)
    services.notebook.details = {text: detail(text) for text in ("416,161", "391,035")}
    services.found_in_check = CHECKED
    return services


def marked(app: FinTuiApp) -> str:
    return app.screen.query_one(TextView).marked_text if isinstance(app.screen, ReaderScreen) else ""


DONE: dict[str, Done] = {
    "cell": lambda app, _: "Total net sales\t$ 416,161" in marked(app),
    "third": lambda app, _: PARAGRAPH.split(". ")[0] in marked(app),
    "changes": lambda app, _: isinstance(app.screen, ChangesScreen),
    "figure": lambda app, _: isinstance(app.screen, FigureScreen) and app.screen.query_one(OptionList).option_count == 5,
    "export": lambda _, services: "416,161" in "".join(p.read_text() for p in (services.notebook.home / "exports").glob("*.md")),
    "company": lambda _, services: [ask.scope.companies for ask in services.asked] == [("cik:1",)],
    "mode": lambda _, services: [ask.mode for ask in services.asked] == ["hybrid", "dense"],
    "drop": lambda _, services: len(services.asked) == 2 and len(services.asked[1].dropped) == 1,
    "check": lambda app, services: bool(services.checked) and bool(app.screen.query_one("#findings").display),
    "folder": lambda _, services: [name for name, _ in services.work.called] == ["add"],
    "fetch": lambda _, services: len(services.fetching.ran) == 1,
    "resume": lambda app, _: app.main.turn is not None and app.main.turn.question == "Before?",
    "copy": lambda app, _: any("Copied the answer" in str(toast.render()) for toast in app.screen.query("Toast")),
    "why": lambda app, _: app.main.query_one(Reasons).has_focus,
}


def settled(app: FinTuiApp) -> bool:
    """What the last key opened is filled: a person would wait for that."""
    screen = app.screen
    match screen:
        case ReaderScreen():
            return screen.is_filled and bool(screen.query_one(TextView).marked_text)
        case FigureScreen():
            return bool(screen.query_one(OptionList).option_count)
        case NotebookScreen():
            return screen.chosen is not None
        case FetchScreen():
            return "example" in str(screen.query_one("#terms").render()) and "Asking" not in str(
                screen.query_one("#fetch-note").render()
            )
        case ConversationsScreen() | CheckScreen() | AddScreen():
            return True
    return not app.main.is_answering


async def press(app: FinTuiApp, pilot: Pilot[None], key: Press, folder: Path) -> None:
    if isinstance(key, str):
        await pilot.press(key)
    else:
        assert app.focused is not None
        app.focused.post_message(events.Paste(key.text.replace("FOLDER", str(folder))))
    await pilot.pause()
    await until(pilot, lambda: settled(app))


@pytest.mark.parametrize("task", TASKS, ids=lambda task: task.id)
async def test_task(task: Task, tmp_path: Path) -> None:
    services = made(task)
    folder = tmp_path / "filings"
    folder.mkdir()
    (folder / "acme.htm").write_text("x")
    async with running(services, (120, 40)) as (app, pilot):
        if task.id == "resume":
            await ask(app, pilot, "Before?")
            await pilot.press("f9")
            await until(pilot, lambda: app.main.turn is None)
        if task.asked:
            await ask(app, pilot)
        for key in task.presses:
            await press(app, pilot, key, folder)
        await until(pilot, lambda: DONE[task.id](app, services))
        if task.id == "third":
            chosen = app.main.query_one(Sources).chosen
            assert chosen is not None
            assert chosen.citation.id == 3


def test_every_task_is_checked_and_the_cell_is_near() -> None:
    assert set(DONE) == {task.id for task in TASKS}
    assert len(TASKS) >= 12
    (cell,) = (task for task in TASKS if task.id == "cell")
    assert cell.keys <= 2


def test_the_readme_has_the_table() -> None:
    text = README.read_text(encoding="utf-8")
    assert MARKS[0] in text, f"put {MARKS[0]} and {MARKS[1]} around the table of tasks"
    assert text.split(MARKS[0])[1].split(MARKS[1])[0].strip() == task_table()
