"""The cover page of a filing without tagged facts: form, registrant, period and numbers, from its words.

Works on clean text whatever its line breaks: the order of things on a cover page is prescribed by the form.
"""

from __future__ import annotations

import datetime as dt
import re
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from itertools import groupby, islice, pairwise, takewhile

from fin_tui.filings.company_names import normal_company, tidy_company
from fin_tui.language import MONTH, MONTHS, STARTS, any_of, day_of, month_number, only_digits
from fin_tui.records import Cover

_GAP = r"[\s_.,:]*"
DATE = (
    rf"(?:{MONTH}\.?\s*\d{{1,2}}(?:st|nd|rd|th)?\s*,?{_GAP}(?:19|20)\s?\d\s?\d"
    rf"|\d{{1,2}}(?:st|nd|rd|th)?\s+(?:day\s+of\s+)?{MONTH}\.?,?\s+(?:19|20)\d\d"
    r"|\d{1,2}\s?[/-]\s?\d{1,2}\s?[/-]\s?(?:(?:19|20)\d\d|\d\d)(?!\d)"
    r"|(?:19|20)\d\d-\d\d-\d\d)"
)
"""Pattern source of one date in any of its notations, to be used with ``re.IGNORECASE``."""
_DATE = re.compile(DATE, re.I)
_YEAR_DIGITS = 4
_CENTURY_TURN = 70
"""Two-digit years from here on are of the 1900s: EDGAR begins in 1993."""


def parse_date(text: str) -> dt.date | None:
    """The first date in ``text``; None when there is none or it does not exist."""
    found = _DATE.search(text)
    return _day(found[0]) if found else None


def _day(date: str) -> dt.date | None:
    words = ("".join(run) for is_word, run in groupby(date.lower(), str.isalpha) if is_word)
    if month := next((word for word in words if word.startswith(STARTS)), ""):
        digits = only_digits(date)
        return day_of(int(digits[-_YEAR_DIGITS:]), month_number(month), int(digits[:-_YEAR_DIGITS]))
    first, second, third = (int(number) for number in date.replace("/", "-").split("-"))
    if first > 31:
        return day_of(first, second, third)
    if third < 100:
        third += 1900 if third >= _CENTURY_TURN else 2000
    return day_of(third, first, second)


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
    mentioned = _labels(text, rf"\bfiscal\s+(?:year\s+)?{_YEAR}\b")
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
    counts = _labels(text, *patterns)
    return Counter({year: counts[year] for year in (period_end.year, period_end.year - 1) if year in counts})


def _labels(text: str, *patterns: str) -> Counter[int]:
    """How often each year is the label in what ``patterns`` find."""
    return Counter(int(found[1]) for pattern in patterns for found in re.finditer(pattern, text, re.I))


