"""Programs in FinQA's notation as expression trees: "subtract(5829, 5735), divide(#0, 5735)".

Steps are add, subtract, multiply, divide, exp, greater, and table_max, table_min, table_sum, table_average over the row of a
given table; ``#n`` is the result of step n, counted from 0; ``const_100`` is 100 and ``const_m1`` is -1; 12% is 0.12. A bare
number is a program too (ConvFinQA's "number selection"). Notation and rounding to five places: Chen et al., FinQA (2021), whose
own evaluator computes in floating point; here the decimals are exact.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from decimal import ROUND_HALF_EVEN, Decimal, InvalidOperation
from pathlib import Path
from typing import Any

from fin_tui.engine.questions.batch import Line
from fin_tui.errors import UsageError, said
from fin_tui.facts.expression import Binary, CalculationError, Call, Measure, Name, Node, Number, Operator, evaluate

_OPERATORS: dict[str, Operator] = {"add": "+", "subtract": "-", "multiply": "*", "divide": "/", "exp": "^"}
_OVER_ROWS = {"table_max": "max", "table_min": "min", "table_sum": "sum", "table_average": "avg"}
_STEP = re.compile(r"[\s,]*([a-z_]+)\s*\(", re.IGNORECASE)
_REFERENCE = re.compile(r"#(\d+)")
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
    parts = re.split(r",\s+", inside.strip()) if ", " in inside else inside.split(",")
    if len(parts) != 2:
        raise CalculationError(f"{name}() takes two arguments, not {len(parts)}.")
    (left, first), (right, second) = (_argument(part.strip(), done, sizes) for part in parts)
    size = first + second + 1
    return (Program(left, right) if name == "greater" else Program(Binary(_OPERATORS[name], left, right))), size


def _argument(text: str, done: Sequence[Program], sizes: Sequence[int]) -> tuple[Node, int]:
    if match := _REFERENCE.fullmatch(text):
        at = int(match[1])
        if at >= len(done):
            raise CalculationError(f"{text} is no earlier step.")
        if done[at].than is not None:
            raise CalculationError(f"{text} is a comparison, not a number.")
        return done[at].root, sizes[at]
    return Number(_number(text)), 1


def _number(text: str) -> Decimal:
    """ "5,829", "$ 12.5", "14.2%", "const_1000", "-3"."""
    plain = text.strip().lower().removeprefix("const_").replace(",", "").replace("$", "").replace(" ", "")
    plain = f"-{plain[1:]}" if re.fullmatch(r"m\d+", plain) else plain
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
    label = _label(re.sub(r",\s*none\s*$", "", inside.strip(), flags=re.IGNORECASE))
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


_HINT = "An array of FinQA or ConvFinQA entries, or JSON Lines with a question each."


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
        raise UsageError(f"{file}: {said(error)}", _HINT) from error
    lines: list[Line] = []
    for number, entry in enumerate(entries, start=1):
        try:
            lines.extend(_lines(entry, str(entry.get("id", number))))
        except (KeyError, TypeError, ValueError, AttributeError) as error:
            raise UsageError(f"{file}, entry {number}: no question with a program ({error!r})", _HINT) from error
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
