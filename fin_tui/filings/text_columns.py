"""Columns of an ASCII table from character positions: tokens, numbers, and the intervals that numbers share down the rows."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass

_LEADERS = re.compile(r"(?<=\S)[ ]?(?:\.[ ]?){3,}(?=\s|$|[$(\d])|(?<=\s)(?:\.[ ]?){3,}(?=\s|$|[$(\d])")
_NUMBER_BODY = r"\(?[-–—]?\s?\$?\s{0,6}\(?\s?(?:\d{1,3}(?:,\d{3})+|\d+)?(?:\.\d+)?(?:\s\d/\d+)?\s?\)?\s?[%x]?\)?"
_NUMBER = re.compile(rf"^{_NUMBER_BODY}(?:\s?(?:\([a-z\d*]{{1,2}}\)|\*{{1,3}}|[a-f†‡])){{0,2}}$", re.I)
_DASH = re.compile(r"^\$?\s*(?:-{1,3}|–|—|N/?[AM]|NM|n\.m\.)$", re.I)
_YEAR = re.compile(r"^(?:(?:19|20)\d\d|'\d\d)(?:\s?\([a-z\d*]\)|\*)?:?$", re.I)
_TOKEN = re.compile(r"\S+(?: \S+)*")
_LONGEST = 400
"""No row of a table is as wide; a longer line is a paragraph that was never wrapped."""
_NUMBERS_RUN = re.compile(r"\(?\$? ?\(?\d[\d,]*(?:\.\d+)?\)?%?(?= |$)|(?<= )-{1,2}(?= |$)")


@dataclass(slots=True)
class Token:
    """A run of characters without a gap of two spaces, with its columns of characters."""

    text: str
    start: int
    end: int

    @property
    def is_number(self) -> bool:
        return is_number(self.text)

    @property
    def is_year(self) -> bool:
        return bool(_YEAR.match(self.text))


def is_number(text: str) -> bool:
    """An amount, a per cent, a lone dash or "N/A": what stands in a column of figures."""
    if _DASH.match(text):
        return True
    return bool(re.search(r"\d", text)) and bool(_NUMBER.match(text))


def tokens(line: str) -> list[Token]:
    """The tokens of a line: leader dots are gaps, a currency sign belongs to its number, numbers one space apart are two."""
    if len(line) > _LONGEST:
        return [Token(line.strip(), 0, len(line))]
    line = _LEADERS.sub(lambda dots: " " * len(dots[0]), line)
    out: list[Token] = []
    for found in _TOKEN.finditer(line):
        token = Token(found[0], found.start(), found.end())
        if token.text.endswith(" $"):
            out += _split_numbers(Token(token.text[:-2], token.start, token.end - 2))
            token = Token("$", token.end - 1, token.end)
        out += _split_numbers(token)
    return _joined_signs(out)


def _split_numbers(token: Token) -> list[Token]:
    if " " not in token.text or token.is_number:
        return [token]
    parts = list(_NUMBERS_RUN.finditer(token.text))
    if len(parts) > 1 and "".join(part[0] for part in parts).replace(" ", "") == token.text.replace(" ", ""):
        return [Token(part[0].strip(), token.start + part.start(), token.start + part.end()) for part in parts]
    return [token]


def _joined_signs(found: list[Token]) -> list[Token]:
    out: list[Token] = []
    for token in found:
        last = out[-1] if out else None
        if last and last.text in ("$", "($", "(") and token.start - last.end <= 12 and re.match(r"[\d(.—–-]", token.text):
            out[-1] = Token(f"{last.text} {token.text}" if last.text == "$" else last.text + token.text, last.start, token.end)
        elif last and token.text in (")", "%", ")%") and token.start - last.end <= 3 and last.is_number:
            out[-1] = Token(last.text + token.text, last.start, token.end)
        else:
            out.append(token)
    return out


def number_columns(rows: Sequence[Sequence[Token]]) -> list[tuple[int, int]]:
    """The intervals of characters, left to right, that the numbers of ``rows`` (label left out) stand in.

    Numbers overlap down a column. Where a few stray ones bridge two columns, positions that few rows use count as gaps.
    """
    numbers = [[token for token in row if token.is_number] for row in rows]
    numbers = [row for row in numbers if row]
    if not numbers:
        return []
    width = max(token.end for row in numbers for token in row)
    profile = [0] * (width + 1)
    for row in numbers:
        for token in row:
            for at in range(token.start, token.end):
                profile[at] += 1
    best: list[tuple[int, int]] = []
    for threshold in range(max(1, len(numbers) // 5) + 1):
        columns = _intervals(profile, threshold)
        if not columns:
            break
        if not best:
            best = columns
        if not any(_collides(row, columns) for row in numbers):
            return columns
        if len(columns) > len(best):
            best = columns
    return best


def _intervals(profile: Sequence[int], threshold: int) -> list[tuple[int, int]]:
    out: list[tuple[int, int]] = []
    start = -1
    for at, count in enumerate([*profile, 0]):
        if count > threshold and start < 0:
            start = at
        elif count <= threshold and start >= 0:
            out.append((start, at))
            start = -1
    return out


def _collides(row: Sequence[Token], columns: Sequence[tuple[int, int]]) -> bool:
    seen = [nearest(token, columns) for token in row]
    return len(set(seen)) < len(seen)


def nearest(token: Token, columns: Sequence[tuple[int, int]]) -> int:
    """Index of the column that ``token`` overlaps most, else the nearest one."""

    def distance(index: int) -> tuple[int, float]:
        start, end = columns[index]
        overlap = min(token.end, end) - max(token.start, start)
        return (-max(overlap, 0), abs((token.start + token.end) / 2 - (start + end) / 2) if overlap <= 0 else 0.0)

    return min(range(len(columns)), key=distance)


def spanned(token: Token, columns: Sequence[tuple[int, int]]) -> tuple[int, int]:
    """First column and number of columns that a header token covers."""
    covered = [n for n, (start, end) in enumerate(columns) if min(token.end, end) - max(token.start, start) > 0]
    if len(covered) > 1:
        return covered[0], covered[-1] - covered[0] + 1
    return (covered[0] if covered else nearest(token, columns)), 1


def text_columns(
    rows: Sequence[Sequence[Token]], marks: Sequence[int], taken: Sequence[tuple[int, int]]
) -> list[tuple[int, int]]:
    """Columns of words: where ``<C>`` marks stand without numbers below, else left edges that several rows share."""
    found: list[tuple[int, int]] = []
    if marks:
        for n, start in enumerate(marks[1:], 1):
            end = marks[n + 1] - 1 if n + 1 < len(marks) else start + 400
            if not any(min(end, stop) - max(start - 2, begin) > 0 for begin, stop in taken):
                found.append((start, end))
        return found
    edges: dict[int, list[Token]] = {}
    for row in rows:
        for token in row[1:]:
            if not token.is_number:
                key = next((edge for edge in edges if abs(edge - token.start) <= 3), token.start)
                edges.setdefault(key, []).append(token)
    for edge, group in sorted(edges.items()):
        end = max(token.end for token in group)
        clear = not any(min(end, stop) - max(edge, begin) > 0 for begin, stop in [*taken, *found])
        if len(group) >= max(2, len(rows) // 4) and clear:
            found.append((edge, end))
    return found
