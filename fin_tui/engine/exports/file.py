"""A page as Markdown, HTML or CSV, and in a file that takes no other's place."""

from __future__ import annotations

import csv
import io
import re
from collections.abc import Iterator, Mapping, Sequence
from html import escape
from itertools import groupby
from pathlib import Path
from typing import Any, Literal

from fin_tui.engine.exports import Footnote, Format, Page, Part, Run
from fin_tui.engine.figures.shown import GAP, Cell, Grid
from fin_tui.errors import FinTuiError
from fin_tui.language import clean, runs_of
from fin_tui.records.answer import page_name
from fin_tui.store import codec

_MARKUP = re.compile(r"([\\`*\[|]|(?<![^\W_])_|_(?![^\W_])|<(?=[A-Za-z/!?])|~(?=~)|(?<=~)~)")
"""What is markup where it stands: an underscore within a word, or a lone "<" or "~", is none."""
_AT_START = re.compile(r"^(\s*)(?:([#+\-]+|>)(?=\s|$|>)|(\d+)([.)])(?=\s|$)|(---+|=+)$)")
_GLYPH = "• "
_ESCAPED = "\\. "
"""Behind the number of an item, escaped so that it is none."""
_NO_ADDRESS = frozenset(" <>\"'")
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


def paragraphs(runs: tuple[Run, ...]) -> Iterator[tuple[tuple[Run, ...], ...]]:
    """The sentences in paragraphs of lines, as the answer has them; some each where it parts none. A table stands alone."""
    for is_table, group in groupby(runs, lambda run: run.grid is not None):
        own = tuple(group)
        if not is_table and any(run.opens for run in own):
            yield from _as_told(own)
            continue
        size = 1 if is_table else _PER_PARAGRAPH
        for at in range(0, len(own), size):
            yield (own[at : at + size],)


def _as_told(runs: Sequence[Run]) -> Iterator[tuple[tuple[Run, ...], ...]]:
    lines: list[list[Run]] = []
    for run in runs:
        if run.opens == "paragraph" and lines:
            yield tuple(map(tuple, lines))
            lines = []
        if run.opens or not lines:
            lines.append([])
        lines[-1].append(run)
    yield tuple(map(tuple, lines))


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
        for told in paragraphs(part.runs):
            yield "\n".join(_line(runs, is_item=len(told) > 1) for runs in told)
            yield from (_table(run.grid) for runs in told for run in runs if run.grid is not None)
    if part.grid is not None and part.grid.rows:
        yield _table(part.grid)
    yield "\n".join(f"- {_text(line)}" for line in _details(part))


def _details(part: Part) -> Iterator[str]:
    """The calculation and the notes; what marks a gap on a screen is no second bullet."""
    yield from part.lines
    yield from (note.removeprefix(f"{GAP} ") for note in (part.grid.notes if part.grid else ()))


def _line(runs: Sequence[Run], *, is_item: bool) -> str:
    """Sentences one behind the other; the items of a list as a list of Markdown."""
    text = " ".join(f"{_text(run.text)}{_marks(run)}" for run in runs)
    if is_item and text.startswith(_GLYPH):
        return f"- {text.removeprefix(_GLYPH)}"
    number, mark, rest = text.partition(_ESCAPED)
    return f"{number}. {rest}" if is_item and mark and number.isdecimal() else text


def _marks(run: Run) -> str:
    return "".join(f"[^{number}]" for number in run.notes) + (f" {MARK}" if run.is_unsupported else "")


def _table(grid: Grid) -> str:
    rows = [[_text(name) for name in grid.header], ["---", *["---:"] * (len(grid.header) - 1)]]
    for row in grid.rows:
        rows.append([_text(cell.text) + (f"[^{cell.citation}]" if cell.citation else "") for cell in row])
    return "\n".join(f"| {' | '.join(row)} |" for row in rows)


def _address(note: Footnote) -> str:
    url = clean(note.citation.url or "")
    return f", <{url}>" if _is_address(url) else ""


def _is_address(url: str) -> bool:
    return url.startswith(("https://", "http://")) and not _NO_ADDRESS & set(url)


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
    title = _html_text(page.title)
    about = [f'<p class="about">{_html_text(page.about)}</p>'] if page.about else []
    body = [f"<h1>{title}</h1>", *about, *(line for part in page.parts for line in _html_part(part))]
    if page.unsupported:
        body.append(f"<p>{MARK} marks what nothing in the filings supports.</p>")
    if page.footnotes:
        notes = "\n".join(_footnote(note) for note in page.footnotes)
        body.append(f'<section class="footnotes"><h2>Sources</h2>\n<ol>\n{notes}\n</ol></section>')
    head = f'<meta charset="utf-8"><meta name="viewport" content="width=device-width"><title>{title}</title>'
    shown = "\n".join(body)
    return f'<!doctype html>\n<html lang="en"><head>{head}<style>{_STYLE}</style></head>\n<body>\n{shown}\n</body></html>\n'


def _html_part(part: Part) -> Iterator[str]:
    yield f"<h2>{_html_text(heading(part))}</h2>"
    if part.note:
        yield f'<p class="note">{_lines(part.note)}</p>'
    if part.quote:
        yield f"<blockquote>{_lines(part.quote.strip())}{''.join(_html_marks(run) for run in part.runs)}</blockquote>"
    else:
        for told in paragraphs(part.runs):
            yield f"<p>{'<br>'.join(' '.join(map(_run, runs)) for runs in told)}</p>"
            yield from (_html_table(run.grid) for runs in told for run in runs if run.grid is not None)
    if part.grid is not None and part.grid.rows:
        yield _html_table(part.grid)
    if lines := tuple(_details(part)):
        yield f'<ul class="lines">{"".join(f"<li>{_html_text(line)}</li>" for line in lines)}</ul>'


