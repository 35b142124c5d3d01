"""Many questions through the real app, one after the other: does its memory grow, does it leave threads or processes behind?

    python -m benchmarks.soak [--home DIR] [--questions 200] [--json]

The app, the engine, the indexes and the library are the real ones (a copy of the home's, as each turn is stored); the language
model is a script, so that the figures are the app's own. Between the questions what people do: sources walked through, the
reader, search modes, an answer stopped, a new conversation. Memory is of this process and its children. The first fifth warms
up; growth compares the median of the second fifth with that of the last.
"""

from __future__ import annotations

import asyncio
import contextlib
import shutil
import statistics
import tempfile
import threading
import time
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, cast

import psutil
from textual.pilot import Pilot, WaitForScreenTimeout

from benchmarks.command import parser, show
from fin_tui.config import Settings
from fin_tui.engine.models.client import LlamaClient
from fin_tui.engine.models.protocol import LanguageModel, Message
from fin_tui.engine.services import open_services
from fin_tui.paths import Paths, find_home
from fin_tui.records import Filing
from fin_tui.ui.app import FinTuiApp
from fin_tui.ui.live import LiveServices
from fin_tui.ui.process import start_process_tracker
from fin_tui.ui.screens.reader import ReaderScreen
from fin_tui.ui.widgets.prompt import Prompt
from fin_tui.ui.widgets.turn import StatusText

_SIZE = (160, 48)
_PATIENCE_S = 120
_MB = 1_000_000
_ASKED = (
    "What does {c} say about competition?",
    "What was the revenue of {c} in {y}?",
    "What are the main risk factors of {c}?",
    "How did the net income of {c} change to {y}?",
    "What does {c} say about its employees and suppliers?",
)


class ScriptedModel:
    """Says the evidence's own words back, and something that no source bears out."""

    name = "scripted"
    context = 4096
    writes = True
    resting: frozenset[str] = frozenset()
    pace = 0.0

    def load(self) -> None:
        """There is nothing to load."""

    def close(self) -> None:
        """There is nothing to end."""

    def count_tokens(self, text: str) -> int:
        return len(text) // 4 + 1

    def generate(self, messages: Sequence[Message], *, max_tokens: int, cancelled: Callable[[], bool]) -> Iterator[str]:
        words = f"{messages[-1].content[200:800]} It owns eleven moons.".split()
        for word in words[:max_tokens]:
            if cancelled():
                return
            yield f"{word} "


