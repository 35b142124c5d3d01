"""Cells of answers' grids and numbers of their first lines, held against the facts that the filings state.

    python -m benchmarks.cells [SET.jsonl...] [--parts training,development] [--home DIR] [--most 300] [--seed N] [--json]

Questions are made anew of the library's companies (key figures, courses, segments, margins, comparisons), and the first ones of
the sets, if any. A cell that is stated must have a fact of its cited filing, inside the cited span, with its value, unit and
period end; the year over it must be that day's by the filing, the company named beside it (or asked about) the filing's, and
the figure named beside it the fact's, by a name of its tag or by words of its row. Of a computed cell the first operand is held
against the company and its period. A number of the first line must be that of a cell, a cited fact or the calculation, or the
difference, change or share of two cells of a row or a column. What does not hold is printed.
"""

from __future__ import annotations

import random
import re
from collections import Counter, defaultdict
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from benchmarks.command import parser, show
from benchmarks.first_screen import questions_of
from fin_tui.config import load_settings
from fin_tui.engine.answering.answer import to_the_end
from fin_tui.engine.evidence.numbers import find_numbers
from fin_tui.engine.questions.understanding import Request
from fin_tui.engine.services import Services, open_services
from fin_tui.facts import vocabulary
from fin_tui.facts.index import year_of
from fin_tui.facts.words import spoken_name, stems
from fin_tui.paths import find_home
from fin_tui.records import Answer, Citation, Fact, Filing, TableCell

_MOST = 300
_ALIKE = 1e-9
_YEAR = re.compile(r"\bFY(\d{4})\b")
_ONE = (
    "How is {0} doing?",
    "{0} revenue over the years",
    "{0} revenue by segment",
    "What was {0}'s net income in the last three years?",
    "{0} operating margin in the last two years",
    "{0} total assets and operating cash flow",
)
_TWO = ("Compare {0} and {1}", "net income of {0} and {1}", "{0} vs {1} revenue growth")
_GENERAL = frozenset(stems("total net and of the in from for attributable to"))
"""Words that many figures have."""


@dataclass(frozen=True, slots=True)
class Problem:
    """What does not hold."""

    kind: str
    """"value", "unit", "period", "company", "figure", or "line"."""
    question: str
    told: str


@dataclass(frozen=True, slots=True)
class Shown:
    """A cell with the names that stand over and beside it."""

    cell: TableCell
    row: str
    column: str


