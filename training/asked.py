"""A question written for a calculation -> what the heads learn from it: its operation, and which words ask for which operand.

What is first in a calculation: what is divided, what something is taken from, the first of a sum. What is second divides it, or
is taken from it.
"""

from __future__ import annotations

import ast
import re
from collections.abc import Mapping, Sequence
from typing import Any

_ANSWER: Mapping[str, str] = {
    "%": "percent", "count": "count", "shares": "count", "usd/share": "per_share", "ratio": "ratio", "days": "days",
    "years": "days", "months": "days",
}  # fmt: skip
"""Unit of a figure -> the kind of answer it is; other units are currencies."""
_SHORTEST = 3
"""Letters that name something; years alone name none."""


def calculation_asked(row: Mapping[str, Any]) -> dict[str, Any]:
    """The calculation ``row`` {"question", "expression", "unit", "words": name -> words} as the heads are trained on it: its tags
    are not known. A follow-up has "turns" in place of a question, and "before": which operand the turn before it asks for.
    """
    operation, groups = read_expression(row["expression"], row["unit"])
    *earlier, question = row.get("turns") or [row["question"]]
    before = row.get("before", "")
    return {
        "question": question, "follow_up_of": earlier[-1] if earlier else None, "company": None, "period": None, "target": None,
        "part": None, "operation": operation, "answer": None, "refusal": "", "carry": "before" if row.get("leans") else None,
        "operand": _words(groups, row.get("words") or {}, before=before), "before": before,
    }  # fmt: skip


def turn_asked(row: Mapping[str, Any]) -> dict[str, Any]:
    """A turn of a dialogue {"turns", "expression", "unit"} as the heads are trained on it: what it does and which kind of figure
    it wants. What it takes from the turn before, and its words' tags, are not known.
    """
    *earlier, question = row["turns"]
    operation, _ = read_expression(row["expression"], row["unit"])
    return {
        "question": question, "follow_up_of": earlier[-1] if earlier else None, "company": None, "period": None, "target": None,
        "part": None, "operation": "lookup" if row["expression"] == "a" else operation,
        "answer": _ANSWER.get(row["unit"], "money"), "refusal": "", "carry": None, "operand": None, "before": None,
        "is_turn": True,
    }  # fmt: skip


def _words(groups: Sequence[Sequence[str]], words: Mapping[str, str], before: str | None) -> list[str] | None:
    """The words for each operand, in order, "" for the one that the turn before asks for; None where they are not known, or name
    no figure.
    """
    if any(len(group) != 1 for group in groups) or before is None:
        return None
    said = [words.get(name, "") for group in groups for name in group]
    if before and "" in said:  # The parts of a sum stand in any order.
        said.insert(int(before == "second"), said.pop(said.index("")))
    named = [one for one in said if one]
    if not named or any(len(re.sub(r"[^a-z]", "", re.sub(r"\bfy", "", one.lower()))) < _SHORTEST for one in named):
        return None
    return said if len(set(named)) == len(named) else None


def read_expression(expression: str, unit: str) -> tuple[str | None, list[list[str]]]:
    """The operation of an expression whose result is told in ``unit``, and the names of its operands in order: several of one
    place are added up before.
    """
    return _read(ast.parse(expression, mode="eval").body, unit)


def _read(node: ast.expr, unit: str) -> tuple[str | None, list[list[str]]]:
    node = _bare(node)
    match node:
        case ast.BinOp(op=ast.Sub(), left=left, right=ast.Constant(value=1)):
            operation, groups = _read(left, unit)
            return ("growth" if operation in ("share", "ratio", "per_unit") else "cagr"), groups
        case ast.BinOp(op=ast.Pow()):
            return "cagr", []
        case ast.BinOp(op=ast.Mult(), left=left, right=right) if _names(left) and _names(right):
            parts = [_names(left), _names(right)]
            return ("product", parts) if all(len(part) == 1 for part in parts) and not _takes_rest(node) else (None, [])
        case ast.BinOp(op=ast.Div(), left=ast.BinOp(op=ast.Mult()) as left, right=ast.Constant(value=100)):
            return _read(left, unit)
        case ast.BinOp(op=ast.Div(), left=left, right=ast.Constant()):
            return ("average", _summed(left)) if _summed(left) else (None, [])  # A percentage of something is no average.
        case ast.BinOp(op=ast.Div(), left=left, right=right):
            left, right = _bare(left), _bare(right)
            if isinstance(left, ast.BinOp) and isinstance(left.op, ast.Sub):
                first, second = _names(left), _names(right)
                return ("growth" if len(second) == 1 and second[0] in first else "contribution" if len(second) > 1 else None), []
            kind = {"%": "share", "ratio": "ratio", "days": "ratio"}.get(unit, "per_unit")
            return kind, [_names(left), _names(right)]
        case ast.BinOp(op=ast.Sub(), left=left, right=right):
            parts = [_names(left), _names(right)]
            return "difference", parts if all(len(part) == 1 for part in parts) else []
        case ast.BinOp(op=ast.Add()):
            return "sum", _summed(node)
    return None, []


def _bare(node: ast.expr) -> ast.expr:
    """``node`` without what only changes its unit."""
    while isinstance(node, ast.BinOp) and isinstance(node.op, ast.Mult) and isinstance(node.right, ast.Constant):
        node = node.left
    return node


def _takes_rest(node: ast.expr) -> bool:
    """Whether something is taken from a constant: 100 - b."""
    return any(isinstance(one, ast.BinOp) and isinstance(one.op, ast.Sub) for one in ast.walk(node))


def _summed(node: ast.expr) -> list[list[str]]:
    if isinstance(node, ast.BinOp) and not isinstance(node.op, ast.Add):
        return []
    return [[name] for name in _names(node)]


def _names(node: ast.expr) -> list[str]:
    found = [(one.lineno, one.col_offset, one.id) for one in ast.walk(node) if isinstance(one, ast.Name)]
    return [name for *_, name in sorted(found)]
