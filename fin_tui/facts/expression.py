"""Arithmetic over named figures as a tree: read from text, shifted in time, written back. Never ``eval``.

Grammar: numbers ("365", "12.5%"), names ("net_income"), ``+ - * / ^``, parentheses, unary minus, and the functions ``avg``,
``prior``, ``sum``, ``min``, ``max``, ``abs``, ``opt``. ``prior(x)`` is the figure a year before, ``avg(x)`` of one argument the
mean of the balances at both ends of the year, of several their mean; ``opt(x)`` counts as nothing where the filing has no x.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from decimal import Decimal, DivisionByZero, InvalidOperation, Overflow, localcontext
from typing import Literal, TypeAlias

from fin_tui.errors import FinTuiError
from fin_tui.facts.figures import Unit

_TOKEN = re.compile(r"\s*(?:(?P<number>\d+(?:\.\d+)?|\.\d+)(?P<percent>\s*%)?|(?P<name>[A-Za-z_]\w*)|(?P<sign>[-+*/^(),]))")
_LONGEST = 2_000
_DEEPEST = 40
FUNCTIONS = frozenset(("avg", "prior", "sum", "min", "max", "abs", "opt"))
Operator = Literal["+", "-", "*", "/", "^"]
_RANK = {"+": 1, "-": 1, "*": 2, "/": 2, "^": 4}
_NEGATIVE_RANK = 3
_ATOM_RANK = 5


class CalculationError(FinTuiError):
    """An expression that can't be read, or can't be computed from what it was given."""


@dataclass(frozen=True, slots=True)
class Number:
    """A constant."""

    value: Decimal


@dataclass(frozen=True, slots=True)
class Name:
    """A figure by name, ``back`` years before the year that is asked about."""

    name: str
    back: int = 0


@dataclass(frozen=True, slots=True)
class Negative:
    """Unary minus."""

    of: Node


@dataclass(frozen=True, slots=True)
class Binary:
    """Two operands."""

    operator: Operator
    left: Node
    right: Node


@dataclass(frozen=True, slots=True)
class Call:
    """A function of one or more arguments."""

    function: str
    arguments: tuple[Node, ...]


Node = Number | Name | Negative | Binary | Call


def parse(text: str) -> Node:
    """The tree of ``text``. Raises ``CalculationError`` naming what can't be read."""
    if len(text) > _LONGEST:
        raise CalculationError("The expression is too long.", f"At most {_LONGEST} characters.")
    reader = _Reader(text)
    node = reader.sum(0)
    reader.expect_end()
    return settle(node)


class _Reader:
    """Recursive descent over the tokens, bounded in depth."""

    def __init__(self, text: str) -> None:
        self._text = text
        self._at = 0
        self._kind = ""
        self._token = ""
        self._next()

    def _next(self) -> None:
        match = _TOKEN.match(self._text, self._at)
        if match is None:
            rest = self._text[self._at :].strip()
            if rest:
                raise CalculationError(f"Can't read {rest[:20]!r} in the expression.", "Use numbers, names, + - * / ^ and ( ).")
            self._kind = self._token = ""
            return
        self._at = match.end()
        if match["number"]:
            self._kind, self._token = "percent" if match["percent"] else "number", match["number"]
        else:
            self._kind = "name" if match["name"] else "sign"
            self._token = match["name"] or match["sign"]

    def expect_end(self) -> None:
        if self._kind:
            raise CalculationError(f"Unexpected {self._token!r} in the expression.")

    def _take(self, sign: str) -> bool:
        if self._kind == "sign" and self._token == sign:
            self._next()
            return True
        return False

    def sum(self, depth: int) -> Node:
        node = self._product(depth)
        while self._kind == "sign" and self._token in "+-":
            operator: Operator = "+" if self._token == "+" else "-"
            self._next()
            node = Binary(operator, node, self._product(depth))
        return node

    def _product(self, depth: int) -> Node:
        node = self._signed(depth)
        while self._kind == "sign" and self._token in "*/":
            operator: Operator = "*" if self._token == "*" else "/"
            self._next()
            node = Binary(operator, node, self._signed(depth))
        return node

    def _signed(self, depth: int) -> Node:
        if depth > _DEEPEST:
            raise CalculationError("The expression is nested too deeply.")
        if self._take("-"):
            return Negative(self._signed(depth + 1))
        node = self._atom(depth)
        return Binary("^", node, self._signed(depth + 1)) if self._take("^") else node

    def _atom(self, depth: int) -> Node:
        kind, token = self._kind, self._token
        if kind in ("number", "percent"):
            self._next()
            return Number(Decimal(token) / 100 if kind == "percent" else Decimal(token))
        if kind == "name":
            self._next()
            return self._call(token.lower(), depth) if self._take("(") else Name(token)
        if self._take("("):
            node = self.sum(depth + 1)
            self._close()
            return node
        raise CalculationError(f"Expected a number or a name, found {token or 'the end'!r}.")

    def _call(self, function: str, depth: int) -> Node:
        if function not in FUNCTIONS:
            raise CalculationError(f"Unknown function {function!r}.", f"Known: {', '.join(sorted(FUNCTIONS))}.")
        arguments = [self.sum(depth + 1)]
        while self._take(","):
            arguments.append(self.sum(depth + 1))
        self._close()
        if function in ("prior", "abs", "opt") and len(arguments) > 1:
            raise CalculationError(f"{function}() takes one argument.")
        return Call(function, tuple(arguments))

    def _close(self) -> None:
        if not self._take(")"):
            raise CalculationError(f"Expected ')', found {self._token or 'the end'!r}.")


def is_product(node: Node) -> bool:
    """Whether it multiplies two figures with each other."""
    return isinstance(node, Binary) and node.operator == "*" and not isinstance(node.right, Number)


