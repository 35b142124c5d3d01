"""Models made from real filings by a program, with slips planted in them: what ``fin-tui audit`` is measured on.

The values come from the filings' XBRL, read by lxml alone and not by fin-tui; the labels are words that analysts use, in one of
five wordings (``--words``, ``audit_words.toml``). Two true numbers stand beside each slip.
``python -m benchmarks.audit_set FILINGS -o FOLDER`` writes the workbooks and ``gold.json``; with ``--home HOME`` they are
audited and the result is measured.

With ``--words printed`` the rows are any tagged amounts of dollars under the words that the filing itself prints beside them,
where these words stand for one concept alone: labels that nobody chose.
"""

from __future__ import annotations

import argparse
import datetime as dt
import itertools
import json
import random
import time
import tomllib
from collections import Counter, defaultdict
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass
from functools import cache
from pathlib import Path
from typing import Any

from benchmarks.inline_xbrl import Tagged, tagged

Words = Mapping[str, Sequence[str]]
"""Concept -> what models call its row; several are taken in turn by company."""
KINDS = ("digit", "transposed", "dropped digit", "sign", "scale", "year", "row", "restated")
_NAMED: Mapping[str, tuple[str, ...]] = {"transposed": ("digit",), "dropped digit": ("digit",)}
"""What the audit calls a kind, where it has no name of its own."""
WORDINGS, PRINTED = ("first", "second", "third", "vendors", "fourth"), "printed"
WORKBOOKS, INPUTS, SLIPS = 20, 30, 10
_IN_PROCESS = "ResearchAndDevelopmentExpenseExcludingAcquiredInProcessCost"
_BETTER = {"RevenueFromContractWithCustomerExcludingAssessedTax": ("Revenues",), "ResearchAndDevelopmentExpense": (_IN_PROCESS,)}
"""Concepts that have a name before another one, where both are tagged with different values."""
_PAYMENTS = ("PaymentsToAcquirePropertyPlantAndEquipment", "PaymentsForRepurchaseOfCommonStock", "PaymentsOfDividends")


@dataclass(frozen=True, slots=True)
class Input:
    """A number of a model: what is typed, and what was planted in it."""

    company: str
    ticker: str
    concept: str
    label: str
    year: int
    end: str
    typed: float
    planted: str
    """A kind of slip; "" for a true number."""


Gold = dict[tuple[str, int], float]
"""(concept, fiscal year) -> value in base units."""


@dataclass(slots=True)
class Company:
    """What the filings of one company state, and what an earlier one stated otherwise."""

    name: str
    ticker: str
    values: Gold
    ends: dict[int, dt.date]
    first: Gold
    """Values that a later filing has replaced."""
    words: Words
    """Of analysts, or those of the rows of the newest filing."""

    def label(self, concept: str) -> str:
        """What a model calls a row."""
        words = self.words[concept]
        return words[len(self.ticker) % len(words)]


@cache
def words_of(wording: str) -> Words:
    """One wording of the labels; "printed" gives none, as filings have their own."""
    words: Mapping[str, Words] = tomllib.loads(Path(__file__).with_name("audit_words.toml").read_text(encoding="utf-8"))
    return {} if wording == PRINTED else words[wording]


def read_companies(folder: Path, words: Words) -> list[Company]:
    """The companies of a folder of inline XBRL filings called TICKER_10-K_FYyyyy_*.htm, later filings over earlier ones.
    Rows of ``words`` alone; without words any rows, in the filings' own.
    """
    by_ticker: defaultdict[str, list[Path]] = defaultdict(list)
    for path in sorted(folder.glob("*_10-K_FY20[12][0-9]_*.htm")):
        ticker = path.name.partition("_")[0]
        by_ticker["GOOGL" if ticker == "GOOG" else ticker].append(path)
    found = []
    for ticker, paths in by_ticker.items():
        company = Company("", ticker, {}, {}, {}, words)
        for path in sorted(paths, key=lambda path: path.name.split("_")[2]):
            _read(path, company, printed=not words)
        if len(company.values) > 40:
            found.append(company)
    return found


