"""What the tools answer, as text that a language model reads and can cite (pure)."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import TYPE_CHECKING, Any

from fin_tui.language import clean
from fin_tui.records import Answer, Filing, Hit

if TYPE_CHECKING:
    from fin_tui.engine.checking.check import Checked, CheckedNumber

_MARKS = {"supported": "✓", "contradicted": "✗", "unknown": "?"}


def filing_line(filing: Filing) -> str:
    """One line that tells a filing from others."""
    year = filing.fiscal_year or "year unknown"
    items = f"Items {', '.join(filing.items)}" if filing.items else "no Items found"
    known = [filing.cik and f"CIK {filing.cik}", filing.ticker, f"{filing.pages} pages", items, f"id {filing.id}"]
    return clean(" — ".join((filing.company or filing.file, f"{year} {filing.form}", *filter(None, known))))


def company_lines(filings: Sequence[Filing]) -> str:
    """A line for each company of ``filings``: name, CIK, ticker, what is held."""
    lines = []
    for key in dict.fromkeys(filing.company_key for filing in filings):
        own = [filing for filing in filings if filing.company_key == key]
        latest = own[-1]
        number = f"CIK {latest.cik}" if latest.cik else "CIK unknown (give the name instead)"
        held = ", ".join(f"{filing.fiscal_year or '?'} {filing.form}" for filing in own)
        lines.append(" — ".join(filter(None, (clean(latest.company or latest.file), number, latest.ticker, f"held: {held}"))))
    return "\n".join(lines)


def quotes(hits: Iterable[Hit], titles: Mapping[tuple[str, str], str], notes: Iterable[str]) -> str:
    """Passages as numbered quotes, each under ``company — year form — section``. ``titles``: (filing, Item) -> its title."""
    parts = []
    for number, hit in enumerate(hits, 1):
        chunk, filing = hit.chunk, hit.filing
        title = titles.get((filing.id, chunk.item), "")
        section = f"Item {chunk.item} {title}".strip() if chunk.item else chunk.heading or "no Item"
        head = f"[{number}] {filing.company or filing.file} — {filing.fiscal_year or '?'} {filing.form} — {section}"
        place = [f"p. {chunk.page_label or chunk.page}", *([chunk.heading] if chunk.heading else []), filing.url or filing.file]
        parts.append("\n".join((clean(head), *_quoted(chunk.text), clean(f"({'; '.join(place)})"))))
    return "\n\n".join((*parts, *(clean(note) for note in notes)))


def _quoted(text: str) -> list[str]:
    return [f"> {line}" for line in (clean(line) for line in text.splitlines()) if line]


def figures(documents: Iterable[Mapping[str, Any]]) -> str:
    """A line for each figure, computed value or gap, with its place."""
    return "\n".join(clean(_figure(document)) for document in documents)


def _figure(figure: Mapping[str, Any]) -> str:
    head = f"{figure['company']} — FY{figure['fiscal_year']} — {figure['metric']}"
    if figure["value"] is None:
        near = f" Near: {'; '.join(figure['near'])}." if figure["near"] else ""
        return f"{head}: not found. {figure['gap']}{near}"
    said = f"{head}: {figure['display']}"
    if "inputs" in figure:
        inputs = "; ".join(f"{one['label']} {one['as_reported']} {_place(one)}" for one in figure["inputs"])
        return f"{said} = {figure['expression']} ({inputs})"
    restated = "" if figure["restated"] is None else f"restated as {figure['restated']:,.12g}"
    note = "; ".join(filter(None, (restated, figure["note"])))
    return f"{said} ({figure['label']}, period to {figure['period_end']}){f' {note}' if note else ''} {_place(figure)}"


def _place(figure: Mapping[str, Any]) -> str:
    where = [figure["file"], figure.get("item") and f"Item {figure['item']}", figure.get("page") and f"p. {figure['page']}"]
    return f"[{', '.join(filter(None, where))}]"


def answer(found: Answer) -> str:
    """The answer with its calculation, table and sources; for a refusal why, and what comes near."""
    lines = [found.answer if found.status == "answered" else f"No answer ({_kind(found)}): {found.answer}"]
    if found.refusal is not None and found.refusal.fetch:
        lines.append(f"EDGAR may have it: {found.refusal.fetch}")
    if found.calculation:
        lines.append(f"Calculation: {found.calculation['substituted']} = {found.calculation['display']}")
    if found.table:
        for row in found.table["rows"]:
            cells = zip(found.table["columns"], row["cells"], strict=True)
            lines.append(f"{row['label']}: " + "; ".join(f"{name} {cell.get('display') or '–'}" for name, cell in cells))
    sources = []
    for citation in found.citations:
        number = f"[{citation.id}]" if found.status == "answered" else "Nearest:"
        sources += [f"{number} {clean(citation.reference)}", *_quoted(citation.words)]
    return "\n".join((*lines, *(("", *sources) if sources else ())))


def _kind(found: Answer) -> str:
    return found.refusal.kind if found.refusal is not None else found.status


def checked(found: Checked) -> str:
    """Each sentence with a verdict for each of its numbers."""
    lines = [f"The text is {found.status}."]
    for statement in found.statements:
        if statement.numbers:
            lines.append(f"{_MARKS[statement.status]} {clean(statement.text)}")
            lines += [f"  {_MARKS[number.status]} {_number(number)}" for number in statement.numbers]
    return "\n".join(lines)


def _number(number: CheckedNumber) -> str:
    place = f" {_place(number.found)}" if number.found else ""
    return clean(f"{number.text}: {number.status}. {number.why}{place}")


def part_of(text: str, start: int, most: int) -> str:
    """At most ``most`` characters of ``text`` from ``start``, ending with a line where it can, and how to read on."""
    end = min(len(text), start + most)
    if end < len(text):
        end = text.rfind("\n", start + most // 2, end) + 1 or end
    rest = f"\n\n[characters {start:,} to {end:,} of {len(text):,}; read on with start={end}]" if end < len(text) else ""
    return text[start:end] + rest
