"""One passage with its reference above it and the cited span marked."""

from __future__ import annotations

from textual.app import ComposeResult
from textual.containers import Vertical
from textual.content import Content
from textual.widgets import Static

from fin_tui.engine.answering.events import Passage
from fin_tui.records import Span
from fin_tui.ui.text import filing_label, one_line, place_label, shorten
from fin_tui.ui.widgets.text_view import TextView

_HEADING = 70


class PassageView(Vertical):
    """A passage as it stands in the filing."""

    def compose(self) -> ComposeResult:
        yield Static("", markup=False, id="passage-title")
        yield TextView(id="passage-text")

    def show_passage(self, passage: Passage) -> None:
        """Show ``passage``; its quote is marked and scrolled to."""
        citation = passage.citation
        title = Content.assemble(
            (f"[{citation.id}] {filing_label(citation)}", "bold"), "\n", (place_label(citation), "$foreground-muted")
        )
        if heading := shorten(one_line(citation.heading), _HEADING):
            title = title + Content.styled(f" · {heading}", "$foreground-muted")
        self.query_one("#passage-title", Static).update(title)
        mark = Span(citation.start - passage.start, citation.end - passage.start)
        is_inside = 0 <= mark.start < mark.end <= len(passage.text)
        self.query_one(TextView).show(passage.text, [mark] if is_inside else [])
