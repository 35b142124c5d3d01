"""A corpus on milvus-lite's own server, through the real client: it answers as a library with the same filings does."""

from __future__ import annotations

import dataclasses
import json
import os
import signal
import subprocess
import sys
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path

import msgspec
import pytest

from fin_tui.config import Settings
from fin_tui.errors import NotFound
from fin_tui.paths import Paths
from fin_tui.records import Scope
from fin_tui.retrieval.retriever import Retriever
from fin_tui.store.library import Library
from fin_tui.team import schema
from fin_tui.team import search as team_search
from fin_tui.team.corpus import TeamCorpus
from fin_tui.team.link import CorpusGone, Link, OtherCorpus
from fin_tui.team.rows import Writer, open_writer, prepare, record_row
from fin_tui.team.schema import Head, read_totals
from tests.conftest import CHECKOUT
from tests.milvus_lite_server import milvus_lite
from tests.unit.team.made import DIMENSION, ENCODER, WORDS, Encoder, make_entry, make_vectors

ENTRIES = tuple(make_entry(company, year, chunks=9) for company in ("Acme Corp", "Zebra Inc") for year in (2023, 2024))
SCOPES = (
    Scope(),
    Scope(companies=(ENTRIES[0].filing.company_key,)),
    Scope(fiscal_years=(2024,), items=("7",)),
    Scope(filings=(ENTRIES[3].filing.id,), items=("1A", "7")),
    Scope(forms=("10-K",), items=("9A",)),
)
pytestmark = pytest.mark.timeout(600)


