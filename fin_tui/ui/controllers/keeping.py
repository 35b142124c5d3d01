"""What leaves the conversation: kept in the notebook, written into a file, copied to the clipboard."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Callable, Mapping, Sequence
from functools import partial
from typing import TYPE_CHECKING, Any

from textual.app import App

from fin_tui.ui.controllers.library import LibraryController
from fin_tui.ui.messages import Copied, CopyWanted, Exported, ExportWanted, KeepWanted, Kept, NameIsTaken
from fin_tui.ui.screens.dialog import AskFirstScreen
from fin_tui.ui.services import Services

if TYPE_CHECKING:
    from fin_tui.engine.exports.file import Taken

_SECONDS = 3
_PLAIN_TERMINALS = ("linux", "dumb", "vt100", "vt220")


BY_TERMINAL = "by the terminal"


def copy(text: str, environment: Mapping[str, str] | None = None, platform: str = sys.platform) -> str:
    """Copy ``text``; gives how, for people ("by wl-copy", "to the file …"), or ``BY_TERMINAL`` when the caller must send OSC 52.

    That is so over SSH, where programs here reach another desktop, and where there is no program; a console that ignores the
    sequence gets a file. May block for as long as a program takes.
    """
    here = os.environ if environment is None else environment
    if not here.get("SSH_CONNECTION"):
        for command in _programs(here, platform):
            if _run(command, text):
                return f"by {command[0]}"
    if here.get("TERM", "dumb") not in _PLAIN_TERMINALS:
        return BY_TERMINAL
    return f"to the file {_file(text)}"


def _programs(environment: Mapping[str, str], platform: str) -> list[Sequence[str]]:
    found: list[Sequence[str]] = []
    if platform == "darwin":
        found.append(("pbcopy",))
    if environment.get("WAYLAND_DISPLAY"):
        found.append(("wl-copy",))
    if environment.get("DISPLAY"):
        found += [("xclip", "-selection", "clipboard"), ("xsel", "--clipboard", "--input")]
    return [command for command in found if shutil.which(command[0], path=environment.get("PATH"))]


def _run(command: Sequence[str], text: str) -> bool:
    """Whether the program took the text. Its output goes nowhere: xclip stays behind and would hold a pipe open."""
    try:
        done = subprocess.run(
            command, input=text.encode(), stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, timeout=_SECONDS, check=False
        )
    except (OSError, subprocess.SubprocessError):
        return False
    return done.returncode == 0


def _file(text: str) -> str:
    """A new file that only its owner can read."""
    handle, path = tempfile.mkstemp(prefix="fin-tui-", suffix=".md")
    with os.fdopen(handle, "w", encoding="utf-8") as stream:
        stream.write(text)
    return path


Heard = KeepWanted | Kept | ExportWanted | Exported | NameIsTaken | CopyWanted | Copied


class KeepingController:
    """Works on whatever library is open."""

    def __init__(self, app: App[Any], library: LibraryController) -> None:
        self._app = app
        self._library = library

    def hear(self, event: Heard) -> None:
        """Take a message of the app."""
        services = self._library.services
        match event:
            case KeepWanted() if services is not None:
                self._in_background(partial(self._keep, services, event), "keep")
            case ExportWanted() if services is not None:
                self._in_background(partial(self._export, services, event), "export")
            case CopyWanted():
                self._in_background(partial(self._copy, event), "copy", exclusive=True)
            case Kept():
                self._app.notify(f"Saved the {event.what} to the notebook (F7).", markup=False)
            case Exported():
                self._app.notify(f"Written: {event.path}", markup=False, timeout=10)
            case Copied():
                self._copied(event)
            case NameIsTaken():
                self._ask_what_becomes_of_it(event)
            case _:
                pass  # Nothing is open.

    def _in_background(self, act: Callable[[], None], group: str, *, exclusive: bool = False) -> None:
        self._app.run_worker(act, group, group=group, thread=True, exclusive=exclusive, exit_on_error=False)

    def _keep(self, services: Services, event: KeepWanted) -> None:
        event.keep(services.notebook)
        self._app.post_message(Kept(event.what))

    def _export(self, services: Services, event: ExportWanted) -> None:
        from fin_tui.engine.exports.file import NameTaken

        write = partial(services.notebook.export_conversation, event.conversation, event.form)
        try:
            self._app.post_message(Exported(write()))
        except NameTaken as taken:
            self._app.post_message(NameIsTaken(taken.path, write))

    def _ask_what_becomes_of_it(self, event: NameIsTaken) -> None:
        """There is a file of that name: replaced, or another one beside it."""
        ways: dict[str, Taken] = {"Replace it": "replace", "Keep it, and write another one beside it": "beside"}

        def write(taken: Taken) -> None:
            self._app.post_message(Exported(event.again(taken)))

        def chosen(way: str | None) -> None:
            if way is not None:
                self._in_background(partial(write, ways[way]), "export")

        question = AskFirstScreen(f"{event.path.name} exists already", (str(event.path.parent),), tuple(ways))
        self._app.push_screen(question, chosen)

    def _copy(self, event: CopyWanted) -> None:
        self._app.post_message(Copied(event.what, copy(event.text), event.text))

    def _copied(self, event: Copied) -> None:
        if event.how == BY_TERMINAL:
            self._app.copy_to_clipboard(event.text)
        where = f" {event.how}" if event.how.startswith("to ") else ""
        self._app.notify(f"Copied the {event.what}{where}.", markup=False)
