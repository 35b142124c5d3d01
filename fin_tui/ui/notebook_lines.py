"""Entries of the notebook as text for the screen and for copying. Pure."""

from __future__ import annotations

from typing import TYPE_CHECKING

from fin_tui.engine.figures.shown import Figures
from fin_tui.ui.copying import source_line
from fin_tui.ui.text import UNSUPPORTED_MARK, clean, one_line, shorten

if TYPE_CHECKING:
    from collections.abc import Mapping

    from fin_tui.engine.kept.notebook import Traced
    from fin_tui.records import Citation
    from fin_tui.store.notebook import NotebookEntry

_SIGNS = {"figure": "#", "passage": "“", "answer": "?"}
_TITLE = 90
_PLACES = {"moved": " (moved: the filing was read anew)", "gone": " (these words stand in the library no more)"}


def entry_line(entry: NotebookEntry) -> str:
    """ "? Who makes it?  ✎" with the sign of its kind, and a mark for a note and for what nothing supports."""
    saved = entry.saved
    title = saved.text if saved.kind == "passage" else f"{saved.title}: {saved.text}" if saved.kind == "figure" else saved.title
    bad = f" {UNSUPPORTED_MARK}" if any(s.support == "unsupported" for s in saved.sentences if not s.is_detail) else ""
    return f"{_SIGNS[saved.kind]} {shorten(one_line(title), _TITLE)}{bad}{'  ✎' if entry.note else ''}"


def entry_text(entry: NotebookEntry, traced: Mapping[Citation, Traced]) -> str:
    """All of an entry: note, words, figures, and its sources with where they stand now."""
    saved = entry.saved
    parts = [one_line(saved.title)]
    if entry.note:
        parts.append(f"✎ {clean(entry.note)}")
    if saved.sentences:
        parts.append(
            "\n".join(_sentence(s.text, s.citations, s.support == "unsupported") for s in saved.sentences if not s.is_detail)
        )
    elif saved.text:
        parts.append(clean(saved.text).strip())
    figures = Figures(saved.facts, saved.calculation, saved.table)
    if figures and saved.kind == "answer":
        parts.append(clean(figures.page_grid(saved.citations).tsv).strip("\n"))
        parts.append("\n".join(figures.calculation_lines))
    parts.append("\n".join(_source(citation, traced, quote=saved.kind != "passage") for citation in saved.citations))
    return "\n\n".join(part for part in parts if part) + "\n"


def _sentence(text: str, citations: tuple[int, ...], is_bad: bool) -> str:
    return f"{one_line(text)} {UNSUPPORTED_MARK if is_bad else ''.join(f'[{n}]' for n in citations)}".rstrip()


def _source(citation: Citation, traced: Mapping[Citation, Traced], *, quote: bool) -> str:
    place = traced[citation].place if citation in traced else "there"
    return f"{source_line(citation, quote=quote)}{_PLACES.get(place, '')}"