@pytest.fixture(autouse=True)
def sees_changes_at_once(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(team_search, "FRESH_SECONDS", 0.0)


@pytest.fixture(scope="module")
def server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    """A corpus of all ``ENTRIES``; tests leave it as it was."""
    with milvus_lite(tmp_path_factory.mktemp("milvus") / "server") as address:
        with writer_to(address) as writer:
            for entry in ENTRIES:
                writer.put(prepare(entry, make_vectors(entry)))
            writer.finish()
        yield address


@pytest.fixture
def corpus(server: str) -> Iterator[TeamCorpus]:
    with closing(opened(server)) as corpus:
        yield corpus


@pytest.fixture(scope="module")
def library(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Library]:
    with Library.open(Paths(tmp_path_factory.mktemp("home"))) as library:
        for entry in ENTRIES:
            library.add(entry)
            library.embeddings.put(ENCODER, [chunk.index_text for chunk in entry.chunks], make_vectors(entry))
        yield library


def writer_to(address: str) -> Writer:
    return open_writer(address, ENCODER, DIMENSION, index="flat")


def opened(address: str, timeout: float = 30.0) -> TeamCorpus:
    return TeamCorpus(Link(address, timeout=timeout), encoder=ENCODER)


def retrievers(library: Library, corpus: TeamCorpus, home: Path, **search: object) -> tuple[Retriever, Retriever]:
    settings = msgspec.structs.replace(Settings(), search=msgspec.structs.replace(Settings().search, rerank=False, **search))
    paths = Paths(home)
    return Retriever(library, paths, settings, Encoder()), Retriever(None, paths, settings, Encoder(), backend=corpus)


@pytest.mark.parametrize("fusion", ["weighted", "rrf"])
@pytest.mark.parametrize("scope", SCOPES, ids=lambda scope: str(len(scope.filings)) + "".join(scope.items))
def test_hits_scores_and_ranks_are_those_of_the_library(
    library: Library, corpus: TeamCorpus, tmp_path: Path, scope: Scope, fusion: str
) -> None:
    here, there = retrievers(library, corpus, tmp_path, fusion=fusion)
    for question in ("supply chain lawsuit", f"{WORDS[5]} {WORDS[6]} of Zebra", "revenue growth", "words that are nowhere"):
        one, other = here.search(question, scope, k=12), there.search(question, scope, k=12)
        assert {hit.chunk.id for hit in one.hits} == {hit.chunk.id for hit in other.hits}
        # Passages of equal score stand in another order, and by ranks that is another score.
        within = 1e-5 if fusion == "weighted" else 1e-3
        assert [hit.score for hit in other.hits] == pytest.approx([hit.score for hit in one.hits], abs=within)
        assert {hit.chunk.id: hit.chunk for hit in one.hits} == {hit.chunk.id: hit.chunk for hit in other.hits}
        assert other.mode == one.mode
        assert (other.similarity is None) == (one.similarity is None)
        if one.similarity is not None:
            assert other.similarity == pytest.approx(one.similarity, abs=1e-3)


def test_texts_documents_sections_and_facts_are_those_of_the_library(library: Library, corpus: TeamCorpus) -> None:
    assert [filing.id for filing in corpus.filings()] == [filing.id for filing in library.filings()]
    for filing in library.filings():
        assert corpus.filing(filing.id) == filing
        assert corpus.text(filing.id) == library.text(filing.id)
        assert corpus.document(filing.id) == library.document(filing.id)
        assert corpus.sections(filing.id) == library.sections(filing.id)
        assert corpus.chunks.of_filing(filing.id) == library.chunks.of_filing(filing.id)
        assert corpus.chunks.holding(filing.id, 3, 9) == library.chunks.holding(filing.id, 3, 9)
        assert corpus.facts.find(filings=(filing.id,)) == library.facts.find(filings=(filing.id,))
        assert corpus.provenance(filing.id).sha256 == library.records.provenance(filing.id).sha256
    ids = [ENTRIES[0].chunks[2].id, "nothing/1:0", f"{ENTRIES[0].filing.id}/2:2", "odd"]
    assert corpus.chunks.by_id(ids) == library.chunks.by_id(ids) == {ids[0]: ENTRIES[0].chunks[2]}
    assert corpus.resolve("Zebra Inc:2023") == library.resolve("Zebra Inc:2023")
    with pytest.raises(NotFound, match="No filing nothing in the corpus"):
        corpus.text("nothing")


def test_facts_are_found_by_concept_period_label_and_source(library: Library, corpus: TeamCorpus) -> None:
    end = ENTRIES[1].document.facts[0].period_end
    assert end is not None
    for wanted in (
        {"concepts": ("us-gaap:Fact1", "us-gaap:Fact2")},
        {"concepts": ("us-gaap:Fact1",), "filings": (ENTRIES[2].filing.id,)},
        {"period_ends": (end,), "label": "row 3"},
        {"filings": (ENTRIES[0].filing.id, "nothing"), "source": "xbrl"},
        {"filings": ("nothing",)},
        {"source": "table"},
    ):
        here, there = (place.facts.find_with_filing(**wanted) for place in (library, corpus))
        assert sorted(map(repr, there)) == sorted(map(repr, here))


def test_writing_again_leaves_nothing_double_and_what_is_gone_goes(server: str, corpus: TeamCorpus) -> None:
    entry = make_entry("Twice Ltd", 2022, chunks=9)
    shorter = dataclasses.replace(make_entry("Twice Ltd", 2022, chunks=4), raw=b"another version")
    before = corpus.generation()
    with writer_to(server) as writer:
        for made in (entry, entry, shorter):
            stored = writer.put(prepare(made, make_vectors(made)))
        assert stored.replaced is not None
        assert len(corpus.chunks.of_filing(entry.filing.id)) == 4
        assert len(corpus.facts.find(filings=(entry.filing.id,))) == 4
        assert corpus.generation() > before
        with closing(Link(server)) as link:
            left = list(link.each(schema.CHUNKS, f"filing == {schema.filing_number(entry.filing.id)}", ["key"]))
        assert len(left) == 4
        writer.remove(entry.filing.id)
    assert entry.filing.id not in {filing.id for filing in corpus.filings()}
    assert corpus.chunks.of_filing(entry.filing.id) == ()


def test_what_is_half_there_is_not_found(server: str, corpus: TeamCorpus, library: Library, tmp_path: Path) -> None:
    """The writer died after the passages: the record still says incomplete."""
    entry = make_entry("Half Corp", 2024, chunks=9)
    made = prepare(entry, make_vectors(entry))
    with writer_to(server) as writer, closing(Link(server)) as link:
        link.upsert(schema.FILINGS, [record_row(msgspec.structs.replace(made.record, state="incomplete"))])
        link.upsert(schema.CHUNKS, made.chunks)
        link.upsert(schema.FILINGS, [schema.own_row(schema.STAMP_KEY, "changed")])
        _, there = retrievers(library, corpus, tmp_path)
        assert "Half Corp" not in {filing.company for filing in corpus.filings()}
        assert "Half Corp" not in {hit.filing.company for hit in there.search("Half Corp says supply chain", Scope(), k=50).hits}
        assert writer.held()[made.record.sha256].state == "incomplete"
        writer.put(made)
        assert "Half Corp" in {hit.filing.company for hit in there.search("Half Corp says supply chain", Scope(), k=50).hits}
        writer.remove(entry.filing.id)


def test_a_large_scope_weighs_words_by_the_whole_corpus(
    corpus: TeamCorpus, library: Library, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, server: str
) -> None:
    monkeypatch.setattr("fin_tui.team.search.MOST_COUNTED", 0)
    here, there = retrievers(library, corpus, tmp_path)
    one, other = (side.search("supply chain lawsuit", Scope(), k=12) for side in (here, there))
    assert [hit.score for hit in other.hits] == pytest.approx([hit.score for hit in one.hits], abs=1e-5)
    with closing(Link(server)) as link:
        totals = read_totals(link)
    assert totals is not None
    assert (totals.filings, totals.chunks) == (len(ENTRIES), 9 * len(ENTRIES))


def test_another_schema_and_another_encoder_are_refused(server: str) -> None:
    with closing(Link(server)) as link:
        (before,) = link.get(schema.FILINGS, [schema.HEAD_KEY], ["data"])
        link.upsert(schema.FILINGS, [schema.own_row(schema.HEAD_KEY, json.dumps({"version": 99, "more": 1}))])
        try:
            with pytest.raises(OtherCorpus, match="schema 99; this program reads 1"):
                TeamCorpus(link, encoder=ENCODER)
            with pytest.raises(OtherCorpus, match="schema 99"):
                writer_to(server)
        finally:
            link.upsert(schema.FILINGS, [schema.own_row(schema.HEAD_KEY, str(before["data"]))])
        assert msgspec.json.decode(before["data"], type=Head).encoder == ENCODER
    with pytest.raises(OtherCorpus, match="vectors of made, not of other"):
        open_writer(server, "other", DIMENSION)
    corpus = TeamCorpus(Link(server), encoder="other")
    assert "found by words alone" in corpus.notes()[0]
    assert corpus.within(Scope()).embedded == 0
    corpus.close()


def test_a_server_without_a_corpus_says_how_one_is_made(tmp_path: Path) -> None:
    with milvus_lite(tmp_path / "empty") as address, pytest.raises(OtherCorpus, match="holds no corpus") as caught:
        TeamCorpus(Link(address), encoder=ENCODER)
    assert "ingest-corpus" in caught.value.hint


def test_a_server_that_goes_and_comes_back(tmp_path: Path, library: Library) -> None:
    """Gone in mid-search: one line. Back at the same address: the same connection goes on."""
    folder, entry = tmp_path / "server", ENTRIES[0]
    with milvus_lite(folder) as address:
        with writer_to(address) as writer:
            writer.put(prepare(entry, make_vectors(entry)))
        corpus = TeamCorpus(Link(address, timeout=5.0), encoder=ENCODER)
        _, there = retrievers(library, corpus, tmp_path)
        assert there.search("supply chain", Scope(), k=3).hits
    with pytest.raises(CorpusGone, match="does not answer") as caught:
        there.search("supply chain", Scope(), k=3)
    assert "works on the library of this machine" in caught.value.hint
    assert library.filings(), "local work is unharmed"
    with milvus_lite(folder, port=int(address.rpartition(":")[2])):
        assert there.search("supply chain", Scope(), k=3).hits
    corpus.close()


def test_a_server_that_does_not_answer_in_time(server: str, tmp_path: Path, library: Library) -> None:
    """It is stopped, as a machine that swaps would be."""
    with closing(opened(server, timeout=2.0)) as corpus:
        _, there = retrievers(library, corpus, tmp_path)
        assert there.search("supply chain", Scope(), k=3).hits
        process = _listening_on(int(server.rpartition(":")[2]))
        os.kill(process, signal.SIGSTOP)
        try:
            with pytest.raises(CorpusGone, match=r"no answer within 2 s|does not answer"):
                there.search("revenue growth", Scope(), k=3)
        finally:
            os.kill(process, signal.SIGCONT)
        assert there.search("revenue growth", Scope(), k=3).hits


def test_commands_ask_the_corpus(server: str, tmp_path: Path) -> None:
    def run(*words: str) -> subprocess.CompletedProcess[str]:
        command = [sys.executable, "-m", "fin_tui", "--home", str(tmp_path), *words]
        return subprocess.run(command, capture_output=True, text=True, check=False, cwd=CHECKOUT, timeout=300)

    held = run("filings", "--json", "--corpus", server)
    assert [filing["filing"] for filing in json.loads(held.stdout)] == [entry.filing.id for entry in ENTRIES]
    shown = run("--corpus", server, "show", "Acme Corp:2024", "--item", "1A")
    assert shown.stdout.startswith("Acme Corp says")
    found = run("search", "supply chain", "--corpus", server, "--company", "Zebra Inc", "--json")
    assert {hit["company"] for hit in json.loads(found.stdout)["hits"]} == {"Zebra Inc"}
    asked = run("ask", "Who is the chief executive?", "--no-llm", "--json", "--corpus", server)
    assert asked.returncode in (0, 3), asked.stderr
    refused = run("--corpus", server, "remove", "Acme Corp")
    assert refused.returncode == 2
    assert "is not changed by it" in refused.stderr
    gone = run("ask", "anything", "--corpus", "http://127.0.0.1:9")
    assert gone.returncode == 1
    assert "Traceback" not in gone.stderr
    assert "127.0.0.1:9 does not answer" in gone.stderr
    offline = run("--offline", "filings", "--corpus", server)
    assert offline.returncode == 1
    assert "offline mode is on" in offline.stderr


def _listening_on(port: int) -> int:
    import psutil

    found = (one.pid for one in psutil.net_connections("tcp") if one.laddr.port == port and one.status == "LISTEN")
    return int(next(pid for pid in found if pid))
