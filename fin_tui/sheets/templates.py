"""Ready-made columns, as data."""

from __future__ import annotations

import tomllib
from dataclasses import dataclass
from functools import cache
from importlib.resources import files

from fin_tui.errors import UsageError


@dataclass(frozen=True, slots=True)
class Template:
    """Columns that are used together."""

    name: str
    title: str
    columns: tuple[str, ...]


@cache
def templates() -> tuple[Template, ...]:
    """All templates, in the order of the file."""
    raw = tomllib.loads(files("fin_tui.sheets").joinpath("templates.toml").read_text(encoding="utf-8"))
    return tuple(Template(name, entry["title"], tuple(entry["columns"])) for name, entry in raw.items())


def template(name: str) -> Template:
    """By name; raises ``UsageError`` with those that there are."""
    found = next((one for one in templates() if one.name == name.strip().casefold()), None)
    if found is None:
        raise UsageError(f"There is no template {name!r}.", f"Templates: {', '.join(one.name for one in templates())}.")
    return found
