"""``python -m tests.ui.tasks``: what people come for, done by keys alone, with the number of keys, as a Markdown table.

``test_tasks`` presses each key in the app and asks what came of it; a text that is typed or pasted is not a key.
"""

from __future__ import annotations

import sys
from dataclasses import dataclass

from fin_tui.ui.keymap import key_name


@dataclass(frozen=True, slots=True)
class Words:
    """Text that is typed or pasted."""

    text: str


Press = str | Words


@dataclass(frozen=True, slots=True)
class Task:
    """What is wanted, and the way there. It begins in the prompt, after an answer where ``asked``."""

    id: str
    what: str
    presses: tuple[Press, ...]
    asked: bool = True

    @property
    def keys(self) -> int:
        """How many keys it takes."""
        return sum(isinstance(press, str) for press in self.presses)

    @property
    def shown(self) -> str:
        return " ".join("*text*" if isinstance(press, Words) else f"`{key_name(press)}`" for press in self.presses)


_SHEET = "In a sheet"
_NEW = ("n", Words("mine"), "enter", Words("EXM:2022"), "enter", Words("revenue"), "enter")
TASKS = (
    Task("cell", "From the answer to the highlighted cell in the filing", ("ctrl+o",)),
    Task("third", "Read the third source in its filing", ("escape", "3", "ctrl+o")),
    Task("changes", "Compare the cited Item with the year before", ("ctrl+o", "D")),
    Task("figure", "Other years and places of a figure", ("alt+d",)),
    Task("export", "Save a figure to the notebook and write the notebook as Markdown", ("alt+d", "f", "escape", "f7", "m")),
    Task("company", "Limit questions to one company, ask", ("f2", "space", "escape", "i", Words("What?"), "enter"), asked=False),
    Task("mode", "Search by meaning alone and ask the same again", ("alt+m", "ctrl+r")),
    Task("drop", "Exclude a passage and ask the same again", ("f4", "x", "ctrl+r")),
    Task("check", "Check the figures of a memo", ("alt+v", Words("Sales were $1."), "ctrl+r"), asked=False),
    Task("folder", "Import a folder of filings", ("alt+a", Words("FOLDER"), "ctrl+s"), asked=False),
    Task("fetch", "Download the filing that a refusal misses", ("alt+g", "enter", "enter")),
    Task("resume", "Go on with an earlier conversation", ("f8", "enter"), asked=False),
    Task("copy", "Copy the answer with its sources", ("alt+y",)),
    Task("why", "See why a sentence is marked ⚠", ("alt+u",)),
    *(
        Task(f"sheet-{id}", f"{_SHEET}: {what}", ("f6", *presses), asked=False)
        for id, what, presses in (
            (
                "new",
                "make one of rows and columns",
                ("n", Words("mine"), "enter", Words("EXM:2022"), "enter", Words("revenue"), "enter"),
            ),
            ("run", "fill what is empty or stale", ("o", "r")),
            ("cell", "a cell with its calculation and sources", ("o", "enter")),
            ("source", "the filing at the cell", ("o", "ctrl+o")),
            ("sort", "sort by a column and show the ranks", ("o", "s", "k")),
            ("hide", "hide a column", ("o", "h")),
            ("try", "try a new column on three rows", ("o", "p", Words("goodwill"), "enter")),
            ("chart", "draw a column", ("o", "c")),
            ("workbook", "write a workbook with live formulas", ("o", "x")),
            ("audit", "audit a model of your own", ("m", Words("FOLDER/model.xlsx"), "enter")),
        )
    ),
)


def task_table() -> str:
    """A Markdown table: what, the keys, how many."""
    lines = ["| what | keys | count |", "|---|---|---|"]
    lines += [f"| {task.what} | {task.shown} | {task.keys} |" for task in TASKS]
    return "\n".join(lines)


if __name__ == "__main__":
    sys.stdout.write(f"{task_table()}\n")
