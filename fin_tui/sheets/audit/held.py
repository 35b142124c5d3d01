"""What the filings held say of a company's year: its facts, and the figure that a label names."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Mapping, Sequence

from fin_tui.engine.figures.as_json import candidate_json
from fin_tui.engine.figures.detail import Chunks, Places
from fin_tui.errors import FinTuiError
from fin_tui.facts.figures import Period
from fin_tui.facts.index import FilingFacts, fits
from fin_tui.facts.lookup import FactBook
from fin_tui.records import Citation, Fact, Filing, PlacedFact, SheetCell, SheetColumn, SheetRow, placed
from fin_tui.sheets.audit.layout import HeadPeriod
from fin_tui.sheets.audit.year_facts import Held, YearFacts, label_words
from fin_tui.sheets.filling import Filler
from fin_tui.store import Corpus

_SIGNS = str.maketrans(",.&", "   ")
_SUFFIXES = frozenset("inc corp corporation company co plc ltd limited llc the holding holdings group".split())
_NEAR_DAYS = 12
"""Days between the end that a header names (often a month's last day) and that of the fiscal year."""
_LONGEST_LABEL = 150
_PATH = " > "


class HeldFacts:
    """Looks up what a library says, company by company; what was read once is kept."""

    def __init__(self, corpus: Corpus, book: FactBook, filler: Filler) -> None:
        self._corpus = corpus
        self._filler = filler
        self._book = book
        self._filings: dict[str, list[Filing]] = {}
        for filing in corpus.filings():
            self._filings.setdefault(filing.company_key, []).append(filing)
        self._names = {key: _spellings(filings) for key, filings in self._filings.items()}
        self._read: dict[str, Sequence[FilingFacts]] = {}
        self._periods: dict[str, Mapping[str, Period]] = {}
        self._years: dict[tuple[str, int], YearFacts] = {}
        self._concepts: dict[str, Mapping[frozenset[str], frozenset[str]]] = {}
        self._settled: dict[tuple[str, str], str] = {}
        self._cells: dict[tuple[str, int, str], SheetCell | None] = {}

    def company(self, text: str) -> str:
        """The key of the company that ``text`` names: by its ticker alone or in brackets, or by its name at the beginning."""
        text = text.strip()
        if not text or len(text) > 120:
            return ""
        said = {text, *(behind.partition(")")[0] for behind in text.split("(")[1:])}
        folded = _folded(text)
        for key, (tickers, names) in self._names.items():
            if not said.isdisjoint(tickers) or any(folded == name or folded.startswith(f"{name} ") for name in names):
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
        found = self._covered(company)
        if head.end is None:
            return found.get(f"FY{head.year}")
        near = [year for year in found.values() if abs((year.end - head.end).days) <= _NEAR_DAYS]
        return min(near, key=lambda year: abs((year.end - (head.end or year.end)).days), default=None)

    def covers(self, company: str, year: int) -> bool:
        """Whether a filing of the company covers the fiscal year."""
        return f"FY{year}" in self._covered(company)

    def year(self, company: str, year: Period) -> YearFacts:
        """All figures of a fiscal year, that of no quarter and no other length."""
        key = (company, year.end.toordinal())
        if key not in self._years:
            found: list[Held] = []
            for held in self._filings_of(company):
                own = next((one for one in held.years if abs((one.end - year.end).days) <= _NEAR_DAYS), None)
                found += [_held(held, fact) for fact in held.numeric if own is not None and _of(fact, own)]
            self._years[key] = YearFacts(found)
        return self._years[key]

    def other_years(self, company: str, concept: str) -> list[Held]:
        """The figures of a concept, in all periods."""
        return [_held(held, fact) for held in self._filings_of(company) for fact in held.by_concept.get(concept, ())]

    def concept(self, company: str, label: str) -> str:
        """The one tag of the company's rows that are called just so, in whichever year; "" where there is none, or several."""
        if company not in self._concepts:
            tags: defaultdict[frozenset[str], set[str]] = defaultdict(set)
            for held in self._filings_of(company):
                for concept, facts in held.by_concept.items():
                    for words in {label_words(fact.label.rpartition(_PATH)[2]) for fact in facts if fact.source == "xbrl"}:
                        tags[words].add(concept)
            self._concepts[company] = {words: frozenset(concepts) for words, concepts in tags.items()}
        found = self._concepts[company].get(label_words(label), frozenset())
        return next(iter(found)) if len(found) == 1 else ""

    def settled(self, company: str, year: Period, label: str) -> Sequence[Held]:
        """What is tagged as the figure that ``label`` named in another year, the latest filing first."""
        return self.year(company, year).of_concept(self._settled.get((company, label.casefold()), ""))

    def figure(self, company: str, year: Period, label: str) -> SheetCell | None:
        """The figure that ``label`` names, as the engine answers it; None where it names none."""
        number = int(year.label.removeprefix("FY")) if year.label.startswith("FY") else year.end.year
        key = (company, number, label.casefold())
        if key not in self._cells:
            self._cells[key] = cell = self._look_up(company, number, label)
            if cell is not None and (concept := _tag_of(cell, self.year(company, year))):
                self._settled[company, key[2]] = concept
        return self._cells[key]

    def _look_up(self, company: str, number: int, label: str) -> SheetCell | None:
        row = SheetRow(f"{company}@{number}", "", company, number)
        try:
            return self._filler.look_up(row, SheetColumn("c1", label, "figure", label[:_LONGEST_LABEL]))
        except FinTuiError:
            return None  # A label that is no question for the engine names no figure.

    def json(self, held: Held) -> PlacedFact:
        """A fact object with its place."""
        return placed(candidate_json(held.fact, held.filing), **place_json(self.citation(held)))

    def citation(self, held: Held) -> Citation | None:
        """The row or sentence that states it; None for a hidden fact."""
        chunks: Chunks = self._corpus.chunks
        places = Places(chunks)
        return places.passages[0].citation if places.number(held.fact, held.filing) else None

    def _covered(self, company: str) -> Mapping[str, Period]:
        """The fiscal years covered, by their labels."""
        if company not in self._periods:
            found: dict[str, Period] = {}
            for held in self._filings_of(company):
                for year in held.years:
                    found.setdefault(year.label, year)
            self._periods[company] = found
        return self._periods[company]

    def _filings_of(self, company: str) -> Sequence[FilingFacts]:
        """Latest first, originals before amendments."""
        if company not in self._read:
            held = self._filings.get(company, [])
            order = sorted(held, key=lambda filing: (not filing.form.endswith("/A"), str(filing.period_end)), reverse=True)
            self._read[company] = [self._book.facts_of(filing) for filing in order]
        return self._read[company]


def place_json(citation: Citation | None) -> PlacedFact:
    """Where a fact stands, for a reader."""
    if citation is None:
        return {"reference": None, "page": None, "item": None, "quote": None, "start": None, "end": None}
    return {
        "reference": citation.reference, "page": citation.page, "item": citation.item, "quote": citation.quote,
        "start": citation.start, "end": citation.end,
    }  # fmt: skip


def _held(held: FilingFacts, fact: Fact) -> Held:
    return Held.of(fact, held.filing, in_statement=fact.block is not None and fact.block in held.statements)


def _tag_of(cell: SheetCell, year: YearFacts) -> str:
    """The tag that the cell's figure has for the company as a whole; "" where it is computed, of a part, or in another sign."""
    concept = str(cell.facts[0].get("concept") or "") if len(cell.facts) == 1 and not cell.calculation else ""
    return concept if any(held.value == cell.value for held in year.of_concept(concept)) else ""


def _of(fact: Fact, year: Period) -> bool:
    return fits(fact, year, instant=fact.period_start is None)


def _spellings(filings: Sequence[Filing]) -> tuple[frozenset[str], frozenset[str]]:
    names = frozenset(_folded(filing.company) for filing in filings if filing.company)
    return frozenset(filing.ticker for filing in filings if filing.ticker), frozenset(name for name in names if len(name) > 2)


def _folded(text: str) -> str:
    return " ".join(word for word in text.casefold().translate(_SIGNS).split() if word not in _SUFFIXES)
