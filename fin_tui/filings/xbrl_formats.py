"""Printed values -> numbers, dates and truth values, by the inline XBRL transformation formats.

Names of formats are compared without prefix, case and hyphens, so that all registry versions (2010 to 2022) are covered.
"""

from __future__ import annotations

import datetime as dt
import re
from decimal import Decimal, InvalidOperation

_ONES = (
    "zero one two three four five six seven eight nine ten eleven twelve thirteen fourteen fifteen sixteen "
    "seventeen eighteen nineteen"
).split()
_TENS = "twenty thirty forty fifty sixty seventy eighty ninety".split()
_WORDS = {word: value for value, word in enumerate(_ONES)} | {word: 20 + 10 * step for step, word in enumerate(_TENS)}
_WORDS |= {"no": 0, "none": 0, "nil": 0, "a": 1, "an": 1}
_SCALES = {"thousand": 10**3, "million": 10**6, "billion": 10**9, "trillion": 10**12}
_MONTHS = "jan feb mar apr may jun jul aug sep oct nov dec".split()
_ZERO = frozenset("fixedzero zerodash numdash".split())
_EMPTY = frozenset("nocontent fixedempty".split())
_COMMA_DECIMAL = frozenset("numcommadecimal numdotcomma numspacecomma".split())
_UNIT_DECIMAL = frozenset("numunitdecimal numunitdecimalin numunitdecimalapos".split())
_SPAN_UNITS = {"durday": "days", "durweek": "weeks", "durmonth": "months", "duryear": "years", "durhour": "hours"}
_SPAN_WORDS = re.compile(r"^(.+?)[\s-]+(day|week|month|year|hour)s?$", re.IGNORECASE)
_TRUE = frozenset("fixedtrue booleantrue".split())
_FALSE = frozenset("fixedfalse booleanfalse".split())
_CHECKED = frozenset("☒☑✓✔þýxX")


def short_name(format_name: str) -> str:
    """A format's name without prefix, case and hyphens: "ixt:num-dot-decimal" -> "numdotdecimal"."""
    return format_name.rpartition(":")[2].lower().replace("-", "")


def parse_number(text: str, format_name: str) -> Decimal | None:
    """The unsigned, unscaled number that ``text`` prints; None when it prints none."""
    name = short_name(format_name)
    if name in _ZERO:
        return Decimal(0)
    if name in _EMPTY:
        return None
    if name == "numwordsen":
        return words_to_number(text)
    if name in _UNIT_DECIMAL:
        groups = re.findall(r"[\d,.]+", text)
        return _decimal(groups[0].replace(",", "") + "." + groups[1]) if len(groups) > 1 else _decimal("".join(groups))
    compact = re.sub(r"[\s'’$€£¥%]", "", text)
    if name in _COMMA_DECIMAL:
        return _decimal(compact.replace(".", "").replace(",", "."))
    number = _decimal(compact.replace(",", ""))
    if number is None and not name:
        return words_to_number(text)
    return number


def _decimal(text: str) -> Decimal | None:
    if not re.fullmatch(r"[-+]?(?:\d+\.?\d*|\.\d+)", text, re.ASCII):
        return Decimal(0) if re.fullmatch(r"[-–—−]+", text) else None
    try:
        return Decimal(text)
    except InvalidOperation:
        return None


def words_to_number(text: str) -> Decimal | None:
    """ "one hundred and twenty-five" -> 125; None when a word is not a number word. Digits among the words are read too."""
    words = [word for word in re.split(r"[\s,-]+", text.strip().lower()) if word and word != "and"]
    if not words:
        return None
    total = Decimal(0)
    group = Decimal(0)
    for word in words:
        if word in _WORDS:
            group += _WORDS[word]
        elif word == "hundred":
            group = (group or Decimal(1)) * 100
        elif word in _SCALES:
            total += (group or Decimal(1)) * _SCALES[word]
            group = Decimal(0)
        elif re.fullmatch(r"\d+(?:\.\d+)?", word, re.ASCII) and len(word) < 30:
            group += Decimal(word)
        else:
            return None
    return total + group


def parse_duration(text: str, format_name: str) -> tuple[Decimal, str] | None:
    """The number and unit ("years", "months", …) of a printed length of time; None when the format isn't one of those."""
    name = short_name(format_name)
    if name in _SPAN_UNITS:
        number = parse_number(text, "")
        return (number, _SPAN_UNITS[name]) if number is not None else None
    if name not in ("durwordsen", "duryearmonthday"):
        return None
    match = _SPAN_WORDS.match(text.strip())
    number = words_to_number(match[1]) if match else None
    return (number, match[2].lower() + "s") if match and number is not None else None


def parse_boolean(text: str, format_name: str) -> bool | None:
    """The truth value of a flag: by its format, else by the words "true" and "false"."""
    name = short_name(format_name)
    if name in _TRUE:
        return True
    if name in _FALSE:
        return False
    if name == "boolballotbox":
        return any(c in _CHECKED for c in text)
    return {"true": True, "false": False, "yes": True, "no": False}.get(text.strip().lower())


def parse_date(text: str, format_name: str = "") -> dt.date | None:
    """A full date, as printed in a US filing or in ISO form; None for anything else.

    Numeric dates are read month first, unless the format says day first.
    """
    text = " ".join(text.split())
    iso = re.match(r"^(\d{4})-(\d{1,2})-(\d{1,2})", text)
    if iso:
        return _date(int(iso[1]), int(iso[2]), int(iso[3]))
    numbers = [int(part) for part in re.findall(r"\d{1,4}", text)]
    month = next((i for i, m in enumerate(_MONTHS, 1) if re.search(rf"\b{m}", text, re.IGNORECASE)), None)
    day_first = short_name(format_name).startswith(("dateday", "dateddmm"))
    if month and len(numbers) == 2:
        return _date(numbers[1], month, numbers[0])
    if len(numbers) == 3:
        if numbers[0] > 31:
            return _date(numbers[0], numbers[1], numbers[2])
        first, second = (numbers[1], numbers[0]) if day_first else (numbers[0], numbers[1])
        return _date(numbers[2] + 2000 if numbers[2] < 100 else numbers[2], first, second)
    return None


def _date(year: int, month: int, day: int) -> dt.date | None:
    try:
        return dt.date(year, month, day)
    except ValueError:
        return None
