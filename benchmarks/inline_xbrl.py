"""The numbers of an inline XBRL filing as lxml reads them, without fin-tui: what its own figures are held against."""

from __future__ import annotations

import datetime as dt
from dataclasses import dataclass
from typing import Any


@dataclass(frozen=True, slots=True)
class Tagged:
    """A tagged number of the whole company."""

    concept: str
    start: dt.date | None
    end: dt.date
    value: float
    decimals: int
    unit: str = ""
    row: str = ""
    """The words that its row of a table begins with."""


def _words_of_row(node: Any) -> str:
    """The first cell with letters of the row of a table in which a number stands; "" for one in a sentence."""
    row = next(node.iterancestors("{*}tr"), None)
    if row is None:
        return ""
    first = next((text for cell in row.iter("{*}td", "{*}th") if (text := " ".join("".join(cell.itertext()).split()))), "")
    return first if sum(map(str.isalpha, first)) > 3 and len(first) < 90 else ""


def tagged(raw: bytes) -> tuple[list[Tagged], dict[str, str]]:
    """The numbers without dimensions and the texts of an inline XBRL filing, read by lxml alone."""
    from lxml import etree

    tree = etree.fromstring(raw, etree.XMLParser(recover=True, huge_tree=True, resolve_entities=False))
    contexts: dict[str, tuple[dt.date | None, dt.date]] = {}
    facts: list[Tagged] = []
    texts: dict[str, str] = {}
    for node in tree.iter(etree.Element):
        name = etree.QName(node).localname.lower()
        if name == "context":
            held = {etree.QName(part).localname.lower(): (part.text or "").strip() for part in node.iter(etree.Element)}
            end = held.get("instant") or held.get("enddate")
            if end and "explicitmember" not in held and "typedmember" not in held:
                start = held.get("startdate")
                contexts[node.get("id")] = (dt.date.fromisoformat(start) if start else None, dt.date.fromisoformat(end))
    for node in tree.iter(etree.Element):
        name = etree.QName(node).localname.lower()
        given = {key.lower(): value for key, value in node.attrib.items()}
        if name == "nonnumeric":
            texts.setdefault(given.get("name", ""), "".join(node.itertext()))
        elif name == "nonfraction" and given.get("contextref") in contexts:
            printed = "".join(node.itertext()).strip().replace(",", "")
            digits = "0" if "zero" in given.get("format", "") else printed
            try:
                value = float(digits) * 10.0 ** int(given.get("scale") or 0) * (-1 if given.get("sign") == "-" else 1)
            except ValueError:
                continue
            decimals = given.get("decimals", "INF")
            exact = int(decimals) if decimals.lstrip("-").isdigit() else 99
            unit, row = given.get("unitref", ""), _words_of_row(node)
            facts.append(Tagged(given.get("name", ""), *contexts[given["contextref"]], value, exact, unit, row))
    return facts, texts
