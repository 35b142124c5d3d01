"""A team's corpus as everything above sees it: the same calls as the library's, answered by a server."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from fin_tui.errors import NotFound
from fin_tui.records import Chunk, Document, Filing, Scope, Section
from fin_tui.store import codec
from fin_tui.store import resolve as names
from fin_tui.store.documents import Body
from fin_tui.store.filings import Provenance, no_filing
from fin_tui.team import schema
from fin_tui.team.address import host_of
from fin_tui.team.filters import limits_of
from fin_tui.team.head import read_head
from fin_tui.team.kept import Kept
from fin_tui.team.link import Link, Row
from fin_tui.team.rooms import TeamChunks, TeamFacts
from fin_tui.team.rows import Record
from fin_tui.team.search import TeamRoom
from fin_tui.team.state import Watch
from fin_tui.team.stored import joined, to_sections
from fin_tui.team.terms import WordCounts, unpacked

_TEXTS, _SECTIONS, _COUNTS = 12, 64, 512
"""Filings of which a part is kept in memory."""
_Version = tuple[str, str]
"""A filing's id and when it was written: what was kept of an earlier writing is never asked for again."""


class TeamCorpus:
    """See :class:`fin_tui.store.corpus.Corpus` and :class:`fin_tui.retrieval.rooms.Rooms`. Nothing here can be changed by it."""

    def __init__(self, link: Link, *, encoder: str = "") -> None:
        """``encoder`` names the one of this machine: vectors of another one are not searched.

        Raises ``OtherCorpus`` when there is no corpus, or one that this program can't read.
        """
        self._link = link
        self._head = read_head(link)
        self._has_vectors = self._head.encoder == encoder
        self._watch = Watch(link)
        self._texts: Kept[_Version, str] = Kept(_TEXTS)
        self._sections: Kept[_Version, tuple[Section, ...]] = Kept(_SECTIONS)
        self._counts: Kept[_Version, WordCounts] = Kept(_COUNTS)
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

    def room(self, scope: Scope) -> TeamRoom:
        """What ``scope`` allows, as it is now."""
        state = self._watch.state()
        return TeamRoom(self._link, state, limits_of(state, scope), self, index=self._head.index, has_vectors=self._has_vectors)

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
