"""The facts of one filing, indexed once: by concept, by words of their labels, with the fiscal years they cover."""

from __future__ import annotations

from collections import OrderedDict, defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from threading import Lock

from fin_tui.facts.figures import Period
from fin_tui.facts.periods import covered
from fin_tui.facts.rows_in_text import Labels, labels_of
from fin_tui.facts.statements import statements_of
from fin_tui.facts.words import stems
from fin_tui.records import Fact, Filing
from fin_tui.store.corpus import Corpus

CLASS_AXIS = "us-gaap:StatementClassOfStockAxis"
_KEPT = 80
_TAGGED = 50
_WHOLE_DOLLARS = 1e7
"""A table with amounts of eight digits prints them in full."""


@dataclass(frozen=True)
class FilingFacts:
    """What one filing states in figures."""

    filing: Filing
    facts: tuple[Fact, ...]
    library: Corpus

    @cached_property
    def tagged(self) -> bool:
        """Whether the filing brings XBRL facts of its statements."""
        return sum(fact.source == "xbrl" and fact.value is not None for fact in self.facts) >= _TAGGED

    @cached_property
    def numeric(self) -> tuple[Fact, ...]:
        """Facts with a value, in reading order."""
        return tuple(fact for fact in self.facts if fact.value is not None)

    @cached_property
    def by_concept(self) -> Mapping[str, Sequence[Fact]]:
        """Facts with a value and without dimensions, by concept."""
        found: defaultdict[str, list[Fact]] = defaultdict(list)
        for fact in self.numeric:
            if not fact.dimensions:
                found[fact.concept].append(fact)
        return found

    @cached_property
    def by_class(self) -> Mapping[str, Sequence[Fact]]:
        """Facts that are given for each class of stock, by concept."""
        found: defaultdict[str, list[Fact]] = defaultdict(list)
        for fact in self.numeric:
            if len(fact.dimensions) == 1 and CLASS_AXIS in fact.dimensions:
                found[fact.concept].append(fact)
        return found

    @cached_property
    def dimensioned(self) -> tuple[Fact, ...]:
        """Facts with a value and dimensions."""
        return tuple(fact for fact in self.numeric if fact.dimensions)

    @cached_property
    def years(self) -> tuple[Period, ...]:
        """Fiscal years covered, latest first."""
        return covered(self.filing, self.numeric)

    @cached_property
    def statements(self) -> Mapping[int, str]:
        """Block ordinal of a table -> the statement it is; only primary statements are named."""
        document = self.library.document(self.filing.id)
        return statements_of(document.blocks)

    @cached_property
    def unscaled(self) -> frozenset[int]:
        """Ordinals of tables whose plain amounts may stand for millions: they say no unit where the statements have one."""
        tables = [(block.ordinal, block.table) for block in self.library.document(self.filing.id).blocks if block.table]
        if self.statement_scale == 1:
            return frozenset()
        largest: defaultdict[int, float] = defaultdict(float)
        for fact in self.numeric:
            if fact.source == "table" and fact.block is not None and fact.unit == "usd":
                largest[fact.block] = max(largest[fact.block], abs(fact.value or 0.0))
        return frozenset(o for o, table in tables if table.scale == 1 and not table.units and largest[o] < _WHOLE_DOLLARS)

    @cached_property
    def statement_scale(self) -> int:
        """The factor on the amounts of the statements; 1 where they have none, or differ."""
        document = self.library.document(self.filing.id)
        scales = {block.table.scale for block in document.blocks if block.table and block.ordinal in self.statements}
        return scales.pop() if len(scales) == 1 else 1

    def is_unscaled(self, fact: Fact) -> bool:
        """Whether ``fact`` is an amount of money whose scale no caption tells."""
        return fact.source == "table" and fact.unit == "usd" and fact.block in self.unscaled

    @cached_property
    def by_own_label(self) -> Labels:
        """Facts with a value by the stems of their row's own label."""
        return labels_of(self.numeric)

    @cached_property
    def label_stems(self) -> Sequence[tuple[str, ...]]:
        """Stems of the labels of ``numeric``, in the same order."""
        return [stems(fact.label.replace(" > ", " ")) for fact in self.numeric]


class Index:
    """Indexed filings, those used last kept; made anew when the library has changed. Usable from several threads."""

    def __init__(self, library: Corpus) -> None:
        self._library = library
        self._lock = Lock()
        self._generation = -1
        self._held: OrderedDict[str, FilingFacts] = OrderedDict()

    def of(self, filing: Filing) -> FilingFacts:
        """The facts of ``filing``; no facts when it is not in the library any more."""
        generation = self._library.generation()
        with self._lock:
            if generation != self._generation:
                self._held.clear()
                self._generation = generation
            held = self._held.get(filing.id)
            if held is not None and held.filing == filing:
                self._held.move_to_end(filing.id)
                return held
        made = FilingFacts(filing, self._library.facts.find(filings=(filing.id,)), self._library)
        with self._lock:
            if generation == self._generation:
                self._held[filing.id] = made
                while len(self._held) > _KEPT:
                    self._held.popitem(last=False)
        return made
