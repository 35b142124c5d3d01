"""The contextual header of a chunk: whose filing, which period, which Item, which heading, which table."""

from __future__ import annotations

from collections.abc import Sequence

from fin_tui.filings.section_items import BY_NUMBER, plain
from fin_tui.records import Filing, Section, Table

_SHORT = {
    "4": "Mine Safety",
    "5": "Market for Common Equity",
    "7": "Management's Discussion and Analysis",
    "7A": "Market Risk",
    "8": "Financial Statements",
    "9": "Disagreements with Accountants",
    "9C": "Foreign Jurisdictions",
    "10": "Directors and Corporate Governance",
    "12": "Security Ownership",
    "13": "Related Transactions",
    "15": "Exhibits",
}
_ROOM = 9  # Words of heading and title above which a note's name is left out.
_DOT = " · "


def filing_header(filing: Filing) -> str:
    """Company, form and period: "Apple Inc. (AAPL) · 10-K · FY2024, ended 2024-09-28"."""
    name = f"{filing.company} ({filing.ticker})" if filing.ticker else filing.company
    year = f"FY{filing.fiscal_year}" if filing.fiscal_year else ""
    ended = f"ended {filing.period_end.isoformat()}" if filing.period_end else ""
    return _DOT.join(part for part in (name, filing.form, ", ".join(p for p in (year, ended) if p)) if part)


def item_header(sections: Sequence[Section]) -> str:
    """The Item in few words: "Item 7 Management's Discussion and Analysis"; a section's title where it has no Item."""
    numbers = [section.item for section in sections if section.item]
    if not numbers:
        return cut(sections[0].title, 6) if sections and sections[0].title != "Cover" else "Cover page"
    if len(numbers) > 1:
        return f"Items {', '.join(numbers)} {cut(sections[0].title, 7)}"
    number = numbers[0]
    usual = BY_NUMBER[number].pattern.match(plain(sections[0].title)) is not None
    title = (
        _SHORT.get(number, BY_NUMBER[number].title) if usual and number not in ("4", "14", "15") else cut(sections[0].title, 7)
    )
    return f"Item {number} {title}"


def chunk_header(filing: str, item: str, heading: str, note: str = "", table: Table | None = None) -> str:
    """All parts in order, each once."""
    parts = [filing, item]
    title, units = (cut(table.title, 28), cut(table.units, 8)) if table is not None else ("", "")
    # A tagged note's name helps where the headings say little; a tagged table's name says what its title says.
    room = _ROOM - len(heading.split()) - len(title.split())
    named = note if room > 0 and not (title and note.startswith("Schedule")) else ""
    for part in (cut(named, 8), cut(heading, 12), title):
        words = plain(part)
        if words and not any(words in plain(known) for known in parts[1:]):
            parts.append(part)
    if units and plain(units) not in plain(title):
        parts.append(units)
    return _DOT.join(part for part in parts if part)


def unsaid_lines(text: str, header: str) -> str:
    """The lines of ``text`` that ``header`` does not say already: what is said twice costs an encoder twice."""
    said = plain(header)
    parts = [plain(part) for part in header.split(_DOT)[2:]]
    kept = []
    for line in text.splitlines():
        words = plain(line)
        known = words in said or any(part and part in words and len(words) - len(part) < 40 for part in parts)
        if words and not known:
            kept.append(line)
    return "\n".join(kept)


def cut(text: str, words: int) -> str:
    """``text`` up to that many words, with an ellipsis where some are left out."""
    found = text.split()
    return " ".join(found) if len(found) <= words else " ".join(found[:words]) + "…"
