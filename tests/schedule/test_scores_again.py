"""Gradients of attention as planned for a GPU, on the interpreter: what is fused, and that it is right."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

from saccade import Tensor, vjp
from saccade.codegen.cuda.templates.recomputed.match import recomputed_of
from saccade.schedule.cost import GPU
from saccade.schedule.schedule import schedule
from saccade.tensor.programs.form import canonical, graph_of
from tests.schedule.test_online import run

Program = Callable[..., Tensor]
Shape = tuple[int, ...]
SIDE, LONG = (20, 16), (24, 16)


def attend(q: Tensor, k: Tensor, v: Tensor) -> Tensor:
    return ((q @ k.mT) * 0.25).softmax(-1) @ v


def twice(q: Tensor, k: Tensor, v: Tensor) -> Tensor:
    """The values are made with the weights: no kernel has their totals before."""
    weights = ((q @ k.mT) * 0.25).softmax(-1)
    return weights @ (weights.mT @ v)


#: a program, its arguments and the slope of its result, and the least products that are computed again
CASES: dict[str, tuple[Program, list[Shape], int]] = {
    "plain": (attend, [SIDE, LONG, LONG, SIDE], 3),
    "all of one": (lambda x: attend(x, x, x), [LONG, LONG], 3),
    "bent scores": (lambda q, k, v: (q @ k.mT * 0.25).tanh().softmax(-1) @ v, [SIDE, LONG, LONG, SIDE], 3),
    "twice": (twice, [LONG] * 4, 0),
}


@pytest.mark.parametrize("case", CASES)
def test_gradients_without_stored_weights_are_right(case: str) -> None:
    program, shapes, again = CASES[case]
    rng = np.random.default_rng(0)
    arrays: list[Any] = [rng.standard_normal(shape).astype("float16") for shape in shapes]

    def gradients(*given: Tensor) -> list[Tensor]:
        return list(vjp(program, *given[:-1])[1](given[-1]))

    form, buffers = canonical([t.node for t in gradients(*[Tensor(a, device="cpu") for a in arrays])])
    made = schedule(*graph_of(form), GPU)
    found = [recomputed_of(item.kernel) for item in made.items]
    assert sum(len(each.sums) for each in found if each is not None) >= again
    expected = gradients(*[Tensor(a.astype("float32"), device="cpu") for a in arrays])
    for ours, theirs in zip(run(made, [b.numpy() for b in buffers]), expected, strict=True):
        exact = theirs.numpy().reshape(-1)
        assert np.linalg.norm(ours.astype("float32") - exact) <= 3e-3 * np.linalg.norm(exact)


def test_a_factor_in_float32_is_not_rounded_to_the_type_of_the_other() -> None:
    a, b, c = (Tensor.zeros(64, 64, dtype="bfloat16").realize() for _ in range(3))
    sums = (a.cast("float32") @ b.cast("float32")).exp()
    form, _ = canonical([(sums @ c.cast("float32")).node])
    assert all(recomputed_of(item.kernel) is None for item in schedule(*graph_of(form), GPU).items)
