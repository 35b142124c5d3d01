"""What an answer takes of a small terminal: whether its first line is visible without a key, and its rows before the first fold.

    python -m benchmarks.first_screen SET.jsonl... [--parts training,development] [--home DIR] [--size 80x24] [--most 100]
        [--texts FILE] [--json]

Only the questions of the sets are read; with ``--parts``, of a set that was split, those of the parts that may be looked at. Each
is asked in the app as it is drawn, over the library of the home, without a language model and in a conversation of its own;
nothing is stored. ``--texts`` keeps every screen for a person to look at.
"""

from __future__ import annotations

import argparse
import asyncio
import json
import statistics
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

from textual.geometry import Region
from textual.pilot import Pilot
from textual.widget import Widget
from textual.widgets import Collapsible

from fin_tui.config import load_settings
from fin_tui.engine.answering.events import Passage
from fin_tui.engine.services import open_services
from fin_tui.paths import Paths, find_home
from fin_tui.records import Answer
from fin_tui.ui.app import FinTuiApp
from fin_tui.ui.live import LiveServices
from fin_tui.ui.widgets.evidence_card import EvidenceCard
from fin_tui.ui.widgets.prompt import Prompt
from fin_tui.ui.widgets.turn import Turn

_DATA = Path(__file__).resolve().parents[1] / "training" / "data"
_SIZE = (80, 24)
_MOST = 100
_PATIENCE = 6_000
"""Looks at the app, a hundredth of a second apart, until an answer has ended."""


@dataclass(frozen=True, slots=True)
class Drawn:
    """One answer on the screen. Rows are of the terminal."""

    id: str
    question: str
    status: str
    is_visible: bool
    """The first line stands on the screen, and no key was pressed for it."""
    rows: int
    """From the first line to the line above the first fold, or to the end of the answer where nothing is folded."""
    whole: int
    """All that the answer takes with its sources, folds as they are."""


class _Unstored(LiveServices):
    """Over a library that stays as it is."""

    def keep(self, conversation: str, answer: Answer, passages: Sequence[Passage] = ()) -> str:
        return conversation


@contextmanager
def _opened(paths: Paths) -> Iterator[LiveServices]:
    services = open_services(paths, load_settings(paths.settings), with_model=False)
    try:
        yield _Unstored(services)
    finally:
        services.close()


async def _until(pilot: Pilot[None], true: Callable[[], bool]) -> None:
    for _ in range(_PATIENCE):
        if true():
            await pilot.pause()
            return
        await pilot.pause(0.01)
    raise TimeoutError("the app never got there")


async def measure(paths: Paths, questions: Sequence[tuple[str, str]], size: tuple[int, int], texts: Path | None) -> list[Drawn]:
    """Ask each (id, question) and look at the screen."""
    drawn = []
    with _opened(paths) as services:
        app = FinTuiApp(lambda: services, load_settings(paths.settings))
        async with app.run_test(size=size) as pilot:
            await _until(pilot, lambda: bool(app.main.scope.filings))
            for name, question in questions:
                drawn.append(await _ask(app, pilot, name, question))
                if texts is not None:
                    with texts.open("a", encoding="utf-8") as file:
                        file.write(f"{'=' * size[0]}\n{drawn[-1]}\n{_screen(app)}\n")
    return drawn


async def _ask(app: FinTuiApp, pilot: Pilot[None], name: str, question: str) -> Drawn:
    answering = app.main.answering
    if answering.turn is not None:
        answering.begin_anew()
        await _until(pilot, lambda: not answering.chat.turns)
    before = answering.turn
    prompt = app.main.query_one(Prompt)
    prompt.focus()
    prompt.recall(question)
    await pilot.press("enter")
    await _until(pilot, lambda: answering.turn is not before and not answering.is_answering)
    await pilot.pause(0.05)
    turn = answering.chat.turns[-1]
    return _look(turn, answering.chat.region, name, question)


