"""Figures by segment, product or place where no tag names the parts: rows, or columns, that come to a total (pure)."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace

from fin_tui.engine.structures.members import Axis, Dimensioned, axes_named
from fin_tui.facts.figures import Metric, unit_fits
from fin_tui.facts.metrics import vocabulary
from fin_tui.facts.words import stems
from fin_tui.records import Block, BlockKind, Document, Fact

_TOTAL = re.compile(r"^(?:(?:sub)?totals?|consolidated)\b\s*", re.I)
_OTHER_ITEMS = re.compile(r"\b(?:corporate|unallocated|eliminat\w*|intersegment|reconcil\w*|hedging)\b", re.I)
_MOST_ROWS = 14
_FEWEST = 3
"""Figures of a table of two parts and their total."""
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
    names = frozenset(_bare(form) for name in metric.labels for form in (name, _TOTAL.sub("", name)))
    headings = _headings(document.blocks, document.text)
    for at, block in enumerate(document.blocks):
        facts = held.get(block.ordinal, [])
        if block.table is None or len(facts) < _FEWEST or axis not in _axes_of(document, at, headings):
            continue
        found = _read(facts, names, is_of_metric=_is_named(block.table.title, names))
        if found is not None and not _is_of_part(found[1], held, names):
            yield PartTable(*found, bool(axes_named(block.table.title)))


def _is_of_part(total: Sequence[Fact], held: Mapping[int, Sequence[Fact]], names: frozenset[tuple[str, ...]]) -> bool:
    """Whether another line of the filing by the same name is larger: then the table is of a part of the company."""
    largest: dict[object, float] = {}
    for fact in (one for facts in held.values() for one in facts):
        path = fact.label.split(" > ")
        if len(path) == 1 and _bare(_TOTAL.sub("", path[0].strip(" :"))) in names:
            key = (fact.period_start, fact.period_end)
            largest[key] = max(largest.get(key, 0.0), abs(fact.value or 0.0))
    return any(abs(one.value or 0.0) * _ALIKE < largest.get((one.period_start, one.period_end), 0.0) for one in total)


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
    below = [at for at, path in enumerate(paths) if len(path) > 1 and _bare(_TOTAL.sub("", path[-2])) in names]
    above = [at for at, path in enumerate(paths) if len(path) > 1 and _bare(path[-1]) in names]
    if below:  # Columns, or rows, under the name of the figure.
        rows = [(at, paths[at][-1]) for at in below if at not in totals]
    elif len(above) > len(totals):  # A group of rows for each part, the figure one of them.
        rows = [(at, paths[at][-2]) for at in above if at not in totals]
    else:
        listed = range(_begin(paths, totals[0]), totals[0])
        rows = [(at, _name(paths[at], names)) for at in listed if vocabulary().named(paths[at][-1]) is None]
    named: dict[str, list[Fact]] = {}
    for at, name in rows:
        named.setdefault(name, []).append(facts[at])
    own = paths[totals[0]][-1]
    of_total = tuple(facts[at] for at in totals if paths[at][-1] == own)
    parts = tuple(Dimensioned(name, tuple(found), not _OTHER_ITEMS.search(name)) for name, found in named.items())
    return (parts[:_MOST_ROWS], of_total) if len(parts) > 1 else None


def _name(path: Sequence[str], names: frozenset[tuple[str, ...]]) -> str:
    """A row with the headings over it, but for those that name the figure or the kind of parts: "Americas – Other"."""
    heads = [part for part in path[:-1] if not _is_named(part, names) and not axes_named(part)]
    return " – ".join((*heads, path[-1]))


def _is_total(path: Sequence[str], names: frozenset[tuple[str, ...]], *, is_of_metric: bool) -> bool:
    """Whether a row is the whole figure: called by its name, or "Total" under it, over it, or in a table of it."""
    own, rest = path[-1], [_bare(_TOTAL.sub("", part)) for part in path[:-1]]
    if _bare(_TOTAL.sub("", own)) in names:
        return not rest or rest[-1] in names or not rest[-1] or bool(_TOTAL.match(own))
    is_plain = bool(_TOTAL.match(own)) and not _bare(_TOTAL.sub("", own))
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
