"""Exact evaluation of an expression over figures with units.

Values are decimals in base units. Dollars add to dollars only; dollars over shares are dollars a share; dollars over dollars are
a ratio. What has no meaning (dollars plus shares, division by zero, a root of a loss) is an error that says so, never a number.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from decimal import Decimal, DivisionByZero, InvalidOperation, Overflow, localcontext
from typing import TypeAlias

from fin_tui.facts.expression import Binary, CalculationError, Call, Name, Negative, Node, Number
from fin_tui.facts.figures import Unit

_DIGITS = 34
Dimension: TypeAlias = tuple[int, int]
"""Exponents of dollars and of shares."""
_NONE: Dimension = (0, 0)
_OF_UNIT: dict[Unit, Dimension] = {
    "usd": (1, 0), "shares": (0, 1), "usd/share": (1, -1), "%": _NONE, "ratio": _NONE, "count": _NONE, "days": _NONE,
}  # fmt: skip
_NAMED: dict[Dimension, str] = {(1, 0): "dollars", (0, 1): "shares", (1, -1): "dollars per share", _NONE: "a plain number"}


@dataclass(frozen=True, slots=True)
class Measure:
    """An exact value with its unit."""

    value: Decimal
    """Base units; percentages as 14.2 for 14.2 %."""
    unit: Unit


@dataclass(frozen=True, slots=True)
class _Inner:
    """A value while it is computed: percentages as fractions."""

    value: Decimal
    dimension: Dimension
    is_literal: bool = False


def evaluate(node: Node, figure: Callable[[Name], Measure], *, unit: Unit | None = None) -> Measure:
    """The value of ``node``, each name's figure given by ``figure`` (which may raise).

    ``unit`` is the unit to give a dimensionless result: "%" multiplies by 100, "days" or "ratio" only names it. A result with
    dollars or shares in it keeps its own unit. Raises ``CalculationError``.
    """
    with localcontext() as context:
        context.prec = _DIGITS
        try:
            result = _evaluate(node, figure)
        except (DivisionByZero, InvalidOperation) as error:
            raise CalculationError("The calculation divides by zero or takes a root of a negative figure.") from error
        except Overflow as error:
            raise CalculationError("The calculation's result is too large.") from error
        return _named(result, unit)


def _named(result: _Inner, wanted: Unit | None) -> Measure:
    if result.dimension == _NONE:
        unit = wanted if wanted is not None and _OF_UNIT[wanted] == _NONE else "ratio"
        return Measure(result.value * 100 if unit == "%" else result.value, unit)
    for name, dimension in _OF_UNIT.items():
        if dimension == result.dimension:
            return Measure(result.value, name)
    raise CalculationError("The calculation mixes dollars and shares in a way that has no unit.")


def _evaluate(node: Node, figure: Callable[[Name], Measure]) -> _Inner:
    match node:
        case Number(value=value):
            return _Inner(value, _NONE, True)
        case Name():
            given = figure(node)
            if not given.value.is_finite():
                raise CalculationError(f"{node.name} is not a finite number.")
            return _Inner(given.value / 100 if given.unit == "%" else given.value, _OF_UNIT[given.unit])
        case Negative(of=of):
            inner = _evaluate(of, figure)
            return _Inner(-inner.value, inner.dimension)
        case Call(function=function, arguments=arguments):
            return _call(function, [_evaluate(argument, figure) for argument in arguments])
        case Binary(operator="^", left=left, right=right):
            return _power(_evaluate(left, figure), _evaluate(right, figure))
        case Binary(operator=operator, left=left, right=right):
            return _binary(operator, _evaluate(left, figure), _evaluate(right, figure))


def _binary(operator: str, left: _Inner, right: _Inner) -> _Inner:
    if operator in "+-":
        dimension = _same([left, right])
        return _Inner(left.value + right.value if operator == "+" else left.value - right.value, dimension)
    (a, b), (c, d) = left.dimension, right.dimension
    if operator == "*":
        return _Inner(left.value * right.value, (a + c, b + d))
    if right.value == 0:
        raise CalculationError("The calculation divides by zero.")
    return _Inner(left.value / right.value, (a - c, b - d))


def _power(base: _Inner, exponent: _Inner) -> _Inner:
    if exponent.dimension != _NONE or (base.dimension != _NONE and exponent.value != int(exponent.value)):
        raise CalculationError("Only plain numbers can be raised to a power that is not whole.")
    if base.value == 0 and exponent.value <= 0:
        raise CalculationError("The calculation divides by zero.")
    if base.value < 0 and exponent.value != exponent.value.to_integral_value():
        raise CalculationError("A root of a negative figure has no value.")
    times = int(exponent.value) if base.dimension != _NONE else 0
    return _Inner(base.value**exponent.value, (base.dimension[0] * times, base.dimension[1] * times))


def _call(function: str, values: list[_Inner]) -> _Inner:
    dimension = _same(values)
    plain = [value.value for value in values]
    match function:
        case "sum":
            result = sum(plain, Decimal(0))
        case "avg":
            result = sum(plain, Decimal(0)) / len(plain)
        case "min":
            result = min(plain)
        case "max":
            result = max(plain)
        case "abs":
            result = abs(plain[0])
        case "opt":
            result = plain[0]
        case _:
            raise CalculationError(f"{function}() must be settled before it is evaluated.")
    return _Inner(result, dimension)


def _same(values: list[_Inner]) -> Dimension:
    """The one dimension of ``values``; a zero that was written out has that of the others."""
    telling = [value for value in values if value.value != 0 or not value.is_literal] or values
    for value in telling[1:]:
        if value.dimension != telling[0].dimension:
            one, other = (_NAMED.get(part.dimension, "another unit") for part in (telling[0], value))
            raise CalculationError(f"The calculation adds or compares {one} and {other}.")
    return telling[0].dimension
