"""What stands on the terminal after any number of repaints is what one full repaint would put there."""

from __future__ import annotations

import os
import random
from dataclasses import replace
from pathlib import Path

import pytest
from textual.pilot import Pilot

from fin_tui.engine.answering.events import Passage
from fin_tui.engine.questions.interpretation import Interpretation
from fin_tui.filings.reader import read
from fin_tui.ui.app import FinTuiApp
from fin_tui.ui.screens.changing import ChangeScreen
from fin_tui.ui.widgets.evidence_card import EvidenceCard, cited
from fin_tui.ui.widgets.prompt import Prompt
from fin_tui.ui.widgets.sources import Sources
from fin_tui.ui.widgets.text_view import TextView
from fin_tui.ui.widgets.turn import Turn
from tests.conftest import CORPUS_VARIABLE
from tests.ui.conftest import ask, services_of, until
from tests.ui.fakes import TABLE, TEXT, Script, passages
from tests.ui.terminal import Terminal, on_terminal

SIZES = ((80, 24), (100, 30), (120, 40), (160, 50), (200, 60))
THOROUGH = bool(os.environ.get("FIN_TUI_THOROUGH"))
TEXTS = 1_000 if THOROUGH else 8
_FILINGS = 57 if THOROUGH else 3
_LOOKS = 50
ODD = (
    *("\u200b", "\u00ad", "\u0301", "\t", "\u00a0", "\u2028", "\ufe0f", "\ue000", "\u200d", "\u2060", "\u202e"),
    *("東京", "한국", "ﬀ", "☒\ufe0f", "🇺🇸", "👍🏽", "\u1160", "\u3000", "\x1b[5;1H", "\x0c", "\x85", "\x7f", "ก้", "𝟘"),
)


def test_each_odd_character_is_drawn_as_wide_as_a_terminal_takes_it() -> None:
    from rich.cells import cell_len
    from wcwidth import wcswidth

    from fin_tui.ui.text import drawn

    for odd in ODD:
        assert cell_len(drawn(f"a{odd}b")) == wcswidth(drawn(f"a{odd}b")), odd.encode("unicode_escape")


def test_a_tab_of_an_extract_is_drawn_as_spaces() -> None:
    shown = cited("Total net sales\t$ 416,161\t$ 391,035 [2]", {2})
    assert shown.plain == "Total net sales  $ 416,161  $ 391,035 [2]"


async def test_a_passage_shown_while_its_pane_was_hidden_is_laid_out_when_it_appears() -> None:
    first, second = (replace(passages(1)[0], text=text) for text in (TEXT[:2000], TABLE))
    async with on_terminal(services_of(Script(passages=(first,))), (160, 50)) as (app, pilot, terminal):
        await ask(app, pilot)
        sources = app.main.query_one(Sources)
        sources.show(())
        await pilot.pause()
        sources.show((second,))
        await pilot.pause()
        view = app.main.query_one(TextView)
        assert "Total net sales" in "".join(view.render_line(y).text for y in range(view.size.height))
        await _settled(pilot, terminal)
        await pilot.press("f4", "f4")
        await until(pilot, lambda: not app.main.query_one("#sources").display)
        sources.show((first,))
        await pilot.press("f4")
        await until(pilot, lambda: bool(app.main.query_one("#sources").display))
        assert "ACME CORP" in "".join(view.render_line(y).text for y in range(view.size.height))
        await _settled(pilot, terminal)
        assert terminal.differences_of_repaint() == []


@pytest.mark.timeout(3_600 if THOROUGH else 300)
@pytest.mark.parametrize("size", SIZES, ids=str)
async def test_texts_of_filings_leave_no_cell_behind(size: tuple[int, int]) -> None:
    rng = random.Random(f"{size}")
    bodies = _bodies()
    async with on_terminal(services_of(), size) as (app, pilot, terminal):
        await ask(app, pilot)
        for at in range(TEXTS):
            await _show(app, _some(rng, bodies), rng)
            if at % 4 == 3:
                await pilot.press(rng.choice(("f4", "alt+n", "f2", "alt+e", "f3", "pagedown")))
            await _settled(pilot, terminal)


async def _settled(pilot: Pilot[None], terminal: Terminal) -> None:
    """Nothing differs once what waits to be drawn has been: on a busy machine that takes some looks."""
    await pilot.pause()
    for _ in range(_LOOKS):
        if not terminal.differences():
            return
        await pilot.pause(0.1)
    assert terminal.differences() == []


async def _show(app: FinTuiApp, shown: tuple[Passage, ...], rng: random.Random) -> None:
    sources = app.main.query_one(Sources)
    sources.show(() if rng.random() < 0.05 else shown, rng.randint(1, len(shown)))
    if app.main.answering.turn is not None and rng.random() < 0.3:
        card = app.main.query(Turn).last().query_one(EvidenceCard)
        extract = " ".join(f"{passage.text[:300]} [{passage.citation.id}]" for passage in shown)
        card.show(extract, shown, (), app.main.answering.turn.figures, ())


def _some(rng: random.Random, bodies: list[str]) -> tuple[Passage, ...]:
    """Three passages: windows of filings, one of them with characters that no two terminals treat alike."""
    found = []
    for made in passages(3):
        body = rng.choice(bodies)
        start = rng.randrange(max(len(body) - 200, 1))
        text = body[start : start + rng.randint(40, 3_000)]
        for _ in range(rng.choice((0, 0, 12))):
            place = rng.randrange(len(text) + 1)
            text = text[:place] + rng.choice(ODD) + text[place:]
        quote = text[len(text) // 3 : len(text) // 2]
        citation = replace(made.citation, quote=quote, start=len(text) // 3, end=len(text) // 2, heading=text[:80])
        found.append(replace(made, citation=citation, text=text, start=0, end=len(text)))
    return tuple(found)


def _bodies() -> list[str]:
    """Clean text of real filings where they are; what the fakes hold, always."""
    folder = os.environ.get(CORPUS_VARIABLE)
    files = sorted(Path(folder, "filings").glob("*.*"))[:_FILINGS] if folder else []
    return [TEXT[:3000], TABLE * 4, *(read(file.read_bytes(), file.name).text for file in files)]


@pytest.mark.parametrize("size", SIZES[:2], ids=str)
async def test_an_answer_that_arrives_behind_a_dialog_is_not_drawn_over_it(size: tuple[int, int]) -> None:
    held = Script(is_held=True)
    async with on_terminal(services_of(Script(), held), size) as (app, pilot, terminal):
        await ask(app, pilot)
        prompt = app.main.query_one(Prompt)
        prompt.focus()
        prompt.recall("Who makes the products?")
        await pilot.press("enter")
        await until(pilot, lambda: app.main.answering.is_answering)
        read = Interpretation("Who makes the products?", ("Acme Corp",), ("FY2025",), "products")
        app.push_screen(ChangeScreen(read, ["Acme Corp"]))
        await until(pilot, lambda: isinstance(app.screen, ChangeScreen))
        held.release.set()
        await until(pilot, lambda: not app.main.answering.is_answering)
        await _settled(pilot, terminal)
        box = app.screen.query_one("#changing").region
        assert "Change the question" in terminal.row(box.y)[box.x : box.right]
        assert terminal.differences_of_repaint() == []
        await pilot.press("escape")
        await _settled(pilot, terminal)
        assert terminal.differences_of_repaint() == []
