"""Question sets: JSON Lines, a question or a conversation a line. What a program may use, and the gold it is measured by.

A file that holds one JSON array is read as FinQA or ConvFinQA data (:mod:`fin_tui.evaluation.sets`).
"""

from __future__ import annotations

import json
import re
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence, Set
from dataclasses import dataclass, replace
from decimal import ROUND_HALF_EVEN, Decimal, InvalidOperation
from itertools import takewhile
from pathlib import Path
from typing import Any

import msgspec
from rapidfuzz import fuzz, utils

from fin_tui.engine.questions.batch import Line, read_batch
from fin_tui.errors import UsageError, said
from fin_tui.facts.expression import Binary, CalculationError, Call, Measure, Name, Node, Number, Operator, evaluate
from fin_tui.language import runs_of

_MARKER = re.compile(r"\s*(?:\[\d{1,2}(?:\s*,\s*\d{1,2})*\]|⚠)")
_TOKEN = re.compile(r"\d+(?:[.,]\d+)*|[^\W\d_]+")
_BRACKETS = re.compile(r"\([^()]*\)")
_SAME_WORD = 88.0
"""Similarity of two spellings of one word, of 100."""
_MOST = 0.75
"""So much of an item, by letters, must stand together for the item to be named, …"""
_BETWEEN = 2
"""… with at most so many other words between."""
_ARTICLES = frozenset(("a", "an", "the"))


def plain(answer: str) -> str:
    """The answer's text without [n] and warning signs."""
    return _MARKER.sub("", answer).strip()


def tokens(text: str) -> list[str]:
    """Words and numbers in lower case, without articles and punctuation; "391,035" and "391035" are the same token."""
    found = (match.replace(",", "") for match in _TOKEN.findall(text.lower()))
    return [token for token in found if token not in _ARTICLES]


def token_f1(answer: str, gold: str) -> float:
    """Harmonic mean of token precision and recall, repeated tokens counted (the F1 of SQuAD, Rajpurkar et al. 2016)."""
    mine, wanted = tokens(plain(answer)), tokens(gold)
    shared = sum((Counter(mine) & Counter(wanted)).values())
    if not shared:
        return float(mine == wanted)
    precision, recall = shared / len(mine), shared / len(wanted)
    return 2 * precision * recall / (precision + recall)


def yes_or_no(text: str) -> bool | None:
    """The yes or no that a text begins with, as a word of its own: "No figure was found" is neither. None without one."""
    said = plain(text)
    word = next(iter(runs_of(said)), "")
    if word.lower() not in ("yes", "no"):
        return None
    behind = said.partition(word)[2]
    gap = "".join(takewhile(lambda char: not char.isalnum(), behind))
    return None if gap != behind and gap.isspace() else word.lower() == "yes"


def named_items(answer: str, items: Sequence[str]) -> list[bool]:
    """Whether ``answer`` names each of ``items``: most of its words, in order, close together; brackets may go."""
    said = utils.default_process(plain(answer)).split()
    return [_names(said, item) or _names(said, _BRACKETS.sub(" ", item)) for item in items]


def _names(said: Sequence[str], item: str) -> bool:
    words = utils.default_process(item).split()
    size = len(words) + _BETWEEN
    starts = range(max(1, len(said) - size + 1))
    return any(_letters(words, said[start : start + size]) >= _MOST * sum(map(len, words)) for start in starts)


def _letters(words: Sequence[str], said: Sequence[str]) -> int:
    """How many letters the ``words`` have that stand in ``said``, in order."""
    found = at = 0
    for word in words:
        place = next((place for place in range(at, len(said)) if fuzz.ratio(word, said[place]) >= _SAME_WORD), None)
        if place is not None:
            found, at = found + len(word), place + 1
    return found


def citation_precision(cited: Sequence[Set[int]]) -> float | None:
    """Share of the cited passages that are gold; ``cited`` tells for each which pieces. None without a citation."""
    return sum(bool(pieces) for pieces in cited) / len(cited) if cited else None


def citation_recall(cited: Sequence[Set[int]], golds: int, *, lenient: bool) -> float | None:
    """Share of the gold pieces that some citation is; lenient: 1 when any is. None without gold."""
    if not golds:
        return None
    found = set().union(*cited) if cited else set()
    return float(bool(found)) if lenient else len(found) / golds


_OPERATORS: dict[str, Operator] = {"add": "+", "subtract": "-", "multiply": "*", "divide": "/", "exp": "^"}
_OVER_ROWS = {"table_max": "max", "table_min": "min", "table_sum": "sum", "table_average": "avg"}
_STEP = re.compile(r"[\s,]*([a-z_]+)\s*\(", re.IGNORECASE)
_PLACES = Decimal("0.00001")
_MOST_NODES = 5_000
"""References copy what they refer to: forty steps of add(#n, #n) would be a tree without end."""
Table = Sequence[Sequence[str]]


