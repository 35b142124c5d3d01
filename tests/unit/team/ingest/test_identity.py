"""Filings get the same ids and companies in a corpus as in a library that they are added to one after the other."""

from __future__ import annotations

import datetime as dt
import tempfile
from dataclasses import replace
from pathlib import Path

import numpy as np
from hypothesis import given, settings
from hypothesis import strategies as st

from fin_tui.filings.identity import make_filing
from fin_tui.paths import Paths
from fin_tui.records import Cover, Document, Filing
from fin_tui.store.filings import Entry
from fin_tui.store.library import Library
from fin_tui.team.ingest.identity import Identities, Placed
from fin_tui.team.rows import Record, prepare

COVERS = st.builds(
    Cover,
    company=st.sampled_from(["Acme Corp.", "ACME CORPORATION", "Beta Inc.", ""]),
    form=st.sampled_from(["10-K", "10-K/A"]),
    period_end=st.sampled_from([dt.date(2022, 12, 31), dt.date(2023, 12, 31), None]),
    cik=st.sampled_from(["", "", "0000000001", "0000000002"]),
    ticker=st.sampled_from(["", "ACM"]),
    irs_number=st.sampled_from(["", "94-2404110", "942404110", "11-1111111"]),
    commission_file=st.sampled_from(["", "0-10030", "000-10030"]),
    accession=st.sampled_from(["", "", "0000000001-24-000001", "0000000001-24-000002", "0000000002-24-000003"]),
)
ACME = Cover(company="Acme Corp.", form="10-K", period_end=dt.date(2022, 12, 31))


def entry(cover: Cover, number: int) -> Entry:
    raw = f"{number} {cover}".encode()
    document = Document(format="html", text="", blocks=(), pages=1, cover=cover)
    return Entry(make_filing(document, raw, f"{number}.htm"), document, (), (), raw)


def told(filing: Filing) -> tuple[str, str, str, str]:
    return filing.id, filing.company_key, filing.cik, filing.ticker


def in_a_library(entries: list[Entry]) -> set[tuple[str, str, str, str]]:
    with tempfile.TemporaryDirectory() as folder, Library.open(Paths(Path(folder))) as library:
        for one in entries:
            library.add(one)
        return {told(filing) for filing in library.filings()}


def in_a_corpus(entries: list[Entry]) -> set[tuple[str, str, str, str]]:
    identities, stored = Identities([]), dict[str, Filing]()
    for one in entries:
        _keep(identities.place(one.filing, one.document.cover), stored)
    there = {id: told(filing) for id, filing in stored.items()}
    for rename in identities.renames():
        there[rename.filing_id] = (rename.filing_id, rename.company_key, rename.cik, there[rename.filing_id][3])
    return set(there.values())


def _keep(placed: Placed, stored: dict[str, Filing]) -> None:
    if placed.replaces:
        del stored[placed.replaces.id]
    stored[placed.filing.id] = placed.filing


@settings(max_examples=150, deadline=None)
@given(st.lists(COVERS, max_size=7))
def test_a_corpus_names_filings_as_a_library_does(covers: list[Cover]) -> None:
    entries = [entry(cover, number) for number, cover in enumerate(covers)]
    assert in_a_corpus(entries) == in_a_library(entries)


def record(one: Entry, added: str) -> Record:
    made = prepare(one, np.zeros((0, 4), np.float32)).record
    return Record(**{**{name: getattr(made, name) for name in made.__struct_fields__}, "added": added})


def test_keys_that_a_killed_run_was_still_to_change_are_changed_by_the_next() -> None:
    print_only = entry(Cover(company="Acme Corp.", form="10-K", period_end=dt.date(2022, 12, 31), irs_number="94-2404110"), 1)
    tagged = entry(
        Cover(company="Acme", form="10-K", period_end=dt.date(2023, 12, 31), cik="0000000001", irs_number="942404110"), 2
    )
    identities = Identities([record(print_only, "2026-01-01"), record(tagged, "2026-01-02")])
    (rename,) = identities.renames()
    assert (rename.filing_id, rename.company_key, rename.cik) == (print_only.filing.id, "cik:0000000001", "0000000001")
    assert Identities([record(tagged, "2026-01-02")]).renames() == ()


def test_the_version_that_is_replaced_is_told() -> None:
    first = entry(replace(ACME, cik="0000000001"), 1)
    again = entry(replace(ACME, cik="0000000001", accession="0000000001-23-000001"), 2)
    identities = Identities([record(first, "2026-01-01")])
    placed = identities.place(again.filing, again.document.cover)
    assert placed.filing.id == "0000000001-23-000001"
    assert placed.replaces == first.filing
