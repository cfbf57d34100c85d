"""Ops besides the large products, beside torch's on one GPU: few queries against many keys, columns,
segments, sorts, small convolutions.

    python -m bench.gpu_check ops             # all of them
    python -m bench.gpu_check ops:decode      # those with this in their name

Times are medians of device time of jitted calls, ours and torch's in the same run with the same inputs;
inputs that would stay in the card's cache from call to call take turns with others. `floor` is the time of
the bytes each input and result has at the card's copy rate, or of the operations at its rate for that
type."""

from __future__ import annotations

import math
import statistics
from collections.abc import Callable
from functools import partial
from itertools import cycle
from typing import Any, Final

import numpy as np

from bench.gpu_timing import attempt, device_ms, torch_ms
from saccade import Tensor, jit
from saccade.runtime.device import Device

#: bytes and operations a second that an H200 reached: copies, products in halves and in float32
COPY_RATE, HALF_RATE, FLOAT_RATE = 4.2e12, 790e12, 60e12
#: bytes of inputs that no call finds in the cache
_CACHE_BYTES: Final = 150 << 20
#: ours and torch's for one set of inputs, and the floor in seconds
Case = tuple[Callable[[], Any], Callable[[], Any], float]


def numbers(*shape: int, dtype: str = "float32", scale: float = 1.0) -> tuple[Tensor, Any]:
    """Random numbers, drawn by torch: for us and for it the same memory."""
    import torch

    made = (torch.randn(shape, device="cuda") * scale).to(getattr(torch, dtype))
    return shared(made), made


def shared(tensor: Any) -> Tensor:
    import torch

    torch.cuda.synchronize()
    return Tensor.from_dlpack(tensor)


def attention(batch: int, heads: int, queries: int, keys: int, width: int, together: int = 1) -> Case:
    """`together` heads of queries to a head of keys."""
    import torch.nn.functional as F

    scale = 1 / math.sqrt(width)
    q, p = numbers(batch, heads, queries * together, width, dtype="bfloat16")
    (k, r), (v, s) = (numbers(batch, heads, keys, width, dtype="bfloat16") for _ in range(2))
    mine = jit(lambda q, k, v: ((q @ k.mT) * scale).softmax(-1) @ v)
    nbytes = 4.0 * batch * heads * keys * width
    operations = 4.0 * batch * heads * queries * together * keys * width
    floor = max(nbytes / COPY_RATE, operations / HALF_RATE)
    return partial(mine, q, k, v), (lambda: F.scaled_dot_product_attention(p, r, s)), floor


def columns(program: Callable[[Any], Any], *shape: int) -> Case:
    x, p = numbers(*shape)
    return partial(jit(program), x), partial(program, p), 4.0 * x.numel() / COPY_RATE


def segments(kind: str, count: int, width: int, groups: int, ordered: bool) -> Case:
    """Rows of segments, reduced: `ordered` by segment_reduce, otherwise by scatter_reduce on both sides."""
    import torch

    x, p = numbers(count, width)
    at = torch.randint(0, groups, (count,), device="cuda")
    at = at.sort().values if ordered else at
    index = shared(at)
    name = {"max": "amax", "sum": "sum"}[kind]
    wide = at.reshape(-1, 1).expand(count, width)
    zeros = torch.zeros(groups, width, device="cuda")
    floor = (4.0 * count * width + 8.0 * count + 4.0 * groups * width) / COPY_RATE

    def theirs() -> Any:
        return zeros.scatter_reduce(0, wide, p, name, include_self=False)

    if ordered:
        mine = jit(lambda x, i: x.segment_reduce(kind, indices=i, num_segments=groups))
        return partial(mine, x, index), theirs, floor
    base = shared(zeros)
    if kind == "sum":
        return (
            partial(jit(lambda b, x, i: b.index_add(0, i, x)), base, x, index),
            lambda: zeros.index_add(0, at, p),
            floor,
        )

    def largest(base: Tensor, x: Tensor, index: Tensor) -> Tensor:
        rows = index.reshape(-1, 1).expand(count, width)
        return base.scatter_reduce(0, rows, x, "amax", include_self=False)

    return partial(jit(largest), base, x, index), theirs, floor


def convolution(batch: int, channels: int, side: int) -> Case:
    import torch.nn.functional as F

    x, p = numbers(batch, channels, side, side, dtype="float16")
    w, q = numbers(channels, channels, 3, 3, dtype="float16", scale=0.02)
    operations = 2.0 * batch * side * side * channels * channels * 9
    mine = jit(lambda x, w: x.conv2d(w, padding=1))
    return partial(mine, x, w), (lambda: F.conv2d(p, q, padding=1)), operations / HALF_RATE


def sorted_rows(rows: int, length: int) -> Case:
    x, p = numbers(rows, length)
    mine = jit(lambda x: x.sort(1))
    return partial(mine, x), (lambda: p.sort(1)), 16.0 * x.numel() / COPY_RATE


