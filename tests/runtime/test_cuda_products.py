"""Products on a real GPU, whole and odd sizes of every type the tensor cores take, against the CPU; and how
many kernels they take."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

from saccade import Tensor
from saccade.runtime.watch.debug import listening

pytestmark = pytest.mark.gpu

RNG = np.random.default_rng(5)
Array = np.ndarray[Any, Any]


def floats(*shape: int, dtype: str = "float16") -> Array:
    return RNG.standard_normal(shape).astype(dtype)


def signed(*shape: int) -> Array:
    return RNG.integers(-128, 128, shape).astype("int8")


def small(x: Tensor, dtype: str = "float8_e4m3") -> Tensor:
    return x.cast(dtype).contiguous()


#: name -> (program, arguments, relative error allowed, kernels)
PRODUCTS: dict[str, tuple[Callable[..., Tensor], Callable[[], list[Array]], float, int]] = {
    "convolution": (
        lambda x, w, b: x.conv2d(w, b, padding=1).relu(),
        lambda: [floats(4, 64, 30, 33), floats(96, 64, 3, 3), floats(96)],
        2e-3,
        3,
    ),
    "convolution by warpgroups": (
        lambda x, w: x.conv2d(w, padding=1),
        lambda: [floats(16, 64, 56, 56), floats(128, 64, 3, 3)],
        2e-3,
        3,
    ),
    "convolution in groups": (
        lambda x, w: x.conv2d(w, groups=4, stride=2),
        lambda: [floats(4, 128, 40, 41), floats(256, 32, 3, 3)],
        2e-3,
        3,
    ),
    "convolution of volumes": (
        lambda x, w: x.conv3d(w, padding=1, dilation=(1, 2, 1)),
        lambda: [floats(2, 32, 9, 14, 20), floats(48, 32, 3, 3, 3)],
        2e-3,
        3,
    ),
    "convolution, three channels": (
        lambda x, w: x.conv2d(w, stride=2, padding=3),
        lambda: [floats(2, 3, 64, 64), floats(32, 3, 7, 7)],
        2e-3,
        3,
    ),
    "convolution float32": (
        lambda x, w: x.conv1d(w, padding=2),
        lambda: [floats(4, 32, 500, dtype="float32"), floats(64, 32, 5, dtype="float32")],
        1e-5,
        3,
    ),
    "int8": (
        lambda a, b: a.matmul(b, dtype="int32"),
        lambda: [signed(2048, 1000), signed(1000, 1500)],
        0.0,
        3,
    ),
    "int8, turned first": (
        lambda a, b: a.matmul(b, dtype="int32"),
        lambda: [signed(2048, 1008), signed(1008, 1536)],
        0.0,
        2,
    ),
    "int8 by rows": (
        lambda a, b: a.matmul(b.mT, dtype="int32"),
        lambda: [signed(130, 144), signed(70, 144)],
        0.0,
        1,
    ),
    "float8": (
        lambda a, b: small(a).matmul(small(b).mT, dtype="float32"),
        lambda: [floats(2048, 1040), floats(1500, 1040)],
        1e-3,
        2,  # both casts are one launch
    ),
    "both kinds of float8": (
        lambda a, b: small(a).float() @ small(b, "float8_e5m2").float(),
        lambda: [floats(130, 77), floats(77, 133)],
        1e-3,
        2,
    ),
    "dequantised": (
        lambda a, b, s: a @ (b.half() * s),
        lambda: [floats(256, 512), signed(512, 1024), floats(1024)],
        2e-3,
        1,
    ),
    "dequantised once for many rows": (
        lambda a, b, s: a @ (b.half() * s),
        lambda: [floats(2048, 512), signed(512, 1024), floats(1024)],
        2e-3,
        2,
    ),
    "rows by rows in bulk": (
        lambda a, b: a @ b.mT,
        lambda: [floats(2100, 1000), floats(2312, 1000)],
        2e-3,
        1,
    ),
    "turned, in bulk": (lambda a, b: a.mT @ b, lambda: [floats(1000, 2104), floats(1000, 2312)], 2e-3, 1),
    "a batch in bulk": (lambda a, b: a @ b, lambda: [floats(5, 1100, 520), floats(5, 520, 1032)], 2e-3, 1),
    "one after the other in bulk": (
        lambda a, b, c: ((a @ b).relu() @ c) @ b,
        lambda: [0.05 * floats(2048, 2048), 0.05 * floats(2048, 2304), 0.05 * floats(2304, 2048)],
        3e-3,
        3,
    ),
    "in parts": (lambda a, b: (a @ b).relu(), lambda: [floats(64, 16384), floats(16384, 128)], 2e-3, 2),
    "in parts, float32": (
        lambda a, b: a @ b,
        lambda: [floats(200, 8192, dtype="float32"), floats(8192, 136, dtype="float32")],
        1e-5,
        2,
    ),
    "few rows of halves": (lambda a, b: a @ b, lambda: [floats(3, 4096), floats(4096, 2048)], 2e-3, 2),
    "few rows": (
        lambda a, b: a @ b,
        lambda: [floats(9, 4096, dtype="float32"), floats(4096, 2048, dtype="float32")],
        1e-5,
        2,
    ),
    "few columns": (
        lambda a, b: a @ b,
        lambda: [floats(8000, 1024, dtype="float32"), floats(1024, 7, dtype="float32")],
        1e-5,
        1,
    ),
    "float64": (
        lambda a, b: a @ b,
        lambda: [floats(1000, 130, dtype="float64"), floats(130, 2100, dtype="float64")],
        1e-12,
        1,
    ),
    "halves, many tiles": (lambda a, b: a @ b, lambda: [floats(3000, 520), floats(520, 4104)], 2e-3, 1),
    "turned": (lambda a: a.permute(0, 2, 3, 1).contiguous(), lambda: [floats(8, 72, 19, 40)], 0.0, 1),
    "turned, padded": (lambda a: (a.pad((1, 2)).mT + 1).contiguous(), lambda: [floats(300, 200)], 0.0, 1),
}


@pytest.mark.parametrize("name", PRODUCTS)
def test_agrees_with_the_cpu(name: str) -> None:
    program, arguments, tolerance, kernels = PRODUCTS[name]
    arrays = arguments()
    results = {}
    for device in ("cpu", "cuda"):
        with listening() as runs:
            made = program(*[Tensor(a, device=device) for a in arrays]).realize()
        results[device] = np.asarray(made.double().numpy())
        if device == "cuda":
            assert sum(len(run.recipe.steps) for run in runs) == kernels
    error = np.linalg.norm(results["cuda"] - results["cpu"]) / np.linalg.norm(results["cpu"])
    assert error <= tolerance
