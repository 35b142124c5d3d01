"""A team's corpus beside the library: filled by Ray, asked the same questions.

    python -m benchmarks.team [--home DIR] [--seconds 840] [--index flat|hnsw] [--uri URI] [--fusion weighted|rrf] [--json]

Starts milvus-lite's server and a Ray on this machine, lets Ray take in the sample filings (read, embedded, written), then writes
the other filings of the library at ``--home`` with the vectors that it has of them: embedding them again would take longer than
all else. Then the question sets in ``$FIN_TUI_CORPUS/qa`` (else five questions about the samples) are asked of both, as many as
the time allows. ``--uri`` takes a corpus that is there already.
"""

from __future__ import annotations

import argparse
import contextlib
import json
import os
import tempfile
import time
from collections.abc import Iterator
from dataclasses import asdict
from pathlib import Path
from typing import Any

import msgspec
import numpy as np

from benchmarks.table import machine
from benchmarks.team_server import Server, served
from benchmarks.team_sets import Compared, compare, sets_of, side_of, total
from fin_tui.config import Settings, load_settings
from fin_tui.engine.questions.batch import Line
from fin_tui.engine.services import open_services
from fin_tui.evaluation.sets import Row
from fin_tui.ingest import FailedFile
from fin_tui.paths import Paths, find_home
from fin_tui.retrieval.encoder import load_encoder
from fin_tui.store.filings import Entry
from fin_tui.store.library import Library
from fin_tui.team import corpus_of, schema
from fin_tui.team.link import Link
from fin_tui.team.rows import open_writer, prepare

_OWN = (
    "What was Apple's revenue in fiscal 2025?",
    "What does Apple say about its dependence on outsourcing partners?",
    "How did Amazon's operating income change?",
    "How does Target describe competition?",
    "How many employees does Amazon have?",
)


def by_ray(uri: str, paths: Paths, settings: Settings, index: schema.Index) -> dict[str, Any]:
    """The sample filings through the whole of ``ingest-corpus``; what it took."""
    from fin_tui.team.ingest import Wish, run
    from fin_tui.team.ingest.steps import Plan

    encoder = load_encoder(settings.encoder, paths)
    open_writer(uri, encoder.name, encoder.dimension, index=index).close()
    files = sorted(paths.samples.glob("*_10k.html"))
    began = time.monotonic()
    failed = [event.message for event in run(files, Wish(uri, Plan(paths, settings))) if isinstance(event, FailedFile)]
    return {"files": len(files), "failed": failed, "seconds": round(time.monotonic() - began)}


def from_home(uri: str, paths: Paths, settings: Settings, deadline: float) -> dict[str, Any]:
    """The library's other filings, those with all their vectors; what it took."""
    encoder = load_encoder(settings.encoder, paths)
    began, count, chunks = time.monotonic(), 0, 0
    with Library.open(paths) as library, open_writer(uri, encoder.name, encoder.dimension) as writer:
        there = {record.filing.id for record in writer.held().values() if record.state == "complete"}
        for filing in library.filings():
            if filing.id in there or filing.embedded < filing.chunks or time.monotonic() > deadline:
                continue
            own = library.chunks.of_filing(filing.id)
            keys = library.chunks.keys_by_id([chunk.id for chunk in own])
            vectors = library.vectors(encoder.name, [keys[chunk.id] for chunk in own])
            known = library.records.provenance(filing.id)
            document, raw = library.document(filing.id), library.original(filing.id)
            entry = Entry(filing, document, library.sections(filing.id), own, raw, known.parsed_by)
            writer.put(prepare(entry, vectors))
            count, chunks = count + 1, chunks + len(own)
        writer.finish()
    return {"filings": count, "chunks": chunks, "seconds": round(time.monotonic() - began)}


def sizes(uri: str, server: Server | None) -> dict[str, Any]:
    """Rows of each collection, and what the server holds."""
    with contextlib.closing(Link(uri, timeout=60)) as link:
        rows: dict[str, Any] = {name: sum(1 for _ in link.each(name, "key > 0", ["key"])) for name in schema.COLLECTIONS}
    return rows | ({"disk_mb": round(server.stored()), "resident_mb": round(server.megabytes())} if server else {})


