"""Segments, products and places: those by which a filing tags its figures, and the tables of parts where no tag names them.

Such a table has rows, or columns, that come to a total.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import chain

from fin_tui.engine.questions.kinds import Listing
from fin_tui.engine.structures.by_state import STATES, bare_name
from fin_tui.facts import vocabulary
from fin_tui.facts.figures import Metric, unit_fits
from fin_tui.facts.words import best_likeness, member_names, name_as_printed, stems, tag_words, without_note
from fin_tui.language import any_of, clean
from fin_tui.records import Block, BlockKind, Document, Fact, Filing, Table

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
    known: frozenset[str] = frozenset()
    """What all parts of the kind are called, where that is known: a table of them is told by its rows, not by its title."""


_AXES = (
    Axis(frozenset(("segment",)), _SEGMENT, "segments", "segment", is_of_company=True),
    Axis(frozenset(("product", "categori", "good")), _PRODUCT, "products and services", "product and service"),
    Axis(
        frozenset(("region", "countri", "geographi", "geograph", "area")), _PLACE, "regions and countries", "region and country"
    ),
    Axis(frozenset(("state",)), (), "states", "state", known=STATES),
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
_NO_PART = "total corporate eliminat reconcil intersegment reportablesegment operatingsegments hedging".split()
_WHOLE = frozenset(("us-gaap:ProductMember", "us-gaap:ServiceMember"))
"""Sums of the products and services that stand beside them."""
_MOST = 40
_SAME_NAME = 0.75
_SAME_WORD = 0.97
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
    return tuple(axis for axis in _AXES if axis.stems & said and not axis.known)


def is_beside_axis(stem: str) -> bool:
    """Whether the word may stand beside the name of a kind of parts and leave it as it is."""
    return stem in _WITH_AXIS


def are_called(rows: Sequence[Dimensioned], axis: Axis, facts: Sequence[Fact], filing: Filing) -> bool:
    """Whether two of the rows are called as parts are that the filing tags on ``axis``; any are where it tags none: kinds of
    charges that come to a total are no segments.
    """
    tagged = dict.fromkeys(member for fact in facts for name, member in fact.dimensions.items() if name in axis.names)
    known = [name for one in tagged if not _is_no_part(_local(one)) for name in member_names(one, filing.company)]
    return not known or sum(best_likeness(row.name, known) >= _SAME_NAME for row in rows) > 1


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
            (rest if _is_no_part(_local(member)) else own)[member].append(fact)
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
    tables = {block.ordinal: block.table for block in document.blocks if block.table is not None}
    heads = {member: Counter(chain.from_iterable(_heads(fact, tables) for fact in found)) for member, found, _ in told}
    shared = Counter(chain.from_iterable(heads.values()))
    return tuple(
        Dimensioned(_called(_name(member, found, filing.company), heads[member], shared, document.text), tuple(found), is_part)
        for member, found, is_part in told[:_MOST]
    )


def _called(name: str, own: Counter[str], shared: Mapping[str, int], text: str) -> str:
    """``name`` as the filing prints it; where it prints it nowhere, the row or column that tells this part and no other
    (``shared``: of how many parts each of these tells figures).
    """
    printed = name_as_printed(name, text)
    if printed in text:
        return printed
    return next((head for head, _ in own.most_common() if shared[head] == 1), printed)


def _heads(fact: Fact, tables: Mapping[int, Table]) -> Iterator[str]:
    """The names of row and column of a figure, but for totals, and columns that say when."""
    table = tables.get(fact.block) if fact.block is not None else None
    cells = (cell for row in table.rows for cell in row if cell.start <= fact.start < cell.end) if table is not None else ()
    at = next((cell.column for cell in cells), 0)
    column = table.columns[at] if table is not None and 0 < at < len(table.columns) else None
    head = next(iter(column.header[-1:]), "") if column is not None and column.period_end is None else ""
    for name in (fact.label.rpartition(" > ")[2].strip(" :"), clean(head).strip(" :")):
        if any(map(str.isalpha, name)) and _without_total(name):
            yield name


def _without_total(name: str) -> str:
    """What a name says beside that it is of a total."""
    total = _TOTAL.match(name)
    return name[total.end() :].lstrip() if total else name


def _is_neutral(fact: Fact) -> bool:
    """Not a reconciling item: the operating segments themselves."""
    return fact.dimensions.get(_CONSOLIDATION, _OPERATING) == _OPERATING


def _is_no_part(name: str) -> bool:
    """Whether a member's name says that it is a sum, or what stands beside all parts."""
    lowered = name.lower()
    return lowered.endswith("allother") or any(word in lowered for word in _NO_PART)


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
        if others <= _KEPT_WITH and not _is_no_part(member.rpartition(":")[2].removesuffix("Member")):
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
    return " ".join(word.capitalize() for word in tag_words(member.rpartition(":")[2]))


