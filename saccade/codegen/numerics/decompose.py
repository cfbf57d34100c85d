"""What the machine does not have, in terms of what it has.

`decompose(root)` rewrites a kernel once, sources first, so that afterwards

- functions of float32 and float64 are polynomials after range reduction (see `transcendental` and `double`);
- float16 is loaded, stored, chosen between and cast only: everything else on it happens in float32 and is
  rounded back;
- a runtime value is loaded from its word;
- no value is bfloat16 or float8: they are unsigned words, in memory too, decoded to float32 for every op and
  encoded after it (see `words`). A STORE keeps the dtype its words stand for, which a combining store has to
  know.

    ADD(bfloat16)(a, b)  ->  encode(ADD(float32)(decode(a), decode(b)))
    FOLD(float16)(body)  ->  CAST(float16)(FOLD(float32)(CAST(float32)(body)))
"""

from __future__ import annotations

from collections.abc import Callable

from ...graph import dtypes
from ...graph.constants import anything, is_anything
from ...graph.dtypes import DType
from ...graph.node import Node, make
from ...graph.ops import ELEMENTWISE, Op
from ...graph.value import loaded
from ...runtime.cpu.machine import host_registers
from .double import DOUBLE_FUNCTIONS
from .tabled import TABLED
from .transcendental import FUNCTIONS
from .words import WORDS, decode, encode, magnitude, negated, word_constant

#: Types whose arithmetic happens in float32.
NARROW = frozenset({dtypes.float16, *WORDS})
_FUNCTIONS_OF = {dtypes.float32: FUNCTIONS, dtypes.float64: DOUBLE_FUNCTIONS}


def decompose(root: Node) -> Node:
    """A kernel, or a value in kernel terms, with everything the device lacks replaced."""
    return root.rebuilt(_replacement)


def _replacement(node: Node, src: tuple[Node, ...]) -> Node:
    op, dtype = node.op, node.dtype
    if op in ELEMENTWISE:
        return _elementwise(node, src)
    if op is Op.FOLD or op is Op.PREFIX or op is Op.PROJECT:
        return _reduction(node, src)
    if op is Op.CONST and dtype in WORDS:
        return anything(WORDS[dtype]) if is_anything(node) else word_constant(node.arg, dtype)
    if op is Op.VALUE:
        return decompose(loaded(node, src[0]))
    carried = dtype if op is Op.STORE else WORDS.get(dtype, dtype)
    return node if src == node.src and carried is dtype else make(op, carried, src, node.arg)


def _elementwise(node: Node, src: tuple[Node, ...]) -> Node:
    op, dtype = node.op, node.dtype
    if op is Op.CAST:
        return _cast(src[0], node.src[0].dtype, dtype)
    if op is Op.WHERE or op is Op.BITCAST:
        carried = WORDS.get(dtype, dtype)
        if op is Op.BITCAST and src[0].dtype is carried:
            return src[0]
        return make(op, carried, src)
    if dtype not in NARROW and not any(s.dtype in NARROW for s in node.src):
        return _on_machine(node, src)
    if dtype in WORDS and op is Op.NEG:
        return negated(src[0])
    if dtype in WORDS and op is Op.ABS:
        return magnitude(src[0])
    wide = tuple([_widened(new, old.dtype) for new, old in zip(src, node.src, strict=True)])
    if dtype not in NARROW:
        return make(op, dtype, wide)
    rule = _function(op, dtypes.float32)
    return _narrowed(make(op, dtypes.float32, wide) if rule is None else rule(*wide), dtype)


def _on_machine(node: Node, src: tuple[Node, ...]) -> Node:
    rule = _function(node.op, node.dtype)
    if rule is not None:
        return rule(*src)
    return node.over(src)


def _function(op: Op, dtype: DType) -> Callable[..., Node] | None:
    """How a function is computed, if it is one of ours."""
    table = _FUNCTIONS_OF.get(dtype)
    if table is FUNCTIONS and op in TABLED and host_registers().picks:
        return TABLED[op]
    return table.get(op) if table is not None else None


def _cast(value: Node, source: DType, target: DType) -> Node:
    """Words are decoded first and encoded last; integers reach a narrow type by way of float32."""
    if source is target:
        return value
    if {source, target} == {dtypes.float16, dtypes.float64}:
        return value.cast(target)
    value = _widened(value, source)
    return _narrowed(value.cast(dtypes.float32), target) if target in NARROW else value.cast(target)


def _widened(value: Node, dtype: DType) -> Node:
    """A carried value of `dtype` as the machine computes with it."""
    if dtype in WORDS:
        return decode(value, dtype)
    return value.cast(dtypes.float32) if dtype is dtypes.float16 else value


def _narrowed(value: Node, dtype: DType) -> Node:
    """A computed value as `dtype` is carried."""
    return encode(value, dtype) if dtype in WORDS else value.cast(dtype)


def _reduction(node: Node, src: tuple[Node, ...]) -> Node:
    """Reductions of narrow values keep their accumulators in float32; their results are rounded."""
    if node.op is Op.PROJECT:
        if node.dtype in NARROW:
            return _narrowed(make(Op.PROJECT, dtypes.float32, src, node.arg), node.dtype)
        return node.over(src)
    if node.dtype not in NARROW:
        return node.over(src)
    body = _widened(src[0], node.src[0].dtype)
    folded = make(node.op, dtypes.float32, (body, *src[1:]), node.arg)
    return _narrowed(folded, node.dtype) if node.arg.width == 1 else folded
