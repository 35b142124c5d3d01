"""No number stands in an answer's line or grid whose company, figure, period or unit differ from the cell that it cites.

Read from the answer's JSON fields as any program would, and checked against the tags of the filings by code of its own: what a
cell shows is parsed here, and its fact is looked for among those that stand in the quoted words.
"""

from __future__ import annotations

import datetime as dt
import itertools
import os
import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from decimal import Decimal
from pathlib import Path

import pytest

from fin_tui.config import Settings
from fin_tui.engine.answering.answer import Request, last_answer
from fin_tui.engine.services import Services, open_services
from fin_tui.facts import vocabulary
from fin_tui.ingest import Added
from fin_tui.ingest.pipeline import add_files
from fin_tui.paths import Paths
from fin_tui.records import Answer, Citation, Fact, FactRecord, Filing, TableCell

CORPUS = os.environ.get("FIN_TUI_CORPUS", "")
pytestmark = pytest.mark.skipif(not CORPUS, reason="FIN_TUI_CORPUS is not set: no real filings to ask")
FILES = (
    "AAPL_10-K_FY2024_0000320193-24-000123.htm",
    "CSCO_10-K_FY2024_0000858877-24-000017.htm",
    "GOOGL_10-K_FY2024_0001652044-25-000014.htm",
    "META_10-K_FY2024_filed2025-01-30.htm",
    "NVDA_10-K_FY2025_0001045810-25-000023.htm",
    "TSLA_10-K_FY2024_0001628280-25-003063.htm",
)
COMPANIES = ("Apple", "Cisco", "Alphabet", "Meta", "NVIDIA", "Tesla")
FIGURES = (
    "revenue", "net income", "operating income", "research and development expense", "total assets", "operating cash flow",
    "diluted EPS", "income tax expense",
)  # fmt: skip
FEWEST = 300
_SCALES = {"thousand": 10**3, "million": 10**6, "billion": 10**9, "trillion": 10**12, "": 1}
_MONEY = re.compile(r"\$\(?([\d,]*\.?\d+)\)?(?: (thousand|million|billion|trillion))?")
_PERCENT = re.compile(r"([\d,]*\.?\d+)(?:%| (?:percentage )?points)")
_SHOWN = re.compile(r"\$?(\()?([\d,]*\.?\d+)\)?(?: (thousand|million|billion|trillion))?(%| per share| shares)?$")
_DASH = re.compile(r"[–—−-]")


@dataclass
class Checked:
    """How many numbers were looked at, and what was wrong with which."""

    cells: int = 0
    line: int = 0
    wrong: list[str] = field(default_factory=list)


@pytest.fixture(scope="module")
def services(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Services]:
    with open_services(Paths(tmp_path_factory.mktemp("cells")), Settings(), with_model=False) as opened:
        added = list(add_files(opened.library, Settings(), [Path(CORPUS) / "filings" / name for name in FILES]))
        assert sum(isinstance(outcome, Added) for outcome in added) == len(FILES)
        yield opened


def questions() -> list[str]:
    """What analysts ask for in a grid: figures over years, companies side by side, pages of key figures, parts of a company."""
    trends = [f"{figure} of {company}, 2022 to 2024" for figure, company in itertools.product(FIGURES, COMPANIES)]
    single = [f"What was {company}'s {figure} in FY2024?" for figure, company in itertools.product(FIGURES, COMPANIES)]
    pairs = [f"compare {one} and {other}" for one, other in itertools.combinations(COMPANIES, 2)]
    pages = [f"How is {company} doing?" for company in COMPANIES]
    parts = [f"{company} revenue by {kind}" for company in COMPANIES for kind in ("segment", "country", "product")]
    return [*trends, *single, *pairs, *pages, *parts]


@pytest.mark.timeout(900)
def test_every_number_is_that_of_the_cell_it_cites(services: Services) -> None:
    held = {filing.id: filing for filing in services.library.filings()}
    facts = {name: services.library.document(name).facts for name in held}
    checked = Checked()
    for question in questions():
        request = Request(question, use_model=False, mode="sparse", rerank=False)
        answer = last_answer(services.engine.stream(request), request)
        if answer.facts:
            _check(question, answer, held, facts, checked)
    assert checked.wrong == []
    assert checked.cells >= FEWEST
    assert checked.line >= FEWEST


