"""Forty common programs, as our users and torch's write them: what `bench.sweep` compares.

    Common("sum of columns, 4096x1024", lambda r: (r.normal(4096, 1024),), lambda a: a.sum(0))

One program serves both where the names are the same; otherwise torch's comes second. Torch is imported when a
program of its own runs.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np

from bench.case import Array, Arrays, Program


class Draw:
    """Inputs by a seed."""

    def __init__(self, seed: int = 0) -> None:
        self.rng = np.random.default_rng(seed)

    def normal(self, *shape: int) -> Array:
        return self.rng.standard_normal(shape, dtype=np.float32)

    def below(self, most: int, *shape: int) -> Array:
        return self.rng.integers(0, most, shape)

    def bytes(self, *shape: int) -> Array:
        return self.rng.integers(-8, 9, shape).astype(np.int8)


@dataclass(frozen=True)
class Common:
    """A program; `peer` is torch's where it is written otherwise, `tolerance` of the largest result."""

    name: str
    inputs: Callable[[Draw], Arrays]
    ours: Program
    peer: Program | None = None
    tolerance: float = 1e-3


def functional(name: str, **options: Any) -> Program:
    """A function of torch.nn.functional."""

    def call(*inputs: Any) -> Any:
        import torch

        return getattr(torch.nn.functional, name)(*inputs, **options)

    return call


def torch_of(write: Callable[[Any], Program]) -> Program:
    """A program that needs the module itself."""

    def call(*inputs: Any) -> Any:
        import torch

        return write(torch)(*inputs)

    return call


def mlp(x: Any, up: Any, down: Any) -> Any:
    return (x @ up).gelu() @ down


def gated(x: Any, gate: Any, up: Any, down: Any) -> Any:
    return ((x @ gate).silu() * (x @ up)) @ down


