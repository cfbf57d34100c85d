"""Large values between kernels in the memory of what they are made of: a map in place.

    slope = softmax(logits) - one_hot        logits[i] is read for slope[i] alone, and by nobody later:
                                             slope lies where logits lay, and the peak is a matrix less

In: kernels in order. Out: the same, where a value is called as the one it replaces if that is safe (as in
`donate.py`: a kernel reads the old value, if at all, where it stores the new one), nobody reads the old one
later, and both have the same type and size, of 1 MiB at least. The logits of a language model and their
slopes are the largest values of its training: of GPT-2, 16 x 1,024 x 50,304, 1.65 GB each.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator

from ..graph.kernels.kernel import Kernel
from ..graph.node import Node
from ..graph.ops import Op
from ..graph.rewriting.passes import rewrite_pass
from .donate import cut, reads_its_own, renamed
from .joining.order import Entry, Placed
from .joining.rematerialise import nbytes_of

#: bytes that are worth it: a map that vectors do not divide becomes two kernels
LEAST_BYTES = 1 << 20


@rewrite_pass("reuse memory in place")
def reused(
    kernels: list[Placed],
    roots: frozenset[Node],
    whole: int = 0,
    loses: Callable[[Kernel], bool] | None = None,
) -> list[Placed]:
    """The kernels with values in the memory of others; `roots`, `whole` and `loses` as in `donated`."""
    entries = [Entry(placed) for placed in kernels]
    uses: dict[Node, list[int]] = {}
    for number, entry in enumerate(entries):
        for memory in entry.touches:
            if memory.op is not Op.PARAM and memory not in roots and nbytes_of(memory) >= LEAST_BYTES:
                uses.setdefault(memory, []).append(number)
    names: dict[Node, Node] = {}
    for number, entry in enumerate(entries):
        for value, replaced in _pairs(entry, number, uses, whole):
            if loses is None or not loses(entry.kernel):
                names[value] = names.get(replaced, replaced)
    if not names:
        return kernels
    made = [(renamed(placed, names), any(m in names for m in placed[1])) for placed in kernels]
    return [part for placed, changed in made for part in (cut(placed, whole) if changed else [placed])]


def _pairs(entry: Entry, number: int, uses: dict[Node, list[int]], whole: int) -> Iterator[tuple[Node, Node]]:
    """Values that a kernel makes, each with one that it is the last to read and that it may overwrite."""
    old = [m for m in entry.memories if m in uses and uses[m][-1] == number and m not in entry.writes]
    for value in entry.memories:
        if value not in entry.writes or value not in uses or uses[value][0] != number:
            continue
        for replaced in old:
            alike = replaced.dtype is value.dtype and replaced.size == value.size
            if alike and reads_its_own(entry, replaced, value, whole):
                yield value, replaced
                old.remove(replaced)
                break
