"""The app on a team's corpus: it says which, and changes nothing there."""

from __future__ import annotations

from pathlib import Path

import pytest
from textual.widgets import Static

from fin_tui.config import Settings
from fin_tui.errors import UsageError
from fin_tui.paths import Paths
from fin_tui.ui.app import FinTuiApp
from fin_tui.ui.controllers.overview import welcome_lines
from fin_tui.ui.live import ServedFetching, ServedWork
from fin_tui.ui.live_rooms import LiveOptions
from tests.ui.conftest import until
from tests.ui.fakes import FILINGS, FakeServices


async def test_the_status_line_names_the_corpus() -> None:
    app = FinTuiApp(lambda: FakeServices(corpus="milvus.example:19530"), Settings())
    async with app.run_test(size=(120, 40)) as pilot:
        await until(pilot, lambda: bool(app.main.scope.filings))
        await until(pilot, lambda: "milvus.example:19530" in str(app.main.query_one("#state", Static).render()))
        assert app.sub_title == "milvus.example:19530"


def test_the_welcome_says_what_stays_here_and_how_a_corpus_is_filled() -> None:
    told = "\n".join(text for text, _ in welcome_lines(FILINGS, (), "milvus.example:19530"))
    assert "corpus at milvus.example:19530; conversations and notebook stay on this machine" in told
    empty = "\n".join(text for text, _ in welcome_lines((), (), "milvus.example:19530"))
    assert "ingest-corpus" in empty
    assert "Alt+A" not in empty


def test_filings_of_a_corpus_are_not_changed_from_the_app(tmp_path: Path) -> None:
    paths = Paths(tmp_path)
    work = ServedWork(paths, Settings, lambda: FILINGS)
    with pytest.raises(UsageError, match="not changed from here"):
        work.add([tmp_path], lambda: False)
    with pytest.raises(UsageError, match="not changed from here"):
        work.reindex(lambda: False)
    assert list(work.embed(lambda: False, 0.1)) == []
    assert "ingest-corpus" in ServedFetching(paths, LiveOptions(paths)).terms().forbidden
