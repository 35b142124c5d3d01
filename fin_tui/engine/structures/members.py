"""Segments, products and places by which a filing tags its figures."""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from fin_tui.engine.questions.listing import Listing
from fin_tui.facts.words import best_likeness, camel_words, member_names
from fin_tui.records import Fact, Filing

_SEGMENT = ("us-gaap:StatementBusinessSegmentsAxis",)
_PRODUCT = ("srt:ProductOrServiceAxis", "us-gaap:ProductOrServiceAxis")
_PLACE = ("srt:StatementGeographicalAxis", "us-gaap:StatementGeographicalAxis")
_AXES: tuple[tuple[frozenset[str], tuple[str, ...], str], ...] = (
    (frozenset(("segment",)), _SEGMENT, "segments"),
    (frozenset(("product", "categori", "good")), _PRODUCT, "products and services"),
    (frozenset(("region", "countri", "geographi", "area")), _PLACE, "regions and countries"),
)
"""Stems of what is listed, the axes that it is tagged on, and what to call it."""
_MEASURES = (
    "us-gaap:RevenueFromContractWithCustomerExcludingAssessedTax",
    "us-gaap:RevenueFromContractWithCustomerIncludingAssessedTax",
    "us-gaap:Revenues",
    "us-gaap:SalesRevenueNet",
    "us-gaap:RevenuesNetOfInterestExpense",
    "us-gaap:OperatingIncomeLoss",
)
_KEPT_WITH = frozenset(("srt:ConsolidationItemsAxis", "us-gaap:StatementBusinessSegmentsAxis"))
_NO_PART = re.compile(
    r"total|corporate|eliminat|reconcil|intersegment|allother$|reportablesegment|operatingsegments|hedging", re.I
)
_WHOLE = frozenset(("us-gaap:ProductMember", "us-gaap:ServiceMember"))
"""Sums of the products and services that stand beside them."""
_MOST = 40
_SAME_NAME = 0.75
_YEAR_DAYS = 340


@dataclass(frozen=True, slots=True)
class Member:
    """A part of the company with the figure that it is named at."""

    name: str
    fact: Fact


def members(listing: Listing, facts: Sequence[Fact], filing: Filing) -> tuple[str, tuple[Member, ...]] | None:
    """What the parts are called, and the parts for which the year's revenue (or profit) is tagged, in the filing's order.

    None when the filing tags fewer than two.
    """
    axes = next((row for row in _AXES if listing.head in row[0]), None)
    if axes is None or (axes[1] is _PLACE and listing.is_making):
        return None  # Where it makes or operates is not where it sells.
    for measure in _MEASURES:
        found = _of(measure, axes[1], facts, filing)
        if len(found) >= 2:
            named = {member: [fact for fact in facts if member in fact.dimensions.values()] for member in found}
            parts = (Member(_name(member, named[member], filing.company), own[0]) for member, own in found.items())
            return axes[2], tuple(parts)[:_MOST]
    return None


def _of(measure: str, axes: Sequence[str], facts: Sequence[Fact], filing: Filing) -> Mapping[str, Sequence[Fact]]:
    """Member -> its facts of the filing's own year."""
    found: defaultdict[str, list[Fact]] = defaultdict(list)
    for fact in facts:
        axis = next((axis for axis in axes if axis in fact.dimensions), None)
        if axis is None or fact.concept != measure or fact.block is None or not _is_of_year(fact, filing):
            continue
        member = fact.dimensions[axis]
        others = set(fact.dimensions) - {axis}
        if others <= _KEPT_WITH and not _NO_PART.search(member.rpartition(":")[2].removesuffix("Member")):
            found[member].append(fact)
    if len(set(found) - _WHOLE) >= 2:
        return {member: own for member, own in found.items() if member not in _WHOLE}
    return found


def _is_of_year(fact: Fact, filing: Filing) -> bool:
    if fact.period_start is None or fact.period_end is None or fact.value is None:
        return False
    same_end = filing.period_end is None or fact.period_end == filing.period_end
    return same_end and (fact.period_end - fact.period_start).days > _YEAR_DAYS


def _name(member: str, facts: Sequence[Fact], company: str) -> str:
    """As a row calls it, else the words of its tag."""
    known = member_names(member, company)
    parts = dict.fromkeys(part.strip(" :") for fact in facts for part in fact.label.split(" > "))
    best = max(parts, key=lambda part: (best_likeness(part, known), -len(part)), default="")
    if best and best_likeness(best, known) >= _SAME_NAME:
        return best
    if member.startswith("country:"):
        return known[0].title()
    local = re.sub(r"(?:Segment|Member)+$", "", member.rpartition(":")[2])
    return " ".join(word.capitalize() for word in camel_words(local))
