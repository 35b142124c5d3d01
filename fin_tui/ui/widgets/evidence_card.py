"""The evidence of a turn: cited text, figures, calculation, steps, and why sentences are marked."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import replace
from typing import Any

from rich.cells import cell_len
from textual import events
from textual.app import ComposeResult
from textual.containers import Vertical
from textual.content import Content
from textual.message import Message
from textual.style import Style
from textual.widgets import Collapsible, Static

from fin_tui.engine.answering.events import Passage
from fin_tui.engine.figures.shown import Cell, Figures, Grid, grouped
from fin_tui.plural import count
from fin_tui.records import Citation, Sentence
from fin_tui.ui.plotting import chart_of
from fin_tui.ui.text import (
    UNSUPPORTED_MARK,
    cited_numbers,
    clean,
    filing_label,
    in_paragraphs,
    lead_and_rest,
    one_line,
    place_label,
    shorten,
)
from fin_tui.ui.widgets.chart import ChartView


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


_GAP = 2
_INDENT = 2
_LEAST_LABEL = 12
"""Cells by which a company or a figure is known again."""
_TELLING = 4
"""Letters at the end of a cut label by which nobody tells it from another."""


class FigureTable(Vertical):
    """A row for each figure (or company), the calculation, and notes on restated or missing values."""

    def __init__(self) -> None:
        super().__init__()
        self._grid = self._operands = Grid((), ())
        self._known: frozenset[int] = frozenset()

    def compose(self) -> ComposeResult:
        yield CitedText(classes="figures")
        yield ChartView()
        yield Calculation()
        yield Static("", markup=False, classes="figure-notes")

    def show(self, figures: Figures, citations: Sequence[Citation]) -> None:
        """Fill the table; hidden when there are no figures."""
        self.display = bool(figures)
        if not figures:
            return
        self._grid = grouped(figures.grid(citations))
        self._known = frozenset(c.id for c in citations)
        self._operands = figures.operands(citations) if figures.calculation else Grid((), ())
        self.query_one(".figures").display = bool(self._grid.rows)
        self.query_one(Calculation).show(figures.calculation_lines)
        self._draw()
        self._lines(".figure-notes", self._grid.notes)
        self.query_one(ChartView).show(chart_of(figures, citations), self.content_region.width)

    def on_resize(self, event: events.Resize) -> None:
        self._draw()
        self.query_one(ChartView).fit(self.content_region.width)

    def _draw(self) -> None:
        """Columns where they fit, else a row's cells one under the other."""
        width = self.content_region.width
        if width and self._grid.rows:
            self.query_one(".figures", CitedText).update(grid_content(self._grid, width, self._known))
        if width and self._operands.rows:
            self.query_one(Calculation).draw(grid_content(self._operands, width - _INDENT, self._known))

    def _lines(self, selector: str, lines: Sequence[str]) -> None:
        widget = self.query_one(selector, Static)
        widget.update(Content("\n".join(clean(line) for line in lines)))
        widget.display = bool(lines)


class Calculation(Collapsible):
    """How the result was computed, and from what: folded away until someone looks."""

    def __init__(self) -> None:
        self._operands = CitedText(classes="operands")
        self._formula = Static("", markup=False)
        super().__init__(self._operands, self._formula, title="Calculation (h)", collapsed=True, classes="plan")
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
    """``grid`` for ``width`` cells: labels left, figures right under their headers.

    Where that is too wide, first the labels are cut, then a single row stands upright, then the marks of the sources are left
    out, then the days on which periods end stand in a line of their own; only then the cells are stacked.
    """
    upright, bare = _upright(grid), _without_ends(grid)
    for one, marks in ((grid, known), (upright, known), (grid, ()), (upright, ()), (bare, ())):
        if one is not None and (lines := _in_columns(one, width, marks)):
            ends = [_ends(grid)] if one is bare else []
            return Content("\n").join([*lines, *ends])
    return Content("\n").join(_stacked(grid, known))


def _in_columns(grid: Grid, width: int, marks: Collection[int]) -> list[Content]:
    """The header and the rows, with labels cut where they must be; empty where they are too wide all the same."""
    for least in (None, _LEAST_LABEL):
        widths = _widths(grid, marks)
        over = sum(widths) + _GAP * (len(widths) - 1) - width
        if over > 0 and least is not None and widths[0] - over >= least and (not marks or _tells_apart(grid, widths[0] - over)):
            widths[0] -= over
            over = 0
        if over <= 0:
            header = _line([Cell(name) for name in grid.header], widths, grid.labels, ())
            return [header.stylize("$foreground-muted"), *(_line(row, widths, grid.labels, marks) for row in grid.rows)]
    return []


