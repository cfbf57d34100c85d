"""Numbers that are not known yet: what a jit function is traced with where its arguments change.

    rate = Number(recorder.argument(float))
    rate * 0.5                  # another one, worked out at each call
    weights - rate * slope      # a tensor: the number is a runtime value of the graph
    weights[step]               # a place that is given with each call
    if rate > 0: ...            # NumberRead: the number has to be known

A `Number` may be used for arithmetic with numbers and tensors, and as an index or the ends of a slice.
Whatever looks at its value raises `NumberRead`, so nothing that was decided by a value is replayed with
another. It says that it is an int or a float (`isinstance`), but is none: C code would read the value without
asking.

A `Recorder` notes what was computed, as steps in order, and what must hold for the trace to be right: an
index within its axis, an integer that fits its dtype. Each call runs the steps in Python, with Python's own
results and errors.
"""

from __future__ import annotations

import math
import operator
from collections.abc import Callable, Sequence
from typing import Any, NoReturn

from ...graph.constants import everywhere
from ...graph.dtypes import DType
from ...graph.node import Node, Scalar, Shape, make
from ...graph.ops import Op

_PLAIN = (bool, int, float)


class NumberRead(Exception):
    """The value of a number was asked for that is not known in this trace; `arguments` are the numbers of the
    arguments it was computed from."""

    def __init__(self, arguments: frozenset[int]) -> None:
        super().__init__("the value of a number was asked for that differs from call to call")
        self.arguments = arguments


class Recorder:
    """What is computed from the numbers of a call. It has those of the call that is traced, which a tensor
    that outlives the trace was made of."""

    def __init__(self, numbers: Sequence[Scalar] = ()) -> None:
        self._numbers = tuple(numbers)
        self._steps: list[Callable[[list[Any]], Any]] = []
        self._arguments: list[frozenset[int]] = []
        self._checks: list[tuple[int, Callable[[Any], bool]]] = []
        #: arguments whose value was asked for, whatever became of the exception
        self.read: set[int] = set()

    def argument(self, kind: type) -> Expression:
        """The next number of a call; all of them come before anything is computed."""
        place = len(self._arguments)
        assert not self._steps, "arguments come first"
        self._arguments.append(frozenset({place}))
        return Expression(self, place, kind)

    def step(self, kind: type, function: Callable[..., Any], *operands: Expression | Scalar) -> Expression:
        """A function of numbers, worked out at each call."""
        for operand in operands:
            if isinstance(operand, Expression) and operand.recorder is not self:
                operand.recorder.refuse(operand)  # of a trace that is over
        places = [o.place if isinstance(o, Expression) else None for o in operands]

        def run(values: list[Any]) -> Any:
            pairs = zip(places, operands, strict=True)
            return function(*[known if place is None else values[place] for place, known in pairs])

        self._steps.append(run)
        used = [self._arguments[place] for place in places if place is not None]
        self._arguments.append(frozenset().union(*used))
        return Expression(self, len(self._arguments) - 1, kind)

    def require(self, expression: Expression, holds: Callable[[Any], bool]) -> None:
        """The trace is right only where this holds of a number."""
        self._checks.append((expression.place, holds))

    def refuse(self, expression: Expression) -> NoReturn:
        found = self._arguments[expression.place]
        self.read |= found
        raise NumberRead(found)

    def known(self, expression: Expression) -> Scalar:
        """What a number was in the call that was traced."""
        values = self.values(self._numbers)
        if values is None:
            self.refuse(expression)
        number: Scalar = values[expression.place]
        return number

    def values(self, numbers: Sequence[Scalar]) -> list[Any] | None:
        """All that was computed, for the numbers of a call; None if the trace is not right for them."""
        values: list[Any] = list(numbers)
        try:
            for step in self._steps:
                values.append(step(values))
        except (ArithmeticError, ValueError, TypeError):
            return None  # traced with these numbers, the function raises it where it belongs
        for place, holds in self._checks:
            if not holds(values[place]):
                return None
        return values


