"""Seconds from a filing's bytes to its first hit, by stage: read, cut, store, index.

    python -m benchmarks.adding [--home DIR] [--json]

Adds the sample filings, one after the other, to a library in a temporary folder.
"""

from __future__ import annotations

import json
import tempfile
import time
from pathlib import Path
from typing import Any

from benchmarks.command import parser
from fin_tui.config import Settings
from fin_tui.ingest.pipeline import parse
from fin_tui.paths import Paths, find_home
from fin_tui.retrieval.retriever import Retriever
from fin_tui.store.library import Library

_SMALLEST = 100_000


def run(home: Path | None) -> dict[str, Any]:
    """Seconds by file and stage; ``searchable`` is the sum up to the first hit."""
    samples = [file for file in sorted(find_home(home).samples.glob("*_10k.html")) if file.stat().st_size > _SMALLEST]
    rows: list[dict[str, Any]] = []
    with tempfile.TemporaryDirectory() as folder:
        paths, settings = Paths(Path(folder)), Settings()
        with Library.open(paths) as library:
            retriever = Retriever(library, paths, settings)
            for file in samples:
                started = time.perf_counter()
                entry = parse(file.read_bytes(), file.name, settings.chunking)
                parsed = time.perf_counter()
                library.add(entry)
                stored = time.perf_counter()
                hits = retriever.search("risk factors", mode="sparse", rerank=False).hits
                found = time.perf_counter()
                rows.append(
                    {
                        "file": file.name,
                        "parse_s": round(parsed - started, 2),
                        "store_s": round(stored - parsed, 2),
                        "first_hit_s": round(found - stored, 2),
                        "searchable_s": round(found - started, 2),
                        "hits": len(hits),
                    }
                )
    return {"files": rows, "searchable_s": max(row["searchable_s"] for row in rows)}


def main() -> None:
    arguments = parser(__doc__).parse_args()
    figures = run(arguments.home)
    print(json.dumps(figures) if arguments.json else "\n".join(str(row) for row in figures["files"]))


if __name__ == "__main__":
    main()
