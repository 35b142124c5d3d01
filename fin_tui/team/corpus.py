"""A team's corpus as everything above sees it: the same calls as the library's, answered by a server."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Unpack

from fin_tui.errors import NotFound
from fin_tui.records import Chunk, Document, Fact, Filing, Scope, Section
from fin_tui.store import FactConditions, Remembered, codec
from fin_tui.store import filings as names
from fin_tui.store.documents import Body
from fin_tui.store.filings import Provenance, no_filing
from fin_tui.team import schema
from fin_tui.team.link import Link, Row, host_of
from fin_tui.team.rows import Record, WordCounts, joined, to_chunk, to_fact, to_sections, unpacked
from fin_tui.team.schema import read_head
from fin_tui.team.search import TeamSearch, Watch, limits_of

_FILINGS, _CHUNKS, _FACTS = 24, 4096, 8
"""Filings of which all passages are kept, single passages, filings of which all facts are kept."""


class TeamChunks:
    """See :class:`fin_tui.store.ChunkStore`."""

    def __init__(self, link: Link, watch: Watch) -> None:
        self._link = link
        self._watch = watch
        self._filings: Remembered[tuple[str, str], tuple[Chunk, ...]] = Remembered(_FILINGS)
        self._single: Remembered[tuple[int, int], Chunk] = Remembered(_CHUNKS)

    def by_id(self, ids: Sequence[str]) -> Mapping[str, Chunk]:
        wanted = dict.fromkeys(key for name in ids if (key := _key_of(name)) is not None)
        # The same passage of another chunking has the same key, but not the same id.
        return {chunk.id: chunk for chunk in self.by_key(list(wanted)).values() if chunk.id in ids}

    def by_key(self, keys: Sequence[int]) -> dict[int, Chunk]:
        """Chunks of complete filings by key, in the order of ``keys``; those that are gone are left out."""
        state = self._watch.state()
        there = [int(key) for key in keys if schema.number_and_ordinal(int(key))[0] in state.by_number]
        found = {key: chunk for key in there if (chunk := self._single.find((state.generation, key))) is not None}
        for row in self._link.get(schema.CHUNKS, [key for key in there if key not in found], ["key", "record"]):
            key = int(row["key"])
            found[key] = to_chunk(row)
            self._single.put((state.generation, key), found[key])
        return {key: found[key] for key in there if key in found}

    def of_filing(self, filing_id: str) -> tuple[Chunk, ...]:
        record = self._watch.state().records.get(filing_id)
        return () if record is None else self._filings.get((filing_id, record.added), lambda: self._read(record))

    def holding(self, filing_id: str, start: int, end: int) -> Chunk | None:
        around = (chunk for chunk in self.of_filing(filing_id) if chunk.start <= start and chunk.end >= end)
        return min(around, key=lambda chunk: chunk.end - chunk.start, default=None)

    def _read(self, record: Record) -> tuple[Chunk, ...]:
        first = schema.row_key(record.number, 0)
        rows = self._link.between(schema.CHUNKS, first, first + record.chunks, ["key", "record"])
        return tuple(to_chunk(row) for row in sorted(rows, key=lambda row: int(row["key"])))


class TeamFacts:
    """See :class:`fin_tui.store.FactStore`."""

    def __init__(self, link: Link, watch: Watch) -> None:
        self._link = link
        self._watch = watch
        self._filings: Remembered[tuple[str, str], tuple[Fact, ...]] = Remembered(_FACTS)

    def find(self, **wanted: Unpack[FactConditions]) -> tuple[Fact, ...]:
        return tuple(fact for _, fact in self.find_with_filing(**wanted))

    def find_with_filing(self, **wanted: Unpack[FactConditions]) -> tuple[tuple[str, Fact], ...]:
        records, filings = self._watch.state().records, wanted.get("filings", ())
        named = [records[filing_id] for filing_id in dict.fromkeys(filings) if filing_id in records]
        if filings and not named:
            return ()
        conditions = [f"filing in [{', '.join(str(record.number) for record in named)}]"] if named else []
        if concepts := wanted.get("concepts"):
            conditions.append(f"concept in {codec.to_json([schema.clipped('concept', name) for name in concepts])}")
        if period_ends := wanted.get("period_ends"):
            conditions.append(f"period_end in {codec.to_json([end.isoformat() for end in period_ends])}")
        if source := wanted.get("source"):
            conditions.append(f"source == {codec.to_json(source)}")
        whole = bool(named) and len(conditions) == 1
        found = self._whole(named) if whole else self._matching(" and ".join(conditions) or "key > 0")
        exact, part = frozenset(concepts or ()), wanted.get("label", "").lower()
        return tuple(
            (filing, fact)
            for filing, fact in found
            if (not exact or fact.concept in exact) and (not part or part in fact.label.lower())
        )

    def _whole(self, records: Iterable[Record]) -> Iterator[tuple[str, Fact]]:
        for record in records:
            name = record.filing.id
            for fact in self._filings.get((name, record.added), lambda r=record: self._read(r)):  # type: ignore[misc]
                yield name, fact

    def _matching(self, condition: str) -> Iterator[tuple[str, Fact]]:
        names = self._watch.state().by_number
        rows = sorted(self._link.each(schema.FACTS, condition, ["key", "record"]), key=lambda row: int(row["key"]))
        for row in rows:
            filing = names.get(schema.number_and_ordinal(int(row["key"]))[0])
            if filing is not None:
                yield filing.id, to_fact(row)

    def _read(self, record: Record) -> tuple[Fact, ...]:
        first = schema.row_key(record.number, 0)
        rows = self._link.between(schema.FACTS, first, first + record.facts, ["key", "record"])
        return tuple(to_fact(row) for row in sorted(rows, key=lambda row: int(row["key"])))


def _key_of(chunk_id: str) -> int | None:
    """The key of the row with this chunk; None for what is no chunk id."""
    filing_id, slash, rest = chunk_id.rpartition("/")
    ordinal = rest.rpartition(":")[2]
    if not slash or not ordinal.isdecimal() or int(ordinal) >= 1 << schema.ORDINAL_BITS:
        return None
    return schema.row_key(schema.filing_number(filing_id), int(ordinal))


_TEXTS, _SECTIONS, _COUNTS = 12, 64, 512
"""Filings of which a part is kept in memory."""
_Version = tuple[str, str]
"""A filing's id and when it was written: what was kept of an earlier writing is never asked for again."""


