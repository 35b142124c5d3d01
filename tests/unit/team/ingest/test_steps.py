"""The steps of one filing, patience with a server, the report, and what a LIST names."""

from __future__ import annotations

import datetime as dt
import tempfile
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from fin_tui.config import Settings
from fin_tui.errors import FinTuiError, MissingAsset, UsageError
from fin_tui.filings.reader import make_filing
from fin_tui.ingest import Added, Embedded, FailedFile, Failure, Outcome, Skipped
from fin_tui.ingest.pipeline import parse
from fin_tui.paths import Paths
from fin_tui.records import Cover, Document, Filing, Progress
from fin_tui.retrieval.encoder import load_encoder
from fin_tui.store.codec import sha256
from fin_tui.store.filings import Entry
from fin_tui.store.library import Library
from fin_tui.team.ingest import Report, listed
from fin_tui.team.ingest import steps as storing
from fin_tui.team.ingest.cluster import hired
from fin_tui.team.ingest.steps import Embedder, Identities, Known, Placed, Read, Shelf, digests, patiently, read, ready, store
from fin_tui.team.link import CorpusFull, CorpusGone
from fin_tui.team.rows import Prepared, Record, prepare, to_chunk
from tests.unit.ingest.made import make_html
from tests.unit.team.ingest.fakes import PLAN, MemoryCorpus, vectors_of


def put(folder: Path, name: str = "a.htm", raw: bytes | None = None) -> Path:
    path = folder / name
    path.write_bytes(make_html() if raw is None else raw)
    return path


def test_reading_tells_little_and_gives_the_filing(tmp_path: Path) -> None:
    path = put(tmp_path)
    told, entry, texts = read(PLAN, str(path), digests(()))
    assert isinstance(told, Read)
    assert entry is not None
    assert told.filing == entry.filing
    assert told.sha256 == sha256(path.read_bytes())
    assert texts == tuple(chunk.index_text for chunk in entry.chunks)
    assert told.chunks == len(texts) > 0