class Checker:
    """Holds answers against the facts of a library."""

    def __init__(self, services: Services) -> None:
        self._services = services
        self._filings = {filing.id: filing for filing in services.corpus.filings()}
        self._facts: dict[str, tuple[Fact, ...]] = {}
        self._names: defaultdict[str, set[str]] = defaultdict(set)
        for metric in vocabulary().metrics:
            for concept in metric.concepts:
                self._names[concept] |= {metric.id.replace("_", " "), *metric.names, *metric.labels}
        self.counts: Counter[str] = Counter()
        self.problems: list[Problem] = []

    def answer(self, question: str) -> Answer:
        """The answer without a language model."""
        request = Request(question, use_model=False)
        finished = to_the_end(self._services.engine.stream(request), request, lambda _: None)
        assert finished is not None
        return finished.answer

    def check(self, question: str, asked: Sequence[str], most: int) -> None:
        """Hold the answer to a question about these companies (spoken names; none where any may be meant) against the facts, as
        long as fewer than ``most`` cells were.
        """
        answer = self.answer(question)
        cited = {one.id: one for one in answer.citations}
        self.counts["questions"] += 1
        shown = list(_shown(answer))
        self.counts["with a grid"] += bool(shown)
        for one in shown[: max(most - self.counts["cells"], 0)]:
            self.counts["cells"] += 1
            for kind in self._wrong(one, answer, cited, asked):
                told = f"{one.row} | {one.column} | {one.cell.get('display')} [{one.cell.get('citation')}]"
                self.problems.append(Problem(kind, question, told))
        self._check_line(question, answer, shown)

    def _wrong(self, one: Shown, answer: Answer, cited: dict[int, Citation], asked: Sequence[str]) -> Iterator[str]:
        cell, citation = one.cell, cited.get(one.cell.get("citation") or 0)
        at = cell.get("fact")
        if citation is None or at is None:
            self.counts["uncited"] += 1
            yield "uncited"
            return
        filing, record = self._filings[citation.filing], answer.facts[at]
        is_stated = _alike(record.get("value"), cell.get("value"))
        self.counts["stated" if is_stated else "computed"] += 1
        named = _YEAR.search(one.column) or _YEAR.search(one.row)
        held = [fact for fact in self._of(filing) if citation.start <= fact.start < citation.end or not fact.end]
        held = [fact for fact in held if _alike(_told(fact), record.get("value"))]
        if not held:
            yield "value"
            return
        if not any(_unit(fact) == record.get("unit") for fact in held):
            yield "unit"
        end = next((f.period_end for f in held if f.period_end and str(f.period_end) == record.get("period_end")), None)
        is_told = not is_stated or end is None or str(end) == cell.get("period_end")
        is_of_year = not is_stated or named is None or end is None or year_of(filing, end) == int(named[1])
        if end is None or not is_told or not is_of_year:
            yield "period"
        if not self._is_of(citation, one, asked):
            yield "company"
        if is_stated and not any(self._is_named(fact, one) for fact in held):
            yield "figure"

    def _is_of(self, citation: Citation, one: Shown, asked: Sequence[str]) -> bool:
        """The company beside a cell, else the one asked about, is the one whose filing is cited."""
        key = self._filings[citation.filing].company_key
        own = {spoken_name(filing.company) for filing in self._filings.values() if filing.company_key == key}
        everyone = {spoken_name(filing.company) for filing in self._filings.values()}
        beside = {name for name in everyone if re.search(rf"\b{re.escape(name)}\b", f"{one.row} | {one.column}")}
        longest = {name for name in beside if not any(name != other and name in other for other in beside)}
        wanted = longest or set(asked)
        return not wanted or bool(own & wanted)

    def _is_named(self, fact: Fact, one: Shown) -> bool:
        """The words beside a cell are a name of the fact's tag, of its members, or of its row."""
        figure = one.row.rpartition(" · ")[2]
        metric = vocabulary().named(figure.partition(", ")[0]) or vocabulary().named(one.column)
        known = " ".join((*metric.names, *metric.labels)) if metric is not None else ""
        words = set(stems(f"{one.row} {one.column} {known}")) - _GENERAL
        names = [*self._names.get(fact.concept, ()), fact.label, fact.concept.partition(":")[2], *fact.dimensions.values()]
        spaced = (re.sub(r"(?<=[a-z])(?=[A-Z])", " ", name.rpartition(":")[2]) for name in names)
        return any(words & (set(stems(name)) - _GENERAL) for name in spaced)

    def _check_line(self, question: str, answer: Answer, shown: Sequence[Shown]) -> None:
        """The numbers of the first sentence are those of cells, facts or the calculation."""
        if answer.status != "answered" or (answer.value is None and not shown):
            return
        first = next((sentence for sentence in answer.sentences if sentence.table is None), None)
        if first is None:
            return
        known = [one.cell.get("value") for one in shown] + [fact.get("value") for fact in answer.facts] + [answer.value]
        values = [value for value in known if value is not None]
        values += [value for pair in _pairs(shown, values) for value in _of_pair(*pair)]
        for number in find_numbers(re.sub(r"\[\d+\]|\d{4}-\d\d-\d\d", "", first.text)):
            if number.is_year or number.text.startswith("FY"):
                continue
            self.counts["numbers of lines"] += 1
            slack = float(number.accuracy) * 1.02
            if not any(abs(abs(value) - abs(float(number.value))) <= slack for value in values):
                self.problems.append(Problem("line", question, f"{number.text} in: {first.text}"))

    def _of(self, filing: Filing) -> tuple[Fact, ...]:
        if filing.id not in self._facts:
            self._facts[filing.id] = tuple(f for f in self._services.corpus.document(filing.id).facts if f.value is not None)
        return self._facts[filing.id]


