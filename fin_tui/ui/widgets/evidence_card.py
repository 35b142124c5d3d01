"""The evidence card: sentences taken from the filings with their [n], then the passages they stand in."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from textual.app import ComposeResult
from textual.containers import Vertical
from textual.content import Content
from textual.style import Style
from textual.widgets import Static

from fin_tui.engine.answering.events import Passage
from fin_tui.engine.figures.shown import Figures
from fin_tui.ui.text import cited_numbers, clean, filing_label, in_paragraphs, place_label
from fin_tui.ui.widgets.cited_text import CitedText, cited
from fin_tui.ui.widgets.figure_table import FigureTable
from fin_tui.ui.widgets.plan import PlanSteps

_MOST_REFERENCES = 5
Plan = Sequence[Mapping[str, Any]]
"""The steps of a compound question, as the answer's contract has them."""


class EvidenceCard(Vertical):
    """What the filings say, before any model has said a word."""

    def compose(self) -> ComposeResult:
        yield CitedText(classes="extract")
        yield FigureTable()
        yield PlanSteps()
        yield CitedText(classes="references")
        yield Static("", markup=False, classes="notes")

    def on_mount(self) -> None:
        self.border_title = "Evidence"

    def show(self, extract: str, passages: Sequence[Passage], notes: Sequence[str], figures: Figures, plan: Plan = ()) -> None:
        """Fill the card; ``extract`` carries [n] that name ``passages``."""
        self.query_one(PlanSteps).show(plan)
        known = {p.citation.id for p in passages}
        self.query_one(FigureTable).show(figures, [p.citation for p in passages])
        self.query_one(".extract", CitedText).update(cited(in_paragraphs(extract), known))
        self.query_one(".references", CitedText).update(_references(extract, passages))
        notes_line = self.query_one(".notes", Static)
        notes_line.update(Content("\n".join(f"Note: {clean(note)}" for note in notes)))
        notes_line.display = bool(notes)
        self.query_one(".extract").display = bool(extract)


def _references(extract: str, passages: Sequence[Passage]) -> Content:
    """One line for each passage that the extract cites, and how many more there are."""
    named = {number for _, _, number in cited_numbers(extract, {p.citation.id for p in passages})}
    shown = [p for p in passages if p.citation.id in named or not named][:_MOST_REFERENCES]
    lines = [_reference(passage) for passage in shown]
    if more := len(passages) - len(shown):
        lines.append(Content.styled(f"    {more} more in Sources", "$foreground-muted"))
    return Content("\n").join(lines)


def _reference(passage: Passage) -> Content:
    number = passage.citation.id
    link = Content.styled(f"[{number}]", Style.from_meta({"@click": f"cite({number})"}))
    return Content.assemble(
        link,
        " " * max(4 - len(link.plain), 1),
        filing_label(passage.citation),
        (" " + place_label(passage.citation), "$foreground-muted"),
    )
