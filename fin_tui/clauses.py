"""The words of a sentence that are said of one of its numbers: its clause, its item of a list told "respectively"."""

from __future__ import annotations

import re

from fin_tui.language import any_of

_BEFORE, _AFTER = 20, 12
"""Words of the whole sentence that are kept before and behind a number."""
_LEFT, _RIGHT = 12, 8
"""The most words of a clause before and behind its number."""
_FEW = 2
"""A clause of fewer words does not say what its number is."""
_LEADING = 18
"""Words before a sentence that are kept with it."""
_NUMBER = re.compile(r"(?:\$\s?)?\b\d[\d,]*(?:\.\d+)?\b\)?(?:\s?(?:%|percent\b|million\b|billion\b|thousand\b))?")
_DATED = re.compile(
    r"\b(?:[A-Z][a-z]+\.?\s+\d{1,2},?\s+)?(?:19|20)\d\d\b|\b(?:Q[1-4]|[A-Z][a-z]+\s+\d{1,2})\b(?!\s*(?:%|percent|[mb]illion))"
)
_BREAK = re.compile(r"[;:()–—]|,(?=\s)|\s(?:and|or|of which|compared)\s")
_BEFORE_NEXT = frozenset(("", "approximately", "about", "$"))
_RESPECTIVELY = any_of("respectively")
_ITEM = r"(?:[A-Z][\w.’'&-]*(?:\s+(?:of|the|[A-Z][\w.’'&-]*))*|[a-z][\w’'-]*)"
_Span = tuple[int, int]


def marked(sentence: str, start: int, end: int) -> str:
    """The sentence around one of its numbers, which stands in brackets, behind the clause that is the number's own:
    "we owned [ 133 ] - Of the total of 261 plants, we owned [ 133 ] and the balance were leased."
    """
    number = sentence[start:end].strip()
    before, behind = sentence[:start].split()[-_BEFORE:], sentence[end:].split()[:_AFTER]
    whole = " ".join((*before, "[", number, "]", *behind))
    left, right = own_words(sentence, start, end)
    clause = " ".join((*left.split()[-_LEFT:], "[", number, "]", *right.split()[:_RIGHT]))
    return whole if len(left.split()) + len(right.split()) < _FEW or clause == whole else f"{clause} - {whole}"


def leading(text: str, start: int) -> str:
    """The last words of ``text`` before the sentence that begins at ``start``: what it goes on from."""
    return " ".join(text[:start].rsplit(maxsplit=_LEADING)[-_LEADING:])


def words_of_item(sentence: str, start: int, end: int) -> tuple[str, str] | None:
    """The words before and behind the number at [``start``, ``end``), with its own item of a list that is told "respectively";
    None for any other number.
    """
    dates = [match.span() for match in _DATED.finditer(sentence)]
    said = _RESPECTIVELY.search(sentence, end)
    run = _run(sentence, _numbers(sentence, dates, start, end), start) or [(start, end)]
    return _of_list(sentence, run, start, said.start()) if said is not None else None


def own_words(sentence: str, start: int, end: int) -> tuple[str, str]:
    """The words before and behind the number at [``start``, ``end``) that are said of it and not of the others."""
    if (told := words_of_item(sentence, start, end)) is not None:
        return told
    dates = [match.span() for match in _DATED.finditer(sentence)]
    numbers = _numbers(sentence, dates, start, end)
    run = _run(sentence, numbers, start) or [(start, end)]
    first, last = run[0][0], max(run[-1][1], end)
    others = [span for span in numbers if span[1] <= first or span[0] >= last]
    edges = [*others, *_spans(_BREAK, sentence, dates)]
    left = max((b for _, b in edges if b <= first), default=0)
    right = min((a for a, _ in edges if a >= last), default=len(sentence))
    if not sentence[left:first].split() and not sentence[last:right].split():
        left = max((b for _, b in others if b <= first), default=0)
    return sentence[left:first].strip(), sentence[last:right].strip()


def _numbers(sentence: str, dates: list[_Span], start: int, end: int) -> list[_Span]:
    return [span for span in _spans(_NUMBER, sentence, dates) if not start <= span[0] < end or span[0] == start]


def _spans(pattern: re.Pattern[str], sentence: str, dates: list[_Span]) -> list[_Span]:
    return [match.span() for match in pattern.finditer(sentence) if not any(a <= match.start() < b for a, b in dates)]


def _run(sentence: str, numbers: list[_Span], start: int) -> list[_Span]:
    """The numbers that follow each other with nothing but commas and "and" between, among them the one at ``start``."""
    found: list[_Span] = []
    for span in numbers:
        if found and not is_listed(sentence[found[-1][1] : span[0]]):
            if found[0][0] <= start < found[-1][1]:
                break
            found = []
        found.append(span)
    return found if found and found[0][0] <= start < found[-1][1] else []


def is_listed(between: str) -> bool:
    """Whether nothing but commas and "and" stands between two numbers of a list: "156,000 and 142,000"."""
    said = " ".join(between.replace(",", " ").split())
    return said.removeprefix("and").removeprefix("or").strip() in _BEFORE_NEXT


def _of_list(sentence: str, run: list[_Span], start: int, said: int) -> tuple[str, str] | None:
    """The words of a number in a run of numbers with its own item of the list of dates or names; None where none is as long."""
    at = next((place for place, span in enumerate(run) if span[0] <= start < span[1]), None)
    if at is None or len(run) == 1 or run[-1][1] > said:
        return None
    names = _dates(sentence, run, said) or _names(sentence, run, said)
    if names is None:
        return None
    first, last = names[0][0], names[-1][1]
    name = sentence[slice(*names[at])]
    if first < run[0][0]:
        return f"{sentence[:first]}{name}{sentence[last : run[0][0]]}".strip(), sentence[run[-1][1] : said].strip(" ,")
    return sentence[: run[0][0]].strip(), f"{sentence[run[-1][1] : first]}{name}{sentence[last:said]}".strip(" ,")


def _dates(sentence: str, run: list[_Span], most: int) -> list[_Span] | None:
    """The dates of a list as long as the run of numbers, behind it or before it; None without one."""
    dates = [match.span() for match in _DATED.finditer(sentence, 0, most)]
    lists = (_run(sentence, dates, first) for first, _ in reversed(dates))
    return next((some for some in lists if len(some) == len(run)), None)


def _names(sentence: str, run: list[_Span], most: int) -> list[_Span] | None:
    """The names of a list as long as the run of numbers, before it or behind it; None without one, and where they are dates."""
    middle = rf"(?:,\s+({_ITEM}(?:\s+[a-z][\w’'-]*){{0,3}}))" * (len(run) - 2)
    listed = re.compile(rf"\b({_ITEM}){middle},?\s+and\s+({_ITEM})")
    places = [*listed.finditer(sentence, 0, run[0][0]), *listed.finditer(sentence, run[-1][1], most)]
    for match in reversed(places):
        spans = [match.span(number) for number in range(1, len(run) + 1)]
        if not _DATED.search(match.group()):
            return spans
    return None