def _check(
    question: str, answer: Answer, held: Mapping[str, Filing], facts: Mapping[str, Sequence[Fact]], checked: Checked
) -> None:
    citations = {citation.id: citation for citation in answer.citations}
    for fact in answer.facts:
        checked.cells += 1
        problem = _of_fact(fact, citations.get(fact["citation"] or 0), held, facts)
        if problem:
            checked.wrong.append(f"{question}: {fact['label']} {fact['as_reported']}: {problem}")
    for row in answer.table["rows"] if answer.table else ():
        for column, cell in zip(answer.table["columns"] if answer.table else (), row["cells"], strict=True):
            if cell["value"] is None:
                continue
            checked.cells += 1
            problem = _of_cell(row["label"], str(column), cell, answer, held)
            if problem:
                checked.wrong.append(f"{question}: {row['label']} {column} {cell['display']}: {problem}")
    for number, unit in _numbers(answer.sentences[0].text):
        checked.line += 1
        problem = _of_number(number, unit, answer, held)
        if problem:
            checked.wrong.append(f"{question}: {number} {unit} in “{answer.sentences[0].text}” {problem}")


def _of_fact(fact: FactRecord, citation: Citation | None, held: Mapping[str, Filing], facts: Mapping[str, Sequence[Fact]]) -> str:
    """What does not fit between a fact and its citation; "" where all does."""
    if citation is None:
        return "cites nothing"
    filing = held[citation.filing]
    if citation.company != filing.company or fact["filing"] != filing.id:
        return "of another company or filing"
    inside = [
        one
        for one in facts[filing.id]
        if citation.start <= one.start and one.end <= citation.end and one.concept == fact["concept"] and one.value is not None
    ]
    same = [one for one in inside if dict(one.dimensions) == fact["dimensions"] and str(one.period_end) == fact["period_end"]]
    if not same:
        return "no tag of that concept, part and period in the quoted words"
    if (fact["period_start"] or None) not in {one.period_start.isoformat() if one.period_start else None for one in same}:
        return "another length of period"
    value = abs(Decimal(str(fact["value"])))
    if all(abs(abs(Decimal(str(one.value))) * (100 if fact["unit"] == "%" else 1) - value) > value / 10**6 for one in same):
        return f"the tag says {same[0].value}"
    digits = fact["as_reported"].strip("() $%")
    return "" if digits in citation.quote else "not printed in the quoted words"


def _of_cell(label: str, column: str, cell: TableCell, answer: Answer, held: Mapping[str, Filing]) -> str:
    """What does not fit between a cell of the grid and the fact that it shows; "" where all does, or it was computed."""
    fact = answer.facts[cell["fact"] or 0]
    filing = held[str(fact["filing"])]
    own, _, figure = label.partition(" · ") if " · " in label else ("", "", "")
    column = own if figure and column == figure else column
    name = re.sub(r" FY\d{4}$", "", column) if not column.startswith("FY") else own
    if name and name.split()[0].lower() not in filing.company.lower():
        return f"stands under {name}"
    if cell["citation"] != fact["citation"]:
        return "cites another place than its fact"
    year = int(re.findall(r"FY(\d{4})", column)[0])
    if _year(filing.id, cell["period_end"], held) != f"FY{year}":
        return f"{cell['period_end']} is not in {column}"
    if cell["unit"] in ("%", "ratio") and fact["unit"] != cell["unit"]:
        return _of_quotient(label, column, cell, answer)
    shown = _SHOWN.match(str(cell["display"]))
    if shown is None:
        return "can't be read"
    value = Decimal(shown[2].replace(",", "")) * _SCALES[shown[3] or ""] * (-1 if shown[1] else 1)
    if abs(value - Decimal(str(fact["value"]))) > abs(value) / 10**6 or str(fact["period_end"]) != cell["period_end"]:
        return f"its fact says {fact['value']} at {fact['period_end']}"
    quote = next(one.quote for one in answer.citations if one.id == cell["citation"])
    return "" if _is_called(label, fact, quote) else f"is tagged {fact['concept']}"


