"""CUDA kernels of every kind: run on the host's emulator, and compiled for three generations of cards where
NVRTC is."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from dataclasses import replace
from functools import cache
from typing import Any

import numpy as np
import pytest

from saccade import Tensor
from saccade.codegen import compile as compiling
from saccade.codegen.cuda.renderer import expression, literal
from saccade.codegen.cuda.source import cuda_source, laid_out
from saccade.codegen.cuda.templates.product import source as cuda_product
from saccade.codegen.cuda.templates.product.tiles import COPIED_TILES, ODD_TILES, ThreadTile
from saccade.graph import dtypes
from saccade.graph.ops import Op
from saccade.runtime.config import settings
from saccade.runtime.device import Device
from saccade.runtime.host import HostDevice
from saccade.runtime.program import Launch, Program, Source
from saccade.runtime.watch.debug import listening
from saccade.schedule import cost
from saccade.schedule.products import layout
from saccade.tensor.programs import realize
from saccade.tensor.tensor import where
from tests.codegen.cuda_emulator import EmulatedDevice, EmulatedPlan, build, emulated_gpu, needs_compiler
from tests.codegen.kernels import kernels_of

RNG = np.random.default_rng(7)
Array = np.ndarray[Any, Any]


def floats(*shape: int, dtype: str = "float32") -> Array:
    return RNG.standard_normal(shape).astype(dtype)


def half(*shape: int) -> Array:
    return floats(*shape, dtype="float16")


def integers(low: int, high: int, dtype: str, *shape: int) -> Array:
    return RNG.integers(low, high, shape).astype(dtype)


def signed(*shape: int) -> Array:
    return integers(-128, 128, "int8", *shape)


def small(x: Tensor, dtype: str = "float8_e4m3") -> Tensor:
    """Stored in eight bits."""
    return x.cast(dtype).contiguous()


def nearest(queries: Tensor, nodes: Tensor) -> tuple[Tensor, Tensor]:
    difference = queries.reshape(50, 1, 3) - nodes.reshape(1, 40, 3)
    return (difference * difference).sum(-1).topk(5, -1, largest=False)


def best_listed(rows: Tensor, listed: Tensor, number: Tensor, at: Tensor) -> Tensor:
    """The best value of rows found by number, of those close enough: gathers of neighbours, and a branch."""

    def column(i: int) -> Tensor:
        place = listed.cast("int32").cast("int64") * 8 + i
        return rows.reshape(-1).gather(0, place.reshape(-1)).reshape(40, 24)

    gap = (column(0) - at.reshape(40, 1)).abs() + column(1) * 0.1
    value = (column(4) * column(5)).tanh() + (column(6) - column(7)).abs().sqrt() * column(2) + column(3)
    there = Tensor.arange(24, device=at.device) < number.reshape(40, 1)
    return where(there & (gap < 0.7), value, -float("inf")).amax(1).maximum(-1.0)


def best_or(keys: Tensor, values: Tensor) -> Tensor:
    """(3, 3, 31, 3) the values that are not 0, else one of the three smallest keys: found once for each."""
    smallest = keys.topk(3, 0, largest=False)[0].reshape(3, 1, 1, 1)
    given = values.reshape(1, 3, 31, 3)
    return where(given != 0, given, smallest).cast("float32")


#: name -> (program, arguments, relative error allowed)
KINDS: dict[str, tuple[Callable[..., Any], list[Array], float]] = {
    "map with a tail": (lambda a, b: (a * b + 1).exp(), [floats(100, 33), floats(100, 33)], 1e-6),
    "map in vectors": (lambda a: a.transpose(0, 1) * 2, [floats(512, 256)], 0.0),
    "tiles of single points": (
        lambda keys, a, b: (best_or(keys, a) @ b.transpose(0, 1) + 1).softmax(-1),
        [integers(-9, 9, "int64", 1024), integers(-2, 3, "int64", 3, 31, 3), floats(8, 3)],
        1e-5,
    ),
    "the border of the best repeated": (
        lambda a: a.topk(1, 0)[1].reshape(1, 1, 24, 5).pad((3, 3, 3, 3), mode="replicate"),
        [floats(16, 24, 5)],
        0.0,
    ),
    "running sums over groups": (
        lambda a, b: (a.reshape(2, 2, 1, 10) * b.reshape(1, 2, 8, 1)).reshape(2, 16, 10).relu().cumsum(1),
        [floats(2, 2, 10), floats(2, 8)],
        1e-5,
    ),
    "turned, padded": (lambda a: a.pad((1, 2, 3, 0)).mT.contiguous(), [half(5, 70, 200)], 0.0),
    "turned bytes": (
        lambda a: a.permute(0, 2, 3, 1).contiguous(),
        [integers(0, 99, "uint8", 3, 72, 9, 40)],
        0.0,
    ),
    "four turned": (
        lambda a, b, c, d: a.mT + b.mT * c.mT - d.mT,
        [floats(300, 250) for _ in range(4)],
        1e-6,
    ),
    "turned, short": (lambda a: a.permute(0, 2, 1).contiguous(), [half(800, 9, 12)], 0.0),
    "turned, three to eight": (
        lambda a: a.pad((1, 1, 1, 1, 0, 5)).permute(0, 2, 3, 1).contiguous(),
        [half(2, 3, 50, 90)],
        0.0,
    ),
    "turned to bytes": (lambda a: a.mT.relu().cast("uint8"), [floats(250, 300)], 0.0),
    "turned and straight": (lambda a, b: (a.mT * 2 + b).exp(), [floats(300, 257), floats(257, 300)], 1e-6),
    "two turned": (lambda a, b: a.mT.double() + b.mT.exp(), [floats(300, 250), floats(300, 250)], 1e-6),
    "row sum by warps": (lambda a: a.sum(1), [floats(70, 300)], 1e-5),
    "column sum": (lambda a: a.sum(0), [floats(70, 300)], 1e-5),
    "sum of everything": (lambda a: a.sum(), [floats(70, 300)], 1e-4),
    "softmax by warps": (lambda a: a.softmax(1), [floats(70, 300)], 1e-5),
    "softmax by blocks": (lambda a: a.softmax(1), [floats(3, 5000)], 1e-5),
    "layer norm": (
        lambda a: (a - a.mean(1, keepdim=True)) * (a.var(1, keepdim=True) + 1e-5).rsqrt(),
        [floats(5, 1024)],
        1e-5,
    ),
    "least of negatives in 16 bits, and magnitudes": (
        lambda a: ((-a).min(1).values, a.abs().max(1).values),
        [RNG.integers(-99, 99, (17, 8, 2)).astype("int16")],
        0.0,
    ),
    "argmax": (lambda a: a.argmax(1), [floats(70, 300)], 0.0),
    "argmax of columns": (lambda a: a.argmax(0), [RNG.integers(0, 9, (301, 70)).astype("float32")], 0.0),
    "least of columns, and where": (lambda a: tuple(a.min(0)), [floats(256, 70)], 0.0),
    "largest of rows, and where": (lambda a: tuple(a.max(1)), [floats(40, 300)], 0.0),
    "rows of segments, without what was there": (
        lambda a, i, u: a.scatter_reduce(0, i.reshape(-1, 1).expand(90, 12), u, "amax", include_self=False),
        [floats(20, 12), integers(0, 15, "int64", 90), floats(90, 12)],
        0.0,
    ),
    "one value at many places": (
        lambda a, i: a.scatter(0, i, 7.0), [floats(20, 12), integers(0, 20, "int64", 90, 12)], 0.0
    ),
    "nearest": (nearest, [floats(50, 3), floats(40, 3)], 1e-6),
    "nearest, in queues": (
        lambda q, n: ((q.reshape(40, 1, 3) - n.reshape(1, 300, 3)) ** 2).sum(-1).topk(6, -1, largest=False),
        [floats(40, 3), floats(300, 3)],
        1e-6,
    ),
    "nearest, in queues, eight at a time": (
        lambda q, n: ((q.reshape(40, 1, 3) - n.reshape(1, 304, 3)) ** 2).sum(-1).topk(6, -1, largest=False),
        [floats(40, 3), floats(304, 3)],
        1e-6,
    ),
    "five best by teams": (lambda a: a.topk(5, 1), [floats(7, 300)], 0.0),
    "five best, with ties": (lambda a: a.topk(5, 1), [RNG.integers(0, 9, (7, 1000)).astype("float32")], 0.0),
    "padded lists": (
        lambda a, n: where(Tensor.arange(64, device=a.device) < n.reshape(40, 1), a, 0.0).sum(1),
        [floats(40, 64), RNG.integers(0, 65, 40)],
        1e-5,
    ),
    "best of a listed few, in vectors": (
        best_listed,
        [floats(50, 8), RNG.integers(0, 50, (40, 24)), RNG.integers(0, 25, 40), floats(40)],
        1e-6,
    ),
    "a map, its reduction and a map of that": (
        lambda a, b: (a * 2, (near := ((a * 2).reshape(300, 1) - b).abs().amin(1)), near * 3 + a),
        [floats(300), floats(20)],
        1e-6,
    ),
    "reductions of the same rows": (
        lambda a, b: (a.amax(1), a.argmin(1), b.sum(1)),
        [floats(70, 300), floats(70, 300)],
        1e-5,
    ),
    "running sum": (lambda a: a.cumsum(1), [floats(7, 70)], 1e-5),
    "running sum in parts": (lambda a: a.cumsum(1), [RNG.integers(0, 9, (3, 1000)).astype("int32")], 0.0),
    "running sum in parts, of columns": (lambda a: a.cumsum(0), [floats(300, 5)], 1e-5),
    "sort": (lambda a: a.sort(1), [floats(7, 70)], 0.0),
    "gather": (lambda a, i: a.gather(1, i), [floats(7, 70), RNG.integers(0, 70, (7, 20))], 0.0),
    "distances": (lambda a, b: a.cdist(b), [floats(90, 300), floats(50, 300)], 1e-5),
    "a factor that is not zero where nothing is": (
        lambda a, b: (a + 1) @ b.mT,
        [floats(90, 300), floats(50, 300)],
        1e-5,
    ),
    "sums of differences": (
        lambda a, b: (a.reshape(90, 1, 303) - b).abs().sum(-1) * 0.5,
        [floats(90, 303), floats(50, 303)],
        1e-5,
    ),
    "short rows by a small matrix": (lambda a, b: a @ b, [floats(120000, 3), floats(3, 3)], 1e-5),
    "histogram": (lambda a: a.histc(5, -1, 1), [floats(3001)], 0.0),
    "scatter add": (
        lambda a, i, u: a.scatter_add(1, i, u),
        [floats(7, 70), RNG.integers(0, 70, (7, 20)), floats(7, 20)],
        1e-6,
    ),
    "scatter": (
        lambda a, i, u: a.scatter(1, i, u),
        [floats(70, 20), RNG.integers(0, 20, (70, 30)), floats(70, 30)],
        0.0,
    ),
    "scatter of columns": (
        lambda a, i, u: a.scatter(0, i, u),
        [floats(20, 70), RNG.integers(0, 20, (30, 70)), floats(30, 70)],
        0.0,
    ),
    "bfloat16": (lambda a: (a.cast("bfloat16") * 3).sum(1).cast("float32"), [floats(40, 64)], 1e-2),
    "float8": (lambda a: a.cast("float8_e4m3").cast("float32") + 1, [floats(4, 64)], 0.0),
    "product float32": (lambda a, b: a @ b, [floats(130, 72), floats(72, 140)], 1e-5),
    "product, odd sizes": (lambda a, b: a @ b, [floats(129, 71), floats(71, 131)], 1e-5),
    "product float64": (lambda a, b: a.double() @ b.double(), [floats(130, 72), floats(72, 140)], 1e-12),
    "product, few columns": (lambda a, b: a @ b + 1, [floats(2100, 136), floats(136, 5)], 1e-5),
    "product, few rows": (lambda a, b: a @ b, [floats(3, 1024), floats(1024, 520)], 1e-5),
    "product, few rows of halves": (lambda a, b: a @ b, [half(3, 1040), half(1040, 520)], 1e-3),
    "product in parts": (lambda a, b: (a @ b).relu(), [half(40, 4096), half(4096, 72)], 1e-3),
    "vector times matrix": (lambda a, b: a @ b, [floats(700), floats(700, 1500)], 1e-5),
    "product float16": (lambda a, b: a @ b, [half(130, 72), half(72, 144)], 1e-3),
    "product transposed": (lambda a, b: a.mT @ b.mT, [half(80, 136), half(136, 80)], 1e-3),
    "product and bias": (lambda a, b, c: (a @ b + c).relu(), [half(131, 77), half(77, 133), half(133)], 2e-3),
    "product, odd rows of halves": (lambda a, b: a @ b, [half(131, 77), half(77, 133)], 1e-3),
    "product, odd columns of halves": (lambda a, b: a.mT @ b.mT, [half(77, 131), half(133, 77)], 1e-3),
    "product, small ones": (lambda a, b: a @ b, [half(57, 27, 27), half(57, 27, 27)], 1e-3),
    "product int8": (lambda a, b: a.matmul(b, dtype="int32"), [signed(130, 77), signed(77, 133)], 0.0),
    "product of both kinds of bytes": (
        lambda a, b: a.matmul(b.mT.int()),
        [integers(0, 256, "uint8", 130, 80), signed(136, 80)],
        0.0,
    ),
    "product float8": (
        lambda a, b: small(a).matmul(small(b).mT, dtype="float32"),
        [half(130, 80), half(136, 80)],
        1e-6,
    ),
    "product of both kinds of float8": (
        lambda a, b: small(a).float() @ small(b, "float8_e5m2").float(),
        [half(130, 77), half(77, 133)],
        1e-6,
    ),
    "product, dequantised": (
        lambda a, b, s: (a.bfloat16().contiguous() @ (b.bfloat16() * s.bfloat16())).float(),
        [half(130, 80), signed(80, 136), half(136)],
        1e-2,
    ),
    "product of bfloat16 and bytes": (
        lambda a, b: (a.bfloat16().contiguous().float() @ b.float()),
        [half(130, 80), signed(80, 136)],
        1e-5,
    ),
    "convolution": (lambda x, w: x.conv2d(w, padding=1), [half(2, 8, 16, 16), half(32, 8, 3, 3)], 2e-3),
    "convolution in groups": (
        lambda x, w, b: x.conv2d(w, b, padding=1, groups=2).relu(),
        [half(2, 64, 9, 16), half(64, 32, 3, 3), half(64)],
        2e-3,
    ),
    "convolution, strides": (
        lambda x, w: x.conv2d(w, stride=2, dilation=(1, 2)),
        [half(2, 32, 17, 36), half(40, 32, 3, 3)],
        2e-3,
    ),
    "convolution, three channels": (
        lambda x, w: x.conv2d(w, padding=2, stride=2),
        [half(3, 3, 40, 44), half(40, 3, 5, 5)],
        2e-3,
    ),
    "convolution float32": (
        lambda x, w: x.conv1d(w, padding=2),
        [floats(2, 32, 150), floats(32, 32, 5)],
        1e-5,
    ),
    "two convolutions": (
        lambda x, w: x.conv2d(w, padding=1).relu().conv2d(w, padding=1),
        [0.1 * half(2, 32, 12, 16), 0.1 * half(32, 32, 3, 3)],
        5e-3,
    ),
    "attention": (
        lambda q, k, v: ((q @ k.transpose(-1, -2)) * 0.1).softmax(-1) @ v,
        [floats(2, 40, 16), floats(2, 40, 16), floats(2, 40, 16)],
        1e-5,
    ),
    "running sum of rows": (lambda a: a.cumsum(1) * 2 - a, [floats(3, 700)], 1e-6),
    "running maximum of rows of any length": (lambda a: a.cummax(1).values, [floats(2, 301)], 0.0),
    "a long running sum": (lambda a: a.cumsum(0), [floats(40_000)], 1e-5),
    "segments": (
        lambda a, i: a.segment_reduce("sum", offsets=i),
        [np.abs(floats(300)), np.array([0, 3, 3, 200, 300])],  # sums that are not near zero
        1e-6,
    ),
    "segments of rows": (
        lambda a, i: (a * 2).segment_reduce("max", lengths=i),
        [floats(60, 24), np.array([8, 1, 51])],
        0.0,
    ),
    "maps side by side": (
        lambda a, b, c: (a * 2 + 1, b - 3, c.exp()), [floats(70, 3), floats(5), floats(9)], 1e-6,
    ),
    "a long sort": (lambda a: a.sort(0), [floats(2100)], 0.0),
    "many of a long row": (lambda a: a.topk(40), [floats(2, 2100)], 0.0),
}  # fmt: skip


def results(program: Callable[..., Any], arrays: list[Array], device: str) -> list[Array]:
    made = program(*[Tensor(a, device=device) for a in arrays])
    return [np.asarray(r.numpy()).astype(np.float64) for r in (made if isinstance(made, tuple) else (made,))]


@pytest.fixture(name="emulator")
def emulator_fixture() -> Iterator[None]:
    with emulated_gpu():
        yield


@needs_compiler
@pytest.mark.parametrize("kind", KINDS)
def test_kernels_compute_what_the_cpu_does(kind: str, emulator: None) -> None:
    program, arrays, tolerance = KINDS[kind]
    for ours, theirs in zip(results(program, arrays, "cuda"), results(program, arrays, "cpu"), strict=True):
        error = np.linalg.norm(ours - theirs) / max(float(np.linalg.norm(theirs)), 1e-30)
        assert error <= tolerance


@needs_compiler
@pytest.mark.parametrize(
    "wait", ["if (threadIdx.x < 32) __syncthreads()", "if (threadIdx.x != 5) __syncwarp()"]
)
def test_the_emulator_sees_a_barrier_that_some_threads_never_reach(wait: str) -> None:
    text = f'extern "C" __global__ void waiting(const u64 *values, u64 at, u64 offset) {{ {wait}; }}'
    launch = Launch(build(Source("waiting", text, 1, 1, grid=2, block=64)), ((0, 0),))
    with pytest.raises(AssertionError, match="different barriers"):
        EmulatedPlan([launch], 1, 0)([0])


@needs_compiler
@pytest.mark.parametrize("tile", [*COPIED_TILES, *ODD_TILES], ids=lambda t: f"{t.rows}x{t.columns}x{t.depth}")
@pytest.mark.parametrize("kind", ["product, odd sizes", "product float32", "convolution float32"])
def test_tiles_of_float32_compute_what_the_cpu_does(
    kind: str, tile: ThreadTile, emulator: None, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(cuda_product, "thread_tile", lambda *_: (tile, 0.0))
    monkeypatch.setattr(realize, "_executables", realize.Families())
    monkeypatch.setattr(realize, "compiler_digest", lambda: str(tile))
    laid_out.cache_clear()
    try:
        test_kernels_compute_what_the_cpu_does(kind, emulator)
    finally:
        laid_out.cache_clear()


def test_neighbours_are_loaded_as_vectors_and_what_fails_a_condition_not_at_all(emulator: None) -> None:
    with listening() as runs:
        results(best_listed, KINDS["best of a listed few, in vectors"][1], "cuda")
    texts = [source.text for run in runs if run.device == "cuda:0" for source in run.recipe.sources]
    (text,) = [text for text in texts if "for (" in text.partition("__global__")[2]]
    body = text.partition("__global__")[2]
    before, _, inside = body.partition("if (")
    # by the read-only path or not: small kernels begin before their inputs are there
    for part in (before, inside):
        assert len(re.findall(r"load_many(_once)?<4>", part)) == 1


@pytest.mark.parametrize("dtype", [dtypes.int32, dtypes.uint32])
def test_negatives_of_32_bits_are_hidden_from_the_assembler(dtype: dtypes.DType) -> None:
    """That of CUDA 13.0 forgot the sign of the second of three numbers whose least it takes."""
    name = f"{'u' if dtype.is_unsigned else 'i'}32"
    minus_one = literal(dtype.max if dtype.is_unsigned else -1, dtype)
    both = [dtype, dtype]
    assert expression(Op.NEG, ["x"], [dtype], True) == f"negative<{name}>(x)"
    assert expression(Op.MUL, ["x", f"({name})({minus_one})"], both, True) == f"negative<{name}>(x)"
    assert expression(Op.MUL, [minus_one, "x"], both, True) == f"negative<{name}>(x)"
    assert expression(Op.MUL, ["x", "-2"], both, True) == f"multiply<{name}>(x, -2)"


@pytest.fixture(name="hopper")
def hopper_fixture(monkeypatch: pytest.MonkeyPatch) -> None:
    """Products by warpgroups, also of matrices that would be too small for them."""
    monkeypatch.setattr(compiling, "settings", replace(settings, wgmma=True))
    monkeypatch.setattr(
        cuda_product, "tile_of", lambda m, n, *_: (64 if m <= 64 else 128, 256 if n > 128 else 128)
    )
    monkeypatch.setattr(layout, "LEAST_REUSE", 16)
    for device in (EmulatedDevice, Collector):
        monkeypatch.setattr(device, "arch", "sm_90a", raising=False)
        monkeypatch.setattr(device, "shared_limit", 227 * 1024, raising=False)
        monkeypatch.setattr(device, "processors", 1, raising=False)  # a block has several tiles


@pytest.fixture(name="bulk")
def bulk_fixture(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    """The bulk copy engine fills tiles of every size; what was made of the same products is forgotten."""
    monkeypatch.setattr(cuda_product, "_in_bulk", lambda *_: True)
    monkeypatch.setattr(realize, "_executables", realize.Families())
    monkeypatch.setattr(realize, "compiler_digest", lambda: "in bulk")
    laid_out.cache_clear()
    yield
    laid_out.cache_clear()


PRODUCTS: dict[str, tuple[Callable[..., Any], list[Array]]] = {
    "rows by columns": (lambda a, b: a @ b, [half(136, 328), half(328, 264)]),
    "rows by rows": (lambda a, b: a @ b.mT, [half(130, 136), half(120, 136)]),
    "results of odd rows": (lambda a, b: a @ b.mT, [half(130, 136), half(121, 136)]),
    "columns by columns": (lambda a, b: a.mT @ b, [half(200, 136), half(200, 136)]),
    "columns by rows": (lambda a, b: a.mT @ b.mT, [half(72, 136), half(120, 72)]),
    "bfloat16, computed": (
        lambda a, b: (a.bfloat16() * 2 @ b.bfloat16()).float(),
        [half(131, 277), half(277, 133)],
    ),
    "odd rows by columns": (lambda a, b: a @ b, [half(131, 277), half(277, 133)]),
    "odd columns by rows": (lambda a, b: a.mT @ b.mT, [half(77, 131), half(133, 77)]),
    "odd batch, long rows": (lambda a, b: a @ b, [half(3, 130, 75), half(3, 75, 137)]),
    "dequantised": (lambda a, b, s: a @ (b.half() * s), [half(131, 328), signed(328, 136), half(136)]),
    "gathered bytes": (
        lambda t, i, b: t.index_select(0, i).matmul(b, dtype="int32"),
        [signed(50, 160), integers(0, 50, "int64", 131), signed(160, 130)],
    ),
    "few rows by columns": (lambda a, b: a @ b, [half(50, 136), half(136, 520)]),
    "few columns by rows": (lambda a, b: a.mT @ b.mT, [half(136, 56), half(200, 136)]),
    "bytes by columns": (lambda a, b: a.matmul(b, dtype="int32"), [signed(136, 336), signed(336, 264)]),
    "bytes by rows": (lambda a, b: a.matmul(b.mT, dtype="int32"), [signed(130, 144), signed(120, 144)]),
    "float8 by rows": (
        lambda a, b: small(a).matmul(small(b).mT, dtype="float32"),
        [half(130, 272), half(140, 272)],
    ),
    "float8 by columns": (
        lambda a, b: small(a).float() @ small(b, "float8_e5m2").float(),
        [half(130, 80), half(80, 144)],
    ),
    "a convolution": (
        lambda x, w, b: x.conv2d(w, b, padding=1).relu(),
        [half(2, 40, 10, 16), half(48, 40, 3, 3), half(48)],
    ),
    "a bias and a residual": (
        lambda a, b, c, d: (a @ b + c).relu() + d,
        [half(136, 328), half(328, 264), half(264), half(136, 264)],
    ),
    "a batch": (lambda a, b: (a @ b).relu(), [half(2, 140, 64), half(2, 64, 72)]),
    "a batch by one matrix": (lambda a, b: a @ b, [half(2, 400, 80), half(80, 200)]),
}  # fmt: skip


#: those with a factor that is no matrix in memory
ODD = {"odd rows by columns", "odd columns by rows", "odd batch, long rows"}
NO_MATRIX = ODD | {"bfloat16, computed", "dequantised", "gathered bytes", "a convolution"}


@needs_compiler
@pytest.mark.parametrize("kind", PRODUCTS)
def test_warpgroups_compute_what_the_cpu_does(kind: str, emulator: None, hopper: None) -> None:
    program, arrays = PRODUCTS[kind]
    (ours,), (theirs,) = results(program, arrays, "cuda"), results(program, arrays, "cpu")
    assert np.linalg.norm(ours - theirs) <= 5e-3 * np.linalg.norm(theirs)


@needs_compiler
@pytest.mark.parametrize("kind", PRODUCTS)
def test_the_bulk_copy_engine_fills_tiles_as_threads_do(
    kind: str, emulator: None, hopper: None, bulk: None
) -> None:
    program, arrays = PRODUCTS[kind]
    with listening() as runs:
        (ours,) = results(program, arrays, "cuda")
    texts = [source.text for run in runs if run.device == "cuda:0" for source in run.recipe.sources]
    assert any("copy_box" in text for text in texts) == (kind not in NO_MATRIX)
    (theirs,) = results(program, arrays, "cpu")
    assert np.linalg.norm(ours - theirs) <= 5e-3 * np.linalg.norm(theirs)


@needs_compiler
@pytest.mark.parametrize("wgmma", [False, True])
def test_tf32_is_close_and_has_to_be_asked_for(
    wgmma: bool, emulator: None, hopper: None, monkeypatch: pytest.MonkeyPatch, rng: np.random.Generator
) -> None:
    a, b = (rng.standard_normal(shape).astype(np.float32) for shape in ((130, 72), (72, 140)))
    a[3, 5], b[7, 2] = np.inf, np.nan
    monkeypatch.setattr(cuda_product, "tile_of", lambda m, n, batches: (128, 128))
    exact, errors = a.astype(np.float64) @ b.astype(np.float64), {}
    for tf32 in (False, True):
        asked = replace(settings, wgmma=wgmma, tf32=tf32)
        for module in (compiling, cost, realize):
            monkeypatch.setattr(module, "settings", asked)
        monkeypatch.setattr(realize, "_executables", realize.Families())
        (ours,) = results(lambda x, y: x @ y, [a, b], "cuda")
        finite = np.isfinite(exact)
        np.testing.assert_array_equal(np.isfinite(ours), finite)
        errors[tf32] = np.linalg.norm(ours[finite] - exact[finite]) / np.linalg.norm(exact[finite])
    assert errors[False] < 1e-6
    assert 1e-4 < errors[True] < 5e-4


@needs_compiler
@pytest.mark.parametrize("turned", [False, True])
def test_what_lies_behind_an_odd_row_is_not_part_of_its_sum(turned: bool, emulator: None) -> None:
    """Chunks of 16 bytes reach into the next row, and the last one beyond the end of the memory."""
    a, b = half(131, 77).copy(), half(133, 77).copy()
    a[4], b[9] = np.nan, np.inf
    given = [a.T.copy(), b.T.copy()] if turned else [a, b]
    (ours,) = results(lambda x, y: x.mT @ y if turned else x @ y.mT, given, "cuda")
    with np.errstate(invalid="ignore"):
        exact = a.astype(np.float64) @ b.astype(np.float64).T
    others = np.ones(exact.shape, bool)
    others[4], others[:, 9] = False, False
    assert not np.isfinite(ours[~others]).any()
    np.testing.assert_allclose(ours[others], exact[others], rtol=5e-3, atol=5e-2)


def test_chunks_are_shifted_where_rows_are_longer_than_a_few(monkeypatch: pytest.MonkeyPatch) -> None:
    for kind, shifts in (("product, odd rows of halves", True), ("product, small ones", False)):
        (source,) = sources_of(kind, monkeypatch)
        body = source.text.partition("__global__")[2]
        assert ("shifted(" in body) == shifts


class Collector(HostDevice):
    """A device that only remembers what it was asked to compile."""

    def __init__(self) -> None:
        super().__init__("cuda:0")
        self.sources: list[Source] = []

    def compile(self, sources: list[Source]) -> list[Program]:
        self.sources += sources
        return [Collected(s) for s in sources]

    def plan(self, launches: list[Launch], slots: int, arena: int = 0) -> Any:
        return lambda addresses: None


class Collected:
    def __init__(self, source: Source) -> None:
        self.source = source


def sources_of(kind: str, monkeypatch: pytest.MonkeyPatch, arch: str = "") -> list[Source]:
    program, arrays = (KINDS | PRODUCTS)[kind][:2]
    return sources_for(program, arrays, monkeypatch, arch)


def sources_for(
    program: Callable[..., Any], arrays: list[Array], monkeypatch: pytest.MonkeyPatch, arch: str
) -> list[Source]:
    device = Collector()
    if arch:
        monkeypatch.setattr(device, "arch", arch, raising=False)
    monkeypatch.setitem(Device._open, "cuda:0", device)
    monkeypatch.setattr(realize, "_executables", realize.Families())
    results(program, arrays, "cuda")
    return device.sources


@cache
def nvrtc_missing() -> str | None:
    """Why kernels cannot be compiled for GPUs here, or None when they can."""
    try:
        from cuda.bindings import nvrtc

        nvrtc.nvrtcVersion()
    except (ImportError, RuntimeError) as error:
        return f'needs NVRTC, pip install "saccade[cuda]": {error}'
    return None


@pytest.fixture(name="nvrtc")
def nvrtc_fixture() -> None:
    reason = nvrtc_missing()
    if reason is not None:
        pytest.skip(reason)


ARCHITECTURES = ("sm_75", "sm_80", "sm_90a")


@pytest.mark.parametrize("kind", KINDS)
def test_kernels_compile(kind: str, monkeypatch: pytest.MonkeyPatch, nvrtc: None) -> None:
    """For the oldest architecture that a text is made for: the newer ones have all that it has."""
    from saccade.runtime.cuda.compiler import compile_cubin

    compiled: set[str] = set()
    for arch in ARCHITECTURES:
        sources = sources_of(kind, monkeypatch, arch)
        assert sources
        for source in sources:
            if source.text not in compiled:
                assert compile_cubin(source, arch)[:4] == b"\x7fELF"
                compiled.add(source.text)


@pytest.mark.slow
@pytest.mark.parametrize("arch", ARCHITECTURES)
@pytest.mark.parametrize("kind", KINDS)
def test_kernels_compile_everywhere(
    kind: str, arch: str, monkeypatch: pytest.MonkeyPatch, nvrtc: None
) -> None:
    from saccade.runtime.cuda.compiler import compile_cubin

    for source in sources_of(kind, monkeypatch, arch):
        assert compile_cubin(source, arch)[:4] == b"\x7fELF"


@pytest.mark.parametrize("kind", PRODUCTS)
def test_warpgroups_compile(kind: str, monkeypatch: pytest.MonkeyPatch, hopper: None, nvrtc: None) -> None:
    from saccade.runtime.cuda.compiler import compile_cubin

    sources = sources_of(kind, monkeypatch)
    assert sum("wgmma" in source.text for source in sources) == 1
    for source in sources:
        assert compile_cubin(source, "sm_90a")[:4] == b"\x7fELF"


@pytest.mark.parametrize(("arch", "wgmma"), [("sm_80", False), ("sm_90a", True)])
def test_tf32_compiles(
    arch: str, wgmma: bool, monkeypatch: pytest.MonkeyPatch, hopper: None, nvrtc: None
) -> None:
    from saccade.runtime.cuda.compiler import compile_cubin

    for module in (compiling, cost, realize):
        monkeypatch.setattr(module, "settings", replace(settings, wgmma=wgmma, tf32=True))
    sources = sources_of("product float32", monkeypatch)
    assert any("wgmma" in source.text for source in sources) == wgmma
    for source in sources:
        assert compile_cubin(source, arch)[:4] == b"\x7fELF"


@pytest.mark.parametrize("kind", ["map in vectors", "softmax by blocks", "product float16"])
def test_launches_have_threads_in_whole_warps(kind: str, monkeypatch: pytest.MonkeyPatch) -> None:
    for source in sources_of(kind, monkeypatch):
        assert source.block % 32 == 0
        assert 0 < source.block <= 1024
        assert source.grid > 0


def test_a_repeated_border_leaves_points_to_all_threads(monkeypatch: pytest.MonkeyPatch) -> None:
    """Once one thread had all 330 points, written out, in a megabyte that NVRTC did not finish."""
    (source,) = sources_of("the border of the best repeated", monkeypatch)
    assert source.grid * source.block >= 30 * 11
    assert len(source.text) < 100_000


def test_a_softmax_is_one_kernel_without_workspace(monkeypatch: pytest.MonkeyPatch) -> None:
    (source,) = sources_of("softmax by blocks", monkeypatch)
    assert source.workspace == 0


def test_equal_kernels_are_rendered_once(monkeypatch: pytest.MonkeyPatch) -> None:
    before = laid_out.cache_info().misses
    sources_of("map in vectors", monkeypatch)
    sources_of("map in vectors", monkeypatch)
    assert laid_out.cache_info().misses <= before + 1


def test_cards_of_one_architecture_have_kernels_of_their_own(monkeypatch: pytest.MonkeyPatch) -> None:
    """The cache on disk may be shared by cards with another number of multiprocessors, or have kernels of the
    one that was here before."""
    square, grids = half(512, 512), []
    for processors in (132, 16):
        monkeypatch.setattr(Collector, "processors", processors, raising=False)
        (source,) = sources_for(lambda a, b: a @ b, [square, square], monkeypatch, "sm_90a")
        grids.append(source.grid)
    assert grids[0] > grids[1]


def test_buffers_are_known_to_be_in_global_memory(nvrtc: None) -> None:
    """A generic access would ask which memory is meant, each time; addresses come from a table."""
    from saccade.runtime.cuda.compiler import compile_ptx

    given = [Tensor.zeros(*shape).realize() for shape in ((4096,), (64, 512))]
    kernels = kernels_of(given[0] * 2 + 1)
    kernels += kernels_of(given[1].sum(1))
    for kernel in kernels:
        text = compile_ptx(cuda_source(kernel), "sm_90a")
        accesses = re.findall(r"^\s+(?:@%p\d+ )?((?:ld|st)\.[\w.:]+)", text, re.MULTILINE)
        assert any(a.startswith("st.global") for a in accesses)
        assert all(a.split(".")[1] in ("global", "param", "shared") for a in accesses), accesses
