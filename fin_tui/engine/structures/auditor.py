"""Who audited a filing and since when, and which critical audit matters the auditor names: from tags, else from the report."""

from __future__ import annotations

import re
from collections.abc import Iterator

from fin_tui.engine.structures.desk import Desk, Passages, StructureAnswer, named, one
from fin_tui.language import split_sentences
from fin_tui.records import Filing, Sentence

_WHO = r"(?:who|whom|whose|which|what|name|since\s+when|since\s+(?:which|what)\s+year|how\s+long|when|how\s+many\s+years)"
_FIRM = (
    r"(?:(?:independent\s+)?(?:external\s+)?auditors?\b(?!['’]s?\s)|audit(?:ing)?\s+firm|(?:public\s+)?accounting\s+firm|"
    r"(?:independent|public)\s+accountants?|audit(?:s|ed|ing)?\b(?!\s+(?:committee|matter|fee|procedure|opinion)))"
)
ASKED = re.compile(
    rf"^\W*(?:and\s+|for\s+)?{_WHO}\b.{{0,70}}\b{_FIRM}|^\W*(?:the\s+)?(?:name\s+of\s+)?.{{0,40}}\bauditors?\W*$", re.I
)
_OTHER = re.compile(
    r"\bcritical\s+audit\b|\baudit\s+(?:committee|fees?|matters?|procedures?)\b|\bfees?\b|\binternal\s+audit|\btax(?:es)?\b|"
    r"\b(?:opinion|conclude|conclusion|disagree|consider|describe|say|said|address|find|found|identif\w+|report\s+(?:say|state))\b|"
    r"\bwhat\s+(?:did|does|do|was|were|is|are)\b(?!.{0,25}\b(?:name|firm|auditor)\b)|\bwhy\b|\baudited\s+(?:by\s+)?(?:the\s+)?(?:irs|tax)\b",
    re.I,
)
_SERVED = re.compile(r"\bserved\s+as\s[^\n]{0,90}?\bauditors?\b[^\n]{0,60}?\bsince\b", re.I)
_SIGNED = re.compile(
    r"^[ \t]*(?:/?s/|\(signed\))[ \t]*"
    r"(?P<firm>[^\n]{3,70}?(?:\bL\.?\s?L\.?\s?P\.?|\bPLLC|\bP\.?C\.?|\bLLC|\bAG|\bLtd\.?|\bCPAs?|\bPLC))"
    r"(?=[ \t]*(?:\n|\t|$|[A-Z]))",
    re.I | re.M,
)
_NEAR = 400
"""Characters around "served as auditor since" within which the firm signs."""
_REPORT = re.compile(r"\bindependent\s+(?:registered\s+public\s+accounting\s+firm|(?:public\s+)?accountants?|auditors?)\b", re.I)
_REACH = 9_000
"""The longest report of the auditors: its heading stands no further before the signature."""


def auditor(desk: Desk, filing: Filing) -> StructureAnswer | None:
    """ "Example LLP audited …", and the sentence that says since when; None where neither is found."""
    text = desk.library.text(filing.id)
    since = next(_since(text), None)
    place = _tagged(desk, filing) or _near(text, since) or _under_report(text)
    passages = Passages(desk, filing)
    told = []
    if place is not None:
        number = passages.number(*place)
        firm = re.sub(r"\s+([,.])", r"\1", " ".join(text[place[0] : place[1]].split()))
        if number is not None:
            told.append(Sentence(f"{firm} audited {filing.company}'s {named(filing)}.", (number,), "grounded"))
    if since is not None:
        number = passages.number(*since)
        if number is not None:
            told.append(Sentence(" ".join(text[since[0] : since[1]].split()), (number,), "grounded"))
    return StructureAnswer(tuple(told), tuple(passages.made)) if told else None


def asks_auditor(text: str) -> bool:
    """Whether ``text`` asks who audits, or since when; not what auditors say, do or cost."""
    return bool(ASKED.search(text)) and not _OTHER.search(text)


def _since(text: str) -> Iterator[tuple[int, int]]:
    """The sentences that say since when the auditor has served."""
    for match in _SERVED.finditer(text):
        begin = text.rfind("\n", 0, match.start()) + 1
        end = text.find("\n", match.end())
        line = text[begin : end if end >= 0 else len(text)]
        for a, b in split_sentences(line):
            if begin + a <= match.start() < begin + b:
                yield begin + a, begin + b


def _tagged(desk: Desk, filing: Filing) -> tuple[int, int] | None:
    """Where the tagged name of the auditor stands."""
    facts = (fact for fact in desk.document(filing).facts if fact.concept == "dei:AuditorName" and fact.end > fact.start)
    fact = next(facts, None)
    return None if fact is None else (fact.start, fact.end)


