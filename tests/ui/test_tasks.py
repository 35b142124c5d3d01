"""Each task of ``tests.ui.tasks``, done in the app by the keys that stand there, from what the screen shows."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest
from openpyxl import Workbook
from textual import events
from textual.coordinate import Coordinate
from textual.pilot import Pilot
from textual.widgets import OptionList, Static

from fin_tui.records import Refusal
from fin_tui.ui.app import FinTuiApp
from fin_tui.ui.screens.adding import AddScreen
from fin_tui.ui.screens.audit import AuditScreen
from fin_tui.ui.screens.changes import ChangesScreen
from fin_tui.ui.screens.check import CheckScreen
from fin_tui.ui.screens.conversations import ConversationsScreen
from fin_tui.ui.screens.fetching import FetchScreen
from fin_tui.ui.screens.figure import FigureScreen
from fin_tui.ui.screens.notebook import NotebookScreen
from fin_tui.ui.screens.reader import ReaderScreen
from fin_tui.ui.screens.sheet import SheetCellScreen, SheetScreen
from fin_tui.ui.screens.sheets import SheetsScreen
from fin_tui.ui.widgets.evidence_card import ChartView
from fin_tui.ui.widgets.lists import SheetTable
from fin_tui.ui.widgets.sources import Sources
from fin_tui.ui.widgets.text_view import TextView
from fin_tui.ui.widgets.turn import Reasons
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
    if task.id.startswith("sheet-"):
        opened = services.sheets.live.new("test", "EXM,SMPL:2022-2023", "revenue; operating income")
        if task.id != "sheet-run":
            list(services.sheets.live.fill("test", list(opened.prints), lambda: False, tuple))
    return services


def sheet_of(app: FinTuiApp) -> SheetScreen | None:
    return app.screen if isinstance(app.screen, SheetScreen) else None


def cells_of(services: FakeServices, name: str = "test") -> int:
    return len(services.sheets.services.library.sheets.cells(name))


def first_source(services: FakeServices) -> str:
    cells = services.sheets.services.library.sheets.cells("test")
    return next(cell.citations[0].filing for cell in cells.values() if cell.column == "c1")


def is_sorted(app: FinTuiApp) -> bool:
    grid = app.screen.query_one(SheetTable)
    return all(f"#{row + 1} " in str(grid.get_cell_at(Coordinate(row, 1))) for row in range(4))


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
    "resume": lambda app, _: app.main.answering.turn is not None and app.main.answering.turn.question == "Before?",
    "copy": lambda app, _: any("Copied the answer" in str(toast.render()) for toast in app.screen.query("Toast")),
    "sheet-new": lambda _, services: services.sheets.services.library.sheets.get("mine").rows[0].label == "EXM FY2022",
    "sheet-run": lambda _, services: cells_of(services) == 8,
    "sheet-cell": lambda app, _: isinstance(app.screen, SheetCellScreen),
    # The scripted library shows one filing alone; that the cell's was asked for is what its refusal says.
    "sheet-source": lambda app, services: first_source(services) in str([widget.render() for widget in app.screen.query(Static)]),
    "sheet-sort": lambda app, _: sheet_of(app) is not None and is_sorted(app),
    "sheet-hide": lambda app, _: sheet_of(app) is not None and len(app.screen.query_one(SheetTable).columns) == 2,
    "sheet-try": lambda _, services: cells_of(services) == 8 + 3,
    "sheet-chart": lambda app, _: sheet_of(app) is not None and not app.screen.query_one(ChartView).has_class("-empty"),
    "sheet-workbook": lambda _, services: bool(list((services.sheets.home / "exports").glob("test*.xlsx"))),
    "sheet-audit": lambda app, _: isinstance(app.screen, AuditScreen),
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
        case SheetsScreen() | SheetScreen():
            return not any(worker.is_running for worker in app.workers)
    return not app.main.answering.is_answering


async def press(app: FinTuiApp, pilot: Pilot[None], key: Press, folder: Path) -> None:
    if isinstance(key, str):
        await pilot.press(key)
    else:
        assert app.focused is not None
        app.focused.post_message(events.Paste(key.text.replace("FOLDER", str(folder))))
    await pilot.pause()
    await until(pilot, lambda: settled(app))


WALKED = [
    pytest.param(task, size, id=f"{task.id}-{size[0]}")
    for task in TASKS
    for size in (((80, 24), (160, 50)) if task.id.startswith("sheet-") else ((120, 40),))
]


_MOST_KEYS = {
    "cell": 1, "third": 3, "changes": 2, "figure": 1, "export": 5, "company": 5, "mode": 2, "drop": 3, "check": 2, "folder": 2,
    "fetch": 3, "resume": 2, "copy": 1, "why": 1,
}  # fmt: skip
"""Of the fourteen tasks that people come for most."""


def test_fourteen_tasks_take_no_more_keys_than_they_did() -> None:
    taken = {task.id: task.keys for task in TASKS if not task.id.startswith("sheet-")}
    assert taken.keys() == _MOST_KEYS.keys()
    assert {name: keys for name, keys in taken.items() if keys > _MOST_KEYS[name]} == {}


@pytest.mark.parametrize(("task", "size"), WALKED)
async def test_task(task: Task, size: tuple[int, int], tmp_path: Path) -> None:
    services = made(task)
    folder = tmp_path / "filings"
    folder.mkdir()
    Workbook().save(folder / "model.xlsx")
    (folder / "acme.htm").write_text("x")
    async with running(services, size) as (app, pilot):
        if task.id == "resume":
            await ask(app, pilot, "Before?")
            await pilot.press("f9")
            await until(pilot, lambda: app.main.answering.turn is None)
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
