"""The cover page of a filing without tagged facts: form, registrant, period and numbers, from its words.

Works on clean text whatever its line breaks: the order of things on a cover page is prescribed by the form.
"""

from __future__ import annotations

import datetime as dt
import re
from collections.abc import Sequence

from fin_tui.filings.company_names import tidy_company
from fin_tui.filings.cover_dates import DATE, parse_date
from fin_tui.filings.fiscal_year import derive_fiscal_year
from fin_tui.filings.registrant import EXACT_NAME, registrant
from fin_tui.records import Cover

_SEARCHED = 250_000
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
    head = text[:_SEARCHED]
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
    kind = re.sub(r"\s", "", found[1].upper())
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
    return re.sub(r"\s", "", found[1]).replace("–", "-") if found else ""


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
