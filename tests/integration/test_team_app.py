"""The app's services and the library for programs, on a corpus of milvus-lite's own server."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import closing
from pathlib import Path

import pytest
from msgspec import structs

from fin_tui import Library
from fin_tui.config import Settings
from fin_tui.engine.answering.events import Finished, Refused
from fin_tui.errors import UsageError
from fin_tui.paths import Paths
from fin_tui.team.rows import open_writer, prepare
from fin_tui.ui.live import LiveServices, open_live
from fin_tui.ui.services import Ask
from tests.milvus_lite_server import milvus_lite
from tests.unit.team.made import DIMENSION, make_entry, make_vectors

ENTRIES = tuple(make_entry("Acme Corp", year, chunks=9) for year in (2023, 2024))
pytestmark = pytest.mark.timeout(600)


@pytest.fixture(scope="module")
def server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    with milvus_lite(tmp_path_factory.mktemp("milvus") / "server") as address:
        with open_writer(address, "made", DIMENSION, index="flat") as writer:
            for entry in ENTRIES:
                writer.put(prepare(entry, make_vectors(entry)))
        yield address


@pytest.fixture
def live(server: str, tmp_path: Path) -> Iterator[LiveServices]:
    settings = Settings()
    named = structs.replace(settings, corpus=structs.replace(settings.corpus, uri=server))
    with closing(open_live(Paths(tmp_path), named)) as live:
        yield live


def test_the_app_reads_filings_there_and_keeps_what_is_kept_here(live: LiveServices, server: str) -> None:
    assert live.place() == server.removeprefix("http://")
    newest = ENTRIES[1].filing
    assert [filing.id for filing in live.filings()] == [entry.filing.id for entry in ENTRIES]
    assert live.text(newest.id) == ENTRIES[1].document.text
    assert live.sections(newest.id) == ENTRIES[1].sections
    assert live.changes(newest.id, "1A")
    live.shelf.mark(newest.id, 0)
    assert [mark.at for mark in live.shelf.bookmarks(newest.id)] == [0]
    live.notebook.keep_span(newest.id, 0, 9)
    assert [traced.place for traced in live.notebook.read().traced.values()] == ["there"]
    assert "found by words alone" in " ".join(live.notes()), "this machine has no weights of that encoder"


def test_an_answer_from_there_is_kept_here_with_where_it_is_from(live: LiveServices, server: str) -> None:
    events = list(live.ask(Ask("What does Acme say about its supply chain?", use_model=False), lambda: False))
    finished = next(event for event in events if isinstance(event, Finished))
    assert not any(isinstance(event, Refused) for event in events)
    assert finished.answer.citations[0].company == "Acme Corp"
    kept = live.keep("", finished.answer, finished.passages)
    ((answer, passages),) = live.turns(kept)
    assert answer == finished.answer
    assert passages[0].text in ENTRIES[1].document.text
    assert live.preview(Ask("supply chain of Acme", kept=(ENTRIES[1].chunks[0].id,)))
    made = live._services.library.conversations.turns(kept)[0].fingerprint
    assert made["corpus"] == live.place()


def test_nothing_there_is_changed(live: LiveServices) -> None:
    assert list(live.embed(lambda: False)) == []
    with pytest.raises(UsageError, match="not changed from here"):
        live.work.add([Path("x.htm")], lambda: False)


def test_programs_ask_it_by_its_address(server: str, tmp_path: Path) -> None:
    with Library(tmp_path, with_model=False, corpus=server) as library:
        assert len(library.filings(company="Acme Corp", year=2024)) == 1
        assert library.section("Acme Corp:2024", "7").startswith("Acme Corp says")
        assert {hit.filing.fiscal_year for hit in library.search("supply chain", year=2023).hits} == {2023}
        with pytest.raises(UsageError, match="not changed from here"):
            library.add(tmp_path)
    with Library(tmp_path, with_model=False) as library:
        assert library.filings() == ()
