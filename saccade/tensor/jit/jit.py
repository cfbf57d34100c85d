"""`jit`: a function of tensors is traced once and replayed with almost no Python.

    @jit
    def step(weights, batch, rate=0.1):
        ...
        return weights - rate * slope

    weights = step(weights, batch)

The function runs on placeholders (see `trace`), and the graph that comes out is compiled whole. What it may
depend on:

| what | how it is treated |
|---|---|
| tensors, arrays and keys in arguments, also in lists, dicts, named tuples, dataclasses | inputs |
| shapes, dtypes and devices of those; strings and other plain values | guards: trace again |
| ints and floats in arguments | guards; of the third value on inputs too, unless the function looks at them |
| numbers, arrays, functions in globals, closures, attributes | guards: trace again |
| tensors in globals, closures, attributes | inputs by reference: a new value is seen at the next call |
| random numbers | the generator advances at each call, as without jit |
| `x += 1`, `x.assign(...)` on an argument or a captured tensor | happens at each call, in its own memory |
| `.grad` of arguments with `requires_grad` | goes in and comes out, as if the function had run |
| a result through which `backward` could go back to such a tensor | the function is called as it is |
| reading a value of an input (`item`, `bool`, `numpy`) | TraceError |

Results are new memory at each call and the caller's to keep; (a reshape of) an input shares its memory.
Inside another jit function, and inside `grad`, a jit function is a plain one.
"""

from __future__ import annotations

import functools
from collections.abc import Callable
from typing import TYPE_CHECKING, Any, ParamSpec, TypeVar, overload

from .function import JitFunction

if TYPE_CHECKING:
    from ..programs.dimension import BoundedFunction, Dims

P = ParamSpec("P")
R = TypeVar("R")


@overload
def jit(function: Callable[P, R], *, search: float | None = None) -> JitFunction[P, R]: ...


@overload
def jit(*, search: float | None = None) -> Callable[[Callable[P, R]], JitFunction[P, R]]: ...


@overload
def jit(function: Callable[P, R], *, dims: Dims) -> BoundedFunction[P, R]: ...


@overload
def jit(*, dims: Dims) -> Callable[[Callable[P, R]], BoundedFunction[P, R]]: ...


def jit(
    function: Callable[P, R] | None = None, *, search: float | None = None, dims: Dims | None = None
) -> Any:
    """Compile a function of tensors; also as a decorator, `@jit` or `@jit()`.

    With `search`, each trace is followed by that many seconds of search for faster kernels; what is found is
    kept. With `dims`, axes have lengths that change within bounds, and one trace serves all (see `Dim`).
    """
    if dims is None:
        make: Callable[..., Any] = functools.partial(JitFunction, search=search)
    elif search is not None:
        raise ValueError(
            "search= looks for the best kernels of one shape, dims= is for many: take one of them"
        )
    else:
        from ..programs.dimension import BoundedFunction

        make = functools.partial(BoundedFunction, dims=dims)
    return make if function is None else make(function)
