"""The evidence of a turn: cited text, figures with their picture, calculation and steps."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import groupby

from textual import events, on, work
from textual.app import ComposeResult
from textual.containers import Vertical
from textual.content import Content
from textual.message import Message
from textual.style import Style
from textual.widgets import Collapsible, Static

from fin_tui.engine.answering.events import Passage
from fin_tui.engine.evidence.citations import with_markers
from fin_tui.engine.figures.layout import GAP, INDENT, Laid, lay_out, lines_of
from fin_tui.engine.figures.shown import RESTATED, Cell, Figures, Grid, cells_of, grouped
from fin_tui.language import count, ranges
from fin_tui.records import Citation, PlanStep, Sentence
from fin_tui.ui.plotting import NARROWEST, Chart, chart_of, draw
from fin_tui.ui.text import (
    cited_numbers,
    clean,
    filing_label,
    in_paragraphs,
    lead_and_rest,
    one_line,
    place_label,
)

_SCROLL_BAR = 1  # Cells left free beside a picture: a scroll bar that comes later would have it drawn anew.


class ChartView(Static):
    """Draws itself anew for each width, in a worker; hidden where there is no chart or no room for one."""

    DEFAULT_CSS = "ChartView.-empty { display: none; }"

    @dataclass
    class Drawn(Message):
        """The picture for one width."""

        chart: Chart
        content: Content

    def __init__(self) -> None:
        super().__init__("", markup=False, classes="chart -empty")
        self._chart: Chart | None = None
        self._width = 0

    def show(self, chart: Chart | None, width: int) -> None:
        """Draw ``chart`` for ``width`` cells; None draws nothing."""
        self._chart = chart
        self._width = 0
        self.fit(width)

    def fit(self, width: int) -> None:
        """Draw for another width."""
        is_shown = self._chart is not None and width >= NARROWEST
        self.set_class(not is_shown, "-empty")
        if self._chart is not None and is_shown and self._width not in (width, width - _SCROLL_BAR):
            self._width = width - _SCROLL_BAR
            self._draw(self._chart, self._width)

    @on(Drawn)
    def _drawn(self, event: Drawn) -> None:
        event.stop()
        if event.chart is self._chart:
            self.update(event.content)

    @work(thread=True, exclusive=True, group="chart", exit_on_error=False)
    def _draw(self, chart: Chart, width: int) -> None:
        self.post_message(self.Drawn(chart, draw(chart, width)))


def cited(text: str, known: Collection[int]) -> Content:
    """``text`` in which each ``[n]`` of a known passage is a link; everything else is as it stands."""
    text = clean(text).replace("\t", "  ")  # A tab is drawn wider than Textual counts when it fills the line.
    content = Content(text)
    for start, end, number in cited_numbers(text, known):
        content = content.stylize(Style.from_meta({"@click": f"cite({number})"}), start, end)
    return content


class CitedText(Static):
    """Shows content whose links call ``cite(n)``, and figures that call ``figure(place)``."""

    class Cited(Message):
        """A citation was clicked."""

        def __init__(self, number: int) -> None:
            super().__init__()
            self.number = number

    class Figure(Message):
        """A figure was clicked."""

        def __init__(self, place: int) -> None:
            super().__init__()
            self.place = place

    def __init__(self, content: Content | str = "", *, id: str | None = None, classes: str | None = None) -> None:
        super().__init__(content, markup=False, id=id, classes=classes)

    def action_cite(self, number: int) -> None:
        self.post_message(self.Cited(number))

    def action_figure(self, place: int) -> None:
        self.post_message(self.Figure(place))


_USUAL_WIDTH = 76
"""Cells of a line before the screen's own are known."""
_MOST_LINES, _AROUND_GRID = 14, 2
"""Lines of an answer with tables that are shown at once; those of a table beside its header and rows."""
_SHORT_REST = 3
"""So many last lines of an answer or a table are not folded away: the fold would take as much room."""


