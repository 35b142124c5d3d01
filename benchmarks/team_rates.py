"""What filling a corpus costs, measured on one machine: processor seconds and bytes of a filing and of a passage.

    python -m benchmarks.team_rates FOLDER [--home DIR] [--filings 13] [--passages 256] [--json] [--keep]

Reads filings spread evenly over FOLDER, makes their rows, embeds some of their passages with the library's encoder on one
stream, and stores nothing. Times are processor time, so that what else runs here weighs little. ``--keep`` writes the figures to
benchmarks/team_rates.json, which the tables of docs/scale.md are made from.
"""

from __future__ import annotations

import argparse
import datetime as dt
import json
import time
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from benchmarks.table import machine
from fin_tui.config import Encoder, Settings
from fin_tui.filings.reader import company_key
from fin_tui.ingest import expand
from fin_tui.paths import Paths, find_home
from fin_tui.records import Cover, Filing
from fin_tui.store.filings import Entry
from fin_tui.team.ingest.steps import Identities
from fin_tui.team.rows import Prepared

_PLACED = 20_000
RATES = Path(__file__).with_name("team_rates.json")


@dataclass(frozen=True, slots=True)
class Timed:
    """A filing, its rows, and what both took."""

    entry: Entry
    prepared: Prepared
    parse_s: float
    prepare_s: float


def run(folder: Path, paths: Paths, filings: int, passages: int) -> dict[str, Any]:
    """The figures by name: means over the filings, in processor seconds of one core and in bytes."""
    files = expand([folder])
    timed = [_timed(file) for file in files[:: max(1, len(files) // filings)][:filings]]
    texts = [chunk.index_text for one in timed for chunk in one.entry.chunks]
    encoder = _embedding(texts[:: max(1, len(texts) // passages)][:passages], paths, Settings().encoder)
    own = {"place_s": placing(_PLACED)}
    return {"machine": machine(), "filings": len(timed), "passages": len(texts), **figures(timed), **encoder, **own}


def figures(timed: Sequence[Timed]) -> dict[str, float]:
    """Means of a filing, of a passage (chunk) and of a fact."""
    chunks = [row for one in timed for row in one.prepared.chunks]
    facts = [row for one in timed for row in one.prepared.facts]
    tagged = [one for one in timed if one.entry.document.format == "ixbrl"]
    return {
        "parse_s": _mean([one.parse_s for one in timed]),
        "prepare_s": _mean([one.prepare_s for one in timed]),
        "raw_bytes": _mean([len(one.entry.raw) for one in timed]),
        "chunks": len(chunks) / len(timed),
        "facts": len(facts) / len(timed),
        "tagged_facts": _mean([sum(fact.source == "xbrl" for fact in one.entry.document.facts) for one in tagged]),
        "terms": _mean([len(row["sparse"]) for row in chunks]),
        "chunk_bytes": _mean([_scalars(row) for row in chunks]),
        "fact_bytes": _mean([_scalars(row) for row in facts]),
        "piece_bytes": _mean([sum(_scalars(row) for row in one.prepared.pieces) for one in timed]),
        "record_bytes": _mean([_record(one.prepared) for one in timed]),
    }


def placing(count: int) -> float:
    """Seconds in which the one process that drives an ingest tells whose a filing is, when it knows up to ``count`` others."""
    identities, began = Identities([]), time.process_time()
    for number in range(count):
        company, year = divmod(number, 10)
        cover = Cover(
            company=f"Made Up {company} Inc.",
            form="10-K",
            period_end=dt.date(2010 + year, 12, 31),
            cik=f"{company + 1:010}",
            irs_number=f"{company:09}",
            commission_file=f"1-{company:05}",
        )
        filing = Filing(
            f"{number:018}", "a.htm", cover.company, company_key(cover), cover.form, None, cover.period_end, cover.cik
        )
        identities.place(filing, cover)
    return (time.process_time() - began) / count


def _timed(file: Path) -> Timed:
    from fin_tui.ingest.pipeline import parse
    from fin_tui.team.rows import prepare

    raw, began = file.read_bytes(), time.process_time()
    entry = parse(raw, file.name, Settings().chunking, force=True)
    parsed = time.process_time()
    prepared = prepare(entry, np.zeros((len(entry.chunks), 384), np.float32))
    return Timed(entry, prepared, parsed - began, time.process_time() - parsed)


def _embedding(texts: Sequence[str], paths: Paths, settings: Encoder) -> dict[str, Any]:
    """Processor seconds of a passage, all threads together, and its tokens."""
    from fin_tui.retrieval.encoder import LONGEST, find_folder, load_encoder
    from fin_tui.retrieval.onnx import OnnxModel

    encoder = load_encoder(settings, paths)
    encoder.encode_passages(texts[:8])
    began, wall = time.process_time(), time.perf_counter()
    encoder.encode_passages(texts)
    seconds, wall = time.process_time() - began, time.perf_counter() - wall
    tokens = [len(encoding.ids) for encoding in OnnxModel(find_folder(settings.model, paths), longest=LONGEST).tokenize(texts)]
    return {
        "encoder": encoder.name,
        "embed_s": seconds / len(texts),
        "embed_wall_s": wall / len(texts),
        "tokens": _mean(tokens),
    }


def _scalars(row: dict[str, Any]) -> int:
    """Bytes of a row as JSON, without its vectors."""
    return len(json.dumps({name: value for name, value in row.items() if name not in ("dense", "sparse", "nothing")}))


def _record(prepared: Prepared) -> int:
    from fin_tui.team.rows import record_row

    return _scalars(record_row(prepared.record))


def _mean(values: Sequence[float]) -> float:
    return float(np.mean(values)) if len(values) else 0.0


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("folder", type=Path)
    parser.add_argument("--home", type=Path)
    parser.add_argument("--filings", type=int, default=13)
    parser.add_argument("--passages", type=int, default=256)
    parser.add_argument("--json", action="store_true")
    parser.add_argument("--keep", action="store_true")
    arguments = parser.parse_args()
    measured = run(arguments.folder, find_home(arguments.home), arguments.filings, arguments.passages)
    told = {name: float(f"{value:.4g}") if isinstance(value, float) else value for name, value in measured.items()}
    if arguments.keep:
        RATES.write_text(json.dumps(told, indent=1) + "\n", encoding="utf-8")
    print(json.dumps(told) if arguments.json else "\n".join(f"{name:<14}{value}" for name, value in told.items()))


if __name__ == "__main__":
    main()
