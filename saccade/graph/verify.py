"""The verifier: what a graph must be after each stage, checked node by node.

    >>> verify(tensor.node, "tensor")
    >>> verify(kernel.sink, "kernel", loops=kernel.order)

After `tensor` (and every transform) a graph holds values with shapes: operands of an elementwise op agree
in shape and dtype, movement fits what it moves. After `schedule` a kernel is SINK of STOREs over scalars:
no shapes, memory is only touched by LOAD and STORE, and a range that a FOLD or a STAGE loops over is not
seen outside it. A graph that breaks a rule raises `VerificationError`, which names the node and its
sources.
"""

from __future__ import annotations

from collections.abc import Callable, Collection
from math import prod

from . import dtypes
from .constants import is_anything
from .node import Node, own_ranges
from .ops import BINARY, COMPARE, COMPUTED, ELEMENTWISE, MOVEMENT, PARTS, TRANSCENDENTAL, UNARY, Op
from .rules.bounds import bounds

_LEAVES = frozenset({Op.BUFFER, Op.PARAM, Op.CONST, Op.VALUE, Op.IOTA})
_COLLECTIVE = frozenset(
    {Op.REDUCE, Op.SCAN, Op.TOPK, Op.GATHER, Op.SCATTER, Op.SORT, Op.CAT, Op.CONTIGUOUS, Op.COPY}
)
_STORES = frozenset({Op.UPDATE, Op.ASSIGN})
_KERNEL = frozenset(
    {
        Op.PARAM, Op.CONST, Op.VALUE, Op.RANGE, Op.LOAD, Op.STORE, Op.FOLD, Op.PREFIX, Op.PROJECT, Op.STAGE,
        Op.SINK,
    }
)  # fmt: skip
#: which ops may appear after each stage
STAGES: dict[str, frozenset[Op]] = {
    "tensor": _LEAVES | MOVEMENT | _COLLECTIVE | _STORES | ELEMENTWISE | PARTS,
    "kernel": _KERNEL | COMPUTED,
}


class VerificationError(ValueError):
    """A graph that is not what its stage promises."""


def verify(root: Node, stage: str, loops: Collection[Node] | None = None) -> None:
    """Raise unless the graph is well formed; `loops` are the ranges a kernel's stores may run over. Nodes
    never change, so what was found well formed for this stage is not looked at again."""
    if stage not in STAGES:
        raise ValueError(f"unknown stage {stage!r}: use one of {', '.join(STAGES)}")
    allowed = STAGES[stage]
    for node in root.toposort(lambda n: getattr(n, "_verified", None) != stage):
        if node.op not in allowed:
            raise VerificationError(
                f"{node.op.name} may not appear after the stage {stage!r}: {describe(node)}"
            )
        if node.op in ELEMENTWISE:
            _check_elementwise(node)
            if stage == "tensor":
                _require(len({s.shape for s in node.src}) == 1, node, "operands differ in shape")
        check = _CHECKS.get(node.op)
        if check is not None:
            check(node)
        if stage == "kernel":
            _check_values(node)
            if node is root:
                _check_ranges(root)
        node._verified = stage  # and so are its sources, which came before it
    if stage == "kernel":
        _require(root.op is Op.SINK, root, "a kernel is a SINK")
        for free in root.ranges.difference(root.ranges if loops is None else loops):
            raise VerificationError(f"{describe(free)} is used but is no loop of the kernel")


def describe(node: Node) -> str:
    """A node with its sources, one level deep."""
    sources = ", ".join(f"{s.op.name}:{s.dtype.name}{_shape(s)}" for s in node.src)
    return f"{node.op.name}:{node.dtype.name}{_shape(node)}(arg={node.arg!r}; {sources})"


def _shape(node: Node) -> str:
    return f"{list(node.shape)}" if node.op in STAGES["tensor"] and node.shape else ""


def _require(holds: bool, node: Node, complaint: str) -> None:
    if not holds:
        raise VerificationError(f"{complaint}: {describe(node)}")


# --- elementwise, in both stages

_FLOATS_ONLY = TRANSCENDENTAL | {Op.SQRT, Op.RECIP, Op.DIV, Op.ISNAN, Op.FMA}
_INTEGERS_ONLY = frozenset({Op.IDIV, Op.TDIV, Op.IPOW, Op.SHL, Op.SHR})
_NOT_FLOATS = frozenset({Op.NOT, Op.AND, Op.OR, Op.XOR})


def _check_elementwise(node: Node) -> None:
    op, sources = node.op, node.src
    arity = 1 if op in UNARY else 2 if op in BINARY else 3
    _require(len(sources) == arity, node, f"{op.name} takes {arity} operands")
    values = sources
    if op is Op.WHERE:
        _require(sources[0].dtype.is_bool, node, "the condition is not a bool")
        values = sources[1:]
    _require(len({s.dtype for s in values}) == 1, node, "operands differ in dtype")
    operand = values[0].dtype
    if op in _FLOATS_ONLY:
        _require(operand.is_float, node, f"{op.name} is for floats")
    elif op in _INTEGERS_ONLY:
        _require(operand.is_int, node, f"{op.name} is for integers")
    elif op in _NOT_FLOATS:
        _require(not operand.is_float, node, f"{op.name} is for integers and bools")
    if op is Op.BITCAST:
        _require(operand.bits == node.dtype.bits, node, "a bitcast keeps the width")
    elif op is not Op.CAST:
        _require(
            node.dtype is (dtypes.bool_ if op in COMPARE else operand), node, "wrong dtype of the result"
        )


