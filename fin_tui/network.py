"""The guard of the network: who may open a connection, and the switch that forbids every one.

Only ``fetch``, ``setup``, ``models pull``, and what is asked of or added to a team's corpus open connections. Offline is in force
for this process and all that it starts, once :func:`go_offline` was called or ``FIN_TUI_OFFLINE`` is set. The client of a corpus
opens its connections outside Python, where no audit hook sees them: it asks :func:`require_network` before each.
"""

from __future__ import annotations

import os
import sys

from fin_tui.errors import FinTuiError

VARIABLE = "FIN_TUI_OFFLINE"
_NO = frozenset({"", "0", "false", "no", "off"})
_LOCAL = 1
"""AF_UNIX: talk between processes of one machine."""
_EVENTS = frozenset(
    {
        "socket.connect",
        "socket.sendto",
        "socket.getaddrinfo",
        "socket.gethostbyname",
        "socket.gethostbyaddr",
        "socket.getnameinfo",
    }
)
_is_closed = False


class Offline(FinTuiError):
    """A connection was wanted and is forbidden."""


def is_offline() -> bool:
    """Whether connections are forbidden."""
    return os.environ.get(VARIABLE, "").strip().lower() not in _NO


def go_offline() -> None:
    """Forbid every connection from here on, in this process and in those that it starts. Can't be taken back.

    Names are not looked up either. Libraries that know such a switch of their own are told.
    """
    os.environ[VARIABLE] = "1"
    os.environ["HF_HUB_OFFLINE"] = "1"
    os.environ["TRANSFORMERS_OFFLINE"] = "1"
    global _is_closed
    if not _is_closed:
        _is_closed = True
        sys.addaudithook(_refuse)


def enforce() -> None:
    """For the start of a process: go offline when that is in force."""
    if is_offline():
        go_offline()


def require_network(what: str) -> None:
    """Raises ``Offline`` with one clear line when connections are forbidden. ``what`` is the command."""
    if is_offline():
        raise Offline(
            f"{what} needs the network, and offline mode is on.",
            f"Leave out --offline, unset {VARIABLE}, or set network.offline = false in fin-tui.toml.",
        )


def _refuse(event: str, arguments: tuple[object, ...]) -> None:
    if event not in _EVENTS:
        return
    # connect and sendto come with their socket; a name look-up has none.
    family = getattr(arguments[0], "family", None) if arguments else None
    if family != _LOCAL:
        raise Offline("A connection was refused: offline mode is on.", f"Leave out --offline, or unset {VARIABLE}.")