EXACT_NAME = re.compile(
    r"[(\[]?\s*(?:exact\s+names?\s+of\s+(?:the\s+)?(?:registrants?|issuing\s+entit(?:y|ies)|issuers?|trust|company)\b"
    r"|(?:exact\s+)?names?\s+of\s+(?:small\s+business\s+issuer|registrant|issuer)\s+(?:as\s+specified\s+)?in\s+its\s+charter)[^()\n]{0,80}[)\]]?",
    re.I,
)
"""The caption under the name on a cover."""
_RULE_MARKS = "-_=*•·—–"
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
_TITLED = any_of("and/& (its) (consolidated/wholly-owned) subsidiary/subsidiaries (company/companies)")
_ENDING = any_of(
    "inc, incorporated, corp, corporation, company, co, cos, ltd, limited, llc, l.l.c, plc, lp, l.p, n.v, s.a, "
    "trust, group, holding(s), bancorp, bank, fund, partners"
)
_PLACES = frozenset(
    "alabama,alaska,arizona,arkansas,california,colorado,connecticut,delaware,district of columbia,florida,georgia,hawaii,idaho,"
    "illinois,indiana,iowa,kansas,kentucky,louisiana,maine,maryland,massachusetts,michigan,minnesota,mississippi,missouri,"
    "montana,nebraska,nevada,new hampshire,new jersey,new mexico,new york,north carolina,south carolina,north dakota,"
    "south dakota,ohio,oklahoma,oregon,pennsylvania,puerto rico,rhode island,tennessee,texas,utah,vermont,virginia,"
    "west virginia,washington,wisconsin,wyoming,bermuda,canada,cayman islands,england,england and wales,ireland,israel,jersey,"
    "liberia,luxembourg,marshall islands,netherlands,panama,singapore,switzerland,united kingdom,united states,"
    "united states of america".split(",")
)
"""Where companies are incorporated: the column beside the name on a cover."""
_OF_STATE = (["state", "of"], ["commonwealth", "of"])
_NO_NAME = (
    "commission", "securities exchange", "fiscal year", "file number", "file no", "transition report", "transition period",
    "pursuant", "washington,", "registrant", "annual report", "identification", "incorporation",
)  # fmt: skip
"""Words that no company's name has."""
_IRS_DIGITS = 9
"""With as many digits it is the text beside an IRS or a telephone number."""
_NOBODY = frozenset(("form", "we", "our", "the", "company", "the company"))
_REGISTRANT = any_of("registrant*")
_RULES = re.compile(r"[_=*]{2,}|-{3,}")
_ABBREVIATED = any_of("inc., co., corp., ltd., cos., l.p., n.v., s.a., p.l.c.")
_DIRECTORS = any_of("directors of")
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


def registrant(cover: str, text: str, beside: Sequence[str] = ()) -> str:
    """The registrant's name as printed, by the votes of all places that name it; "" when none surely does.

    ``cover`` is the cover page, ``text`` the clean text. ``beside`` are texts outside it: running lines and the title of a PDF.
    They speak for names that stand elsewhere, and name nobody themselves.
    """
    printed = _of_cover(cover) or _after_file_number(cover)
    if _ENDING.search(printed) and text.casefold().count(printed.casefold()) > _CONFIRMED:
        return printed
    votes: dict[str, float] = {}
    spelled: dict[str, str] = {}
    for name, count in _candidates(printed, text):
        if key := normal_company(name):
            votes[key] = votes.get(key, 0.0) + count
            spelled.setdefault(key, name)
    spoken = text.casefold()
    around = [f" {normal_company(line)} " for line in beside]
    for key, name in spelled.items():
        votes[key] += _BESIDE * (_ENDING.search(name) is not None and spoken.count(name.casefold()) > _CONFIRMED)
        votes[key] += _BESIDE * any(f" {key} " in line for line in around)
        # "Brightwater" for "Brightwater Pumps, Inc.": the short form speaks for the full one.
        votes[key] += sum(votes[short] / 2 for short in votes if short != key and key.startswith(f"{short} "))
    best = max(votes, key=votes.__getitem__, default="")
    return spelled[best] if best and votes[best] >= _SURE else ""


def _candidates(printed: str, text: str) -> Iterator[tuple[str, float]]:
    """Names with their votes, each kind of place once for each name; that ``printed`` on the cover first."""
    if printed:
        yield printed, _COVER
    for kind, votes in ((_SIGNED, _SIGNATURE), (_ADDRESSED, _OTHER), (_DEFINED, _OTHER), (_TITLED, _OTHER), (_CHARTER, _BESIDE)):
        where = text[:_SEARCHED] if kind in (_DEFINED, _TITLED) else text
        names = _titles(where) if kind is _TITLED else (hit[1] for hit in kind.finditer(where))
        yield from ((name, votes) for name in _often(names))


def _titles(text: str) -> Iterator[str]:
    """The names in lines over the statements: "Acme Corp. and Subsidiaries"."""
    for tail in _TITLED.finditer(text):
        name = text[text.rfind("\n", 0, tail.start()) + 1 : tail.start()].strip(" \t").removesuffix(",")
        is_line = "\n" not in tail[0] and not _until(text[tail.end() : tail.end() + _NAME_LENGTH], "\n").strip(" \t")
        if is_line and 3 <= len(name) <= 81 and (name[0].isupper() or name[0].isdigit()) and not set(name) & set("\t|;:"):
            yield name


