"""The library as search sees it: chunks and vectors by integer key."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from fin_tui.errors import NotFound
from fin_tui.records import Chunk, Filing, Scope
from fin_tui.store import meta
from fin_tui.store.chunks import Chunks, Keys
from fin_tui.store.database import Database
from fin_tui.store.documents import Documents
from fin_tui.store.facts import Facts
from fin_tui.store.filings import Filings
from fin_tui.store.vectors import Matrix, Vectors


class SearchView:
    """What indexes and retrieval read. Keys ascend with time and are never used again."""

    def __init__(self, database: Database) -> None:
        self._database = database
        self.records = Filings(database)
        self.facts = Facts(database)
        self.documents = Documents(database, self.facts)
        self.chunks = Chunks(database)
        self.embeddings = Vectors(database)

    def generation(self) -> int:
        """A number that grows with every change of chunks, by any process: an index built at another value is stale."""
        return meta.count(self._database, "generation")

    def vector_generation(self) -> int:
        """A number that changes whenever vectors do."""
        return meta.count(self._database, "vectors")

    def chunk_keys(self, scope: Scope) -> Keys:
        """Ascending keys of the chunks that ``scope`` allows, int64; of all chunks when it is empty. Not to be written to."""
        return self.chunks.allowed(scope)

    def index_texts(self, after: int = 0) -> Iterable[tuple[int, str]]:
        """``(key, index_text)`` of the chunks with a key above ``after``, ascending."""
        return self.chunks.index_texts_after(after)

    def chunk_ids(self, keys: Sequence[int]) -> dict[int, str]:
        """The string ids of those of ``keys`` that exist."""
        return self.chunks.ids(keys)

    def chunks_by_keys(self, keys: Sequence[int]) -> list[tuple[Chunk, Filing]]:
        """Chunks with their filings in the order of ``keys``; keys that are gone are left out."""
        found = self.chunks.by_key(keys)
        filings = {filing.id: filing for filing in self.records.all()}
        chunks = [found[int(key)] for key in keys if int(key) in found]
        return [(chunk, filings[chunk.filing]) for chunk in chunks if chunk.filing in filings]

    def vector_keys(self, encoder: str) -> Keys:
        """Ascending keys of the chunks that have a vector of the encoder named ``encoder``."""
        return self.embeddings.keys(encoder)

    def vectors(self, encoder: str, keys: Sequence[int]) -> Matrix:
        """L2-normalised float32 rows for ``keys``, in their order, shape ``[len(keys), d]``; ``NotFound`` when one has none."""
        found, matrix = self.embeddings.get(encoder, keys)
        place = {int(key): row for row, key in enumerate(found)}
        try:
            order = [place[int(key)] for key in keys]
        except KeyError as error:
            raise NotFound(f"Chunk {error} has no vector of {encoder}", "The library changed meanwhile; try again.") from error
        return matrix[order] if order else matrix
