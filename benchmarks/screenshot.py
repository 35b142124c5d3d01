"""``python -m benchmarks.screenshot OUT.svg [QUESTION]``: the real app on the real library, asked once, exported as SVG."""

from __future__ import annotations

import asyncio
import sys
from pathlib import Path

from fin_tui.config import load_settings
from fin_tui.paths import find_home
from fin_tui.ui.app import FinTuiApp
from fin_tui.ui.live import open_live
from fin_tui.ui.process import start_process_tracker
from fin_tui.ui.widgets.prompt import Prompt

QUESTION = "What does Apple say about its dependence on outsourcing partners?"
SIZE = (150, 44)
_WAIT_SECONDS = 600


async def take(out: Path, question: str, size: tuple[int, int] = SIZE, theme: str | None = None) -> None:
    """Write the screen after the answer to ``question`` to ``out``, all vectors made. Raises ``TimeoutError`` when none comes."""
    paths = find_home()
    settings = load_settings(paths.settings)
    start_process_tracker()
    services = open_live(paths, settings)
    app = FinTuiApp(lambda: services, settings)
    try:
        async with app.run_test(size=size) as pilot:
            if theme:
                app.theme = theme
            async with asyncio.timeout(_WAIT_SECONDS):
                while not app.main.scope.filings or any(worker.is_running for worker in app.workers):
                    await pilot.pause(0.1)
            app.main.query_one(Prompt).recall(question)
            await pilot.press("enter")
            async with asyncio.timeout(_WAIT_SECONDS):
                while app.main.answering.turn is None or app.main.answering.is_answering:
                    await pilot.pause(0.1)
            await pilot.pause(0.5)
            out.write_text(app.export_screenshot(title="fin-tui"), encoding="utf-8")
    finally:
        services.close()


if __name__ == "__main__":
    if len(sys.argv) < 2:
        sys.exit("usage: python -m benchmarks.screenshot OUT.svg [QUESTION]")
    asyncio.run(take(Path(sys.argv[1]), sys.argv[2] if len(sys.argv) > 2 else QUESTION))
