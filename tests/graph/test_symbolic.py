"""Symbolic arithmetic: simplifying never changes a value, and finds the forms that scheduling relies on."""

from __future__ import annotations

from random import Random

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from saccade.graph import dtypes
from saccade.graph.kernels.kernel import fold, load, loop, param, sink, store
from saccade.graph.monoid import ADD, MAX
from saccade.graph.node import Node, const, index_const, make
from saccade.graph.ops import Op
from saccade.graph.rules.simplifier import SYMBOLIC_RULES, family_of
from saccade.graph.rules.symbolic import affine, bounds, coefficient_of, simplify, simplify_with
from tests.graph.evaluate import LOOPS, data, evaluate, random_bool, random_integer, random_point, retype

randoms = st.integers(0, 2**64 - 1).map(Random)
F32 = dtypes.float32
R0, R1, R2, K = loop(0, 8), loop(1, 56), loop(2, 56), loop(3, 3)
TRUE, FALSE = const(True, dtypes.bool_), const(False, dtypes.bool_)


def random_node(random: Random, depth: int) -> Node:
    return random_bool(random, depth) if random.randrange(2) else random_integer(random, depth)


@settings(max_examples=1500)
@given(randoms, st.integers(1, 4))
def test_simplify_keeps_the_value_and_bounds_hold(random: Random, depth: int) -> None:
    node = random_node(random, depth)
    simple = simplify(node)
    low, high = bounds(node)
    for _ in range(8):
        point = random_point(random)
        value = evaluate(node, point)
        assert evaluate(simple, point) == value
        assert low <= value <= high
    assert simplify(simple) is simple


@settings(max_examples=600)
@given(randoms, st.integers(1, 3), st.sampled_from((dtypes.int32, dtypes.int8, dtypes.uint8, dtypes.uint32)))
def test_other_integers_wrap_as_they_do(random: Random, depth: int, dtype: dtypes.DType) -> None:
    node = retype(random_node(random, depth), dtype)
    simple = simplify(node)
    low, high = bounds(node)
    for _ in range(8):
        point = random_point(random)
        value = evaluate(node, point)
        assert evaluate(simple, point) == value
        assert low <= value <= high


@settings(max_examples=500)
@given(randoms, st.integers(1, 3))
def test_simplify_with_keeps_the_value_where_the_mask_holds(random: Random, depth: int) -> None:
    node, valid = random_integer(random, depth), random_bool(random, 2)
    simple = simplify_with(node, valid)
    for _ in range(12):
        point = random_point(random)
        if evaluate(valid, point):
            assert evaluate(simple, point) == evaluate(node, point)


@settings(max_examples=300)
@given(randoms, st.integers(1, 3))
def test_affine_is_the_value(random: Random, depth: int) -> None:
    node = random_integer(random, depth)
    terms, constant = affine(node)
    wrapped = sum((term * coefficient for term, coefficient in terms.items()), index_const(constant))
    point = random_point(random)
    assert evaluate(wrapped, point) == evaluate(node, point)


@settings(max_examples=300)
@given(randoms, st.integers(1, 3))
def test_coefficient_is_the_difference_of_two_steps(random: Random, depth: int) -> None:
    node = simplify(random_integer(random, depth))
    variable = LOOPS[6]
    step = coefficient_of(node, variable)
    if step is not None:
        point = random_point(random) | {variable: 3}
        moved = point | {variable: 5}
        assert (evaluate(node, moved) - evaluate(node, point) - 2 * step) % 2**64 == 0


def test_every_rule_keeps_the_value_by_itself() -> None:
    """Each rule function alone, on nodes whose sources are simple, as the simplifier calls it."""
    random = Random(0)
    fired: set[str] = set()
    for _ in range(600):
        for part in random_node(random, 4).toposort(lambda n: n.op is not Op.LOAD):
            if any(s.op is Op.LOAD for s in part.src) or not part.src:
                continue
            node = make(part.op, part.dtype, tuple(simplify(s) for s in part.src), part.arg)
            for rule in SYMBOLIC_RULES:
                if node.op in rule.ops and family_of(node.src[-1].dtype) in rule.family:
                    new = rule.apply(node)
                    if new is not None and new is not node:
                        fired.add(rule.name)
                        point = random_point(random)
                        assert evaluate(new, point) == evaluate(node, point), rule.name
    named = {
        "collect",
        "divide",
        "remainder",
        "order",
        "equality",
        "connective",
        "negate_test",
        "single_value",
        "fold_cast",
    }
    assert named <= fired


