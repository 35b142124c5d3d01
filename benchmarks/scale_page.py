"""Makes the tables of docs/scale.md from the formulas and the measured rates.

python -m benchmarks.scale_page            # writes the page's tables anew
python -m benchmarks.scale_page --check    # says whether they are those of today's rates and formulas
"""

from __future__ import annotations

import argparse
import json
import re
import sys
from collections.abc import Iterable, Sequence
from dataclasses import fields
from pathlib import Path
from typing import Any

from benchmarks import scale_formulas as f
from benchmarks.scale_formulas import Counts, Gpu, Rates
from benchmarks.team_rates import RATES

PAGE = Path(__file__).parents[1] / "docs" / "scale.md"
EDGAR = Counts(filings=250_000, chunks=125_000_000, facts=180_000_000)
"""All 10-Ks since 1993: 500 passages a filing, and three decades of 60 million facts."""
GPUS = (
    Gpu(
        "A100 40 GB",
        1276.67 * 384,
        "BERT-base, PyTorch eager, 384 tokens, batch 128",
        "github.com/facebookincubator/AITemplate, examples/03_bert",
        1.0,
    ),
    Gpu(
        "L4",
        0.17 * 115_000,
        "BERT-large, sentence-transformers fp16, 450 tokens",
        "github.com/michaelfeil/infinity, docs/docs/benchmarking.md",
        7.0,
    ),
)
"""The encoder has a quarter of BERT-base's multiplications a token and a fourteenth of BERT-large's. Of the first nothing is
made, of the second half.
"""
PRICES = {"core hour": 0.05, "A100 hour": 3.0, "L4 hour": 0.8, "GB memory, month": 3.0, "GB SSD, month": 0.10}
"""Assumed, in dollars; they move by a factor of two between sellers."""
_CORES = 16
_NODE_GB = 64
_GB = 1e9


def rates(measured: dict[str, Any]) -> Rates:
    """The rates among the figures that ``benchmarks.team_rates`` kept."""
    return Rates(**{field.name: float(measured[field.name]) for field in fields(Rates)})


def tables(measured: dict[str, Any], counts: Counts = EDGAR) -> dict[str, str]:
    """Markdown by the name of its place on the page."""
    known = rates(measured)
    return {
        "rates": _rates(measured),
        "rows": _rows(counts, known, float(measured["facts"])),
        "indexes": _indexes(counts, known),
        "stages": _stages(counts, known),
        "hours": _hours(counts, known),
        "money": _money(counts, known),
        "limits": _limits(counts, known),
    }


def _rates(m: dict[str, Any]) -> str:
    rows = [
        ("reading a filing: parse, Items, tables, facts, passages", f"{m['parse_s']:.2f} core seconds"),
        ("making its rows: words weighed, text packed", f"{m['prepare_s']:.2f} core seconds"),
        (f"one vector ({m['encoder'].partition('@')[0]}, int8 ONNX)", f"{1000 * m['embed_s']:.0f} ms of a core"),
        ("tokens of a passage", f"{m['tokens']:.0f}"),
        ("different words of a passage", f"{m['terms']:.0f}"),
        ("passages of a filing", f"{m['chunks']:.0f}"),
        ("facts of a filing, read from tables and tagged", f"{m['facts']:,.0f}"),
        ("tagged ones of an inline XBRL filing", f"{m['tagged_facts']:,.0f}"),
        ("a filing as downloaded", f"{m['raw_bytes'] / 1e6:.2f} MB"),
        ("a passage's row without vectors", f"{m['chunk_bytes']:,.0f} bytes"),
        ("a fact's row", f"{m['fact_bytes']:,.0f} bytes"),
        ("a filing's text, blocks, sections, word counts", f"{m['piece_bytes'] / 1000:,.0f} kB"),
        ("a filing's record", f"{m['record_bytes']:,.0f} bytes"),
    ]
    return f"{m['machine']}\n{m['filings']} filings, {m['passages']:,} passages\n\n" + _table(("what", "mean"), rows)


def _rows(counts: Counts, known: Rates, facts: float) -> str:
    sizes, dense = f.row_bytes(counts, known), counts.chunks * counts.dimension * f.FLOAT
    words = counts.chunks * known.terms * f.POSTING
    rows = [
        ("passages", f"{counts.chunks:,}", _gb(sizes["passages"])),
        ("– dense vectors", f"{counts.chunks:,} x {counts.dimension}", _gb(dense)),
        ("– words", f"{counts.chunks:,} x {known.terms:.0f}", _gb(words)),
        ("facts", f"{counts.facts:,}", _gb(sizes["facts"])),
        ("filings: record, text, blocks, word counts", f"{counts.filings:,}", _gb(sizes["filings"])),
        ("all, uncompressed", "", _gb(f.stored_bytes(counts, known))),
        (
            f"facts if each filing had the sample's {facts:,.0f}",
            _millions(counts.filings * facts),
            _gb(counts.filings * facts * known.fact_bytes),
        ),
    ]
    return _table(("what", "rows", "GB"), rows)


def _indexes(counts: Counts, known: Rates) -> str:
    words, mapped = f.word_bytes(counts, known), sum(f.row_bytes(counts, known).values())
    rows = []
    for index in f.INDEXES:
        memory, disk = f.index_bytes(index, counts)
        whole = memory + words
        rows.append((index, _gb(memory), _gb(words), _gb(whole), _gb(disk + mapped), str(f.nodes(whole, _NODE_GB * _GB))))
    head = ("dense index", "its memory, GB", "words, GB", "memory of a replica, GB", "SSD, GB", f"nodes of {_NODE_GB} GB")
    return _table(head, rows)