class FigureTable(Vertical):
    """A row for each figure (or company) with notes on restated or missing values, their picture, and the calculation."""

    def __init__(self) -> None:
        super().__init__()
        self._grid = self._operands = Grid((), ())
        self._known: frozenset[int] = frozenset()

    def compose(self) -> ComposeResult:
        yield CitedText(classes="figures")
        yield Static("", markup=False, classes="figure-notes")
        yield ChartView()
        yield Calculation()

    def show(self, figures: Figures, citations: Sequence[Citation]) -> None:
        """Fill the table; hidden when there are no figures."""
        self.display = bool(figures)
        if not figures:
            return
        self._grid = grouped(figures.grid(citations))
        self._known = frozenset(c.id for c in citations)
        self._operands = figures.operands(citations) if figures.calculation else Grid((), ())
        self.query_one(".figures").display = bool(self._grid.rows)
        is_folded = bool(figures.calculation) and not self._grid.rows  # With the operands, whose notes they are.
        shown = [note for note in self._grid.notes if not is_folded or note.startswith(RESTATED)]
        folded = [note for note in self._grid.notes if note not in shown]
        self.query_one(Calculation).show([*figures.calculation_lines, *folded])
        self._draw()
        self._lines(".figure-notes", shown)
        self.query_one(ChartView).show(chart_of(figures, citations), self.content_region.width)
        self.call_after_refresh(self._fit)  # Shown again in the size it had before, it hears of no other one.

    def on_resize(self, event: events.Resize) -> None:
        self._fit()

    def _fit(self) -> None:
        self._draw()
        self.query_one(ChartView).fit(self.content_region.width)

    def _draw(self) -> None:
        """Columns where they fit, else a row's cells one under the other."""
        width = self.content_region.width or _USUAL_WIDTH  # One that is made while the chat is hidden is there once it is shown.
        if self._grid.rows:
            self.query_one(".figures", CitedText).update(grid_content(self._grid, width, self._known))
        if self._operands.rows:
            self.query_one(Calculation).draw(grid_content(self._operands, width - INDENT, self._known))

    def _lines(self, selector: str, lines: Sequence[str]) -> None:
        widget = self.query_one(selector, Static)
        widget.update(Content("\n".join(clean(line) for line in lines)))
        widget.display = bool(lines)


class Calculation(Collapsible):
    """How the result was computed, and from what: folded away until someone looks."""

    def __init__(self) -> None:
        self._operands = CitedText(classes="operands")
        self._formula = Static("", markup=False)
        super().__init__(self._operands, self._formula, title="Calculation (Alt+H)", collapsed=True, classes="plan")
        self.display = False

    def show(self, lines: Sequence[str]) -> None:
        """Fill it with the formula; hidden when nothing was computed."""
        self.display = bool(lines)
        self._formula.update(Content("\n".join(clean(line) for line in lines)))

    def draw(self, operands: Content) -> None:
        """The figures it rests on."""
        self._operands.update(operands)

    def toggle(self) -> None:
        """Fold it out or away."""
        self.collapsed = not self.collapsed


def grid_content(grid: Grid, width: int, known: Collection[int]) -> Content:
    """``grid`` for ``width`` cells: labels left, figures right under their headers; where that is too wide, the cells stacked."""
    bands = lay_out(grid, width, known)
    if not bands:
        return Content("\n").join(_stacked(grid, known))
    return Content("\n\n").join([_laid_content(laid) for laid in bands])


def _laid_content(laid: Laid) -> Content:
    ends = [Content.styled(f"Periods end {laid.ends}", "$foreground-muted")] if laid.ends else []
    return Content("\n").join([*_header(laid), *_rows(laid), *ends])


def _header(laid: Laid) -> list[Content]:
    return [_line([Cell(name) for name in names], laid, ()).stylize("$foreground-muted") for names in laid.header]


def _rows(laid: Laid) -> list[Content]:
    return [_line(row, laid, laid.marks) for row in laid.rows]