class Expression:
    """A number as the graph holds it: where it is among the recorder's values, its kind (int or float), and
    of an integer the sum that it is: `terms` of other expressions by place, and a constant."""

    __slots__ = ("constant", "kind", "place", "recorder", "terms")

    def __init__(
        self,
        recorder: Recorder,
        place: int,
        kind: type,
        terms: dict[int, int] | None = None,
        constant: int = 0,
    ) -> None:
        self.recorder, self.place, self.kind = recorder, place, kind
        self.terms = {place: 1} if terms is None else terms
        self.constant = constant

    def __repr__(self) -> str:
        return f"number {self.place}"

    @property
    def key(self) -> object:
        """Equal for numbers that are equal at each call, as far as sums tell."""
        return self.place if self.kind is float else (frozenset(self.terms.items()), self.constant)

    def __add__(self, other: Expression | Scalar) -> Any:
        return _sum(operator.add, self, other, 1)

    def __radd__(self, other: Scalar) -> Any:
        return _sum(operator.add, other, self, 1)

    def __sub__(self, other: Expression | Scalar) -> Any:
        return _sum(operator.sub, self, other, -1)

    def __rsub__(self, other: Scalar) -> Any:
        return _sum(operator.sub, other, self, -1)

    def __mul__(self, other: Expression | Scalar) -> Any:
        return _product(self, other)

    def __rmul__(self, other: Scalar) -> Any:
        return _product(other, self)


#: What arithmetic of expressions takes.
Known = Expression | Scalar


def _recorder(*operands: Known) -> Recorder:
    return next(o.recorder for o in operands if isinstance(o, Expression))


def _kind(*operands: Known) -> type:
    """int of ints, float where one is a float."""
    kinds = [o.kind if isinstance(o, Expression) else type(o) for o in operands]
    return float if float in kinds else int


def _affine(value: Known) -> tuple[dict[int, int], int]:
    return (value.terms, value.constant) if isinstance(value, Expression) else ({}, int(value))


def _sum(function: Callable[..., Any], left: Known, right: Known, sign: int) -> Any:
    if _kind(left, right) is float:
        return _recorder(left, right).step(float, function, left, right)
    (mine, a), (theirs, b) = _affine(left), _affine(right)
    terms = dict(mine)
    for place, factor in theirs.items():
        terms[place] = terms.get(place, 0) + sign * factor
    return _integer(function, left, right, terms, a + sign * b)


def _product(left: Known, right: Known) -> Any:
    if _kind(left, right) is float:
        return _recorder(left, right).step(float, operator.mul, left, right)
    if isinstance(left, Expression) and isinstance(right, Expression):
        return left.recorder.step(int, operator.mul, left, right)
    if isinstance(right, Expression):
        left, right = right, left
    assert not isinstance(right, Expression)
    whole, factor = left, int(right)
    terms, constant = _affine(whole)
    return _integer(operator.mul, left, right, {p: f * factor for p, f in terms.items()}, constant * factor)


def _integer(
    function: Callable[..., Any],
    left: Known,
    right: Known,
    terms: dict[int, int],
    constant: int,
) -> Any:
    """A step whose result is a sum; of no terms it is a number that is known."""
    terms = {place: factor for place, factor in terms.items() if factor}
    if not terms:
        return constant
    made = _recorder(left, right).step(int, function, left, right)
    made.terms, made.constant = terms, constant
    return made


# --- what a function sees


class Number:
    """A number that stands for another at each call."""

    __slots__ = ("expression",)
    expression: Expression

    def __init__(self, expression: Expression) -> None:
        object.__setattr__(self, "expression", expression)

    @property  # type: ignore[misc]
    def __class__(self) -> type:
        """What `isinstance` asks: the kind it stands for."""
        return self.expression.kind

    def _refuse(self, *_: Any, **__: Any) -> NoReturn:
        self.expression.recorder.refuse(self.expression)

    def __getattr__(self, name: str) -> NoReturn:
        self._refuse()

    # looking at the value
    __bool__ = __int__ = __float__ = __complex__ = __index__ = __hash__ = _refuse
    __eq__ = __ne__ = __lt__ = __le__ = __gt__ = __ge__ = _refuse
    __repr__ = __str__ = __format__ = _refuse
    __round__ = __trunc__ = __floor__ = __ceil__ = __divmod__ = __rdivmod__ = _refuse
    __and__ = __rand__ = __or__ = __ror__ = __xor__ = __rxor__ = __invert__ = _refuse
    __lshift__ = __rlshift__ = __rshift__ = __rrshift__ = _refuse
    __reduce__ = __copy__ = __deepcopy__ = _refuse

    # arithmetic
    def __add__(self, other: Any) -> Any:
        return _made(operator.add, self, other)

    def __radd__(self, other: Any) -> Any:
        return _made(operator.add, other, self)

    def __sub__(self, other: Any) -> Any:
        return _made(operator.sub, self, other)

    def __rsub__(self, other: Any) -> Any:
        return _made(operator.sub, other, self)

    def __mul__(self, other: Any) -> Any:
        return _made(operator.mul, self, other)

    def __rmul__(self, other: Any) -> Any:
        return _made(operator.mul, other, self)

    def __truediv__(self, other: Any) -> Any:
        return _stepped(operator.truediv, self, other, float)

    def __rtruediv__(self, other: Any) -> Any:
        return _stepped(operator.truediv, other, self, float)

    def __floordiv__(self, other: Any) -> Any:
        return _stepped(operator.floordiv, self, other)

    def __rfloordiv__(self, other: Any) -> Any:
        return _stepped(operator.floordiv, other, self)

    def __mod__(self, other: Any) -> Any:
        return _stepped(operator.mod, self, other)

    def __rmod__(self, other: Any) -> Any:
        return _stepped(operator.mod, other, self)

    def __pow__(self, other: Any, modulus: None = None) -> Any:
        return self._refuse() if modulus is not None else _power(self, other)

    def __rpow__(self, other: Any) -> Any:
        return _power(other, self)

    def __neg__(self) -> Any:
        return _made(operator.sub, 0, self) if self.expression.kind is int else _one(operator.neg, self)

    def __pos__(self) -> Any:
        return self

    def __abs__(self) -> Any:
        return _one(operator.abs, self)