@dataclass(frozen=True, slots=True)
class Program:
    """A tree, or two of them compared."""

    root: Node
    than: Node | None = None
    """``greater(root, than)``, whose result is "yes" or "no"."""


def read_program(text: str, table: Table = ()) -> Program:
    """The program as trees; ``table`` has the rows that table steps name. Raises ``CalculationError``."""
    if _STEP.match(text) is None:
        return Program(Number(_number(text)))
    done: list[Program] = []
    sizes: list[int] = []
    at = 0
    while match := _STEP.match(text, at):
        end = _closing(text, match.end())
        step, size = _step(match[1].lower(), text[match.end() : end], table, done, sizes)
        if size > _MOST_NODES:
            raise CalculationError("The program is too large.", f"At most {_MOST_NODES} operations.")
        done.append(step)
        sizes.append(size)
        at = end + 1
    if text[at:].strip(" ,"):
        raise CalculationError(f"Can't read {text[at:].strip()[:30]!r} in the program.")
    return done[-1]


def run_program(text: str, table: Table = ()) -> Decimal | str:
    """What the program comes to, unrounded; "yes" or "no" for a comparison. Raises ``CalculationError``."""
    program = read_program(text, table)
    value = evaluate(program.root, _no_figures).value
    if program.than is None:
        return value
    return "yes" if value > evaluate(program.than, _no_figures).value else "no"


def same_result(found: Decimal | str, wanted: float | str) -> bool:
    """Equal as FinQA counts it: both rounded to five places, or the same word. A unit of the last place is forgiven."""
    if isinstance(found, str) or (isinstance(wanted, str) and wanted.strip().lower() in ("yes", "no")):
        return str(found).lower() == str(wanted).strip().lower()
    gold = _number(str(wanted)) if isinstance(wanted, str) else Decimal(str(wanted))
    slack = max(_PLACES, abs(gold) * Decimal("1e-9"))
    return abs(_rounded(found) - _rounded(gold)) <= slack


def _rounded(value: Decimal) -> Decimal:
    return value if abs(value) > Decimal("1e20") else value.quantize(_PLACES, ROUND_HALF_EVEN)


def _no_figures(name: Name) -> Measure:
    raise CalculationError(f"A program has no figure called {name.name!r}.")


def _closing(text: str, start: int) -> int:
    """Where the bracket opened before ``start`` closes; labels such as "cash used in ( provided by ) operations" hold pairs."""
    depth = 1
    for at in range(start, len(text)):
        depth += {"(": 1, ")": -1}.get(text[at], 0)
        if not depth:
            return at
    raise CalculationError("A bracket of the program is never closed.")


def _step(name: str, inside: str, table: Table, done: Sequence[Program], sizes: Sequence[int]) -> tuple[Program, int]:
    if name in _OVER_ROWS:
        cells = _cells(inside, table)
        return Program(Call(_OVER_ROWS[name], tuple(Number(cell) for cell in cells))), len(cells) + 1
    if name not in _OPERATORS and name != "greater":
        raise CalculationError(f"Unknown step {name!r}.", f"Known: {', '.join((*_OPERATORS, 'greater', *_OVER_ROWS))}.")
    parts = inside.strip().split(", " if ", " in inside else ",")
    if len(parts) != 2:
        raise CalculationError(f"{name}() takes two arguments, not {len(parts)}.")
    (left, first), (right, second) = (_argument(part.strip(), done, sizes) for part in parts)
    size = first + second + 1
    return (Program(left, right) if name == "greater" else Program(Binary(_OPERATORS[name], left, right))), size


def _argument(text: str, done: Sequence[Program], sizes: Sequence[int]) -> tuple[Node, int]:
    if text.startswith("#") and text[1:].isdecimal():
        at = int(text[1:])
        if at >= len(done):
            raise CalculationError(f"{text} is no earlier step.")
        if done[at].than is not None:
            raise CalculationError(f"{text} is a comparison, not a number.")
        return done[at].root, sizes[at]
    return Number(_number(text)), 1


def _number(text: str) -> Decimal:
    """ "5,829", "$ 12.5", "14.2%", "const_1000", "-3"."""
    plain = text.strip().lower().removeprefix("const_").replace(",", "").replace("$", "").replace(" ", "")
    plain = f"-{plain[1:]}" if plain.startswith("m") and plain[1:].isdigit() else plain
    percent = plain.endswith("%")
    try:
        value = Decimal(plain.rstrip("%"))
    except InvalidOperation as error:
        raise CalculationError(f"{text.strip()[:30]!r} is no number.") from error
    if not value.is_finite():
        raise CalculationError(f"{text.strip()[:30]!r} is no finite number.")
    return value / 100 if percent else value


