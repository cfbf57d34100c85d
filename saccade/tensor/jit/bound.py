"""A jit function bound to its memory: the same arguments into the same results, again and again.

    first = step(state, given)                      # traced, results in memory of their own
    again = bind(step, (first, given), into=(old,)) # another call, whose results overwrite those of `old`
    again.run()                                     # reads what `first` and `given` hold now
    again.outputs                                   # the results, always the same tensors

`jit` makes new tensors at each call, which costs more than launching a few kernels. Where a state goes round
in a loop, its memory may go round too: two sets of tensors are enough, each computed from the other. Binding
is for callers that know who else holds these tensors; nothing protects them from being overwritten.

What the host sends and reads at each call can be part of it, so that neither costs a copy of its own:

    inbox = Inbox((3,), "float64", "cuda")
    again = bind(step, (first, inbox.tensor), into=(old,), inboxes=(inbox,), read=0)
    inbox.ready()
    inbox.array[:] = 1, 2, 3
    again.run()
    again.read()                                    # the first result on the host, good until the next run
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ...graph import dtypes
from ...runtime.call import Call, Calling
from ...runtime.call import Inbox as Mail
from ...runtime.device import Device
from ...runtime.executable import Executable
from ...runtime.memory.halves import storage_dtype
from ...runtime.watch.debug import run_watched, watching
from ..programs.realize import is_realized
from ..tensor import Tensor
from .function import JitFunction
from .plain import Plain
from .replay import COMPUTED, LEAF, Variant
from .trace import buffer_of


class Inbox:
    """A tensor whose value the host writes: `array` is the host's side of it. A call bound with it takes the
    value itself; before other uses of the tensor, `send`.
    """

    __slots__ = ("_buffer", "array", "mail", "tensor")

    def __init__(self, shape: tuple[int, ...], dtype: str, device: str | None = None) -> None:
        name = Device.canonical(device)
        runtime = Device[name]
        kind = storage_dtype(dtypes.by_name(dtype))
        self.tensor = Tensor.zeros(shape, dtype=dtype, device=name).contiguous().realize()
        self._buffer = buffer_of(self.tensor.node)
        self.mail: Mail | None = None
        if isinstance(runtime, Calling):
            self.mail = runtime.inbox(self._buffer.address, self._buffer.nbytes)
        if self.mail is not None:
            self.array: NDArray[Any] = self.mail.array.view(kind).reshape(shape)
        elif self._buffer.in_host_memory:
            self.array = self._buffer.numpy().reshape(shape)
        else:
            self.array = np.zeros(shape, kind)

    def ready(self) -> None:
        """Before writing `array`: waits, where calls made long ago have not taken yet what was written."""
        if self.mail is not None:
            self.mail.ready()

    def send(self) -> None:
        """Put what `array` holds where the tensor is, after all that is queued; never waits."""
        if not self._buffer.in_host_memory:
            self._buffer.copy_from(self.array.copy())


class Bound:
    """One call with all addresses known. `outputs` are the function's results, in order."""

    __slots__ = ("_addresses", "_call", "_executable", "_inboxes", "_keep", "_posted", "_ran", "_read",
                 "_runtime", "_view", "outputs")  # fmt: skip

    def __init__(
        self,
        executable: Executable,
        addresses: Sequence[int],
        keep: object,
        outputs: tuple[Tensor, ...],
        inboxes: Sequence[Inbox] = (),
        read: int | None = None,
    ) -> None:
        self._executable = executable
        self._addresses = list(addresses)
        self._keep = keep  # the arguments: their memory stays theirs while this exists
        self._runtime = Device[executable.device]
        self._inboxes = tuple(inboxes)
        self._read = read
        self._call: Call | None = None
        self._ran = False
        self._posted = False  # whether the last run put what is read where the host sees it
        self._view: NDArray[Any] | None = None
        self.outputs = outputs

    def run(self) -> None:
        """Compute the results from what the arguments hold now."""
        call = self._call
        if call is None and not watching.active:
            call = self._prepared()
        if call is None or watching.active:
            self._submit()
            return
        call.run()
        self._posted = True

    def _prepared(self) -> Call | None:
        """A call of its own pays if it costs nothing, or from the second time on."""
        runtime = self._runtime
        if isinstance(runtime, Calling) and (runtime.host_memory or self._ran):
            mail = [inbox.mail for inbox in self._inboxes if inbox.mail is not None]
            result = None
            if self._read is not None:
                buffer = buffer_of(self.outputs[self._read].node)
                result = (buffer.address, buffer.nbytes)
            self._call = runtime.call(self._executable.plan, self._addresses, mail, result)
        self._ran = True
        return self._call

    def _submit(self) -> None:
        for inbox in self._inboxes:
            inbox.send()
        if watching.active:
            run_watched(self._executable, self._addresses)
        else:
            self._runtime.queue.submit(self._executable.plan, self._addresses)
        self._posted = False

    def read(self) -> NDArray[Any]:
        """The result that is to be read, on the host, after waiting for it; the next run may overwrite it."""
        assert self._read is not None, "the call was bound without a result to read"
        tensor = self.outputs[self._read]
        if not self._posted or self._call is None:
            return tensor.numpy()
        found = self._call.read()
        if self._view is None:
            self._view = found.view(storage_dtype(tensor.dtype)).reshape(tensor.shape)
        return self._view


def bind(
    function: JitFunction[..., Any],
    leaves: Sequence[Tensor],
    into: Sequence[Tensor],
    inboxes: Sequence[Inbox] = (),
    read: int | None = None,
    overwrites: bool = False,
) -> Bound | None:
    """The most recent trace of `function`, which takes and returns plain tensors, as a call on `leaves` whose
    computed results take the memory of `into`, the results of an earlier call. None where this cannot be:
    arguments that are not computed yet or of other shapes, several parts, random numbers, captured tensors.

    `inboxes` are those among the leaves whose value the host writes; `read` is the number of the result that
    the host reads. overwrites: the function may write to leaves in place; the caller knows that nobody else
    has them, and that they are no views.
    """
    last = function._last
    if last is None or not all(is_realized(tensor.node) for tensor in (*leaves, *into)):
        return None
    key, variant = last
    if isinstance(variant, Plain):
        return None
    described = [part for t in leaves for part in (t.shape, t.dtype, t.device)]
    if list(key[1:]) != described or len(variant._stages) != 1 or len(into) != len(variant._outputs):
        return None
    if variant._writes and not (overwrites and _are_plain(variant, leaves)):
        return None
    if variant._generators or variant._captures or variant.recorder is not None:
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
            if old.shape != output.shape or buffer.dtype is not output.dtype:
                return None
            computed[output.of[1]] = buffer.address
            outputs.append(old)
        elif output.source == LEAF and leaves[output.of].shape == output.shape:
            outputs.append(leaves[output.of])
        else:
            return None
    if sorted(computed) != list(range(len(stage.results))) or set(computed.values()) & set(given):
        return None
    addresses += [computed[position] for position in range(len(stage.results))]
    return Bound(stage.executable, addresses, tuple(leaves), tuple(outputs), inboxes, read)


def _are_plain(variant: Variant, leaves: Sequence[Tensor]) -> bool:
    """Are all tensors that a trace writes to whole arguments, with memory of their own?"""
    for target, moves in variant._writes:
        if not isinstance(target, int) or moves:
            return False
        storage = leaves[target].storage
        if storage is not None and not (leaves[target]._is_whole() and storage.is_of(leaves[target])):
            return False  # it is a view, or another tensor is one of it
        buffer = buffer_of(leaves[target].node)
        if buffer.shared or not buffer.writable:
            return False
    return True
