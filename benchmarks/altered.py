"""True sentences and altered ones, made anew from the tagged figures of a library, against ``fin-tui check``.

    python -m benchmarks.altered [--home DIR] [--seed N] [--each N] [--filings N] [--misses N] [--json]

A figure is taken where a filing tags it in a table row whose label names one value of that year. The sentence calls it by the
row's own label, by that label turned round ("net receivables"), or by an everyday name of its tag, in one of a few shapes. Each
is altered in the eight ways in which figures go wrong. For each kind the share that is caught (contradicted), supported (wrongly)
and unknown is printed; for the true ones the share supported and contradicted.
"""

from __future__ import annotations

import datetime as dt
import random
import re
from collections import Counter, defaultdict
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from decimal import Decimal
from pathlib import Path
from typing import Any

from benchmarks.command import parser, show
from fin_tui.config import Settings
from fin_tui.engine.checking import open_checker
from fin_tui.facts import vocabulary
from fin_tui.facts.figures import SCALES, plain, printed_places, printed_scale
from fin_tui.facts.index import year_of
from fin_tui.facts.words import stems
from fin_tui.paths import find_home
from fin_tui.records import Fact, Filing, Scope
from fin_tui.retrieval.backend import open_retriever
from fin_tui.store.library import Library

KINDS = ("digit", "scale", "direction", "year", "company", "unit", "denial", "row")
_LABEL = re.compile(r"[A-Z][a-z][A-Za-z’'&,/ -]+[a-z]")
_LEGAL = re.compile(r",?\s+(?:Inc|Corp|Corporation|Company|plc|Ltd|Incorporated|Holdings)\.?$", re.I)
_LOSS = re.compile(r"\b(?:loss|losses|deficit|used|outflow)\b")
"""Names that turn the sign of a figure, which here is always positive."""
_UNITS = ("usd", "usd/share", "shares", "pure")
_LEAST_DIGITS = 3
_WORDS = range(2, 9)
_YEAR_DAYS = range(349, 381)
_EVERYDAY, _TURNED = 0.35, 0.7
"""Chances: up to the first an everyday name, up to the second the label turned round, where there is one; else the label."""
_APART = Decimal("0.02")
"""Share by which an altered figure must differ from all that its sentence could mean."""


@dataclass(frozen=True, slots=True)
class Figure:
    """A tagged figure with the one label that its filing has for it."""

    filing: Filing
    company: str
    label: str
    concept: str
    year: int
    end: dt.date
    is_balance: bool
    value: Decimal
    unit: str
    scale: int
    places: int
    block: int


@dataclass(frozen=True, slots=True)
class Made:
    """A sentence: true, or altered in one way."""

    text: str
    kind: str
    """"true", or one of ``KINDS``."""
    filing: str


def figures_of(filing: Filing, facts: Sequence[Fact]) -> list[Figure]:
    """The figures of whole years, and balances at their ends, whose row label means one value in its filing."""
    named: defaultdict[tuple[str, ...], dict[dt.date, set[float]]] = defaultdict(lambda: defaultdict(set))
    for fact in facts:
        if fact.value is not None and fact.period_end:
            named[_name(fact)][fact.period_end].add(fact.value)
    found: dict[tuple[str, int], Figure] = {}
    for fact in facts:
        figure = _figure(filing, fact)
        if figure is not None and len(named[_name(fact)][figure.end]) == 1:
            found.setdefault((figure.label.lower(), figure.year), figure)
    return list(found.values())


def _name(fact: Fact) -> tuple[str, ...]:
    return tuple(sorted(stems(_own_label(fact))))


def _own_label(fact: Fact) -> str:
    return fact.label.rpartition(" > ")[2].strip().rstrip(":")


