"""Figures by a question's frame: what it names is looked for among all figures of the filings, and computed as it asks.

The frame says which words name figures and parts, and what is to be done; each operand is ranked among the filing's own tagged
figures, table cells and numbers in sentences. What is not found surely enough stays a gap with its nearest candidates.
"""

from __future__ import annotations

import datetime as dt
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from decimal import Decimal

from fin_tui.candidates.candidate import Candidate, words_of
from fin_tui.engine.figures.answer import FigureAnswer, NoFigures, Source, answer_figures
from fin_tui.engine.figures.finding import Book
from fin_tui.engine.frame.reader import QUOTIENTS, Frame
from fin_tui.engine.questions.instructions import Instructions
from fin_tui.engine.questions.operation import Across, Over
from fin_tui.engine.questions.plan import subjects
from fin_tui.engine.questions.understanding import Understanding
from fin_tui.engine.questions.wanted import Item, Names, Part, Reading
from fin_tui.engine.rank.ranker import Ranker, Role, Scored, Wanted
from fin_tui.facts.expression import Binary, Call, Name, Node, Number
from fin_tui.facts.figures import Figure, Gap, Metric, Period, Unit, exact
from fin_tui.facts.labels import unit_of
from fin_tui.facts.table_reader import read_cell
from fin_tui.facts.words import stems
from fin_tui.records import Chunk, Filing

SURE, SURE_OPERAND = 0.8, 0.75
"""From this probability on a figure stands as the answer, or in a calculation; cross-validated on questions of the training and
development parts, 92 % of the figures above the first are right."""
LIKELY = 0.3
"""From this one on it is told as the closest that was found; what is computed from such figures is not told at all."""
_COMPUTED = frozenset(("growth", "cagr", "contribution", "difference", "ratio", "margin", "share", "per_unit", "sum", "average"))
_SURE_OPERATION = 0.5
_MOST_LEFT = 2
"""Words that no span holds: with more, something that changes what is computed is likely among them."""
_SURE_KIND = 0.8
_OF_KIND: dict[str, frozenset[str]] = {
    "per_share": frozenset(("usd", "usd/share")),
    "percent": frozenset(("%", "ratio")),
    "ratio": frozenset(("%", "ratio", "count")),
    "count": frozenset(("count", "shares")),
    "days": frozenset(("days", "count", "ratio")),
}
_WHOLE = 100.0
_YEAR_DAYS = Decimal(365)
"""What a quotient that is asked for in days is a part of."""
_SALES = "revenue"
"""What a margin is a share of."""
_REACH = 2
_AHEAD = 5
"""Years that a filing tells of beforehand: plans and maturities."""
_MOST_NEAR = 4
Passages = Callable[[str, Filing], Sequence[Chunk]]
"""(words, filing) -> the passages of the filing that bear on them."""


@dataclass(frozen=True, slots=True)
class Linked:
    """What ranks the figures of a filing, and the passages whose sentences count as well."""

    ranker: Ranker
    passages: Passages


def answer_frame(frame: Frame, understood: Understanding, source: Source, linked: Linked) -> FigureAnswer | NoFigures | None:
    """The figures that ``frame`` asks for; None when it asks for none, or the company can't be told."""
    places = [(named.start, named.end) for named in understood.question.companies if named.start >= 0]
    frame = frame.of_companies(places) if understood.question.companies else frame
    found = _answer(frame, understood, source, linked)
    if frame.operation == "share" and len(frame.targets) == 2 and isinstance(found, NoFigures):
        # "What share of its income were fees" names the whole first.
        turned = _answer(replace(frame, targets=frame.targets[::-1]), understood, source, linked)
        return turned if isinstance(turned, FigureAnswer) else found
    return found


def _answer(frame: Frame, understood: Understanding, source: Source, linked: Linked) -> FigureAnswer | NoFigures | None:
    instructions = understood.reading.instructions if understood.reading else Instructions("")
    made = read_frame(frame, source.names, instructions)
    if made is None:
        return None
    reading, wanted = made
    request = understood.request
    whose = subjects(understood.question, reading, understood.target, request.scope, understood.held)
    if not whose or any(subject.quarter for subject in whose):
        return None
    is_single = len(reading.items) == 1 and reading.over == "point" and len(whose) == 1 and frame.operation not in _COMPUTED
    sure = SURE if is_single else SURE_OPERAND
    book = LinkedBook(source.book, wanted, linked, sure, newest_first=reading.over != "point")
    found = answer_figures(reading, whose, replace(source, book=book))
    if isinstance(found, FigureAnswer) and _is_absurd(found, reading, frame):
        found = NoFigures(())
    if isinstance(found, FigureAnswer) or not is_single:
        return found
    likely = answer_figures(reading, whose, replace(source, book=book.from_probability(LIKELY)))
    return replace(found, likely=likely) if isinstance(likely, FigureAnswer) else found


