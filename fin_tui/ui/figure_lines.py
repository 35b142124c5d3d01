"""What is known of a figure, as lines for the screen and for copying. Pure."""

from __future__ import annotations

from typing import TYPE_CHECKING

from textual.content import Content

from fin_tui.ui.text import one_line, year_label

if TYPE_CHECKING:
    from fin_tui.engine.figures.detail import FigureDetail, Stated

_NAME = 12
_SOURCES = {
    "xbrl": "tagged in the filing (inline XBRL)",
    "table": "read from a table of the filing, which has no tag for it",
    "text": "read from a sentence of the filing, which has no tag for it",
}


def facts_of(detail: FigureDetail) -> list[tuple[str, str]]:
    """(name, value) lines of what the figure is."""
    lines = [
        ("Value", detail.text),
        ("Company", detail.filing.company),
        ("Period", detail.period),
        ("Concept", detail.concept),
        *(("Part", f"{axis}: {member}") for axis, member in detail.dimensions),
        ("Unit", ", ".join(filter(None, (detail.unit, detail.decimals)))),
        ("Source", _SOURCES.get(detail.source, detail.source)),
        ("Note", detail.note),
        ("Restated", "; ".join(f"{place.text} in {year_label(place.filing)}" for place in detail.restated)),
    ]
    return [(name, one_line(value)) for name, value in lines if value]


def head(detail: FigureDetail) -> Content:
    """The upper part of the screen."""
    return Content("\n").join(
        [Content.assemble((f"{name:<{_NAME}}", "$foreground-muted"), value) for name, value in facts_of(detail)]
    )


def place_line(stated: Stated) -> str:
    """ "$391,035 million   FY2024 10-K · Item 8 · p. 32"."""
    filing = f"{year_label(stated.filing)} {stated.filing.form}"
    where = " · ".join(filter(None, (f"Item {stated.item}" if stated.item else "", f"p. {stated.page}" if stated.page else "")))
    mark = "  ® another value" if stated.is_different else ""
    return one_line(f"{stated.text}   {filing} · {where or 'in its hidden data, not printed'}") + mark


def year_line(stated: Stated) -> str:
    """ "2023-09-30   $383,285 million   FY2025 10-K · Item 8 · p. 29"."""
    return f"{stated.fact.period_end}   {place_line(stated)}"


def copied(detail: FigureDetail) -> str:
    """All of it as plain text."""
    parts = [one_line(detail.label), *(f"{name}: {value}" for name, value in facts_of(detail)), "Stands at:"]
    parts += [f"- {place_line(place)}" for place in detail.places]
    if detail.years:
        parts += ["Other periods:", *(f"- {year_line(year)}" for year in detail.years)]
    return "\n".join(parts) + "\n"