def asked_of_both(uri: str, paths: Paths, settings: Settings, seconds: float) -> dict[str, Compared]:
    """The question sets on both sides, the filings of the library limited to those that the corpus has."""
    folder = os.environ.get("FIN_TUI_CORPUS")
    own = {"samples": [Row(Line(f"own:{n}", question, {}, (), (), {})) for n, question in enumerate(_OWN)]}
    there = msgspec.structs.replace(settings, corpus=msgspec.structs.replace(settings.corpus, uri=uri, timeout_s=120.0))
    sets = sets_of(Path(folder) / "qa") if folder else own
    with (
        open_services(paths, settings, with_model=False) as local,
        open_services(paths, there, with_model=False, corpus=corpus_of(paths, there)) as remote,
    ):
        held, found = ({filing.id for filing in services.corpus.filings()} for services in (local, remote))
        if held != found:
            print(f"The library has {len(held)} filings, the corpus {len(found)}: answers may differ for that.", flush=True)
        return compare(side_of(local), side_of(remote), sets, seconds)


@contextlib.contextmanager
def _server(uri: str, folder: Path) -> Iterator[tuple[str, Server | None]]:
    if uri:
        yield uri, None
        return
    with served(folder) as server:
        yield server.uri, server


def show(sets: dict[str, Compared]) -> None:
    """The comparison as a table."""
    print(
        f"{'set':<18}{'asked':>6}{'values':>8}{'same':>6}{'status':>8}{'words':>7}{'top 10':>8}{'order':>7}   p50 ms here, there"
    )
    for name, part in [*sets.items(), ("all", total(list(sets.values())))]:
        if part.asked:
            order = part.same_order / max(len(part.overlaps), 1)
            counts = f"{part.asked:>6}{part.values:>8}{part.same_values:>6}{part.same_status:>8}{part.same_words:>7}"
            print(f"{name:<18}{counts}{part.overlap:>8.4f}{order:>7.2f}  {_p50(part.local_ms)}, {_p50(part.served_ms)}")
            for question in part.differing if name != "all" else ():
                print(f"    differs: {question}")


def _p50(times: list[float]) -> int:
    return round(float(np.percentile(times, 50)))


def main() -> None:
    """Fill, ask, print."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0] if __doc__ else None)
    parser.add_argument("--home", type=Path)
    parser.add_argument("--seconds", type=float, default=840)
    parser.add_argument("--index", default="flat", choices=["flat", "hnsw", "hnsw_sq8", "ivf_sq8"])
    parser.add_argument("--fusion", default="weighted", choices=["weighted", "rrf"])
    parser.add_argument("--uri", default="")
    parser.add_argument("--json", action="store_true")
    given = parser.parse_args()
    deadline = time.monotonic() + given.seconds
    paths = find_home(given.home)
    settings = load_settings(paths.settings)
    search = msgspec.structs.replace(settings.search, rerank=False, fusion=given.fusion)
    settings = msgspec.structs.replace(settings, search=search)
    report: dict[str, Any] = {"machine": machine(), "index": given.index, "fusion": given.fusion}
    with (
        tempfile.TemporaryDirectory(prefix="fin-tui-team-") as folder,
        _server(given.uri, Path(folder) / "data") as (uri, server),
    ):
        if server is not None:
            report["ray"] = by_ray(uri, paths, settings, given.index)
            report["home"] = from_home(uri, paths, settings, time.monotonic() + (deadline - time.monotonic()) * 0.6)
        report["sizes"] = sizes(uri, server)
        print(json.dumps(report, indent=1), flush=True)
        sets = asked_of_both(uri, paths, settings, max(30.0, deadline - time.monotonic()))
    show(sets)
    if given.json:
        print(json.dumps(report | {"sets": {name: asdict(part) for name, part in sets.items()}}))


if __name__ == "__main__":
    main()
