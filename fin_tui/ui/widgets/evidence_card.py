"""The evidence card: sentences taken from the filings with their [n], then the passages they stand in."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from typing import Any

from textual.app import ComposeResult
from textual.containers import Vertical
from textual.content import Content
from textual.style import Style
from textual.widgets import Collapsible, Static

from fin_tui.engine.answering.events import Passage
from fin_tui.engine.figures.shown import Figures
from fin_tui.plural import count
from fin_tui.ui.text import cited_numbers, clean, filing_label, in_paragraphs, lead_and_rest, place_label
from fin_tui.ui.widgets.cited_text import CitedText, cited
from fin_tui.ui.widgets.figure_table import FigureTable
from fin_tui.ui.widgets.plan import PlanSteps

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