_TOTAL = any_of("total(s), subtotal(s), consolidated")
_SPAN = any_of("(for the) (fiscal) year(s)/period(s)")
"""When a column's figures are of, behind what they are of."""
_OTHER_ITEMS = any_of("corporate, unallocated, eliminat*, intersegment, reconcil*, hedging")
_MOST_ROWS = 14
_FEWEST = 3
"""Figures of a table of two parts and their total."""
_FEWEST_KNOWN = 4
"""Rows whose names are known parts, in a table of them."""
_ALIKE = 1.02
"""Factor by which two lines of one name may differ, as with and without sales between the parts."""
_BEFORE = 2
"""Blocks right before a table that may say what its parts are."""


@dataclass(frozen=True, slots=True)
class PartTable:
    """Rows that may be the parts of a figure, and the line that they come to."""

    rows: tuple[Dimensioned, ...]
    total: tuple[Fact, ...]
    is_titled: bool
    """The title of the table names the kind of its parts; else the lines before it, or the heading over it."""


_HEADS_OF_TOTAL = 2
"""Rows over a part's column where only the figure and its total have one."""


def part_tables(metric: Metric, axis: Axis, document: Document) -> tuple[PartTable, ...]:
    """What :func:`_tables` finds, tables of the same rows, as of one year each, put together."""
    merged: dict[tuple[object, ...], PartTable] = {}
    for one in _tables(metric, axis, document):
        key = (one.is_titled, *sorted(row.name for row in one.rows))
        before = merged.get(key)
        if before is not None:
            more = {row.name: row.facts for row in one.rows}
            rows = tuple(replace(row, facts=(*row.facts, *more[row.name])) for row in before.rows)
            one = PartTable(rows, (*before.total, *one.total), one.is_titled)
        merged[key] = one
    return tuple(merged.values())


def _tables(metric: Metric, axis: Axis, document: Document) -> Iterator[PartTable]:
    """The tables of ``document`` that name ``axis`` and have a line of ``metric`` with rows, or columns, under its name or above
    it. Whether these come to the line is for the caller to see.
    """
    held: dict[int, list[Fact]] = {}
    for fact in document.facts:
        if fact.source != "xbrl" and fact.block is not None and fact.value is not None and unit_fits(fact.unit, metric.unit):
            held.setdefault(fact.block, []).append(fact)
    names = frozenset(_bare(form) for name in metric.labels for form in (name, _without_total(name)))
    headings = _headings(document.blocks, document.text)
    for at, block in enumerate(document.blocks):
        facts = held.get(block.ordinal, [])
        if block.table is None or len(facts) < _FEWEST:
            continue
        if axis.known:
            if _is_named(block.table.title, names) and (known := _read_known(facts, axis)) is not None:
                yield PartTable(*known, True)
            continue
        if axis not in _axes_of(document, at, headings):
            continue
        found = _read(facts, names, is_of_metric=_is_named(block.table.title, names)) or _read_column(facts, names)
        if found is not None and not axis.is_of_company and _is_two_way(facts, found[0]):
            continue  # Its columns would pass for its rows: segments for regions.
        if found is not None and not _is_of_part(found[1], held, names):
            yield PartTable(*found, bool(axes_named(block.table.title)))