def _read(path: Path, company: Company, *, printed: bool) -> None:
    raw = path.read_bytes()
    if b"ix:nonfraction" not in raw.lower():
        return
    facts, texts = tagged(raw)
    try:
        focus = int(texts["dei:DocumentFiscalYearFocus"])
    except (KeyError, ValueError):
        return
    company.name = company.name or " ".join(texts.get("dei:EntityRegistrantName", company.ticker).split())
    spans = Counter((f.start, f.end) for f in facts if f.start is not None and 350 <= (f.end - f.start).days <= 380)
    ends = sorted({span[1] for span, number in spans.items() if number >= 8}, reverse=True)
    if not ends:
        return
    labels = _own_words(facts) if printed else company.words
    found: Gold = {}
    exact: dict[tuple[str, int], int] = {}
    years = {end: focus - round((ends[0] - end).days / 365.25) for end in ends}
    for fact in facts:
        name = fact.concept.removeprefix("us-gaap:")
        is_year = fact.start is None or (fact.start, fact.end) in spans
        if name not in labels or fact.end not in years or not is_year:
            continue
        key = (name, years[fact.end])
        company.ends[years[fact.end]] = fact.end
        # Prose repeats figures rounded: what is stated most exactly is the figure.
        if fact.decimals > exact.get(key, -99):
            exact[key], found[key] = fact.decimals, fact.value
    for key in list(found):
        if any((better, key[1]) in found and found[better, key[1]] != found[key] for better in _BETTER.get(key[0], ())):
            del found[key]  # The filing calls another row by that name.
    if printed:
        # A row that the newest filing calls otherwise, or not at all, has no words in a model.
        company.words = labels
        company.values = {key: value for key, value in company.values.items() if key[0] in labels}
    for key, value in found.items():
        before = company.values.get(key)
        if before is not None and abs(before - value) > 0.02 * abs(value):
            company.first[key] = before
        company.values[key] = value


def _own_words(facts: Sequence[Tagged]) -> Words:
    """Concept -> the words of its row, where they stand for this concept alone and in all its places."""
    words: defaultdict[str, set[str]] = defaultdict(set)
    concepts: defaultdict[str, set[str]] = defaultdict(set)
    for fact in facts:
        if fact.row and fact.concept.startswith("us-gaap:") and fact.unit.lower() == "usd":
            words[fact.concept].add(fact.row)
        if fact.row:
            concepts[fact.row.casefold()].add(fact.concept)
    return {
        concept.removeprefix("us-gaap:"): tuple(rows)
        for concept, rows in words.items()
        if len(rows) == 1 and concepts[next(iter(rows)).casefold()] == {concept}
    }


def make_inputs(companies: Sequence[Company], draw: random.Random, *, kinds: Iterator[str]) -> list[Input]:
    """The numbers of one model, a third of them with a slip."""
    pool = [
        (company, concept, year)
        for company in companies
        for concept, year in company.values
        if (concept, year) not in company.first and company.values[concept, year] and year >= max(company.ends) - 2
    ]
    draw.shuffle(pool)
    chosen = pool[:INPUTS]
    inputs = []
    for at, (company, concept, year) in enumerate(chosen):
        kind = next(kinds) if at < SLIPS else ""
        made = _planted(company, concept, year, kind, draw) if kind else None
        while kind and made is None:
            kind = next(kinds)
            made = _planted(company, concept, year, kind, draw)
        if made is None:
            value = _typed(concept, company.values[concept, year])
            is_negative = concept in _PAYMENTS and draw.random() < 0.5
            made = (concept, year, -value if is_negative else value)
        concept, year, value = made
        label = company.label(concept)
        end = company.ends[year].isoformat()
        inputs.append(Input(company.name, company.ticker, concept, label, year, end, value, kind))
    unique = {(one.company, one.label, one.year): one for one in inputs}
    return list(unique.values())


def _typed(concept: str, value: float) -> float:
    return value if concept.startswith("EarningsPerShare") else round(value / 1e6, 3)


def _planted(company: Company, concept: str, year: int, kind: str, draw: random.Random) -> tuple[str, int, float] | None:
    """(concept, year, what is typed) of a slip; None where this number can't have it."""
    true = _typed(concept, company.values[concept, year])
    text = f"{abs(true):.10g}"
    places = [at for at, digit in enumerate(text) if digit.isdigit()]
    sign = -1 if true < 0 else 1
    match kind:
        case "digit":
            at = draw.choice(places[: max(1, len(places) - 1)])
            other = draw.choice([d for d in "123456789" if d != text[at]])
            return concept, year, sign * float(text[:at] + other + text[at + 1 :])
        case "transposed":
            pairs = [(a, b) for a, b in itertools.pairwise(places) if b == a + 1 and text[a] != text[b] and text[b] != "0"]
            if not pairs:
                return None
            a, b = draw.choice(pairs)
            return concept, year, sign * float(text[:a] + text[b] + text[a] + text[b + 1 :])
        case "dropped digit":
            if len(places) < 4:
                return None
            at = draw.choice(places[1:])
            left = float(text[:at] + text[at + 1 :])
            shown = len(f"{left:.10g}".partition(".")[2])
            is_rounded = abs(abs(true) - left) <= 0.5 * 10.0**-shown
            return None if is_rounded else (concept, year, sign * left)
        case "sign":
            is_spent = concept in _PAYMENTS or "Expense" in concept or "Cost" in concept or "Depreciation" in concept
            is_known = concept in words_of("first") and concept != "ShareBasedCompensation"
            return None if is_spent or not is_known else (concept, year, -true)
        case "scale":
            return None if concept.startswith("Earnings") else (concept, year, true * draw.choice((1000.0, 0.001)))
        case "year":
            beside = company.values.get((concept, year - 1)) or company.values.get((concept, year + 1))
            if beside is None or abs(beside - company.values[concept, year]) < 0.01 * abs(beside):
                return None
            return concept, year, _typed(concept, beside)
        case "row":
            rows = [c for c, y in company.values if y == year and c != concept and not c.startswith("Earnings")]
            rows = [
                c
                for c in rows
                if abs(company.values[c, year] - company.values[concept, year]) > 0.05 * abs(company.values[c, year])
            ]
            if concept.startswith("Earnings") or not rows:
                return None
            return concept, year, _typed(concept, company.values[draw.choice(rows), year])
        case _:
            old = [key for key in company.first if key[1] in company.ends]
            if not old:
                return None
            concept, year = draw.choice(sorted(old))
            return concept, year, _typed(concept, company.first[concept, year])