def is_number(value: object) -> bool:
    """Is it one that is not known yet? (`isinstance` is told otherwise.)"""
    return type(value) is Number


def is_given(number: object) -> bool:
    """Is a number of a form one that each call gives?"""
    return type(number) is Expression


def _unwrapped(value: Any) -> Any:
    return value.expression if type(value) is Number else value


def _wrapped(value: Any) -> Any:
    return Number(value) if type(value) is Expression else value


def _are_numbers(*values: Any) -> bool:
    return all(type(value) is Number or type(value) in _PLAIN for value in values)


def _made(function: Callable[..., Any], left: Any, right: Any) -> Any:
    """A sum, difference or product; tensors and others are asked themselves."""
    if not _are_numbers(left, right):
        return NotImplemented
    return _wrapped(function(_unwrapped(left), _unwrapped(right)))


def _stepped(function: Callable[..., Any], left: Any, right: Any, kind: type | None = None) -> Any:
    if not _are_numbers(left, right):
        return NotImplemented
    a, b = _unwrapped(left), _unwrapped(right)
    return Number(_recorder(a, b).step(kind or _kind(a, b), function, a, b))


def _one(function: Callable[..., Any], value: Number) -> Number:
    operand = value.expression
    return Number(operand.recorder.step(operand.kind, function, operand))


def _power(base: Any, exponent: Any) -> Any:
    """A power is of the kind its operands say, unless it is fractional, or complex."""
    if not _are_numbers(base, exponent):
        return NotImplemented
    a, b = _unwrapped(base), _unwrapped(exponent)
    if _kind(a, b) is int and (isinstance(b, Expression) or b < 0):
        return (exponent if isinstance(b, Expression) else base)._refuse()
    made = _recorder(a, b).step(_kind(a, b), operator.pow, a, b)
    made.recorder.require(made, lambda value: type(value) is made.kind)
    return Number(made)


def logarithm(number: Any) -> Any:
    """The natural logarithm of a number, which may be one that is not known yet; of 0 it is -inf."""
    if type(number) is not Number:
        return _logarithm(number)
    return Number(number.expression.recorder.step(float, _logarithm, number.expression))


def _logarithm(number: float) -> float:
    return math.log(number) if number else -math.inf


# --- what the graph is given


def number_node(number: Any, dtype: DType, shape: Shape = ()) -> Node:
    """A runtime value of a dtype, everywhere in a shape. Integers that no word holds end the trace."""
    expression: Expression = number.expression
    if dtype.is_int and expression.kind is int:
        least, beyond = -(1 << dtype.bits), 1 << dtype.bits
        expression.recorder.require(expression, lambda value: least < value < beyond)
    return everywhere(make(Op.VALUE, dtype, (), expression), shape)


def require_divisor(number: Any) -> None:
    """The trace is right only where a number is not 0."""
    number.expression.recorder.require(number.expression, bool)


def place_on(number: Any, n: int) -> Expression:
    """An index into an axis of n, counted from the front."""
    expression: Expression = number.expression
    if expression.kind is not int:
        number._refuse()
    recorder = expression.recorder
    recorder.require(expression, lambda value: -n <= value < n)
    return recorder.step(int, operator.mod, expression, n)


def slice_on(item: slice, n: int) -> tuple[Any, int]:
    """Where a slice of an axis of n with ends that are not known starts, and its length, which is."""
    start, stop = _unwrapped(item.start), _unwrapped(item.stop)
    length: Any = stop - start if start is not None and stop is not None else None
    whole = item.step is None or (type(item.step) is int and item.step == 1)
    if not whole or type(start) is not Expression or type(length) is not int or not 0 < length <= n:
        (item.start if is_number(item.start) else item.stop)._refuse()
    most = n - length
    start.recorder.require(start, lambda value: 0 <= value <= most)
    return start, length
