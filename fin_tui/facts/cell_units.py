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
_AVERAGE_PRICE = re.compile(r"\bweighted[-–\s]+average\b.*\b(?:prices?|fair values?)\b", re.I)
"""A price also where it is printed in whole dollars."""
_SHARES = re.compile(
    r"\b(?:weighted[- ]average|average|number of|common|treasury|outstanding|issued|authorized|diluted|basic)\b[^>]*\bshares\b"
    r"|\bshares used\b|\bshares\b[^>]*\b(?:outstanding|issued|authorized|used|repurchased|in thousands|in millions)\b"
    r"|^(?:total )?shares\b|\bshares$|\beffect of dilutive\b|\bdilutive effect\b",
    re.I,
)
_SHARE_COLUMN = re.compile(
    r"\bshares (?:issued|outstanding)|\btreasury shares|\b(?:shares|units) subject to\b"
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
_NO_RATE = re.compile(
    r"\b(?:exchange|currency) rates?\b"
    r"|\brates? (?:swaps?|hedges?|contracts?|derivatives?|agreements?|locks?|caps?|collars?)\b",
    re.I,
)
"""Amounts that a change of rates brings ("Exchange rate effect on cash"), and instruments named after rates."""
_COUNT = re.compile(
    r"^(?:total |number of )*(?:employees|headcount|stores|restaurants|warehouses|subscribers|rooms|associates|locations)\b"
    r"|\bnumber of (?:employees|stores|restaurants|customers|subscribers|countries)\b",
    re.I,
)
_YEARS = re.compile(
    r"\b(?:in years|years\)|useful li(?:fe|ves)|remaining (?:lease |contractual )?(?:term|life)|expected (?:life|term)"
    r"|average life)",
    re.I,
)
_QUANTITY = re.compile(r"\bquantity\b|\bnumber of (?:coins|tokens)\b", re.I)
_BASIC = re.compile(r"^(?:basic|diluted|primary|fully diluted|assuming dilution)\b", re.I)
_ENDS_BASIC = re.compile(r"\b(?:basic|diluted)\s*$", re.I)
"""Of a price ("Continuing operations - diluted"); a whole number there may be the income that is divided."""
_USED = re.compile(
    r"^(?:weighted[- ]average|average|number of|diluted|basic|common|\W)*\s*shares\b(?!.*\$)"
    r"(?=.*\b(?:used|outstanding|comput|calculat))",
    re.I,
)
"""Opens like a number of shares, whatever it is used for ("Shares used to compute net income per share")."""
_HOLDING = re.compile(
    r"\d[\d,]{2,}\s+(?:and\s+[\d,]+\s+)?shares\b|\bpar value\b.*\d\s+(?:[mb]illion\s+)?shares (?:authorized|issued)", re.I
)
"""A balance that names how many shares make it up: "Common stock, 15,116,786 shares issued"."""
_SHARE_CLAUSE = re.compile(
    r"\bshares?\b[^;()]*?\bin\s+(?P<unit>thousands|millions)|\bin\s+(?P<of>thousands|millions)\s+of\s+shares", re.I
)
_AMOUNT_ROW = re.compile(r"\b(?:income|earnings|loss|dollars|amount|value|cost|proceeds|price)\b|\$", re.I)
_NUMBER_OF_SHARES = re.compile(r"^number of (?:common )?shares\b", re.I)
_OF_SHARES = re.compile(r"^(?!authorized|issued)(?:[a-z-]+\s+){0,5}shares\s*:?\s*$", re.I)
"""A heading over numbers of shares: "Anti-dilutive shares:"."""
_SHARES_ONLY = re.compile(
    r"^\W*(?:number of )?shares\s+in\s+(?:thousands|millions)\W*$"
    r"|^\W*in\s+(?:thousands|millions)\s+of\s+shares\W*$",
    re.I,
)
_EXCEPT_SHARES = re.compile(r"\bexcept\b.*?(?<!per )(?<!per-)\b(?:shares?|share data|share amounts|units)\b", re.I)
_PER_ONLY = re.compile(r"\bexcept\s+(?:for\s+)?(?:per[- ](?:common[- ])?share|earnings per share)", re.I)
_LARGEST_PRICE = Decimal(5_000)
_LARGEST_PERCENT = Decimal(1_000)
MOST_SHARES = Decimal(10) ** 11
"""No company has as many."""


def unit_of(path: Sequence[str], header: Sequence[str], units: str, scale: int, reading: Reading) -> tuple[str, int]:
    """(unit, factor) of a cell: "pure" for percentages (their value is still to be divided by 100), "usd/share", "shares",
    "count" or "usd".
    """
    label = path[-1] if path else ""
    own = _NOISE.sub(" ", label).strip()
    whole = " > ".join((*path[-3:-1], own))
    column = " ".join(header)
    if not reading.percent and not reading.money and (_YEARS.search(column) or _QUANTITY.search(column)):
        return "count", 1
    if reading.percent or _is_percent(own, whole, column, reading):
        return "pure", 1
    if _USED.search(own) and not reading.money and not _HOLDING.search(label):
        return "shares", _shares_factor(reading, (column, " > ".join(path[-3:]), units), scale)
    if _is_price(own, whole, column, reading):
        return "usd/share", 1
    if _YEARS.search(whole) or _COUNT.search(own):
        return "count", 1
    if _is_shares(path, own, column, reading) or (_SHARES_ONLY.match(units) and not reading.money):
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
    if _NO_RATE.search(own):
        return False
    return _PERCENT.search(own) is not None or _RATE_ROW.search(whole) is not None


def _is_price(own: str, whole: str, column: str, reading: Reading) -> bool:
    if abs(reading.value) >= _LARGEST_PRICE:
        return False
    if reading.decimals < 2:
        # Whole amounts under "per share" happen only for dashes.
        return (reading.value == 0 and _PER_SHARE.search(own) is not None) or (
            _AVERAGE_PRICE.search(column) is not None and not caption_in(column)
        )
    if _PER_SHARE.search(whole) or _BASIC.match(own) or _ENDS_BASIC.search(own):
        return True
    return _PER_SHARE.search(column) is not None or _PRICE.search(column) is not None or _PRICE.search(own) is not None


def _is_shares(path: Sequence[str], own: str, column: str, reading: Reading) -> bool:
    if reading.money or _HOLDING.search(path[-1] if path else ""):
        return False
    if any(_counts_shares(above) for above in path[-3:-1]) and not _NOT_SHARES.search(own) and not _AMOUNT_ROW.search(own):
        return True
    if _SHARE_COLUMN.search(column) and not _NOT_SHARES.search(column):
        return True
    if _BASIC.match(own):
        return True
    return _SHARES.search(own) is not None and not _NOT_SHARES.search(own)


def _counts_shares(heading: str) -> bool:
    if _NUMBER_OF_SHARES.match(heading):
        return True
    return _OF_SHARES.search(heading) is not None and not _NOT_SHARES.search(heading)


def _shares_factor(reading: Reading, texts: Sequence[str], scale: int) -> int:
    factor = _stated(texts, scale)
    return factor if abs(reading.value) * factor < MOST_SHARES else 1


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
