"""Paragraphs, headings and lists from hard-wrapped lines."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from fin_tui.filings.text_pages import is_rule
from fin_tui.filings.text_tables import Grid
from fin_tui.records import BlockKind

_ITEM = re.compile(
    r"^\s*(?i:part\s+[IV]+|items?\s+\d{1,2}\s?(?:\([a-c]\)|[A-C])?)(?=\s*$|\s*[.:,–—(-]|\s+(?:and|AND|&)\s+\d|\s+[A-Z])"
)
_BULLET = re.compile(r"^\s*(?:[*•·o§+]|-{1,2}|\(?(?:[a-z]|[ivx]{1,4}|\d{1,2})[).])\s+(?=\S)")
_SPACED = re.compile(r"(?<!\S)(?:[A-Z0-9&,.:'-] ){3,}[A-Z0-9&,.:'-](?!\S)")
_ENDS = re.compile(r"[.!?:;][\"'”’)\]]*$")
_SENTENCE_END = re.compile(r"(?<=[a-z0-9)%][.!?])[\"”')]*\s+(?=[A-Z\"“])")
_CUT = re.compile(r"([A-Za-z]+(?:-[A-Za-z]+)*)-$")
_BEGUN = re.compile(r"[a-z]+")
_RUNS_ON = re.compile(r"[A-Za-z]-$|\S/$")
_LONGEST_WORD = 120
_SHORT = 0.72
"""A line shorter than this share of the usual width ends its paragraph."""
_HEADING_CHARS = 160
_NEVER_WRAPPED = 250
"""A line longer than this is a whole paragraph."""


@dataclass(slots=True)
class Piece:
    """A paragraph, heading or list item before it becomes a block."""

    kind: BlockKind
    text: str
    page: int
    level: int = 0


def unspaced(text: str) -> str:
    """Letter-spaced words closed up: "I T E M  7" -> "ITEM 7"."""
    if not _SPACED.search(text):
        return text
    words = re.split(r"\s{2,}", text.strip())
    return " ".join(word.replace(" ", "") if re.fullmatch(r"(?:\S )+\S", word) else word for word in words)


def usual_width(lines: Iterable[str]) -> int:
    """The column that full lines reach: the 90th percentile of the longer lines' ends."""
    ends = sorted(len(line) for line in lines if len(line) > 40)
    return ends[len(ends) * 9 // 10] if ends else 72


def known_words(text: str) -> frozenset[str]:
    """The words of a filing, lower case: they tell a hyphen of the word from a hyphen of the line break."""
    return frozenset(re.findall(r"[a-z]+(?:-[a-z]+)*", text.lower()))


def join_lines(lines: Sequence[str], words: frozenset[str]) -> str:
    """Wrapped lines as one string; a word that was cut at the line end is whole again."""
    out: list[str] = []
    tail = ""
    for line in lines:
        part = " ".join(line.split())
        if tail:
            cut = _CUT.search(tail) if tail.endswith("-") else None
            begin = _BEGUN.match(part)
            if cut and begin:
                whole = (cut[1] + begin[0]).lower()
                hyphened = f"{cut[1]}-{begin[0]}".lower()
                if whole in words and hyphened not in words:
                    out[-1], tail = out[-1][:-1], tail[:-1]
            elif not (_RUNS_ON.search(tail) and part[:1].isalnum() and not tail.endswith(" -")):
                part = f" {part}"
        out.append(part)
        tail = (tail + part)[-_LONGEST_WORD:]
    return "".join(out)


def prose_pieces(lines: Sequence[tuple[str, int]], width: int, words: frozenset[str]) -> list[Piece]:
    """Pieces of a run of (line, page) without tables."""
    pieces: list[Piece] = []
    group: list[str] = []
    page = 1

    def close(underlined: bool = False) -> None:
        if group:
            pieces.extend(_group_pieces(group, page, width, words, underlined))
            group.clear()

    for text, number in lines:
        if not text.strip():
            close()
        elif is_rule(text):
            close(underlined=bool(group))
        else:
            text = text.strip("|").rstrip() if text.lstrip().startswith("|") else text
            if group and (number != page or _breaks(group, text, width)):
                close()
            page = number
            group.append(text)
    close()
    return pieces


def _indent(line: str) -> int:
    return len(line) - len(line.lstrip())


def _breaks(group: Sequence[str], line: str, width: int) -> bool:
    """Whether ``line`` begins a new paragraph right after the lines of ``group``, without a blank line between."""
    last = group[-1]
    if len(last) > _NEVER_WRAPPED:
        return True
    if _ITEM.match(line) and (
        line.strip().isupper() or re.match(r"\s*(?:part\s+[IV]+\s*$|items?\s+\d{1,2}[A-C]?\s*[.:—-])", line, re.I)
    ):
        return not re.search(r"\b(?:in|under|see|of|and|to|or|with|by|,)$", last.rstrip(), re.I)
    if _BULLET.match(line) and (_BULLET.match(group[0]) or _ENDS.search(last)):
        return True
    centred, was = _centred(line, width), _centred(last, width)
    if centred != was and (len(last) < width * _SHORT or was):
        return True
    if centred and was:
        return line.strip().isupper() != last.strip().isupper() or line.strip().startswith(("(", "["))
    deeper = _indent(line) - _indent(last)
    if deeper >= 2 and len(group) > 1 and _indent(last) <= _indent(group[-2]):
        return bool(_ENDS.search(last)) or len(last) < width * _SHORT
    return bool(len(last) < width * _SHORT and line.lstrip()[:1].isupper())


def _centred(line: str, width: int) -> bool:
    left = _indent(line)
    right = width - len(line)
    return left >= 8 and len(line.strip()) < width * 0.75 and abs(left - right) <= max(6, width // 8)


def _group_pieces(group: Sequence[str], page: int, width: int, words: frozenset[str], underlined: bool) -> list[Piece]:
    text = unspaced(join_lines([unspaced(line) if _SPACED.search(line) else line for line in group], words))
    if not any(char.isalnum() for char in text):
        return []
    level = _heading_level(group, text, width, underlined)
    if level:
        return [Piece(BlockKind.HEADING, text, page, level)]
    if _BULLET.match(group[0]):
        return [Piece(BlockKind.LIST, text, page)]
    return [Piece(BlockKind.PARAGRAPH, text, page)]


def _heading_level(group: Sequence[str], text: str, width: int, underlined: bool) -> int:
    """0 for no heading; 1 Part or Item, 2 capitals or underlined, 3 a short line of title words."""
    if len(group) > 3 or len(text) > _HEADING_CHARS:
        return 0
    letters = [char for char in text if char.isalpha()]
    if len(letters) < 3:
        return 0
    if _ITEM.match(text) and (text.isupper() or not re.search(r"[a-z]\.\s|,\s+(?:which|see)\b|[a-z]\.$", text)):
        return 1
    if text.endswith((",", ";")) or text.startswith(("(", "[", "/s/")):
        return 0
    upper = sum(char.isupper() for char in letters)
    if upper > len(letters) * 0.85 and len(letters) > 3:
        return 2
    if underlined and not text.endswith("."):
        return 2
    short = len(group) == 1 and len(group[0]) < width * 0.8
    return 3 if short and not _ENDS.search(text) and _title_words(text) else 0


def _title_words(text: str) -> bool:
    """Most longer words begin with a capital, and it begins with one, as headings do and sentences don't."""
    found = re.findall(r"[A-Za-z][A-Za-z'’-]*", text)
    longer = [word for word in found if len(word) > 3]
    if not found or not found[0][0].isupper() or len(found) > 14 or re.search(r"\d{3}|\$|\.{3}|_{3}", text):
        return False
    if not longer:
        return False
    return sum(word[0].isupper() for word in longer) >= len(longer) * 0.7 or len(found) <= 5


def mend_page_breaks(found: Sequence[Piece | Grid]) -> list[Piece | Grid]:
    """A sentence that runs over a page break is made whole on the page it begins on; the rest of its paragraph stays."""
    out: list[Piece | Grid] = []
    for piece in found:
        before = out[-1] if out else None
        if isinstance(before, Piece) and isinstance(piece, Piece) and _goes_on(before, piece):
            end = _SENTENCE_END.search(piece.text)
            cut = end.end() if end else len(piece.text)
            before.text = f"{before.text} {piece.text[:cut].strip()}"
            piece.text = piece.text[cut:]
            if not piece.text:
                continue
        out.append(piece)
    return out


def _goes_on(before: Piece, piece: Piece) -> bool:
    return (
        piece.page == before.page + 1
        and piece.kind is BlockKind.PARAGRAPH
        and before.kind in (BlockKind.PARAGRAPH, BlockKind.LIST)
        and not _ENDS.search(before.text)
        and piece.text[:1].islower()
    )