def _halves(grid: Grid, width: int, rows: int) -> tuple[Content, Content]:
    """``grid`` for ``width`` cells: the first ``rows``, of a wide one in its first columns, and all that is left."""
    bands = lay_out(grid, width)
    if not bands:
        parts = (replace(grid, rows=grid.rows[:rows]), replace(grid, rows=grid.rows[rows:]))
        return Content("\n").join(_stacked(parts[0], ())), Content("\n").join(_stacked(parts[1], ()))
    first, *others = bands
    at = first.starts[rows] if rows < len(first.starts) else len(first.rows)
    lines = _rows(first)
    left = [Content("\n").join(lines[at:]), *map(_laid_content, others)]
    return Content("\n").join([*_header(first), *lines[:at]]), Content("\n\n").join([one for one in left if one.plain])


def _stacked(grid: Grid, known: Collection[int]) -> Iterator[Content]:
    for row in grid.rows:
        yield Content(row[0].text)
        for name, cell in zip(grid.header[1:], row[1:], strict=True):
            lead = Content.styled(f"{name} " if grid.labels == 1 else "", "$foreground-muted")
            if cell.text:
                yield Content(" " * INDENT) + lead + _cell(cell, known)


def _line(cells: Sequence[Cell], laid: Laid, known: Collection[int]) -> Content:
    line = Content("")
    for index, (cell, width) in enumerate(zip(cells, laid.widths, strict=True)):
        drawn = _cell(cell, known)
        room = Content(" " * (width - drawn.cell_length))
        line = line + (drawn + room if index in laid.words else room + drawn)
        if index < len(laid.widths) - 1:
            line = line + Content(" " * GAP)
    return line


def _cell(cell: Cell, known: Collection[int]) -> Content:
    text = Content(clean(cell.text))
    if cell.fact is not None and text.plain:
        text = text.stylize(Style.from_meta({"@click": f"figure({cell.fact})"}))
    if cell.citation not in known:
        return text
    return text + Content(" ") + Content.styled(f"[{cell.citation}]", Style.from_meta({"@click": f"cite({cell.citation})"}))


class PlanSteps(Collapsible):
    """Hidden for a question of one step."""

    def __init__(self) -> None:
        self._steps = Static("", markup=False)
        super().__init__(self._steps, title="", collapsed=True, classes="plan")
        self.display = False

    def show(self, plan: Sequence[PlanStep]) -> None:
        """Number the steps of ``plan``, as the answer's contract has them."""
        self.display = len(plan) > 1
        self.title = f"Steps: {len(plan)} (Alt+H)"
        lines = [f"{number:>2}. {_step(step)}" for number, step in enumerate(plan, start=1)]
        self._steps.update(Content("\n".join(lines)))

    def toggle(self) -> None:
        """Fold the steps out or away."""
        self.collapsed = not self.collapsed


def _step(step: PlanStep) -> str:
    operation, question = str(step.get("operation") or ""), str(step.get("question") or "")
    verb = "look up" if operation == "lookup" else operation
    return one_line(f"{verb}: {question.removeprefix(f'{operation} ')}")


_MOST_REFERENCES = 5


@dataclass(frozen=True, slots=True)
class _Rows:
    """Rows of a filing, as the answer quotes them."""

    title: str
    """With its [n]."""
    grid: Grid
    shown: int | None = None
    """How many of them stand over a fold; None where nothing of them is folded away."""
    is_rest: bool = False
    """Those under the fold."""

    def content(self, width: int) -> Content:
        """Drawn for ``width`` cells; what a fold divides is drawn for its room, so that columns stand under each other."""
        if self.shown is None:
            return grid_content(self.grid, width, ())
        return _halves(self.grid, width if self.is_rest else width - INDENT, self.shown)[self.is_rest]

    @property
    def lines(self) -> int:
        """How many they take at the usual width."""
        return _AROUND_GRID + len(lines_of(self.grid, _USUAL_WIDTH))

    def folded(self) -> tuple[_Rows, _Rows] | None:
        """Those that are shown at once of a long table, and the rest; None of a short one."""
        if self.lines <= _MOST_LINES + _SHORT_REST:
            return None
        rows = self.grid.rows
        # What heads other rows does not stand last.
        sizes = (size for size in range(len(rows) - 1, 1, -1) if any(cell.text for cell in rows[size - 1][1:]))
        room = _MOST_LINES - _AROUND_GRID
        shown = next((size for size in sizes if _height(self.grid, size) <= room), 1)
        return replace(self, shown=shown), _Rows("", self.grid, shown, is_rest=True)


