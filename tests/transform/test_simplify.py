"""Rules of the whole graph: each on random graphs of its own pattern, and what is gained by them."""

from __future__ import annotations

from collections.abc import Callable
from math import prod

import numpy as np
import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from saccade import Tensor
from saccade.fuzz.programs.reference import evaluate
from saccade.graph import dtypes
from saccade.graph.dtypes import DType
from saccade.graph.kernels.kernel import param
from saccade.graph.node import Node, const, make, walk
from saccade.graph.ops import Op
from saccade.graph.rewriting.passes import Watch, watch
from saccade.graph.rewriting.pattern import Rule
from saccade.transform.simplify import SIMPLIFICATIONS, holds_all, simplified
from saccade.transform.terms import everywhere, expanded, full, reshaped

Draw = st.DataObject
SIZES = st.sampled_from([1, 1, 2, 3, 5])
SHAPES = st.lists(SIZES, min_size=1, max_size=3).map(tuple)
DTYPES = st.sampled_from(
    [dtypes.float32, dtypes.float16, dtypes.int32, dtypes.int8, dtypes.uint8, dtypes.bool_]
)
NUMBERS = st.sampled_from([0, 1, 2, -1, 3, 100])


def leaf(shape: tuple[int, ...], dtype: DType, slot: int = 0) -> Node:
    return reshaped(param(slot, dtype, prod(shape)), shape)


def number(data: Draw, dtype: DType) -> Node:
    return const(data.draw(NUMBERS), dtype)


def a_constant(data: Draw, shape: tuple[int, ...]) -> Node:
    return everywhere(number(data, data.draw(DTYPES)), shape)


def of_scalars(data: Draw) -> Node:
    shape, dtype = data.draw(SHAPES), data.draw(st.sampled_from([dtypes.int32, dtypes.int8, dtypes.float32]))
    x = leaf(shape, dtype)
    op = data.draw(st.sampled_from([Op.ADD, Op.SUB, Op.MUL, Op.MAX, Op.MIN]))
    other = x if data.draw(st.booleans()) else everywhere(number(data, dtype), shape)
    return x.alu(op, other).alu(data.draw(st.sampled_from([Op.ADD, Op.MUL, Op.MAX])), other)


def minus_itself(data: Draw) -> Node:
    x = leaf(data.draw(SHAPES), dtypes.int32).cast(dtypes.float32).alu(Op.SIN)
    return x - x


def times_zero(data: Draw) -> Node:
    x = leaf(data.draw(SHAPES), dtypes.uint8).cast(dtypes.float32)
    return x.alu(Op.MUL, full(0, x))


def on_expansions(data: Draw) -> Node:
    shape = data.draw(st.lists(st.sampled_from([2, 3]), min_size=2, max_size=3).map(tuple))
    small = [
        tuple(1 if a == 0 or data.draw(st.booleans()) else n for a, n in enumerate(shape)) for _ in range(2)
    ]
    x, y = (expanded(leaf(s, dtypes.float32, slot), shape) for slot, s in enumerate(small))
    return x.alu(data.draw(st.sampled_from([Op.ADD, Op.MUL])), y)


def marked(data: Draw) -> Node:
    x = leaf(data.draw(SHAPES), dtypes.float32)
    return make(Op.BITCAST, data.draw(st.sampled_from([x.dtype, dtypes.int32])), (x,), "a mark")


def cast_twice(data: Draw) -> Node:
    x = leaf(data.draw(SHAPES), data.draw(DTYPES))
    every = st.sampled_from([d for d in dtypes.ALL if d.bits >= 16 or not d.is_float])
    # half of the time a dtype in between that loses nothing
    wide = st.sampled_from([d for d in dtypes.ALL if holds_all(d, x.dtype)])
    return make(Op.CAST, data.draw(every), (make(Op.CAST, data.draw(st.one_of(wide, every)), (x,)),))


def move(data: Draw, x: Node) -> Node:
    op = data.draw(st.sampled_from([Op.RESHAPE, Op.PERMUTE, Op.EXPAND, Op.PAD, Op.SLICE]))
    shape = x.shape
    if op is Op.RESHAPE:
        return make(op, x.dtype, (x,), data.draw(st.sampled_from([(x.size,), (1, *shape), (*shape, 1)])))
    if op is Op.PERMUTE:
        return make(op, x.dtype, (x,), tuple(data.draw(st.permutations(range(len(shape))))))
    if op is Op.EXPAND:
        return make(
            op, x.dtype, (x,), tuple(data.draw(st.sampled_from([1, 4])) if n == 1 else n for n in shape)
        )
    if op is Op.PAD:
        return make(
            op,
            x.dtype,
            (x,),
            tuple((data.draw(st.integers(0, 2)), data.draw(st.integers(0, 2))) for _ in shape),
        )
    return make(op, x.dtype, (x,), tuple(a_slice(data, n) for n in shape))


