"""The cover page of a filing without tagged facts: form, registrant, period and numbers, from its words.

Works on clean text whatever its line breaks: the order of things on a cover page is prescribed by the form.
"""

from __future__ import annotations

import datetime as dt
import re
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from fin_tui.language import MONTH, MONTHS, any_of, day_of, month_number, normal_company, tidy_company
from fin_tui.records import Cover

_GAP = r"[\s_.,:]*"
DATE = (
    rf"(?:{MONTH}\.?\s*\d{{1,2}}(?:st|nd|rd|th)?\s*,?{_GAP}(?:19|20)\s?\d\s?\d"
    rf"|\d{{1,2}}(?:st|nd|rd|th)?\s+(?:day\s+of\s+)?{MONTH}\.?,?\s+(?:19|20)\d\d"
    r"|\d{1,2}\s?[/-]\s?\d{1,2}\s?[/-]\s?(?:(?:19|20)\d\d|\d\d)(?!\d)"
    r"|(?:19|20)\d\d-\d\d-\d\d)"
)
"""Pattern source of one date, to be used with ``re.IGNORECASE``."""
_WORDS_FIRST = re.compile(rf"({MONTH})\.?\s*(\d{{1,2}})(?:st|nd|rd|th)?\s*,?{_GAP}((?:19|20)\s?\d\s?\d)", re.I)
_DAY_FIRST = re.compile(rf"(\d{{1,2}})(?:st|nd|rd|th)?\s+(?:day\s+of\s+)?({MONTH})\.?,?\s+((?:19|20)\d\d)", re.I)
_SLASHES = re.compile(r"(\d{1,2})\s?[/-]\s?(\d{1,2})\s?[/-]\s?((?:19|20)?\d\d)(?!\d)")
_ISO = re.compile(r"((?:19|20)\d\d)-(\d\d)-(\d\d)")
_CENTURY_TURN = 70
"""Two-digit years from here on are of the 1900s: EDGAR begins in 1993."""


def parse_date(text: str) -> dt.date | None:
    """The first date in ``text``; None when there is none or it does not exist."""
    if found := _ISO.search(text):
        return day_of(int(found[1]), int(found[2]), int(found[3]))
    if found := _WORDS_FIRST.search(text):
        return day_of(int("".join(found[3].split())), month_number(found[1]), int(found[2]))
    if found := _DAY_FIRST.search(text):
        return day_of(int(found[3]), month_number(found[2]), int(found[1]))
    if found := _SLASHES.search(text):
        year = int(found[3])
        if year < 100:
            year += 1900 if year >= _CENTURY_TURN else 2000
        return day_of(year, int(found[1]), int(found[2]))
    return None


def long_date_pattern(date: dt.date) -> str:
    """Pattern source that finds ``date`` written out, in full or with a shortened month, across line breaks."""
    name = MONTHS[date.month - 1]
    return rf"{name[:3]}(?:{name[3:]})?t?\.?\s+{date.day}\s*,?\s*{date.year}"


_EARLY_JANUARY = 10
_EARLY_FEBRUARY = 5
_LAST_AMBIGUOUS_MONTH = 6
_ENOUGH_MENTIONS = 6
_YEAR = r"((?:19|20)\d\d)"
_LABEL = rf"fiscal(?:\s+years?)?\s+{_YEAR}"
_MORE_YEARS = r"(?:(?:\s*,\s*(?:and\s+)?|\s+and\s+)(?:fiscal\s+)?(?:19|20)\d\d)*"
_ENDED = r"(?:ended|ending|ends|end)(?:\s+on)?"


