"""Every action in the command palette, taken from the bindings so that none is forgotten."""

from __future__ import annotations

from collections.abc import Iterator
from functools import partial
from typing import Any

from textual.app import SystemCommand
from textual.binding import Binding
from textual.dom import DOMNode
from textual.screen import Screen

_SHOWING = ("FilingBrowser", "FilingTree", "Prompt", "Sources")


def actions(screen: Screen[Any]) -> Iterator[SystemCommand]:
    """One command for each binding that has a tooltip: the screen's own, and those of its panes wherever the focus is."""
    nodes: list[DOMNode] = [screen, screen.app, *(node for name in _SHOWING for node in screen.query(name))]
    for node in nodes:
        for binding in type(node).BINDINGS:
            if isinstance(binding, Binding) and binding.tooltip and not binding.action.startswith("digit"):
                run = partial(screen.app.run_action, binding.action, node)
                yield SystemCommand(f"{binding.description}  ({_keys(binding)})", binding.tooltip, run)


def _keys(binding: Binding) -> str:
    return " or ".join(key.replace("ctrl+", "Ctrl+").replace("alt+", "Alt+") for key in binding.key.split(","))