def _is_absurd(found: FigureAnswer, reading: Reading, frame: Frame) -> bool:
    """Whether what was computed can't be meant: from one figure twice, a share of more than all or of another unit."""
    if len(reading.items) < 2:
        return False
    values = [abs(float(fact["value"])) for fact in found.facts if fact["value"] is not None]
    is_of_one = len(found.facts) < len(reading.items) or (len(values) == 2 and values[0] == values[1])
    if frame.operation not in ("share", "margin"):
        return is_of_one
    is_too_much = frame.operation == "share" and found.value is not None and not 0 <= found.value <= _WHOLE
    return is_of_one or is_too_much or len({fact["unit"] for fact in found.facts}) > 1


def fits(answer: FigureAnswer, frame: Frame) -> bool:
    """Whether ``answer`` may be what is asked for: its unit is one that the kind of answer can have, where the frame is sure of
    that, and its words name each part that the frame names.
    """
    if frame.operation == "contribution" and frame.sure["operation"] >= _SURE_OPERATION:
        return False  # A share of a change is neither a share nor a change.
    members = (words_of(member) for fact in answer.facts for member in fact["dimensions"].values())
    labels = (str(fact["label"]) for fact in answer.facts)
    told = frozenset(stems(" ".join((*(one.text for one in answer.sentences), *labels, *members))))
    parts = (frozenset(stem for stem in stems(part.text) if not stem.isdigit()) for part in frame.parts)
    if any(part and not told & part for part in parts):
        return False
    if answer.unit is None or not frame.is_figure or frame.sure["answer"] < _SURE_KIND:
        return True
    return answer.unit in _OF_KIND[frame.answer] if frame.answer in _OF_KIND else True


def read_frame(frame: Frame, names: Names, instructions: Instructions) -> tuple[Reading, dict[str, Wanted]] | None:
    """The figures and the expression over them, with what each is looked for by; None when no figure is asked for."""
    if not frame.is_figure or frame.refusal or frame.operation in ("refuse", "rank", "reformat", "convert"):
        return None
    return _FrameReading(frame.whole, names, instructions).made()


