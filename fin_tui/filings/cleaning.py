"""What of a filing's characters may reach a screen."""

from __future__ import annotations

import re
import unicodedata

_SPACES = re.compile(r"[^\S\n]+")
_KEPT_CONTROLS = "\n\t"
_UNWANTED = frozenset(("Cc", "Cf", "Cs", "Co", "Cn"))


def clean(text: str) -> str:
    """``text`` without control and escape characters, zero-width marks or runs of white space; line breaks become spaces.

    Filing text is untrusted: nothing that a terminal could take for a command gets past this.
    """
    if not text.isprintable():
        # Few different characters stand in a text: look at each of them once.
        unwanted = {ord(c): None for c in set(text) if c not in _KEPT_CONTROLS and unicodedata.category(c) in _UNWANTED}
        text = text.translate(unwanted) if unwanted else text
    return _SPACES.sub(" ", text.replace("\n", " ")).strip()


def printable(text: str) -> str:
    """``text`` without control, escape and zero-width characters; white space stays as it is."""
    if text.isprintable():
        return text
    unwanted = {ord(c): None for c in set(text) if not c.isspace() and unicodedata.category(c) in _UNWANTED}
    return text.translate(unwanted) if unwanted else text
