"""A passage -> the sentences or table rows that can be quoted from it (pure)."""

from __future__ import annotations

import re
from dataclasses import dataclass

from fin_tui.filings.sentences import split_sentences
from fin_tui.records import Hit

_SPACES = re.compile(r"\s+")


@dataclass(frozen=True, slots=True)
class Unit:
    """A sentence or a row."""

    text: str
    """What is shown: the sentence, or the row in words with its column headers."""
    start: int
    """Span of the sentence or row in the clean text."""
    end: int


def units_of(hit: Hit) -> list[Unit]:
    """Sentences of a prose chunk; of a table chunk its rows, and the sentences that stand with it."""
    chunk = hit.chunk
    if chunk.kind == "table":
        return _rows(hit)
    return [Unit(chunk.text[a:b].strip(), chunk.start + a, chunk.start + b) for a, b in split_sentences(chunk.text)]


def _rows(hit: Hit) -> list[Unit]:
    chunk = hit.chunk
    worded = _worded(chunk.text, chunk.index_text[len(chunk.header) :])
    found = []
    at = 0
    for number, line in enumerate(chunk.text.split("\n")):
        text = worded.get(number) or _SPACES.sub(" ", line.replace("\t", "  ")).strip()
        if text:
            found.append(Unit(text, chunk.start + at, chunk.start + at + len(line)))
        at += len(line) + 1
    return found


def _worded(text: str, body: str) -> dict[int, str]:
    """Line number -> the sentence in ``body`` that words that row. Rows come in the same order in both."""
    body = _SPACES.sub(" ", body)
    folded = body.lower()
    begins: list[tuple[int, int]] = []
    at = 0
    for number, line in enumerate(text.split("\n")):
        label, _, figures = line.partition("\t")
        label = _SPACES.sub(" ", label).strip().rstrip(":").lower()
        if not label or not figures.strip():
            continue
        place = folded.find(f"{label}:", at)
        if place >= 0:
            begins.append((number, _sentence_start(body, place)))
            at = place + len(label) + 1
    ends = [*(begin for _, begin in begins[1:]), len(body)]
    return {number: body[begin:end].strip() for (number, begin), end in zip(begins, ends, strict=False) if end > begin}


def _sentence_start(body: str, place: int) -> int:
    """Where the row's sentence begins: heading rows stand before its label ("Operating expenses – Research …")."""
    before = body.rfind(". ", 0, place)
    start = before + 2 if before >= 0 else 0
    return start if ": " not in body[start:place] else place
