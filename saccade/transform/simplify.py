"""Rules of the whole graph: what is constant is folded, what nobody reads goes, moves and casts go where they
cost least.

    sort(x) * 0  of integers               ->  0 everywhere, and nothing is sorted
    full(2.0, (1000,)).sum()               ->  2000.0
    cos(expand(x))                         ->  expand(cos(x)): once for each element of x, not of the result

In: results in tensor terms. Out: the same results, from fewer ops. The laws of elementwise ops are those of
scalars (`scalar_laws`), which are proved; the rules here are about shapes, and `tests/transform` tries each
of them on random graphs of its own pattern. Floats keep their bits, with one exception: a sum of equal
numbers is rounded once instead of after each addition.
"""

from __future__ import annotations

from collections.abc import Callable
from math import copysign, isfinite, prod

from ..graph.constants import constant_of, everywhere
from ..graph.dtypes import DType
from ..graph.monoid import Monoid
from ..graph.node import Node, Scalar, const, make
from ..graph.ops import ELEMENTWISE, MOVEMENT, Op
from ..graph.rewriting.passes import Roots, rewrite_pass
from ..graph.rewriting.pattern import Pattern, Rule, Rules, capture
from ..graph.rewriting.rewrite import rewritten
from .facts import Facts
from .networks import place_in_order
from .scalar_laws import by_scalar_laws
from .stores import below_reshapes
from .terms import expanded, full, permuted, reshaped

_RULES: list[Rule] = []

Replacement = Callable[..., Node | None]


def rule(law: str, pattern: Pattern) -> Callable[[Replacement], Replacement]:
    """The decorated function as the rule that this law states."""

    def add(function: Replacement) -> Replacement:
        _RULES.append(Rule(law, pattern, function))
        return function

    return add


@rewrite_pass("simplify")
def simplified(roots: Roots) -> Roots:
    """The same results from less work: constants folded, elementwise laws, moves and casts made fewer."""
    made = rewritten(roots, SIMPLIFICATIONS, Facts())
    return apart(made)


def apart(roots: Roots) -> Roots:
    """Each result is memory of its own, also one that turned out to be an input or another result."""
    seen: set[Node] = set()
    kept = []
    for number, root in enumerate(roots):
        if root in seen or below_reshapes(root).op in (Op.PARAM, Op.BUFFER):
            root = make(Op.CONTIGUOUS, root.dtype, (root,), f"result {number} is memory of its own")
        seen.add(root)
        kept.append(root)
    return tuple(kept)


# --- elementwise


@rule("f(x, y) -> what the laws of scalars make of it", Pattern(ELEMENTWISE, name="node"))
def scalar_laws(node: Node, context: Facts) -> Node | None:
    return by_scalar_laws(node, context)


@rule("x - x -> 0 where x is finite", Pattern(Op.SUB, (capture("x"), capture("x")), name="node"))
def difference_with_itself(node: Node, x: Node, context: Facts) -> Node | None:
    return full(0, node) if context.is_finite(x) else None


@rule(
    "x * 0 -> 0 where x is finite and not negative",
    Pattern(Op.MUL, (capture("x"), capture("zero")), name="node", commutative=True),
)
def product_with_zero(node: Node, x: Node, zero: Node, context: Facts) -> Node | None:
    constant = constant_of(zero)
    if constant is None or not node.dtype.is_float or not _is_zero(constant.arg):
        return None
    return full(0, node) if context.is_finite(x) and _never_negative(x, context) else None


def _is_zero(value: Scalar) -> bool:
    """0, and of floats not -0.0."""
    return value == 0 and copysign(1.0, value) > 0


def _never_negative(x: Node, facts: Facts) -> bool:
    """Has a float no sign, by the way it is made?"""
    while x.op in MOVEMENT:
        x = x.src[0]
    if x.op is Op.CAST and not x.src[0].dtype.is_float:
        return facts.interval(x.src[0])[0] >= 0
    return x.op is Op.ABS or x.op is Op.EXP or (x.op is Op.CONST and copysign(1.0, x.arg) > 0)


@rule(
    "f(expand(x), expand(y)) -> expand(f(x, y)) along axes that all of them were expanded along",
    Pattern(ELEMENTWISE, name="node"),
)
def before_expansion(node: Node) -> Node | None:
    """Computed once for what is the same everywhere."""
    moving = [s for s in node.src if constant_of(s) is None]
    if not moving or any(s.op is not Op.EXPAND for s in moving):
        return None
    shape = tuple(
        1 if n > 1 and all(s.src[0].shape[axis] == 1 for s in moving) else n
        for axis, n in enumerate(node.shape)
    )
    if shape == node.shape:
        return None
    sources = [
        expanded(s.src[0], shape) if (constant := constant_of(s)) is None else everywhere(constant, shape)
        for s in node.src
    ]
    return expanded(make(node.op, node.dtype, tuple(sources), node.arg), node.shape)


