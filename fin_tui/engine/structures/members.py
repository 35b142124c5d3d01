"""Segments, products and places by which a filing tags its figures."""

from __future__ import annotations

import re
from collections import Counter, defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from fin_tui.engine.questions.listing import Listing
from fin_tui.facts.words import best_likeness, camel_words, member_names, stems
from fin_tui.records import Document, Fact, Filing

_SEGMENT = ("us-gaap:StatementBusinessSegmentsAxis",)
_PRODUCT = ("srt:ProductOrServiceAxis", "us-gaap:ProductOrServiceAxis")
_PLACE = ("srt:StatementGeographicalAxis", "us-gaap:StatementGeographicalAxis")


@dataclass(frozen=True, slots=True)
class Axis:
    """A kind of parts of a company."""

    stems: frozenset[str]
    """Of the words that name the kind."""
    names: tuple[str, ...]
    """The axes that filings tag it on."""
    many: str
    one: str
    is_of_company: bool = False
    """The company itself is divided so: its parts are listed by asking for the kind alone."""


_AXES = (
    Axis(frozenset(("segment",)), _SEGMENT, "segments", "segment", is_of_company=True),
    Axis(frozenset(("product", "categori", "good")), _PRODUCT, "products and services", "product and service"),
    Axis(
        frozenset(("region", "countri", "geographi", "geograph", "area")), _PLACE, "regions and countries", "region and country"
    ),
)
_WITH_AXIS = frozenset(("report", "oper", "busi", "line", "type", "group", "each", "major"))
"""Stems that stand beside the name of a kind and leave it as it is: "reportable segments", "each product line"."""
MEASURES = (
    "us-gaap:RevenueFromContractWithCustomerExcludingAssessedTax",
    "us-gaap:RevenueFromContractWithCustomerIncludingAssessedTax",
    "us-gaap:Revenues",
    "us-gaap:SalesRevenueNet",
    "us-gaap:RevenuesNetOfInterestExpense",
    "us-gaap:OperatingIncomeLoss",
)
_CONSOLIDATION = "srt:ConsolidationItemsAxis"
_OPERATING = "us-gaap:OperatingSegmentsMember"
_NEUTRAL_WITH = frozenset((_CONSOLIDATION,))
_KEPT_WITH = frozenset((_CONSOLIDATION, "us-gaap:StatementBusinessSegmentsAxis"))
_NO_PART = re.compile(
    r"total|corporate|eliminat|reconcil|intersegment|allother$|reportablesegment|operatingsegments|hedging", re.I
)
_WHOLE = frozenset(("us-gaap:ProductMember", "us-gaap:ServiceMember"))
"""Sums of the products and services that stand beside them."""
_MOST = 40
_SAME_NAME = 0.75
_SAME_WORD = 0.97
_LINKS = frozenset(("and", "the", "of"))
_BETWEEN = r"[\s,&/-]+(?:(?:and|the|of|&)\s+){0,2}"
_LETTERS = r"\.?"
"""Between the letters of "US", where a filing prints "U.S."."""
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
    axis = next((one for one in _AXES if listing.head in one.stems), None)
    if axis is None or (axis.names is _PLACE and listing.is_making):
        return None  # Where it makes or operates is not where it sells.
    for measure in MEASURES:
        found = _of(measure, axis.names, facts, filing)
        if len(found) >= 2:
            named = {member: [fact for fact in facts if member in fact.dimensions.values()] for member in found}
            parts = (Member(_name(member, named[member], filing.company), own[0]) for member, own in found.items())
            return axis.many, tuple(parts)[:_MOST]
    return None


@dataclass(frozen=True, slots=True)
class Dimensioned:
    """A part of the company with all its facts of one concept, of any year."""

    name: str
    facts: tuple[Fact, ...]
    is_part: bool = True
    """Not what reconciles the parts with the whole."""


def axis_of(stems: Sequence[str]) -> Axis | None:
    """The kind of parts that these words name, and nothing else; None where they name none, or more than a kind."""
    rest = [stem for stem in stems if stem not in _WITH_AXIS]
    return next((axis for axis in _AXES if rest and axis.stems.issuperset(rest)), None)


