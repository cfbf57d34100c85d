"""Gradients of functions: `grad`, `value_and_grad`, `vjp` and `jvp`, as JAX has them.

    slope = grad(lambda w, x: (x @ w).square().mean())
    slope(weights, batch)                    # the shape of weights
    grad(grad(f))                            # of any order

A function runs once on its arguments, and the graph it leaves is walked backwards (`transform.gradient`):
what comes out is a graph too, scheduled together with the function's own. Inside `jit` all of it is one
program.
"""

from __future__ import annotations

import functools
from collections.abc import Callable, Sequence
from typing import Any

from ...graph.node import Node
from ...transform.gradient import gradients
from .. import build
from ..core import Core
from ..jit.tree import Structure, flatten, rebuild
from ..tensor import Tensor
from .leaves import concerns, cut
from .tape import Tape, tapes

Function = Callable[..., Any]


def grad(function: Function, argnums: int | Sequence[int] = 0, has_aux: bool = False) -> Function:
    """The gradient of a function with one number as its result, for the arguments of these numbers: one for
    an int, a tuple for several; each a tensor, or tensors in lists, dicts and objects as they came in.

    With `has_aux` the function returns (number, anything), and the gradient comes as (gradient, anything)."""
    both = value_and_grad(function, argnums, has_aux)

    @functools.wraps(function)
    def slope(*args: Any, **kwargs: Any) -> Any:
        value, found = both(*args, **kwargs)
        return (found, value[1]) if has_aux else found

    return slope


def value_and_grad(function: Function, argnums: int | Sequence[int] = 0, has_aux: bool = False) -> Function:
    """Like `grad`, with the function's own result before the gradient."""
    numbers = _numbers(argnums)

    @functools.wraps(function)
    def both(*args: Any, **kwargs: Any) -> Any:
        with Tape() as tape:
            arguments, parts = _marked(tape, args, numbers)
            result = function(*arguments, **kwargs)
            loss = result[0] if has_aux else result
            _check_loss(loss)
            one = build.full(1, loss.dtype, loss.shape)
            found = _gradients(tape, [loss.node], [one], parts)
            value = _unmarked(tape, result)
        return value, found[0] if isinstance(argnums, int) else tuple(found)

    return both


def vjp(function: Function, *primals: Any) -> tuple[Any, Callable[[Any], tuple[Any, ...]]]:
    """The result of a function, and what takes cotangents of it (in its structure) to those of the
    arguments."""
    tape = Tape()
    with tape:
        arguments, parts = _marked(tape, primals, tuple(range(len(primals))))
        result = function(*arguments)
    made: list[Core] = []
    structure = flatten(result, made)

    def pull(cotangents: Any) -> tuple[Any, ...]:
        given: list[Core] = []
        if flatten(cotangents, given) != structure:
            raise ValueError("cotangents have to come in the structure of the result, a tensor for a tensor")
        for tensor, cotangent in zip(made, given, strict=True):
            _check_fits("a cotangent", cotangent, "its result", tensor)
        nodes = [tensor.node for tensor in made]
        return tuple(_gradients(tape, nodes, [each.node for each in given], parts))

    return _unmarked(tape, result), pull


def jvp(function: Function, primals: Sequence[Any], tangents: Sequence[Any]) -> tuple[Any, Any]:
    """The result of a function, and how it changes along the tangents.

    Reverse mode twice: the gradient is linear in the cotangents, and its own gradient for them is this."""
    tape = Tape()
    with tape:
        arguments, parts = _marked(tape, tuple(primals), tuple(range(len(primals))))
        result = function(*arguments)
    made: list[Core] = []
    structure = flatten(result, made)
    along: list[Core] = []
    given: list[Core] = []
    if flatten(tuple(tangents), along) != flatten(tuple(primals), given):
        raise ValueError("tangents have to come in the structure of the arguments, a tensor for a tensor")
    for tensor, tangent in zip(given, along, strict=True):
        _check_fits("a tangent", tangent, "its argument", tensor)
    nodes = [tensor.node for tensor in made]
    dummies = [tape.mark(build.full(0, node.dtype, node.shape)) for node in nodes]
    marks = [node for part in parts for node in part[0]]
    wanted = list(dict.fromkeys(mark for mark in marks if mark))
    found = dict(zip(wanted, gradients(nodes, dummies, wanted, tape.past), strict=True))
    slopes = [found.pop(mark, None) if mark else None for mark in marks]  # of a tensor in two places, once
    used = [(slope, tangent.node) for slope, tangent in zip(slopes, along, strict=True) if slope is not None]
    moved = (
        gradients([slope for slope, _ in used], [tangent for _, tangent in used], dummies)
        if used
        else [None] * len(nodes)
    )
    changes = [build.full(0, n.dtype, n.shape) if m is None else m for n, m in zip(nodes, moved, strict=True)]
    tensors = [type(t)._of(node) for t, node in zip(made, _settled(tape, changes), strict=True)]
    return _unmarked(tape, result), rebuild(structure, iter(tensors))


