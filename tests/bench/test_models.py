"""ResNet-18's text: the shapes fit, and the residual path is there."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from bench.cases.products import conv_numpy
from bench.models import STAGES, Layers, resnet18, resnet18_parameters


def strided(
    x: NDArray[np.float32], weight: NDArray[np.float32], stride: int, padding: int
) -> NDArray[np.float32]:
    """A convolution by way of the 3x3 one; other kernels only keep their centre, enough for shapes."""
    size = weight.shape[-1]
    kernel = np.zeros((*weight.shape[:2], 3, 3), np.float32)
    kernel[:, :, 1, 1] = weight[:, :, size // 2, size // 2]
    assert padding == size // 2
    return conv_numpy(x, weight if size == 3 else kernel)[:, :, ::stride, ::stride]


NUMPY = Layers(conv=strided, max_pool=lambda x: x[:, :, ::2, ::2], relu=lambda x: np.maximum(x, 0))


def test_parameter_count_is_resnet18s() -> None:
    parameters = resnet18_parameters(np.random.default_rng(0))
    learned = sum(a.size for n, a in parameters.items() if not n.endswith((".mean", ".variance")))
    assert learned == 11_689_512
    assert all(array.dtype == np.float32 for array in parameters.values())


def test_forward_gives_a_thousand_finite_logits() -> None:
    rng = np.random.default_rng(0)
    parameters = resnet18_parameters(rng)
    logits = resnet18(NUMPY, parameters, rng.standard_normal((2, 3, 32, 32), dtype=np.float32))
    assert logits.shape == (2, 1000)
    assert np.isfinite(logits).all()


def test_only_blocks_that_change_width_have_a_projected_shortcut() -> None:
    names = resnet18_parameters(np.random.default_rng(0))
    shortcuts = [name for name in names if name.endswith("shortcut.weight")]
    assert shortcuts == [f"stage{stage}.block0.shortcut.weight" for stage in range(1, len(STAGES))]