def _until(text: str, stops: str) -> str:
    """``text`` up to the first of the signs ``stops``."""
    return "".join(takewhile(lambda char: char not in stops, text))


def _often(names: Iterable[str]) -> list[str]:
    """The most frequent of ``names``, and those as frequent."""
    counts: Counter[str] = Counter()
    spelled: dict[str, str] = {}
    for name in map(_joined, islice(names, _MOST)):
        lowered = name.casefold()
        signed = lowered.startswith(("date", "signature", "/s/")) or lowered[:3].rstrip(" :.,;-") == "by"
        if _is_name(name) and not signed:
            counts[normal_company(name)] += 1
            spelled.setdefault(normal_company(name), name)
    most = max(counts.values(), default=0)
    return [spelled[key] for key, count in counts.items() if count == most]


def _of_cover(cover: str) -> str:
    """The words between the landmark before them and "(Exact name of registrant ...)"; "" when they are no name."""
    for marker in EXACT_NAME.finditer(cover):
        before = _without_rule(cover[: marker.start()]).rstrip(" (\n")
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


def _without_rule(text: str) -> str:
    """``text`` without the rule, of three marks and more, that it ends with."""
    bare = text.rstrip(f"{_RULE_MARKS} \t\n")
    return bare if sum(char in _RULE_MARKS for char in text[len(bare) :]) >= 3 else text


def _after_blank(before: str) -> str:
    """The last paragraph of ``before``, or its last line when that is still too long for a name."""
    last = before.strip().split("\n\n")[-1]
    return last if len(_joined(last)) <= _NAME_LENGTH else last.split("\n")[-1]


def _named_after(text: str) -> str:
    """A name that follows its caption, as in the table that combined filers print: file number, name, state, IRS number."""
    for number in _FILE_NUMBER.finditer(text):
        behind = text[number.end() :]
        name = _until(behind.lstrip()[:81], "\n\t(0123456789")
        is_series = number[0].startswith(("0", "333")) or not number[0][:3].isdigit()
        if is_series and behind[:1].isspace() and len(name) >= 4 and name[0].isupper():
            return _joined(name)
    name = _until(text.lstrip().removeprefix(":").lstrip()[:81], "\n\t(")
    name = _joined(name) if name[:1].isupper() and _ENDING.search(name) else ""
    return name if _is_name(name) else ""


def _after_file_number(cover: str) -> str:
    """The first name after the Commission file number, on covers that leave out the caption under the name."""
    if EXACT_NAME.search(cover):
        return ""
    for number in _FILE_NUMBER.finditer(cover):
        behind = cover[number.end() :]
        line = _until(behind.lstrip()[:101], "\n")
        if _is_labelled(number) and behind[:1].isspace() and line[:1].isalnum() and _is_name(name := _joined(line)):
            return name
    table = next((found for found in _REGISTRANT.finditer(cover) if "commission" in _line_before(cover, found.start())), None)
    return _named_after(cover[table.end() : table.end() + 600]) if table else ""


def _line_before(text: str, at: int) -> str:
    """The line of ``text`` up to ``at``, in small letters."""
    return text[text.rfind("\n", 0, at) + 1 : at].lower()


def _joined(text: str) -> str:
    words = " ".join(_RULES.sub(" ", text).split())
    words = words.removesuffix(" OR") if words != "OR" else ""
    is_abbreviated = any(not any(map(str.isalnum, words[found.end() :])) for found in _ABBREVIATED.finditer(words))
    first, _, rest = words.partition(" ")
    words = rest if first in ("to", "or", "from") and rest[:1].isupper() else words
    for found in _DIRECTORS.finditer(words):
        words = words[found.end() :].lstrip() if words[found.end() :].lstrip()[:1].isupper() else words
    for found in _TITLED.finditer(words):
        words = words[: found.start()].removesuffix(" ").removesuffix(",") if not words[found.end() :].strip() else words
    return words.strip(" ,;:.-–—|") + ("." if is_abbreviated else "")


