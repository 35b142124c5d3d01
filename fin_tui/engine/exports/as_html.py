"""A page as one HTML file that needs nothing else, on screen and on paper. All text is escaped (pure)."""

from __future__ import annotations

import re
from collections.abc import Iterator
from html import escape

from fin_tui.engine.exports.as_markdown import MARK, heading, paragraphs, quoted, source
from fin_tui.engine.exports.page import Footnote, Page, Part, Run
from fin_tui.engine.figures.shown import Cell, Grid
from fin_tui.filings.cleaning import clean

_STYLE = """
:root { color-scheme: light dark; }
body { font: 16px/1.55 Georgia, "Times New Roman", serif; max-width: 46rem; margin: 2.5rem auto; padding: 0 1rem; }
h1, h2, th { font-family: system-ui, sans-serif; line-height: 1.25; }
h1 { font-size: 1.6rem; } h2 { font-size: 1.1rem; margin-top: 2.2rem; }
blockquote { margin: 0; padding-left: 1rem; border-left: 3px solid #8a93a3; white-space: pre-wrap; }
table { border-collapse: collapse; margin: .8rem 0; font-variant-numeric: tabular-nums; }
th, td { padding: .25rem .7rem; border-bottom: 1px solid #8a93a355; text-align: right; }
th:first-child, td:first-child { text-align: left; }
.note { border: 1px solid #8a93a3; padding: .4rem .7rem; white-space: pre-wrap; }
.unsupported { text-decoration: underline wavy; }
.lines, .footnotes { font-size: .88rem; } sup a, .footnotes a { text-decoration: none; } .gone { font-weight: bold; }
@media print { body { margin: 0; max-width: none; font-size: 11pt; } h2, blockquote, table, li { break-inside: avoid; } }
"""


def html(page: Page) -> str:
    """The whole document."""
    title = _text(page.title)
    about = [f'<p class="about">{_text(page.about)}</p>'] if page.about else []
    body = [f"<h1>{title}</h1>", *about, *(line for part in page.parts for line in _part(part))]
    if page.unsupported:
        body.append(f"<p>{MARK} marks what nothing in the filings supports.</p>")
    if page.footnotes:
        notes = "\n".join(_footnote(note) for note in page.footnotes)
        body.append(f'<section class="footnotes"><h2>Sources</h2>\n<ol>\n{notes}\n</ol></section>')
    head = f'<meta charset="utf-8"><meta name="viewport" content="width=device-width"><title>{title}</title>'
    shown = "\n".join(body)
    return f'<!doctype html>\n<html lang="en"><head>{head}<style>{_STYLE}</style></head>\n<body>\n{shown}\n</body></html>\n'


def _part(part: Part) -> Iterator[str]:
    yield f"<h2>{_text(heading(part))}</h2>"
    if part.note:
        yield f'<p class="note">{_lines(part.note)}</p>'
    if part.quote:
        yield f"<blockquote>{_lines(part.quote.strip())}{''.join(_marks(run) for run in part.runs)}</blockquote>"
    else:
        for runs in paragraphs(part.runs):
            yield f"<p>{' '.join(_run(run) for run in runs)}</p>"
    if part.grid is not None and part.grid.rows:
        yield _table(part.grid)
    if lines := (*part.lines, *(part.grid.notes if part.grid else ())):
        yield f'<ul class="lines">{"".join(f"<li>{_text(line)}</li>" for line in lines)}</ul>'


def _run(run: Run) -> str:
    words = f'<span class="unsupported">{_text(run.text)}</span>' if run.is_unsupported else _text(run.text)
    return f"{words}{_marks(run)}"


def _marks(run: Run) -> str:
    return "".join(_mark(number) for number in run.notes) + (f" {MARK}" if run.is_unsupported else "")


def _mark(number: int) -> str:
    return f'<sup><a href="#note-{number}">[{number}]</a></sup>'


def _table(grid: Grid) -> str:
    head = "".join(f"<th>{_text(name)}</th>" for name in grid.header)
    rows = "".join(f"<tr>{''.join(f'<td>{_cell(cell)}</td>' for cell in row)}</tr>" for row in grid.rows)
    return f"<table><thead><tr>{head}</tr></thead><tbody>{rows}</tbody></table>"


def _cell(cell: Cell) -> str:
    return _text(cell.text) + (_mark(cell.citation) if cell.citation else "")


def _footnote(note: Footnote) -> str:
    where = _text(", ".join(source(note)))
    url = clean(note.citation.url or "")
    link = f', <a href="{escape(url)}">{escape(url)}</a>' if re.fullmatch(r"https?://[^\s<>\"']+", url) else ""
    words = f": “{_text(quoted(note))}”" if quoted(note) else ""
    gone = ' class="gone"' if note.place == "gone" else ""
    return f'<li id="note-{note.number}"{gone}>{where}{link}{words}</li>'


def _text(text: str) -> str:
    return escape(clean(text))


def _lines(text: str) -> str:
    """Text whose line breaks and columns stay."""
    return "\n".join("  ".join(_text(cell) for cell in line.split("\t")) for line in text.split("\n"))
