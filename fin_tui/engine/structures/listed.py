"""Where a company's stock is traded, and under which symbol: as the cover's table or a sentence of the filing says it."""

from __future__ import annotations

import re

from fin_tui.engine.figures.prose_lines import sentences_of
from fin_tui.engine.structures.desk import Desk, StructureAnswer, one
from fin_tui.records import Filing

_ASKED_SYMBOL = re.compile(r"\btickers?\b|\b(?:trading|stock|ticker)\s+symbols?\b|\bunder\s+(?:which|what)\s+symbol\b", re.I)
_ASKED_EXCHANGE = re.compile(
    r"\b(?:which|what)\s+(?:stock\s+)?(?:exchanges?|markets?)\b.{0,80}\b(?:list|trade|quote)|\bstock\s+exchanges?\b.{0,60}\b(?:list|trade|regist)|"
    r"\bwhere\b.{0,60}\b(?:stock|shares?|securities)\b.{0,40}\b(?:listed|traded|trades?|quoted)\b|"
    r"\b(?:listed|traded|quoted)\s+on\s+(?:which|what)\b",
    re.I,
)
_EXCHANGE = re.compile(
    r"\bnew\s+york\s+stock\s+exchange\b|\bNYSE\b|\bnasdaq\b|\bamerican\s+stock\s+exchange\b|\bOTC(?:QB|QX|BB)?\b|\bover-the-counter\b",
    re.I,
)
_TRADED = re.compile(r"\b(?:traded|trades?|listed|quoted|market\s+for)\b", re.I)
_STOCK = re.compile(r"\b(?:common|capital|ordinary)\s+(?:stock|shares?)\b|\bshares\b|\bclass\s+a\b", re.I)
_SYMBOL = re.compile(r"\bsymbols?\b[\s:,]*[“\"'(]*\s*(?P<symbol>[A-Z]{1,5}(?:\.[A-Z])?)\b")
_COVER = 25_000
_ITEMS = ("5", "1", "")


def listed(text: str, desk: Desk, filing: Filing) -> StructureAnswer | None:
    """The answer to a question for the ticker or the exchange; None for another, or when the filing says neither."""
    symbol = _ASKED_SYMBOL.search(text) is not None
    if not symbol and not _ASKED_EXCHANGE.search(text):
        return None
    chunks = sorted(desk.chunks.of_filing(filing.id), key=lambda chunk: _ITEMS.index(chunk.item) if chunk.item in _ITEMS else 9)
    for chunk in chunks:
        for start, end in sentences_of(chunk):
            said = chunk.text[start:end]
            if _says(said, symbol=symbol):
                return one(" ".join(said.split()), desk.passage(1, filing, chunk.start + start, chunk.start + end))
    return _on_cover(desk, filing, symbol=symbol)


def _says(sentence: str, *, symbol: bool) -> bool:
    if not _EXCHANGE.search(sentence) or not _TRADED.search(sentence) or not _STOCK.search(sentence):
        return False
    return not symbol or _SYMBOL.search(sentence) is not None


def _on_cover(desk: Desk, filing: Filing, *, symbol: bool) -> StructureAnswer | None:
    """The line of the cover that names the common stock and its exchange."""
    page = desk.library.text(filing.id)[:_COVER]
    at = 0
    for line in page.split("\n"):
        start, end = at, at + len(line)
        at = end + 1
        if not _STOCK.search(line) or not _EXCHANGE.search(line) or len(line) > 300:
            continue
        if symbol and not (filing.ticker and re.search(rf"\b{re.escape(filing.ticker)}\b", line)):
            continue
        said = " ".join(line.split())
        return one(f"The cover reads “{said}”.", desk.passage(1, filing, start, end) or desk.passage(1, filing, start, start + 1))
    return None
