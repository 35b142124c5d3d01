"""What the filings held say of a company's year: facts by their labels and values, and the figure that a label names."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import Any

from fin_tui.engine.figures.as_json import candidate_json
from fin_tui.engine.figures.places import Chunks, Places
from fin_tui.errors import FinTuiError
from fin_tui.facts.figures import Period
from fin_tui.facts.index import FilingFacts, Index
from fin_tui.facts.periods import fits
from fin_tui.facts.values import exact
from fin_tui.facts.words import camel_words, stem, stems
from fin_tui.records import Citation, Fact, Filing, SheetCell, SheetColumn, SheetRow
from fin_tui.sheets.audit.periods import HeadPeriod
from fin_tui.sheets.filling import Filler
from fin_tui.store.corpus import Corpus

_FILLERS = frozenset(("net", "total", "consolidated", "and"))
"""Words that labels add at will; two labels that differ by one of them alone are the same row."""
_ABBREVIATIONS = {
    "lt": "long-term", "st": "short-term", "exp": "expense", "amort": "amortization", "depr": "depreciation", "ops": "operations",
    "equiv": "equivalents", "mktg": "marketing", "acct": "account", "accts": "accounts", "curr": "current", "liab": "liabilities",
}  # fmt: skip
_ABBREVIATED = re.compile(rf"\b(?:{'|'.join(_ABBREVIATIONS)})\b\.?", re.I)
_SUFFIXES = re.compile(r"[,.]|\b(?:inc|corp|corporation|company|co|plc|ltd|limited|llc|the|holdings?|group|&)\b", re.I)
_NEAR_DAYS = 12
"""Days between the end that a header names (often a month's last day) and that of the fiscal year."""
_LONGEST_LABEL = 150
_PATH = " > "


@dataclass(frozen=True, slots=True)
class Held:
    """A fact of a fiscal year with the filing that states it."""

    fact: Fact
    filing: Filing
    in_statement: bool

    @property
    def value(self) -> float:
        """Base units; percentages as 14.2."""
        value = exact(self.fact.value or 0.0)
        return float(value * 100 if self.unit == "%" else value)

    @property
    def unit(self) -> str:
        """The unit of figures that the fact's own means."""
        unit = self.fact.unit
        return "%" if unit == "pure" else "usd/share" if "/share" in unit else unit

    @property
    def label(self) -> str:
        """The row's own label."""
        return self.fact.label.rpartition(_PATH)[2]


class HeldFacts:
    """Looks up what a library says, company by company; what was read once is kept."""

    def __init__(self, corpus: Corpus, filler: Filler) -> None:
        self._corpus = corpus
        self._filler = filler
        self._index = Index(corpus)
        self._filings: dict[str, list[Filing]] = {}
        for filing in corpus.filings():
            self._filings.setdefault(filing.company_key, []).append(filing)
        self._names = {key: _spellings(filings) for key, filings in self._filings.items()}
        self._years: dict[tuple[str, int], tuple[Held, ...]] = {}
        self._cells: dict[tuple[str, int, str], SheetCell | None] = {}

    def company(self, text: str) -> str:
        """The key of the company that ``text`` names: by its ticker alone or in brackets, or by its name at the beginning."""
        text = text.strip()
        if not text or len(text) > 120:
            return ""
        bracket = re.search(r"\(([A-Z.]{1,6})\)", text)
        ticker = bracket[1] if bracket else text
        folded = _folded(text)
        for key, (tickers, names) in self._names.items():
            if ticker in tickers or any(folded == name or folded.startswith(f"{name} ") for name in names):
                return key
        return ""

    @property
    def companies(self) -> Sequence[str]:
        """The keys of all companies held."""
        return tuple(self._filings)

    def name(self, company: str) -> str:
        """The company's name."""
        return self._filings[company][-1].company if company in self._filings else company

    def period(self, company: str, head: HeadPeriod) -> Period | None:
        """The fiscal year that a header means for this company; None when no filing covers it."""
        found: dict[str, Period] = {}
        for filing in self._ordered(company):
            for year in self._index.of(filing).years:
                found.setdefault(year.label, year)
        if head.end is None:
            return found.get(f"FY{head.year}")
        near = [year for year in found.values() if abs((year.end - head.end).days) <= _NEAR_DAYS]
        return min(near, key=lambda year: abs((year.end - (head.end or year.end)).days), default=None)

    def facts(self, company: str, year: Period) -> tuple[Held, ...]:
        """All figures of a fiscal year, latest filing first, that of no quarter and no other length."""
        key = (company, year.end.toordinal())
        if key not in self._years:
            found: list[Held] = []
            for filing in self._ordered(company):
                held = self._index.of(filing)
                own = next((one for one in held.years if abs((one.end - year.end).days) <= _NEAR_DAYS), None)
                found += [self._held(held, fact) for fact in held.numeric if own is not None and _of(fact, own)]
            self._years[key] = tuple(found)
        return self._years[key]

    def other_years(self, company: str, concept: str) -> list[Held]:
        """The figures of a concept, in all periods."""
        return [
            self._held(held, fact)
            for filing in self._ordered(company)
            for held in (self._index.of(filing),)
            for fact in held.by_concept.get(concept, ())
        ]

    def figure(self, company: str, year: Period, label: str) -> SheetCell | None:
        """The figure that ``label`` names, as the engine answers it; None where it names none."""
        number = int(year.label.removeprefix("FY")) if year.label.startswith("FY") else year.end.year
        key = (company, number, label.casefold())
        if key not in self._cells:
            row = SheetRow(f"{company}@{number}", "", company, number)
            try:
                self._cells[key] = self._filler.look_up(row, SheetColumn("c1", label, "figure", label[:_LONGEST_LABEL]))
            except FinTuiError:
                self._cells[key] = None  # A label that is no question for the engine names no figure.
        return self._cells[key]

    def json(self, held: Held) -> dict[str, Any]:
        """A fact object with its place."""
        return {**candidate_json(held.fact, held.filing), **place_json(self.citation(held))}

    def citation(self, held: Held) -> Citation | None:
        """The row or sentence that states it; None for a hidden fact."""
        chunks: Chunks = self._corpus.chunks
        places = Places(chunks)
        return places.passages[0].citation if places.number(held.fact, held.filing) else None

    def _ordered(self, company: str) -> list[Filing]:
        """Latest first, originals before amendments."""
        held = self._filings.get(company, [])
        return sorted(held, key=lambda filing: (not filing.form.endswith("/A"), str(filing.period_end)), reverse=True)

    def _held(self, held: FilingFacts, fact: Fact) -> Held:
        return Held(fact, held.filing, fact.block is not None and fact.block in held.statements)


def place_json(citation: Citation | None) -> dict[str, Any]:
    """Where a fact stands, for a reader."""
    if citation is None:
        return {"reference": None, "page": None, "item": None, "quote": None, "start": None, "end": None}
    return {
        "reference": citation.reference, "page": citation.page, "item": citation.item, "quote": citation.quote,
        "start": citation.start, "end": citation.end,
    }  # fmt: skip


def affinity(texts: Sequence[str], held: Held) -> float:
    """How far one of ``texts`` says the same as the row of a fact, 0 to 1: common words over all words. A fact of a part of the
    company has the words of that part, too.
    """
    of_fact = _words_of(held.fact.label, held.fact.concept, tuple(sorted(held.fact.dimensions.values())))
    return max((_overlap(_stems(text), words) for text in texts if text for words in of_fact), default=0.0)


def holds_all(text: str, held: Held) -> bool:
    """Whether the label of a fact says all that ``text`` says, two words at least, and more."""
    words = _stems(text)
    return len(words) > 1 and not held.fact.dimensions and words <= _stems(held.label)


def spelled_out(label: str) -> str:
    """A label with the abbreviations that models use in words: "LT debt" is "long-term debt"."""
    return _ABBREVIATED.sub(lambda match: _ABBREVIATIONS[match[0].casefold().rstrip(".")], label)


def words_alike(one: str, other: str) -> float:
    """How far two labels say the same, 0 to 1."""
    return _overlap(_stems(one), _stems(other))


@lru_cache(maxsize=100_000)
def _words_of(label: str, concept: str, members: tuple[str, ...]) -> tuple[frozenset[str], ...]:
    parts = frozenset(stem(word) for member in members for word in camel_words(member.partition(":")[2].removesuffix("Member")))
    own, path = _stems(label.rpartition(_PATH)[2]), _stems(label.replace(_PATH, " "))
    if parts:
        # The label of a part's row may be the part's name, or the figure's.
        return (own | parts,) if not parts <= own else (own,)
    name = frozenset(stem(word) for word in camel_words(concept.partition(":")[2]))
    return own, path, name - _FILLERS


@lru_cache(maxsize=100_000)
def _stems(text: str) -> frozenset[str]:
    found = frozenset(stems(text))
    return (found - _FILLERS) or found


def _overlap(one: frozenset[str], other: frozenset[str]) -> float:
    return len(one & other) / len(one | other) if one and other else 0.0


def _of(fact: Fact, year: Period) -> bool:
    return fits(fact, year, instant=fact.period_start is None)


def _spellings(filings: Sequence[Filing]) -> tuple[frozenset[str], frozenset[str]]:
    names = frozenset(_folded(filing.company) for filing in filings if filing.company)
    return frozenset(filing.ticker for filing in filings if filing.ticker), frozenset(name for name in names if len(name) > 2)


def _folded(text: str) -> str:
    return " ".join(_SUFFIXES.sub(" ", text.casefold()).split())
