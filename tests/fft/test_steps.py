"""Transforms on a GPU: their steps are one kernel, through shared memory, and the values are NumPy's."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

from saccade import Tensor, fft
from saccade.codegen.compile import shaped
from saccade.codegen.cuda.search.moves import Card, Flat, Rows
from saccade.codegen.cuda.source import cuda_source, laid_out
from saccade.codegen.moves.legal import IllegalMove
from saccade.graph.kernels.exchange import exchanged_bytes
from saccade.graph.kernels.kernel import VECTOR, Kernel
from saccade.graph.ops import Op
from tests.codegen.cuda_emulator import emulated_gpu, needs_compiler
from tests.codegen.kernels import kernels_of
from tests.codegen.test_cuda_render import nvrtc_missing
from tests.schedule.test_long_totals import planned
from tests.schedule.test_online import run


def large(*shape: int, dtype: str = "float32") -> Tensor:
    """A tensor of a card that has no memory: only its kernels are looked at."""
    return Tensor.empty(shape, dtype=dtype, device="null:cuda").realize()


def kernels(*made: Tensor) -> list[Kernel]:
    return [item.kernel for item in planned(*made)[0].items]


def power(x: Tensor) -> Tensor:
    made = fft.rfft(x)
    return made.real.square() + made.imag.square()


PROGRAMS: dict[str, Callable[[], tuple[Tensor, ...]]] = {
    "power of windows": lambda: (power(large(64, 32000).unfold(-1, 512, 256) * large(512)),),
    "of complex numbers": lambda: (fft.fft(large(4096, 1024, dtype="complex64")),),
    "in double": lambda: (fft.fft(large(4096, 256, dtype="complex128")),),
    "the longest": lambda: (fft.fft(large(1024, 4096, dtype="complex64")),),
    "mixed": lambda: (fft.ifft(large(512, 1000, dtype="complex64")),),
    "back to real numbers": lambda: (fft.irfft(large(512, 513, dtype="complex64")),),
    "a chirp": lambda: (fft.fft(large(512, 101, dtype="complex64")),),
}


@pytest.mark.parametrize("name", PROGRAMS)
def test_a_transform_is_one_kernel(name: str) -> None:
    (kernel,) = kernels(*PROGRAMS[name]())
    laid = laid_out(kernel, Card())
    assert isinstance(laid.move, Rows)
    assert laid.source.workspace == 0  # all that is exchanged is in shared memory
    assert laid.source.shared <= 48 * 1024


def test_a_step_is_written_over_what_it_was_made_from() -> None:
    (kernel,) = kernels(fft.fft(large(1024, 4096, dtype="complex64")))
    tiles = [n for n in kernel.nodes if n.op is Op.STAGE]
    assert len(tiles) == 3  # of 16 points each
    assert exchanged_bytes(kernel.sink) == 4096 * 8
    assert laid_out(kernel, Card()).source.shared < 2 * 4096 * 8


def test_what_does_not_fit_is_stored() -> None:
    """The pack is part of the first step all the same: a thread reads each number once."""
    made = kernels(fft.fft(large(1 << 16, dtype="complex64")))
    assert len(made) == 5  # four steps of 16 points, and real and imaginary parts side by side
    assert all(isinstance(laid_out(kernel, Card()).move, Flat) for kernel in made)


def test_columns_are_read_as_they_lie() -> None:
    """Threads side by side have columns side by side: nothing is turned."""
    made = kernels(fft.fft(large(1024, 1024, dtype="complex64"), dim=0))
    assert all(isinstance(laid_out(kernel, Card()).move, Flat) for kernel in made)


def test_every_axis_is_a_kernel() -> None:
    """Rows are transformed by teams, and columns by teams that have blocks of them, side by side."""
    for made, count in (
        (fft.rfft2(large(256, 256, 256)).abs(), 2),
        (fft.fftn(large(64, 64, 64, dtype="complex64")), 3),
        (fft.irfft2(fft.rfft2(large(64, 256, 256)) * large(256, 129, dtype="complex64")), 3),
        (fft.fft(large(64, 100, 12, dtype="complex128"), dim=1), 1),
    ):
        found = kernels(made)
        assert len(found) == count
        for kernel in found:
            laid = laid_out(kernel, Card())
            assert isinstance(laid.move, Rows)
            assert laid.source.shared <= 48 * 1024


def test_so_it_is_on_a_cpu() -> None:
    rng = np.random.default_rng(0)
    x = Tensor(rng.standard_normal((4, 256, 256)).astype("float32"))
    rows, columns = kernels_of(fft.rfft2(x).abs())
    assert all(n.arg.exchanges for kernel in (rows, columns) for n in kernel.nodes if n.op is Op.STAGE)
    # a vector of columns is in each tile, and lanes of a row in each of the others
    assert all(any(r.arg.kind == VECTOR for r in shaped(kernel).ranges()) for kernel in (rows, columns))
    tiles = [n.arg.size for n in shaped(columns).nodes if n.op is Op.STAGE]
    assert min(tiles) >= 2 * 256 * 2


@needs_compiler
def test_a_gpu_computes_blocks_of_columns() -> None:
    z = pairs(3, 12 * 20).reshape(3, 12, 20)
    with emulated_gpu():
        made = fft.ifft(fft.fft(Tensor(z, device="cuda"), dim=1), dim=-1)
        got = made.numpy()
    assert close(got, np.fft.ifft(np.fft.fft(z, axis=1), axis=-1))


def test_what_others_read_is_stored() -> None:
    x = large(512, 256)
    packed = (x * 2).contiguous()
    assert len(kernels(power(packed))) == 1
    assert len(kernels(power(packed), packed)) == 2


def test_layouts_without_a_place() -> None:
    (kernel,) = kernels(power(large(64, 256)))
    for move in (
        Rows(24, 4, 1, 4, False),
        Rows(16, 1, 1, 4, False),
        Rows(32, 1, 4, 4, False),
        Flat(128, 1, 1),
    ):
        with pytest.raises(IllegalMove):
            laid_out(kernel, Card(), move)


def pairs(count: int, n: int) -> Any:
    rng = np.random.default_rng(n)
    return (rng.standard_normal((count, n)) + 1j * rng.standard_normal((count, n))).astype("complex64")


def close(got: Any, want: Any) -> bool:
    return float(np.linalg.norm(got - want)) <= 1e-6 * float(np.linalg.norm(want))


@pytest.mark.parametrize("n", [2, 12, 45, 128])
def test_the_kernels_values_are_numpys(n: int) -> None:
    x = pairs(3, n).real.copy()
    made, given = planned(power(Tensor(x, device="cpu")))
    (got,) = run(made, given)
    assert close(got.reshape(3, -1), np.abs(np.fft.rfft(x)) ** 2)


AFTERS: dict[str, Callable[[Tensor], Tensor]] = {
    "absolute": lambda z: z.abs(),
    "the larger part": lambda z: z.real.maximum(z.imag),
    "looked up": lambda z: Tensor.arange(8, device=z.device)[
        (z.real.sigmoid() * 8).cast("int64").clamp(0, 7)
    ],
    "filtered": lambda z: fft.irfft2(z * z.abs()),
}


@pytest.mark.parametrize("after", AFTERS)
@pytest.mark.parametrize("shape", [(1024, 64, 64), (300, 24, 36), (7, 120, 120)])
def test_every_program_has_a_layout(after: str, shape: tuple[int, ...]) -> None:
    """What is chosen by the values of a tile reads both of them, and a place that is computed from a tile
    leaves it as it is."""
    for kernel in kernels(AFTERS[after](fft.rfft2(large(*shape)))):
        laid_out(kernel, Card())


@needs_compiler
@pytest.mark.parametrize("after", ["the larger part", "looked up"])
def test_a_gpu_computes_what_is_chosen_by_values(after: str) -> None:
    x = pairs(3, 16).real.reshape(3, 4, 4).copy()
    want = AFTERS[after](fft.rfft2(Tensor(x, device="cpu"))).numpy()
    with emulated_gpu():
        got = AFTERS[after](fft.rfft2(Tensor(x, device="cuda"))).numpy()
    assert close(got, want)


def on_the_emulator(*sizes: int) -> None:
    for n in sizes:
        z = pairs(5, n)
        with emulated_gpu():
            x, y = Tensor(z, device="cuda"), Tensor(z.real.copy(), device="cuda")
            made = fft.fft(x), fft.irfft(fft.rfft(y), n)
            made[0].realize(made[1])
            whole, again = (each.numpy() for each in made)
        assert close(whole, np.fft.fft(z)), n
        assert close(again, z.real), n


@needs_compiler
def test_a_gpu_computes_the_same() -> None:
    on_the_emulator(64)


@pytest.mark.slow
@needs_compiler
def test_a_gpu_computes_the_same_of_any_length() -> None:
    on_the_emulator(2, 3, 9, 16, 34, 101, 210, 256, 360, 512, 1000, 2048, 4096)


@pytest.mark.skipif(nvrtc_missing() is not None, reason="needs NVRTC")
def test_it_compiles() -> None:
    from saccade.runtime.cuda.compiler import compile_cubin

    (kernel,) = kernels(power(large(256, 512)))
    assert compile_cubin(cuda_source(kernel), "sm_90a")
