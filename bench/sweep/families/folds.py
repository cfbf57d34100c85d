"""Few results of long sums over several axes, short rows under other reductions, mixed axes."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from bench.sweep.families.gradients import gradients, weighed
from bench.sweep.families.vision import weight
from bench.sweep.program import Input, Program, normal

FLOAT = ("float32",)
BOTH = ("float32", "bfloat16")
IMAGES = ((4, 64, 28), (8, 128, 14), (3, 33, 29))
SHORT = ((65536, 18), (65536, 27), (40009, 10))


def by_weights(rank: int, side: int, stride: int = 1, dilation: int = 1, groups: int = 0) -> dict[str, Any]:
    """The gradient of a convolution by its weights, in so many groups or one for each channel."""
    padding = dilation * (side // 2)

    def inputs(n: int, channels: int, length: int) -> tuple[Input, ...]:
        out = (length + 2 * padding - dilation * (side - 1) - 1) // stride + 1
        kernel = weight(channels, channels // (groups or channels), side)
        if rank == 1:
            kernel = normal(channels, channels // (groups or channels), side)
        return normal(n, channels, *[length] * rank), kernel, normal(n, channels, *[out] * rank)

    def forward(t: Any, x: Any, w: Any) -> Any:
        convolved = t.conv1d if rank == 1 else t.conv2d
        how = {"padding": padding, "stride": stride, "dilation": dilation}
        return convolved(x, w, groups=groups or x.shape[1], **how)

    return {"inputs": inputs, "sizes": IMAGES, **gradients(weighed(forward), 1)}


def rows(call: Callable[..., Any], *sizes: tuple[int, ...], inputs: int = 1) -> dict[str, Any]:
    """Of one input, or several alike."""
    return {
        "inputs": lambda *shape: tuple(normal(*shape) for _ in range(inputs)),
        "sizes": sizes or SHORT,
        "call": call,
    }


def sequences(**how: int) -> dict[str, Any]:
    return by_weights(1, **how) | {"sizes": ((4, 256, 1024), (8, 64, 4096), (3, 33, 3001))}


PROGRAMS = (
    Program("weights of a depthwise 5x5", dtypes=FLOAT, **by_weights(2, 5)),
    Program("weights of a depthwise 7x7", dtypes=FLOAT, **by_weights(2, 7)),
    Program("weights of a strided depthwise 3x3", dtypes=FLOAT, **by_weights(2, 3, stride=2)),
    Program("weights of a dilated depthwise 3x3", dtypes=BOTH, **by_weights(2, 3, dilation=2)),
    Program("weights of a depthwise conv1d of 4", dtypes=BOTH, **sequences(side=4)),
    Program("weights of a depthwise conv1d of 31", dtypes=FLOAT, **sequences(side=31)),
    Program("weights of a grouped 3x3", dtypes=FLOAT,
            **by_weights(2, 3, groups=8) | {"sizes": ((4, 64, 28), (8, 128, 14), (3, 40, 29))}),
    Program("mean of the largest of short rows", dtypes=BOTH, **rows(lambda t, x: x.amax(1).mean())),
    Program("mean spread of short rows", dtypes=FLOAT, **rows(lambda t, x: (x.amax(1) - x.amin(1)).mean())),
    Program("mean logsumexp of short rows", dtypes=BOTH, **rows(lambda t, x: x.logsumexp(1).mean())),
    Program("softmax of short rows", dtypes=BOTH, **rows(lambda t, x: x.softmax(1))),
    Program("short rows standardised", dtypes=FLOAT, loose=3, **rows(
        lambda t, x: (x - x.mean(1, keepdim=True)) * (x.var(1, keepdim=True) + 1e-5).rsqrt())),
    Program("dots of short rows", dtypes=BOTH, **rows(lambda t, x, y: (x * y).sum(1), inputs=2)),
    Program("mean length of points", dtypes=FLOAT, **rows(
        lambda t, x: x.square().sum(1).sqrt().mean(), (65536, 3), (65536, 7), (40009, 16))),
    Program("largest of sums of rows", dtypes=BOTH, **rows(
        lambda t, x: x.sum(2).amax(1), (2048, 16, 26), (512, 64, 49), (1001, 27, 33))),
    Program("largest of sums of columns", dtypes=BOTH, **rows(
        lambda t, x: x.sum(1).amax(1), (2048, 26, 16), (512, 49, 64), (1001, 27, 33))),
    Program("sums over the first and third axis", dtypes=BOTH, grows=4, **rows(
        lambda t, x: x.sum((0, 2)), (16, 32, 64, 48), (64, 4, 256, 33), (33, 65, 29, 17))),
    Program("sums over the second and last axis", dtypes=BOTH, grows=4, **rows(
        lambda t, x: x.sum((1, 3)), (4, 64, 64, 64), (1, 512, 8, 512), (3, 65, 29, 33))),
    Program("mean product of channels", dtypes=BOTH, **rows(
        lambda t, x, y: (x * y).mean((0, 2, 3)), (4, 64, 28, 28), (2, 8, 128, 128), (3, 33, 57, 57),
        inputs=2)),
    Program("pools of 5x5", dtypes=FLOAT, **rows(
        lambda t, x: x.mean((2, 3)), (256, 128, 5, 5), (64, 512, 4, 4), (99, 257, 3, 7))),
)  # fmt: skip