def _figure(filing: Filing, fact: Fact) -> Figure | None:
    label = _own_label(fact)
    end, start = fact.period_end, fact.period_start
    if (
        fact.source != "xbrl"
        or fact.dimensions
        or fact.block is None
        or fact.value is None
        or end is None
        or filing.period_end is None
    ):
        return None
    if not (
        _LABEL.fullmatch(label) and len(label.split()) in _WORDS and fact.unit in _UNITS and fact.concept.startswith("us-gaap:")
    ):
        return None
    if start is not None and (end - start).days not in _YEAR_DAYS:
        return None
    year = year_of(filing, end)
    off = (filing.period_end - end).days / 365.25
    value = Decimal(str(fact.value))
    if (
        year is None
        or abs(off - round(off)) > 0.03
        or not 0 <= round(off) <= 2
        or value <= 0
        or len(value.normalize().as_tuple().digits) < _LEAST_DIGITS
    ):
        return None
    scale = printed_scale(fact) if fact.unit in ("usd", "shares") else 1
    return Figure(
        filing,
        filing.company,
        label,
        fact.concept,
        year,
        end,
        start is None,
        value,
        fact.unit,
        scale,
        printed_places(fact),
        fact.block,
    )


class Maker:
    """Sentences about ``figures``, by one source of chance."""

    def __init__(self, figures: Sequence[Figure], chance: random.Random) -> None:
        self._chance = chance
        self._figures = figures
        self._everyday = {
            metric.concepts[0]: [name for name in metric.names if not _LOSS.search(name)]
            for metric in vocabulary().metrics
            if metric.concepts and not metric.formula
        }
        self._by_label: defaultdict[tuple[str, str], list[Figure]] = defaultdict(list)
        self._by_concept: defaultdict[tuple[str, int], list[Figure]] = defaultdict(list)
        self._by_table: defaultdict[tuple[str, int], list[Figure]] = defaultdict(list)
        for figure in figures:
            self._by_label[figure.company, figure.label.lower()].append(figure)
            self._by_concept[figure.concept, figure.year].append(figure)
            self._by_table[figure.filing.id, figure.block].append(figure)

    def make(self, each: int) -> list[Made]:
        """``each`` true sentences and as many of each kind for every filing, as far as its figures go."""
        by_filing: defaultdict[str, list[Figure]] = defaultdict(list)
        for figure in self._figures:
            by_filing[figure.filing.id].append(figure)
        made: list[Made] = []
        for own in by_filing.values():
            for kind in ("true", *KINDS):
                texts = (self._one(kind, figure) for figure in self._chance.sample(own, len(own)))
                made += [Made(text, kind, own[0].filing.file) for text in _first(each, texts)]
        return made

    def _one(self, kind: str, figure: Figure) -> str | None:
        match kind:
            case "true":
                moved = self._moved(figure, right=True) if self._chance.random() < 0.25 else None
                return moved or self._level(figure, self._value(figure))
            case "direction":
                moved = self._moved(figure, right=False) if self._chance.random() < 0.5 else None
                return moved or self._level(figure, self._value(figure, -figure.value))
            case "digit":
                return self._level(figure, self._with_digit(figure))
            case "scale":
                return self._with_scale(figure)
            case "unit":
                return self._level(figure, self._in_unit(figure))
            case "denial":
                return self._level(figure, self._value(figure), denied=True)
            case "year":
                return self._said_of(figure, [one for one in self._same_name(figure) if one.year != figure.year])
            case "company":
                others = [one for one in self._by_concept[figure.concept, figure.year] if one.company != figure.company]
                return self._said_of(figure, others)
            case _:
                rows = [one for one in self._by_table[figure.filing.id, figure.block] if one.label != figure.label]
                return self._said_of(figure, [one for one in rows if (one.year, one.unit) == (figure.year, figure.unit)])

    def _same_name(self, figure: Figure) -> list[Figure]:
        return self._by_label[figure.company, figure.label.lower()]

    def _said_of(self, figure: Figure, others: Sequence[Figure]) -> str | None:
        """The value of ``figure`` told of one of ``others``, none of whose own values it may be."""
        for other in self._chance.sample(others, len(others)):
            values = [one.value for one in self._same_name(other) if one.year == other.year]
            if other.unit == figure.unit and all(_differs(value, figure.value) for value in values):
                return self._level(other, self._value(figure))
        return None

    def _level(self, figure: Figure, value: str | None, *, denied: bool = False) -> str | None:
        if value is None:
            return None
        company, label, year = self._company(figure), self._name(figure), f"fiscal {figure.year}"
        day = f"{figure.end:%B} {figure.end.day}, {figure.end.year}"
        if denied:
            shapes = [
                f"{company}'s {label} was not {value} in {year}.",
                f"In {year}, {company} did not report {label} of {value}.",
            ]
        else:
            shapes = [
                f"In {year}, {company} reported {label} of {value}.",
                f"{company}'s {label} came to {value} in {year}.",
                f"{label[0].upper()}{label[1:]} at {company} amounted to {value} for {year}.",
                f"For {year}, {label} of {company} stood at {value}.",
                f"As of {day}, {company} had {label} of {value}."
                if figure.is_balance
                else f"For the year ended {day}, {company} recorded {label} of {value}.",
            ]
        return self._chance.choice(shapes)

    def _moved(self, figure: Figure, *, right: bool) -> str | None:
        """A movement from the year before, told in its direction or in the other; None without that year."""
        before = next(
            (one for one in self._same_name(figure) if one.year == figure.year - 1 and one.filing == figure.filing), None
        )
        if before is None or min(before.value, figure.value) <= 0 or not _differs(before.value, figure.value):
            return None
        rose = figure.value > before.value
        word = self._chance.choice(("rose", "increased", "grew") if rose == right else ("fell", "decreased", "declined"))
        company, label, new = self._company(figure), self._name(figure), self._value(figure)
        share = plain(abs(figure.value / before.value - 1) * 100, 1)
        shapes = [
            f"{company}'s {label} {word} from {self._value(before)} in fiscal {before.year} to {new} in fiscal {figure.year}.",
            f"{company}'s {label} {word} {share}% to {new} in fiscal {figure.year}.",
        ]
        return self._chance.choice(shapes)

    def _name(self, figure: Figure) -> str:
        """What the sentence calls the figure."""
        label = figure.label
        kind = self._chance.random()
        if kind < _EVERYDAY and (names := self._everyday.get(figure.concept)):
            return self._chance.choice(names)
        head, comma, tail = label.rpartition(", ")
        if kind < _TURNED and comma and "," not in head and len(tail.split()) == 1:
            return f"{_lowered(tail)} {_lowered(head)}"
        return _lowered(label)

    def _company(self, figure: Figure) -> str:
        short = _LEGAL.sub("", figure.company).rstrip(",")
        return self._chance.choice((figure.company.rstrip("."), short)) if len(short) > 2 else figure.company

    def _value(self, figure: Figure, value: Decimal | None = None) -> str:
        """The value as the filing prints it, or rounded to one decimal of the next larger scale."""
        value = figure.value if value is None else value
        sign = "negative " if value < 0 else ""
        value = abs(value)
        if figure.unit == "pure":
            return f"{sign}{plain(value * 100, 1)}%"
        if figure.unit == "usd/share":
            return f"{sign}${plain(value, max(figure.places, 2))} per share"
        scale = figure.scale
        larger = scale * 1_000
        rounds = larger in SCALES and value >= 10 * larger and self._chance.random() < 0.4
        number = plain(value / larger, 1) if rounds else plain(value / scale, figure.places)
        word = f" {SCALES[larger if rounds else scale]}" if (larger if rounds else scale) in SCALES else ""
        return f"{sign}${number}{word}" if figure.unit == "usd" else f"{sign}{number}{word} shares"

    def _with_digit(self, figure: Figure) -> str | None:
        """One of the first three digits is another."""
        text = self._value(figure)
        places = [at for at, character in enumerate(text) if character.isdigit()][:_LEAST_DIGITS]
        at = self._chance.choice(places)
        others = [digit for digit in "123456789" if digit != text[at]]
        return text[:at] + self._chance.choice(others) + text[at + 1 :]

    def _with_scale(self, figure: Figure) -> str | None:
        text = self._value(figure)
        words = [word for word in ("million", "billion", "thousand") if word in text]
        if not words:
            return None
        other = self._chance.choice([word for word in ("million", "billion", "thousand") if word != words[0]])
        return self._level(figure, text.replace(words[0], other))

    def _in_unit(self, figure: Figure) -> str | None:
        text = self._value(figure).removeprefix("negative ")
        match figure.unit:
            case "usd":
                bare = text.removeprefix("$")
                return self._chance.choice((f"{bare} shares", f"{bare.split()[0]}%"))
            case "shares":
                return f"${text.removesuffix(' shares')}"
            case "usd/share":
                return f"{text.removeprefix('$').removesuffix(' per share')}%"
            case _:
                return f"${text.removesuffix('%')} million"


