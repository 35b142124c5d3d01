"""Every action in the command palette, taken from the bindings so that none is forgotten."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from functools import partial
from typing import Any

from textual.app import SystemCommand
from textual.binding import Binding
from textual.command import Hit, Hits, Provider
from textual.dom import DOMNode
from textual.screen import Screen

from fin_tui.ui.keymap import key_name

_OF_HELP = 0.05
"""What a match in the explanation is worth beside one in the name."""
_SHOWING = ("FilingBrowser", "FilingTree", "Prompt", "Sources")


def actions(screen: Screen[Any], changed: Mapping[str, str]) -> Iterator[SystemCommand]:
    """One command for each binding that has a tooltip: the screen's own, and those of its panes wherever the focus is.

    ``changed``: other keys that the settings give to actions, by id.
    """
    nodes: list[DOMNode] = [screen, screen.app, *(node for name in _SHOWING for node in screen.query(name))]
    for node in nodes:
        for binding in type(node).BINDINGS:
            if isinstance(binding, Binding) and binding.tooltip and not binding.action.startswith("digit"):
                run = partial(screen.app.run_action, binding.action, node)
                keys = changed.get(binding.id or "") or binding.key
                yield SystemCommand(f"{binding.description}{_keys(keys)}", binding.tooltip, run)


class TaskCommands(Provider):
    """Finds an action by the words of what it does ("compare", "export", "search filings"), not by its name alone."""

    async def search(self, query: str) -> Hits:
        matcher = self.matcher(query)
        words = query.casefold().split()
        for name, told, callback, *_ in self.app.get_system_commands(self.screen):
            is_told = bool(words) and all(word in told.casefold() for word in words)
            if is_told and not matcher.match(name):
                yield Hit(_OF_HELP, matcher.highlight(name), callback, help=told)


def _keys(keys: str) -> str:
    """As people read them; those with a bracket, which the palette would take for markup, are left out."""
    names = [name for name in map(key_name, keys.split(",")) if not set(name) & set("[]")]
    return f"  ({' or '.join(names)})" if names else ""