def _run(run: Run) -> str:
    words = f'<span class="unsupported">{_html_text(run.text)}</span>' if run.is_unsupported else _html_text(run.text)
    return f"{words}{_html_marks(run)}"


def _html_marks(run: Run) -> str:
    return "".join(_mark(number) for number in run.notes) + (f" {MARK}" if run.is_unsupported else "")


def _mark(number: int) -> str:
    return f'<sup><a href="#note-{number}">[{number}]</a></sup>'


def _html_table(grid: Grid) -> str:
    head = "".join(f"<th>{_html_text(name)}</th>" for name in grid.header)
    rows = "".join(f"<tr>{''.join(f'<td>{_cell(cell)}</td>' for cell in row)}</tr>" for row in grid.rows)
    return f"<table><thead><tr>{head}</tr></thead><tbody>{rows}</tbody></table>"


def _cell(cell: Cell) -> str:
    return _html_text(cell.text) + (_mark(cell.citation) if cell.citation else "")


def _footnote(note: Footnote) -> str:
    where = _html_text(", ".join(source(note)))
    url = clean(note.citation.url or "")
    link = f', <a href="{escape(url)}">{escape(url)}</a>' if _is_address(url) else ""
    words = f": “{_html_text(quoted(note))}”" if quoted(note) else ""
    gone = ' class="gone"' if note.place == "gone" else ""
    return f'<li id="note-{note.number}"{gone}>{where}{link}{words}</li>'


def _html_text(text: str) -> str:
    return escape(clean(text))


def _lines(text: str) -> str:
    """Text whose line breaks and columns stay."""
    return "\n".join("  ".join(_html_text(cell) for cell in line.split("\t")) for line in text.split("\n"))


COLUMNS = (
    *("question", "company", "label", "concept", "dimensions", "period_start", "period_end", "value", "unit", "as_reported"),
    *("restated", "source", "filing", "accession", "file", "item", "page_label", "page", "note"),
)
_FORMULA = ("=", "+", "-", "@")
_DIGITS = 15
"""What a double holds for sure: the noise of arithmetic lies behind them."""


def figures_csv(page: Page) -> str:
    """A row for each figure, header first."""
    out = io.StringIO()
    writer = csv.writer(out, lineterminator="\n")
    writer.writerow(COLUMNS)
    for figure in page.figures:
        writer.writerow([safe_cell(figure.get(column)) for column in COLUMNS])
    return out.getvalue()


def safe_cell(value: Any) -> str:
    """A value as a spreadsheet takes it: numbers stay numbers, text that it would run as a formula is put as text."""
    if value is None:
        return ""
    if isinstance(value, Mapping):
        value = "; ".join(f"{name}={member}" for name, member in value.items())
    if isinstance(value, float):
        return f"{value:.0f}" if value.is_integer() else f"{value:.{_DIGITS}g}"
    text = clean(str(value))
    return f"'{text}" if isinstance(value, str) and text.startswith(_FORMULA) else text


_LONGEST_NAME = 60
_MOST_TRIES = 1000


Taken = Literal["replace", "beside"]
"""What becomes of a file that has the name already."""


class NameTaken(FinTuiError):
    """A file of that name is there already."""

    def __init__(self, path: Path, hint: str = "Replace it, or name another one.") -> None:
        super().__init__(f"{path} exists already.", hint)
        self.path = path


def text_of(page: Page, form: Format) -> str:
    """The page as Markdown, HTML, one JSON document, or its figures as CSV; ends with a line break."""
    match form:
        case "md":
            return markdown(page)
        case "html":
            return html(page)
        case "csv":
            return figures_csv(page)
        case _:
            return f"{codec.to_json(page.document)}\n"


def write(path: Path, text: str) -> None:
    """Write ``text`` to ``path``, over what is there. Raises ``FinTuiError``."""
    try:
        path.write_text(text, encoding="utf-8")
    except OSError as error:
        raise FinTuiError(f"{path} can't be written: {error.strerror}.", "Name another file with -o.") from error


def write_new(folder: Path, name: str, form: Format, text: str, taken: Taken | None = None) -> Path:
    """Write ``text`` to a file of ``folder`` called after ``name``. Raises ``FinTuiError``, of a file that is there already
    ``NameTaken``, unless ``taken`` says whether it is to be replaced or to stay beside a new one.
    """
    words = "-".join(runs_of(name.casefold(), "_"))[:_LONGEST_NAME].strip("-") or "export"
    try:
        folder.mkdir(parents=True, exist_ok=True)
        if taken == "replace":
            write(folder / f"{words}.{form}", text)
            return folder / f"{words}.{form}"
        for count in range(1, _MOST_TRIES):
            path = folder / f"{words}{f'-{count}' if count > 1 else ''}.{form}"
            try:
                with path.open("x", encoding="utf-8") as stream:
                    stream.write(text)
            except FileExistsError:
                if taken is None:
                    raise NameTaken(path) from None
                continue
            return path
    except OSError as error:
        raise FinTuiError(f"{folder} can't be written: {error.strerror}.", "Export on the command line with -o FILE.") from error
    raise FinTuiError(f"{folder} is full of files called {words}.", "Move some of them away.")
