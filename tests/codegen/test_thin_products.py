"""Products with few columns, where a warp has several rows of the large factor: rows of any number."""

from __future__ import annotations

import numpy as np
import pytest

from saccade import Tensor, grad
from saccade.codegen.cuda.schemes.thin import thin_shape
from saccade.codegen.cuda.source import cuda_source
from saccade.explain import explain
from saccade.graph import dtypes
from saccade.graph.kernels.kernel import UNROLL, range_size
from saccade.graph.ops import Op
from saccade.schedule.cost import GPU
from tests.codegen.cuda_emulator import emulated_gpu, needs_compiler
from tests.codegen.test_cuda_attention import kernel_of
from tests.schedule.programs import scheduled


def product(a: Tensor, b: Tensor) -> Tensor:
    return a @ b


@pytest.mark.parametrize(
    ("rows", "length", "columns", "each"),
    [(2048, 129, 4, 2), (2051, 129, 4, 2), (26665, 777, 10, 4), (32768, 512, 10, 8), (2665, 777, 16, 2)],
)
def test_a_warp_has_several_rows(rows: int, length: int, columns: int, each: int) -> None:
    made = cuda_source(kernel_of(product, [(rows, length), (length, columns)], dtypes.float32))
    assert made.grid == -(-rows // (each * made.block // 32))


@needs_compiler
def test_the_last_warp_has_fewer_rows(rng: np.random.Generator) -> None:
    a, b = (rng.standard_normal(shape).astype("float32") for shape in ((2051, 129), (129, 4)))
    with emulated_gpu():
        ours = (Tensor(a, device="cuda") @ Tensor(b, device="cuda")).numpy()
    np.testing.assert_allclose(ours, a @ b, atol=1e-4)


@pytest.mark.parametrize(
    ("rows", "length", "columns", "steps"),
    [(1, 4096, 4096, 16), (8, 1024, 4096, 8), (1, 1777, 3333, 11), (4, 512, 1 << 18, 4)],
)
def test_few_threads_have_much_of_the_matrix_on_its_way(
    rows: int, length: int, columns: int, steps: int
) -> None:
    """Loads that are written out, of one column."""
    made = scheduled(product, (rows, length), (length, columns), machine=GPU)
    (shape, *_) = [s for s in (thin_shape(item.kernel) for item in made.items) if s is not None]
    unrolled = [r for r in shape.kernel.sink.toposort() if r.op is Op.RANGE and r.arg.kind == UNROLL]
    assert max(map(range_size, unrolled)) == steps


def by_weights(x: Tensor, w: Tensor, slope: Tensor, **how: int) -> Tensor:
    """The gradient of a depthwise convolution by its weights."""
    convolved = x.conv2d if len(x.shape) == 4 else x.conv1d

    def loss(w: Tensor) -> Tensor:
        return (convolved(w, groups=x.shape[1], **how) * slope).sum()

    made = grad(loss)(w)
    assert isinstance(made, Tensor)
    return made


def depthwise_shapes(
    images: tuple[int, ...], window: tuple[int, ...], padding: int = 0, stride: int = 1, dilation: int = 1
) -> tuple[tuple[int, ...], ...]:
    """Of the input, the weights and the slopes."""
    n, channels, *places = images
    sizes = [
        (p + 2 * padding - dilation * (k - 1) - 1) // stride + 1 for p, k in zip(places, window, strict=True)
    ]
    return images, (channels, 1, *window), (n, channels, *sizes)


BY_WEIGHTS = [
    ((64, 64, 28, 28), (3, 3), {"padding": 1}),
    ((49, 33, 29, 29), (3, 3), {"padding": 1}),
    ((64, 96, 28, 28), (7, 7), {"padding": 3}),
    ((64, 64, 28, 28), (3, 3), {"padding": 1, "stride": 2}),
    ((64, 64, 28, 28), (5, 5), {"padding": 4, "dilation": 2}),
    ((64, 256, 1024), (31,), {"padding": 15}),
    ((8, 4, 512, 512), (3, 3), {"padding": 1}),
]


@pytest.mark.parametrize(("images", "window", "how"), BY_WEIGHTS)
def test_few_weights_of_a_long_sum_keep_a_card_busy(
    images: tuple[int, ...], window: tuple[int, ...], how: dict[str, int]
) -> None:
    """A warp has a part of a channel and all places of its window; lanes run along what is summed."""
    shapes = depthwise_shapes(images, window, **how)
    inputs = [Tensor.empty(*shape, device="null:cuda").realize() for shape in shapes]
    (computation,) = explain(lambda: by_weights(*inputs, **how).realize()).computations
    parts, _ = [cuda_source(item.kernel) for item in computation.graph.items][-2:]
    assert parts.grid * parts.block >= 1 << 15


@needs_compiler
@pytest.mark.parametrize(
    ("images", "window", "how"),
    [
        ((16, 33, 16, 15), (3, 3), {"padding": 1}),
        ((32, 17, 21, 20), (5, 5), {"padding": 4, "stride": 2, "dilation": 2}),
        ((9, 64, 300), (7,), {"padding": 3}),
        ((16, 16, 400), (49,), {}),
    ],
)
def test_gradients_by_few_weights(
    images: tuple[int, ...], window: tuple[int, ...], how: dict[str, int], rng: np.random.Generator
) -> None:
    shapes = depthwise_shapes(images, window, **how)
    arrays = [rng.standard_normal(shape).astype("float32") for shape in shapes]
    with emulated_gpu():
        ours = by_weights(*[Tensor(a, device="cuda") for a in arrays], **how).numpy()
    wanted = by_weights(*[Tensor(a.astype("float64"), device="cpu") for a in arrays], **how).numpy()
    np.testing.assert_allclose(ours, wanted, atol=2e-4 * np.abs(wanted).max())