def _look(turn: Turn, chat: Region, name: str, question: str) -> Drawn:
    """Where the answer stands."""
    answer = turn.state.answer
    status = answer.status if answer is not None else "error"
    said = ".status" if answer is None else ".refusal" if status == "refused" else ".extract, .answer, .figures"
    told = [widget for widget in turn.query(said) if _is_drawn(widget)]
    if not told:
        return Drawn(name, question, status, False, 0, 0)
    first = min(widget.content_region.y for widget in told)
    card = turn.query_one(EvidenceCard)
    end = card.content_region.bottom if _is_drawn(card) and status == "answered" else max(one.region.bottom for one in told)
    fold = min((one.region.y for one in turn.query(Collapsible) if _is_drawn(one)), default=end)
    is_visible = chat.y <= first < chat.bottom
    return Drawn(name, question, status, is_visible, fold - first, end - first)


def _is_drawn(widget: Widget) -> bool:
    """Shown, whether or not it is scrolled out of view."""
    return bool(widget.region.height) and all(one.display for one in widget.ancestors_with_self)


def _screen(app: FinTuiApp) -> str:
    return "\n".join(strip.text.rstrip() for strip in app.screen._compositor.render_strips())


def questions_of(sets: Sequence[Path], parts: Sequence[str], most: int) -> list[tuple[str, str]]:
    """The first question of each row, over all kinds in the order of the files, evenly drawn."""
    rows: list[dict[str, Any]] = []
    for path in sets:
        ids = _ids(path, parts)
        read = (json.loads(line) for line in path.read_text(encoding="utf-8").splitlines() if line.strip())
        rows += [row for row in read if ids is None or row.get("id") in ids]
    asked = [(str(row.get("id", at)), str(row["question"])) for at, row in enumerate(rows, start=1) if row.get("question")]
    step = max(len(asked) / most, 1)
    return [asked[int(at * step)] for at in range(min(most, len(asked)))]


def _ids(path: Path, parts: Sequence[str]) -> frozenset[str] | None:
    """The questions of the ``parts`` of a set that was split; None for all of it."""
    if not parts:
        return None
    if "aside" in parts:
        raise SystemExit("The aside part is not to be looked at.")
    held = json.loads((_DATA / f"{path.stem}_parts.json").read_text(encoding="utf-8"))["parts"]
    return frozenset(one for part in parts for one in held[part])


def _size(text: str) -> tuple[int, int]:
    columns, _, rows = text.partition("x")
    return int(columns), int(rows)


def report(drawn: Sequence[Drawn], size: tuple[int, int]) -> str:
    """The figures in words."""
    answered = [one for one in drawn if one.status == "answered"]
    counts = ", ".join(f"{sum(one.status == status for one in drawn)} {status}" for status in ("answered", "refused", "error"))
    lines = [
        f"{len(drawn)} questions at {size[0]}x{size[1]}: {counts}",
        f"first line visible without a key: {sum(one.is_visible for one in drawn)}",
    ]
    for what, rows in (("before the first fold", [one.rows for one in answered]), ("in all", [one.whole for one in answered])):
        if rows:
            worst = sorted(rows)[int(len(rows) * 0.9)]
            lines.append(
                f"rows of an answer {what}: median {statistics.median(rows):g}, one in ten {worst} or more, most {max(rows)}"
            )
    return "\n".join(lines)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0] if __doc__ else None)
    parser.add_argument("sets", type=Path, nargs="+")
    parser.add_argument("--parts", default="")
    parser.add_argument("--home", type=Path)
    parser.add_argument("--size", type=_size, default=_SIZE)
    parser.add_argument("--most", type=int, default=_MOST)
    parser.add_argument("--texts", type=Path)
    parser.add_argument("--json", action="store_true")
    chosen = parser.parse_args()
    asked = questions_of(chosen.sets, list(filter(None, chosen.parts.split(","))), chosen.most)
    drawn = asyncio.run(measure(find_home(chosen.home), asked, chosen.size, chosen.texts))
    print(json.dumps([asdict(one) for one in drawn], indent=1) if chosen.json else report(drawn, chosen.size))


if __name__ == "__main__":
    main()
