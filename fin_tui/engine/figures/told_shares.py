"""Shares that a sentence states as such: "Globex contributed approximately 16% to our total sales".

Asked only where the part itself has no figure: customers, channels, countries outside of the tables.
"""

from __future__ import annotations

import datetime as dt
import re
from collections.abc import Iterator, Sequence
from decimal import Decimal

from fin_tui.engine.evidence.numbers import Number, find_numbers
from fin_tui.engine.figures.cell import Cell
from fin_tui.engine.figures.grid import Grid
from fin_tui.engine.figures.ground import Grounded
from fin_tui.engine.figures.prose import Prose
from fin_tui.engine.figures.prose_lines import sentences_of
from fin_tui.engine.questions.periods import find_periods, speaks_of_quarters
from fin_tui.engine.questions.target import Subject
from fin_tui.engine.questions.wanted import Reading
from fin_tui.facts.expression import Binary, Measure, Name
from fin_tui.facts.figures import Figure, Metric, Period
from fin_tui.facts.words import stems
from fin_tui.records import Chunk, Fact, Filing

_REACH = 140
"""Characters between the name and its share."""
_OF = (
    r"\s*(?:,[^,]{0,30},\s*)?(?:of|to|from)\s+"
    r"(?:(?:our|its|the|total|net|consolidated|gross|worldwide|annual|company['’]s|overall|all|of|\d{4})\s+)*"
)
_ANOTHER = re.compile(r"\band\s+[A-Z]|;|\bwhile\b|\bwhereas\b")
_PART_OF_PART = re.compile(r"\b(?:increase|decrease|growth|grew|increased|decreased|declined|rose|fell|segment)\b", re.I)


def told_shares(reading: Reading, subjects: Sequence[Subject], prose: Prose) -> Grid | None:
    """The share of a part that ``reading`` asks for, as sentences state it; None for another question, or where one lacks."""
    part = reading.parts[0]
    if len(reading.parts) != 1 or reading.over != "point" or reading.across != "each" or not isinstance(part.node, Binary):
        return None
    top, bottom = part.node.left, part.node.right
    if part.node.operator != "/" or not isinstance(top, Name) or not isinstance(bottom, Name):
        return None
    asked, whole = reading.items[top.name], reading.items[bottom.name]
    if not asked.phrase or whole.phrase or whole.metric is None or asked.metric is None or asked.metric.id != whole.metric.id:
        return None
    cells = []
    for subject in subjects:
        for year in subject.years:
            found = (told_share(asked.phrase, whole.metric, filing, year, prose) for filing in subject.filings)
            figure = next((one for one in found if one is not None), None)
            if figure is None or subject.quarter:
                return None
            grounded = Grounded(Name("f0"), [figure], [part.label])
            cells.append(Cell(part, subject.company, year, grounded=grounded, measure=Measure(figure.value, "%")))
    return Grid(reading, tuple(cells), cells[0] if len(cells) == 1 else None) if cells else None


def told_share(phrase: str, metric: Metric, filing: Filing, year: int, prose: Prose) -> Figure | None:
    """The percentage of ``metric`` that a sentence of ``filing`` gives for ``phrase``; None when none does, or they differ."""
    if filing.fiscal_year != year or filing.period_end is None or not stems(phrase):
        return None
    whole = re.compile(_OF + rf"(?:{'|'.join(re.escape(name) for name in sorted(metric.names, key=len, reverse=True))})\b", re.I)
    found = [
        one for chunk in prose.of_filing(filing.id) for one in _in_chunk(chunk, phrase, whole, {year, filing.period_end.year})
    ]
    if not found or any(number.value != found[0][0].value for number, _ in found):
        return None
    return _figure(phrase, metric, filing, year, *found[0])


def _in_chunk(chunk: Chunk, phrase: str, whole: re.Pattern[str], years: set[int]) -> Iterator[tuple[Number, int]]:
    """Each percentage with where it stands in the filing's clean text."""
    named = re.compile(r"\b" + r"[\s-]+".join(re.escape(word) for word in phrase.split()) + r"\b", re.I)
    if not named.search(chunk.text):
        return
    for start, end in sentences_of(chunk):
        sentence = chunk.text[start:end]
        match = named.search(sentence)
        if match is None or _PART_OF_PART.search(sentence) or speaks_of_quarters(sentence):
            continue
        number = _share_in(sentence, match, whole, years)
        if number is not None:
            yield number, chunk.start + start + number.start


def _share_in(sentence: str, match: re.Match[str], whole: re.Pattern[str], years: set[int]) -> Number | None:
    """The percentage behind the name, of the asked year where several years have their own."""
    shares = [number for number in find_numbers(sentence) if number.kind == "percent" and number.start >= match.end()]
    if not shares or shares[0].start - match.end() > _REACH or _ANOTHER.search(sentence[match.end() : shares[0].start]):
        return None
    told = find_periods(sentence).years
    run = _run(sentence, shares)
    if not whole.match(sentence[run[-1].end :]):
        return None
    if len(run) == 1:
        return run[0] if not told or set(told) & years else None
    order = [int(year) for year in re.findall(r"\b(?:19|20)\d\d\b", sentence[run[-1].end :])]
    if len(order) != len(run):
        return None
    return next((number for number, year in zip(run, order, strict=True) if year in years), None)


def _run(sentence: str, shares: Sequence[Number]) -> list[Number]:
    """The percentages that stand together: "16%, 14% and 13%"."""
    run = [shares[0]]
    for number in shares[1:]:
        if not re.fullmatch(r"\s*(?:,|and|,\s*and)\s*(?:approximately\s+|about\s+)?", sentence[run[-1].end : number.start]):
            break
        run.append(number)
    return run


def _figure(phrase: str, metric: Metric, filing: Filing, year: int, number: Number, start: int) -> Figure:
    end = filing.period_end or dt.date(year, 12, 31)
    label = f"{phrase} share of {metric.names[0]}"
    fact = Fact(
        "",
        label,
        float(number.value / Decimal(100)),
        number.text,
        "pure",
        end - dt.timedelta(days=364),
        end,
        source="text",
        start=start,
        end=start + number.end - number.start,
    )
    return Figure(
        label, number.value, "%", fact, filing, Period(end, fact.period_start, f"FY{year}"), note="read from a sentence"
    )
