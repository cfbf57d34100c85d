"""Long sums of products go block by block: results are kept, and a block of a panel stays in the cache."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
import pytest

from saccade import Tensor, vjp
from saccade.codegen.cpu.heuristic import optimise
from saccade.codegen.moves.legal import IllegalMove
from saccade.codegen.moves.moves import Accumulate, Pack, Split, apply, moves_made, step
from saccade.graph.kernels.kernel import UNROLL, VECTOR, Kernel, is_register, range_size
from saccade.graph.node import own_ranges
from saccade.graph.ops import Op
from saccade.graph.rules.symbolic import coefficient_of
from saccade.runtime.cpu.machine import AVX512, NEON, assuming, near_caches
from saccade.runtime.interpreter.interpreter import run_kernel
from tests.schedule.programs import scheduled


def kernel_of(program: Callable[..., Tensor], *shapes: tuple[int, ...]) -> Kernel:
    return scheduled(program, *shapes).items[-1].kernel


def conv(images: int, channels: int, side: int, results: int, window: int = 3, **how: int) -> Kernel:
    shapes = (images, channels, side, side), (results, channels // how.get("groups", 1), window, window)
    return kernel_of(lambda x, w: x.conv2d(w, **how), *shapes)


def interpreted(kernel: Kernel) -> np.ndarray:
    random = np.random.default_rng(0)
    arrays = [random.integers(-4, 5, size).astype("float32") for _, size in kernel.params]
    run_kernel(kernel, arrays)
    return arrays[kernel.outputs[0]]


@pytest.mark.parametrize("steps", [1, 2, 3, 4, 5, 6])
def test_a_sum_of_sums_over_blocks_is_the_sum(steps: int) -> None:
    """Blocks that divide the sum, blocks of one, and a last one with fewer steps; what is packed of each."""
    kernel = conv(2, 7, 5, 6)
    (fold,) = (n for n in kernel.nodes if n.op is Op.FOLD)
    blocks, last = kernel.next_axis(), own_ranges(fold)[-1].arg.number
    moved = step(kernel, Split(own_ranges(fold)[0].arg.number, steps, "loop", 1))
    moved = step(moved, Accumulate(blocks, kernel.order[0].arg.number))
    moved = step(moved, Pack(last, 1, blocks))
    kept, packed = sorted((n for n in moved.nodes if n.op is Op.STAGE), key=lambda n: not n.arg.accumulates)
    assert kept.arg.accumulates
    assert packed.arg.size == 6 * steps * 9
    np.testing.assert_array_equal(interpreted(moved), interpreted(kernel))


@pytest.mark.parametrize("steps", [0, 1, 6, 7])
def test_blocks_of_one_step_and_one_block_are_refused(steps: int) -> None:
    kernel = kernel_of(lambda x, y: x @ y, (4, 6), (6, 5))
    (fold,) = (n for n in kernel.nodes if n.op is Op.FOLD)
    with pytest.raises(IllegalMove, match="no blocks"):
        step(kernel, Split(own_ranges(fold)[0].arg.number, steps, "loop", 1))


def test_long_sums_of_wide_panels_go_by_blocks() -> None:
    """512 channels, 3x3, 7 x 7: a panel of 48 columns is 880 KB. Results in a vector are side by side."""
    with assuming(AVX512):
        kernel = optimise(conv(8, 512, 9, 512))
    kept, packed = sorted((n for n in kernel.nodes if n.op is Op.STAGE), key=lambda n: not n.arg.accumulates)
    assert kept.arg.accumulates
    assert not packed.arg.accumulates
    assert packed.arg.size * 4 <= near_caches()[1] // 2
    (lanes,) = (r for r in own_ranges(kept) if r.arg.kind == VECTOR)
    assert coefficient_of(kept.src[1], lanes) == 1
    *_, row = (range_size(r) for r in own_ranges(packed) if not is_register(r))
    assert row * 16 == 64 * 9, "channels and window are filled as one row"
    (pixels,) = (r for r in kernel.order if r.arg.kind == UNROLL and range_size(r) == 7)
    assert coefficient_of(kernel.sink.src[0].src[1], pixels) == 1, "rows are of an image, not of the batch"


def test_short_sums_and_lanes_of_neon_have_no_blocks() -> None:
    with assuming(AVX512):
        kernels = [optimise(conv(2, 32, 16, 64))]
    with assuming(NEON):
        kernels.append(optimise(conv(8, 512, 9, 512)))
    assert not any(isinstance(move, Accumulate) for kernel in kernels for move in kernel.moves)


@pytest.mark.parametrize(
    ("channels", "results", "side", "how"),
    [
        (211, 65, 9, {}),
        (256, 99, 9, {"stride": 2}),
        (192, 130, 11, {"dilation": 2, "padding": 3}),
        (516, 96, 7, {"groups": 2}),
        (1024, 96, 7, {"window": 1}),
    ],
)
def test_long_sums_give_what_numpy_gives(
    channels: int, results: int, side: int, how: dict[str, int], rng: np.random.Generator
) -> None:
    """On the processor that is here, forward and both gradients."""
    size, groups = how.pop("window", 3), how.get("groups", 1)
    x = Tensor(rng.integers(-2, 3, (3, channels, side, side)).astype("float32")).requires_grad_()
    w = Tensor(
        rng.integers(-2, 3, (results, channels // groups, size, size)).astype("float32")
    ).requires_grad_()
    y = x.conv2d(w, **how)
    slope = rng.integers(-2, 3, y.shape).astype("float32")
    (y * Tensor(slope)).sum().backward()
    assert x.grad is not None
    assert w.grad is not None
    expected = _reference(x.numpy(), w.numpy(), slope, **how)
    for found, wanted in zip((y, x.grad, w.grad), expected, strict=True):
        np.testing.assert_array_equal(found.numpy(), wanted)


def _reference(
    x: np.ndarray, w: np.ndarray, slope: np.ndarray, stride: int = 1, padding: int = 0, dilation: int = 1,
    groups: int = 1,
) -> tuple[np.ndarray, np.ndarray, np.ndarray]:  # fmt: skip
    """Convolution and its gradients, a place of the window at a time."""
    padded = np.pad(x, [(0, 0), (0, 0), (padding, padding), (padding, padding)])
    y, dx, dw = np.zeros_like(slope), np.zeros_like(padded), np.zeros_like(w)
    high, wide = slope.shape[2:]
    each, out = w.shape[1], w.shape[0] // groups
    for i, j in np.ndindex(w.shape[2:]):
        rows = slice(i * dilation, i * dilation + stride * (high - 1) + 1, stride)
        columns = slice(j * dilation, j * dilation + stride * (wide - 1) + 1, stride)
        for g in range(groups):
            inside, result = slice(g * each, (g + 1) * each), slice(g * out, (g + 1) * out)
            seen = padded[:, inside, rows, columns]
            y[:, result] += np.einsum("nchw,oc->nohw", seen, w[result, :, i, j], optimize=True)
            dx[:, inside, rows, columns] += np.einsum(
                "nohw,oc->nchw", slope[:, result], w[result, :, i, j], optimize=True
            )
            dw[result, :, i, j] = np.einsum("nchw,nohw->oc", seen, slope[:, result], optimize=True)
    end = -padding or None
    return y, dx[:, :, padding:end, padding:end], dw


def test_two_sums_of_one_kernel_have_no_blocks() -> None:
    """Both need the loops."""
    shapes = (64, 4096), (4096, 96), (4096, 96)
    with assuming(AVX512):
        kernels = [optimise(i.kernel) for i in scheduled(lambda x, a, b: (x @ a) * (x @ b), *shapes).items]
    for kernel in kernels:
        sums = [n for n in kernel.nodes if n.op is Op.STAGE and n.arg.accumulates]
        assert len(sums) <= 1
    x, a, b = (Tensor(np.ones(shape, "float32")) for shape in shapes)
    np.testing.assert_array_equal(((x @ a) * (x @ b)).numpy(), np.full((64, 96), 4096.0**2, "float32"))


def test_moves_of_blocks_can_be_replayed() -> None:
    with assuming(AVX512):
        kernel = conv(2, 512, 9, 512)
        moved = optimise(kernel)
        assert apply(kernel, moves_made(moved)).sink is moved.sink


def test_the_window_of_a_gradient_by_weights_is_inside_of_its_rows() -> None:
    """Results of a window share lines: nine passes over all of them would write each line nine times."""

    def by_weight(x: Tensor, g: Tensor) -> Tensor:
        made = vjp(lambda w: x.conv2d(w, padding=1), Tensor.zeros(256, 256, 3, 3))[1](g)
        return made[0] if isinstance(made, tuple) else made

    with assuming(AVX512):
        kernel = optimise(scheduled(by_weight, (8, 256, 14, 14), (8, 256, 14, 14)).items[-1].kernel)
    (fold,) = (n for n in kernel.nodes if n.op is Op.FOLD)
    loops = [range_size(r) for r in kernel.order if not is_register(r)]
    assert fold.arg.kind == "add"
    assert loops[-2:] == [3, 3]


@pytest.mark.parametrize("rows", [32, 96, 896])
def test_sums_over_one_loop_stay_whole(rows: int) -> None:
    """Chunks of a text, of whatever width, are added up in one order."""
    kernel = kernel_of(lambda x, y: x @ y, (rows, 2048), (2048, 512))
    with assuming(AVX512):
        made = optimise(kernel)
    assert not any(n.op is Op.STAGE and n.arg.accumulates for n in made.nodes)