def _height(grid: Grid, rows: int) -> int:
    return _halves(grid, _USUAL_WIDTH - INDENT, rows)[0].plain.count("\n") + 1


class AnswerText(CitedText):
    """Paragraphs of an answer, and rows of filings as grids that fit the width."""

    def __init__(self, *, classes: str | None = None) -> None:
        super().__init__(classes=classes)
        self._parts: Sequence[str | _Rows] = ()
        self._known: frozenset[int] = frozenset()
        self._width = 0

    def show(self, parts: Sequence[str | _Rows], known: Collection[int]) -> None:
        """Draw ``parts``, now or once the width is known."""
        self._parts, self._known = parts, frozenset(known)
        self._draw()

    def on_resize(self, event: events.Resize) -> None:
        if self.content_region.width != self._width and any(isinstance(part, _Rows) for part in self._parts):
            self._draw()

    def _draw(self) -> None:
        self._width = self.content_region.width
        self.update(Content("\n").join(self._drawn(part, at) for at, part in enumerate(self._parts)))

    def _drawn(self, part: str | _Rows, at: int) -> Content:
        if isinstance(part, str):
            return cited(part, self._known)
        gap = "\n" if at else ""
        title = [cited(f"{gap}{part.title}", self._known)] if part.title else []
        return Content("\n").join([*title, part.content(self._width or _USUAL_WIDTH)])


def _parts_of(
    extract: str, sentences: Sequence[Sentence], *, has_grid: bool = False
) -> tuple[list[str | _Rows], list[str | _Rows]]:
    """The answer in paragraphs and grids, what is shown at once and what is folded away: all words but the result where a grid
    of figures follows.
    """
    first = next((at for at, one in enumerate(sentences) if one.opens), len(sentences)) if has_grid else 0
    if 0 < first < len(sentences):
        led, words = ([one for one in part if not one.is_detail] for part in (sentences[:first], sentences[first:]))
        begin, end = _parts_of(with_markers(words), words)
        return [in_paragraphs(with_markers(led))], [*begin, *end]
    if not any(sentence.table for sentence in sentences):
        lead, rest = lead_and_rest(_paragraphs(extract, sentences))
        return [lead], [rest] if rest else []
    parts: list[str | _Rows] = []
    for is_table, group in groupby([one for one in sentences if not one.is_detail], lambda one: one.table is not None):
        if is_table:
            tables = [(one, one.table) for one in group if one.table]
            parts += [_Rows(with_markers([replace(one, text=t.title, table=None)]), Grid.of_table(t)) for one, t in tables]
        else:
            held = list(group)
            parts.append(_paragraphs(with_markers(held), held))
    halves = parts[0].folded() if isinstance(parts[0], _Rows) else None
    if halves is not None:
        return [halves[0]], [halves[1], *parts[1:]]
    shown = room = 0
    for part in parts:
        room += _lines_of(part)
        if shown and room > _MOST_LINES:
            break
        shown += 1
    return parts[:shown], parts[shown:]


