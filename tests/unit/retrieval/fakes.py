"""A small library in memory and an encoder of hashed words, so that the indexes can be tested alone."""

from __future__ import annotations

import datetime as dt
import zlib
from collections.abc import Iterable, Sequence
from dataclasses import replace

import numpy as np
from numpy.typing import NDArray

from fin_tui.errors import NotFound
from fin_tui.records import Chunk, Filing, Scope
from fin_tui.retrieval.backend import Keys, Matrix
from fin_tui.retrieval.tokens import tokenize


def make_filing(number: int = 1, **changes: object) -> Filing:
    filing = Filing(
        id=f"filing-{number}",
        file=f"report-{number}.htm",
        company=f"Company {number}",
        company_key=f"cik:{number:010d}",
        form="10-K",
        fiscal_year=2023,
        period_end=dt.date(2023, 12, 31),
    )
    return replace(filing, **changes)  # type: ignore[arg-type]


class MemoryCorpus:
    """A :class:`fin_tui.retrieval.backend.Indexed` that counts how many texts were read."""

    def __init__(self) -> None:
        self.chunks: dict[int, Chunk] = {}
        self.filings: dict[str, Filing] = {}
        self.made: dict[str, dict[int, NDArray[np.float32]]] = {}
        self.texts_read = 0
        self._next = 1
        self._changes = 0
        self._vector_changes = 0

    def add(self, filing: Filing, texts: Sequence[str], item: str = "1") -> list[int]:
        self.filings[filing.id] = filing
        keys = []
        for ordinal, text in enumerate(texts):
            chunk_id = f"{filing.id}/1:{self._next}"
            self.chunks[self._next] = Chunk(chunk_id, filing.id, ordinal, 0, len(text), 1, "", item, "", "prose", text, "", text)
            keys.append(self._next)
            self._next += 1
        self._changes += 1
        return keys

    def remove(self, keys: Iterable[int]) -> None:
        for key in keys:
            del self.chunks[key]
        self._changes += 1

    def embed(self, encoder: WordEncoder, keys: Iterable[int] | None = None) -> None:
        wanted = list(self.chunks if keys is None else keys)
        rows = encoder.encode_passages([self.chunks[key].index_text for key in wanted])
        self.made.setdefault(encoder.name, {}).update(zip(wanted, rows, strict=True))
        self._vector_changes += 1

    def forget_vectors(self, encoder: str, keys: Iterable[int]) -> None:
        for key in keys:
            del self.made[encoder][key]
        self._vector_changes += 1

    def generation(self) -> int:
        return self._changes

    def vector_generation(self) -> int:
        return self._vector_changes

    def chunk_keys(self, scope: Scope) -> Keys:
        return np.array(
            [
                key
                for key, chunk in self.chunks.items()
                if (not scope.filings or chunk.filing in scope.filings) and (not scope.items or chunk.item in scope.items)
            ],
            np.int64,
        )

    def chunk_ids(self, keys: Sequence[int]) -> dict[int, str]:
        return {key: self.chunks[key].id for key in keys if key in self.chunks}

    def index_texts(self, after: int) -> Iterable[tuple[int, str]]:
        for key, chunk in self.chunks.items():
            if key > after:
                self.texts_read += 1
                yield key, chunk.index_text

    def chunks_by_keys(self, keys: Sequence[int]) -> list[tuple[Chunk, Filing]]:
        return [(self.chunks[key], self.filings[self.chunks[key].filing]) for key in keys if key in self.chunks]

    def vector_keys(self, encoder: str) -> Keys:
        return np.array(sorted(key for key in self.made.get(encoder, {}) if key in self.chunks), np.int64)

    def vectors(self, encoder: str, keys: Sequence[int]) -> Matrix:
        made = self.made.get(encoder, {})
        if any(key not in made for key in keys):
            raise NotFound("a chunk has no vector")
        return np.array([made[key] for key in keys], np.float32)


class WordEncoder:
    """Texts that share words are near: every word adds a fixed random direction."""

    def __init__(self, name: str = "words@1", dimension: int = 48) -> None:
        self.name = name
        self.dimension = dimension

    def encode_passages(self, texts: Sequence[str]) -> NDArray[np.float32]:
        return np.array([self.encode_query(text) for text in texts], np.float32).reshape(len(texts), self.dimension)

    def encode_query(self, text: str) -> NDArray[np.float32]:
        total = np.full(self.dimension, 1e-3)
        for token in tokenize(text):
            total += np.random.default_rng(zlib.crc32(token.encode())).standard_normal(self.dimension)
        vector: NDArray[np.float32] = (total / np.linalg.norm(total)).astype(np.float32)
        return vector
