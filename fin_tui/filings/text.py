"""Plain-text filings, as all were before 2001: hard-wrapped prose, ASCII tables, page marks -> blocks over a clean text."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from itertools import groupby, pairwise
from string import ascii_letters, ascii_lowercase

from fin_tui.filings.tables import DocumentBuilder
from fin_tui.filings.text_pages import Pages, SourceLine, is_rule, split_pages
from fin_tui.filings.text_tables import Grid, Token, read_grid, tokens
from fin_tui.language import any_of, clean, ends_with_stop, figures_of, runs_of
from fin_tui.records import BlockKind, Cover, Document

_ITEM = re.compile(
    r"^\s*(?i:part\s+[IV]+|items?\s+\d{1,2}\s?(?:\([a-c]\)|[A-C])?)(?=\s*$|\s*[.:,–—(-]|\s+(?:and|AND|&)\s+\d|\s+[A-Z])"
)
_BULLET = re.compile(r"^\s*(?:[*•·o§+]|-{1,2}|\(?(?:[a-z]|[ivx]{1,4}|\d{1,2})[).])\s+(?=\S)")
_SPACED_SIGNS = frozenset("ABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789&,.:'-")
_FEWEST_SPACED = 4
_SENTENCE_END = re.compile(r"(?<=[a-z0-9)%][.!?])[\"”')]*\s+(?=[A-Z\"“])")
_KNOWN = re.compile(r"[a-z]+(?:-[a-z]+)*")
_TITLE_WORD = re.compile(r"[A-Za-z][A-Za-z'’-]*")
_DIVISION = any_of("item, part")
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
    runs = groupby(text.split(" "), key=_SPACED_SIGNS.__contains__)
    if not any(is_sign and len(list(run)) >= _FEWEST_SPACED for is_sign, run in runs):
        return text
    words = (word.strip() for word in text.strip().split("  ") if word.strip())
    return " ".join(word.replace(" ", "") if max(map(len, word.split(" "))) == 1 else word for word in words)


def usual_width(lines: Iterable[str]) -> int:
    """The column that full lines reach: the 90th percentile of the longer lines' ends."""
    ends = sorted(len(line) for line in lines if len(line) > 40)
    return ends[len(ends) * 9 // 10] if ends else 72


def known_words(text: str) -> frozenset[str]:
    """The words of a filing, lower case: they tell a hyphen of the word from a hyphen of the line break."""
    return frozenset(_KNOWN.findall(text.lower()))


def join_lines(lines: Sequence[str], words: frozenset[str]) -> str:
    """Wrapped lines as one string; a word that was cut at the line end is whole again."""
    out: list[str] = []
    tail = ""
    for line in lines:
        part = " ".join(line.split())
        if tail:
            cut = _word_cut(tail)
            begin = part[: len(part) - len(part.lstrip(ascii_lowercase))]
            if cut and begin:
                if (cut + begin).lower() in words and f"{cut}-{begin}".lower() not in words:
                    out[-1], tail = out[-1][:-1], tail[:-1]
            elif not (part[:1].isalnum() and _runs_on(tail)):
                part = f" {part}"
        out.append(part)
        tail = (tail + part)[-_LONGEST_WORD:]
    return "".join(out)


def _runs_on(tail: str) -> bool:
    before = tail[-2:-1]
    return (tail.endswith("-") and before.isalpha()) or (tail.endswith("/") and bool(before.strip()))


def _word_cut(tail: str) -> str:
    """The word, perhaps of several with hyphens, that a hyphen at the end of ``tail`` cuts or joins; "" when none is."""
    bare = tail.removesuffix("-")
    word = bare[len(bare.rstrip(ascii_letters + "-")) :].rpartition("--")[2].lstrip("-")
    return word if bare != tail and not word.endswith("-") else ""


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


_OPEN_ENDS = [[word] for word in "in under see of and to or with by".split()]
"""Last words of a line that a heading can't follow."""


def _breaks(group: Sequence[str], line: str, width: int) -> bool:
    """Whether ``line`` begins a new paragraph right after the lines of ``group``, without a blank line between."""
    last = group[-1]
    if len(last) > _NEVER_WRAPPED:
        return True
    item = _ITEM.match(line)
    if item and (line.strip().isupper() or _heads_alone(item[0], line[item.end() :].strip())):
        return not last.rstrip().endswith(",") and last.lower().split()[-1:] not in _OPEN_ENDS
    if _BULLET.match(line) and (_BULLET.match(group[0]) or ends_with_stop(last)):
        return True
    centred, was = _centred(line, width), _centred(last, width)
    if centred != was and (len(last) < width * _SHORT or was):
        return True
    if centred and was:
        return line.strip().isupper() != last.strip().isupper() or line.strip().startswith(("(", "["))
    deeper = _indent(line) - _indent(last)
    if deeper >= 2 and len(group) > 1 and _indent(last) <= _indent(group[-2]):
        return ends_with_stop(last) or len(last) < width * _SHORT
    return bool(len(last) < width * _SHORT and line.lstrip()[:1].isupper())


def _heads_alone(division: str, behind: str) -> bool:
    """Whether ``division``, a Part or an Item, stands as a heading: a Part alone, an Item with a mark behind."""
    return not behind if division.lstrip().lower().startswith("part") else behind.startswith((".", ":", "—", "-"))


def _centred(line: str, width: int) -> bool:
    left = _indent(line)
    right = width - len(line)
    return left >= 8 and len(line.strip()) < width * 0.75 and abs(left - right) <= max(6, width // 8)


def _group_pieces(group: Sequence[str], page: int, width: int, words: frozenset[str], underlined: bool) -> list[Piece]:
    text = unspaced(join_lines([unspaced(line) for line in group], words))
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
    if _ITEM.match(text) and (text.isupper() or not _is_sentence(text)):
        return 1
    if text.endswith((",", ";")) or text.startswith(("(", "[", "/s/")):
        return 0
    upper = sum(char.isupper() for char in letters)
    if upper > len(letters) * 0.85 and len(letters) > 3:
        return 2
    if underlined and not text.endswith("."):
        return 2
    short = len(group) == 1 and len(group[0]) < width * 0.8
    return 3 if short and not ends_with_stop(text) and _title_words(text) else 0


def _is_sentence(text: str) -> bool:
    """A word ends with a stop, or a comma leads on to "which" or "see"."""
    words = text.split()
    leads = any(word.endswith(",") and runs_of(after)[:1] in (["which"], ["see"]) for word, after in pairwise(words))
    return leads or any(word.endswith(".") and word[-2:-1].islower() for word in words)


def _title_words(text: str) -> bool:
    """Most longer words begin with a capital, and it begins with one, as headings do and sentences don't."""
    found = _TITLE_WORD.findall(text)
    longer = [word for word in found if len(word) > 3]
    has_figures = any(sign in text for sign in ("$", "...", "___")) or any(len(figure) >= 3 for figure in figures_of(text))
    if not found or not found[0][0].isupper() or len(found) > 14 or has_figures:
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
        and not ends_with_stop(before.text)
        and piece.text[:1].islower()
    )


_BRIDGE = 6
"""How many lines without figures a table may have between two lines with figures."""
_HEADER_LINES = 10
_LABELS_BETWEEN = 2
_WIDE = 0.75


def parts(lines: Sequence[SourceLine], width: int) -> Iterator[Grid | list[SourceLine]]:
    """Tables and runs of prose lines, in order; every line is in one of them. ``width`` is that of a full line of prose."""
    for (table, _), group in groupby(lines, key=lambda line: (line.table, 0 if line.table else line.page)):
        run = list(group)
        if table:
            yield from _marked(run, width)
        else:
            yield from _unmarked(run, width)


def _marked(run: list[SourceLine], width: int) -> Iterator[Grid | list[SourceLine]]:
    grid = None if _is_prose(run, width) else read_grid(run)
    if grid is None:
        yield from _unmarked(run, width)
    else:
        yield grid


def _is_prose(run: Sequence[SourceLine], width: int) -> bool:
    """Whether most lines are full lines of words without columns, though they stand between table marks."""
    filled = [line.text for line in run if line.text.strip() and not is_rule(line.text)]
    full = sum(1 for text in filled if len(text) > width * _WIDE and len(tokens(text)) == 1)
    return bool(filled) and full * 2 > len(filled)


def _unmarked(run: list[SourceLine], width: int) -> Iterator[Grid | list[SourceLine]]:
    split = [tokens(line.text) if line.text.strip() and not is_rule(line.text) else [] for line in run]
    seeds = [n for n, row in enumerate(split) if _has_figures(row) or _has_columns(run[n].text, row)]
    done = 0
    for first, last in _clusters(seeds, run, split, width):
        start = max(done, _with_header(first, run, split, width))
        grid = read_grid(run[start : last + 1])
        if grid is None:
            continue
        if start > done:
            yield run[done:start]
        yield grid
        done = last + 1
    if done < len(run):
        yield run[done:]


def _has_figures(row: Sequence[Token]) -> bool:
    """A label, a gap and figures; or figures alone. Justified prose has gaps too, but words on both sides of them."""
    numbers = [n for n, token in enumerate(row) if token.is_number]
    if not numbers or (numbers == [0] and len(row) == 1 and row[0].start < 20):
        return False
    words = len(row) - len(numbers)
    if words > 2 and len(numbers) < 2:
        return False
    if words > 3 and len(numbers) <= words:
        return False
    if numbers[-1] != len(row) - 1:
        return words <= 3 and len(numbers) >= 1 and _gap_before(row, numbers[0]) >= 4
    if len(numbers) == 1 and numbers[0] > 0:
        return _gap_before(row, numbers[0]) >= 3
    return True


def _gap_before(row: Sequence[Token], index: int) -> int:
    return row[index].start - row[index - 1].end if index else row[index].start


def _has_columns(text: str, row: Sequence[Token]) -> bool:
    """Two to five columns of words with clear gaps."""
    if not 2 <= len(row) <= 5:
        return False
    gaps = [after.start - before.end for before, after in pairwise(row)]
    return min(gaps) >= 3 and max(gaps) >= 4 and not _DIVISION.match(text.lstrip())


def _clusters(
    seeds: Sequence[int], run: Sequence[SourceLine], split: Sequence[Sequence[Token]], width: int
) -> Iterator[tuple[int, int]]:
    """First and last line of each group of seeds that only short lines, rules and single blank lines stand between."""
    start = previous = -1
    for seed in [*seeds, len(run) + _BRIDGE * 10]:
        if previous >= 0 and not _bridged(previous + 1, seed, run, split, width):
            if _enough(range(start, previous + 1), split):
                yield start, previous
            start = seed
        elif previous < 0:
            start = seed
        previous = seed


def _bridged(start: int, end: int, run: Sequence[SourceLine], split: Sequence[Sequence[Token]], width: int) -> bool:
    """Whether the lines between two lines of a table are labels that go on, rules, or single blank lines."""
    if end > len(run):
        return False
    filled = [n for n in range(start, end) if split[n]]
    blanks = sum(1 for n in range(start, end) if not run[n].text.strip())
    if len(filled) > _BRIDGE or blanks > 3 + len(filled):
        return False
    left = max(_figures_start(split[start - 1]), _figures_start(split[end]))
    return all(split[n][-1].end <= left + 4 and len(run[n].text.strip()) < width * _WIDE for n in filled)


def _figures_start(row: Sequence[Token]) -> int:
    """Where the first column after the label begins."""
    return next((token.start for token in row[1:] if token.is_number), row[-1].start)


def _enough(span: range, split: Sequence[Sequence[Token]]) -> bool:
    figures = [n for n in span if _has_figures(split[n])]
    if len(figures) >= 2:
        return sum(token.is_number for n in figures for token in split[n]) >= 3
    edges = [token.start for n in span for token in split[n][1:]]
    shared = max((sum(abs(edge - other) <= 3 for other in edges) for edge in edges), default=0)
    return shared >= 3


def _with_header(first: int, run: Sequence[SourceLine], split: Sequence[Sequence[Token]], width: int) -> int:
    """The line that the table's header begins on, going up from the first figures.

    Header lines stand over the columns, perhaps with a label; up to two bare labels may stand between them and the figures,
    and the label of the uppermost may have begun a line earlier.
    """
    left = min((token.start for token in split[first][1:]), default=split[first][0].start if split[first] else 0)
    start = first
    blanks = labels = 0
    for n in range(first - 1, max(-1, first - 1 - _HEADER_LINES), -1):
        row = split[n]
        if not row:
            blanks += not run[n].text.strip()
            if blanks > 2:
                break
            continue
        if _is_full(run[n].text, row, width):
            break
        if row[0].start >= left - 12 or (row[-1].end > left and 1 < len(row) <= 8):
            start, blanks = n, 0
        elif row[-1].end <= left and labels < _LABELS_BETWEEN:
            labels += 1
        else:
            break
    headed = start < first or all(token.is_year for token in split[first][1:])
    if headed and start > 0 and len(split[start]) > 1 and split[start][0].start < left - 12:
        above = split[start - 1]
        if len(above) == 1 and above[0].end <= left and not run[start - 1].text.rstrip().endswith("."):
            start -= 1
    return start


def _is_full(text: str, row: Sequence[Token], width: int) -> bool:
    """A line of prose: as wide as prose is, without the gaps of a table."""
    return len(text.strip()) > width * _WIDE and all(after.start - before.end <= 2 for before, after in pairwise(row))


_ABOVE = 4


def read_text(raw: bytes) -> Document:
    """One plain-text document (a submission's wrapper already taken off) as blocks; the cover is left empty.

    Bytes are read as UTF-8, else as Windows-1252; what neither knows is replaced. Nothing is refused here.
    """
    text = decode(raw)
    pages = split_pages(text)
    width = usual_width(line.text for line in pages.lines if not line.table)
    words = known_words(text)
    found: list[Piece | Grid] = []
    for part in parts(pages.lines, width):
        if isinstance(part, Grid):
            found += [*_prose(part.before, width, words), part, *_prose(part.after, width, words)]
        else:
            found += _prose(part, width, words)
    builder = DocumentBuilder()
    _add(builder, mend_page_breaks(found), pages)
    return Document(
        format="text",
        text=builder.text,
        blocks=tuple(builder.blocks),
        pages=pages.count,
        cover=Cover(),
        coverage=_coverage(pages.lines, builder.text),
    )


def decode(raw: bytes) -> str:
    """``raw`` as text: UTF-8 when it is valid, else Windows-1252 with unknown bytes replaced."""
    try:
        return raw.decode("utf-8-sig")
    except UnicodeDecodeError:
        return raw.decode("cp1252", errors="replace")


def _prose(lines: Iterable[SourceLine], width: int, words: frozenset[str]) -> list[Piece]:
    return prose_pieces([(line.text, line.page) for line in lines], width, words)


def _add(builder: DocumentBuilder, found: Iterable[Piece | Grid], pages: Pages) -> None:
    """Adds pieces and tables in order; a table is told the texts right above it."""
    above: list[str] = []
    for part in found:
        label = pages.labels.get(part.page, "")
        if isinstance(part, Grid):
            builder.add_table(part.cells, page=part.page, page_label=label, above=above[-_ABOVE:])
            above.clear()
        else:
            builder.add(part.kind, part.text, page=part.page, page_label=label, level=part.level)
            above.append(clean(part.text))


def _coverage(lines: Iterable[SourceLine], text: str) -> float:
    """Share of the source's words (running lines and page numbers aside) that stand in ``text``, as often as there."""
    source = Counter(word for line in lines if not is_rule(line.text) for word in runs_of(line.text))
    total = sum(source.values())
    if not total:
        return 1.0
    # A word cut at a line end counts as found when its two halves make a word of the text.
    missing = source - Counter(runs_of(text))
    return 1.0 - sum(missing.values()) / total