def derive_fiscal_year(text: str, period_end: dt.date) -> int:
    """The company's label for the year that ends on ``period_end``, judged from the filing's clean text."""
    year = period_end.year
    if period_end.month > _LAST_AMBIGUOUS_MONTH:
        return year
    votes = _votes(text, period_end)
    if votes and votes.most_common(1)[0][1] > 0:
        best, count = votes.most_common(1)[0]
        other = votes[year if best == year - 1 else year - 1]
        if count > other:
            return best
    mentioned = Counter(int(found) for found in re.findall(rf"\bfiscal\s+(?:year\s+)?{_YEAR}\b", text, re.I))
    if mentioned[year] + mentioned[year - 1] >= _ENOUGH_MENTIONS:
        # The year just ended and the one before it are both spoken of at length; the year to come hardly is.
        return year if mentioned[year] * 2 >= mentioned[year - 1] else year - 1
    if period_end.month == 1 and period_end.day <= _EARLY_JANUARY:
        return year - 1
    if period_end <= dt.date(year, 2, _EARLY_FEBRUARY):
        return year - 1
    return year


def _votes(text: str, period_end: dt.date) -> Counter[int]:
    """How often the text ties the period end to each of the two possible labels."""
    date = long_date_pattern(period_end)
    patterns = (
        rf"\b{_LABEL}{_MORE_YEARS}[^.;\d]{{0,60}}?\b{_ENDED}\s+(?:\w+,?\s+)?{date}",
        rf"\b{_LABEL}\s*[\s(:,–—-]{{1,4}}{date}",
        rf"\b{_ENDED}\s+{date}\s*[,;]?\s*\(?\s*(?:the\s+|our\s+|or\s+|herein\s+)?(?:referred\s+to\s+(?:herein\s+)?as\s+|called\s+|is\s+|as\s+)?[“\"'‘(]*(?:our\s+)?{_LABEL}",
        rf"{date}\s*[,;]?\s+(?:and\s+[^.;]{{0,60}}?)?(?:is|are|as|was|called)\s+(?:referred\s+to\s+(?:herein\s+)?as\s+)?[“\"'‘]*{_LABEL}",
        rf"\b{_LABEL}[”\"'’]?\s+(?:refers?\s+to|means?|represents?|is|was|comprised|consisted\s+of|includes?)\s[^.;]{{0,80}}?{date}",
    )
    counts: Counter[int] = Counter()
    for pattern in patterns:
        for found in re.finditer(pattern, text, re.I):
            label = int(found[1])
            if label in (period_end.year, period_end.year - 1):
                counts[label] += 1
    return counts