class _FrameReading:
    """Turns one frame into a reading."""

    def __init__(self, frame: Frame, names: Names, instructions: Instructions) -> None:
        self._frame = frame
        self._matter = frame.matter
        self._names = names
        self._instructions = instructions
        self._items: dict[str, Item] = {}
        self._wanted: dict[str, Wanted] = {}

    def made(self) -> tuple[Reading, dict[str, Wanted]] | None:
        frame = self._frame
        over: Over = "point"
        across: Across = "each"
        node: Node | None = None
        unit: Unit | None = None
        label = frame.label
        operation = frame.operation
        if operation in _COMPUTED and (len(frame.left_over) > _MOST_LEFT or frame.sure["operation"] < _SURE_OPERATION):
            return None
        match operation:
            case "growth":
                over, node = "growth", self._one(_level(frame.kind), is_level=True)
            case "cagr":
                over, node = "cagr", self._one(_level(frame.kind), is_level=True)
            case "difference":
                node, over = self._difference()
                unit = "%" if over == "change" and frame.kind == "percent" else None
            case "ratio" if len(frame.targets) == 1 and len(frame.periods) == 2:
                over, node = "multiple", self._one("", is_level=True)
            case "contribution":
                over, node = "contribution", self._quotient()
            case one if one in QUOTIENTS:
                node = self._quotient()
                unit = "%" if frame.kind == "percent" else None
                if frame.kind == "days" and node is not None:
                    node, unit = Binary("*", node, Number(_YEAR_DAYS)), "days"
            case "sum":
                node, over = self._sum()
            case "average":
                node, over = self._sum() if len(frame.targets) > 1 else (self._one(frame.kind, is_level=True), "average")
                if len(frame.targets) > 1 and isinstance(node, Call):
                    node = Call("avg", node.arguments)
            case "trend":
                over, node = "trend", self._one(frame.kind, is_level=True)
            case _:
                node = self._one(frame.kind)
        if node is None:
            return None
        if isinstance(node, Name):
            unit = unit or ("%" if over == "point" and frame.kind == "percent" else None)
            item = self._items[node.name]
            label = frame.label if item.metric is None and item.phrase == self._matter else item.label
        part = Part(node, label, unit)
        return Reading((part,), self._items, over, across, instructions=self._instructions), self._wanted

    def _difference(self) -> tuple[Node | None, Over]:
        frame = self._frame
        kind = frame.kind if frame.kind in ("money", "count", "per_share", "percent") else ""
        parts = " ".join(span.text for span in frame.parts)
        if kind == "percent" and len(frame.targets) > 1 and len(frame.periods) > 1:
            return self._quotient(), "change"  # How many points a share moved.
        if len(frame.targets) > 1:
            return self._less([(span.text, parts) for span in frame.targets[:2]], kind), "point"
        if len(frame.parts) == 2 and len(frame.periods) < 2 and frame.targets:
            return self._less([(frame.targets[0].text, part.text) for part in frame.parts], kind), "point"
        return self._one(kind, is_level=True), "change"

    def _quotient(self) -> Node | None:
        """What is asked as a share or multiple of something else; a margin that names one figure is one of revenue."""
        frame = self._frame
        targets, part = [span.text for span in frame.targets], " ".join(span.text for span in frame.parts)
        if len(targets) >= 2:
            return self._over([(targets[0], part), (targets[1], part if frame.operation == "margin" else "")])
        if len(targets) == 1 and frame.operation in ("share", "contribution") and part:
            return self._over([(targets[0], part), (targets[0], "")])
        margin = self._named(targets[0]) if targets and frame.operation == "margin" else None
        if margin is not None and margin.formula:
            return Name(self._keep(Item(margin, part)))
        if targets and frame.operation == "margin":
            return self._over([(targets[0].removesuffix(" margin"), part), (_SALES, part)], "money")
        return self._over([(one, part) for one in (*targets, self._matter, self._matter)][:2])

    def _less(self, named: Sequence[tuple[str, str]], kind: str) -> Node:
        """One figure (target, part) less another."""
        first, second = (Name(self._item(target, part, kind)) for target, part in named)
        return Binary("-", first, second)

    def _over(self, named: Sequence[tuple[str, str]], kind: str = "") -> Node:
        """One figure (target, part) over another. One that no words name is looked for by what it is to the whole question."""
        are_named = all(target != self._matter for target, _ in named)
        roles: tuple[Role, Role] = ("", "") if are_named else ("numerator", "denominator")
        first, second = (Name(self._item(*one, kind, role)) for one, role in zip(named, roles, strict=True))
        return Binary("/", first, second)

    def _sum(self) -> tuple[Node | None, Over]:
        frame = self._frame
        if len(frame.targets) > 1:
            names = [self._item(span.text, " ".join(part.text for part in frame.parts), frame.kind) for span in frame.targets]
            return Call("sum", tuple(map(Name, names))), "point"
        if len(frame.parts) > 1 and frame.targets:
            names = [self._item(frame.targets[0].text, part.text, frame.kind) for part in frame.parts]
            return Call("sum", tuple(map(Name, names))), "point"
        return self._one(frame.kind, is_level=bool(frame.periods)), "sum" if frame.periods else "point"

    def _one(self, kind: str, *, is_level: bool = False) -> Node | None:
        """The one figure that the question is about, looked for by all its words; ``is_level``: its course is asked for."""
        frame = self._frame
        role: Role = "level" if is_level else ""
        if is_level and len(frame.targets) == 1:
            return Name(self._item(frame.targets[0].text, " ".join(span.text for span in frame.parts), kind))
        if len(frame.targets) == 1 and not frame.parts and not frame.left_over and frame.carried is None:
            target = frame.targets[0].text
            if self._named(target) is not None:  # The whole matter is one metric: its own tags go first.
                return Name(self._item(target, "", kind))
        key = self._keep(Item(None, self._matter))
        parts = " ".join(span.text for span in frame.parts)
        kinds = frame.kinds if kind == frame.kind and frame.operation == "lookup" else {}
        self._wanted[self._matter] = Wanted(
            self._matter, kind or max(kinds, key=kinds.__getitem__, default=""), parts, frame.label, kinds, role, self._matter
        )
        return Name(key)

    def _item(self, target: str, part: str, kind: str, role: Role = "") -> str:
        """The key of a figure by the words that name it."""
        metric = self._named(target)
        words = f"{part} {target}".strip()
        wanted = Wanted(words, kind, part, role=role, whole=self._matter)
        if metric is not None:
            self._wanted[metric.id + "/" + part] = wanted
            return self._keep(Item(metric, part))
        phrase = words if words not in self._wanted else wanted.read
        self._wanted[phrase] = wanted
        return self._keep(Item(None, phrase))

    def _named(self, words: str) -> Metric | None:
        found = self._names.find(words)
        return found[0].metric if len(found) == 1 and (found[0].end - found[0].start) >= len(words.strip()) - 1 else None

    def _keep(self, item: Item) -> str:
        key = f"x{len(self._items)}"
        for known, other in self._items.items():
            if other == item:
                return known
        self._items[key] = item
        return key