def _cells(inside: str, table: Table) -> list[Decimal]:
    """The numbers of the row that a table step names; its second argument is always "none"."""
    name, comma, last = inside.rpartition(",")
    label = _label(name if comma and last.strip().lower() == "none" else inside)
    row = next((row for row in reversed(table) if row and _label(row[0]) == label), None)
    if row is None:
        raise CalculationError(f"The table has no row {label[:40]!r}.")
    # "$ -21 ( 21 )" is how the published tables write a negative figure.
    cells = [_number(cell.split("(")[0] if cell.split("(")[0].strip(" $") else _negative(cell)) for cell in row[1:]]
    if not cells:
        raise CalculationError(f"The row {label[:40]!r} is empty.")
    return cells


def _label(text: str) -> str:
    return " ".join(text.split()).lower()


def _negative(cell: str) -> str:
    """ "(21)" -> "-21"."""
    return "-" + cell.strip(" $()%").replace("$", "") + ("%" if "%" in cell else "")


_FINQA_HINT = "An array of FinQA or ConvFinQA entries, or JSON Lines with a question each."


def is_array(file: Path) -> bool:
    """Whether ``file`` holds an array and not JSON Lines."""
    try:
        with file.open(encoding="utf-8") as stream:
            while (character := stream.read(1)).isspace():
                continue
    except (OSError, UnicodeDecodeError):
        return False
    return character == "["


def read_array(file: Path) -> list[Line]:
    """The questions of ``file`` in order, each turn of a conversation one. Raises ``UsageError`` naming the entry."""
    try:
        entries = json.loads(file.read_text(encoding="utf-8"))
    except (OSError, ValueError) as error:
        raise UsageError(f"{file}: {said(error)}", _FINQA_HINT) from error
    lines: list[Line] = []
    for number, entry in enumerate(entries, start=1):
        try:
            lines.extend(_lines(entry, str(entry.get("id", number))))
        except (KeyError, TypeError, ValueError, AttributeError) as error:
            raise UsageError(f"{file}, entry {number}: no question with a program ({error!r})", _FINQA_HINT) from error
    return lines


def _lines(entry: Mapping[str, Any], identifier: str) -> Iterator[Line]:
    table = entry.get("table") or entry.get("table_ori") or ()
    said = entry.get("annotation")
    if said is None:
        qa = entry["qa"]
        yield _line(identifier, qa["question"], (), qa["program"], qa["exe_ans"], table, "finqa")
    elif "cur_program" in said:
        asked = said["cur_dial"]
        yield _line(identifier, asked[-1], asked[:-1], said["cur_program"], said["exe_ans"], table, "convfinqa")
    else:
        asked = said["dialogue_break"]
        turns = zip(asked, said["turn_program"], said["exe_ans_list"], strict=True)
        for at, (question, program, executed) in enumerate(turns):
            yield _line(f"{identifier}#{at + 1}", question, asked[:at], program, executed, table, "convfinqa")


def _line(identifier: str, question: str, before: Any, program: str, executed: Any, table: Any, kind: str) -> Line:
    raw = {"program": program, "exe_ans": executed, "table": table, "kind": kind, "evidence_given": True}
    return Line(identifier, question, history=tuple(before), raw=raw)


FIGURE, REFUSE, YES_OR_NO = "number", "refuse", "yesno"
"""The kinds whose rows are read for more than their keys say."""
_LINE_HINT = 'Such as {"question": "…", "value": 391035000000, "unit": "usd", "evidence": ["words of the passage"]}.'


@dataclass(frozen=True, slots=True)
class PagePassage:
    """A gold passage; ``page`` is the physical page of a PDF, or None."""

    text: str
    page: int | None = None


@dataclass(frozen=True, slots=True)
class Row:
    """A question with its gold."""

    line: Line
    expect: str = "answered"
    kind: str = ""
    filings: tuple[str, ...] = ()
    """Base names of the files that the gold stands in; one that needs several names the one that counts first."""
    value: float | None = None
    accept: tuple[float, ...] = ()
    unit: str = ""
    tolerance: float = 0.005
    answer: str = ""
    items: tuple[str, ...] = ()
    """What a list must name; ``answer`` joins them."""
    verdict: bool | None = None
    """The yes or no of a question that asks for one."""
    must_contain: tuple[str, ...] = ()
    evidence: tuple[PagePassage, ...] = ()
    refusal: tuple[str, ...] = ()
    inputs: tuple[float, ...] = ()
    """The printed figures that a computed ``value`` comes from."""
    ticker: str = ""
    company: str = ""
    program: str = ""
    """How the value is computed, in FinQA's notation; see :mod:`fin_tui.evaluation.sets`."""
    executed: float | str | None = None
    """What the program comes to: a number, "yes" or "no"."""
    table: tuple[tuple[str, ...], ...] = ()
    """Rows that the program's table steps read, the label first."""
    asked: bool = True
    """Whether the library is asked; not where the evidence is given with the row and only the program counts."""

    @property
    def filing(self) -> str:
        """The first of ``filings``, "" without one."""
        return self.filings[0] if self.filings else ""

    @property
    def is_open(self) -> bool:
        """No gold at all: nothing says what a right answer would be."""
        gold = (self.value, self.verdict, *self.items, *self.must_contain, *self.evidence, self.program or None)
        return self.expect == "answered" and "expect" not in self.line.raw and all(one is None for one in gold)


