"""Who asks: the name and e-mail address that the SEC wants with every request."""

from __future__ import annotations

import re
from dataclasses import dataclass

from fin_tui.config import Edgar
from fin_tui.errors import UsageError

_EMAIL = re.compile(r"[^@\s<>\"(),;:\\]{1,64}@[A-Za-z0-9.-]{1,190}\.[A-Za-z]{2,24}")
_LONGEST = 100
_HOW = (
    "Set FIN_TUI_EDGAR_NAME and FIN_TUI_EDGAR_EMAIL, or name and email under [edgar] in fin-tui.toml; "
    "on a terminal fin-tui fetch asks for them once."
)


@dataclass(frozen=True, slots=True)
class Contact:
    """A checked name and address; both are plain ASCII, as a header must be."""

    name: str
    email: str


def contact(settings: Edgar) -> Contact:
    """Who asks, from the settings. Raises ``UsageError`` when that is not known or unusable."""
    if not settings.name.strip() or not settings.email.strip():
        raise UsageError("EDGAR wants to know who asks: a name and an e-mail address.", _HOW)
    return checked_contact(settings.name, settings.email)


def checked_contact(name: str, email: str) -> Contact:
    """``name`` and ``email`` without outer spaces. Raises ``UsageError`` for what no header can carry or is no address."""
    name, email = " ".join(name.split()), email.strip()
    if not name or len(name) > _LONGEST or not (name.isascii() and name.isprintable()):
        raise UsageError(f"{name!r} can't be sent as a name: it must be plain letters, at most {_LONGEST}.", _HOW)
    if not email.isascii() or not _EMAIL.fullmatch(email):
        raise UsageError(f"{email!r} is no e-mail address.", _HOW)
    return Contact(name, email)
