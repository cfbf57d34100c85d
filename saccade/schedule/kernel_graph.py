"""Kernels and the memory between them: what a schedule is.

    made = schedule((out,), inputs=2)
    made.items[0].writes[0].readers             # kernels and buffers point at each other
    print(made)

    2 kernels, 3 inputs, 1 output, 262.1 kB between them
    kernel         reads     writes  bytes    FLOP    why
    0 add_256x256  in0 in1   mid0    786.4 k  33.6 M  needed 256 times per element by 1 kernel(s), ...
    1 add_256x256  mid0 in2  out0    786.4 k  33.6 M  asked for
    buffer  of              bytes    made by  read by  where
    in0     float32[65536]  262.1 k           0        slot 0
    ...
    mid0    float32[65536]  262.1 k  0        1        arena 0, alive 0 to 1

A buffer is an input, an output, or between kernels. Inputs and outputs have slots, numbered inputs first;
what is between kernels has a place in one arena, which the memory plan (`memory.py`) gives it. Two graphs
are equal if they have the same kernels over the same memory, whatever the reasons; `difference` says what is
not. `to_data` is plain data for JSON, `from_data` reads it back.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import asdict, dataclass, field, replace
from functools import cached_property
from typing import Any, Final

from ..codegen.moves.analysis import bytes_moved, floating_operations, kernel_name
from ..graph import dtypes
from ..graph.dtypes import DType
from ..graph.kernels.kernel import Kernel, combines
from ..graph.kernels.text import difference, kernel_from, text_of
from ..graph.node import Node
from ..graph.ops import Op
from ..graph.origin import origin_of
from ..runtime.program import ARENA as ARENA
from ..runtime.watch.debug import size_text
from .joining.rematerialise import Copy
from .memory import Lifetime, arena_offsets

INPUT, OUTPUT, BETWEEN = "input", "output", "between"
_PREFIX: Final = {INPUT: "in", OUTPUT: "out", BETWEEN: "mid"}


@dataclass(eq=False)
class GraphBuffer:
    """Memory of `size` elements: who writes it, who reads it, and where it is (`slot`, byte `offset`)."""

    role: str
    number: int  # among those of its role
    dtype: DType
    size: int
    slot: int = ARENA
    offset: int = 0
    line: str = ""  # of the user's program, where that is known (`graph.origin`)
    backward: bool = False  # whether it holds part of a gradient
    again: bool = False  # whether it is made a second time (`schedule.joining.rematerialise`)
    writers: list[Item] = field(default_factory=list)
    readers: list[Item] = field(default_factory=list)

    def __repr__(self) -> str:
        return f"{self.name}:{self.dtype.name}[{self.size}]"

    @property
    def name(self) -> str:
        return f"{_PREFIX[self.role]}{self.number}"

    @property
    def nbytes(self) -> int:
        return self.size * self.dtype.itemsize

    @property
    def maker(self) -> Item | None:
        """The kernel that writes it first; None for an input."""
        return self.writers[0] if self.writers else None

    @property
    def first(self) -> int:
        """The number of the first kernel that touches it."""
        return min(item.number for item in (*self.writers[:1], *self.readers[:1]))

    @property
    def last(self) -> int:
        """The number of the last kernel that touches it."""
        return max(item.number for item in (*self.writers[-1:], *self.readers[-1:]))

    @property
    def place(self) -> tuple[int, int]:
        return (self.slot, self.offset)

    @property
    def facts(self) -> tuple[Any, ...]:
        """All that two buffers have in common if they are the same."""
        return (self.role, self.number, self.dtype, self.size, self.slot, self.offset)


@dataclass(eq=False)
class Item:
    """A kernel in its place: the buffers its parameters are."""

    number: int
    kernel: Kernel
    buffers: tuple[GraphBuffer, ...]

    def __repr__(self) -> str:
        return f"{self.number}:{self.name}({', '.join(b.name for b in self.buffers)})"

    @property
    def params(self) -> tuple[tuple[int, int], ...]:
        """Where its parameters are: (slot, byte offset) each."""
        places = [buffer.place for buffer in self.buffers]
        places[0] = (places[0][0], places[0][1] + self.kernel.start)
        return tuple(places)

    @property
    def writes(self) -> tuple[GraphBuffer, ...]:
        return tuple(self.buffers[slot] for slot in self.kernel.outputs)

    @property
    def reads(self) -> tuple[GraphBuffer, ...]:
        return tuple(self.buffers[slot] for slot in _read_slots(self.kernel))

    @property
    def name(self) -> str:
        return kernel_name(self.kernel)

    @property
    def reason(self) -> str:
        return self.kernel.reason or "asked for"

    @cached_property
    def nbytes(self) -> int:
        """The least it can move: every buffer it touches once."""
        return bytes_moved(self.kernel)

    @cached_property
    def operations(self) -> int:
        """Floating-point operations."""
        return floating_operations(self.kernel)


def _read_slots(kernel: Kernel) -> list[int]:
    """The parameters a kernel reads: those it does not write, and those it loads from or combines with."""
    read = set(range(len(kernel.params))) - set(kernel.outputs)
    for node in kernel.nodes:
        if combines(node) or (node.op is Op.LOAD and node.src[0].op is Op.PARAM):
            read.add(node.src[0].arg.slot)
    return sorted(read)


@dataclass(frozen=True)
class Parts:
    """How a graph was cut (`schedule.parts`): the first kernel of each part, how many of the parts differ,
    and why it was not scheduled as one."""

    starts: tuple[int, ...]
    distinct: int
    why: str

    def __str__(self) -> str:
        return f"in {len(self.starts)} parts, {self.distinct} of them distinct: {self.why}"


class KernelGraph:
    """Kernels in an order that respects who reads what, and their buffers: inputs, outputs, those between.

    `inputs` counts the slots before the outputs; `outputs` are the results in tensor terms, as they were
    scheduled (none of a graph that was read from data); `arena` is the bytes between kernels; `parts` says
    how a large graph was cut."""

    parts: Parts | None = None

    def __init__(
        self,
        items: Sequence[Item],
        buffers: Sequence[GraphBuffer],
        inputs: int,
        arena: int,
        outputs: tuple[Node, ...] = (),
    ) -> None:
        self.items = tuple(items)
        self.buffers = tuple(sorted(buffers, key=lambda b: (list(_PREFIX).index(b.role), b.number)))
        self.inputs, self.arena, self.outputs = inputs, arena, outputs
        for item in self.items:
            for buffer in item.writes:
                buffer.writers.append(item)
            for buffer in item.reads:
                buffer.readers.append(item)

    def of_role(self, role: str) -> list[GraphBuffer]:
        return [buffer for buffer in self.buffers if buffer.role == role]

    @property
    def written(self) -> tuple[int, ...]:
        """The inputs that are written to, by their slots."""
        return tuple(buffer.slot for buffer in self.of_role(INPUT) if buffer.writers)

    @property
    def nbytes(self) -> int:
        """Bytes moved to and from memory, all kernels together."""
        return sum(item.nbytes for item in self.items)

    @property
    def operations(self) -> int:
        return sum(item.operations for item in self.items)

    # --- comparing

    def _facts(self) -> tuple[Any, ...]:
        numbers = {buffer: number for number, buffer in enumerate(self.buffers)}
        items = [(item.kernel, tuple(numbers[b] for b in item.buffers)) for item in self.items]
        return (self.inputs, self.arena, [b.facts for b in self.buffers], items)

    def __eq__(self, other: object) -> bool:
        return isinstance(other, KernelGraph) and self._facts() == other._facts()

    __hash__ = None  # type: ignore[assignment]

    def difference(self, other: KernelGraph) -> str:
        """What is different in another graph, a line each; "" if nothing is."""
        told = [
            f"{what}: {before} -> {after}"
            for what, before, after in (
                ("kernels", len(self.items), len(other.items)),
                ("inputs", self.inputs, other.inputs),
                ("bytes between kernels", self.arena, other.arena),
            )
            if before != after
        ]
        for before, after in paired([i.kernel for i in self.items], [i.kernel for i in other.items]):
            if before is None and after is not None:
                told.append(f"{kernel_name(after)} appeared")
            elif before is not None and after is None:
                told.append(f"{kernel_name(before)} vanished")
            elif before is not None and after is not None:
                told.append(f"{kernel_name(before)} changed: {difference(before, after)}")
        others = {buffer.name: buffer for buffer in other.buffers}
        for one in self.buffers:
            another = others.get(one.name, one)
            if one.facts != another.facts:
                told.append(f"{one!r} at {one.place} -> {another!r} at {another.place}")
        if not told and self != other:
            told.append("the same kernels, on other memory or in another order")
        return "\n".join(told)

    # --- for people

    def __str__(self) -> str:
        counts = {"kernel": len(self.items), "input": self.inputs, "output": len(self.of_role(OUTPUT))}
        words = [f"{count} {word}{'' if count == 1 else 's'}" for word, count in counts.items()]
        head = [f"{', '.join(words)}, {size_text(self.arena)}B between them"]
        head += [] if self.parts is None else [str(self.parts)]
        return "\n".join([*head, *_columns(self._kernel_rows()), *_columns(self._buffer_rows())])

    def _kernel_rows(self) -> list[list[str]]:
        rows = [["kernel", "reads", "writes", "bytes", "FLOP", "why"]]
        for item in self.items:
            touched = [" ".join(b.name for b in some) for some in (item.reads, item.writes)]
            sizes = [size_text(n).strip() for n in (item.nbytes, item.operations)]
            rows.append([f"{item.number} {item.name}", *touched, *sizes, item.reason])
        return rows

    def _buffer_rows(self) -> list[list[str]]:
        rows = [["buffer", "of", "bytes", "made by", "read by", "where"]]
        for buffer in self.buffers:
            of, nbytes = f"{buffer.dtype.name}[{buffer.size}]", size_text(buffer.nbytes).strip()
            users = [" ".join(str(i.number) for i in some) for some in (buffer.writers, buffer.readers)]
            where = f"slot {buffer.slot}"
            if buffer.slot == ARENA:
                where = f"arena {buffer.offset}, alive {buffer.first} to {buffer.last}"
            rows.append([buffer.name, of, nbytes, *users, where])
        return rows

    # --- as data

    def to_data(self) -> dict[str, Any]:
        """All of it as what JSON knows; kernels with their text (`graph.kernels.text`)."""
        return {
            "inputs": self.inputs,
            "arena": self.arena,
            "parts": None if self.parts is None else asdict(self.parts),
            "kernels": [
                {
                    "name": item.name,
                    "reason": item.reason,
                    "buffers": [b.name for b in item.buffers],
                    "reads": [b.name for b in item.reads],
                    "writes": [b.name for b in item.writes],
                    "bytes": item.nbytes,
                    "flops": item.operations,
                    "text": text_of(item.kernel),
                    "start": item.kernel.start,
                }
                for item in self.items
            ],
            "buffers": [
                {
                    "name": b.name,
                    "role": b.role,
                    "number": b.number,
                    "dtype": b.dtype.name,
                    "size": b.size,
                    "bytes": b.nbytes,
                    "slot": b.slot,
                    "offset": b.offset,
                    "writers": [item.number for item in b.writers],
                    "readers": [item.number for item in b.readers],
                }
                for b in self.buffers
            ],
        }

    @staticmethod
    def from_data(data: dict[str, Any]) -> KernelGraph:
        """The graph, or ValueError for data that is none."""
        try:
            buffers = {given["name"]: _buffer(given) for given in data["buffers"]}
            items = [
                Item(number, _kernel(given), tuple(buffers[name] for name in given["buffers"]))
                for number, given in enumerate(data["kernels"])
            ]
            inputs, arena = int(data["inputs"]), int(data["arena"])
            cut = data.get("parts")
            parts = cut and Parts(tuple(cut["starts"]), int(cut["distinct"]), str(cut["why"]))
        except (KeyError, TypeError) as error:
            raise ValueError(f"not the data of a kernel graph: {error!r}") from None
        for item in items:
            have = tuple((b.dtype, b.size) for b in item.buffers)
            first, *rest = zip(have, item.kernel.params, strict=False)
            part = item.kernel.start or first[0][1] > first[1][1]  # it writes a part of its first
            if (
                len(have) != len(item.kernel.params)
                or any(a != b for a, b in rest)
                or first[0][0] is not first[1][0]
                or (first[0] != first[1] and not part)
            ):
                raise ValueError(f"kernel {item.number} takes {item.kernel.params}, not {have}")
        made = KernelGraph(items, list(buffers.values()), inputs, arena)
        made.parts = parts
        return made


def _kernel(given: dict[str, Any]) -> Kernel:
    return replace(kernel_from(given["text"]), start=int(given.get("start", 0)))


def _buffer(given: dict[str, Any]) -> GraphBuffer:
    if given["role"] not in _PREFIX:
        raise ValueError(f"a buffer is {', '.join(_PREFIX)}; not {given['role']!r}")
    dtype = dtypes.by_name(given["dtype"])
    return GraphBuffer(given["role"], given["number"], dtype, given["size"], given["slot"], given["offset"])


def _columns(rows: list[list[str]]) -> list[str]:
    """Rows of equally wide columns."""
    widths = [max(map(len, column)) for column in zip(*rows, strict=True)]
    return [
        "  ".join(cell.ljust(width) for cell, width in zip(row, widths, strict=True)).rstrip() for row in rows
    ]


def paired(before: list[Kernel], after: list[Kernel]) -> list[tuple[Kernel | None, Kernel | None]]:
    """Kernels that only one of two lists has, those of the same name side by side."""
    come = [kernel for kernel in after if kernel not in before]
    found: list[tuple[Kernel | None, Kernel | None]] = []
    for kernel in before:
        if kernel in after:
            continue
        other = next((k for k in come if kernel_name(k) == kernel_name(kernel)), None)
        if other is not None:
            come.remove(other)
        found.append((kernel, other))
    return found + [(None, kernel) for kernel in come]


# --- from kernels


def kernel_graph(
    kernels: Sequence[tuple[Kernel, tuple[Node, ...]]], outputs: tuple[Node, ...], inputs: int
) -> KernelGraph:
    """The graph of kernels over tensor nodes: PARAMs are inputs, `outputs` results, all others between."""
    buffers: dict[Node, GraphBuffer] = {}
    for number, node in enumerate(outputs):
        of = (OUTPUT, number, node.dtype, node.size, inputs + number)
        buffers[node] = GraphBuffer(*of, **origin_of(node)._asdict())
    between = 0
    for node in (memory for _, memories in kernels for memory in memories):
        if node.op is Op.PARAM:
            buffers.setdefault(node, GraphBuffer(INPUT, node.arg.slot, node.dtype, node.size, node.arg.slot))
        elif node not in buffers:
            of = (BETWEEN, between, node.dtype, node.size, ARENA)
            buffers[node] = GraphBuffer(*of, **origin_of(node)._asdict(), again=isinstance(node.arg, Copy))
            between += 1
    items = [Item(n, kernel, tuple(buffers[m] for m in some)) for n, (kernel, some) in enumerate(kernels)]
    made = KernelGraph(items, list(buffers.values()), inputs, 0, outputs)
    made.arena = _place(made.of_role(BETWEEN))
    return made


def _place(between: list[GraphBuffer]) -> int:
    """Give every buffer its place in the arena, whose size this returns."""
    offsets, arena = arena_offsets([Lifetime(b.nbytes, b.first, b.last) for b in between])
    for buffer, offset in zip(between, offsets, strict=True):
        buffer.offset = offset
    return arena