@dataclass
class Soak:
    """The app under way, and what was measured after each question."""

    app: FinTuiApp
    pilot: Pilot[None]
    filings: Sequence[Filing]
    memory: list[float] = field(default_factory=list)
    threads: list[int] = field(default_factory=list)
    children: list[int] = field(default_factory=list)

    async def run(self, questions: int) -> None:
        for number in range(questions):
            await self._ask(number)
            await self._between(number)
            self._measure()

    async def _ask(self, number: int) -> None:
        filing = self.filings[number % len(self.filings)]
        asked = _ASKED[number // len(self.filings) % len(_ASKED)].format(c=filing.company, y=filing.fiscal_year)
        before, prompt = self.app.main.answering.turn, self.app.main.query_one(Prompt)
        prompt.focus()
        prompt.recall(asked)
        await self.press("enter")
        await self.until(lambda: self.app.main.answering.turn is not before)
        if number % 7 == 3:
            await self.press("escape")
        await self.until(lambda: not self.app.main.answering.is_answering)
        turn = self.app.main.answering.turn
        if turn is None or turn.answer is None:
            told = self.app.main.query(StatusText).last().render()
            raise RuntimeError(f"{asked!r} was not answered: {told}")

    async def _between(self, number: int) -> None:
        """What people do between two questions."""
        await self.press("alt+n", "alt+e")
        if number % 5 == 0 and self.app.main.answering.turn is not None and self.app.main.answering.turn.passages:
            await self.press("ctrl+o")
            await self.until(lambda: isinstance(self.app.screen, ReaderScreen) and self.app.screen.is_filled)
            await self.press("escape")
            await self.until(lambda: self.app.screen is self.app.main)
        if number % 11 == 0:
            await self.press("alt+m")

    async def press(self, *keys: str) -> None:
        """On a busy machine what the keys bring may take long: it is waited for afterwards."""
        with contextlib.suppress(WaitForScreenTimeout):
            await self.pilot.press(*keys)

    async def until(self, true: Callable[[], bool]) -> None:
        end = time.monotonic() + _PATIENCE_S
        while not true():
            if time.monotonic() > end:
                raise RuntimeError("the app never got there")
            await asyncio.sleep(0.01)

    def _measure(self) -> None:
        process = psutil.Process()
        children = process.children(recursive=True)
        self.memory.append((process.memory_info().rss + sum(child.memory_info().rss for child in children)) / _MB)
        # Those of the event loop's pool are made when they are needed, up to its bound.
        self.threads.append(sum(not thread.name.startswith("asyncio_") for thread in threading.enumerate()))
        self.children.append(len(children))

    def figures(self) -> dict[str, Any]:
        """Memory in MB at both ends, its growth in percent; how many threads and children more than after the warm-up."""
        fifth = max(len(self.memory) // 5, 1)
        early, late = statistics.median(self.memory[fifth : 2 * fifth]), statistics.median(self.memory[-fifth:])
        return {
            "questions": len(self.memory),
            "memory_mb": {"early": round(early), "late": round(late), "max": round(max(self.memory))},
            "growth_percent": round(100 * (late / early - 1), 1),
            "threads": {"early": max(self.threads[: 2 * fifth]), "late": max(self.threads[-fifth:])},
            "children": {"early": max(self.children[: 2 * fifth]), "late": max(self.children[-fifth:])},
        }


def run(home: Path | None, questions: int = 200) -> dict[str, Any]:
    """The figures; ``left`` counts threads and processes that outlive the app. Raises ``RuntimeError`` when the app hangs."""
    source = find_home(home)
    start_process_tracker()
    before = _alive()
    with tempfile.TemporaryDirectory(prefix="fin-tui-soak-") as folder:
        paths = Paths(Path(folder))
        for part in (source.data, source.index):
            shutil.copytree(part, paths.home / part.name, symlinks=True, ignore=shutil.ignore_patterns("*.lock", "edgar"))
        paths.models.symlink_to(source.models.resolve())
        figures = asyncio.run(_soak(paths, questions))
    end = time.monotonic() + 10
    while (left := _alive() - before) and time.monotonic() < end:
        time.sleep(0.1)
    return {**figures, "left": sorted(left)}


async def _soak(paths: Paths, questions: int) -> dict[str, Any]:
    services = open_services(paths, Settings(), with_model=False)
    model: LanguageModel = ScriptedModel()
    services.model = services.engine.model = cast("LlamaClient", model)
    live = LiveServices(services)
    app = FinTuiApp(lambda: live, Settings())
    try:
        async with app.run_test(size=_SIZE) as pilot:
            soak = Soak(app, pilot, live.filings())
            await soak.until(lambda: bool(app.main.scope.filings) and not [w for w in app.workers if w.is_running])
            await soak.run(questions)
            return soak.figures()
    finally:
        live.close()


def _alive() -> frozenset[str]:
    """Threads and child processes by name; those of the event loop's pool end with the process."""
    threads = {thread.name for thread in threading.enumerate() if not thread.name.startswith("asyncio_")}
    return frozenset(threads | {f"process {child.pid}" for child in psutil.Process().children(recursive=True)})


def main() -> None:
    options = parser(__doc__)
    options.add_argument("--questions", type=int, default=200)
    arguments = options.parse_args()
    show(run(arguments.home, arguments.questions), as_json=arguments.json)


if __name__ == "__main__":
    main()
