"""A checked text as lines for the screen and as Markdown. Pure."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from textual.content import Content

from fin_tui.records.places import place_of
from fin_tui.ui.text import one_line

if TYPE_CHECKING:
    from fin_tui.engine.checking.check import Checked, CheckedNumber

MARKS = {"supported": ("✓", "$success"), "contradicted": ("✗", "$error"), "unknown": ("?", "$warning")}


@dataclass(frozen=True, slots=True)
class Place:
    """Where the figure that was found stands."""

    filing: str
    title: str
    start: int
    end: int


@dataclass(frozen=True, slots=True)
class Finding:
    """A line: a statement, or one number of it with the place it was held against."""

    content: Content
    is_number: bool = False
    place: Place | None = None


def findings(checked: Checked) -> list[Finding]:
    """Every statement, each followed by its numbers."""
    found: list[Finding] = []
    for statement in checked.statements:
        style = "bold" if statement.numbers else "$foreground-muted"
        found.append(Finding(Content.styled(one_line(statement.text), style)))
        found += [_number(number) for number in statement.numbers]
    return found


def summary(checked: Checked) -> str:
    """ "2 supported, 1 contradicted, 0 unknown: 1 figure conflicts with the filings"."""
    counts = Counter(str(number.status) for statement in checked.statements for number in statement.numbers)
    if not counts:
        return "No figure was found in the text."
    bad = counts["contradicted"]
    told = f"{bad or 'no'} {'figures conflict' if bad != 1 else 'figure conflicts'} with the filings"
    return f"{', '.join(f'{counts[status]} {status}' for status in MARKS)}: {told}"


def checked_markdown(checked: Checked) -> str:
    """The findings as Markdown: a quote for each statement, a list of its numbers."""
    lines = [f"**{summary(checked)}**", ""]
    for statement in checked.statements:
        if not statement.numbers:
            continue
        lines += [f"> {_plain(statement.text)}", ""]
        for number in statement.numbers:
            mark = MARKS[number.status][0]
            where = f" ({_plain(_source(number.found))})" if number.found else ""
            lines.append(f"- {mark} {_plain(number.text)} — {number.status}: {_plain(number.why)}{where}")
        lines.append("")
    return "\n".join(lines)


def _number(number: CheckedNumber) -> Finding:
    mark, style = MARKS[number.status]
    parts: list[Content | str | tuple[str, str]] = [
        (f"  {mark} {number.status:<12} ", style),
        (one_line(number.text), "bold"),
        f"  {one_line(number.why)}",
    ]
    if number.found:
        parts.append((f"\n      {_source(number.found)}", "$foreground-muted"))
    return Finding(Content.assemble(*parts), True, _place(number.found))


def _place(found: Mapping[str, Any] | None) -> Place | None:
    if found is None or found.get("start") is None or not found.get("filing"):
        return None
    title = f"{one_line(str(found.get('company') or found['file']))} · {found.get('period_end') or ''}".strip(" ·")
    return Place(str(found["filing"]), title, int(found["start"]), int(found["end"]))


def _source(found: Mapping[str, Any]) -> str:
    return one_line(place_of(found))


def _plain(text: str) -> str:
    """One line in which nothing is Markdown."""
    return "".join(f"\\{c}" if c in "\\`*_[]<>|" else c for c in one_line(text))