def _check_const(node: Node) -> None:
    dtype, kind = node.dtype, type(node.arg)
    expected = float if dtype.is_float else bool if dtype.is_bool else int
    _require(
        kind is expected or is_anything(node),
        node,
        f"a constant of {dtype.name} is a Python {expected.__name__}",
    )
    if dtype.is_int:
        _require(dtype.min <= node.arg <= dtype.max, node, f"the constant does not fit {dtype.name}")


# --- tensor terms


def _check_reshape(node: Node) -> None:
    _require(prod(node.arg) == node.src[0].size, node, f"cannot reshape {node.src[0].shape} to {node.arg}")


def _check_permute(node: Node) -> None:
    rank = len(node.src[0].shape)
    _require(sorted(node.arg) == list(range(rank)), node, f"{node.arg} does not permute {rank} axes")


def _check_expand(node: Node) -> None:
    shape = node.src[0].shape
    fits = len(shape) == len(node.arg) and all(a in (1, b) for a, b in zip(shape, node.arg, strict=True))
    _require(fits, node, f"cannot expand {shape} to {node.arg}")


def _check_pad(node: Node) -> None:
    _require(len(node.arg) == len(node.src[0].shape), node, "padding is given for another number of axes")
    _require(all(before >= 0 and after >= 0 for before, after in node.arg), node, "padding is negative")


def _check_update(node: Node) -> None:
    base, part = node.src
    _require(part.dtype is base.dtype, node, "the part has another dtype")
    _require(part.shape == tuple(n for _, n, _ in node.arg), node, "the part has another shape")
    _check_slice(node)


def _check_assign(node: Node) -> None:
    value, *target = node.src
    _require(all(t.op in (Op.BUFFER, Op.PARAM) for t in target), node, "only memory can be assigned to")
    fits = all(t.size == value.size and t.dtype is value.dtype for t in target)
    _require(fits, node, "the value does not fit the memory")


def _check_slice(node: Node) -> None:
    shape = node.src[0].shape
    _require(len(node.arg) == len(shape), node, "slices are given for another number of axes")
    for n, (start, length, step) in zip(shape, node.arg, strict=True):
        low, high = bounds(start) if isinstance(start, Node) else (start, start)
        ends = (low, high, low + (length - 1) * step, high + (length - 1) * step)
        inside = length == 0 or (min(ends) >= 0 and max(ends) < n)
        _require(inside and length >= 0, node, f"the slice {(start, length, step)} leaves its axis of {n}")


def _check_window(node: Node) -> None:
    axis, count, size, stride, dilation = node.arg
    n = node.src[0].shape[axis]
    last = (count - 1) * stride + (size - 1) * dilation
    _require(count == 0 or size == 0 or last < n, node, f"the last window ends at {last} on an axis of {n}")


def _check_axes(node: Node) -> None:
    op, arg, rank = node.op, node.arg, len(node.src[0].shape)
    axes = {Op.REDUCE: 1, Op.SCAN: 1, Op.TOPK: 1, Op.SORT: 0, Op.SCATTER: 0}
    found = arg if op is Op.GATHER else arg[axes[op]]
    for axis in found if isinstance(found, tuple) else (found,):
        _require(0 <= axis < rank, node, f"axis {axis} of {rank}")


def _check_first(node: Node) -> None:
    """A top-k or a sort, whose first few are wanted: so many at most as there are."""
    _check_axes(node)
    k, axis = (node.arg[0], node.arg[1]) if node.op is Op.TOPK else (node.arg[2], node.arg[0])
    length = node.src[0].shape[axis]
    _require(k <= length, node, f"the first {k} of {length}")


def _check_indexed(node: Node) -> None:
    _check_axes(node)
    x, index = node.src[0], node.src[1]
    _require(index.dtype.is_int, node, "the index is not an integer")
    _require(len(x.shape) == len(index.shape), node, "the index has another number of axes")
    if node.op is Op.SCATTER:
        _require(node.src[2].dtype is x.dtype, node, "updates have another dtype")
        _require(node.src[2].shape == index.shape, node, "updates have another shape than the index")


def _check_cat(node: Node) -> None:
    axis, rank = node.arg, len(node.src[0].shape)
    _require(0 <= axis < rank, node, f"axis {axis} of {rank}")
    others = {(s.dtype, *s.shape[:axis], None, *s.shape[axis + 1 :]) for s in node.src}
    _require(len(others) == 1, node, "parts differ in dtype, or in the size of another axis")


# --- kernel terms


