"""The date on which a filing was signed, from its signatures."""

from __future__ import annotations

import re

from fin_tui.engine.structures.desk import Desk, StructureAnswer, named, one
from fin_tui.language import MONTHS
from fin_tui.records import Filing

ASKED = re.compile(
    r"^(?:\W*[\w'’]+){0,3}?\W*\b(?:when|(?:on\s+)?(?:what|which)\s+(?:date|day))\b"
    r".{0,90}\b(?:signed|sign|filed|file|dated|submitted)\b",
    re.I,
)
_DATE = re.compile(
    rf"\b(?:{'|'.join(MONTHS)})\s+\d{{1,2}},\s+(?:19|20)\d\d\b",
    re.I,
)
_DATED = re.compile(rf"\b(?:date|dated|on)\b\W{{0,6}}(?P<date>{_DATE.pattern})", re.I)
_ENDED = re.compile(r"\b(?:ended|ending|as\s+of)\W*$", re.I)


def signed(desk: Desk, filing: Filing) -> StructureAnswer | None:
    """ "… was signed on February 3, 2025 and filed on 2025-02-04." """
    section = desk.section(filing, "", "signature")
    if section is None:
        return None
    text = desk.library.text(filing.id)[section.start : section.end]
    matches = list(_DATED.finditer(text)) or list(_DATE.finditer(text))
    match = next((m for m in matches if not _ENDED.search(text[: m.start()])), None)
    if match is None:
        return None
    date = match["date"] if "date" in match.re.groupindex else match.group()
    told = f"{filing.company}'s {named(filing)} was signed on {date}"
    if filing.filed is not None:
        told += f" and filed on {filing.filed.isoformat()}"
    return one(told + ".", desk.passage(1, filing, section.start + match.start(), section.start + match.end()))
