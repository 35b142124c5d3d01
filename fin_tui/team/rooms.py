"""Passages and facts of a team's corpus by filing, id and place."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Unpack

from fin_tui.records import Chunk, Fact
from fin_tui.store import codec
from fin_tui.store.corpus import FactConditions
from fin_tui.team import schema
from fin_tui.team.kept import Kept
from fin_tui.team.link import Link
from fin_tui.team.rows import Record
from fin_tui.team.state import Watch
from fin_tui.team.stored import to_chunk, to_fact

_FILINGS, _CHUNKS, _FACTS = 24, 4096, 8
"""Filings of which all passages are kept, single passages, filings of which all facts are kept."""


class TeamChunks:
    """See :class:`fin_tui.store.corpus.ChunkRoom`."""

    def __init__(self, link: Link, watch: Watch) -> None:
        self._link = link
        self._watch = watch
        self._filings: Kept[tuple[str, str], tuple[Chunk, ...]] = Kept(_FILINGS)
        self._single: Kept[tuple[int, int], Chunk] = Kept(_CHUNKS)

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
    """See :class:`fin_tui.store.corpus.FactRoom`."""

    def __init__(self, link: Link, watch: Watch) -> None:
        self._link = link
        self._watch = watch
        self._filings: Kept[tuple[str, str], tuple[Fact, ...]] = Kept(_FACTS)

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
