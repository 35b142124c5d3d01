"""Filings into a team's corpus, from the list of files to the last count: what the command does."""

from __future__ import annotations

import contextlib
import os
from collections.abc import Callable, Generator, Sequence
from dataclasses import dataclass
from functools import partial
from pathlib import Path

from fin_tui.errors import UsageError
from fin_tui.ingest.job import Embedded, Outcome
from fin_tui.ingest.parse import parsed_by
from fin_tui.ingest.pipeline import never
from fin_tui.ingest.sources import expand
from fin_tui.team.ingest.cluster import Cluster
from fin_tui.team.ingest.crew import RayCrew
from fin_tui.team.ingest.driver import ingest
from fin_tui.team.ingest.identity import Identities
from fin_tui.team.ingest.steps import Plan, digests
from fin_tui.team.ingest.storing import Storer
from fin_tui.team.schema import Index

_LONGEST_LIST = 64 << 20
_WRITING = 3.0
"""A server that stores takes its time: so many times what a question waits for it."""


def open_milvus(uri: str, encoder: str, dimension: int, index: Index, timeout: float) -> Storer:
    """The corpus at ``uri``, made when there is none; raises as :func:`fin_tui.team.writer.open_writer`."""
    from fin_tui.team.writer import open_writer

    return open_writer(uri, encoder, dimension, index=index, timeout=timeout)


@dataclass(frozen=True, slots=True)
class Wish:
    """What a call asks for."""

    corpus: str
    """The server's address."""
    plan: Plan
    ray: str = ""
    """The address of a cluster; "" starts Ray on this machine."""
    cpus: int = 0
    writers: int = 0
    index: Index = "hnsw"
    """How vectors are searched, when the corpus is made by this."""


def run(files: Sequence[Path], wish: Wish, cancelled: Callable[[], bool] = never) -> Generator[Outcome, None, None]:
    """Take ``files`` in; outcomes as :func:`fin_tui.team.ingest.driver.ingest`, and ``Embedded`` as the last word.

    A filing of which the corpus has all, read by today's parser, is passed over; one that is half there, or was read by another
    one, is stored anew. Closing the iterator stops the work; what was reported as added stays.
    """
    with Cluster(wish.ray, wish.cpus) as cluster:
        embedders, encoder = cluster.embedders(wish.plan)
        timeout = _WRITING * wish.plan.settings.corpus.timeout_s
        opener = partial(open_milvus, wish.corpus, encoder.name, encoder.dimension, wish.index, timeout)
        with contextlib.closing(opener()) as storer:
            now = parsed_by(wish.plan.settings.chunking)
            records = storer.held()
            held = {digest: record for digest, record in records.items() if (record.state, record.parsed_by) == ("complete", now)}
            identities = Identities(records.values())
            crew = RayCrew(cluster, wish.plan, embedders, opener, digests(held), wish.writers)
            yield from ingest([path.absolute() for path in files], crew, held, identities, cancelled)
            for rename in identities.renames():
                storer.rename(rename.filing_id, rename.company_key, rename.cik)
            storer.finish()
            yield _last_word(storer)


def _last_word(storer: Storer) -> Embedded:
    """How much of the corpus can be asked."""
    records = storer.held().values()
    half = sorted(record.filing.file for record in records if record.state != "complete")
    total = sum(record.chunks for record in records)
    note = f"Half there, and not seen until their files are given again: {', '.join(half)}" if half else ""
    return Embedded(sum(record.chunks for record in records if record.state == "complete"), total, note)


def listed(source: Path) -> tuple[Path, ...]:
    """The files that ``source`` stands for: a folder, or a text file with a path in each line, from its own folder on.

    Empty lines and those that begin with # are passed over; paths that are not there come last, to be reported one by one.
    Raises ``UsageError`` when it is neither, or holds nothing.
    """
    hint = "Give a folder of filings, or a text file that names one in each line."
    if source.is_dir():
        found = expand([source])
    else:
        try:
            with source.open(encoding="utf-8") as stream:
                lines = [line.strip() for line in stream.read(_LONGEST_LIST).splitlines()]
        except (OSError, UnicodeDecodeError) as error:
            raise UsageError(f"{source} can't be read as a list: {getattr(error, 'strerror', None) or error}", hint) from error
        named = [source.parent / line for line in lines if line and not line.startswith("#")]
        # Not Path.exists: that raises for a line which is too long to be a name.
        there = [path for path in named if os.path.exists(path)]
        if named and not there:
            raise UsageError(f"{source} names no file that is there", hint)
        found = (*expand(there), *dict.fromkeys(path for path in named if not os.path.exists(path)))
    if not found:
        raise UsageError(f"There are no filings in {source}", hint)
    return found