@pytest.mark.parametrize(
    ("before", "after"),
    [
        ((R0 * 56 + R1) // 56, R0),
        ((R0 * 56 + R1) % 56, R1),
        (((R0 * 56 + R1) * 56 + R2) // 3136, R0),
        (((R0 * 56 + R1) * 56 + R2) // 56 % 56, R1),
        ((R1 // 4) * 4 + R1 % 4, R1),
        (((R1 - 1) // 4) * 4 + (R1 - 1) % 4, R1 - 1),
        ((R0 * 25 + R1) // 20 * 60 + (R0 * 5 + R1) % 20 * 3, R0 * 75 + R1 * 3),
        ((R0 * 25 + R1 + 40) // 20 * 20 + (R0 * 5 + R1) % 20, R0 * 25 + R1 + 40),
        (R1 // 4 % 7 * 4 + R1 % 4, R1 % 28),
        (R1 // 28 * 28 + R1 // 4 % 7 * 4 + R1 % 4, R1),
        (R1 // 4 // 7, R1 // 28),
        (R1 % 28 % 7, R1 % 7),
        ((R0 * 4 + K) // 8, R0 // 2),
        ((R0 * 6 + 4) // 2, R0 * 3 + 2),
        (R1 * 4 < 12, R1 < 3),
        (R0 * 56 + R1 < 168, R0 < 3),
        (R1 // 4 < 3, R1 < 12),
        (R1 - 1 >= 0, R1 > 0),
        (R1 < 56, TRUE),
        (R1 > 55, FALSE),
        ((R1 < 5) & (R1 < 7), R1 < 5),
        ((R1 < 3) & (R1 > 5), FALSE),
        ((R1 < 3) | (R1 > 2), TRUE),
        (~(R1 < 5), R1 > 4),
        ((R0 * 2).eq(R1 * 2 + 1), FALSE),
        ((R1 < 5).where(R0, R0), R0),
        (R1.maximum(-3), R1),
        (R1.minimum(55), R1),
        (R0 + R1 - R0, R1),
        (loop(9, 1) + R1, R1),
        (R1.cast(dtypes.int32).cast(dtypes.int64), R1),
    ],
)
def test_forms_that_scheduling_relies_on(before: Node, after: Node) -> None:
    assert simplify(before) is simplify(after)


def test_sums_have_one_form_whatever_the_order() -> None:
    assert simplify(R0 * 3 + (R1 + 5) + R2 * 2) is simplify(R2 + 5 + R1 + R2 + R0 + R0 * 2)


def test_wrapping_integers_are_left_alone() -> None:
    x, y = data(0), data(1)
    assert simplify((x * 4 + y) // 4).op is Op.IDIV
    assert simplify(x + 1 < y + 1).op is Op.LT
    assert evaluate(simplify(x + 1 <= x), {x: 2**63 - 1}) == 1


def test_padding_is_simplified_where_the_mask_holds() -> None:
    row = R1 + K - 1
    valid = (row >= 0) & (row < 56)
    flat = row * 56 + R2
    assert simplify_with(flat // 56, valid) is simplify(row)
    assert simplify_with(flat % 56 + row % 56, valid) is simplify(R2 + row)


def test_a_masked_load_uses_its_mask() -> None:
    memory = param(0, dtypes.float32, 56)
    masked = (R1 > 0).where(load(memory, (R1 + 55) % 56), 0.0)
    assert simplify(masked) is simplify(load(memory, R1 - 1, R1 > 0))
    assert simplify(load(memory, R1, R1 < 0)) is const(0.0, dtypes.float32)
    assert simplify(load(memory, R1, R1 < 56)) is load(memory, R1)


def test_whole_kernels_are_simplified() -> None:
    memory, out = param(0, dtypes.float32, 448), param(1, dtypes.float32, 8)
    inner, single = loop(4, 56), loop(5, 1)
    total = fold(
        ADD, (load(memory, (R0 * 56 + inner) // 56 * 56 + (R0 * 56 + inner) % 56 + single),), (inner, single)
    )
    kernel = simplify(sink((store(out, R0 + 0, total, R0 < 8),)))
    assert kernel is sink((store(out, R0, fold(ADD, (load(memory, R0 * 56 + inner),), (inner,))),))


def test_a_fold_over_one_iteration_is_its_element() -> None:
    element = load(param(0, dtypes.float32, 8), R0)
    assert simplify(fold(MAX, (element,), (loop(7, 1),))) is element


@pytest.mark.parametrize("value", [0.0, -0.0, 1.0, float("nan")])
def test_floats_keep_their_bits(value: float) -> None:
    x = load(param(0, dtypes.float32, 8), R0)
    assert simplify(x * 1.0) is x
    assert simplify(x - 0.0) is x
    assert simplify(x + -0.0) is x
    assert simplify(x + 0.0) is not x
    assert simplify(x * 0.0).op is Op.MUL
    assert simplify(x / 4.0) is simplify(x * 0.25)
    folded = simplify(const(value, dtypes.float32) * const(1.0, dtypes.float32))
    assert folded is const(value, dtypes.float32)


def test_float_constants_fold_in_their_own_precision() -> None:
    tenth = const(0.1, dtypes.float32)
    total = simplify(tenth + const(0.2, dtypes.float32))
    assert total.op is Op.CONST
    assert total.arg == pytest.approx(0.3, rel=1e-6)
    assert total.arg != 0.1 + 0.2
    assert simplify(const(300, dtypes.int32).cast(dtypes.uint8)) is const(44, dtypes.uint8)
    assert simplify(const(-1.75, dtypes.float32).cast(dtypes.int32)) is const(-1, dtypes.int32)


def float_bits(value: object) -> tuple[str, bytes]:
    array = np.asarray(value)
    # any NaN is as good as any other
    return (array.dtype.name, b"nan" if np.isnan(array) else array.tobytes())


FLOAT_OPS = {Op.ADD: np.add, Op.SUB: np.subtract, Op.MUL: np.multiply, Op.DIV: np.divide, Op.MAX: np.maximum}
special = st.sampled_from(
    (0.0, -0.0, 1.0, -1.0, 2.0, 0.25, 1024.0, float("inf"), float("nan"), 0.1, 1e-45, 3e38)
)


@given(st.sampled_from(sorted(FLOAT_OPS)), special, st.floats(width=32), st.booleans())
def test_float_rules_are_exact(op: Op, value: float, x: float, swap: bool) -> None:
    """An op with one constant, simplified and then folded with the other one known, against NumPy."""
    variable, constant, known = load(param(0, dtypes.float32, 8), R0), const(value, F32), const(x, F32)
    node = constant.alu(op, variable) if swap else variable.alu(op, constant)
    found = simplify(simplify(node).substitute({variable: known}))
    with np.errstate(all="ignore"):
        operands = [np.float32(value), np.float32(x)] if swap else [np.float32(x), np.float32(value)]
        expected = FLOAT_OPS[op](*operands)
    assert found.op is Op.CONST
    assert float_bits(np.float32(found.arg)) == float_bits(expected)


def test_a_loop_that_may_not_run_keeps_its_variable() -> None:
    out = param(0, dtypes.int64, 1)
    for size in (index_const(0), data(0).maximum(0).minimum(1)):
        maybe = make(Op.RANGE, dtypes.index, (size,), 9)
        assert maybe in simplify(store(out, maybe, maybe * 3 + 1)).ranges


def test_ranges_that_end_at_a_loaded_value() -> None:
    count = data(0)
    ragged = make(Op.RANGE, dtypes.index, (count.maximum(0).minimum(10),), 8)
    assert bounds(ragged) == (0, 9)
    assert simplify(ragged // 16) is index_const(0)


def test_deep_expressions_do_not_recurse() -> None:
    x: Node = load(param(0, dtypes.float32, 8), R0)
    for _ in range(5000):
        x = x.alu(Op.SIN) + x
    assert simplify(x) is x
    index: Node = R0
    for step in range(5000):
        index = index.maximum(R1 - step)
    assert simplify(index).dtype is dtypes.index


def test_what_a_mask_says_of_a_range_is_not_said_of_loops_inside_that_run_over_it() -> None:
    """Exchanging the range in them as well left a fold that ran over half a product."""
    row, column = loop(90, 8), loop(91, 8)
    inside = fold(ADD, (load(param(0, dtypes.int64, 64), row * 8 + column),), (row,))
    node = make(Op.ADD, dtypes.int64, (inside, (row * 8 + column).cast(dtypes.int64)))
    valid = make(Op.LT, dtypes.bool_, ((row + column) * -3, index_const(-5)))
    simple = simplify_with(node, valid)
    folds = [n for n in simple.toposort() if n.op is Op.FOLD]
    assert [n.src[1:] for n in folds] == [(row,)]
