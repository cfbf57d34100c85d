"""The types a GPU computes with: narrow floats in float32, index arithmetic in 32 bits where it fits.

    ADD(bfloat16)(a, b)   ->  CAST(bfloat16)(ADD(float32)(CAST(float32)(a), CAST(float32)(b)))
    FOLD(float16)(body)   ->  CAST(float16)(FOLD(float32)(CAST(float32)(body)))     rounded once, at the end
    ADD(int64)(i, j)      ->  ADD(int32)(i, j)          where the intervals of i, j and the sum fit 32 bits
    IDIV(int64)(i, 7)     ->  an unsigned 32-bit division, where i is never negative
    x[row * 64 + i]       ->  x[int32(row) * 64 + i]    a place in memory is its own remainder of 2**32

Functions such as exp stay as they are: the GPU's own are as accurate as ours and faster.
"""

from __future__ import annotations

from typing import Final

from ...graph import dtypes
from ...graph.dtypes import DType
from ...graph.node import Node, const, make
from ...graph.ops import COMPARE, ELEMENTWISE, Op
from ...graph.rules.bounds import bounds, fits
from ...graph.value import loaded

#: Types without arithmetic of their own here.
NARROW: Final = frozenset({dtypes.float16, dtypes.bfloat16, dtypes.float8_e4m3, dtypes.float8_e5m2})
#: What can be done to the bits as they are.
_ON_BITS: Final = frozenset({Op.CAST, Op.BITCAST, Op.WHERE})
_ARITHMETIC: Final = frozenset(
    {Op.ADD, Op.SUB, Op.MUL, Op.NEG, Op.MAX, Op.MIN, Op.WHERE, Op.IDIV, Op.MOD, Op.TDIV, Op.ABS}
)
#: operations whose low bits depend on those of their operands alone; a choice has its condition besides
_MODULAR: Final = frozenset({Op.ADD, Op.SUB, Op.MUL, Op.NEG, Op.WHERE})
#: elements of a buffer whose places fit 32 bits
SHORT_PLACES: Final = 1 << 31


def gpu_types(sink: Node) -> Node:
    """The kernel with both rewrites."""
    return narrow_integers(widen_floats(sink))


def widen_floats(sink: Node) -> Node:
    """Arithmetic and reductions on narrow floats happen in float32 and are rounded back."""
    return sink.rebuilt(_widened)


def _widened(node: Node, src: tuple[Node, ...]) -> Node:
    op, dtype = node.op, node.dtype
    if op is Op.VALUE and dtype is not dtypes.int64:
        return widen_floats(loaded(node, src[0]))
    plain = node.over(src)
    if op in ELEMENTWISE and op not in _ON_BITS:
        if dtype not in NARROW and not any(s.dtype in NARROW for s in src):
            return plain
        wide = tuple([_wide(s) if s.dtype in NARROW else s for s in src])
        if dtype not in NARROW:
            return make(op, dtype, wide, node.arg)
        return make(op, dtypes.float32, wide, node.arg).cast(dtype)
    if op is Op.CAST:
        return _cast(src[0], dtype)
    if op is Op.PROJECT and dtype in NARROW:
        return make(op, dtypes.float32, src, node.arg).cast(dtype)
    if (op is Op.FOLD or op is Op.PREFIX) and dtype in NARROW:
        folded = make(op, dtypes.float32, (src[0].cast(dtypes.float32), *src[1:]), node.arg)
        return folded.cast(dtype) if node.arg.width == 1 else folded
    return plain


def _wide(value: Node) -> Node:
    """A narrow float in float32, without a detour where a half holds eight bits, which it does exactly."""
    if value.op is Op.CAST and value.dtype.bits == 16 and value.src[0].op is Op.CAST:
        exact = value.src[0]
        if exact.dtype is dtypes.float32 and exact.src[0].dtype.bits == 8:
            return exact
    return value.cast(dtypes.float32)


def _cast(value: Node, dtype: DType) -> Node:
    """Casts from or to a narrow type go by way of float32."""
    if value.dtype in NARROW or dtype in NARROW:
        return (_wide(value) if value.dtype in NARROW else value.cast(dtypes.float32)).cast(dtype)
    return value.cast(dtype)


def narrow_integers(sink: Node) -> Node:
    """int64 arithmetic in 32 bits where every value on the way fits."""
    return sink.rebuilt(_narrowed)


