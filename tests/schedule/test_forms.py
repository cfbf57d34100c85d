"""Products get the form their target is fast at, whatever is around them, and compute the same."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import Any

import numpy as np
import pytest

from saccade import Tensor, grad, jit
from saccade.codegen.target import CpuTarget, CudaTarget
from saccade.graph import dtypes
from saccade.graph.dtypes import DType
from saccade.graph.forms import ATTENTION, MATRIX, NO_PRODUCT, PLAIN, TILED
from saccade.graph.kernels.kernel import Kernel
from saccade.schedule.cost import CPU, GPU, Machine
from saccade.schedule.kernel_graph import KernelGraph
from saccade.schedule.schedule import schedule
from saccade.schedule.target import target_of

from ..codegen.cuda_emulator import emulated_gpu, needs_compiler
from .programs import inputs, scheduled

HALVES = (dtypes.float16, dtypes.bfloat16)


def silu(x: Any) -> Any:
    return x * x.sigmoid()


def halves(x: Any) -> tuple[Any, Any]:
    return x[:, : x.shape[1] // 2], x[:, x.shape[1] // 2 :]


#: programs in which a product loses its form where it is fused as far as possible: what they read, and the
#: kernels they may have on a CPU and on a GPU; shapes are odd, and no product is too small for a form
X, A, H = (129, 203), (203, 262), (262, 131)
PROGRAMS: dict[str, tuple[Callable[..., Any], list[tuple[int, ...]], int, int]] = {
    "gate": (lambda x, a, b: silu(x @ a) * (x @ b), [X, A, A], 2, 2),
    "SwiGLU": (lambda x, a, b, c: (silu(x @ a) * (x @ b)) @ c, [X, A, A, H], 3, 3),
    "sum of two": (lambda x, a, y, b: x @ a + y @ b, [X, A, (129, 131), (131, 262)], 2, 2),
    "halves": (lambda x, a: (lambda p, q: p * silu(q))(*halves(x @ a)), [X, A], 2, 2),
    "gates of a cell": (
        lambda x, a, y, b: (lambda p, q: p.sigmoid() * q.tanh())(*halves(x @ a + y @ b)),
        [X, A, (129, 131), (131, 262)], 3, 3,
    ),
    "running sum": (lambda x, a: (x @ a).cumsum(1), [X, A], 2, 3),
    # a CPU copies the rows and the padding on both sides apart
    "padded": (lambda x, a: (x @ a).pad((1, 1, 1, 1)), [X, A], 4, 2),
    "flat": (lambda x, a, y: (x @ a).reshape(-1) * y, [X, A, (129 * 262,)], 2, 2),
    "rows by number": (
        lambda x, a: (x @ a)[Tensor.arange(60, dtype="int64") * 2], [X, A], 3, 3,
    ),
    "softmax": (lambda x, a: (x @ a).softmax(1), [X, A], 2, 2),
    # both factors are stored: a tile of whole columns leaves the product no loops for a tile of registers
    "columns standardised": (
        lambda x, y: ((x - x.mean(0)) / x.std(0)).mT @ ((y - y.mean(0)) / y.std(0)),
        [(203, 129), (203, 131)], 3, 7,
    ),
    "batches": (
        lambda x, y, a, b: silu(x @ a) * (y @ b),
        [(3, 65, 70), (3, 65, 70), (3, 70, 130), (3, 70, 130)], 2, 2,
    ),
}  # fmt: skip


def forms(made: KernelGraph, machine: Machine) -> list[str]:
    """How the products of kernels are written, of those that have large ones."""
    target = target_of(machine)
    found = [target.form(item.kernel) for item in made.items]
    return [form for form in found if form != NO_PRODUCT]


@pytest.mark.parametrize("machine", [CPU, GPU], ids=["cpu", "cuda"])
@pytest.mark.parametrize("dtype", [dtypes.float32, *HALVES], ids=str)
@pytest.mark.parametrize("name", PROGRAMS)
def test_no_product_is_in_plain_loops(name: str, dtype: DType, machine: Machine) -> None:
    build, shapes, on_cpu, on_gpu = PROGRAMS[name]
    made = schedule((build(*inputs(*shapes, dtype=dtype)).node,), len(shapes), machine)
    wanted = TILED if machine is CPU or dtype is dtypes.float32 else MATRIX
    assert forms(made, machine)
    assert set(forms(made, machine)) == {wanted}
    # a CPU widens a half type that two products read in a kernel of its own; with columns along its rows, of
    # which each has a mean and a deviation, two kernels make those many columns at a time
    widened = (6 if name == "columns standardised" else 2) * (machine is CPU and dtype in HALVES)
    assert len(made.items) <= (on_gpu if machine is GPU else on_cpu + widened)


@pytest.mark.parametrize("dtype", ["float32", "float16"])
@pytest.mark.parametrize("name", PROGRAMS)
def test_results_are_those_of_the_expression(name: str, dtype: str) -> None:
    build, shapes, *_ = PROGRAMS[name]
    rng = np.random.default_rng(3)
    arrays = [(rng.standard_normal(shape) / 8).astype(dtype) for shape in shapes]
    made = build(*map(Tensor, arrays)).double().numpy()
    exact = build(*[Tensor(a.astype(np.float64)) for a in arrays]).numpy()
    assert np.abs(made - exact).max() <= (2e-2 if dtype == "float16" else 1e-4) * max(np.abs(exact).max(), 1)


def numpy_silu(x: Any) -> Any:
    return x / (1 + np.exp(-x))


@pytest.mark.parametrize("dtype", ["float32", "float16"])
def test_a_gated_product_is_what_numpy_says(dtype: str) -> None:
    rng = np.random.default_rng(5)
    x, a, b, c = ((rng.standard_normal(s) / 8).astype(dtype) for s in (X, A, A, H))
    made = ((silu(Tensor(x) @ Tensor(a)) * (Tensor(x) @ Tensor(b))) @ Tensor(c)).double().numpy()
    wide = [each.astype(np.float64) for each in (x, a, b, c)]
    exact = (numpy_silu(wide[0] @ wide[1]) * (wide[0] @ wide[2])) @ wide[3]
    np.testing.assert_allclose(made, exact, atol=2e-2 if dtype == "float16" else 1e-5)


@needs_compiler
def test_a_gate_on_a_gpu_is_what_numpy_says() -> None:
    rng = np.random.default_rng(6)
    x, a, b = ((rng.standard_normal(s) / 8).astype("float16") for s in ((65, 128), (128, 136), (128, 136)))
    with emulated_gpu():
        on_gpu = [Tensor(each, device="cuda") for each in (x, a, b)]
        made = (silu(on_gpu[0] @ on_gpu[1]) * (on_gpu[0] @ on_gpu[2])).numpy()
    wide = [each.astype(np.float64) for each in (x, a, b)]
    np.testing.assert_allclose(made, numpy_silu(wide[0] @ wide[1]) * (wide[0] @ wide[2]), atol=2e-2)


def test_the_language_model_s_shape_is_three_kernels_of_matrix_units() -> None:
    shapes = [(4096, 4096), (4096, 11008), (4096, 11008), (11008, 4096)]
    build = PROGRAMS["SwiGLU"][0]
    made = schedule((build(*inputs(*shapes, dtype=dtypes.bfloat16)).node,), len(shapes), GPU)
    assert forms(made, GPU) == [MATRIX] * 3
    # what is stored between them is as narrow as the program says
    assert {item.kernel.params[0][0] for item in made.items} == {dtypes.bfloat16}


@pytest.mark.parametrize("outputs", [1, 10, 64])
def test_the_gradient_behind_a_relu_has_its_products_in_tiles(outputs: int) -> None:
    def loss(x: Tensor, w1: Tensor, w2: Tensor, y: Tensor) -> Tensor:
        return (((x @ w1).relu() @ w2 - y) ** 2).mean()

    shapes = [(511, 203), (203, 131), (131, outputs), (511, outputs)]
    x, w1, w2, y = inputs(*shapes)
    made = schedule((grad(lambda w: loss(x, w, w2, y))(w1).node,), 4)
    assert set(forms(made, CPU)) == {TILED}

    rng = np.random.default_rng(7)
    arrays = [(rng.standard_normal(s) / 4).astype("float32") for s in shapes]
    ours = grad(lambda w: loss(Tensor(arrays[0]), w, Tensor(arrays[2]), Tensor(arrays[3])))(Tensor(arrays[1]))
    wide = [a.astype(np.float64) for a in arrays]
    hidden = wide[0] @ wide[1]
    error = 2 * (np.maximum(hidden, 0) @ wide[2] - wide[3]) / wide[3].size
    exact = wide[0].T @ ((error @ wide[2].T) * (hidden > 0))
    np.testing.assert_allclose(ours.numpy(), exact, atol=1e-5)


def test_padded_windows_of_a_sequence_are_a_product_in_tiles() -> None:
    made = schedule(
        (inputs((3, 30, 500))[0].conv1d(Tensor(np.ones((31, 30, 3), "float32")), padding=1).node,), 1
    )
    assert forms(made, CPU) == [TILED]


def test_small_products_stay_where_they_are() -> None:
    for machine in (CPU, GPU):
        made = schedule((PROGRAMS["gate"][0](*inputs((9, 20), (20, 30), (20, 30))).node,), 3, machine)
        assert len(made.items) == 1
        assert forms(made, machine) == []


def kernel_of(build: Callable[..., Any], *shapes: tuple[int, ...], machine: Machine = CPU) -> Kernel:
    *_, item = schedule((build(*inputs(*shapes)).node,), len(shapes), machine).items
    return item.kernel


def test_the_estimate_knows_the_form() -> None:
    """The same multiplications in plain loops take many times as long, and it says so."""
    tiled = kernel_of(lambda x, a: x @ a, (256, 256), (256, 256))
    for target in (CpuTarget(CPU), CudaTarget(GPU)):
        assert target.form(tiled) == TILED
        slow = {form: each * 50 for form, each in target.machine.multiply.items()}
        other = type(target)(replace(target.machine, multiply=slow))
        assert other.seconds(tiled) > 10 * target.seconds(tiled)
        assert target.machine.multiply[PLAIN] > 10 * target.machine.multiply[TILED]


def test_a_product_with_a_softmax_in_one_pass_is_a_form() -> None:
    q, k, v = inputs(*[(2, 130, 64)] * 3, dtype=dtypes.float16)
    made = schedule(((((q @ k.mT) * 0.125).softmax(-1) @ v).node,), 3, GPU)
    assert forms(made, GPU) == [ATTENTION]


def test_a_function_of_many_lengths_keeps_rows_and_columns_of_its_product() -> None:
    weights = Tensor(np.ones((70, 90), "float32"))
    compiled = jit(lambda x: (x @ weights).relu())
    for rows in (300, 301, 302, 303):
        x = np.random.default_rng(rows).standard_normal((rows, 70)).astype("float32")
        np.testing.assert_allclose(
            compiled(Tensor(x)).numpy(), np.maximum(x @ np.ones((70, 90), "float32"), 0), atol=1e-4
        )


def test_results_side_by_side_leave_factors_their_loops() -> None:
    """A transposed convolution on a CPU is stored phase by phase: no factor is read at a quotient of a loop
    that the other has, too."""
    made = scheduled(lambda x, w: x.conv_transpose1d(w, stride=2, padding=1), (2, 16, 600), (16, 32, 4))
    assert set(forms(made, CPU)) == {TILED}
    x, w = (
        np.random.default_rng(2).integers(-3, 4, s).astype("float32") for s in ((2, 16, 600), (16, 32, 4))
    )
    exact = np.zeros((2, 32, 1202), "float32")
    for tap in range(4):
        exact[:, :, tap : tap + 1200 : 2] += np.einsum("bcq,co->boq", x, w[:, :, tap])
    result = Tensor(x).conv_transpose1d(Tensor(w), stride=2, padding=1).numpy()
    np.testing.assert_array_equal(result, exact[:, :, 1:-1])


def test_padding_around_a_product_is_not_in_it() -> None:
    """Weights do not follow the rows of an image, so a mask of its rows on them would take their loop."""
    shapes = ((2, 24, 30, 30), (96, 24, 1, 1), (96, 1, 3, 3))
    made = scheduled(lambda x, a, b: x.conv2d(a).relu().conv2d(b, padding=1, groups=96), *shapes)
    assert set(forms(made, CPU)) == {TILED}


@pytest.mark.parametrize("machine", [CPU, GPU], ids=["cpu", "gpu"])
@pytest.mark.parametrize("dtype", [dtypes.float32, dtypes.bfloat16], ids=str)
def test_a_sum_of_several_products_is_one_of_each(machine: Machine, dtype: DType) -> None:
    """What flows back to the input of two layers is such a sum, over one loop."""

    def both(x: Tensor, a: Tensor, y: Tensor, b: Tensor) -> Tensor:
        return (x.unsqueeze(1) * a + y.unsqueeze(1) * b).sum(-1)

    shapes = (128, 192), (256, 192), (128, 192), (256, 192)
    graph = schedule((both(*inputs(*shapes, dtype=dtype)).node,), 4, machine)
    target = target_of(machine)
    assert [target.form(item.kernel) in (TILED, MATRIX) for item in graph.items] == [True, True]


def test_sums_of_several_products_compute_the_same(rng: np.random.Generator) -> None:
    x, y, a, b = (
        rng.integers(-3, 4, shape).astype(np.float32) for shape in ((64, 96), (64, 96), (192, 96), (192, 96))
    )
    found = (Tensor(x).unsqueeze(1) * Tensor(a) + Tensor(y).unsqueeze(1) * Tensor(b)).sum(-1)
    np.testing.assert_array_equal(found.numpy(), x @ a.T + y @ b.T)