def write_workbook(inputs: Sequence[Input], layout: int, path: Path) -> dict[str, Input]:
    """Write a model in one of five layouts; "sheet!cell" -> what stands there."""
    from openpyxl import Workbook

    book = Workbook()
    book.remove(book.active)
    places: dict[str, Input] = {}
    writer = (_across, _down, _statements, _peers, _list)[layout]
    writer(book, inputs, places)
    book.save(path)
    return places


def _grid(
    sheet: Any,
    inputs: Sequence[Input],
    places: dict[str, Input],
    *,
    top: int,
    heads: Callable[[int], object],
    thousand: float = 1.0,
) -> None:
    labels = list(dict.fromkeys(one.label for one in inputs))
    years = sorted({one.year for one in inputs})
    for at, year in enumerate(years, start=2):
        sheet.cell(top, at, heads(year))
    for line, label in enumerate(labels, start=top + 1):
        sheet.cell(line, 1, label)
    for one in inputs:
        cell = sheet.cell(top + 1 + labels.index(one.label), 2 + years.index(one.year))
        cell.value = one.typed if one.concept.startswith("EarningsPerShare") else one.typed * thousand
        places[f"{sheet.title}!{cell.coordinate}"] = one


def _across(book: Any, inputs: Sequence[Input], places: dict[str, Input]) -> None:
    sheet = book.create_sheet("Model")
    sheet["A1"], sheet["A2"] = inputs[0].company, "($ in millions, except per share data)"
    _grid(sheet, inputs, places, top=4, heads=lambda year: f"FY{year}A")
    sheet.cell(4, 12, "FY2031E")
    sheet.cell(5, 12, 123456)


def _down(book: Any, inputs: Sequence[Input], places: dict[str, Input]) -> None:
    sheet = book.create_sheet(inputs[0].ticker)
    labels = list(dict.fromkeys(one.label for one in inputs))
    years = sorted({one.year for one in inputs})
    sheet["A1"] = "$ mm"
    sheet.cell(3, 1, "Fiscal year")
    for at, label in enumerate(labels, start=2):
        sheet.cell(3, at, label)
    for line, year in enumerate(years, start=4):
        sheet.cell(line, 1, year)
    for one in inputs:
        cell = sheet.cell(4 + years.index(one.year), 2 + labels.index(one.label), one.typed)
        places[f"{sheet.title}!{cell.coordinate}"] = one


def _statements(book: Any, inputs: Sequence[Input], places: dict[str, Input]) -> None:
    ends = {one.year: dt.date.fromisoformat(one.end) for one in inputs}
    half = len(inputs) // 2
    for title, part in (("Income & balance", inputs[:half]), ("Cash & other", inputs[half:])):
        sheet = book.create_sheet(title)
        sheet["A1"] = f"{inputs[0].company} ({inputs[0].ticker})"
        sheet["A2"] = "USD in thousands, except per share amounts"
        _grid(sheet, part, places, top=5, heads=lambda year: ends[year], thousand=1000.0)
        for column in range(2, 6):
            sheet.cell(5, column).number_format = "mmm-yy"


def _peers(book: Any, inputs: Sequence[Input], places: dict[str, Input]) -> None:
    for year in sorted({one.year for one in inputs}):
        sheet = book.create_sheet(f"Comps FY{year}")
        own = [one for one in inputs if one.year == year]
        sheet["A1"], sheet["A2"] = f"Peer comparison, FY{year}", "$ in millions"
        companies, labels = list(dict.fromkeys(one.company for one in own)), list(dict.fromkeys(one.label for one in own))
        for at, company in enumerate(companies, start=2):
            sheet.cell(4, at, company)
        for line, label in enumerate(labels, start=5):
            sheet.cell(line, 1, label)
        for one in own:
            cell = sheet.cell(5 + labels.index(one.label), 2 + companies.index(one.company), one.typed)
            places[f"{sheet.title}!{cell.coordinate}"] = one