def _small(node: Node) -> bool:
    return node.dtype is dtypes.int64 and fits(*bounds(node), dtypes.int32)


def _narrowed(node: Node, src: tuple[Node, ...]) -> Node:
    op = node.op
    if op is Op.CONST or op is Op.PARAM:
        return node
    if op is Op.VALUE:  # of int64, whose interval the ops above have seen
        return loaded(node, src[0])
    if op is Op.RANGE:
        if _small(node):
            return make(op, dtypes.int32, (_to(src[0], dtypes.int32),), node.arg)
        return make(op, node.dtype, (_to(src[0], dtypes.int64),), node.arg)
    if _small(node) and op in _ARITHMETIC and all(_small(s) or s.dtype is not dtypes.int64 for s in node.src):
        return _small_arithmetic(node, src)
    if op is Op.CAST and node.dtype is dtypes.int64 and src[0].dtype is dtypes.int32:
        return src[0]  # a widening nobody may need; whoever does asks for it
    if op in COMPARE and node.src[0].dtype is dtypes.int64 and all(_small(s) for s in node.src):
        return make(op, node.dtype, tuple([_to(s, dtypes.int32) for s in src]), node.arg)
    if op is Op.LOAD or op is Op.STORE:
        # an index has the width it has or needs; what is stored has the type of the memory
        value = () if op is Op.LOAD else (_to(src[2], node.src[2].dtype),)
        place = _low_word(src[1]) if _has_short_places(src[0]) else src[1]
        return make(op, node.dtype, (src[0], place, *value, *src[2 + len(value) :]), node.arg)
    if op is Op.CAST:
        return src[0].cast(node.dtype)
    if op is Op.FOLD or op is Op.PREFIX or op is Op.STAGE:
        kept = tuple([s if n.op is Op.RANGE or (op is Op.STAGE and i == 1) else _to(s, n.dtype)
                      for i, (s, n) in enumerate(zip(src, node.src, strict=True))])  # fmt: skip
        return make(op, node.dtype, kept, node.arg)
    exact = tuple([_to(s, n.dtype) for s, n in zip(src, node.src, strict=True)])
    return node.over(exact)


def _has_short_places(memory: Node) -> bool:
    """Do the places in a memory fit 32 bits, whatever they are worked out from?"""
    return memory.op is Op.PARAM and memory.arg.size <= SHORT_PLACES


def _low_word(index: Node) -> Node:
    """The low 32 bits of an index, from the low 32 bits of what it is made of: rows that are looked up are
    int64, and sums of both widths hide what lies side by side."""
    done: dict[Node, Node] = {}
    for node in index.toposort(_keeps_low_words):
        src = tuple([done[s] if s in done else _low_leaf(s) for s in node.src])
        done[node] = make(node.op, dtypes.int32, src, node.arg)
    return done.get(index, index)


def _low_leaf(value: Node) -> Node:
    """The same of what is no such sum; conditions stay as they are."""
    if value.dtype is not dtypes.int64:
        return value
    if value.op is Op.CONST:
        return const((value.arg + (1 << 31)) % (1 << 32) - (1 << 31), dtypes.int32)
    widened = value.op is Op.CAST and value.src[0].dtype is dtypes.int32
    return value.src[0] if widened else value.cast(dtypes.int32)


def _keeps_low_words(node: Node) -> bool:
    return node.op in _MODULAR and node.dtype is dtypes.int64


def _small_arithmetic(node: Node, src: tuple[Node, ...]) -> Node:
    args = tuple(
        [_to(s, dtypes.int32) if n.dtype is dtypes.int64 else s for s, n in zip(src, node.src, strict=True)]
    )
    divides = node.op is Op.IDIV or node.op is Op.MOD
    if divides and bounds(node.src[0])[0] >= 0 and args[1].op is Op.CONST and args[1].arg > 0:
        unsigned = make(
            node.op, dtypes.uint32, (args[0].cast(dtypes.uint32), const(args[1].arg, dtypes.uint32))
        )
        return unsigned.cast(dtypes.int32)
    return make(node.op, dtypes.int32, args, node.arg)


def _to(node: Node, dtype: DType) -> Node:
    if node.dtype is dtype or (node.dtype is dtypes.bool_ and dtype is dtypes.bool_):
        return node
    return const(node.arg, dtype) if node.op is Op.CONST else node.cast(dtype)