def _stages(counts: Counts, known: Rates) -> str:
    stages = f.stage_seconds(counts, known)
    whole = sum(stages.values())
    rows = [(name, f"{seconds / 3600:,.0f}", f"{100 * seconds / whole:.0f} %") for name, seconds in stages.items()]
    rows += [("all on processors", f"{whole / 3600:,.0f}", "")]
    rows += [(f"vectors on one {gpu.name}", f"{f.gpu_seconds(counts, known, gpu) / 3600:,.0f} GPU hours", "") for gpu in GPUS]
    return _table(("stage", "core hours", "share"), rows)


def _hours(counts: Counts, known: Rates) -> str:
    rows = []
    for machines in (1, 4, 16, 64):
        cores = machines * _CORES
        cells = [_time(f.hours(counts, known, cores))]
        cells += [_time(f.hours(counts, known, cores, gpu, gpus)) for gpu in GPUS for gpus in (1, 8)]
        rows.append((f"{machines} x {_CORES} cores", *cells))
    heads = [f"+ {gpus} {gpu.name}" for gpu in GPUS for gpus in (1, 8)]
    return _table(("machines", "no GPU", *heads), rows)


def _money(counts: Counts, known: Rates) -> str:
    stages = f.stage_seconds(counts, known)
    rest = (stages["read and cut"] + stages["rows"]) / 3600 * PRICES["core hour"]
    rows = [("filling it once, processors alone", _dollars(sum(stages.values()) / 3600 * PRICES["core hour"]))]
    for gpu, price in zip(GPUS, (PRICES["A100 hour"], PRICES["L4 hour"]), strict=True):
        once = rest + f.gpu_seconds(counts, known, gpu) / 3600 * price
        rows.append((f"filling it once, vectors on {gpu.name}", _dollars(once)))
    mapped = sum(f.row_bytes(counts, known).values()) / _GB
    for index in ("HNSW", "HNSW_SQ8", "DISKANN"):
        memory, disk = (size / _GB for size in f.index_bytes(index, counts))
        words = f.word_bytes(counts, known) / _GB
        monthly = (memory + words) * PRICES["GB memory, month"] + (disk + mapped) * PRICES["GB SSD, month"]
        rows.append((f"a replica with {index}, each month", _dollars(monthly)))
    return _table(("what", "dollars"), rows)


def _limits(counts: Counts, known: Rates) -> str:
    state = counts.filings * known.record_bytes
    rows = [
        ("filings' records, read by each reader when it starts and after each change", f"{_gb(state)} GB"),
        ("the same over 1 Gbit/s", f"{8 * state / 1e9:.0f} s"),
        ("bytes to download from EDGAR", f"{counts.filings * known.raw_bytes / 1e12:.2f} TB"),
        ("time to download them at the SEC's limit, at least", f"{f.download_hours(counts):.1f} h"),
        ("shards of passages that rows ask for", str(f.shards(counts))),
        ("segments of 1 GB, vectors alone", f"{counts.chunks * counts.dimension * f.FLOAT / (1 << 30):,.0f}"),
        ("filings that one year's scope names", f"{counts.filings // 33:,}"),
        ("rows a second that filling within a day takes", f"{f.rows_a_second(counts, 1):,.0f}"),
        ("telling whose all filings are, in one process", f"{counts.filings * known.place_s / 60:.1f} minutes"),
    ]
    return _table(("what", "how much"), rows)


def _table(head: Sequence[str], rows: Iterable[Sequence[str]]) -> str:
    lines = [head, ["---"] * len(head), *rows]
    return "\n".join(f"| {' | '.join(line)} |" for line in lines).replace("| --- ", "|---").replace("|--- |", "|---|")


def _gb(size: float) -> str:
    gigabytes = size / _GB
    return f"{gigabytes:,.0f}" if gigabytes >= 10 else f"{gigabytes:.1f}"


def _millions(count: float) -> str:
    return f"{count / 1e6:,.0f} million"


def _time(hours: float) -> str:
    return f"{hours:,.1f} h" if hours < 48 else f"{hours / 24:,.1f} days"


def _dollars(amount: float) -> str:
    return f"{round(amount, -1):,.0f}" if amount >= 100 else f"{amount:.0f}"


def written(page: str, made: dict[str, str]) -> str:
    """``page`` with each table in its place; raises ``ValueError`` for one that the page has no place for."""
    for name, table in made.items():
        place = re.compile(rf"(<!-- {name}: begin -->\n).*?(<!-- {name}: end -->)", re.S)
        if not place.search(page):
            raise ValueError(f"the page has no place for {name}")
        page = place.sub(lambda found, table=table: f"{found[1]}{table}\n{found[2]}", page)  # type: ignore[misc]
    return page


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--check", action="store_true")
    arguments = parser.parse_args()
    page = PAGE.read_text(encoding="utf-8")
    made = written(page, tables(json.loads(RATES.read_text(encoding="utf-8"))))
    if arguments.check:
        print("the tables are those of today" if made == page else "the tables are out of date: python -m benchmarks.scale_page")
        return 0 if made == page else 1
    PAGE.write_text(made, encoding="utf-8")
    return 0


if __name__ == "__main__":
    sys.exit(main())