class TeamCorpus:
    """See :class:`~fin_tui.retrieval.backend.Served`. Nothing here can be changed by it."""

    def __init__(self, link: Link, *, encoder: str = "") -> None:
        """``encoder`` names the one of this machine: vectors of another one are not searched.

        Raises ``OtherCorpus`` when there is no corpus, or one that this program can't read.
        """
        self._link = link
        self._head = read_head(link)
        self._has_vectors = self._head.encoder == encoder
        self._watch = Watch(link)
        self._texts: Remembered[_Version, str] = Remembered(_TEXTS)
        self._sections: Remembered[_Version, tuple[Section, ...]] = Remembered(_SECTIONS)
        self._counts: Remembered[_Version, WordCounts] = Remembered(_COUNTS)
        self.chunks = TeamChunks(link, self._watch)
        self.facts = TeamFacts(link, self._watch)

    @property
    def name(self) -> str:
        """For people: where it is."""
        return host_of(self._link.uri)

    def notes(self) -> tuple[str, ...]:
        """What limits searches from this machine, for people."""
        if self._has_vectors:
            return ()
        return (f"{self.name} holds vectors of {self._head.encoder}; without that encoder passages are found by words alone.",)

    def close(self) -> None:
        """Safe to call twice."""
        self._link.close()

    def filings(self) -> tuple[Filing, ...]:
        return self._watch.state().filings

    def filing(self, filing_id: str) -> Filing:
        return self._record(filing_id).filing

    def resolve(self, name: str) -> Filing:
        return names.resolve(name, self.filings())

    def provenance(self, filing_id: str) -> Provenance:
        """How a filing came to be as it is there. A corpus keeps no earlier versions: this one always counts as the first."""
        record = self._record(filing_id)
        return Provenance(record.sha256, 1, record.parsed_by, record.corrections, record.added)

    def text(self, filing_id: str) -> str:
        record = self._record(filing_id)
        return self._texts.get(_version(record), lambda: codec.decompress(self._pieces(record, "text")).decode())

    def document(self, filing_id: str) -> Document:
        body = codec.unpack(self._pieces(self._record(filing_id), "body"), Body)
        return body.document(self.text(filing_id), self.facts.find(filings=(filing_id,)))

    def sections(self, filing_id: str) -> tuple[Section, ...]:
        record = self._record(filing_id)
        return self._sections.get(_version(record), lambda: to_sections(self._pieces(record, "sections")))

    def generation(self) -> int:
        return self._watch.state().generation

    def vector_generation(self) -> int:
        return self.generation()

    def within(self, scope: Scope) -> TeamSearch:
        """What ``scope`` allows, as it is now."""
        state = self._watch.state()
        return TeamSearch(self._link, state, limits_of(state, scope), self, index=self._head.index, has_vectors=self._has_vectors)

    def counts(self, filings: Sequence[Filing]) -> Sequence[WordCounts]:
        """The word counts of each filing, those that are not kept fetched together."""
        state = self._watch.state()
        records = [state.records[filing.id] for filing in filings if filing.id in state.records]
        held = {record.number: found for record in records if (found := self._counts.find(_version(record))) is not None}
        missing = [record for record in records if record.number not in held]
        rows: dict[int, list[Row]] = {}
        keys = [key for record in missing for key in record.piece_keys("terms")]
        for row in self._link.get(schema.FILINGS, keys, ["key", "data"]):
            rows.setdefault(schema.number_and_ordinal(int(row["key"]))[0], []).append(row)
        for record in missing:
            if record.number in rows:
                held[record.number] = unpacked(joined(rows[record.number]))
                self._counts.put(_version(record), held[record.number])
        return list(held.values())

    def chunks_by_key(self, keys: Sequence[int]) -> Mapping[int, Chunk]:
        """Chunks by key; those that are gone are left out."""
        return self.chunks.by_key(keys)

    def _record(self, filing_id: str) -> Record:
        record = self._watch.state().records.get(filing_id)
        if record is None:
            raise no_filing(filing_id, f"the corpus at {self.name}")
        return record

    def _pieces(self, record: Record, kind: schema.Kind) -> bytes:
        rows = self._link.get(schema.FILINGS, record.piece_keys(kind), ["key", "data"])
        if len(rows) < record.pieces.get(kind, 0):
            raise NotFound(f"{record.filing.id} changed in the corpus at {self.name}", "It is being written anew; try again.")
        return joined(rows)


def _version(record: Record) -> _Version:
    return record.filing.id, record.added
