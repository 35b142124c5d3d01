"""Vectors for passages that lack one, in small batches that are each committed: it can stop and go on at any time."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence

from fin_tui.candidates.figures import add_missing
from fin_tui.config import Settings
from fin_tui.errors import MissingAsset
from fin_tui.ingest.job import Embedded, Outcome
from fin_tui.ingest.pipeline import never, write_indexes
from fin_tui.paths import Paths
from fin_tui.records import Fact, Progress
from fin_tui.retrieval.encoder import Encoder, encoder_name, load_encoder
from fin_tui.retrieval.shared_encoder import SharedEncoder
from fin_tui.store.database import one_at_a_time, wait_while_answering
from fin_tui.store.library import Library

WINDOW = 256
"""Passages sorted by length together, so that a batch wastes little on padding. After each the order is looked up again, as a
filing added meanwhile may come first."""


def embed_all(paths: Paths, library: Library, settings: Settings, cancelled: Callable[[], bool] = never) -> Iterator[Outcome]:
    """Embed what is missing and write the indexes; ``Progress`` after each batch, ``Embedded`` at the end.

    Without weights, or while another process embeds, it says so and ends. Waits while an answer is being made.
    """
    name = encoder_name(settings.encoder, paths) or ""
    with one_at_a_time(paths.data / "embedding.lock") as is_ours:
        if not is_ours:
            yield Embedded(*library.embeddings.progress(name), "another process is making vectors")
            return
        yield from _rows(paths, library, name, cancelled)
        if name and not len(library.embeddings.missing(name)):
            library.embeddings.use(name)
            write_indexes(paths, library, settings)
            yield Embedded(*library.embeddings.progress(name))
            return
        try:
            encoder = load_encoder(settings.encoder, paths)
        except MissingAsset as error:
            write_indexes(paths, library, settings)
            yield Embedded(*library.embeddings.progress(name), f"{error.message}. {error.hint}")
            return
        yield from embed_missing(paths, library, encoder, settings.encoder.batch, cancelled)
        write_indexes(paths, library, settings)
        yield Embedded(*library.embeddings.progress(encoder.name), "stopped" if cancelled() else "")


def _rows(paths: Paths, library: Library, encoder: str, cancelled: Callable[[], bool]) -> Iterator[Progress]:
    """Vectors of the rows of figures, of filings that lack them: some seconds each, told as the passages stand."""

    def stopped() -> bool:
        wait_while_answering(paths, cancelled)
        return cancelled()

    def facts(filing_id: str) -> Sequence[Fact]:
        return library.facts.find(filings=(filing_id,))

    for _ in add_missing(library.figure_rows, library.document, facts, SharedEncoder(), stopped):
        yield Progress("embed", *library.embeddings.progress(encoder))


def embed_missing(
    paths: Paths, library: Library, encoder: Encoder, batch: int, cancelled: Callable[[], bool] = never
) -> Iterator[Progress]:
    """Embed passages without a vector, the most recent filing first. Progress counts all passages, those done before too."""
    library.embeddings.use(encoder.name)
    while len(keys := library.embeddings.missing(encoder.name)) and not cancelled():
        done, total = library.embeddings.progress(encoder.name)
        texts = sorted((text for _, text in library.chunks.index_texts(keys[:WINDOW])), key=len)
        for part in _batched(texts, batch):
            wait_while_answering(paths, cancelled)
            if cancelled():
                return
            library.embeddings.put(encoder.name, part, encoder.encode_passages(part))
            done += len(part)
            yield Progress("embed", min(done, total), total)


def _batched(texts: list[str], size: int) -> Iterator[tuple[str, ...]]:
    for start in range(0, len(texts), size):
        yield tuple(texts[start : start + size])