def a_slice(data: Draw, n: int) -> tuple[int, int, int]:
    start = data.draw(st.integers(0, n - 1))
    step = data.draw(st.sampled_from([1, 1, 2, -1]))
    most = (n - 1 - start) // step + 1 if step > 0 else start + 1
    return (start, data.draw(st.integers(1, most)), step)


def constant_moves(data: Draw) -> Node:
    return move(data, a_constant(data, data.draw(SHAPES)))


def moves_twice(data: Draw) -> Node:
    return move(data, move(data, leaf(data.draw(SHAPES), dtypes.int32)))


def slices_padding(data: Draw) -> Node:
    x = leaf(data.draw(SHAPES), dtypes.int32)
    padded = make(Op.PAD, x.dtype, (x,), tuple((data.draw(st.integers(0, 3)), 2) for _ in x.shape))
    return make(Op.SLICE, x.dtype, (padded,), tuple(a_slice(data, n) for n in padded.shape))


def a_reduction(data: Draw, x: Node) -> Node:
    name = data.draw(st.sampled_from(["sum", "amax", "amin", "prod", "argmax"]))
    assume(not (x.dtype.is_bool and name in ("amax", "amin", "argmax")))
    tensor = Tensor._of(x)
    axis = data.draw(st.integers(0, x.shape and len(x.shape) - 1))
    node: Node = getattr(tensor, name)(axis).node
    return node


def reduces_a_constant(data: Draw) -> Node:
    return a_reduction(data, a_constant(data, data.draw(SHAPES)))


def reduces_nothing(data: Draw) -> Node:
    shape = (*data.draw(SHAPES), 1)
    return Tensor._of(leaf(shape, data.draw(DTYPES))).sum(-1).node


def reduces_an_expansion(data: Draw) -> Node:
    x = leaf((*data.draw(SHAPES), 1), data.draw(st.sampled_from([dtypes.float32, dtypes.int64])))
    return a_reduction(data, expanded(x, (*x.shape[:-1], data.draw(st.sampled_from([3, 4])))))


def gathers_a_constant(data: Draw) -> Node:
    shape = data.draw(SHAPES)
    source = everywhere(number(data, dtypes.float32), shape)
    return make(
        Op.GATHER,
        source.dtype,
        (source, leaf(shape, dtypes.int64)),
        data.draw(st.integers(0, len(shape) - 1)),
    )


def gathers_one_place(data: Draw) -> Node:
    shape = data.draw(SHAPES)
    index = everywhere(const(data.draw(st.integers(-1, 5)), dtypes.int64), shape)
    return make(
        Op.GATHER,
        dtypes.float32,
        (leaf(shape, dtypes.float32), index),
        data.draw(st.integers(0, len(shape) - 1)),
    )


def gathers_in_order(data: Draw) -> Node:
    shape = data.draw(SHAPES)
    axis = data.draw(st.integers(0, len(shape) - 1))
    count = data.draw(st.integers(1, shape[axis] + 1))
    line = reshaped(
        make(Op.IOTA, dtypes.int64, (), count), tuple(count if a == axis else 1 for a in range(len(shape)))
    )
    index = expanded(line, tuple(count if a == axis else n for a, n in enumerate(shape)))
    return make(Op.GATHER, dtypes.float32, (leaf(shape, dtypes.float32), index), axis)


def orders_a_constant(data: Draw) -> Node:
    x = Tensor._of(a_constant(data, data.draw(SHAPES)))
    assume(not x.dtype.is_bool)
    made = data.draw(st.sampled_from(["sort", "topk", "cummax"]))
    if made == "cummax":
        return x.cummax(0)[0].node
    return (x.sort(-1)[0] if made == "sort" else x.topk(1)[0]).node


def takes_a_place_in_order(data: Draw) -> Node:
    dtype = data.draw(st.sampled_from([dtypes.float32, dtypes.int32, dtypes.uint8]))
    x = Tensor._of(leaf(data.draw(SHAPES), dtype))
    axis = data.draw(st.integers(0, x.ndim - 1))
    made = x.sort(axis, descending=data.draw(st.booleans()))[data.draw(st.integers(0, 1))].node
    slices = [a_slice(data, n) for n in made.shape]
    slices[axis] = (data.draw(st.integers(0, made.shape[axis] - 1)), 1, data.draw(st.sampled_from([1, -1])))
    return make(Op.SLICE, made.dtype, (made,), tuple(slices))


def stores_twice(data: Draw) -> Node:
    x = leaf(data.draw(SHAPES), dtypes.float32)
    stored = make(Op.CONTIGUOUS, x.dtype, (-x,)) if data.draw(st.booleans()) else x
    below = reshaped(stored, (x.size,)) if data.draw(st.booleans()) else stored
    return make(Op.CONTIGUOUS, x.dtype, (below,))


