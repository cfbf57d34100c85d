"""`vmap`: a function of one as a function of many, and Jacobians by it.

    distance = lambda a, b: ((a - b) ** 2).sum().sqrt()          # (3,), (3,) -> ()
    vmap(distance)(points, others)                               # (n, 3), (n, 3) -> (n,)
    vmap(vmap(distance, (None, 0)), (0, None))(points, others)   # (n, 3), (m, 3) -> (n, m)
    vmap(grad(loss), (None, 0, 0))(weights, x, y)                # a gradient for each example

The function runs once, on tensors without values that have the shape of one; the graph it leaves is rewritten
with a further axis (`transform.batching`). So nothing runs in a loop, and the schedule sees one graph.
"""

from __future__ import annotations

import functools
from collections.abc import Callable, Sequence
from contextlib import nullcontext
from typing import Any, NoReturn

from ...graph.node import Node, make
from ...graph.ops import Op
from ...transform.batching import batched
from .. import build
from ..core import Core
from ..jit.trace import Placeholder, Trace, TraceError, current_trace
from ..jit.tree import flatten, rebuild
from ..tensor import Tensor
from .gradient import grad, vjp

Function = Callable[..., Any]
Dims = int | None | Sequence[int | None]


class Lane(Placeholder):
    """The memory of one among many: it has none."""

    __slots__ = ()

    @staticmethod
    def refuse() -> NoReturn:
        raise TraceError(
            "a value was asked of a tensor inside vmap, where it stands for many at once: use tensor "
            "operations such as where, or a loop instead of vmap"
        )


def vmap(function: Function, in_dims: Dims = 0, out_dims: int | Sequence[int] = 0) -> Function:
    """The function for every element of an axis at once.

    `in_dims` is that axis of every argument, or one for each positional argument; None, and arguments by
    keyword, are the same for all. An argument may hold tensors in lists, dicts and objects: its axis is that
    of all of them. `out_dims` is where the axis is in the results, one for each of a tuple where it is one.
    Random numbers are refused: draw them outside, and pass them."""

    @functools.wraps(function)
    def many(*args: Any, **kwargs: Any) -> Any:
        dims = _each(in_dims, len(args), "in_dims", "arguments")
        lanes, given = _lanes(args, dims)
        result = _run(function, lanes, kwargs)
        made: list[Core] = []
        structure = flatten(result, made)
        nodes = batched([tensor.node for tensor in made], given)
        places = _places(result, out_dims)
        tensors = [
            Tensor._of(node).movedim(0, place) if place else Tensor._of(node)
            for node, place in zip(nodes, places, strict=True)
        ]
        return rebuild(structure, iter(tensors))

    return many


def _each(dims: Any, count: int, name: str, what: str) -> tuple[Any, ...]:
    if dims is None or isinstance(dims, int):
        return (dims,) * count
    if len(dims) != count:
        raise ValueError(f"{name}={dims!r} names {len(dims)} axes for {count} {what}: give one for each")
    return tuple(dims)


def _lanes(args: tuple[Any, ...], dims: tuple[Any, ...]) -> tuple[list[Any], dict[Node, Node]]:
    """The arguments with tensors of the shape of one, and what each of those stands for, the axis first."""
    lanes, given, size = [], {}, None
    for number, (arg, dim) in enumerate(zip(args, dims, strict=True)):
        if dim is None:
            lanes.append(arg)
            continue
        leaves: list[Core] = []
        structure = flatten(arg, leaves)
        tensors = []
        for leaf in leaves:
            if not leaf.ndim:
                raise ValueError(f"argument {number} of vmap has no axis {dim}: give None in in_dims for it")
            whole = Tensor._of(leaf.node).movedim(dim, 0)
            size = whole.shape[0] if size is None else size
            if whole.shape[0] != size:
                raise ValueError(
                    f"argument {number} of vmap has {whole.shape[0]} along axis {dim}, others have {size}"
                )
            memory = Lane(build.element_count(whole.shape[1:]), leaf.dtype, leaf.device)
            line = make(Op.BUFFER, leaf.dtype, (), memory)
            given[line] = build.reshape(whole.node, (size, memory.size))
            tensors.append(type(leaf)._of(build.reshape(line, whole.shape[1:])))
        lanes.append(rebuild(structure, iter(tensors)))
    if not given:
        raise ValueError("vmap needs a tensor with an axis to go along: all of in_dims are None")
    return lanes, given


def _run(function: Function, lanes: list[Any], kwargs: dict[str, Any]) -> Any:
    """The result of the function, which draws no random numbers and writes to nothing outside."""
    outer = current_trace()
    trace = outer or Trace()
    keys, grads, writes = len(trace.keys), len(trace.grads), set(trace.writes)
    try:
        with nullcontext() if outer else trace:
            result = function(*lanes, **kwargs)
        own: list[Core] = []
        flatten(result, own)
        given: list[Core] = []
        flatten((lanes, kwargs), given)
        if len(trace.keys) > keys:
            raise TraceError("a function under vmap draws random numbers: draw them outside, and pass them")
        local = {id(tensor) for tensor in own} - {id(tensor) for tensor in given}
        seen = [t for storage in trace.writes if storage not in writes for t in storage.tensors()]
        if len(trace.grads) > grads or any(id(tensor) not in local for tensor in seen):
            raise TraceError(
                "a function under vmap writes to its arguments or to a tensor from outside, or gathers "
                "gradients there: return the new value instead"
            )
    except BaseException:
        if outer is None:  # else it is the trace of a jit function, which does
            trace.take_back_writes()
            trace.take_back_grads()
        raise
    return result


def _places(result: Any, out_dims: int | Sequence[int]) -> list[int]:
    """The axis for each tensor of the result."""
    if isinstance(out_dims, int):
        made: list[Core] = []
        flatten(result, made)
        return [out_dims] * len(made)
    if not isinstance(result, tuple):
        raise ValueError(f"out_dims={out_dims!r} is for a tuple, and the function returned one result")
    dims = _each(out_dims, len(result), "out_dims", "results")
    return [place for part, dim in zip(result, dims, strict=True) for place in _places(part, dim)]


def jacrev(function: Function, argnums: int = 0) -> Function:
    """The Jacobian of a function from a tensor to a tensor, (*result, *argument): one reverse walk, for all
    elements of the result at once."""

    @functools.wraps(function)
    def jacobian(*args: Any, **kwargs: Any) -> Tensor:
        def of_one(x: Any) -> Any:
            return function(*args[:argnums], x, *args[argnums + 1 :], **kwargs)

        value, pull = vjp(of_one, args[argnums])
        if not isinstance(value, Tensor):
            raise TypeError(f"jacrev takes functions that return a tensor, not {type(value).__name__}")
        basis = Tensor.eye(value.numel(), dtype=value.dtype, device=value.device)
        rows: Tensor = vmap(lambda row: pull(row.reshape(value.shape))[0])(basis)
        return rows.reshape(*value.shape, *rows.shape[1:])

    return jacobian


def hessian(function: Function, argnums: int = 0) -> Function:
    """The second derivatives of a function with one number as its result, (*argument, *argument)."""
    return jacrev(grad(function, argnums), argnums)


__all__ = ["hessian", "jacrev", "vmap"]
