"""Compiled functions over structures of tensors.

The cortex passes its state around as named tuples of tensors; `jit` takes and returns flat tuples of tensors. A Program
flattens its arguments, calls the compiled function and puts the result together again. A program compiles once per
signature (shapes and dtypes of its arguments); `compilations` counts them, so that a test can show that changing counts
does not recompile.

    >>> double = Program(lambda pair: (pair[0] * 2, pair[1]))
    >>> double((Tensor([1.0]), Tensor([2.0])))[0].tolist()
    [2.0]
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Generic, ParamSpec, TypeVar

from saccade.tensor import Tensor, jit

P = ParamSpec("P")
Result = TypeVar("Result")


def flatten(tree: Any, leaves: list[Tensor]) -> Any:
    """Append the tensors of a structure to `leaves`; returns its skeleton, with positions instead of tensors."""
    if isinstance(tree, Tensor):
        leaves.append(tree)
        return len(leaves) - 1
    if isinstance(tree, tuple):
        parts = [flatten(part, leaves) for part in tree]
        return (type(tree), parts)
    raise TypeError(f"a program takes tensors and tuples of them, not {type(tree).__name__}")


def rebuild(skeleton: Any, leaves: list[Tensor] | tuple[Tensor, ...]) -> Any:
    if isinstance(skeleton, int):
        return leaves[skeleton]
    kind, parts = skeleton
    values = [rebuild(part, leaves) for part in parts]
    return tuple(values) if kind is tuple else kind(*values)


class Program(Generic[P, Result]):
    """A function of structures of tensors, compiled per signature and replayed after."""

    def __init__(self, function: Callable[P, Result]) -> None:
        self._function = function
        self._compiled: dict[Any, tuple[Callable[..., Any], list[Any]]] = {}

    @property
    def compilations(self) -> int:
        return len(self._compiled)

    def __call__(self, *args: P.args, **kwargs: P.kwargs) -> Result:
        leaves: list[Tensor] = []
        skeleton = flatten(tuple(args), leaves)
        signature = tuple([(leaf.shape, leaf.dtype, leaf.device) for leaf in leaves])
        found = self._compiled.get(signature)
        if found is None:
            found = self._compiled[signature] = self._traced(skeleton)
        compiled, result = found
        outputs = compiled(*leaves)
        if isinstance(outputs, Tensor):
            outputs = (outputs,)
        rebuilt: Result = rebuild(result[0], outputs)
        return rebuilt

    def _traced(self, skeleton: Any) -> tuple[Callable[..., Any], list[Any]]:
        """The compiled flat function and a box for the skeleton of its result, filled while it is traced."""
        box: list[Any] = []

        def flat(*inputs: Tensor) -> tuple[Tensor, ...]:
            outputs: list[Tensor] = []
            box[:] = [flatten(self._function(*rebuild(skeleton, inputs)), outputs)]
            return tuple(outputs)

        return jit(flat), box