def _level(answer: str) -> str:
    """The kind of the figure whose growth is a percentage: any."""
    return "" if answer == "percent" else answer


class LinkedBook:
    """A book that ranks the figures of filings by words where no metric names what is asked."""

    def __init__(
        self, book: Book, wanted: dict[str, Wanted], linked: Linked, sure: float, *, newest_first: bool = False
    ) -> None:  # fmt: skip
        """Takes figures from the probability ``sure`` on. ``newest_first``: years that are set against each other come from one
        filing where one has them all.
        """
        self._book = book
        self._wanted = wanted
        self._linked = linked
        self._newest_first = newest_first
        self._sure = sure
        self._scored: dict[tuple[str, str, str], list[Scored]] = {}
        self._rows: dict[tuple[str, str], Scored] = {}
        """(what was read for, filing) -> the row that was found: it is the same in another year."""
        self.quarterly = book.quarterly
        self.scheduled = book.scheduled
        self.ranked = book.ranked
        self.series = book.series

    def from_probability(self, least: float) -> LinkedBook:
        """The same book, in which figures of that probability are enough; what was ranked is not ranked anew."""
        book = LinkedBook(self._book, self._wanted, self._linked, least, newest_first=self._newest_first)
        book._scored = self._scored
        return book

    def figure(self, metric: Metric, filings: Sequence[Filing], period: Period | int) -> Figure | Gap:
        """As the book has it by the metric's tags; else by its name."""
        found = self._book.figure(metric, filings, period)
        wanted = self._wanted.get(f"{metric.id}/")
        if isinstance(found, Gap) and not metric.formula and wanted is not None:
            return self._linked_or(found, wanted, filings, period)
        return found

    def dimensioned(self, phrase: str, metric: Metric, filings: Sequence[Filing], period: Period | int) -> Figure | Gap:
        """As the book has it by members and rows; else by the words for both."""
        found = self._book.dimensioned(phrase, metric, filings, period)
        if isinstance(found, Gap) and not metric.formula:
            wanted = self._wanted.get(f"{metric.id}/{phrase}") or Wanted(f"{phrase} {metric.names[0]}", "", phrase)
            return self._linked_or(found, wanted, filings, period)
        return found

    def by_label(self, phrase: str, filings: Sequence[Filing], period: Period | int) -> Figure | Gap:
        """The figure that ranks highest for the words, where that is sure enough."""
        wanted = self._wanted.get(phrase) or Wanted(phrase)
        gap = Gap(wanted.matter, None, f"No exact figure found for {wanted.matter}.")
        return self._linked_or(gap, wanted, filings, period)

    def _linked_or(self, gap: Gap, wanted: Wanted, filings: Sequence[Filing], period: Period | int) -> Figure | Gap:
        near: list[Scored] = []
        holder: Filing | None = None
        for filing, year in covering(filings, period, newest_first=self._newest_first):
            known = self._rows.get((wanted.read, filing.id))
            same = self._linked.ranker.in_year(known.candidate.row, filing, year) if known is not None else None
            if same is not None:
                return _figure(same, wanted, filing, year, ())
            scored = self._rank(wanted, filing, year)
            if scored and scored[0].probability >= self._sure:
                self._rows[wanted.read, filing.id] = scored[0]
                return _figure(scored[0].candidate, wanted, filing, year, scored)
            if scored and (not near or scored[0].probability > near[0].probability):
                near, holder = scored, filing
        for filing, year in looking_ahead(filings, period):
            scored = self._ahead(wanted, filing, year)
            if scored and scored[0].probability >= self._sure:
                return _figure(scored[0].candidate, wanted, filing, year, scored)
            near, holder = scored, filing
        facts = tuple(one.candidate.fact for one in near[:_MOST_NEAR])
        return replace(gap, candidates=facts, filing=holder)

    def _ahead(self, wanted: Wanted, filing: Filing, year: Period) -> list[Scored]:
        """What the filing says of a later year: rows and sentences that name it."""
        named = year.label.removeprefix("FY")
        wanted = replace(wanted, matter=f"{wanted.matter} {named}")
        key = (wanted.read, filing.id, year.label)
        if key not in self._scored:
            found = self._linked.ranker.rank(wanted, filing, None, self._linked.passages(wanted.matter, filing))
            self._scored[key] = [one for one in found if named in one.candidate.row]
        return self._scored[key]

    def _rank(self, wanted: Wanted, filing: Filing, year: Period) -> list[Scored]:
        key = (wanted.read, filing.id, year.label)
        if key not in self._scored:
            self._scored[key] = self._linked.ranker.rank(wanted, filing, year, self._linked.passages(wanted.matter, filing))
        return self._scored[key]