def attention_block(x: Any, qkv: Any, out: Any) -> Any:
    n, d = x.shape
    q, k, v = ((x @ qkv).reshape(n, 3, 8, d // 8).permute(1, 2, 0, 3)[i] for i in range(3))
    weights = (q @ k.transpose(-1, -2) * (d // 8) ** -0.5).softmax(-1)
    return x + (weights @ v).permute(1, 0, 2).reshape(n, d) @ out


def residual_block(x: Any, first: Any, second: Any) -> Any:
    return (x.conv2d(first, padding=1).relu().conv2d(second, padding=1) + x).relu()


def rms_norm(x: Any, weight: Any) -> Any:
    return x * (x.square().mean(-1, keepdim=True) + 1e-6).rsqrt() * weight


def torch_mlp(torch: Any) -> Program:
    return lambda x, up, down: torch.nn.functional.gelu(x @ up) @ down


def torch_gated(torch: Any) -> Program:
    return lambda x, gate, up, down: (torch.nn.functional.silu(x @ gate) * (x @ up)) @ down


def torch_residual(torch: Any) -> Program:
    f = torch.nn.functional
    return lambda x, a, b: f.relu(f.conv2d(f.relu(f.conv2d(x, a, padding=1)), b, padding=1) + x)


COMMON: tuple[Common, ...] = (
    Common("sum of columns, 4096x1024", lambda r: (r.normal(4096, 1024),), lambda a: a.sum(0)),
    Common("sum of rows, 4096x1024", lambda r: (r.normal(4096, 1024),), lambda a: a.sum(1)),
    Common("sum over the middle, 64x256x256", lambda r: (r.normal(64, 256, 256),), lambda a: a.sum(1)),
    Common("sum over two axes, 64x64x28x28", lambda r: (r.normal(64, 64, 28, 28),), lambda a: a.sum((0, 2))),
    Common("variance of columns, 4096x1024", lambda r: (r.normal(4096, 1024),), lambda a: a.var(0)),
    Common("deviation of rows, 4096x1024", lambda r: (r.normal(4096, 1024),), lambda a: a.std(1)),
    Common("argmax of rows, 4096x1024", lambda r: (r.normal(4096, 1024),), lambda a: a.argmax(1)),
    Common("argmax of columns, 4096x1024", lambda r: (r.normal(4096, 1024),), lambda a: a.argmax(0)),
    Common("running sum of rows, 1024x1024", lambda r: (r.normal(1024, 1024),), lambda a: a.cumsum(1)),
    Common("running sum of columns, 1024x1024", lambda r: (r.normal(1024, 1024),), lambda a: a.cumsum(0)),
    Common("gather along rows, 4096x256", lambda r: (r.normal(4096, 256), r.below(256, 4096, 64)),
           lambda a, i: a.gather(1, i)),
    Common("rows by number, 65,536 of 256", lambda r: (r.normal(10000, 256), r.below(10000, 65536)),
           lambda a, i: a.index_select(0, i)),
    Common("scatter_add, 65,536 rows of 64 into 1,000",
           lambda r: (np.zeros((1000, 64), np.float32), r.below(1000, 65536), r.normal(65536, 64)),
           lambda a, i, x: a.index_add(0, i, x)),
    Common("one-hot of 65,536 by 64", lambda r: (r.below(64, 65536),), lambda i: i.one_hot(64),
           functional("one_hot", num_classes=64)),
    Common("64 products of 64 cubed", lambda r: (r.normal(64, 64, 64), r.normal(64, 64, 64)),
           lambda a, b: a @ b),
    Common("x.T @ y, 512 cubed", lambda r: (r.normal(512, 512), r.normal(512, 512)),
           lambda a, b: a.transpose(0, 1) @ b),
    Common("x @ y.T, 512 cubed", lambda r: (r.normal(512, 512), r.normal(512, 512)),
           lambda a, b: a @ b.transpose(0, 1)),
    Common("1023x777 @ 777x513", lambda r: (r.normal(1023, 777), r.normal(777, 513)), lambda a, b: a @ b),
    Common("float16 product, 512 cubed",
           lambda r: (r.normal(512, 512).astype(np.float16), r.normal(512, 512).astype(np.float16)),
           lambda a, b: a @ b, tolerance=1e-2),
    Common("int8 product in int32, 512 cubed", lambda r: (r.bytes(512, 512), r.bytes(512, 512)),
           lambda a, b: a.matmul(b, dtype="int32"), torch_of(lambda torch: torch._int_mm)),
    Common("depthwise 3x3, 8x128x56x56", lambda r: (r.normal(8, 128, 56, 56), r.normal(128, 1, 3, 3)),
           lambda x, w: x.conv2d(w, padding=1, groups=128), functional("conv2d", padding=1, groups=128)),
    Common("1x1 convolution, 8x128x28x28 to 128",
           lambda r: (r.normal(8, 128, 28, 28), r.normal(128, 128, 1, 1)),
           lambda x, w: x.conv2d(w), functional("conv2d")),
    Common("strided 3x3, 8x64x56x56 to 128", lambda r: (r.normal(8, 64, 56, 56), r.normal(128, 64, 3, 3)),
           lambda x, w: x.conv2d(w, stride=2, padding=1), functional("conv2d", stride=2, padding=1)),
    Common("dilated 3x3, 4x64x56x56 to 64", lambda r: (r.normal(4, 64, 56, 56), r.normal(64, 64, 3, 3)),
           lambda x, w: x.conv2d(w, padding=2, dilation=2), functional("conv2d", padding=2, dilation=2)),
    Common("max pool 2x2, 8x64x112x112", lambda r: (r.normal(8, 64, 112, 112),), lambda x: x.max_pool2d(2),
           functional("max_pool2d", kernel_size=2)),
    Common("average pool 3x3 by 2, 8x64x56x56", lambda r: (r.normal(8, 64, 56, 56),),
           lambda x: x.avg_pool2d(3, 2), functional("avg_pool2d", kernel_size=3, stride=2)),
    Common("interpolate by 2, nearest, 4x64x56x56", lambda r: (r.normal(4, 64, 56, 56),),
           lambda x: x.interpolate((112, 112), mode="nearest"), functional("interpolate", size=(112, 112))),
    Common("layer norm over two axes, 512x32x64", lambda r: (r.normal(512, 32, 64),),
           lambda x: x.layer_norm((32, 64)), functional("layer_norm", normalized_shape=(32, 64))),
    Common("RMS norm, 4096x1024", lambda r: (r.normal(4096, 1024), r.normal(1024)), rms_norm),
    Common("GELU MLP, 256x512x2048", lambda r: (r.normal(256, 512), r.normal(512, 2048), r.normal(2048, 512)),
           mlp, torch_of(torch_mlp)),
    Common("gated MLP, 128x512x1024",
           lambda r: (r.normal(128, 512), r.normal(512, 1024), r.normal(512, 1024), r.normal(1024, 512)),
           gated, torch_of(torch_gated)),
    Common("cross entropy, 4096x1000", lambda r: (r.normal(4096, 1000), r.below(1000, 4096)),
           lambda x, y: x.cross_entropy(y), functional("cross_entropy")),
    Common("transposed copy, 2048 squared", lambda r: (r.normal(2048, 2048),),
           lambda a: a.transpose(0, 1).contiguous()),
    Common("where with a mask, 4M", lambda r: (r.normal(1 << 22),), lambda a: a.where(a > 0, 0.0),
           torch_of(lambda torch: lambda a: torch.where(a > 0, a, 0.0))),
    Common("sum of a column and a row, 4096x1024", lambda r: (r.normal(4096, 1), r.normal(1, 1024)),
           lambda a, b: a + b),
    Common("pad by 1, 16x64x56x56", lambda r: (r.normal(16, 64, 56, 56),), lambda x: x.pad((1, 1, 1, 1)),
           functional("pad", pad=(1, 1, 1, 1))),
    Common("join of three along columns, 4096x256", lambda r: tuple(r.normal(4096, 256) for _ in range(3)),
           lambda *a: type(a[0]).cat(a, 1), torch_of(lambda torch: lambda *a: torch.cat(a, 1))),
    Common("top 10 of 1024 rows of 4096", lambda r: (r.normal(1024, 4096),), lambda a: a.topk(10).values),
    Common("histogram of 1M numbers, 64 bins", lambda r: (r.normal(1 << 20),), lambda a: a.histc(64, -3, 3)),
    Common("distances of 1,000 to 1,000 in 64", lambda r: (r.normal(1000, 64), r.normal(1000, 64)),
           lambda a, b: a.cdist(b), torch_of(lambda torch: torch.cdist)),
    Common("softmax of columns, 2048x1024", lambda r: (r.normal(2048, 1024),), lambda a: a.softmax(0)),
    Common("residual block, 4x64x28x28",
           lambda r: (r.normal(4, 64, 28, 28), r.normal(64, 64, 3, 3), r.normal(64, 64, 3, 3)),
           residual_block, torch_of(torch_residual)),
    Common("attention block, 256x512, 8 heads",
           lambda r: (r.normal(256, 512), r.normal(512, 1536), r.normal(512, 512)),
           attention_block),
)  # fmt: skip