def _differs(one: Decimal, other: Decimal) -> bool:
    return abs(abs(one) - abs(other)) > _APART * max(abs(one), abs(other))


def _lowered(label: str) -> str:
    return label[0].lower() + label[1:]


def _first(count: int, texts: Iterator[str | None]) -> list[str]:
    found: list[str] = []
    for text in texts:
        if text is not None and text not in found:
            found.append(text)
        if len(found) == count:
            break
    return found


def measure(
    home: Path | None, *, seed: int, each: int, filings: int, misses: int
) -> tuple[Mapping[str, Any], list[tuple[Made, str, str]]]:
    """Figures by kind, and up to ``misses`` sentences of each that were judged otherwise than asked, with why."""
    chance = random.Random(seed)
    paths = find_home(home)
    counts: defaultdict[str, Counter[str]] = defaultdict(Counter)
    missed: list[tuple[Made, str, str]] = []
    with Library.open(paths, read_only=True) as library:
        held = [filing for filing in library.filings() if filing.format == "ixbrl" and filing.company]
        chosen = chance.sample(held, min(filings, len(held))) if filings else held
        figures = [one for filing in chosen for one in figures_of(filing, library.facts.find(filings=(filing.id,)))]
        checker = open_checker(library, open_retriever(library, paths, Settings()))
        scope = Scope(filings=tuple(filing.id for filing in chosen)) if filings else Scope()
        for one in Maker(figures, chance).make(each):
            checked = checker.check(one.text, scope)
            status = checked.status
            counts[one.kind][status] += 1
            wrong = status != ("supported" if one.kind == "true" else "contradicted")
            if wrong and sum(kept.kind == one.kind for kept, _, _ in missed) < misses:
                whys = "; ".join(f"{number.text}: {number.why}" for part in checked.statements for number in part.numbers)
                missed.append((one, status, whys))
    return _shares(counts), missed


