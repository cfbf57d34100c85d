"""Which buffers of a kernel pass through once, and kernels whose loads say so."""

from __future__ import annotations

import numpy as np
import pytest

from saccade import Tensor
from saccade.codegen.cuda import streamed as rule
from saccade.codegen.cuda.source import cuda_source, laid_out
from saccade.codegen.cuda.streamed import streamed
from saccade.graph.kernels.kernel import Kernel
from tests.codegen.cuda_emulator import emulated_gpu, needs_compiler
from tests.codegen.kernels import kernels_of


def large(*shape: int) -> Tensor:
    """A tensor of the device that has no memory: only its kernels are looked at."""
    return Tensor.empty(shape, device="null").realize()


def kernel_of(value: Tensor) -> Kernel:
    (kernel,) = kernels_of(value)
    return kernel


def sizes(kernel: Kernel) -> list[int]:
    """The elements of the streamed buffers."""
    return sorted(kernel.params[slot][1] for slot in streamed(kernel))


def test_a_map_of_large_tensors_streams_what_it_reads_and_writes() -> None:
    kernel = kernel_of((large(8192, 8192) * 2 + 1).exp())
    assert streamed(kernel) == {0, 1}


def test_what_is_read_again_and_again_is_not_streamed() -> None:
    rows = (large(8192, 8192) + large(8192)).relu() * large(8192, 1)
    assert sizes(kernel_of(rows)) == [1 << 26, 1 << 26]
    x = large(8193, 8192)
    assert sizes(kernel_of(x[1:] - x[:-1])) == [1 << 26], "only the result passes once"


def test_what_the_next_kernel_finds_in_the_cache_is_not_streamed() -> None:
    assert streamed(kernel_of(large(2048, 1024) + 1)) == frozenset()


def test_reductions_are_not_streamed() -> None:
    assert streamed(kernel_of(large(8192, 8192).sum(1))) == frozenset()


def test_nothing_is_streamed_beside_a_large_buffer_at_places_that_are_looked_up() -> None:
    x = large(8192, 8192)
    few, many = (large(rows, 64) for rows in (64, 1 << 20))
    places = Tensor.empty(x.shape, dtype="int64", device="null").realize()
    assert sizes(kernel_of(x + few.reshape(-1)[places]))[-3:] == [1 << 26] * 3
    assert not sizes(kernel_of(x + many.reshape(-1)[places]))


def test_vectors_of_streamed_buffers_are_loaded_as_such() -> None:
    text = cuda_source(kernel_of(large(8192, 8192) + large(8192))).text
    body = text[text.index('extern "C"') :]
    assert "load_many_passing<4>(p1" in body
    assert "load_many_once<4>(p2" in body


def test_the_last_blocks_release_what_they_read() -> None:
    for size, released in ((1 << 26, 0.25), (1 << 28, 0.0625), (1 << 24, 1.0)):
        source = cuda_source(kernel_of(large(size) * 2))
        body = source.text[source.text.index('extern "C"') :]
        assert f"if (blockIdx.x >= {round(source.grid * (1 - released))})" in body
        assert body.count("release(p1 + ") == body.count("load_many_passing<4>(p1 + ")
        assert "release(p0" not in body


def test_large_rows_that_stay_in_registers_may_begin_early() -> None:
    for rows, early in ((16384, True), (512, False)):
        text = cuda_source(kernel_of(large(rows, 16384).softmax(1))).text
        body = text[text.index('extern "C"') :]
        assert ("follow();" in body) == early
        assert ("_once" in body) != early, "the read-only cache is told of nothing that is still written"
        assert ("load_many_passing<4>(p1" in body) == early
    for short in (large(65536, 1024).softmax(1), large(65536, 1024).var(1)):  # blocks would only wait
        text = cuda_source(kernel_of(short)).text
        assert "follow();" not in text[text.index('extern "C"') :]
    text = cuda_source(kernel_of(large(16384, 16384).sum(1))).text
    assert "follow();" not in text[text.index('extern "C"') :]


@needs_compiler
@pytest.mark.parametrize("dtype", ["float32", "float16", "uint8", "float64"])
def test_they_compute_what_others_do(
    dtype: str, rng: np.random.Generator, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(rule, "STREAMED_BYTES", 0)
    laid_out.cache_clear()
    a, b = (rng.integers(0, 100, shape).astype(dtype) for shape in ((700, 64), (64,)))
    with emulated_gpu():
        found = (Tensor(a, device="cuda") + Tensor(b, device="cuda")).numpy()
    laid_out.cache_clear()
    np.testing.assert_array_equal(found, a + b)


@pytest.mark.parametrize("arch", ["sm_75", "sm_90a"])
@pytest.mark.parametrize("dtype", ["float32", "float16", "uint8", "float64"])
def test_they_compile(dtype: str, arch: str) -> None:
    pytest.importorskip("cuda.bindings", reason='needs NVRTC: pip install "saccade[cuda]"')
    from saccade.runtime.cuda.compiler import compile_cubin

    x = Tensor.empty((1 << 14, 1 << 14), dtype=dtype, device="null").realize()
    source = cuda_source(kernel_of(x + x.cast("float32")))
    assert "_passing" in source.text[source.text.index('extern "C"') :]
    assert compile_cubin(source, arch)[:4] == b"\x7fELF"
