"""Figures asked for in people's own words, with where the filing states them: a paragraph that does answers as it stands.

They come from the conversations that were written over lines lying open (``excerpts.jsonl``, ``dialogues.jsonl``). Where a figure
stands in a table alone, and where it must be computed, no paragraph answers; which table of those found does is not taught.
Filings of the aside part give nothing.
"""

from __future__ import annotations

import random
from collections import defaultdict
from collections.abc import Mapping
from typing import Any

from fin_tui.engine.answering.read_out import is_printed
from fin_tui.records import Chunk
from fin_tui.store.library import Library
from training.rows import accession
from training.train import DATA, lines

SETS = ("excerpts", "dialogues")
TAKEN: Mapping[str, int] = {"prose": 3_000, "table": 550, "computed": 420}
"""How many are taken of those that a sentence states, that a table alone does, and that are computed."""
_SEED = 11
_TELLING = 3
"""Digits of a number that stands twice for the same thing, and not by chance."""


def stated(library: Library) -> list[dict[str, Any]]:
    """{"turns", "filing", "right": spans that state it, "near", "printed": the number as it stands there, "split"}."""
    held = {name: filing.id for filing in library.filings() for name in (filing.id, accession(filing.file)) if name}
    chunks: dict[str, list[Chunk]] = {}
    found: dict[str, list[dict[str, Any]]] = defaultdict(list)
    for row in (row for name in SETS for row in lines(DATA / f"{name}.jsonl") if row["split"] != "aside"):
        filing = held.get(row["filing"])
        places = row.get("places") or ({"a": (row["start"], row["end"])} if "start" in row else {})
        if filing is None or not places:
            continue
        if filing not in chunks:
            chunks[filing] = list(library.chunks.of_filing(filing))
        start, end = places["a"]
        chunk = next((one for one in chunks[filing] if one.start <= start < one.end), None)
        if chunk is None:
            continue
        is_one = row.get("expression", "a").strip().lstrip("-") == "a"
        made = {"turns": row.get("turns") or [row["question"]], "filing": filing, "near": [], "split": row["split"]}
        made |= {"right": [[start, end]], "printed": chunk.text[start - chunk.start : end - chunk.start]} if is_one else {}
        found[chunk.kind if is_one else "computed"].append({"right": [], "printed": ""} | made)
    chance = random.Random(_SEED)
    return [row for kind, most in TAKEN.items() for row in chance.sample(found[kind], min(most, len(found[kind])))]


def prints(text: str, number: str) -> bool:
    """Whether a text prints a number that has digits enough to be the same one, and is no year."""
    digits = "".join(char for char in number if char.isdigit())
    is_year = number == digits and len(digits) == len("2000") and digits[:2] in ("19", "20")
    return not is_year and len(digits.strip("0")) >= _TELLING and is_printed(number, text)