def _pairs(shown: Sequence[Shown], values: Sequence[float]) -> Iterator[tuple[float, float]]:
    """Two values of a row or of a column, a value and the sum of its column; without a grid any two of the facts."""
    if not shown:
        yield from ((one, other) for one in values for other in values if one is not other)
    for one in shown:
        beside = [other for other in shown if (other.row == one.row) != (other.column == one.column)]
        of_column = [other.cell.get("value") or 0.0 for other in shown if other.column == one.column]
        for value in (*(other.cell.get("value") or 0.0 for other in beside), sum(of_column)):
            yield one.cell.get("value") or 0.0, value


def _of_pair(one: float, other: float) -> Iterator[float]:
    """Their difference; the share and the change, in per cent."""
    yield one - other
    if other:
        yield from (100 * one / other, 100 * (one / abs(other) - 1 if other > 0 else (one - other) / abs(other)))


def _shown(answer: Answer) -> Iterator[Shown]:
    """The cells with a value of the answer's grid."""
    table = answer.table
    for row in table["rows"] if table else ():
        for column, cell in zip(table["columns"] if table else (), row["cells"], strict=True):
            if cell.get("value") is not None:
                yield Shown(cell, str(row["label"]), str(column))


def _alike(one: float | None, other: float | None) -> bool:
    return one is not None and other is not None and abs(one - other) <= _ALIKE * max(abs(one), abs(other), 1)


def _told(fact: Fact) -> float | None:
    """Its value as answers give it: a fraction tagged as pure, and printed as a percentage, is one."""
    if fact.value is None:
        return None
    return round(fact.value * 100, 9) if fact.unit in ("pure", "%") and "%" in _unit(fact) else fact.value


def _unit(fact: Fact) -> str:
    is_share = fact.unit == "pure" and fact.value is not None and abs(fact.value) < 1
    return "%" if is_share else fact.unit.replace("/shares", "/share")


def made(filings: Sequence[Filing], rng: random.Random) -> Iterator[tuple[str, tuple[str, ...]]]:
    """Questions, each once, with the companies that they ask about."""
    before: set[str] = set()
    names = sorted({spoken_name(filing.company) for filing in filings if filing.company})
    while len(before) < len(names) * len(_ONE):
        own = tuple(rng.sample(names, 2 if rng.random() < 1 / 3 else 1))
        question = rng.choice(_TWO if len(own) > 1 else _ONE).format(*own)
        if question not in before:
            before.add(question)
            yield question, own


def measure(services: Services, sets: Sequence[tuple[str, str]], most: int, seed: int) -> Checker:
    """Ask until so many cells were checked."""
    checker = Checker(services)
    for _, question in sets:
        if checker.counts["cells"] < most:
            checker.check(question, (), most)
    for question, asked in made(services.corpus.filings(), random.Random(seed)):
        if checker.counts["cells"] >= most:
            break
        checker.check(question, asked, most)
    return checker


def main() -> None:
    options = parser(__doc__)
    options.add_argument("sets", type=Path, nargs="*")
    options.add_argument("--parts", default="")
    options.add_argument("--most", type=int, default=_MOST)
    options.add_argument("--seed", type=int, default=14)
    chosen = options.parse_args()
    paths = find_home(chosen.home)
    asked = questions_of(chosen.sets, list(filter(None, chosen.parts.split(","))), chosen.most)
    services = open_services(paths, load_settings(paths.settings), with_model=False)
    try:
        checker = measure(services, asked, chosen.most, chosen.seed)
    finally:
        services.close()
    wrong = Counter(problem.kind for problem in checker.problems)
    figures: dict[str, Any] = {**checker.counts, **{f"wrong: {kind}": count for kind, count in sorted(wrong.items())}}
    show({**figures, "differing": len(checker.problems)}, as_json=chosen.json)
    if not chosen.json:
        for problem in checker.problems:
            print(f"{problem.kind}: {problem.question}\n    {problem.told}")


if __name__ == "__main__":
    main()