def _lines_of(part: str | _Rows) -> int:
    """How many it takes at the usual width."""
    return part.lines if isinstance(part, _Rows) else sum(-(-len(line) // _USUAL_WIDTH) for line in part.split("\n"))


def _paragraphs(text: str, sentences: Sequence[Sentence]) -> str:
    """Prose as running text; what is told sentence by sentence a line each."""
    return text if any(sentence.opens for sentence in sentences) else in_paragraphs(text)


class RestOfAnswer(Collapsible):
    """What a long answer goes on to say: folded away, so that its beginning and its sources stand together."""

    def __init__(self) -> None:
        self._text = AnswerText()
        super().__init__(self._text, title="", collapsed=True, classes="plan")
        self.display = False

    def show(self, parts: Sequence[str | _Rows], known: Collection[int]) -> None:
        """Hidden when there is none; what takes no more than a few lines is not folded."""
        self.display = bool(parts)
        self.collapsed = sum(_lines_of(part) for part in parts) > _SHORT_REST
        words = sum(len(part.split()) for part in parts if isinstance(part, str))
        is_divided = any(isinstance(part, _Rows) and part.is_rest for part in parts)
        tables = sum(isinstance(part, _Rows) for part in parts) - is_divided
        more = [
            "Rest of the table" if is_divided else "",
            count(tables, "more table") if tables else "",
            count(words, "more word") if words else "",
        ]
        self.title = f"{', '.join(filter(None, more))} (Alt+H)"
        self._text.show(parts, known)

    def toggle(self) -> None:
        """Fold it out or away."""
        self.collapsed = not self.collapsed


class EvidenceCard(Vertical):
    """What the filings say, before any model has said a word."""

    def compose(self) -> ComposeResult:
        yield Static("", markup=False, classes="caution")
        yield AnswerText(classes="extract")
        yield FigureTable()
        yield RestOfAnswer()
        yield PlanSteps()
        yield Static("", markup=False, classes="notes")
        yield CitedText(classes="references")

    def on_mount(self) -> None:
        self.border_title = "Answer"
        self.warn("")

    def warn(self, caution: str) -> None:
        """Say over the answer that it may be none; nothing where it surely is one."""
        line = self.query_one(".caution", Static)
        line.update(Content(clean(caution)))
        line.display = bool(caution)

    def show(
        self,
        extract: str,
        passages: Sequence[Passage],
        notes: Sequence[str],
        figures: Figures,
        plan: Sequence[PlanStep] = (),
        sentences: Sequence[Sentence] = (),
    ) -> None:
        """Fill the card; ``extract`` carries [n] that name ``passages``, ``sentences`` are those it was made from."""
        self.query_one(PlanSteps).show(plan)
        known = {p.citation.id for p in passages}
        self.query_one(FigureTable).show(figures, [p.citation for p in passages])
        lead, rest = _parts_of(extract, sentences, has_grid=bool(figures.table))
        self.query_one(".extract", AnswerText).show(lead, known)
        self.query_one(RestOfAnswer).show(rest, known)
        self.query_one(".references", CitedText).update(_references(extract, passages, figures))
        notes_line = self.query_one(".notes", Static)
        notes_line.update(Content("\n".join(f"Note: {clean(note)}" for note in notes)))
        notes_line.display = bool(notes)
        self.query_one(".extract").display = bool(extract)


def _references(extract: str, passages: Sequence[Passage], figures: Figures) -> Content:
    """One line for each place that the answer or its table cites, and how many more passages there are."""
    named: set[int | None] = {number for _, _, number in cited_numbers(extract, {p.citation.id for p in passages})}
    named |= {cell.get("citation") for cell in cells_of(figures.table)}
    places: dict[str, list[Passage]] = {}
    for passage in (p for p in passages if p.citation.id in named or not named):
        places.setdefault(f"{passage.citation.filing} {place_label(passage.citation)}", []).append(passage)
    shown = list(places.values())[:_MOST_REFERENCES]
    lines = [_reference(same) for same in shown]
    if more := len(passages) - sum(map(len, shown)):
        lines.append(Content.styled(f"    {more} more in Sources", "$foreground-muted"))
    return Content("\n").join(lines)


def _reference(same: Sequence[Passage]) -> Content:
    """A line for one place, with the numbers of all that is cited there."""
    links = Content("")
    for run in ranges(passage.citation.id for passage in same):
        ends = [Content.styled(f"[{number}]", Style.from_meta({"@click": f"cite({number})"})) for number in run]
        links = links + Content("–").join(ends)
    citation = same[0].citation
    gap = " " * max(4 - len(links.plain), 1)
    return Content.assemble(links, gap, filing_label(citation), (" " + place_label(citation), "$foreground-muted"))
