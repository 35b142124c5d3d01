"""Unit and scale of a table cell, from its row label, column header, caption and the form of its number."""

from __future__ import annotations

import re
from collections.abc import Sequence
from decimal import Decimal

from fin_tui.facts.cells import Reading
from fin_tui.filings.table_units import caption_in, scale_of

_AMOUNT = r"(?:US)?\$\s?[\d.,]+"
_NOISE = re.compile(
    rf"\([^()]*\d[^()]*\)|{_AMOUNT}\s+(?:\w+\s+){{0,3}}per\s+(?:\w+\s+){{0,2}}share|{_AMOUNT}\s+par(?:\s+value)?|[\d.]+\s?%", re.I
)
"""What a label says of other figures: "($0.16 per share)", "$.01 par value", the coupon of a note."""
_PER_SHARE = re.compile(r"\bper\s+(?:\w+\s+){0,3}(?:shares?|unit|rsu|option|award)\b|\bper[- ]share\b|\bearnings per\b", re.I)
_PRICE = re.compile(
    r"\b(?:exercise|average|market|strike|high|low|closing)\s+(?:\w+\s+)?price|grant[- ]date fair value|\bprice\b", re.I
)
_SHARES = re.compile(
    r"\b(?:weighted[- ]average|average|number of|common|treasury|outstanding|issued|authorized|diluted|basic)\b[^>]*\bshares\b"
    r"|\bshares used\b|\bshares\b[^>]*\b(?:outstanding|issued|authorized|used|repurchased|in thousands|in millions)\b"
    r"|^(?:total )?shares\b|\bshares$|\beffect of dilutive\b|\bdilutive effect\b",
    re.I,
)
_SHARE_COLUMN = re.compile(
    r"\bshares (?:issued|outstanding)|\btreasury shares"
    r"|\b(?:shares|rsus?|psus?|units|options|number|number of [\w ]+)\W*(?:\(in \w+\))?\W*$",
    re.I,
)
_NOT_SHARES = re.compile(
    r"\bper\b|\bprice\b|\bcost\b|\bvalue\b|\bproceeds\b|\b(?:re)?purchases? of\b|\bissuance of\b|\$|\bpercent", re.I
)
_PERCENT = re.compile(
    r"%|\bpercent(?:age)?s?\b|\b(?:tax|interest|discount|growth) rates?\b|\brates? of (?:return|increase)\b", re.I
)
_SHARE_OF = re.compile(r"\bpercent(?:age)?\b|\bas a % of\b|\btax rates?\b", re.I)
_RATE_ROW = re.compile(r"\brates?\b|\bvolatility\b|\byield\b|\breturn on\b", re.I)
_COUNT = re.compile(
    r"^(?:total |number of )*(?:employees|headcount|stores|restaurants|warehouses|subscribers|rooms|associates|locations)\b"
    r"|\bnumber of (?:employees|stores|restaurants|customers|subscribers|countries)\b",
    re.I,
)
_YEARS = re.compile(r"\b(?:in years|years\)|useful li(?:fe|ves)|remaining (?:lease )?term|expected (?:life|term))", re.I)
_BASIC = re.compile(r"^(?:basic|diluted|primary|fully diluted|assuming dilution)\b|\b(?:basic|diluted)\s*$", re.I)
_USED = re.compile(
    r"^(?:weighted[- ]average|average|number of|diluted|basic|common|\W)*\s*shares\b(?!.*\$)(?=.*\b(?:used|outstanding|comput))",
    re.I,
)
"""Opens like a number of shares, whatever it is used for ("Shares used to compute net income per share")."""
_HOLDING = re.compile(r"\d[\d,]{2,}\s+(?:and\s+[\d,]+\s+)?shares\b", re.I)
"""A balance that names how many shares make it up: "Common stock, 15,116,786 shares issued"."""
_SHARE_CLAUSE = re.compile(
    r"\bshares?\b[^;()]*?\bin\s+(?P<unit>thousands|millions)|\bin\s+(?P<of>thousands|millions)\s+of\s+shares", re.I
)
_SHARES_ONLY = re.compile(
    r"^\W*(?:number of )?shares\s+in\s+(?:thousands|millions)\W*$"
    r"|^\W*in\s+(?:thousands|millions)\s+of\s+shares\W*$",
    re.I,
)
_EXCEPT_SHARES = re.compile(r"\bexcept\b.*?(?<!per )(?<!per-)\b(?:shares?|share data|share amounts)\b", re.I)
_PER_ONLY = re.compile(r"\bexcept\s+(?:for\s+)?(?:per[- ](?:common[- ])?share|earnings per share)", re.I)
_LARGEST_PRICE = Decimal(5_000)
_LARGEST_PERCENT = Decimal(1_000)
_MOST_SHARES = Decimal(10) ** 11