def covering(
    filings: Sequence[Filing], period: Period | int, *, newest_first: bool = False
) -> list[tuple[Filing, Period]]:  # fmt: skip
    """Filings that cover the year, its own first, or the newest, with the year as the filing has it."""
    year = period if isinstance(period, int) else None
    found = []
    for filing in sorted(filings, key=lambda one: (one.form.endswith("/A"), one.fiscal_year or 0)):
        if filing.fiscal_year is None or filing.period_end is None or year is None:
            continue
        back = filing.fiscal_year - year
        if 0 <= back <= _REACH:
            end = filing.period_end if not back else _years_before(filing, back)
            found.append((filing, Period(end, None, f"FY{year}")))
    return found[::-1] if newest_first else found


def looking_ahead(filings: Sequence[Filing], period: Period | int) -> list[tuple[Filing, Period]]:
    """The newest filing with a year that it may tell of beforehand; none where some filing covers the year."""
    newest = max(
        (one for one in filings if one.fiscal_year and one.period_end), key=lambda one: one.fiscal_year or 0, default=None
    )
    if newest is None or not isinstance(period, int) or not 0 < period - (newest.fiscal_year or 0) <= _AHEAD:
        return []
    return [(newest, Period(_years_before(newest, (newest.fiscal_year or 0) - period), None, f"FY{period}"))]


def _years_before(filing: Filing, back: int) -> dt.date:
    end = filing.period_end
    assert end is not None
    try:
        return end.replace(year=end.year - back)
    except ValueError:  # 29 February
        return end.replace(year=end.year - back, day=28)


def value_of(one: Candidate, wanted: Wanted) -> Decimal:
    """The value in the unit that is asked for: percentages as 14.2, counts as printed, money in base units."""
    fact = one.fact
    unit = unit_of(fact)
    if unit == "usd" and wanted.answer == "count" and fact.source != "xbrl":
        printed = read_cell(fact.text)
        return printed.value if printed is not None else exact(fact.value or 0.0)
    value = exact(fact.value or 0.0) * (one.loose_scale if unit == "usd" else 1)
    return value * 100 if unit == "%" else value


def _figure(one: Candidate, wanted: Wanted, filing: Filing, year: Period, scored: Sequence[Scored]) -> Figure:
    """The candidate as a figure, in the unit that is asked for."""
    fact, value = one.fact, value_of(one, wanted)
    unit = unit_of(fact)
    if unit == "usd" and wanted.answer == "count" and fact.source != "xbrl":
        unit = "count"
        fact = replace(fact, value=float(value), unit="count")
    elif unit == "usd":
        fact = replace(fact, value=float(value))
    end = fact.period_end or year.end
    label = (
        one.path[-1] if one.path and fact.source != "text" and "[" not in one.path[-1] else wanted.label or wanted.matter.strip()
    )
    note = {"table": "read from an untagged table", "text": "read from a sentence"}.get(fact.source, "")
    others = tuple(other.candidate.fact for other in scored[1:_MOST_NEAR])
    period = replace(year, end=end, start=fact.period_start)
    return Figure(label, value, unit, fact, filing, period, note=note, others=others)