def _check_range(node: Node) -> None:
    _require(len(node.src) == 1 and node.src[0].dtype.is_int, node, "a range has one integer size")


def _check_load(node: Node) -> None:
    _require(len(node.src) in (2, 3), node, "a load has memory, an index and perhaps a mask")
    _check_access(node, node.src[2:])


def _check_store(node: Node) -> None:
    _require(len(node.src) in (3, 4), node, "a store has memory, an index, a value and perhaps a mask")
    _require(node.src[2].dtype is node.src[0].dtype, node, "the value has another dtype than the memory")
    _require(node.src[0].op is Op.PARAM, node, "only a PARAM can be stored to")
    _check_access(node, node.src[3:])


def _check_access(node: Node, mask: tuple[Node, ...]) -> None:
    memory, index = node.src[:2]
    _require(memory.op in (Op.PARAM, Op.STAGE), node, "memory is a PARAM or a STAGE")
    _require(node.dtype is memory.dtype, node, "the dtype is not that of the memory")
    _require(index.dtype is dtypes.index, node, f"the index is not {dtypes.index.name}")
    _require(all(m.dtype.is_bool for m in mask), node, "the mask is not a bool")


def _check_value(node: Node) -> None:
    words = node.src[0] if node.src else node
    _require(not node.src or words.op is Op.PARAM, node, "a runtime value is read from a PARAM")
    _require(not node.src or words.dtype is dtypes.int64, node, "the words of runtime values are int64")
    _require(0 <= node.arg.number < node.arg.memory.size, node, f"there are {node.arg.memory.size} words")


def _check_fold(node: Node) -> None:
    bodies = node.arg.elements
    ranges = node.src[bodies:]
    _require(len(ranges) >= 1, node, f"a {node.arg} takes {bodies} values and at least one range")
    _require(all(r.op is Op.RANGE for r in ranges), node, "what is looped over is not a range")
    _require(node.op is Op.FOLD or len(ranges) == 1, node, "a running reduction goes along one range")
    _require(node.dtype is node.src[0].dtype, node, "the dtype is not that of the values")


def _check_project(node: Node) -> None:
    source = node.src[0] if node.src else node
    _require(source.op in (Op.FOLD, Op.PREFIX), node, "only a reduction has components")
    _require(0 <= node.arg < source.arg.width, node, f"a {source.arg} has {source.arg.width} components")
    first = source.src[0 if node.arg < source.arg.k else 1]
    _require(node.dtype is first.dtype, node, "the dtype is not that of the component")


def _check_stage(node: Node) -> None:
    _require(len(node.src) >= 2, node, "a tile has a value and an index")
    _require(node.src[1].dtype is dtypes.index, node, f"the index is not {dtypes.index.name}")
    _require(all(r.op is Op.RANGE for r in own_ranges(node)), node, "what is looped over is not a range")
    _require(node.dtype is node.src[0].dtype, node, "the dtype is not that of the value")


def _check_sink(node: Node) -> None:
    _require(bool(node.src), node, "a kernel stores something")
    _require(all(s.op is Op.STORE for s in node.src), node, "a kernel is made of stores")


def _check_values(node: Node) -> None:
    """What a node of a kernel computes with are values."""
    if node.op is Op.STORE or node.op is Op.SINK:
        return
    _require(all(s.op not in (Op.STORE, Op.SINK) for s in node.src), node, "a store has no value")
    if node.op is not Op.LOAD and node.op is not Op.VALUE:
        _require(all(s.op not in (Op.PARAM, Op.STAGE) for s in node.src), node, "memory is read by LOAD")


def _check_ranges(root: Node) -> None:
    """Ranges stay where they belong."""
    owners = {r: n for n in root.toposort() if n.op in (Op.FOLD, Op.STAGE) for r in own_ranges(n)}
    for free in root.ranges:
        if free in owners:
            raise VerificationError(
                f"{describe(free)} is used outside of {describe(owners[free])}, which loops over it"
            )


_CHECKS: dict[Op, Callable[[Node], None]] = {
    Op.CONST: _check_const,
    Op.RESHAPE: _check_reshape,
    Op.PERMUTE: _check_permute,
    Op.EXPAND: _check_expand,
    Op.PAD: _check_pad,
    Op.SLICE: _check_slice,
    Op.WINDOW: _check_window,
    Op.REDUCE: _check_axes,
    Op.SCAN: _check_axes,
    Op.TOPK: _check_first,
    Op.SORT: _check_first,
    Op.GATHER: _check_indexed,
    Op.SCATTER: _check_indexed,
    Op.UPDATE: _check_update,
    Op.ASSIGN: _check_assign,
    Op.VALUE: _check_value,
    Op.CAT: _check_cat,
    Op.RANGE: _check_range,
    Op.LOAD: _check_load,
    Op.STORE: _check_store,
    Op.FOLD: _check_fold,
    Op.PREFIX: _check_fold,
    Op.PROJECT: _check_project,
    Op.STAGE: _check_stage,
    Op.SINK: _check_sink,
}
