"""Before a filing goes, what rests on it is named."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import pytest

from fin_tui.engine.kept.citing import Citing, citing
from fin_tui.engine.kept.notebook import trace
from fin_tui.paths import Paths
from fin_tui.records import Answer, Citation, Refusal, Saved
from fin_tui.store.library import Library
from tests.unit.store.made import make_entry
from tests.unit.store.test_notebook import CITATION


@pytest.fixture
def library(tmp_path: Path) -> Iterator[Library]:
    with Library.open(Paths(tmp_path / "home")) as opened:
        yield opened


def of(filing: str) -> Citation:
    return replace(CITATION, filing=filing)


def test_conversations_notebook_and_bookmarks_are_named(library: Library) -> None:
    first, other = library.add(make_entry(year=2022)).filing.id, library.add(make_entry(year=2023)).filing.id
    talk = library.conversations.create("Sales")
    library.conversations.append(talk, "Q", Answer("Q", "answered", "A", citations=(of(first), of(other), of(first))), {})
    offered = Answer("Q", "refused", "", refusal=Refusal("not_disclosed", "No.", (of(first),)))
    library.conversations.append(talk, "Q", offered, {})
    library.conversations.append(library.conversations.create("Else"), "Q", Answer("Q", "answered", "A"), {})
    library.notebook.add(Saved("passage", "Widgets", citations=(of(first),)))
    library.notebook.add(Saved("passage", "Other", citations=(of(other),)))
    library.bookmarks.add(first, 0, "Example makes widgets")
    assert citing(library, [first]) == (
        Citing("conversation", talk, "Sales", 3),
        Citing("notebook", "1", "Widgets", 1),
        Citing("bookmarks", first, "", 1),
    )
    assert citing(library, ["unknown"]) == ()


def test_what_was_cited_from_an_earlier_version_is_found_under_its_old_id(library: Library) -> None:
    """Added by hand first, then the same report with EDGAR's number: the id changes, the words do not."""
    old = library.add(make_entry(file="by-hand.htm")).filing
    quote = "Demand for widgets may fall"
    start = library.text(old.id).index(quote)
    kept = replace(CITATION, filing=old.id, quote=quote, start=start, end=start + len(quote))
    library.notebook.add(Saved("passage", "Demand", citations=(kept,)))
    new = library.add(make_entry(accession="0000000042-23-000001", paragraphs=("A new first page.", f"Indeed: {quote}."))).filing
    assert new.id != old.id
    assert [filing.id for filing in library.filings()] == [new.id]
    place = trace([entry.saved for entry in library.notebook.all()], library)[kept]
    assert place.place == "moved"
    assert library.text(new.id)[place.citation.start : place.citation.end] == quote
    assert library.filing(old.id) == new
    assert library.chunks.holding(old.id, place.citation.start, place.citation.end) is not None
    assert citing(library, library.records.ids_of(new.id))[0].kind == "notebook"
