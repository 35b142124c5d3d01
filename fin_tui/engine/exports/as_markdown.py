"""A page as Markdown with footnotes. Text of filings, models and readers can't become markup (pure)."""

from __future__ import annotations

import re
from collections.abc import Iterator

from fin_tui.engine.exports.page import Footnote, Page, Part, Run
from fin_tui.engine.figures.shown import Grid
from fin_tui.filings.cleaning import clean
from fin_tui.records.places import page_name

_MARKUP = re.compile(r"([\\`*\[|]|(?<![^\W_])_|_(?![^\W_])|<(?=[A-Za-z/!?])|~(?=~)|(?<=~)~)")
"""What is markup where it stands: an underscore within a word, or a lone "<" or "~", is none."""
_AT_START = re.compile(r"^(\s*)(?:([#+\-=]+|>)(?=\s|$|>)|(\d+)([.)])(?=\s|$)|(---+|===+)$)")
_PER_PARAGRAPH = 4
_LONGEST_QUOTE = 600
MARK = "⚠"
GONE = "no longer found in the text that the library holds"
MOVED = "found again at another place of the text, which was read anew"


def markdown(page: Page) -> str:
    """The whole page, newline at the end."""
    blocks = [f"# {_text(page.title)}", _text(page.about)]
    for part in page.parts:
        blocks += _part(part)
    if page.unsupported:
        blocks.append(f"{MARK} marks what nothing in the filings supports.")
    blocks.append("\n".join(f"[^{note.number}]: {footnote(note)}" for note in page.footnotes))
    return "\n\n".join(block for block in blocks if block) + "\n"


def footnote(note: Footnote) -> str:
    """ "Apple Inc., 10-K for the period ended 2024-09-28 (FY2024), Item 8, p. 32, accession …, <address>: “…”"."""
    return f"{_text(', '.join(source(note)))}{_address(note)}{_quote(note)}"


def source(note: Footnote) -> tuple[str, ...]:
    """Company, form, period, Item, page, accession (or file), each for people."""
    citation = note.citation
    year = f" (FY{citation.fiscal_year})" if citation.fiscal_year else ""
    period = f" for the period ended {citation.period_end}" if citation.period_end else ""
    parts = (
        citation.company or "Unknown company",
        f"{citation.form}{period}{year}",
        f"Item {citation.item}" if citation.item else "",
        page_name(citation.page, citation.page_label),
        f"accession {note.accession}" if note.accession else f"file {citation.file} ({citation.filing})",
        {"gone": GONE, "moved": MOVED}.get(note.place, ""),
    )
    return tuple(filter(None, parts))


def quoted(note: Footnote) -> str:
    """The quote in one line, cut where it is very long."""
    words = clean(note.citation.words)
    return words if len(words) <= _LONGEST_QUOTE else f"{words[:_LONGEST_QUOTE].rstrip()} …"


def paragraphs(runs: tuple[Run, ...]) -> Iterator[tuple[Run, ...]]:
    """Some sentences each."""
    for at in range(0, len(runs), _PER_PARAGRAPH):
        yield runs[at : at + _PER_PARAGRAPH]


def heading(part: Part) -> str:
    """What a part is called; refusals and failures say so."""
    lead = {"refusal": "Not answered: ", "error": "Failed: "}.get(part.kind, "")
    return f"{lead}{clean(part.title)}"


def _part(part: Part) -> Iterator[str]:
    yield f"## {_text(heading(part))}"
    if part.note:
        yield "\n".join(f"**Note:** {_text(line)}" if not at else _text(line) for at, line in enumerate(part.note.splitlines()))
    if part.quote:
        lines = [f"> {_text(line)}".rstrip() for line in part.quote.strip().split("\n")]
        yield "\n".join(lines) + "".join(_marks(run) for run in part.runs)
    else:
        for runs in paragraphs(part.runs):
            yield " ".join(f"{_text(run.text)}{_marks(run)}" for run in runs)
    if part.grid is not None and part.grid.rows:
        yield _table(part.grid)
    yield "\n".join(f"- {_text(line)}" for line in (*part.lines, *(part.grid.notes if part.grid else ())))


def _marks(run: Run) -> str:
    return "".join(f"[^{number}]" for number in run.notes) + (f" {MARK}" if run.is_unsupported else "")


def _table(grid: Grid) -> str:
    rows = [[_text(name) for name in grid.header], ["---", *["---:"] * (len(grid.header) - 1)]]
    for row in grid.rows:
        rows.append([_text(cell.text) + (f"[^{cell.citation}]" if cell.citation else "") for cell in row])
    return "\n".join(f"| {' | '.join(row)} |" for row in rows)


def _address(note: Footnote) -> str:
    url = clean(note.citation.url or "")
    return f", <{url}>" if re.fullmatch(r"https?://[^\s<>]+", url) else ""


def _quote(note: Footnote) -> str:
    words = quoted(note)
    return f": “{_text(words)}”" if words else ""


def _text(text: str) -> str:
    """One line in which nothing is markup."""
    return _AT_START.sub(_unmarked, _MARKUP.sub(r"\\\1", clean(text)))


def _unmarked(match: re.Match[str]) -> str:
    """The beginning of a line without what would make it a heading or a list. A digit can't be escaped, the dot behind it can."""
    space, mark, digits, dot, line = match.groups()
    return f"{space}{digits}\\{dot}" if digits else f"{space}\\{mark or line}"