def _is_two_way(facts: Sequence[Fact], parts: Sequence[Dimensioned]) -> bool:
    """Whether the parts stand under several other rows, too, as columns of a table of two kinds of parts do."""
    heads: dict[str, set[str]] = {}
    for fact in facts:
        *above, own = fact.label.split(" > ")
        heads.setdefault(own.strip(" :"), set()).update(above[-1:])
    return all(len(heads.get(one.name, ())) > _HEADS_OF_TOTAL for one in parts)


def _is_of_part(total: Sequence[Fact], held: Mapping[int, Sequence[Fact]], names: frozenset[tuple[str, ...]]) -> bool:
    """Whether the filing gives a larger figure by the same name, in as many tables or more: then the table is of a part of the
    company. One that stands in fewer tables may be pro forma.
    """
    tables: defaultdict[object, defaultdict[float, set[int]]] = defaultdict(lambda: defaultdict(set))
    for block, facts in held.items():
        for one in facts:
            path = one.label.split(" > ")
            if len(path) == 1 and _bare(_without_total(path[0].strip(" :"))) in names:
                tables[one.period_start, one.period_end][abs(one.value or 0.0)].add(block)
    for one in total:
        stated = tables[one.period_start, one.period_end]
        own = abs(one.value or 0.0)
        if any(own * _ALIKE < value and len(blocks) >= len(stated.get(own, ())) for value, blocks in stated.items()):
            return True
    return False


def _headings(blocks: Sequence[Block], text: str) -> Mapping[int, str]:
    """Ordinal of each table -> the last heading before it."""
    found: dict[int, str] = {}
    last = ""
    for block in blocks:
        if block.kind is BlockKind.HEADING:
            last = text[block.start : block.end]
        elif block.table is not None:
            found[block.ordinal] = last
    return found


def _axes_of(document: Document, at: int, headings: Mapping[int, str]) -> tuple[Axis, ...]:
    """The kinds of parts that a table has: what its title says, else the lines right before it, else the heading over it."""
    block = document.blocks[at]
    before = [one for one in reversed(document.blocks[max(0, at - _BEFORE) : at]) if one.table is None]
    lines = (document.text[one.start : one.end] for one in before)
    said = [block.table.title if block.table else "", *lines, headings.get(block.ordinal, "")]
    return next(filter(None, map(axes_named, said)), ())


def _read(
    facts: Sequence[Fact], names: frozenset[tuple[str, ...]], *, is_of_metric: bool
) -> tuple[tuple[Dimensioned, ...], tuple[Fact, ...]] | None:
    """The rows that may be parts, and the line of the whole; None where there is none."""
    paths = [[part.strip(" :") for part in fact.label.split(" > ")] for fact in facts]
    totals = [at for at, path in enumerate(paths) if _is_total(path, names, is_of_metric=is_of_metric)]
    if not totals:
        return None
    below = [at for at, path in enumerate(paths) if len(path) > 1 and _bare(_without_total(path[-2])) in names]
    above = [at for at, path in enumerate(paths) if len(path) > 1 and _bare(path[-1]) in names]
    if below:  # Columns, or rows, under the name of the figure.
        rows = [(at, paths[at][-1]) for at in below if at not in totals]
    elif len(above) > len(totals):  # A group of rows for each part, the figure one of them.
        rows = [(at, paths[at][-2]) for at in above if at not in totals]
    else:
        listed = range(_begin(paths, totals[0]), totals[0])
        rows = [(at, _row_name(paths[at], names)) for at in listed if vocabulary().named(paths[at][-1]) is None]
    named: dict[str, list[Fact]] = {}
    for at, name in rows:
        named.setdefault(name, []).append(facts[at])
    own = paths[totals[0]][-1]
    of_total = tuple(facts[at] for at in totals if paths[at][-1] == own)
    return _parts_of(named, of_total)


