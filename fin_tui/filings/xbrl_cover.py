"""DEI cover facts -> Cover, and the human names of tagged text blocks."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from functools import lru_cache

from fin_tui.filings.xbrl_formats import parse_boolean, parse_date
from fin_tui.records import Cover, Fact

_ENDINGS = re.compile(r"(?:Policy)?(?:Policy|Disclosure|Table)?TextBlock$", re.IGNORECASE)
_WORDS = re.compile(r"[A-Z]+(?=[A-Z][a-z])|[A-Z]?[a-z]+|[A-Z]+|\d+")
_SMALL = frozenset("and or of the in to for by on at with from a an as".split())
_COMMON = re.compile(r"common|classa|capitalunits|ordinary", re.IGNORECASE)


def cover(facts: Sequence[Fact], formats: Sequence[str]) -> Cover:
    """What the ``dei:`` facts say of the filing; fields they don't give stay empty. ``formats`` are the facts' formats."""
    found: dict[str, list[tuple[Fact, str]]] = {}
    for fact, format_name in zip(facts, formats, strict=True):
        prefix, _, name = fact.concept.partition(":")
        if prefix.lower() == "dei" and fact.text:
            found.setdefault(name.lower(), []).append((fact, format_name))
    form = _text(found, "documenttype").upper()
    amended = _best(found, "amendmentflag")
    if form and amended and parse_boolean(amended[0].text, amended[1]) and not form.endswith("/A"):
        form += "/A"
    year = _text(found, "documentfiscalyearfocus")
    period = _best(found, "documentperiodenddate")
    cik = re.sub(r"\D", "", _text(found, "entitycentralindexkey"))
    return Cover(
        company=_text(found, "entityregistrantname"),
        form=form,
        fiscal_year=int(year) if re.fullmatch(r"(?:19|20)\d\d", year, re.ASCII) else None,
        period_end=parse_date(period[0].text, period[1]) if period else None,
        cik=cik.zfill(10) if 0 < len(cik) <= 10 else "",
        ticker=_ticker(fact for fact, _ in found.get("tradingsymbol", [])),
        irs_number=_text(found, "entitytaxidentificationnumber"),
        commission_file=_text(found, "entityfilenumber"),
    )


def _best(found: dict[str, list[tuple[Fact, str]]], name: str) -> tuple[Fact, str] | None:
    """The fact about the whole registrant when there are several (subsidiaries carry a dimension)."""
    candidates = found.get(name)
    if not candidates:
        return None
    return min(candidates, key=lambda pair: len(pair[0].dimensions))


def _text(found: dict[str, list[tuple[Fact, str]]], name: str) -> str:
    best = _best(found, name)
    return best[0].text if best else ""


def _ticker(facts: Iterable[Fact]) -> str:
    candidates = [fact for fact in facts if re.fullmatch(r"[A-Za-z0-9.\-/ ]{1,12}", fact.text)]
    candidates = [fact for fact in candidates if fact.text.lower() not in ("none", "n/a", "not applicable", "na")]
    for wanted in (
        [fact for fact in candidates if any(_COMMON.search(member) for member in fact.dimensions.values())],
        [fact for fact in candidates if not fact.dimensions],
        candidates,
    ):
        if wanted:
            return wanted[0].text.upper()
    return ""


@lru_cache(maxsize=4096)
def note_name(concept: str) -> str:
    """The words of a text block's name: "us-gaap:RevenueRecognitionPolicyPolicyTextBlock" -> "Revenue Recognition"."""
    local = concept.rpartition(":")[2]
    stem = _ENDINGS.sub("", local) or local
    words = _WORDS.findall(stem)
    return " ".join(word.lower() if i and word.lower() in _SMALL else word[:1].upper() + word[1:] for i, word in enumerate(words))