@rule("bits of x as its own type -> x", Pattern(Op.BITCAST, name="node"))
def marks_for_gradients(node: Node, context: Facts) -> Node | None:
    """A mark (a detached value, the first of equals, a custom gradient) means nothing to a kernel."""
    return node.src[0] if node.src[0].dtype is node.dtype else None


@rule("cast(cast(x)) -> cast(x) where the first loses nothing", Pattern(Op.CAST, name="node"))
def cast_of_cast(node: Node) -> Node | None:
    inner = node.src[0]
    if inner.op is not Op.CAST:
        return None
    source, between, dtype = inner.src[0].dtype, inner.dtype, node.dtype
    if not holds_all(between, source):
        return None
    # an integer that does not fit wraps, but a float that does not is anything
    if between.is_float and not source.is_float and not dtype.is_float and not holds_all(dtype, source):
        return None
    return inner.src[0].cast(dtype)


def holds_all(wide: DType, narrow: DType) -> bool:
    """Is every value of `narrow` a value of `wide`?"""
    if wide is narrow:
        return True
    if narrow.is_float:
        more = wide.exponent_bits >= narrow.exponent_bits and wide.mantissa_bits >= narrow.mantissa_bits
        # 8-bit floats have no infinity where others have one, so a larger range says nothing of them
        return wide.is_float and more and narrow.bits >= 16
    if wide.is_float:
        return narrow.is_bool or (narrow.bits <= wide.mantissa_bits + 1 and wide.bits >= 32)
    if wide.is_bool:
        return False
    return wide.min <= narrow.min and narrow.max <= wide.max


# --- movement


@rule("move(c) -> c in another shape", Pattern(MOVEMENT, name="node"))
def constant_moved(node: Node) -> Node | None:
    constant = constant_of(node.src[0])
    if constant is None or (node.op is Op.PAD and not _is_zero(constant.arg)):
        return None
    made = everywhere(constant, node.shape)
    return None if made is node else made


@rule("move(x) -> x where nothing moves; move(move(x)) -> move(x)", Pattern(MOVEMENT, name="node"))
def moved_twice(node: Node) -> Node | None:
    source = node.src[0]
    if node.shape == source.shape and node.op in (Op.RESHAPE, Op.EXPAND):
        return source
    if node.op is Op.PERMUTE and node.arg == tuple(range(len(node.arg))):
        return source
    if node.op is Op.SLICE and node.shape == source.shape and all(step == 1 for _, _, step in node.arg):
        return source
    if source.op is not node.op:
        return None
    inner = source.src[0]
    if node.op is Op.RESHAPE:
        return reshaped(inner, node.shape)
    if node.op is Op.EXPAND:
        return expanded(inner, node.shape)
    if node.op is Op.PERMUTE:
        return permuted(inner, tuple([source.arg[axis] for axis in node.arg]))
    if node.op is Op.SLICE:
        slices = [
            (first + start * by, length, step * by)
            for (start, length, step), (first, _, by) in zip(node.arg, source.arg, strict=True)
        ]
        return make(Op.SLICE, node.dtype, (inner,), tuple(slices))
    return None


@rule("slice(pad(x)) -> slice(x), or 0, where it does not cross an edge", Pattern(Op.SLICE, name="node"))
def slice_of_padding(node: Node) -> Node | None:
    padded = node.src[0]
    if padded.op is not Op.PAD or not node.size or any(isinstance(start, Node) for start, _, _ in node.arg):
        return None
    source = padded.src[0]
    slices, inside = [], True
    for (start, length, step), (before, _), n in zip(node.arg, padded.arg, source.shape, strict=True):
        first, last = start - before, start - before + (length - 1) * step
        low, high = min(first, last), max(first, last)
        if high < 0 or low >= n:
            return full(0, node)
        inside = inside and low >= 0 and high < n
        slices.append((first, length, step))
    return make(Op.SLICE, node.dtype, (source,), tuple(slices)) if inside else None


# --- reductions


@rule("reduce(c) -> c combined n times", Pattern(Op.REDUCE, name="node"))
def constant_reduced(node: Node) -> Node | None:
    monoid: Monoid = node.arg[0]
    if len(node.src) > 1 or not node.src[0].size:
        return None
    constant = constant_of(node.src[0])
    if constant is None:
        return None
    count = node.src[0].size // node.size
    if monoid.kind in ("argmax", "argmin"):
        return full(0, node)
    value = _repeated(monoid.kind, constant.arg, count, node.dtype)
    return None if value is None else everywhere(const(value, node.dtype), node.shape)