def _read_column(
    facts: Sequence[Fact], names: frozenset[tuple[str, ...]]
) -> tuple[tuple[Dimensioned, ...], tuple[Fact, ...]] | None:
    """The rows of a table with a column of the figure beside columns of others, and its last row, which is a total, or has no
    name but the heading that it stands under; None where there is no such column.
    """
    rows: dict[tuple[str, ...], list[Fact]] = {}
    for fact in facts:
        *row, column = [part.strip(" :") for part in fact.label.split(" > ")]
        if row and _bare(_SPAN.split(column, maxsplit=1)[0]) in names:
            rows.setdefault(tuple(row), []).append(fact)
    *parts, last = rows or [()]
    is_total = bool(last) and (bool(_TOTAL.match(last[-1])) or any(row[:-1] == last for row in parts))
    if not is_total:
        return None
    return _parts_of({_row_name(row, names): rows[row] for row in parts}, tuple(rows[last]))


def _parts_of(
    named: Mapping[str, Sequence[Fact]], total: tuple[Fact, ...]
) -> tuple[tuple[Dimensioned, ...], tuple[Fact, ...]] | None:
    """Rows as parts, without the marks of their footnotes where that leaves them apart; None where there are fewer than two."""
    bare = Counter(without_note(name) for name in named)
    called = {name: own if bare[own := without_note(name)] == 1 else name for name in named}
    parts = tuple(Dimensioned(called[name], tuple(of), not _OTHER_ITEMS.search(name)) for name, of in named.items())
    return (parts[:_MOST_ROWS], total) if len(parts) > 1 else None


def _read_known(facts: Sequence[Fact], axis: Axis) -> tuple[tuple[Dimensioned, ...], tuple[Fact, ...]] | None:
    """The rows of parts that are known by name, with what stands beside them ("Other"), and the last row, a total of whatever
    name; None where there are too few, or a row holds several figures of one period.
    """
    rows: dict[str, list[Fact]] = {}
    for fact in facts:
        if " > " not in fact.label:
            rows.setdefault(fact.label.strip(" :"), []).append(fact)
    *names, last = rows or [""]
    parts = {name: rows[name] for name in names if not _TOTAL.match(name)}
    are_known = sum(bare_name(name) in axis.known for name in parts)
    if not _TOTAL.match(last) or are_known < max(_FEWEST_KNOWN, len(parts) / 2):
        return None
    if any(len({fact.period_end for fact in found}) != len(found) for found in rows.values()):
        return None
    return tuple(Dimensioned(name, tuple(found)) for name, found in parts.items()), tuple(rows[last])


def _row_name(path: Sequence[str], names: frozenset[tuple[str, ...]]) -> str:
    """A row with the headings over it, but for those that name no more than the figure or the kind of parts: "Americas – Other",
    and "U.S. Region – Footwear", where the same rows stand under each region.
    """
    heads = [part for part in path[:-1] if not _is_named(part, names) and axis_of([*stems(part)]) is None]
    return " – ".join((*heads, path[-1]))


def _is_total(path: Sequence[str], names: frozenset[tuple[str, ...]], *, is_of_metric: bool) -> bool:
    """Whether a row is the whole figure: called by its name, or "Total" under it, over it, or in a table of it."""
    own, rest = path[-1], [_bare(_without_total(part)) for part in path[:-1]]
    if _bare(_without_total(own)) in names:
        return not rest or rest[-1] in names or not rest[-1] or bool(_TOTAL.match(own))
    is_plain = bool(_TOTAL.match(own)) and not _bare(_without_total(own))
    return is_plain and (rest[-1] in names if rest else is_of_metric)


def _begin(paths: Sequence[Sequence[str]], total: int) -> int:
    """Where the rows begin that a total may come from: behind the last line before it that is a figure of the vocabulary."""
    befores = (at for at in range(total - 1, -1, -1) if vocabulary().named(paths[at][-1]) is not None)
    return next(befores, -1) + 1


def _is_named(title: str, names: frozenset[tuple[str, ...]]) -> bool:
    said = set(stems(title))
    return any(said.issuperset(name) for name in names if name)


def _bare(text: str) -> tuple[str, ...]:
    return tuple(sorted(stems(text)))
