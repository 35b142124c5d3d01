"""The same period in several filings: first reported, restated later, stock splits."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from decimal import Decimal

from fin_tui.facts.figures import Figure, Metric
from fin_tui.facts.values import exactness

_TINY = Decimal("0.0005")
_SPLITS = (2, 3, 4, 5, 6, 7, 8, 10, 12, 15, 20, 25, 30, 40, 50)
_SPLIT_TOLERANCE = Decimal("0.012")


def with_restatement(first: Figure, later: Sequence[Figure]) -> Figure:
    """``first`` with the different value that the last of ``later`` gives for the same period, when there is one."""
    for figure in reversed(later):
        if differs(first, figure):
            split = split_between(first, figure)
            note = f"restated for a {split} stock split" if split else ""
            return replace(
                first,
                restated=figure.value,
                restated_in=figure.filing,
                note="; ".join(filter(None, (first.note, note))),
            )
    return first


def differs(one: Figure, other: Figure) -> bool:
    """Whether two figures of one period state different values, beyond the rounding of the coarser."""
    gap = abs(one.value - other.value)
    if gap == 0:
        return False
    coarser = min(exactness(one.fact), exactness(other.fact))
    percent = Decimal(100) if one.unit == "%" else Decimal(1)
    accuracy = Decimal(0) if coarser >= 90 else Decimal(10) ** -coarser * percent
    return gap > max(accuracy, _TINY * abs(one.value)) if one.unit != "usd/share" else gap > Decimal("0.005")


def split_factor(first: Figure, later: Figure) -> Decimal | None:
    """Shares after one share before, when the two values of one period differ by a stock split; None otherwise."""
    if first.unit not in ("usd/share", "shares") or not first.value or not later.value:
        return None
    ratio = first.value / later.value if first.unit == "usd/share" else later.value / first.value
    for size in _SPLITS:
        for factor in (Decimal(size), 1 / Decimal(size)):
            # Per-share data are rounded to cents, so small amounts give the ratio only roughly.
            slack = _SPLIT_TOLERANCE + (
                Decimal("0.006") / abs(min(first.value, later.value, key=abs)) if first.unit == "usd/share" else 0
            )
            if abs(ratio / factor - 1) <= slack:
                return factor
    return None


def split_between(first: Figure, later: Figure) -> str:
    """ "10-for-1" (or "1-for-8" for a reverse split) when a split explains the difference; "" otherwise."""
    factor = split_factor(first, later)
    if factor is None:
        return ""
    return f"{int(factor)}-for-1" if factor > 1 else f"1-for-{round(1 / factor)}"


def on_basis(figure: Figure, metric: Metric, factor: Decimal, split: str) -> Figure:
    """``figure`` of before a split, put on the basis of after it."""
    if metric.unit == "usd/share":
        value = figure.value / factor
    elif metric.unit == "shares":
        value = figure.value * factor
    else:
        return figure
    note = f"as reported {figure.value:,}, put on the basis after a {split} stock split"
    return replace(figure, value=value.quantize(Decimal("0.0001")), note="; ".join(filter(None, (figure.note, note))))