EXACT_NAME = re.compile(
    r"[(\[]?\s*(?:exact\s+names?\s+of\s+(?:the\s+)?(?:registrants?|issuing\s+entit(?:y|ies)|issuers?|trust|company)\b"
    r"|(?:exact\s+)?names?\s+of\s+(?:small\s+business\s+issuer|registrant|issuer)\s+(?:as\s+specified\s+)?in\s+its\s+charter)[^()\n]{0,80}[)\]]?",
    re.I,
)
"""The caption under the name on a cover."""
_RULE = r"\s*(?:[-_=*•·—–]\s*){3,}"
_LANDMARK = re.compile(
    r"\(?\s*commission\s+file\s+(?:number|no\.?|num\.?)\s*s?\s*\)?\s*[:.#]?\s*(?:\d{1,3}\s?-\s?\d{2,6}(?:-\d{1,3})?)?\.?"
    r"|exchange\s+act\s+of\s+1934(?:\s*\([^)]{0,40}\))?|[\d,]+\s*\(?no\s+fee\s+required\)?|washington,?\s*d\.?\s*c\.?,?\s*20549"
    r"|\bto\s+_{2,}|\b\d{10}\b|\(mark\s+one\)|\bform\s+10-?k\w*|\b(?:19|20)\d\d(?=\s)|_{3,}|[-=*]{4,}|\b\d{1,3}-\d{3,6}(?:-\d{1,3})?(?=\s)|\n\n",
    re.I,
)
_BEGINS = r"(?-i:(?=[A-Z\d]))"
_SIGNED = re.compile(
    rf"duly\s+caused\s+this\s+(?:annual\s+|transition\s+)?report[^.]{{0,200}}?duly\s+authorized(?:[,;]?\s+(?:in|on)\b[^.]{{0,140}})?\.?[\s:_]+({_BEGINS}[^\n\t(]{{2,100}}?)\s*(?=\(|\n|\t|/s/|\bBy\b|Date)",
    re.I,
)
_ADDRESSED = re.compile(
    rf"^[ \t]*To\s+the\s+[^\n.:]{{0,90}}?\b(?:directors|stockholders|shareholders|shareowners|owners|members|partners)\s+of\s+"
    rf"({_BEGINS}[^\n:;(]{{2,100}}?)\s*(?=[:\n;(]|$|\bWe\s+have\b|\bOpinions?\b)",
    re.M | re.I,
)
"""Whom an auditor's report is addressed to."""
_WORD = r"[A-Z\d][\w&.'’-]*,?"
_WORDS = rf"{_WORD}(?:[ \t]+(?:(?:of|and|the|&)[ \t]+)?{_WORD}){{0,8}}"
_DEFINED = re.compile(
    rf"^[ \t]*({_WORDS})(?:[ \t]+(?:and|together[ \t]with)[ \t]+(?:its|our)[ \t]+[^()\n]{{0,60}}?)?"
    r"[ \t]*\([ \t]*(?:[^()\n]{0,60}[ \t])?[“\"]?the[ \t]+[“\"]?(?:Company|Registrant|Corporation)\b[”\"]?",
    re.M,
)
"""'Acme Corp. (together with its subsidiaries, "the Company")', at the beginning of a paragraph."""
_CHARTER = re.compile(
    rf"\b(?i:(?:certificate|articles)\s+of\s+(?:incorporation|association|formation)|by-?laws)\s+of\s+({_WORDS})"
)
"""Whose charter the exhibit index lists."""
_WITH_SUBSIDIARIES = (
    r",?[ \t]+(?:and|&)[ \t]+(?:its[ \t]+)?(?:consolidated[ \t]+|wholly[- ]owned[ \t]+)?"
    r"subsidiar(?:y|ies)(?:[ \t]+compan(?:y|ies))?[ \t]*$"
)
_TITLED = re.compile(rf"^[ \t]*({_BEGINS}[^\n\t|;:]{{2,80}}?){_WITH_SUBSIDIARIES}", re.M | re.I)
"""A line over the statements: "Acme Corp. and Subsidiaries"."""
_ENDING = any_of(
    "inc, incorporated, corp, corporation, company, co, cos, ltd, limited, llc, l.l.c, plc, lp, l.p, n.v, s.a, "
    "trust, group, holding(s), bancorp, bank, fund, partners"
)
_NUMBERED = re.compile(r"(?<![\d-])\d{2}\s?[-–]\s?\d{7}(?![\d-])|\(?\b\d{3}\)?[-\s]\d{3}-\d{4}\b")
"""An IRS or a telephone number: the text beside it is no name."""
_PLACE = re.compile(
    r"(?:the\s+)?(?:state|commonwealth)\s+of\s+\w+(?:\s\w+)?"
    r"|alabama|alaska|arizona|arkansas|california|colorado|connecticut|delaware|district of columbia|florida"
    r"|georgia|hawaii|idaho|illinois|indiana|iowa|kansas|kentucky|louisiana|maine|maryland|massachusetts"
    r"|michigan|minnesota|mississippi|missouri|montana|nebraska|nevada|new (?:hampshire|jersey|mexico|york)"
    r"|(?:north|south) carolina|(?:north|south) dakota|ohio|oklahoma|oregon|pennsylvania|puerto rico"
    r"|rhode island|tennessee|texas|utah|vermont|(?:west )?virginia|washington|wisconsin|wyoming|bermuda|canada"
    r"|cayman islands|england(?: and wales)?|ireland|israel|jersey|liberia|luxembourg|marshall islands"
    r"|netherlands|panama|singapore|switzerland|united kingdom|united states(?: of america)?",
    re.I,
)
"""Where companies are incorporated: the column beside the name on a cover."""
_NO_NAME = re.compile(
    r"commission|securities\s+exchange|fiscal\s+year|file\s+n(?:umber|o)\b|transition\s+(?:report|period)|pursuant|washington,|registrant|^form\b"
    r"|\bannual\s+report\b|identification|incorporation|^(?:we|our|the)$|^(?:the\s+)?company$",
    re.I,
)
_NAME_LENGTH = 120
_SEARCHED = 600_000
"""Characters in which the Company is defined and statements have their titles."""
_MOST = 12
"""Hits of one kind that are counted: a line over every page says no more than one over a dozen."""
_COVER, _SIGNATURE, _OTHER, _BESIDE = 4.0, 3.0, 2.0, 1.0
_SURE = 3.0
"""Votes that a name needs: the cover or the signature has them alone, of the rest it takes two."""
_CONFIRMED = 3
"""Places of the filing beside the cover that confirm a name which ends as companies' names do."""


