"""Which keys do what, as settings may change it: the actions with their keys, clashes, and the map that Textual applies. Pure."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

from textual.binding import Binding
from textual.dom import DOMNode

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
