"""Short maps and the rows that are reduced of their results, in one kernel: values are the same."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
import pytest

from saccade import Tensor
from saccade.schedule.rows import row_maps
from tests.codegen.cuda_emulator import emulated_gpu, needs_compiler
from tests.schedule.test_online import run
from tests.schedule.test_rowwise import inputs, planned


def residual(x: Tensor, w: Tensor, b: Tensor, slope: Tensor) -> list[Tensor]:
    """A residual, a product in four parts, and the norm of their sum."""
    parts = Tensor.stack([x * float(n) for n in range(4)]).contiguous()
    made = (x + parts.sum(0)).contiguous()
    return [made, made.rms_norm(made.shape[-1], w).contiguous() @ made.mT]


def both(x: Tensor, w: Tensor, b: Tensor, slope: Tensor) -> list[Tensor]:
    """Two reductions of a row."""
    made = (x.exp() * w + b).contiguous()
    return [made, (made - made.amax(1, keepdim=True)) / made.sum(1, keepdim=True)]


def columns(x: Tensor, w: Tensor, b: Tensor, slope: Tensor) -> list[Tensor]:
    """Reductions of columns are not of the rows that the map goes along."""
    made = (x.exp() * w + b).contiguous()
    return [made, made / made.sum(0, keepdim=True)]


def shifted(x: Tensor, w: Tensor, b: Tensor, slope: Tensor) -> list[Tensor]:
    """A row that reads those of others."""
    made = (x.exp() * w + b).contiguous()
    return [made, (made.flip(0) / made.sum(1, keepdim=True)).contiguous()]


@pytest.mark.parametrize(("program", "fewer"), [(residual, 1), (both, 1), (columns, 0), (shifted, 0)])
def test_values_are_the_same_with_a_kernel_less(
    program: Callable[..., list[Tensor]], fewer: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    arrays = inputs(24, 40)
    made, given = planned(program, arrays)
    monkeypatch.setattr(row_maps, "SHORT_BYTES", 0)
    before, _ = planned(program, arrays)
    assert len(before.items) - len(made.items) == fewer
    for ours, others in zip(run(made, given), run(before, given), strict=True):
        np.testing.assert_allclose(ours, others, rtol=2e-6, atol=1e-6)


@pytest.mark.parametrize(
    ("rows", "length", "count"), [(2, 1 << 14, 2), (400, 1 << 13, 2), (1 << 12, 1 << 10, 1)]
)
def test_a_long_map_is_joined_with_many_rows_only(rows: int, length: int, count: int) -> None:
    """Few rows keep few processors at work."""
    arrays = [np.zeros(shape, "float32") for shape in ((rows, length), (length,), (length,), (rows, 1))]
    made, _ = planned(both, arrays)
    assert len(made.items) == count


@pytest.mark.slow
@needs_compiler
def test_a_gpu_computes_the_same() -> None:
    x, w = (np.random.default_rng(1).standard_normal(n).astype("float32") for n in ((8, 256), (256,)))
    with emulated_gpu():
        given, by = (Tensor(each, device="cuda") for each in (x, w))
        made = (given + given.exp()).contiguous()
        normal = made.rms_norm(256, by)
        Tensor.realize(made, normal)
        found = made.numpy(), normal.numpy()
    expected = x + np.exp(x)
    np.testing.assert_allclose(found[0], expected, rtol=1e-5, atol=1e-7)  # where x is near -exp(x)
    root = np.sqrt((expected**2).mean(1, keepdims=True) + 1e-5)
    np.testing.assert_allclose(found[1], expected / root * w, rtol=1e-4, atol=1e-5)
