"""Units that captions of a spreadsheet name: "$ in millions", "$mm", "(000s)", "%" (pure)."""

from __future__ import annotations

import re
from dataclasses import dataclass

_SCALES = (
    (re.compile(r"\b(?:in\s+)?(?:usd\s+|us\$\s*|\$\s*)?(?:billions?|bns?)\b|[$€£]\s*(?:bn|b)\b", re.I), 1_000_000_000),
    (
        re.compile(r"\b(?:in\s+)?(?:usd\s+|us\$\s*|\$\s*)?(?:millions?|mlns?|mns?|mm)\b|[$€£]\s*(?:mm|mn|m)\b|\busd\s?m\b", re.I),
        10**6,
    ),
    (re.compile(r"\b(?:in\s+)?(?:usd\s+|us\$\s*|\$\s*)?thousands?\b|[$€£]?['’]?\b000['’]?s?\b|[$€£]\s*k\b", re.I), 1_000),
    (re.compile(r"\b(?:in\s+)(?:whole\s+|actual\s+)?(?:us\s+)?dollars\b|\bin\s+units\b", re.I), 1),
)
_PER_SHARE = re.compile(r"\bper\s+(?:\w+\s+){0,2}shares?\b|[$€£]\s*/\s*(?:sh|share)\b", re.I)
_EPS = re.compile(r"\beps\b", re.I)
_PERCENT = re.compile(r"(?<!\d)(?<!\d\s)%|\bpercent(?:age)?\b", re.I)
"""A rate within a name ("tax at 21%") says nothing of the row's own numbers."""
_FILLERS = re.compile(
    r"\b(?:in|usd|us|dollars?|units?|unless|otherwise|stated|noted|amounts?|figures?|all|and|of|x|fiscal|years?|ended)\b", re.I
)
_EXCEPT = re.compile(r"\b(?:except|other than)\b.*", re.I)


@dataclass(frozen=True, slots=True)
class HeadUnit:
    """What a caption or label says of its numbers; None for what it does not say."""

    scale: int | None = None
    is_percent: bool = False
    is_per_share: bool = False

    def __bool__(self) -> bool:
        return self.scale is not None or self.is_percent or self.is_per_share


def read_unit(text: str) -> HeadUnit:
    """The units that ``text`` names; "except per share data" does not make all of them per share."""
    said = _EXCEPT.sub("", text)
    scale = next((scale for pattern, scale in _SCALES if pattern.search(said)), None)
    return HeadUnit(scale, bool(_PERCENT.search(said)), bool(_PER_SHARE.search(said) or _EPS.search(said)))


def is_caption(text: str) -> bool:
    """Whether ``text`` is about units and nothing else: "($ in millions, except per share)"."""
    rest = _EXCEPT.sub("", text)
    for pattern, _ in _SCALES:
        rest = pattern.sub("", rest)
    rest = _PERCENT.sub("", _PER_SHARE.sub("", rest))
    return bool(read_unit(text)) and not re.search(r"\w", _FILLERS.sub("", rest))