def _upright(grid: Grid) -> Grid | None:
    """A row for each column of a grid of one figure; None of another."""
    if grid.labels > 1 or len(grid.rows) != 1 + grid.has_ends:
        return None
    columns = zip(grid.header[1:], *(row[1:] for row in grid.rows), strict=True)
    rows = tuple((Cell(name), *cells) for name, *cells in columns)
    return Grid((grid.header[0], *(row[0].text for row in grid.rows)), rows, labels=1 + grid.has_ends)


def _without_ends(grid: Grid) -> Grid | None:
    return replace(grid, rows=grid.rows[1:]) if grid.has_ends else None


def _ends(grid: Grid) -> Content:
    days = ", ".join(cell.text for cell in grid.rows[0][1:] if cell.text)
    return Content.styled(f"Periods end {days}", "$foreground-muted")


def _tells_apart(grid: Grid, width: int) -> bool:
    """Whether labels cut to ``width`` cells, the mark of the cut among them, still differ by more than a letter or two."""
    heads = {shorten(clean(row[0].text), width)[: max(width - _TELLING, 1)] for row in grid.rows}
    return len(heads) == len({row[0].text for row in grid.rows})


def _widths(grid: Grid, known: Collection[int]) -> list[int]:
    return [max(cell_len(name), *(_size(row[index], known) for row in grid.rows)) for index, name in enumerate(grid.header)]


def _stacked(grid: Grid, known: Collection[int]) -> Iterator[Content]:
    for row in grid.rows:
        yield Content(row[0].text)
        for name, cell in zip(grid.header[1:], row[1:], strict=True):
            lead = Content.styled(f"{name} " if grid.labels == 1 else "", "$foreground-muted")
            yield Content(" " * _INDENT) + lead + _cell(cell, known)


def _line(cells: Sequence[Cell], widths: Sequence[int], labels: int, known: Collection[int]) -> Content:
    line = Content("")
    for index, (cell, width) in enumerate(zip(cells, widths, strict=True)):
        if not index:
            cell = replace(cell, text=shorten(clean(cell.text), width))
        room = Content(" " * (width - _size(cell, known)))
        drawn = _cell(cell, known)
        line = line + (room + drawn if index >= labels else drawn + room)
        if index < len(widths) - 1:
            line = line + Content(" " * _GAP)
    return line


def _cell(cell: Cell, known: Collection[int]) -> Content:
    text = Content(clean(cell.text))
    if cell.fact is not None and text.plain:
        text = text.stylize(Style.from_meta({"@click": f"figure({cell.fact})"}))
    if cell.citation not in known:
        return text
    return text + Content(" ") + Content.styled(f"[{cell.citation}]", Style.from_meta({"@click": f"cite({cell.citation})"}))


def _size(cell: Cell, known: Collection[int]) -> int:
    return _cell(cell, known).cell_length


_COMPOUND = 2
"""Steps from which a question is compound."""


class PlanSteps(Collapsible):
    """Hidden for a question of one step."""

    def __init__(self) -> None:
        self._steps = Static("", markup=False)
        super().__init__(self._steps, title="", collapsed=True, classes="plan")
        self.display = False

    def show(self, plan: Sequence[Mapping[str, Any]]) -> None:
        """Number the steps of ``plan``, as the answer's contract has them."""
        self.display = len(plan) >= _COMPOUND
        self.title = f"Steps: {len(plan)} (h)"
        lines = [f"{number:>2}. {_step(step)}" for number, step in enumerate(plan, start=1)]
        self._steps.update(Content("\n".join(lines)))

    def toggle(self) -> None:
        """Fold the steps out or away."""
        self.collapsed = not self.collapsed


def _step(step: Mapping[str, Any]) -> str:
    operation, question = str(step.get("operation") or ""), str(step.get("question") or "")
    verb = "look up" if operation == "lookup" else operation
    return one_line(f"{verb}: {question.removeprefix(f'{operation} ')}")


_MOST_REFERENCES = 5
Plan = Sequence[Mapping[str, Any]]
"""The steps of a compound question, as the answer's contract has them."""