def _near(text: str, since: tuple[int, int] | None) -> tuple[int, int] | None:
    """The signature nearest to where the auditor says since when it has served."""
    if since is None:
        return None
    begin = max(0, since[0] - _NEAR)
    signed = [match.span("firm") for match in _SIGNED.finditer(text, begin, since[1] + _NEAR)]
    return min(signed, key=lambda place: min(abs(place[1] - since[0]), abs(place[0] - since[1])), default=None)


def _under_report(text: str) -> tuple[int, int] | None:
    """The first signature of a firm that stands under a report of independent auditors."""
    for match in _SIGNED.finditer(text):
        if _REPORT.search(text, max(0, match.start() - _REACH), match.start()):
            return match.span("firm")
    return None


_ASKED = re.compile(r"\bcritical\s+audit\s+matters?\b|\bcams?\b(?=.*\bauditor)", re.I)
_MORE = re.compile(r"\b(?:how|why|when|address\w*|test(?:ed|ing)?|procedures?|mean\w*)\b", re.I)
_OPENS = re.compile(r"\bcritical\s+audit\s+matters?\s+communicated\s+below\b", re.I)
_CLOSES = re.compile(r"\bserved\s+as\s[^\n]{0,90}?\bauditors?\b", re.I)
_NONE = re.compile(r"\bno\s+critical\s+audit\s+matters\b|\bcritical\s+audit\s+matters?\b[^.]{0,60}\bnone\b", re.I)
_DESCRIBES = re.compile(
    r"^\W*(?:as\s+(?:described|discussed|disclosed|more\s+fully|of)\b|description\s+of\b|critical\s+audit\s+matter\s+description|"
    r"the\s+company|refer\s+to\s+note)",
    re.I,
)
_NO_TITLE = re.compile(
    r"^\W*(?:critical\s+audit\s+matters?(?:\s+description)?|description\b.*|how\s+(?:we|the)\b.*|table\s+of\s+contents|\d+|as\s+.*)\W*$",
    re.I,
)
_LONGEST = 180
_REPORT_LENGTH = 16_000
"""The longest that auditors have written of their matters."""


def asks_audit_matters(text: str) -> bool:
    """Whether ``text`` asks which they are, or whether there are any; not how they were dealt with."""
    return bool(_ASKED.search(text)) and not _MORE.search(text)


def audit_matters(desk: Desk, filing: Filing) -> StructureAnswer | None:
    """ "The auditor's report … has 2 critical audit matters:" and their titles; None where no report has such a part."""
    text = desk.library.text(filing.id)
    opened = _OPENS.search(text)
    if opened is None:
        return _none(desk, filing, text)
    closed = _CLOSES.search(text, opened.end(), opened.end() + _REPORT_LENGTH)
    passages = Passages(desk, filing)
    told: dict[str, Sentence] = {}
    for begin, end in _titles(text, opened.end(), closed.start() if closed else opened.end() + _REPORT_LENGTH):
        title = " ".join(text[begin:end].split())
        number = passages.number(begin, end) if title not in told else None
        if number is not None:
            told[title] = Sentence(f"{len(told) + 1}. {title}", (number,), "grounded", opens="line")
    if not told:
        return None
    many = f"{len(told)} critical audit matter{'s' if len(told) > 1 else ''}"
    head = Sentence(f"The auditor's report in {filing.company}'s {named(filing)} has {many}:", (), "computed")
    return StructureAnswer((head, *told.values()), tuple(passages.made))


def _none(desk: Desk, filing: Filing, text: str) -> StructureAnswer | None:
    match = _NONE.search(text)
    if match is None:
        return None
    line = text.rfind("\n", 0, match.start()) + 1
    end = text.find("\n", match.end())
    for a, b in split_sentences(text[line : end if end >= 0 else len(text)]):
        if line + a <= match.start() < line + b:
            told = " ".join(text[line + a : line + b].split())
            return one(f"No: {told}", desk.passage(1, filing, line + a, line + b))
    return None


def _titles(text: str, begin: int, end: int) -> Iterator[tuple[int, int]]:
    """Short lines under which a matter is described."""
    previous: tuple[int, int] | None = None
    for match in re.finditer(r"[^\n\t]+", text[begin:end]):
        line = match.group().strip()
        if not line:
            continue
        place = (begin + match.start(), begin + match.end())
        if previous is not None and _DESCRIBES.match(line):
            yield previous
        is_title = len(line) <= _LONGEST and line[-1] not in ".:;,)" and not _NO_TITLE.match(line) and line[0].isupper()
        previous = place if is_title else None