@dataclass(slots=True)
class _Named:
    """A name with the votes for it."""

    name: str
    votes: float


def registrant(cover: str, text: str, beside: Sequence[str] = ()) -> str:
    """The registrant's name as printed, by the votes of all places that name it; "" when none surely does.

    ``cover`` is the cover page, ``text`` the clean text. ``beside`` are texts outside it: running lines and the title of a PDF.
    They speak for names that stand elsewhere, and name nobody themselves.
    """
    printed = _of_cover(cover) or _after_file_number(cover)
    if _ENDING.search(printed) and text.casefold().count(printed.casefold()) > _CONFIRMED:
        return printed
    found: dict[str, _Named] = {}
    for name, votes in _candidates(printed, text):
        if key := _key(name):
            if key in found:
                found[key].votes += votes
            else:
                found[key] = _Named(name, votes)
    spoken = text.casefold()
    around = [f" {normal_company(line)} " for line in beside]
    for key, named in found.items():
        named.votes += _BESIDE * (_ENDING.search(named.name) is not None and spoken.count(named.name.casefold()) > _CONFIRMED)
        named.votes += _BESIDE * any(f" {key} " in line for line in around)
        # "Brightwater" for "Brightwater Pumps, Inc.": the short form speaks for the full one.
        named.votes += sum(other.votes / 2 for short, other in found.items() if short != key and key.startswith(f"{short} "))
    best = max(found.values(), key=lambda named: named.votes, default=None)
    return best.name if best is not None and best.votes >= _SURE else ""


def _candidates(printed: str, text: str) -> Iterator[tuple[str, float]]:
    """Names with their votes, each kind of place once for each name; that ``printed`` on the cover first."""
    if printed:
        yield printed, _COVER
    for kind, votes in ((_SIGNED, _SIGNATURE), (_ADDRESSED, _OTHER), (_DEFINED, _OTHER), (_TITLED, _OTHER), (_CHARTER, _BESIDE)):
        where = text[:_SEARCHED] if kind in (_DEFINED, _TITLED) else text
        yield from ((name, votes) for name in _often(kind, where))


def _often(kind: re.Pattern[str], text: str) -> list[str]:
    """The names that ``kind`` finds in ``text``: the most frequent, and those as frequent."""
    counts: dict[str, int] = {}
    spelled: dict[str, str] = {}
    for number, hit in enumerate(kind.finditer(text)):
        if number >= _MOST:
            break
        name = _joined(hit[1])
        if _is_name(name) and not re.match(r"by\b|date|signature|/s/", name, re.I):
            counts[_key(name)] = counts.get(_key(name), 0) + 1
            spelled.setdefault(_key(name), name)
    most = max(counts.values(), default=0)
    return [spelled[key] for key, count in counts.items() if count == most]