def _of_number(number: Decimal, unit: str, answer: Answer, held: Mapping[str, Filing]) -> str:
    """What does not fit between a number of the line and the figures of the answer; "" where all does."""
    if not any(abs(number - one) <= _half(number, unit) for one in _known(answer, unit)):
        return "is no figure of the answer"
    line = answer.sentences[0]
    own = [fact for fact in answer.facts if _states(fact, number, unit)]
    if own and not any(fact["citation"] in line.citations for fact in own):
        return "is cited by another number"
    if own and not any(_year(fact["filing"], fact["period_end"], held) in line.text for fact in own):
        return "is of a year that the line does not name"
    if own and not any(_name(fact["filing"], held) in line.text.lower() for fact in own):
        return "is of a company that the line does not name"
    return ""


def _states(fact: FactRecord, number: Decimal, unit: str) -> bool:
    is_share = unit == "%"
    return (fact["unit"] in ("%", "ratio")) == is_share and abs(abs(Decimal(str(fact["value"]))) - number) <= _half(number, unit)


def _name(filing: str | None, held: Mapping[str, Filing]) -> str:
    """The first word of a filing's company."""
    return re.split(r"\W", held[str(filing)].company.lower())[0]


def _year(filing: str | None, period_end: str | None, held: Mapping[str, Filing]) -> str:
    """The fiscal year of a period of a filing's company: "FY2024"."""
    own = held[str(filing)]
    assert own.period_end is not None
    back = round((own.period_end - dt.date.fromisoformat(str(period_end))).days / 365.25)
    return f"FY{(own.fiscal_year or 0) - back}"


def _is_called(label: str, fact: FactRecord, quote: str) -> bool:
    """Whether the row's name is one of the figure, or of the part of the company as it is tagged or printed."""
    figure = label.rpartition(" · ")[2].removeprefix("total ")
    if fact["dimensions"]:
        if quote.startswith(label):
            return True
        letters = re.sub(r"[^a-z]", "", label.lower())[:5]
        return any(letters in member.lower() for member in fact["dimensions"].values())
    found = [mention.metric for mention in vocabulary().find(figure)]
    return any(fact["concept"] in metric.concepts or metric.formula for metric in found)


def _of_quotient(label: str, column: str, cell: TableCell, answer: Answer) -> str:
    """An operating margin beside the two figures that it is made of."""
    assert answer.table is not None
    rows = {row["label"]: row["cells"] for row in answer.table["rows"]}
    at = list(answer.table["columns"]).index(column)
    if label != "operating margin" or not {"operating income", "revenue"} <= rows.keys():
        return ""
    made = Decimal(str(rows["operating income"][at]["value"])) / Decimal(str(rows["revenue"][at]["value"])) * 100
    return "" if abs(made - Decimal(str(cell["value"]))) < Decimal("0.001") else f"comes to {made:.2f}%"


def _numbers(line: str) -> Iterator[tuple[Decimal, str]]:
    """The amounts of money and the percentages of a line, in base units."""
    for match in _MONEY.finditer(line):
        yield Decimal(match[1].replace(",", "")) * _SCALES[match[2] or ""], "usd"
    for match in _PERCENT.finditer(_DASH.sub(" ", line)):
        yield Decimal(match[1].replace(",", "")), "%"


def _half(number: Decimal, unit: str) -> Decimal:
    """What rounding may hide: of a percentage half of its last place."""
    return Decimal("0.0501") if unit == "%" else abs(number) / 10**6


def _known(answer: Answer, unit: str) -> Iterator[Decimal]:
    """Every figure of the answer; for percentages also what two cells of a row, or a cell and the last row, come to."""
    rows = [
        [Decimal(str(cell["value"])) for cell in row["cells"] if cell["value"] is not None]
        for row in (answer.table["rows"] if answer.table else ())
    ]
    values = [Decimal(str(fact["value"])) for fact in answer.facts] + list(itertools.chain.from_iterable(rows))
    yield from map(abs, values)
    if answer.value is not None:
        yield abs(Decimal(str(answer.value)))
    if unit == "%":
        for row in rows:
            for before, now in itertools.permutations(row, 2):
                yield abs(now - before)
                if before:
                    yield abs(now / before - 1) * 100
        for part, whole in itertools.permutations(values, 2):
            if whole:
                yield abs(part / whole) * 100
    elif rows:
        yield from _left_of(rows)


def _left_of(rows: Sequence[Sequence[Decimal]]) -> Iterator[Decimal]:
    """What the rows above leave of the last one, year by year."""
    for column in zip(*(row for row in rows if len(row) == len(rows[-1])), strict=True):
        yield abs(column[-1] - sum(column[:-1]))