def rewrite(node: Node, change: Callable[[Name], Node]) -> Node:
    """The tree with each name replaced by what ``change`` gives for it."""
    match node:
        case Name():
            return change(node)
        case Negative(of=of):
            return Negative(rewrite(of, change))
        case Binary(operator=operator, left=left, right=right):
            return Binary(operator, rewrite(left, change), rewrite(right, change))
        case Call(function=function, arguments=arguments):
            return Call(function, tuple(rewrite(argument, change) for argument in arguments))
        case Number():
            return node


def shift(node: Node, years: int) -> Node:
    """The same expression ``years`` earlier."""
    return rewrite(node, lambda name: replace(name, back=name.back + years)) if years else node


def settle(node: Node) -> Node:
    """The tree with ``prior`` and ``avg`` of one argument resolved into figures of this and the year before."""
    match node:
        case Call(function="prior", arguments=(of,)):
            return shift(settle(of), 1)
        case Call(function="avg", arguments=(of,)):
            inner = settle(of)
            return Call("avg", (inner, shift(inner, 1)))
        case Call(function=function, arguments=arguments):
            return Call(function, tuple(settle(argument) for argument in arguments))
        case Negative(of=of):
            return Negative(settle(of))
        case Binary(operator=operator, left=left, right=right):
            return Binary(operator, settle(left), settle(right))
        case _:
            return node


def names(node: Node) -> Iterator[Name]:
    """The names of a tree from left to right, repeated as they stand."""
    match node:
        case Name():
            yield node
        case Negative(of=of):
            yield from names(of)
        case Binary(left=left, right=right):
            yield from names(left)
            yield from names(right)
        case Call(arguments=arguments):
            for argument in arguments:
                yield from names(argument)
        case _:
            return


def names_in(formula: str) -> tuple[str, ...]:
    """The names of the figures in ``formula``; none where it is empty or can't be read."""
    try:
        return tuple(name.name for name in names(parse(formula))) if formula else ()
    except CalculationError:
        return ()


def write(node: Node, name: Callable[[Name], str]) -> str:
    """``node`` as text with as few brackets as it needs, and as a reader does; ``name`` says how a figure is written."""
    return _write(node, name)[0]


def _write(node: Node, name: Callable[[Name], str]) -> tuple[str, int]:
    match node:
        case Number(value=value):
            return format(value, "f"), _ATOM_RANK
        case Name():
            text = name(node)
            return text, _NEGATIVE_RANK if text.startswith("-") else _ATOM_RANK
        case Negative(of=of):
            return f"-{_bracketed(_write(of, name), _NEGATIVE_RANK + 1)}", _NEGATIVE_RANK
        case Call(function=function, arguments=arguments):
            return f"{function}({', '.join(write(argument, name) for argument in arguments)})", _ATOM_RANK
        case Binary(operator=operator, left=left, right=right):
            rank = _RANK[operator]
            first = _bracketed(_write(left, name), rank + (operator == "^"))
            second = _bracketed(_write(right, name), rank + (operator != "^"))
            if second.startswith("-"):  # Its own sign would read as another operator.
                second = f"({second})"
            return f"{first} {operator} {second}", rank


def _bracketed(part: tuple[str, int], least: int) -> str:
    text, rank = part
    return text if rank >= least else f"({text})"


_DIGITS = 34
Dimension: TypeAlias = tuple[int, int]
"""Exponents of dollars and of shares."""
_NONE: Dimension = (0, 0)
_OF_UNIT: dict[Unit, Dimension] = {
    "usd": (1, 0), "shares": (0, 1), "usd/share": (1, -1), "%": _NONE, "ratio": _NONE, "count": _NONE, "days": _NONE,
}  # fmt: skip
_OF_PRICES: frozenset[Dimension] = frozenset(((1, -1), (1, 1)))
"""Of a number of things times dollars per share, and of shares times the dollars for one."""
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

    ``unit`` is the unit to give a dimensionless result: "%" multiplies by 100, "days" or "ratio" only names it; without one what
    is added up or set apart of things stays a number of these. A result with dollars or shares in it keeps its own unit, but for
    dollars that are asked for, as what so many cost at a price each. Raises ``CalculationError``.
    """
    units: set[Unit] = set()

    def given(name: Name) -> Measure:
        measure = figure(name)
        units.add(measure.unit)
        return measure

    with localcontext() as context:
        context.prec = _DIGITS
        try:
            result = _evaluate(node, given)
        except (DivisionByZero, InvalidOperation) as error:
            raise CalculationError("The calculation divides by zero or takes a root of a negative figure.") from error
        except Overflow as error:
            raise CalculationError("The calculation's result is too large.") from error
        counts: Unit | None = "count" if units == {"count"} and _is_linear(node) else None
        is_product = isinstance(node, Binary) and node.operator == "*"
        return _named(result, unit or counts, is_product=is_product)


def _is_linear(node: Node) -> bool:
    """Whether nothing in ``node`` is multiplied, divided, or raised to a power."""
    match node:
        case Binary(operator=operator, left=left, right=right):
            return operator in "+-" and _is_linear(left) and _is_linear(right)
        case Negative(of=of):
            return _is_linear(of)
        case Call(arguments=arguments):
            return all(map(_is_linear, arguments))
        case _:
            return True


def _named(result: _Inner, wanted: Unit | None, *, is_product: bool) -> Measure:
    if result.dimension == _NONE:
        unit = wanted if wanted is not None and _OF_UNIT[wanted] == _NONE else "ratio"
        return Measure(result.value * 100 if unit == "%" else result.value, unit)
    if wanted == "usd" and is_product and result.dimension in _OF_PRICES:
        return Measure(result.value, wanted)
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