def _repeated(kind: str, value: Scalar, count: int, dtype: DType) -> Scalar | None:
    """A number combined with itself so many times; None where floats would have to be rounded as they go."""
    if kind in ("max", "min"):
        return value
    if kind == "add":
        return float(value) * count if dtype.is_float else int(value) * count
    if kind != "mul":
        return None
    if dtype.is_float:
        return value if value in (0, 1) and isfinite(value) else None
    return pow(int(value), count, 1 << dtype.bits)


@rule("reduce(x) over axes of one element -> x in another shape", Pattern(Op.REDUCE, name="node"))
def nothing_reduced(node: Node) -> Node | None:
    source, (monoid, axes) = node.src[0], node.arg
    if len(node.src) > 1 or monoid.elements != 1 or prod(source.shape[a] for a in axes) != 1:
        return None
    return reshaped(source, node.shape) if node.dtype is source.dtype else None


@rule(
    "reduce(expand(x)) -> x, or n * x, along the axes it was expanded along", Pattern(Op.REDUCE, name="node")
)
def expansion_reduced(node: Node) -> Node | None:
    source, (monoid, axes) = node.src[0], node.arg
    if len(node.src) > 1 or source.op is not Op.EXPAND or not source.size or node.dtype is not source.dtype:
        return None
    inner = source.src[0]
    repeated = [a for a in axes if inner.shape[a] == 1 and source.shape[a] > 1]
    if not repeated or monoid.kind not in ("max", "min", "add"):
        return None
    shape = tuple(1 if a in repeated else n for a, n in enumerate(source.shape))
    rest = make(Op.REDUCE, node.dtype, (expanded(inner, shape),), node.arg)
    if monoid.kind != "add":
        return rest
    count = prod(source.shape[a] for a in repeated)
    exact = not node.dtype.is_float or count < 1 << node.dtype.mantissa_bits
    return rest.alu(Op.MUL, full(count, rest)) if exact else None


# --- gathers


@rule("gather(c, i) -> c, or 0 where i is outside", Pattern(Op.GATHER, name="node"))
def constant_gathered(node: Node, context: Facts) -> Node | None:
    source, index = node.src
    constant = constant_of(source)
    if constant is None:
        return None
    n = source.shape[node.arg]
    low, high = context.interval(index)
    value = everywhere(constant, node.shape)
    if _is_zero(constant.arg) or (low >= 0 and high < n):
        return value
    inside = full(0, index).alu(Op.LE, index).alu(Op.AND, index.alu(Op.LT, full(n, index)))
    return inside.alu(Op.WHERE, value, full(0, node))


@rule("gather(x, c) -> expand(slice(x))", Pattern(Op.GATHER, name="node"))
def gathered_from_one_place(node: Node) -> Node | None:
    source, index = node.src
    constant = constant_of(index)
    axis = node.arg
    if constant is None or not 0 <= constant.arg < source.shape[axis]:
        return None
    slices = [(0, n, 1) for n in index.shape]
    slices[axis] = (int(constant.arg), 1, 1)
    return expanded(make(Op.SLICE, node.dtype, (source,), tuple(slices)), index.shape)


@rule("gather(x, 0, 1, 2 ...) -> slice(x)", Pattern(Op.GATHER, name="node"))
def gathered_in_order(node: Node) -> Node | None:
    source, index = node.src
    axis = node.arg
    line = index.src[0] if index.op is Op.EXPAND else index
    wanted = tuple(n if a == axis else 1 for a, n in enumerate(index.shape))
    below = line.src[0] if line.op is Op.RESHAPE else line
    if below.op is not Op.IOTA or line.shape != wanted or index.shape[axis] > source.shape[axis]:
        return None
    return make(Op.SLICE, node.dtype, (source,), tuple([(0, n, 1) for n in index.shape]))


# --- sorts and stores


@rule("sort(c) -> c; running max(c) -> c", Pattern(frozenset({Op.SORT, Op.TOPK, Op.SCAN}), name="node"))
def constant_in_order(node: Node) -> Node | None:
    constant = constant_of(node.src[0])
    if constant is None or node.dtype is not node.src[0].dtype:
        return None
    kept = node.arg[0].kind in ("max", "min") if node.op is Op.SCAN else node.arg[-1] == "values"
    return everywhere(constant, node.shape) if kept else None


@rule(
    "slice(sort(x)) of one place -> exchanges of slices(x), if rows are short", Pattern(Op.SLICE, name="node")
)
def place_of_short_rows(node: Node) -> Node | None:
    return place_in_order(node)


@rule(
    "contiguous(x) -> x of memory and of what is contiguous, also with reshapes between them",
    Pattern(Op.CONTIGUOUS, arg=None, name="node"),
)
def stored_twice(node: Node) -> Node | None:
    below = below_reshapes(node.src[0])
    stored = below.op is Op.CONTIGUOUS or (below.op is Op.PARAM and below.arg.rows is None)
    return node.src[0] if stored else None


SIMPLIFICATIONS = Rules(_RULES)