def unit_of(path: Sequence[str], header: Sequence[str], units: str, scale: int, reading: Reading) -> tuple[str, int]:
    """(unit, factor) of a cell: "pure" for percentages (their value is still to be divided by 100), "usd/share", "shares",
    "count" or "usd".
    """
    own = _NOISE.sub(" ", path[-1] if path else "").strip()
    whole = " > ".join((*path[-3:-1], own))
    column = " ".join(header)
    if reading.percent or _is_percent(own, whole, column, reading):
        return "pure", 1
    if _USED.search(own) and not reading.money and not _HOLDING.search(own):
        return "shares", _shares_factor(reading, (column, " > ".join(path[-3:]), units), scale)
    if _is_price(own, whole, column, reading):
        return "usd/share", 1
    if _YEARS.search(whole) or _YEARS.search(column) or _COUNT.search(own):
        return "count", 1
    if _is_shares(own, whole, column, reading) or (_SHARES_ONLY.match(units) and not reading.money):
        return "shares", _shares_factor(reading, (column, " > ".join(path[-3:]), units), scale)
    caption = caption_in(column) or caption_in(own)
    return "usd", scale_of(caption) if caption else scale


def _is_percent(own: str, whole: str, column: str, reading: Reading) -> bool:
    if reading.money or abs(reading.value) >= _LARGEST_PERCENT:
        return False
    if _PERCENT.search(column) or _SHARE_OF.search(whole.rpartition(" > ")[0]):
        return True
    if not reading.decimals:
        return re.search(r"\bpercent(?:age)?\b|%", own, re.I) is not None
    return _PERCENT.search(own) is not None or _RATE_ROW.search(whole) is not None


def _is_price(own: str, whole: str, column: str, reading: Reading) -> bool:
    if reading.decimals < 2 or abs(reading.value) >= _LARGEST_PRICE:
        # Whole amounts under "per share" happen only for dashes.
        return reading.value == 0 and _PER_SHARE.search(own) is not None
    if _PER_SHARE.search(whole) or _BASIC.match(own):
        return True
    return _PER_SHARE.search(column) is not None or _PRICE.search(column) is not None or _PRICE.search(own) is not None


def _is_shares(own: str, whole: str, column: str, reading: Reading) -> bool:
    if reading.money:
        return False
    if _SHARE_COLUMN.search(column) and not _NOT_SHARES.search(column):
        return True
    if _BASIC.match(own):
        return True
    return _SHARES.search(own) is not None and not _HOLDING.search(own) and not _NOT_SHARES.search(own)


def _shares_factor(reading: Reading, texts: Sequence[str], scale: int) -> int:
    factor = _stated(texts, scale)
    return factor if abs(reading.value) * factor < _MOST_SHARES else 1


def _stated(texts: Sequence[str], scale: int) -> int:
    for text in texts:
        match = _SHARE_CLAUSE.search(text)
        if match:
            return 1_000 if (match["unit"] or match["of"]).lower() == "thousands" else 1_000_000
    caption = texts[-1]
    for text in texts[:2]:
        if caption_in(text):
            return scale_of(caption_in(text))
    return 1 if _EXCEPT_SHARES.search(caption) and not _PER_ONLY.search(caption) else scale