def product(m: int, n: int, k: int, dtype: str) -> Case:
    (a, p), (b, q) = numbers(m, k, dtype=dtype), numbers(k, n, dtype=dtype)
    item, rate = (4.0, FLOAT_RATE) if dtype == "float32" else (2.0, HALF_RATE)
    floor = max(2.0 * m * n * k / rate, item * (m * k + n * k + m * n) / COPY_RATE)
    return partial(jit(lambda a, b: a @ b), a, b), (lambda: p @ q), floor


CASES: dict[str, Callable[[], Case]] = {
    "decode 1x32 heads, 1 query, 8192 keys": lambda: attention(1, 32, 1, 8192, 128),
    "decode 8x32 heads, 1 query, 8192 keys": lambda: attention(8, 32, 1, 8192, 128),
    "decode 1x8 heads, 4 to one, 32768 keys": lambda: attention(1, 8, 1, 32768, 128, 4),
    "decode 1x32 heads, 16 queries, 8192 keys": lambda: attention(1, 32, 16, 8192, 128),
    "decode 4x16 heads, 64 queries, 4096 keys": lambda: attention(4, 16, 64, 4096, 64),
    "decode 4x16 heads, 64 queries, 4096 keys, 128 wide": lambda: attention(4, 16, 64, 4096, 128),
    "decode 4x16 heads, 128 queries, 4096 keys": lambda: attention(4, 16, 128, 4096, 64),
    "argmax of columns 8192x8192": lambda: columns(lambda x: x.argmax(0), 8192, 8192),
    "argmax of columns 1000000x64": lambda: columns(lambda x: x.argmax(0), 1_000_000, 64),
    "argmax over the middle 64x256x1024": lambda: columns(lambda x: x.argmax(1), 64, 256, 1024),
    "max and argmax of columns 8192x8192": lambda: columns(lambda x: tuple(x.max(0)), 8192, 8192),
    "segment max 1000000x64, 10000": lambda: segments("max", 1_000_000, 64, 10_000, True),
    "segment sum 1000000x64, 10000": lambda: segments("sum", 1_000_000, 64, 10_000, True),
    "scatter max 1000000x64, 10000": lambda: segments("max", 1_000_000, 64, 10_000, False),
    "index_add 1000000x64, 10000": lambda: segments("sum", 1_000_000, 64, 10_000, False),
    "conv 3x3 512, 64x7x7": lambda: convolution(64, 512, 7),
    "conv 3x3 512, 32x7x7": lambda: convolution(32, 512, 7),
    "conv 3x3 256, 64x14x14": lambda: convolution(64, 256, 14),
    "sort of rows 16384x1024": lambda: sorted_rows(16384, 1024),
    "sort of rows 1024x16384": lambda: sorted_rows(1024, 16384),
    "gemm f32 4096": lambda: product(4096, 4096, 4096, "float32"),
    "gemm f16 16x4096x4096": lambda: product(16, 4096, 4096, "float16"),
    "gemm f16 1024": lambda: product(1024, 1024, 1024, "float16"),
    "gemm f16 2048x1024x1024": lambda: product(2048, 1024, 1024, "float16"),
}


def run_ops(only: str = "") -> None:
    import torch

    torch.backends.cuda.matmul.allow_tf32 = False
    torch.backends.cudnn.benchmark = True
    print(f"{'case':50s} {'ours ms':>9} {'torch ms':>9} {'ratio':>6} {'floor ms':>9}")
    card: Any = Device["cuda"]
    for name, make in CASES.items():
        if only in name:
            attempt(f"{name:50s}", partial(_race, make))
            torch.cuda.empty_cache()
            card.release_memory()


def _race(make: Callable[[], Case]) -> str:
    first = make()
    nbytes = sum(n.numel() * n.dtype.itemsize for n in _tensors(first[0]))
    sets = [first, *(make() for _ in range(min(max(_CACHE_BYTES // nbytes, 1), 4) - 1))]
    error = _distance(first[0](), first[1]())
    mine, theirs = _turns([s[0] for s in sets]), _turns([s[1] for s in sets])
    ours = statistics.median(device_ms(mine, 5) for _ in range(2))
    other = statistics.median(torch_ms(theirs, 5) for _ in range(2))
    told = f"{ours:9.4f} {other:9.4f} {other / ours:6.2f} {first[2] * 1e3:9.4f}   error {error:.1e}"
    return f"{told}{' WRONG' if not error < 0.02 else ''}"


def _tensors(call: Any) -> list[Tensor]:
    return [a for a in call.args if isinstance(a, Tensor)]


def _turns(calls: list[Callable[[], Any]]) -> Callable[[], Any]:
    """The calls one after the other, again and again: each a set of inputs."""
    following = cycle(calls)
    return lambda: next(following)()


def _distance(ours: Any, theirs: Any) -> float:
    """The distance of our results from torch's, relative to their norm."""
    pairs = zip(ours, theirs, strict=True) if isinstance(theirs, tuple) else [(ours, theirs)]
    worst = 0.0
    for x, y in pairs:
        a, b = (t.reshape(-1)[: 1 << 20] for t in (x, y))
        mine, other = np.asarray(a.cast("float64").numpy()), b.double().cpu().numpy()
        worst = max(worst, float(np.linalg.norm(mine - other)) / max(float(np.linalg.norm(other)), 1e-300))
    return worst