def test_bytes_that_the_corpus_has_are_not_read(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = put(tmp_path)
    monkeypatch.setattr("fin_tui.ingest.pipeline.parse", lambda *args, **more: pytest.fail("read"))
    own = sha256(path.read_bytes())
    told, entry, texts = read(PLAN, str(path), digests(["0" * 64, own, "f" * 64]))
    assert told == Known(str(path), own)
    assert (entry, texts) == (None, ())


@pytest.mark.parametrize("held", [(), ("0" * 64,), ("f" * 64,), ("0" * 64, "f" * 64)])
def test_other_bytes_are_read(tmp_path: Path, held: tuple[str, ...]) -> None:
    assert isinstance(read(PLAN, str(put(tmp_path)), digests(held))[0], Read)


def test_a_file_that_is_no_filing_is_told(tmp_path: Path) -> None:
    told, entry, _ = read(PLAN, str(put(tmp_path, raw=b"")), digests(()))
    assert isinstance(told, FailedFile)
    assert told.message == "a.htm is empty"
    assert entry is None
    forced = replace(PLAN, force=True)
    report = put(tmp_path, "b.htm", make_html(form="10-Q"))
    assert isinstance(read(PLAN, str(report), digests(()))[0], FailedFile)
    assert isinstance(read(forced, str(report), digests(()))[0], Read)


def test_rows_carry_the_identity_that_was_decided(tmp_path: Path) -> None:
    entry = parse(make_html(), "a.htm", Settings().chunking)
    own = replace(entry.filing, id="0000000001-24-000001", company_key="cik:0000000001", cik="0000000001", ticker="EXM")
    half = len(entry.chunks) // 2
    vectors = vectors_of(entry)
    prepared = ready("a.htm", Placed(own), entry, [vectors[:half], vectors[half:]])
    assert isinstance(prepared, Prepared)
    filing = prepared.record.filing
    assert (filing.id, filing.company_key, filing.cik, filing.ticker) == (own.id, own.company_key, own.cik, own.ticker)
    assert {row["company"] for row in prepared.chunks} == {"cik:0000000001"}
    assert all(to_chunk(row).id.startswith(own.id) for row in prepared.chunks)
    # Half precision is what a library keeps, too.
    assert np.allclose([row["dense"] for row in prepared.chunks], vectors, atol=1e-3)


def test_missing_vectors_fail_the_filing_alone() -> None:
    entry = parse(make_html(), "a.htm", Settings().chunking)
    failed = ready("a.htm", Placed(entry.filing), entry, [vectors_of(entry)[:1]])
    assert isinstance(failed, FailedFile)


def prepared_of(raw: bytes) -> tuple[Read, Placed, Prepared]:
    entry = parse(raw, "a.htm", Settings().chunking)
    told = Read("a.htm", sha256(raw), entry.filing, entry.document.cover, len(entry.chunks), 0.5)
    placed = Placed(entry.filing)
    prepared = ready("a.htm", placed, entry, [vectors_of(entry)])
    assert isinstance(prepared, Prepared)
    return told, placed, prepared


def test_the_version_that_is_replaced_goes() -> None:
    corpus = MemoryCorpus()
    told, placed, prepared = prepared_of(make_html())
    store(told, placed, prepared, corpus)
    again, newer, rows = prepared_of(make_html(extra="A third factory was bought."))
    added = store(again, replace(newer, replaces=placed.filing), rows, corpus)
    assert isinstance(added, Added)
    assert added.replaced == placed.filing
    assert set(corpus.records) == {newer.filing.id}
    assert len(corpus.chunks) == added.filing.chunks


@pytest.mark.parametrize("kind", [CorpusGone, CorpusFull])
def test_a_server_in_trouble_is_asked_again(kind: type[FinTuiError]) -> None:
    slept: list[float] = []
    tries = iter([kind("no"), kind("no"), None])

    def work() -> str:
        if error := next(tries):
            raise error
        return "done"

    assert patiently(work, slept.append) == "done"
    assert slept == list(storing.WAITS[:2])


def test_patience_ends() -> None:
    slept: list[float] = []

    def work() -> str:
        raise CorpusGone("The corpus does not answer", "See that it runs.")

    assert patiently(work, slept.append) == Failure(CorpusGone, "The corpus does not answer", "See that it runs.")
    assert slept == list(storing.WAITS)


def test_other_errors_of_a_corpus_are_told_at_once() -> None:
    def work() -> str:
        raise FinTuiError("refused the credentials")

    assert patiently(work, lambda seconds: pytest.fail("waited")) == Failure(FinTuiError, "refused the credentials", "")


def test_a_shelf_connects_once() -> None:
    corpus, opened = MemoryCorpus(), list[int]()

    def opener() -> MemoryCorpus:
        opened.append(1)
        return corpus

    shelf = Shelf(opener)
    for raw in (make_html(), make_html(year=2022)):
        assert isinstance(shelf.store(*prepared_of(raw)), Added)
    assert opened == [1]
    assert len(corpus.filings()) == 2


def test_an_embedder_without_weights_says_so() -> None:
    with pytest.raises(MissingAsset, match="No encoder weights"):
        Embedder(PLAN, has_gpu=False).open()


def test_an_embedder_gives_the_rows_that_are_asked_for(models_dir: Path) -> None:
    plan = replace(PLAN, paths=Paths(models_dir.parent))
    embedder, texts = Embedder(plan, has_gpu=False), ("Net sales grew.", "Two factories.", "No legal proceedings.")
    opened = embedder.open()
    made = embedder.encode(texts, 1, 3)
    assert made.shape == (2, opened.dimension)
    assert np.allclose(made, load_encoder(plan.settings.encoder, plan.paths).encode_passages(texts[1:]), atol=1e-5)
    assert embedder.encode(texts, 2, 512).shape == (1, opened.dimension)


def test_embedders_get_gpus_where_the_encoder_can_use_them() -> None:
    machines = [("a", 16), ("b", 1)]
    assert hired("sentence-transformers", 2, machines) == [({"num_gpus": 1, "num_cpus": 0}, True)] * 2
    on_processors = [
        ({"num_cpus": 15, "scheduling_strategy": "a"}, False),
        ({"num_cpus": 0, "scheduling_strategy": "b"}, False),
    ]
    assert hired("onnx", 2, machines) == on_processors
    assert hired("sentence-transformers", 0, machines) == on_processors


def test_the_report_counts_and_lists_what_failed() -> None:
    entry = parse(make_html(), "a.htm", Settings().chunking)
    filing = replace(entry.filing, chunks=7, facts=3)
    report = Report("http://127.0.0.1:19530")
    outcomes: list[Outcome] = [
        Progress("ingest", 0, 3),
        Added("in/a.htm", filing, 1.25),
        Skipped("in/b.htm", "the same bytes as in/a.htm", filing),
        FailedFile("in/c.htm", "c.htm is\nempty", "Look."),
        Progress("ingest", 3, 3, "c.htm"),
        Embedded(7, 9, "Half there: d.htm"),
    ]
    for outcome in outcomes:
        report.take(outcome)
    document = report.document(2.0)
    assert [added["chunks"] for added in document["added"]] == [7]
    assert document["skipped"][0]["filing"] == filing.id
    assert document["failed"] == [{"path": "in/c.htm", "message": "c.htm is\nempty", "hint": "Look."}]
    assert document["passages"] == {"added": 7, "complete": 7, "total": 9, "note": "Half there: d.htm"}
    assert report.as_list() == "# c.htm is empty\nin/c.htm\n"
    assert report.last_lines(2.0)[-1] == "Half there: d.htm"
    assert "1 filing added, 1 passed over, 1 failed; 7 passages in 2 s." in report.last_lines(2.0)


def test_a_list_names_files_from_its_own_folder_on(tmp_path: Path) -> None:
    (tmp_path / "in").mkdir()
    first, second = put(tmp_path / "in", "a.htm"), put(tmp_path / "in", "b.htm")
    names = tmp_path / "names.txt"
    names.write_text(f"# two filings\n\nin/a.htm\n{second}\nin/none.htm\n", encoding="utf-8")
    assert listed(names) == (first, second, tmp_path / "in" / "none.htm")
    assert listed(tmp_path / "in") == (first, second)


def test_what_is_no_list_is_refused(tmp_path: Path) -> None:
    with pytest.raises(UsageError, match="names no file that is there"):
        listed(put(tmp_path))
    (tmp_path / "empty").mkdir()
    with pytest.raises(UsageError, match="There are no filings in"):
        listed(tmp_path / "empty")
    with pytest.raises(UsageError, match="can't be read as a list"):
        listed(tmp_path / "none.txt")
    with pytest.raises(UsageError, match="can't be read as a list"):
        listed(put(tmp_path, "b.txt", b"\xff\xfe\x00"))


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
