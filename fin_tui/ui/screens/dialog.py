"""What all dialogs over the conversation have: help, the palette, and a way out for the mouse."""

from __future__ import annotations

from typing import ClassVar, TypeVar

from textual.binding import Binding, BindingType
from textual.content import Content
from textual.screen import ModalScreen
from textual.style import Style

Result = TypeVar("Result")


class Dialog(ModalScreen[Result]):
    """The app's own keys end at a dialog, so these two are bound again; by their ids the settings change them here, too."""

    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("f1", "app.help", "Help", show=False, id="app.help", tooltip="Help for this dialog, with its keys"),
        Binding(
            "ctrl+p", "app.command_palette", "Commands", show=False, id="app.commands", tooltip="Find any command by its name"
        ),
    ]


def way_out(words: str, action: str) -> Content:
    """``words`` about the key that closes, which a click on them does as well."""
    return Content.styled(words, Style.from_meta({"@click": action}))