def load(file: Path) -> list[Row]:
    """The rows of a set, in order. Raises ``UsageError`` naming file and line for what can't be read."""
    lines = read_array(file) if is_array(file) else read_batch(file)
    rows = []
    for number, line in enumerate(lines, start=1):
        try:
            rows.append(_row(line, f"{file.stem}:{number}"))
        except (ValueError, TypeError, KeyError, AttributeError) as error:
            raise UsageError(f"{file}, question {number}: its gold can't be read ({error!r})", _LINE_HINT) from error
    return rows


def _row(line: Line, fallback_id: str) -> Row:
    raw = line.raw
    answer = raw.get("answer", "")
    return Row(
        line=replace(line, id=line.id or fallback_id),
        expect=raw.get("expect", "refused" if raw.get("kind") == REFUSE else "answered"),
        kind=raw.get("kind", ""),
        filings=_several(raw.get("filing")),
        value=_value(raw.get("value")),
        accept=tuple(map(float, raw.get("accept") or ())),
        unit=raw.get("unit", ""),
        tolerance=float(raw.get("tolerance", 0.005)),
        answer=str(answer) if not isinstance(answer, list) else "; ".join(answer),
        items=tuple(answer) if isinstance(answer, list) else (),
        verdict=_verdict(answer) if raw.get("kind") == YES_OR_NO else None,
        must_contain=tuple(raw.get("must_contain") or ()),
        evidence=tuple(_passage(gold) for gold in raw.get("evidence") or ()),
        refusal=_several(raw.get("refusal")),
        inputs=tuple(float(one) for one in raw.get("inputs") or () if isinstance(one, (int, float))),
        ticker=str(raw.get("ticker") or ""),
        company=str(raw.get("company") or ""),
        program=str(raw.get("program") or ""),
        executed=raw.get("exe_ans"),
        table=tuple(tuple(str(cell) for cell in row) for row in raw.get("table") or ()),
        asked=not raw.get("evidence_given", False),
    )


def _value(value: Any) -> float | None:
    return None if value is None else float(value)


def _passage(gold: str | Mapping[str, Any]) -> PagePassage:
    return PagePassage(gold) if isinstance(gold, str) else PagePassage(gold["text"], gold.get("page"))


def _several(value: str | Sequence[str] | None) -> tuple[str, ...]:
    return (value,) if value and isinstance(value, str) else tuple(value or ())


def _verdict(answer: str) -> bool:
    """Of a gold answer that begins with yes or no. Raises ``ValueError`` for any other."""
    found = yes_or_no(answer)
    if found is None:
        raise ValueError(f"neither yes nor no: {answer}")
    return found


_PART_HINT = 'Such as parts.json:aside, where the file holds {"parts": {"aside": ["q1", "q2"]}}.'


class _File(msgspec.Struct):
    parts: dict[str, frozenset[str]]


@dataclass(frozen=True, slots=True)
class Part:
    """Some questions of a set."""

    name: str
    ids: frozenset[str]

    def of(self, rows: Sequence[Row]) -> list[Row]:
        """The rows that belong to it, a conversation's turns by its id."""
        return [row for row in rows if (row.line.id or "").partition("#")[0] in self.ids]


def read_part(text: str) -> Part:
    """``FILE:NAME`` as a part. Raises ``UsageError`` when the file can't be read or has no such part."""
    file, _, name = text.rpartition(":")
    if not file or not name:
        raise UsageError(f"{text} names no part of a set.", _PART_HINT)
    try:
        parts = msgspec.json.decode(Path(file).read_bytes(), type=_File).parts
    except (OSError, msgspec.DecodeError) as error:
        raise UsageError(f"{file} holds no parts: {said(error)}", _PART_HINT) from error
    if name not in parts:
        raise UsageError(f"{file} has no part {name}.", f"It has: {', '.join(parts)}.")
    return Part(name, parts[name])