class RestOfAnswer(Collapsible):
    """What a long answer goes on to say: folded away, so that its beginning and its sources stand together."""

    def __init__(self) -> None:
        self._text = CitedText()
        super().__init__(self._text, title="", collapsed=True, classes="plan")
        self.display = False

    def show(self, text: str, known: Collection[int]) -> None:
        """Hidden when there is none."""
        self.display = bool(text)
        self.collapsed = True
        self.title = f"{count(len(text.split()), 'more word')} (h)"
        self._text.update(cited(text, known))

    def toggle(self) -> None:
        """Fold it out or away."""
        self.collapsed = not self.collapsed


class EvidenceCard(Vertical):
    """What the filings say, before any model has said a word."""

    def compose(self) -> ComposeResult:
        yield CitedText(classes="extract")
        yield RestOfAnswer()
        yield FigureTable()
        yield PlanSteps()
        yield Static("", markup=False, classes="notes")
        yield CitedText(classes="references")

    def on_mount(self) -> None:
        self.border_title = "Answer"

    def show(self, extract: str, passages: Sequence[Passage], notes: Sequence[str], figures: Figures, plan: Plan = ()) -> None:
        """Fill the card; ``extract`` carries [n] that name ``passages``."""
        self.query_one(PlanSteps).show(plan)
        known = {p.citation.id for p in passages}
        self.query_one(FigureTable).show(figures, [p.citation for p in passages])
        lead, rest = lead_and_rest(in_paragraphs(extract))
        self.query_one(".extract", CitedText).update(cited(lead, known))
        self.query_one(RestOfAnswer).show(rest, known)
        self.query_one(".references", CitedText).update(_references(extract, passages, figures))
        notes_line = self.query_one(".notes", Static)
        notes_line.update(Content("\n".join(f"Note: {clean(note)}" for note in notes)))
        notes_line.display = bool(notes)
        self.query_one(".extract").display = bool(extract)


def _references(extract: str, passages: Sequence[Passage], figures: Figures) -> Content:
    """One line for each place that the answer or its table cites, and how many more passages there are."""
    named = {number for _, _, number in cited_numbers(extract, {p.citation.id for p in passages})}
    named |= {cell.get("citation") for row in (figures.table or {}).get("rows", ()) for cell in row["cells"]}
    shown = [p for p in passages if p.citation.id in named or not named][:_MOST_REFERENCES]
    places: dict[str, list[Passage]] = {}
    for passage in shown:
        places.setdefault(f"{passage.citation.filing} {place_label(passage.citation)}", []).append(passage)
    lines = [_reference(same) for same in places.values()]
    if more := len(passages) - len(shown):
        lines.append(Content.styled(f"    {more} more in Sources", "$foreground-muted"))
    return Content("\n").join(lines)


def _reference(same: Sequence[Passage]) -> Content:
    """A line for one place, with the numbers of all that is cited there."""
    links = Content("")
    for number in (passage.citation.id for passage in same):
        links = links + Content.styled(f"[{number}]", Style.from_meta({"@click": f"cite({number})"}))
    citation = same[0].citation
    gap = " " * max(4 - len(links.plain), 1)
    return Content.assemble(links, gap, filing_label(citation), (" " + place_label(citation), "$foreground-muted"))


_NO_REASON = "no source supports it"
_LONGEST = 90
"""Characters of a sentence by which it is known again."""


class Reasons(Static, can_focus=True):
    """Hidden while there is nothing to say."""

    def __init__(self, *, classes: str | None = None) -> None:
        super().__init__("", markup=False, classes=classes)
        self._doubtful: tuple[Sentence, ...] = ()
        self.display = False

    def explain(self, sentences: Sequence[Sentence]) -> None:
        """Take the sentences that nothing supports; others are passed over."""
        self._doubtful = tuple(sentence for sentence in sentences if sentence.support == "unsupported")
        self.display = bool(self._doubtful)
        self.tooltip = self._told()
        self.update(self._short())

    def on_focus(self) -> None:
        self.update(self._told())

    def on_blur(self) -> None:
        self.update(self._short())

    def _short(self) -> Content:
        return Content(f"{UNSUPPORTED_MARK} {count(len(self._doubtful), 'unverified sentence')} (u: details)")

    def _told(self) -> Content:
        lines = []
        for sentence in self._doubtful:
            said = shorten(one_line(sentence.text), _LONGEST)
            why = clean(sentence.why) or _NO_REASON
            lines.append(Content.assemble((f"{UNSUPPORTED_MARK} ", "$warning"), f"“{said}” ", (f"{why}", "bold")))
        return Content("\n").join(lines)