def _shares(counts: Mapping[str, Counter[str]]) -> Mapping[str, Any]:
    true = counts.get("true", Counter())
    altered = sum((counts[kind] for kind in KINDS if kind in counts), Counter[str]())
    shown: dict[str, Any] = {"true": _line(true, "supported"), "altered": _line(altered, "contradicted")}
    return shown | {kind: _line(counts[kind], "contradicted") for kind in KINDS if kind in counts}


def _line(counts: Counter[str], wanted: str) -> str:
    total = counts.total() or 1
    others = ", ".join(f"{status} {counts[status]}" for status in ("supported", "contradicted", "unknown") if status != wanted)
    return f"{wanted} {counts[wanted] / total:.3f} of {counts.total()} ({others})"


def main() -> None:
    arguments = parser(__doc__)
    arguments.add_argument("--seed", type=int, default=0)
    arguments.add_argument("--each", type=int, default=3, help="sentences of each kind for a filing")
    arguments.add_argument("--filings", type=int, default=0, help="only so many filings, by chance, and none beside them")
    arguments.add_argument("--misses", type=int, default=0, help="so many sentences of each kind that were judged otherwise")
    given = arguments.parse_args()
    figures, missed = measure(given.home, seed=given.seed, each=given.each, filings=given.filings, misses=given.misses)
    show(figures, as_json=given.json)
    for one, status, why in missed:
        print(f"{one.kind}: {status}: {one.text} | {why}")


if __name__ == "__main__":
    main()
