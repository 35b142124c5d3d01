"""What is copied: answers and passages as Markdown that can be checked elsewhere, figures as a table. Pure."""

from __future__ import annotations

from collections.abc import Sequence

from fin_tui.engine.answering.events import Passage
from fin_tui.engine.figures.shown import Figures, Grid
from fin_tui.records import Answer, Citation
from fin_tui.ui.text import clean, one_line


def answer_text(answer: Answer, passages: Sequence[Passage]) -> str:
    """Question, answer with [n], figures, what is noted of them, and the sources that it cites."""
    parts = [f"**{one_line(answer.question)}**", clean(answer.caution), clean(answer.answer).strip()]
    figures = Figures.of(answer)
    citations = [p.citation for p in passages] or list(answer.citations)
    if figures:
        grid = figures.page_grid(citations)
        parts += [_markdown_table(grid), *(f"- {line}" for line in (*figures.calculation_lines, *grid.notes))]
    parts += [f"Note: {clean(note)}" for note in answer.notes]
    cited = {number for sentence in answer.sentences for number in sentence.citations}
    cited |= {number for fact in answer.facts if (number := fact.get("citation")) is not None}
    sources = [c for c in citations if c.id in cited] or list(answer.citations)
    if sources:
        parts.append("Sources:\n" + "\n".join(f"- {source_line(c)}" for c in sources))
    return "\n\n".join(part for part in parts if part) + "\n"


def passage_text(passage: Passage) -> str:
    """The passage as it stands, then its reference and address."""
    quoted = "\n".join(f"> {line}" for line in clean(passage.text).strip().split("\n"))
    return f"{quoted}\n\n{source_line(passage.citation, quote=False)}\n"


def source_line(citation: Citation, *, quote: bool = True) -> str:
    """ "[1] Apple Inc. 10-K FY2025 (2025-09-27), Item 1A, p. 12: “…” accession or address"."""
    words = f": “{one_line(citation.words)}”" if quote and citation.quote else ""
    where = f" {one_line(citation.url)}" if citation.url else f" ({one_line(citation.file)})"
    return f"[{citation.id}] {one_line(citation.reference)}{words}{where}"


def _markdown_table(grid: Grid) -> str:
    rows = [list(grid.header), ["---", *["---:"] * (len(grid.header) - 1)]]
    for row in grid.rows:
        rows.append([f"{cell.text} [{cell.citation}]" if cell.citation else cell.text for cell in row])
    return "\n".join("| " + " | ".join(cell.replace("|", "\\|") for cell in row) + " |" for row in rows)