def _key(name: str) -> str:
    return normal_company(name)


def _of_cover(cover: str) -> str:
    """The words between the landmark before them and "(Exact name of registrant ...)"; "" when they are no name."""
    for marker in EXACT_NAME.finditer(cover):
        before = re.sub(rf"{_RULE}\Z", "", cover[: marker.start()]).rstrip(" (\n")
        start = max((found.end() for found in _LANDMARK.finditer(before + " ")), default=0)
        stretch = before[start:]
        if not _is_name(_joined(stretch)):
            stretch = _after_blank(before)
        name = _joined(stretch)
        if _is_name(name):
            return name
        if name := _named_after(cover[marker.end() : marker.end() + 300]):
            return name
    return ""


def _after_blank(before: str) -> str:
    """The last paragraph of ``before``, or its last line when that is still too long for a name."""
    last = before.strip().split("\n\n")[-1]
    return last if len(_joined(last)) <= _NAME_LENGTH else last.split("\n")[-1]


def _named_after(text: str) -> str:
    """A name that follows its caption, as in the table that combined filers print: file number, name, state, IRS number."""
    found = re.search(r"(?<![\d-])(?:\d{1,2}|0\d\d|333)-\d{2,6}(?:-\d{1,3})?\s+([A-Z][^\n\t(\d]{3,80})", text)
    if found:
        return _joined(found[1])
    found = re.match(r"\s*:?\s*([A-Z][^\n\t(]{2,80})", text)
    name = _joined(found[1]) if found and _ENDING.search(found[1]) else ""
    return name if _is_name(name) else ""


def _after_file_number(cover: str) -> str:
    """The first name after the Commission file number, on covers that leave out the caption under the name."""
    if EXACT_NAME.search(cover):
        return ""
    for found in re.finditer(r"commission\s+file\s+(?:number|no\.?)\s*:?\s*[\d-]{4,14}\s+([A-Z\d][^\n]{1,100})", cover, re.I):
        name = _joined(found[1])
        if _is_name(name):
            return name
    table = re.search(r"commission\s[^\n]{0,80}registrant", cover, re.I)
    return _named_after(cover[table.end() : table.end() + 600]) if table else ""


def _joined(text: str) -> str:
    words = " ".join(re.sub(r"[_=*]{2,}|-{3,}|\bOR\b\s*$", " ", text).split())
    abbreviated = re.search(r"\b(?:inc|co|corp|ltd|cos|l\.p|n\.v|s\.a|p\.l\.c)\.\W*\Z", words, re.I)
    words = re.sub(r"^(?:to|or|from)\s+(?=[A-Z])", "", words)
    words = re.sub(rf"^.*\bdirectors\s+of\s+(?={_BEGINS})|{_WITH_SUBSIDIARIES}", "", words, flags=re.I)
    return words.strip(" ,;:.-–—|") + ("." if abbreviated else "")


def _is_name(name: str) -> bool:
    if not 2 <= len(name) <= _NAME_LENGTH or name.islower() or not re.search(r"[A-Za-z]{2}|[A-Z]&[A-Z]|\d[A-Z]|[A-Z]\d", name):
        return False
    return not (parse_date(name) or _NUMBERED.search(name) or _PLACE.fullmatch(name) or _NO_NAME.search(name))