def axes_named(text: str) -> tuple[Axis, ...]:
    """The kinds of parts that words of ``text`` name."""
    said = set(stems(text))
    return tuple(axis for axis in _AXES if axis.stems & said)


def is_beside_axis(stem: str) -> bool:
    """Whether the word may stand beside the name of a kind of parts and leave it as it is."""
    return stem in _WITH_AXIS


def is_member_named(phrase: str, axis: Axis, facts: Sequence[Fact], filing: Filing) -> bool:
    """Whether a part on that axis is called by the words for the kind: Apple's "Products"."""
    tagged = {member for fact in facts for name, member in fact.dimensions.items() if name in axis.names}
    return bool(phrase) and any(best_likeness(phrase, member_names(one, filing.company)) >= _SAME_WORD for one in tagged)


def by_member(
    concept: str, axis: Axis, document: Document, filing: Filing, *, instant: bool = False
) -> tuple[Dimensioned, ...] | None:
    """The parts for which ``concept`` is tagged in the filing's own year, then what reconciles them with the whole; in the
    filing's order. None where fewer than two parts are tagged.
    """
    own: defaultdict[str, list[Fact]] = defaultdict(list)
    rest: defaultdict[str, list[Fact]] = defaultdict(list)
    within: defaultdict[str, list[Fact]] = defaultdict(list)
    for fact in document.facts:
        if fact.concept != concept or fact.block is None or fact.value is None or (fact.period_start is None) != instant:
            continue
        axes = [name for name in axis.names if name in fact.dimensions]
        if axes and set(fact.dimensions) - set(axes) <= _NEUTRAL_WITH and _is_neutral(fact):
            member = fact.dimensions[axes[0]]
            (rest if _NO_PART.search(_local(member)) else own)[member].append(fact)
        elif axes and set(fact.dimensions) - set(axes) == set(_SEGMENT):
            within[fact.dimensions[axes[0]]].append(fact)
        elif axis.is_of_company and set(fact.dimensions) == _NEUTRAL_WITH and not _is_neutral(fact):
            rest[fact.dimensions[_CONSOLIDATION]].append(fact)
    for member, found in within.items():
        if member not in own and len({fact.dimensions[_SEGMENT[0]] for fact in found}) == 1:
            own[member] = found  # Products of one segment are tagged within it.
    now = {member: found for member, found in own.items() if any(fact.period_end == filing.period_end for fact in found)}
    if len(now) < 2:
        return None
    told = [(member, found, True) for member, found in now.items()]
    told += [(member, found, False) for member, found in rest.items()]
    return tuple(
        Dimensioned(_printed(_name(member, found, filing.company), document.text), tuple(found), is_part)
        for member, found, is_part in told[:_MOST]
    )


def _printed(name: str, text: str) -> str:
    """The words of a tag as the filing prints them: "Compute & Networking" for Compute And Networking."""
    if name in text:
        return name
    parts = [part for part in name.split() if part.lower() not in _LINKS]
    spaced = _BETWEEN.join(_LETTERS.join(part) if len(part) == 2 else re.escape(part) for part in parts)
    joined = r"[\s,&/-]{0,3}".join(name.replace(" ", ""))
    for pattern in (spaced, joined):
        found = re.findall(rf"\b{pattern}\b", text, re.I)
        printed = Counter(" ".join(one.split()) for one in found if one[:1].isupper())
        if printed:
            return printed.most_common(1)[0][0]
    return name


def _is_neutral(fact: Fact) -> bool:
    """Not a reconciling item: the operating segments themselves."""
    return fact.dimensions.get(_CONSOLIDATION, _OPERATING) == _OPERATING


def _local(member: str) -> str:
    return member.rpartition(":")[2].removesuffix("Member")


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
    local = re.sub(r"(?:(?<!Non)Segment|Member)+$", "", member.rpartition(":")[2])
    return " ".join(word.capitalize() for word in camel_words(local))