# --- arguments and results

#: the marks of one argument's tensors (None: of no gradient), the tensors, and how they are arranged
_Part = tuple[list[Node | None], list[Core], Structure]


def _numbers(argnums: int | Sequence[int]) -> tuple[int, ...]:
    numbers = (argnums,) if isinstance(argnums, int) else tuple(argnums)
    if not numbers or any(isinstance(n, bool) or not isinstance(n, int) for n in numbers):
        raise TypeError(f"argnums is the number of an argument, or several of them, not {argnums!r}")
    return numbers


def _marked(tape: Tape, args: tuple[Any, ...], numbers: tuple[int, ...]) -> tuple[list[Any], list[_Part]]:
    """The arguments with marked tensors in those of these numbers, and what was marked."""
    arguments, parts = list(args), []
    for number in numbers:
        if not -len(args) <= number < len(args):
            raise ValueError(f"argnums names argument {number} of a call with {len(args)}")
        if [each % len(args) for each in numbers].count(number % len(args)) > 1:
            raise ValueError(f"argnums names argument {number} twice: {numbers}")
        leaves: list[Core] = []
        structure = flatten(args[number], leaves)
        if not leaves:
            raise TypeError(
                f"argument {number} is {args[number]!r}: gradients are of tensors; make it one, Tensor(...)"
            )
        marks = _marks(tape, leaves, number)
        inside = {mark: type(leaf)._of(mark) for leaf, mark in zip(leaves, marks, strict=True) if mark}
        tensors = [inside[mark] if mark else leaf for leaf, mark in zip(leaves, marks, strict=True)]
        arguments[number] = rebuild(structure, iter(tensors))
        parts.append((marks, leaves, structure))
    return arguments, parts


def _marks(tape: Tape, leaves: list[Core], number: int) -> list[Node | None]:
    """A mark for each tensor of an argument. Where some require a gradient, the argument is a model: it is of
    those, a tensor in two places has one mark, and the others (running statistics) are as they are."""
    if any(hasattr(leaf, "leaf") for leaf in leaves):
        once = {id(leaf): leaf for leaf in leaves if hasattr(leaf, "leaf")}
        marked = {key: tape.mark(leaf.node) for key, leaf in once.items()}
        return [marked.get(id(leaf)) for leaf in leaves]
    for leaf in leaves:
        if not leaf.dtype.has_gradient:
            raise TypeError(
                f"argument {number} has dtype {leaf.dtype.name}: gradients are of floats, so cast it, "
                f"or leave it out of argnums"
            )
    return [tape.mark(leaf.node) for leaf in leaves]


def _gradients(tape: Tape, nodes: list[Node], cotangents: list[Node], parts: list[_Part]) -> list[Any]:
    """The gradient of each argument, arranged as it came."""
    marks = [mark for part in parts for mark in part[0]]
    wanted = list(dict.fromkeys(mark for mark in marks if mark))
    found = dict(zip(wanted, gradients(nodes, cotangents, wanted, tape.past), strict=True))
    zeros = [build.full(0, leaf.dtype, leaf.shape) for part in parts for leaf in part[1]]
    filled = [(mark and found[mark]) or zero for mark, zero in zip(marks, zeros, strict=True)]
    nodes_left = iter(_settled(tape, filled))
    return [
        rebuild(structure, iter([type(leaf)._of(next(nodes_left)) for leaf in leaves]))
        for _, leaves, structure in parts
    ]


def _unmarked(tape: Tape, result: Any) -> Any:
    made: list[Core] = []
    structure = flatten(result, made)
    nodes = _settled(tape, [tensor.node for tensor in made])
    tensors = [type(tensor)._of(node) for tensor, node in zip(made, nodes, strict=True)]
    return rebuild(structure, iter(tensors))


def _settled(tape: Tape, nodes: list[Node]) -> list[Node]:
    """Results with the arguments as they are. Who is inside no other gradient gets values: `backward` goes
    no further back."""
    nodes = tape.unmarked(nodes)
    if any(other is not tape for other in tapes.open):
        return nodes
    return [cut(node) if concerns(node) else node for node in nodes]


def _check_fits(what: str, given: Core, whose: str, tensor: Core) -> None:
    if (given.shape, given.dtype) != (tensor.shape, tensor.dtype):
        raise ValueError(
            f"{what} has shape {given.shape} and dtype {given.dtype.name}, {whose} {tensor.shape} and "
            f"{tensor.dtype.name}"
        )


def _check_loss(loss: object) -> None:
    if not isinstance(loss, Tensor):
        raise TypeError(f"a function under grad returns a tensor, not {type(loss).__name__}")
    if loss.numel() != 1:
        raise ValueError(
            f"a function under grad returns one number, not the shape {loss.shape}: sum it up, or use vjp"
        )
    if not loss.dtype.is_float:
        raise TypeError(f"a function under grad returns a float, not {loss.dtype.name}")


__all__ = ["grad", "jvp", "value_and_grad", "vjp"]