def _is_name(name: str) -> bool:
    pairs = map("".join, pairwise(name.replace("&", "")))
    has_word = any(pair.isalpha() or (pair.isalnum() and pair.isupper()) for pair in pairs)
    if not 2 <= len(name) <= _NAME_LENGTH or name.islower() or not has_word:
        return False
    lowered = " ".join(name.lower().split())
    place = lowered.removeprefix("the ").split()
    is_place = lowered in _PLACES or (place[:2] in _OF_STATE and len(place) in (3, 4))
    speaks = lowered in _NOBODY or lowered.startswith("form ") or any(words in lowered for words in _NO_NAME)
    return not (is_place or speaks or parse_date(name) or len(only_digits(name)) >= _IRS_DIGITS)


_COVER_SEARCHED = 250_000
"""A cover stands near the start, after at most the front pages of a printed annual report."""
_BEFORE = 1_500
_AFTER = 9_000
_REPORTS = any_of("annual/quarterly/transition/current report(s) pursuant/under (to)")
_COMMISSION = any_of("securities and exchange commission")
_KINDS = (
    r"10\s?-?\s?KT?(?:\s?-?(?:SB|405))?|10\s?-?\s?Q(?:SB|T)?"
    r"|20\s?-?\s?F|40\s?-?\s?F|11-?\s?K|18-?\s?K|8\s?-?\s?K|6-?\s?K|S-[1348]|N-CSR|DEF\s?14A"
)
_FORM = re.compile(rf"\bform\s*[:\s]\s*({_KINDS})(?:\s*[/-]?\s*(A))?(?![\w])", re.I)
_BARE_FORM = re.compile(rf"(?:^|\s)({_KINDS})(?:/(A))?(?=\s|$)")
_AMENDMENT = any_of("amendment")
_IRS = re.compile(r"(?<![\d-])\d{2}\s?[-–]\s?\d{7}(?![\d-])")
_EMPLOYER = any_of("(i.r.s./irs) employer i.d/id/identification")
_FILE_NUMBER = re.compile(r"(?<![\d-])\d{1,3}\s?[-–]\s?\d{2,6}(?:-\d{1,3})?(?!\d)")
_FILE_LABELS = ("commission file number", "commission file no", "commission file num")
_PERIOD = re.compile(
    rf"\bfor\s+(?:the\s+)?[^.;]{{0,60}}?\b(?:years?|periods?|weeks?|quarter|months)\b[^.;]{{0,25}}?\b(?:ended|ending|end)\s*:?\s*(?:on\s+)?(?:\w+day,?\s+)?({DATE})",
    re.I,
)
_YEAR_ENDED = any_of("year ended/ending/end, year-ended/ending/end")
_REPORTED = any_of("date of report, date of earliest event reported")
_TRANSITION = re.compile(rf"transition\s+period\s+from\s*:?\s*{DATE}\s*(?:to|through)\s*:?\s*({DATE})", re.I)
_TRANSITION_REPORT = any_of("transition report")
_MARKED = ("[x]", "(x)", "☒", "☑", "þ", "ý", "/x/")
_SYMBOL_HEAD = any_of("trading/ticker symbol(s)")
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
    period, is_transition = _period_end(cover, form)
    if form == "10-K" and period and is_transition:
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
    anchor = next(filter(_under_section_13, _REPORTS.finditer(head)), None) or EXACT_NAME.search(head)
    if anchor is None:
        form = _FORM.search(head[:_AFTER])
        if form is None or not _COMMISSION.search(head[:_AFTER]):
            return ""
        anchor = form
    return text[max(0, anchor.start() - _BEFORE) : anchor.start() + _AFTER]