def _list(book: Any, inputs: Sequence[Input], places: dict[str, Input]) -> None:
    sheet = book.create_sheet("Data")
    for at, head in enumerate(("Company", "Fiscal year", "Item", "Value ($ millions)"), start=1):
        sheet.cell(1, at, head)
    for line, one in enumerate(inputs, start=2):
        for at, value in enumerate((one.ticker, one.year, one.label, one.typed), start=1):
            cell = sheet.cell(line, at, value)
        places[f"{sheet.title}!{cell.coordinate}"] = one


def make_set(filings: Path, folder: Path, seed: int, wording: str = "first") -> dict[str, dict[str, Input]]:
    """Write all workbooks; file -> "sheet!cell" -> input."""
    draw = random.Random(seed)
    companies = read_companies(filings, words_of(wording))
    kinds = _turns(draw)
    gold = {}
    folder.mkdir(parents=True, exist_ok=True)
    for number in range(WORKBOOKS):
        layout = number % 5
        whose = draw.sample(companies, 6) if layout in (3, 4) else [draw.choice(companies)]
        name = f"model-{number:02}.xlsx"
        gold[name] = write_workbook(make_inputs(whose, draw, kinds=kinds), layout, folder / name)
    (folder / "gold.json").write_text(json.dumps({f: {p: asdict(i) for p, i in c.items()} for f, c in gold.items()}, indent=1))
    return gold


def _turns(draw: random.Random) -> Iterator[str]:
    while True:
        kinds = list(KINDS)
        draw.shuffle(kinds)
        yield from kinds


def measure(gold: Mapping[str, Mapping[str, Input]], folder: Path, home: Path) -> None:
    """Audit every workbook and print what was supported, caught and wrongly called a slip."""
    from fin_tui.config import Settings
    from fin_tui.engine.services import open_services
    from fin_tui.paths import Paths
    from fin_tui.sheets.audit import audit

    true: Counter[str] = Counter()
    caught: defaultdict[str, Counter[str]] = defaultdict(Counter)
    named: Counter[str] = Counter()
    wrong = []
    begun, cells = time.perf_counter(), 0
    cpu = time.process_time()
    with open_services(Paths(home), Settings(), with_model=False) as services:
        for name, places in gold.items():
            found = {f"{cell.sheet}!{cell.cell}": cell for cell in audit(services, folder / name).cells}
            cells += len(found)
            for place, one in places.items():
                cell = found.get(place)
                status = cell.status if cell else "not read"
                if one.planted:
                    caught[one.planted][status] += 1
                    slip = cell.slip if cell else None
                    named[one.planted] += slip in _NAMED.get(one.planted, (one.planted,))
                else:
                    true[status] += 1
                if (one.planted and status != "contradicted") or (not one.planted and status != "supported"):
                    said = f"{status}: {cell.why if cell else ''}"
                    what = f"{one.ticker} FY{one.year} {one.label!r} {one.typed:,} [{one.planted or 'true'}]"
                    wrong.append(f"{name} {place} {what} {said}")
    total = sum(true.values())
    slips = sum(sum(counts.values()) for counts in caught.values())
    hits = sum(counts["contradicted"] for counts in caught.values())
    print("\n".join(wrong))
    print(f"{cells} cells in {time.perf_counter() - begun:.1f} s ({time.process_time() - cpu:.1f} s of processor)")
    shares = ", ".join(f"{status} {true[status] / total:.1%}" for status in ("supported", "contradicted"))
    print(f"true inputs {total}: {shares}, {dict(true)}")
    print(f"slips {slips}: caught {hits / slips:.1%}")
    for kind in KINDS:
        print(f"  {kind:14} {dict(caught[kind])}, kind named {named[kind]}")


def main() -> None:
    """Make the set; measure it where there is a home."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("filings", type=Path)
    parser.add_argument("-o", "--output", type=Path, required=True)
    parser.add_argument("--seed", type=int, default=16)
    parser.add_argument("--home", type=Path)
    parser.add_argument("--words", choices=(*WORDINGS, PRINTED), default="first", help="what rows are called")
    given = parser.parse_args()
    gold = make_set(given.filings, given.output, given.seed, given.words)
    inputs = [one for places in gold.values() for one in places.values()]
    print(f"{len(inputs)} inputs, {sum(bool(one.planted) for one in inputs)} with a slip")
    if given.home:
        measure(gold, given.output, given.home)


if __name__ == "__main__":
    main()
