"""Passages kept, left out, explained; what is new or gone when the same question is asked again."""

from __future__ import annotations

from fin_tui.ui.scoping import SourcePicks
from fin_tui.ui.widgets.bars import ScopeChips
from fin_tui.ui.widgets.sources import Sources
from tests.ui.conftest import ask, running, screen_text, services_of, until
from tests.ui.fake_figures import growth
from tests.ui.fakes import Script, passage, passages


async def test_kept_and_left_out_passages_go_with_the_next_question_until_cleared() -> None:
    services = services_of()
    async with running(services) as (app, pilot):
        await ask(app, pilot)
        await pilot.press("f4")
        await until(pilot, lambda: app.main.query_one(Sources).has_focus_within)
        await pilot.press("space", "2", "x")
        first, second = (p.citation.chunk_id for p in passages(2))
        assert app.main.query_one(Sources).picks == SourcePicks((first,), (second,))
        text = screen_text(app)
        assert "1● Acme" in text
        assert "2✕ Acme" in text
        assert "1 passage pinned 1 passage excluded" in " ".join(str(app.main.query_one(ScopeChips).render()).split())
        await pilot.press("ctrl+r")
        await until(pilot, lambda: len(services.asked) == 2 and not app.main.answering.is_answering)
        assert (services.asked[1].kept, services.asked[1].dropped) == ((first,), (second,))
        await pilot.press("alt+x")
        assert not app.main.query_one(Sources).picks
        assert not app.main.query_one(ScopeChips).display


async def test_asked_again_new_and_gone_passages_are_marked() -> None:
    scripts = (Script(passages=(passage(1), passage(2))), Script(passages=(passage(1), passage(3))))
    async with running(services_of(*scripts)) as (app, pilot):
        await ask(app, pilot)
        await pilot.press("ctrl+r")
        await until(
            pilot, lambda: app.main.query_one(Sources).passages == scripts[1].passages and not app.main.answering.is_answering
        )
        await pilot.pause()
        text = screen_text(app)
        assert "3+ Acme" in text
        assert "1 Acme" in text
        assert "− Acme Corp FY2025" in text


async def test_another_question_marks_nothing() -> None:
    async with running(services_of(Script(passages=(passage(1),)), Script(passages=(passage(2),)))) as (app, pilot):
        await ask(app, pilot, "One?")
        await ask(app, pilot, "Two?")
        assert "2+" not in screen_text(app)
        assert "−" not in screen_text(app)


async def test_explain_shows_ranks_and_the_figures_of_a_passage() -> None:
    async with running(services_of(Script(figures=growth())), (200, 50)) as (app, pilot):
        await ask(app, pilot)
        await pilot.press("escape", "e", "2")
        await pilot.pause()
        text = screen_text(app)
        assert "ranks dense 3 · sparse 2 · rerank –" in text
        assert "$416,161 million us-gaap:Revenues · year to 2025-09-27" in text
        await pilot.press("e")
        await pilot.pause()
        assert "ranks dense" not in screen_text(app)


def test_keeping_undoes_leaving_out() -> None:
    picks = SourcePicks().toggle_dropped("a").toggle_kept("a").toggle_kept("b")
    assert picks == SourcePicks(("a", "b"), ())
    assert picks.toggle_kept("a").toggle_dropped("b") == SourcePicks((), ("b",))
    assert picks.chips == ["2 passages pinned"]