def _under_section_13(found: re.Match[str]) -> bool:
    """Whether "section 13" follows, perhaps two words on."""
    words = found.string[found.end() : found.end() + 80].lower().split()
    return any(word.startswith("13") and not word[2:3].isalnum() for word in words[: 3 + (words[:1] == ["section"])])


def _form(cover: str) -> str:
    """The form's name in its usual writing, "10-K405/A"; "" when none is named."""
    named = EXACT_NAME.search(cover)
    head = cover[: named.start()] if named else cover[:4000]
    found = _FORM.search(head) or _FORM.search(cover) or _BARE_FORM.search(head)
    if found is None:
        return ""
    kind = "".join(found[1].upper().split())
    letters = kind.lstrip("0123456789")
    kind = f"{kind.removesuffix(letters)}-{letters.removeprefix('-')}" if letters != kind else kind
    amended = bool(found[2]) or any(map(_is_numbered, _AMENDMENT.finditer(head[:2500])))
    return kind.replace("-405", "405").replace("-SB", "SB") + ("/A" if amended else "")


def _is_numbered(amendment: re.Match[str]) -> bool:
    before, behind = amendment.string[: amendment.start()], amendment.string[amendment.end() :][:20].lower()
    number = behind.lstrip().removeprefix("no").removeprefix(".").lstrip()
    return behind[:1].isspace() and (before.endswith("(") or (behind.lstrip().startswith("no") and number[:1].isdigit()))


def _period_end(cover: str, form: str) -> tuple[dt.date | None, bool]:
    """The day on which the period ends, and whether that is a transition period's."""
    transition, period = _TRANSITION.search(cover), _PERIOD.search(cover)
    if transition and (period is None or _marks_transition(cover)):
        return parse_date(transition[1]), True
    date = period[1] if period else _date_behind(_YEAR_ENDED, cover, 16)
    return parse_date(date or ("" if form.startswith("10-K") else _date_behind(_REPORTED, cover, 40))), False


def _date_behind(lead: re.Pattern[str], cover: str, gap: int) -> str:
    """The first date that stands behind ``lead``, at most ``gap`` characters on."""
    dates = ((found.end(), _DATE.search(cover, found.end(), found.end() + gap + 30)) for found in lead.finditer(cover))
    return next((date[0] for end, date in dates if date and date.start() - end <= gap), "")


def _marks_transition(cover: str) -> bool:
    """Whether the box before "transition report" is marked."""
    boxes = ("".join(cover[: found.start()][-8:].lower().split()) for found in _TRANSITION_REPORT.finditer(cover))
    return any(box.endswith(_MARKED) for box in boxes)


def _irs_number(cover: str) -> str:
    label = _EMPLOYER.search(cover)
    at = label.start() if label else 0
    nearest = min(_IRS.finditer(cover), key=lambda found: abs(found.start() - at), default=None)
    return _plain(nearest) if nearest else ""


def _plain(number: re.Match[str]) -> str:
    return "".join(number[0].split()).replace("–", "-")


def _commission_file(cover: str) -> str:
    """The Commission file number: behind its label, else before it, else in the column under it."""
    numbers = list(_FILE_NUMBER.finditer(cover))
    found = (number for stands in (_is_labelled, _has_label_behind, _has_label_above) for number in numbers if stands(number))
    return _plain(number) if (number := next(found, None)) else ""


def _is_labelled(number: re.Match[str]) -> bool:
    before = " ".join(number.string[: number.start()][-60:].lower().split())
    return before.rstrip(" s):.#").endswith(_FILE_LABELS)


def _has_label_behind(number: re.Match[str]) -> bool:
    behind = " ".join(number.string[number.end() :][:40].lower().split())
    return behind.startswith(("(commission file", "( commission file"))


def _has_label_above(number: re.Match[str]) -> bool:
    before, behind = number.string[: number.start()], number.string[number.end() :][:1]
    above = before.rstrip()
    return "\n" in before[len(above) :] and behind.isspace() and "file number" in _line_before(above, len(above))


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