_COVER_SEARCHED = 250_000
"""A cover stands near the start, after at most the front pages of a printed annual report."""
_BEFORE = 1_500
_AFTER = 9_000
_SECTION_13 = re.compile(
    r"(?:annual|quarterly|transition|current)\s+reports?\s+(?:pursuant\s+to|under)\s+(?:section\s+)?(?:\S+\s+){0,2}?13\b", re.I
)
_COMMISSION = re.compile(r"securities\s+and\s+exchange\s+commission", re.I)
_KINDS = (
    r"10\s?-?\s?KT?(?:\s?-?(?:SB|405))?|10\s?-?\s?Q(?:SB|T)?"
    r"|20\s?-?\s?F|40\s?-?\s?F|11-?\s?K|18-?\s?K|8\s?-?\s?K|6-?\s?K|S-[1348]|N-CSR|DEF\s?14A"
)
_FORM = re.compile(rf"\bform\s*[:\s]\s*({_KINDS})(?:\s*[/-]?\s*(A))?(?![\w])", re.I)
_BARE_FORM = re.compile(rf"(?:^|\s)({_KINDS})(?:/(A))?(?=\s|$)")
_AMENDMENT = re.compile(r"\bamendment\s+no\.?\s*\d+|\(amendment\s+", re.I)
_IRS = re.compile(r"(?<![\d-])(\d{2})\s?[-–]\s?(\d{7})(?![\d-])")
_FILE_AFTER = re.compile(
    r"commission\s+file\s+(?:number|no\.?|num\.?)\s*s?\s*\)?\s*[:.#]*\s*((?:\d{1,3})\s?[-–]\s?\d{2,6}(?:-\d{1,3})?)(?!\d)", re.I
)
_FILE_BEFORE = re.compile(r"(?<!\d)(\d{1,3}-\d{2,6}(?:-\d{1,3})?)\s*\(\s*commission\s+file", re.I)
_FILE_COLUMN = re.compile(r"file\s+number[^\n]*\n\s*(\d{1,3}-\d{2,6}(?:-\d{1,3})?)[\s]", re.I)
_PERIOD = re.compile(
    rf"\bfor\s+(?:the\s+)?[^.;]{{0,60}}?\b(?:years?|periods?|weeks?|quarter|months)\b[^.;]{{0,25}}?\b(?:ended|ending|end)\s*:?\s*(?:on\s+)?(?:\w+day,?\s+)?({DATE})",
    re.I,
)
_PERIOD_LOOSE = re.compile(rf"(?:fiscal\s+)?year[\s-]*(?:ended|ending|end)\s*[:(]?\s*(?:\w+day,?\s+)?({DATE})", re.I)
_PERIOD_REPORT = re.compile(rf"date\s+of\s+(?:earliest\s+event\s+reported|report)[^.\n]{{0,40}}?({DATE})", re.I)
_TRANSITION = re.compile(rf"transition\s+period\s+from\s*:?\s*({DATE})\s*(?:to|through)\s*:?\s*({DATE})", re.I)
_MARKED_TRANSITION = re.compile(r"(?:\[\s?x\s?\]|\(x\)|☒|☑|þ|ý|/x/)\s*transition\s+report", re.I)
_SYMBOL_HEAD = re.compile(r"(?:trading|ticker)\s+symbols?(?:\s*\(s\))?", re.I)
_SYMBOL_ROW = re.compile(
    r"(?:common|ordinary|capital|class\s+[a-z]|shares|units|depositary)[^\n]{0,120}?[\s\t“\"]([A-Z]{1,5}(?:[./-][A-Z])?)[”\"]?[\s\t]+"
    r"(?:the\s+)?(?:new\s+york|nasdaq|nyse|cboe|chicago|otc|american|long[-\s]term)",
    re.I,
)
_SYMBOL_PROSE = re.compile(
    r"(?:common\s+(?:stock|shares)|ordinary\s+shares|shares)\b[^.]{0,200}?\bunder\s+the\s+(?:ticker\s+|trading\s+|stock\s+)*symbols?[\s:,“”\"'‘’(]+([A-Z]{1,5}(?:\.[A-Z])?)\b"
)
_NOT_SYMBOLS = {"NYSE", "NASD", "NONE", "N", "NEW", "THE", "LLC", "INC", "YORK", "STOCK", "COMMON", "PAR", "CLASS", "OTC"}