#: by the function of each rule, graphs that are its pattern
PATTERNS: dict[str, Callable[[Draw], Node]] = {
    "marks_for_gradients": marked,
    "scalar_laws": of_scalars,
    "difference_with_itself": minus_itself,
    "product_with_zero": times_zero,
    "before_expansion": on_expansions,
    "cast_of_cast": cast_twice,
    "constant_moved": constant_moves,
    "moved_twice": moves_twice,
    "slice_of_padding": slices_padding,
    "constant_reduced": reduces_a_constant,
    "nothing_reduced": reduces_nothing,
    "expansion_reduced": reduces_an_expansion,
    "constant_gathered": gathers_a_constant,
    "gathered_from_one_place": gathers_one_place,
    "gathered_in_order": gathers_in_order,
    "constant_in_order": orders_a_constant,
    "place_of_short_rows": takes_a_place_in_order,
    "stored_twice": stores_twice,
}


def name_of(rule: Rule) -> str:
    return rule.replacement.__name__


def values_of(root: Node, seed: int) -> tuple[np.ndarray, np.ndarray]:
    rng = np.random.default_rng(seed)
    params = sorted((n for n in walk((root,)) if n.op is Op.PARAM), key=lambda n: n.arg.slot)
    slots = max((n.arg.slot for n in params), default=-1) + 1
    arrays = [np.zeros(1, np.float32)] * slots
    for n in params:
        values = rng.integers(
            0 if n.dtype.is_bool or n.dtype.is_unsigned else -4, 2 if n.dtype.is_bool else 5, n.arg.size
        )
        arrays[n.arg.slot] = values.astype(n.dtype.name)
    (found,) = evaluate([root], arrays)
    return found.value, found.radius


@pytest.mark.parametrize("rule", list(SIMPLIFICATIONS), ids=name_of)
def test_a_rule_keeps_every_value_of_its_pattern(rule: Rule) -> None:
    fired = 0

    @given(data=st.data(), seed=st.integers(0, 99))
    def holds(data: Draw, seed: int) -> None:
        nonlocal fired
        root = PATTERNS[name_of(rule)](data)
        with watch(Watch(verify=True)) as seen:
            (new,) = simplified((root,))
        fired += any(step.rule == rule.law for run in seen.passes for step in run.steps)
        assert (new.shape, new.dtype) == (root.shape, root.dtype)
        (before, near), (after, radius) = values_of(root, seed), values_of(new, seed)
        same = (before == after) | (np.isnan(before.astype(float)) & np.isnan(after.astype(float)))
        with np.errstate(invalid="ignore"):
            same |= np.abs(before.astype(float) - after.astype(float)) <= near + radius
        assert (same | np.isinf(near)).all()

    holds()
    assert fired, "the patterns never met the rule"


def ops_after(tensor: Tensor) -> set[Op]:
    return {n.op for n in walk(simplified((tensor.node,)))}


def test_nothing_is_sorted_to_be_multiplied_by_zero(rng: np.random.Generator) -> None:
    x = Tensor(rng.integers(-9, 9, (5, 7)))
    zero = x.sort(1)[0] * 0
    assert ops_after(zero) <= {Op.CONST, Op.RESHAPE, Op.EXPAND}
    np.testing.assert_array_equal(zero.numpy(), np.zeros((5, 7), np.int64))


def test_nan_and_infinity_stay(rng: np.random.Generator) -> None:
    x = Tensor(np.array([np.nan, np.inf, -2.0, 0.0], np.float32))
    np.testing.assert_array_equal((x * 0).numpy(), np.array([np.nan, np.nan, -0.0, 0.0], np.float32))
    assert np.signbit((x * 0).numpy()[2])
    np.testing.assert_array_equal((x - x).numpy(), np.array([np.nan, np.nan, 0, 0], np.float32))


def test_a_sum_of_constants_is_a_constant() -> None:
    assert ops_after(Tensor.full((1000, 3), 2.0).sum()) <= {Op.CONST, Op.RESHAPE, Op.EXPAND}
    assert Tensor.full((1000, 3), 2.0).sum().item() == 6000.0


def test_a_condition_that_intervals_decide_is_no_choice(rng: np.random.Generator) -> None:
    x = Tensor(rng.standard_normal(10).astype(np.float32))
    chosen = x.where(Tensor.arange(10) < 10, x.exp().cumsum(0))
    assert Op.SCAN not in ops_after(chosen)
    np.testing.assert_array_equal(chosen.numpy(), x.numpy())


def test_what_is_the_same_along_an_axis_is_computed_once(rng: np.random.Generator) -> None:
    x = Tensor(rng.standard_normal((1, 6)).astype(np.float32))
    (root,) = simplified((x.expand(50, 6).cos().node,))
    assert root.op is Op.EXPAND
    assert root.src[0].size == 6


def test_results_that_turn_out_the_same_are_memory_of_their_own(rng: np.random.Generator) -> None:
    x = Tensor(rng.standard_normal(6).astype(np.float32))
    one, two, three = x * 1, x / 1, x.reshape(6)
    one.realize(two, three)
    np.testing.assert_array_equal(one.numpy(), x.numpy())
    np.testing.assert_array_equal(two.numpy(), x.numpy())
    assert one.numpy().ctypes.data != two.numpy().ctypes.data != x.numpy().ctypes.data
