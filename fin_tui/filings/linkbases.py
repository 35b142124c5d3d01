"""XBRL linkbases of a full submission: labels of concepts, and the sums that the filing itself declares.

Read from the EX-101.LAB and EX-101.CAL documents, or from a schema that carries its linkbases inside (EX-101.SCH).
"""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace

from fin_tui.errors import BadFiling
from fin_tui.filings.cleaning import clean
from fin_tui.filings.dom import Attributes, Kind, decode, repair, walk
from fin_tui.filings.submission import SubmissionPart
from fin_tui.records import Document, Fact

_TYPES = re.compile(r"EX-101\.(?:LAB|CAL|SCH)")
_STANDARD = "/label"
_ROLES = (_STANDARD, "/terselabel", "/verboselabel", "/totallabel", "/netlabel")
"""Ends of the roles of labels, the best first: documentation is no label."""
_EXACT = 12


@dataclass(slots=True)
class Linkbases:
    """What the linkbases of a filing say; concepts are prefixed names, as in its facts."""

    labels: dict[str, str] = field(default_factory=dict)
    sums: dict[str, dict[str, dict[str, float]]] = field(default_factory=dict)
    """Role of a statement -> total -> part -> weight."""


def read_linkbases(parts: Iterable[SubmissionPart]) -> Linkbases:
    """The labels and sums of ``parts``; documents of other types are passed over. Raises ``BadFiling`` for hostile markup."""
    found = Linkbases()
    for part in parts:
        if _TYPES.match(part.type):
            _Reader(found).read(part.body)
    return found


def with_linkbases(document: Document, parts: Sequence[SubmissionPart]) -> Document:
    """``document`` with its hidden facts named by the label linkbase, and a warning where declared sums don't add up."""
    try:
        found = read_linkbases(parts)
    except BadFiling as error:
        return replace(document, warnings=(*document.warnings, f"The XBRL linkbases could not be read: {error.message}"))
    facts = tuple(fact if fact.label else replace(fact, label=found.labels.get(fact.concept, "")) for fact in document.facts)
    agreed, checked = check_sums(facts, found.sums)
    told = (f"{checked - agreed} of {checked} sums that the filing declares do not add up.",) if agreed < checked else ()
    return replace(document, facts=facts, warnings=(*document.warnings, *told))


def check_sums(facts: Iterable[Fact], sums: Mapping[str, Mapping[str, Mapping[str, float]]]) -> tuple[int, int]:
    """(sums that add up, sums that could be checked): for each period and part of the business that states total and all parts.

    A sum adds up when it is off by no more than half of the last stated digit of each figure in it.
    """
    stated: defaultdict[tuple[object, ...], dict[str, Fact]] = defaultdict(dict)
    for fact in facts:
        if fact.source == "xbrl" and fact.value is not None:
            key = (fact.period_start, fact.period_end, tuple(sorted(fact.dimensions.items())), fact.unit)
            stated[key].setdefault(fact.concept, fact)
    agreed = checked = 0
    for declared in sums.values():
        for total, weights in declared.items():
            for held in stated.values():
                if total in held and weights.keys() <= held.keys():
                    checked += 1
                    agreed += _adds_up(held[total], [(held[part], weight) for part, weight in weights.items()])
    return agreed, checked


def _adds_up(total: Fact, parts: Sequence[tuple[Fact, float]]) -> bool:
    slack = sum(_half_digit(fact) for fact in (total, *(fact for fact, _ in parts)))
    return abs((total.value or 0.0) - sum(weight * (fact.value or 0.0) for fact, weight in parts)) <= slack + 1e-6


def _half_digit(fact: Fact) -> float:
    return 0.5 * 10.0 ** -(_EXACT if fact.decimals is None else fact.decimals)


class _Reader:
    """Takes the events of one linkbase document. Locators and resources are named within one extended link."""

    def __init__(self, found: Linkbases) -> None:
        self._found = found
        self._role = ""
        self._concepts: dict[str, str] = {}
        self._texts: dict[str, list[tuple[str, list[str]]]] = {}
        self._arcs: list[tuple[str, str, float | None]] = []
        self._text: list[str] | None = None

    def read(self, body: bytes) -> None:
        for kind, value, attributes in walk(repair(decode(body))):
            if kind is Kind.START:
                self._start(value.rpartition(":")[2], attributes)
            elif kind is Kind.TEXT and self._text is not None:
                self._text.append(value)
            elif kind is Kind.END:
                self._end(value.rpartition(":")[2])

    def _start(self, name: str, attributes: Attributes) -> None:
        label = attributes.get("xlink:label") or ""
        if name in ("labellink", "calculationlink"):
            self._role = attributes.get("xlink:role") or ""
            self._concepts, self._texts, self._arcs = {}, {}, []
        elif name == "loc":
            self._concepts[label] = _concept(attributes.get("xlink:href") or "")
        elif name == "label":
            self._text = []
            self._texts.setdefault(label, []).append(((attributes.get("xlink:role") or _STANDARD).lower(), self._text))
        elif name in ("labelarc", "calculationarc") and (attributes.get("use") or "") != "prohibited":
            weight = _number(attributes.get("weight")) if name == "calculationarc" else None
            self._arcs.append((attributes.get("xlink:from") or "", attributes.get("xlink:to") or "", weight))

    def _end(self, name: str) -> None:
        if name == "label":
            self._text = None
        elif name == "labellink":
            self._name()
        elif name == "calculationlink":
            declared = self._found.sums.setdefault(self._role, {})
            for source, target, weight in self._arcs:
                total, part = self._concepts.get(source), self._concepts.get(target)
                if total and part and weight is not None:
                    declared.setdefault(total, {})[part] = weight

    def _name(self) -> None:
        best: dict[str, tuple[int, str]] = {}
        for source, target, _ in self._arcs:
            concept = self._concepts.get(source, "")
            for role, runs in self._texts.get(target, ()):
                rank = next((n for n, end in enumerate(_ROLES) if role.endswith(end)), None)
                text = clean(" ".join("".join(runs).split()))
                if concept and text and rank is not None and rank < best.get(concept, (len(_ROLES), ""))[0]:
                    best[concept] = (rank, text)
        for concept, (_, text) in best.items():
            self._found.labels.setdefault(concept, text)


def _concept(href: str) -> str:
    """ "…/us-gaap-2024.xsd#us-gaap_Revenues" -> "us-gaap:Revenues"."""
    prefix, _, name = clean(href.rpartition("#")[2]).partition("_")
    return f"{prefix}:{name}" if prefix and name else ""


def _number(text: str | None) -> float | None:
    try:
        return float(text or "")
    except ValueError:
        return None
