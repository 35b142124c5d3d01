"""How a place in a filing is named for people, the same everywhere (pure)."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any


def page_name(page: int | str, label: str | None) -> str:
    """ "p. 32", as the filing prints it; "p. 32 (physical page 35)" where the count of pages says something else."""
    if not label or str(label) == str(page):
        return f"p. {page}"
    return f"p. {label} (physical page {page})"


def place_of(found: Mapping[str, Any]) -> str:
    """Of a figure that was found: "Apple Inc. FY2024, Item 8, p. 32"; the file's name only where no company is known."""
    year = f" FY{found['fiscal_year']}" if found.get("fiscal_year") else ""
    parts = (
        f"{found.get('company') or found.get('file') or ''}{year}",
        f"Item {found['item']}" if found.get("item") else "",
        page_name(found["page"], found.get("page_label")) if found.get("page") else "",
    )
    return ", ".join(filter(None, parts))
