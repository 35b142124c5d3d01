"""Every tagged number of real filings against ``ixbrlparse``, a reader of inline XBRL that shares no code with ours.

What is made alike before comparing, and why:

- Names of units: the reader keeps a measure as it is written ("iso4217:USD", "xbrli:shares"), we keep "usd", "shares". Of a
  ratio it reports the first measure only; the whole is read from the tree it parsed.
- Dimensions: the reader lists all elements of a segment, of a typed member also the element inside; axis and value are taken.
- Nil: the reader makes 0 of a fact that is declared to have no value; we keep that there is none.
- Percentages need nothing: with a scale of -2 both give the fraction. Products of floats by powers of ten may differ in the
  last bit, so values are compared to nine digits.
- Number words ("five" percent, "twenty" million): the reader leaves scale and sign out, which are applied to what it read.

All ten filings are compared when ``FIN_TUI_THOROUGH`` is set, else three.
"""

from __future__ import annotations

import datetime as dt
import io
import math
import os
from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

import pytest
from bs4 import Tag
from ixbrlparse import IXBRL
from ixbrlparse.components import ixbrlNumeric

from fin_tui.filings.reader import read

QUICK = (
    "AAPL_10-K_FY2024_0000320193-24-000123.htm",
    "GAXY_10-K_FY2021_filed2021.htm",
    "SDON_10-K_FY2021_0001410578-22-000504.htm",
)
THOROUGH = (
    "AMD_10-K_FY2023_0000002488-24-000012.htm",
    "GME_10-K_FY2023_0001326380-24-000012.htm",
    "GOOGL_10-K_FY2024_0001652044-25-000014.htm",
    "JNJ_10-K_FY2023_0000200406-24-000013.htm",
    "NVDA_10-K_FY2022_0001045810-22-000036.htm",
    "PLTR_10-K_FY2023_0001321655-24-000022.htm",
    "TSLA_10-K_FY2023_0001628280-24-002390.htm",
)
FILES = QUICK + THOROUGH if os.environ.get("FIN_TUI_THOROUGH") else QUICK


class Read(NamedTuple):
    """One numeric fact, in the terms that both readers share."""

    concept: str
    value: float | None
    unit: str
    start: dt.date | None
    end: dt.date | None
    dimensions: tuple[tuple[str, str], ...]


@pytest.mark.filterwarnings("ignore::UserWarning", "ignore::DeprecationWarning")
@pytest.mark.parametrize("name", FILES)
def test_every_tagged_number_equals_what_an_independent_reader_gives(corpus: Path, name: str) -> None:
    path = corpus / "filings" / name
    if not path.exists():
        pytest.skip(reason=f"{name} is not in the corpus")
    raw = path.read_bytes()
    parsed = IXBRL(io.BytesIO(raw), raise_on_error=False)
    theirs = list(_theirs(parsed))
    concepts = {fact.concept for fact in theirs}
    ours = [
        Read(f.concept, f.value, f.unit, f.period_start, f.period_end, tuple(sorted(f.dimensions.items())))
        for f in read(raw, name).facts
        if f.concept in concepts
    ]
    assert not parsed.errors
    assert len(theirs) > 100
    assert len(ours) == len(theirs)
    differing = [pair for pair in zip(ours, theirs, strict=True) if not _same(*pair)]
    print(f"{name}: {len(theirs)} numbers, {len(differing)} differ")
    for pair in differing[:20]:
        print(*pair, sep="\n  ")
    assert not differing


def _same(ours: Read, theirs: Read) -> bool:
    if ours.value is None or theirs.value is None:
        return ours == theirs
    return math.isclose(ours.value, theirs.value, rel_tol=1e-9) and ours._replace(value=None) == theirs._replace(value=None)


def _theirs(parsed: IXBRL) -> Iterator[Read]:
    units = dict(_units(parsed.soup))
    for fact in parsed.numeric:
        tag = fact.soup_tag
        context = fact.context
        yield Read(
            concept=f"{fact.schema}:{fact.name}",
            value=_value(fact),
            unit=units[tag["unitRef"]],
            start=context.startdate,
            end=context.instant or context.enddate,
            dimensions=tuple(sorted((part["dimension"], part["value"]) for part in context.segments if "dimension" in part)),
        )


def _value(fact: ixbrlNumeric) -> float | None:
    tag = fact.soup_tag
    assert tag is not None
    if str(tag.get("xsi:nil")).strip() in ("true", "1"):
        return None
    if fact.value is not None and str(tag.get("format")).endswith("numwordsen"):
        power = float(f"1e{tag.get('scale') or 0}")
        return fact.value * power * (-1 if tag.get("sign") == "-" else 1)
    return fact.value


def _units(soup: Tag) -> Iterator[tuple[str, str]]:
    """The written form of each unit by id, from the tree that the other reader parsed."""
    for unit in soup.find_all("unit"):
        assert isinstance(unit, Tag)
        over = [_measure(m) for m in unit.find_all("measure") if m.find_parent("unitDenominator") is None]
        under = [_measure(m) for m in unit.find_all("measure") if m.find_parent("unitDenominator") is not None]
        below = ["share" if name == "shares" else name for name in under]
        yield str(unit["id"]), "/".join("*".join(side) for side in (over, below) if side)


def _measure(measure: object) -> str:
    assert isinstance(measure, Tag)
    return str(measure.text).strip().rpartition(":")[2].lower()
