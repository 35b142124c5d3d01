"""Which keys do what, as settings may change it, and each of them as a command of the palette."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from typing import Any

from textual.app import SystemCommand
from textual.binding import Binding
from textual.command import Hit, Hits, Provider
from textual.dom import DOMNode
from textual.screen import Screen

Places = Sequence[tuple[str, tuple[type[DOMNode], ...]]]
EVERYWHERE, MAIN = "Everywhere", "Conversation"
_PANES = frozenset({"Prompt", "Filings", "Sources"})
_TYPING = frozenset({"Prompt", "Add filings", "Check", "Fetch", "Change question"})
"""Where letters are text."""
_NAMES = {
    "slash": "/",
    "escape": "Esc",
    "left_square_bracket": "[",
    "right_square_bracket": "]",
    "comma": ",",
    "full_stop": ".",
    "pageup": "Page up",
    "pagedown": "Page down",
    "apostrophe": "'",
    "question_mark": "?",
    "delete": "Delete",
}
_WORDS = frozenset({"enter", "space", "tab", "backspace", "up", "down", "left", "right", "home", "end", "insert"})
_TYPED = frozenset({"space", "backspace", "slash", "comma", "full_stop", "apostrophe", "question_mark"})


@dataclass(frozen=True, slots=True)
class Action:
    """Something a key does."""

    id: str
    place: str
    """Where it acts: a name of the table of keys."""
    keys: str
    """The app's own, with commas between."""
    what: str


def actions_of(places: Places) -> tuple[Action, ...]:
    """Every action that has a tooltip; the ten digits, which belong together, are left out."""
    found = []
    for place, owners in places:
        for owner in owners:
            for binding in owner.BINDINGS:
                if isinstance(binding, Binding) and binding.id and binding.tooltip and not binding.action.startswith("digit("):
                    found.append(Action(binding.id, place, binding.key, binding.tooltip))
    return tuple(found)


def keys_now(action: Action, changed: Mapping[str, str]) -> str:
    """The keys of ``action`` with the settings' changes."""
    return changed.get(action.id) or action.keys


def clash(actions: Iterable[Action], changed: Mapping[str, str], action: Action, key: str) -> str:
    """Why ``action`` can't have ``key``, in a line; empty when it can."""
    last = key.split("+")[-1]
    if action.place in _TYPING and "+" not in key and (len(last) == 1 or last in _TYPED):
        return f"{key_name(key)} is typed text there: take a function key, or one with Ctrl or Alt."
    for other in actions:
        if other.id == action.id or not _meet(other.place, action.place):
            continue
        if key in _split(keys_now(other, changed)):
            return f"{key_name(key)} has another use ({other.place}): {other.what}. Change that one first."
    return ""


def keymap(actions: Iterable[Action], changed: Mapping[str, str]) -> dict[str, str]:
    """The map for ``App.set_keymap``: the changed actions, and those that share a key with one in the same place.

    Textual takes a changed action's old key away from all that have it, so that these must be named as well.
    """
    known = tuple(actions)
    moved = [action for action in known if action.id in changed]
    found = {action.id: keys_now(action, changed) for action in moved}
    for action in moved:
        for other in known:
            shares = other.place == action.place and set(_split(other.keys)) & set(_split(action.keys))
            if shares and other.id not in found:
                found[other.id] = other.keys
    return found


def key_names(keys: str) -> str:
    """ "n,alt+n" as people read it: "n, Alt+N"."""
    return ", ".join(key_name(key) for key in _split(keys))


def key_name(key: str) -> str:
    """ "alt+n" is "Alt+N"; a capital on its own needs Shift."""
    *modifiers, last = key.split("+")
    if last in _NAMES:
        name = _NAMES[last]
    elif last in _WORDS:
        name = last.capitalize()
    else:
        name = last.upper() if modifiers or (last[:1] == "f" and last[1:].isdigit()) else last
    return "+".join([*(modifier.capitalize() for modifier in modifiers), name])


def _split(keys: str) -> list[str]:
    return [key.strip() for key in keys.split(",") if key.strip()]


def _meet(one: str, other: str) -> bool:
    """Whether the keys of two places can act at the same time."""
    places = {one, other}
    return len(places) == 1 or EVERYWHERE in places or (MAIN in places and bool(places & _PANES))


_OF_HELP = 0.05
"""What a match in the explanation is worth beside one in the name, …"""
_OVER_LETTERS = 1_000.0
"""… and where no name holds the words, but some hold their letters: "Explain (e or Alt+E)" those of "export"."""
_SHOWING = ("FilingBrowser", "FilingTree", "Prompt", "Sources")


def actions(screen: Screen[Any], changed: Mapping[str, str]) -> Iterator[SystemCommand]:
    """One command for each binding that has a tooltip: the screen's own, and those of its panes wherever the focus is.

    ``changed``: other keys that the settings give to actions, by id.
    """
    nodes: list[DOMNode] = [screen, screen.app, *(node for name in _SHOWING for node in screen.query(name))]
    named: set[str] = set()
    for node in nodes:
        for binding in type(node).BINDINGS:
            if isinstance(binding, Binding) and binding.tooltip and not binding.action.startswith("digit"):
                run = partial(screen.app.run_action, binding.action, node)
                keys = changed.get(binding.id or "") or binding.key
                # Two of one name ("Ask") can't be told apart in a list: the second says what it does.
                name = binding.tooltip if binding.description in named else binding.description
                named.add(binding.description)
                yield SystemCommand(f"{name}{_keys(keys)}", binding.tooltip, run)


class TaskCommands(Provider):
    """Finds an action by the words of what it does ("compare", "export", "search filings"), not by its name alone."""

    async def search(self, query: str) -> Hits:
        matcher = self.matcher(query)
        words = query.casefold().split()
        commands = list(self.app.get_system_commands(self.screen))
        is_named = any(all(word in name.casefold() for word in words) for name, *_ in commands)
        worth = _OF_HELP if is_named else _OVER_LETTERS
        for name, told, callback, *_ in commands:
            is_told = bool(words) and all(word in told.casefold() for word in words)
            if is_told and (not matcher.match(name) or not is_named):
                yield Hit(worth, matcher.highlight(name), callback, help=told)


def _keys(keys: str) -> str:
    """As people read them; those with a bracket, which the palette would take for markup, are left out."""
    names = [name for name in map(key_name, keys.split(",")) if not set(name) & set("[]")]
    return f"  ({' or '.join(names)})" if names else ""
