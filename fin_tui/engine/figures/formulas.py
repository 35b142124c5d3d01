"""Expressions over metric names: what a metric's formula says, and what is asked of it along the years (pure)."""

from __future__ import annotations

from decimal import Decimal

from fin_tui.facts.expression import Binary, Call, Negative, Node, Number, parse, shift
from fin_tui.facts.figures import Metric


def formula_of(metric: Metric) -> Node:
    """The formula of a derived metric; of a percentage as the fraction that it is (``* 100`` taken off)."""
    node = parse(metric.formula)
    match node:
        case Binary(operator="*", left=left, right=Number(value=value)) if metric.unit == "%" and value == 100:
            return left
        case Binary(operator="*", left=Number(value=value), right=right) if metric.unit == "%" and value == 100:
            return right
        case _:
            return node


def at_the_end(node: Node) -> Node:
    """``node`` with each average of balances replaced by the last of them."""
    match node:
        case Call(function="avg", arguments=(last, *_)):
            return last
        case Call(function=function, arguments=arguments):
            return Call(function, tuple(at_the_end(argument) for argument in arguments))
        case Binary(operator=operator, left=left, right=right):
            return Binary(operator, at_the_end(left), at_the_end(right))
        case Negative(of=of):
            return Negative(at_the_end(of))
        case _:
            return node


def over_years(node: Node, over: str, back: int) -> Node:
    """``node`` of this year against, or together with, the ``back`` years before it."""
    earlier = shift(node, back)
    match over:
        case "change":
            return Binary("-", node, earlier)
        case "growth":
            return Binary("-", Binary("/", node, earlier), Number(Decimal(1)))
        case "contribution" if isinstance(node, Binary):
            return Binary(node.operator, over_years(node.left, "change", back), over_years(node.right, "change", back))
        case "multiple":
            return Binary("/", node, earlier)
        case "cagr":
            exponent = Binary("/", Number(Decimal(1)), Number(Decimal(back)))
            return Binary("-", Binary("^", Binary("/", node, earlier), exponent), Number(Decimal(1)))
        case "average":
            return Call("avg", tuple(shift(node, years) for years in range(back, -1, -1)))
        case "sum":
            return Call("sum", tuple(shift(node, years) for years in range(back, -1, -1)))
        case _:
            return node
