"""``python -m fin_tui.ui.keys``: the table of keys as Markdown, made from the bindings that the app itself uses."""

from __future__ import annotations

import sys
from collections.abc import Iterator

from textual.binding import Binding
from textual.dom import DOMNode

from fin_tui.ui.app import FinTuiApp
from fin_tui.ui.keymap import key_names
from fin_tui.ui.places import places

PLACES = places(FinTuiApp)


def key_table() -> str:
    """A Markdown table of every key with a tooltip, by the place it acts in."""
    lines = ["| where | key | what it does |", "|---|---|---|"]
    for place, owners in PLACES:
        shown = place
        for keys, what in _rows(owners):
            lines.append(f"| {shown} | {keys} | {what} |")
            shown = ""
    return "\n".join(lines)


def _rows(owners: tuple[type[DOMNode], ...]) -> Iterator[tuple[str, str]]:
    for owner in owners:
        for binding in owner.BINDINGS:
            if not isinstance(binding, Binding) or not binding.tooltip:
                continue
            if binding.action.startswith("digit("):
                if binding.action == "digit(1)":
                    yield (
                        "1 … 99",
                        "Show the source with this number; in the prompt Alt+1 …, where the terminal has a key of its own for it",
                    )
                continue
            yield key_names(binding.key), binding.tooltip.replace("|", "\\|")


if __name__ == "__main__":
    sys.stdout.write(f"{key_table()}\n")
