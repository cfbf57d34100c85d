"""A jit function bound to its memory: the same arguments into the same results, again and again.

    first = step(state, given)                      # traced, results in memory of their own
    again = bind(step, (first, given), into=(old,)) # another call, whose results overwrite those of `old`
    again.run()                                     # reads what `first` and `given` hold now
    again.outputs                                   # the results, always the same tensors

`jit` makes new tensors at each call, which costs more than launching a few kernels. Where a state goes round
in a loop, its memory may go round too: two sets of tensors are enough, each computed from the other. Binding
is for callers that know who else holds these tensors; nothing protects them from being overwritten.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from ..runtime.debug import run_watched, watching
from ..runtime.device import Device
from ..runtime.recipe import Executable
from .jit import JitFunction
from .realize import is_realized
from .replay import COMPUTED, LEAF
from .tensor import Tensor
from .trace import buffer_of


class Bound:
    """One call with all addresses known. `outputs` are the function's results, in order."""

    __slots__ = ("_addresses", "_executable", "_keep", "_runtime", "outputs")

    def __init__(
        self, executable: Executable, addresses: Sequence[int], keep: object, outputs: tuple[Tensor, ...]
    ) -> None:
        self._executable = executable
        self._addresses = list(addresses)
        self._keep = keep  # the arguments: their memory stays theirs while this exists
        self._runtime = Device[executable.device]
        self.outputs = outputs

    def run(self) -> None:
        """Compute the results from what the arguments hold now."""
        if watching.active:
            run_watched(self._executable, self._addresses)
        else:
            self._runtime.queue.submit(self._executable.plan, self._addresses)


def bind(function: JitFunction[..., Any], leaves: Sequence[Tensor], into: Sequence[Tensor]) -> Bound | None:
    """The most recent trace of `function`, which takes and returns plain tensors, as a call on `leaves` whose
    computed results take the memory of `into`, the results of an earlier call. None where this cannot be:
    arguments that are not computed yet or of other shapes, several parts, random numbers, captured tensors.
    """
    last = function._last
    if last is None or not all(is_realized(tensor.node) for tensor in (*leaves, *into)):
        return None
    key, variant = last
    described = [part for t in leaves for part in (t.shape, t.dtype, t.device)]
    if list(key[1:]) != described or len(variant._stages) != 1 or len(into) != len(variant._outputs):
        return None
    if variant._updates or variant._generators or variant._captures:
        return None
    (stage,) = variant._stages
    given = [buffer_of(leaf.node).address for leaf in leaves]
    addresses = stage.bound[0].copy()
    for slot, number in stage.leaves:
        addresses[slot] = given[number]
    computed: dict[int, int] = {}
    outputs: list[Tensor] = []
    for output, old in zip(variant._outputs, into, strict=True):
        if output.source == COMPUTED:
            buffer = buffer_of(old.node)
            if old.shape != output.node.shape or buffer.dtype is not output.node.dtype:
                return None
            computed[output.of[1]] = buffer.address
            outputs.append(old)
        elif output.source == LEAF and leaves[output.of].shape == output.node.shape:
            outputs.append(leaves[output.of])
        else:
            return None
    if sorted(computed) != list(range(len(stage.results))) or set(computed.values()) & set(given):
        return None
    addresses += [computed[position] for position in range(len(stage.results))]
    return Bound(stage.executable, addresses, tuple(leaves), tuple(outputs))