def cover_from_text(text: str, beside: Sequence[str] = ()) -> Cover:
    """The cover as far as its words give it; unknown fields stay empty.

    ``text`` is the filing's clean text. ``beside`` are texts outside it that may repeat the registrant's name: running lines,
    the title of a PDF.
    """
    cover = _cover_page(text)
    name = registrant(cover, text, beside)
    if not cover:
        return Cover(company=tidy_company(name, text) if name else "")
    form = _form(cover)
    period = _period_end(cover, form)
    if form == "10-K" and period and _is_transition(cover):
        form = "10-KT"
    year = derive_fiscal_year(text, period) if period else None
    return Cover(
        company=tidy_company(name, text) if name else "",
        form=form,
        fiscal_year=year,
        period_end=period,
        ticker=_ticker(cover, text),
        irs_number=_irs_number(cover),
        commission_file=_commission_file(cover),
    )


def _cover_page(text: str) -> str:
    """The part of ``text`` that the cover takes up, found by its prescribed words; "" when there is none."""
    head = text[:_COVER_SEARCHED]
    anchor = _SECTION_13.search(head) or EXACT_NAME.search(head)
    if anchor is None:
        form = _FORM.search(head[:_AFTER])
        if form is None or not _COMMISSION.search(head[:_AFTER]):
            return ""
        anchor = form
    return text[max(0, anchor.start() - _BEFORE) : anchor.start() + _AFTER]


def _form(cover: str) -> str:
    """The form's name in its usual writing, "10-K405/A"; "" when none is named."""
    named = EXACT_NAME.search(cover)
    head = cover[: named.start()] if named else cover[:4000]
    found = _FORM.search(head) or _FORM.search(cover) or _BARE_FORM.search(head)
    if found is None:
        return ""
    kind = "".join(found[1].upper().split())
    kind = re.sub(r"^(\d+)-?([A-Z])", r"\1-\2", kind).replace("-405", "405").replace("-SB", "SB")
    amended = bool(found[2]) or bool(_AMENDMENT.search(head[:2500]))
    return kind + ("/A" if amended else "")


def _period_end(cover: str, form: str) -> dt.date | None:
    transition = _TRANSITION.search(cover)
    found = _PERIOD.search(cover)
    if transition and (found is None or _MARKED_TRANSITION.search(cover)):
        return parse_date(transition[2])
    found = found or _PERIOD_LOOSE.search(cover) or (_PERIOD_REPORT.search(cover) if not form.startswith("10-K") else None)
    return parse_date(found[1]) if found else None


def _is_transition(cover: str) -> bool:
    return bool(_TRANSITION.search(cover)) and (_PERIOD.search(cover) is None or bool(_MARKED_TRANSITION.search(cover)))


def _irs_number(cover: str) -> str:
    label = re.search(r"(?:i\.?\s?r\.?\s?s\.?\s+)?employer\s+(?:i\.?\s?d\.?\b|identification)", cover, re.I)
    numbers = list(_IRS.finditer(cover))
    if not numbers:
        return ""
    at = label.start() if label else 0
    nearest = min(numbers, key=lambda found: abs(found.start() - at))
    return f"{nearest[1]}-{nearest[2]}"


def _commission_file(cover: str) -> str:
    found = _FILE_AFTER.search(cover) or _FILE_BEFORE.search(cover) or _FILE_COLUMN.search(cover)
    return "".join(found[1].split()).replace("–", "-") if found else ""


def _ticker(cover: str, text: str) -> str:
    """The symbol of the first listed equity: from the cover's table, else where the filing says "under the symbol"."""
    if head := _SYMBOL_HEAD.search(cover):
        for found in _SYMBOL_ROW.finditer(cover[head.end() : head.end() + 3000]):
            if found[1].isupper() and found[1] not in _NOT_SYMBOLS:
                return found[1].replace("/", ".").replace("-", ".")
    for found in _SYMBOL_PROSE.finditer(text[:400_000]):
        if found[1] not in _NOT_SYMBOLS:
            return found[1]
    return ""
