"""ResNet-18 for classification, as a function of an image and a flat dictionary of NumPy-born parameters.

One text serves every library: what they spell differently (convolution, max pooling, rectification) is a
`Layers`; the rest is arithmetic. Inference only, so normalisation is the affine map that its stored
statistics make it.

    parameters = {name: Tensor(array) for name, array in
    resnet18_parameters(np.random.default_rng(0)).items()} logits = resnet18(LAYERS["saccade"](), parameters,
    image)      # (1, 3, 224, 224) -> (1, 1000)
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np

from bench.case import Array

STAGES = ((64, 1), (128, 2), (256, 2), (512, 2))
BLOCKS = 2
EPSILON = 1e-5


@dataclass(frozen=True)
class Layers:
    """`conv(x, weight, stride, padding)` without bias; `max_pool(x)` is 3x3, stride 2, padding 1."""

    conv: Callable[[Any, Any, int, int], Any]
    max_pool: Callable[[Any], Any]
    relu: Callable[[Any], Any]


def resnet18_parameters(rng: np.random.Generator) -> dict[str, Array]:
    """Random weights of the right shapes and scales, with statistics that are not trivial."""
    parameters: dict[str, Array] = {}

    def conv(name: str, outputs: int, inputs: int, size: int) -> None:
        weight = rng.standard_normal((outputs, inputs, size, size), dtype=np.float32)
        parameters[f"{name}.weight"] = weight * np.float32(np.sqrt(2 / (inputs * size * size)))
        parameters[f"{name}.mean"] = 0.1 * rng.standard_normal(outputs, dtype=np.float32)
        parameters[f"{name}.variance"] = 0.5 + rng.random(outputs, dtype=np.float32)
        parameters[f"{name}.scale"] = 0.5 + rng.random(outputs, dtype=np.float32)
        parameters[f"{name}.shift"] = 0.1 * rng.standard_normal(outputs, dtype=np.float32)

    conv("stem", 64, 3, 7)
    inputs = 64
    for stage, (width, _) in enumerate(STAGES):
        for block in range(BLOCKS):
            name = f"stage{stage}.block{block}"
            conv(f"{name}.first", width, inputs, 3)
            conv(f"{name}.second", width, width, 3)
            if inputs != width:
                conv(f"{name}.shortcut", width, inputs, 1)
            inputs = width
    parameters["head.weight"] = 0.04 * rng.standard_normal((512, 1000), dtype=np.float32)
    parameters["head.bias"] = 0.01 * rng.standard_normal(1000, dtype=np.float32)
    return parameters


def resnet18(layers: Layers, parameters: Mapping[str, Any], image: Any) -> Any:
    def conv_norm(name: str, x: Any, stride: int, padding: int) -> Any:
        def channel(what: str) -> Any:
            return parameters[f"{name}.{what}"].reshape(1, -1, 1, 1)

        y = layers.conv(x, parameters[f"{name}.weight"], stride, padding)
        return (y - channel("mean")) / (channel("variance") + EPSILON) ** 0.5 * channel("scale") + channel(
            "shift"
        )

    x = layers.max_pool(layers.relu(conv_norm("stem", image, 2, 3)))
    for stage, (_, stage_stride) in enumerate(STAGES):
        for block in range(BLOCKS):
            name, stride = f"stage{stage}.block{block}", stage_stride if block == 0 else 1
            y = layers.relu(conv_norm(f"{name}.first", x, stride, 1))
            y = conv_norm(f"{name}.second", y, 1, 1)
            shortcut = f"{name}.shortcut"
            x = layers.relu(
                y + (conv_norm(shortcut, x, stride, 0) if f"{shortcut}.weight" in parameters else x)
            )
    return x.mean((2, 3)) @ parameters["head.weight"] + parameters["head.bias"]


def method_layers() -> Layers:
    """For libraries whose tensors carry the layers as methods: saccade and tinygrad."""
    return Layers(
        conv=lambda x, weight, stride, padding: x.conv2d(weight, stride=stride, padding=padding),
        max_pool=lambda x: x.max_pool2d(3, stride=2, padding=1),
        relu=lambda x: x.relu(),
    )


def torch_layers() -> Layers:
    from torch.nn import functional

    return Layers(
        conv=lambda x, weight, stride, padding: functional.conv2d(x, weight, stride=stride, padding=padding),
        max_pool=lambda x: functional.max_pool2d(x, 3, stride=2, padding=1),
        relu=functional.relu,
    )


def jax_layers() -> Layers:
    import jax
    import jax.numpy as jnp

    def pads(size: int) -> tuple[tuple[int, int], tuple[int, int]]:
        return ((size, size), (size, size))

    return Layers(
        conv=lambda x, weight, stride, padding: jax.lax.conv_general_dilated(
            x, weight, (stride, stride), pads(padding)
        ),
        max_pool=lambda x: jax.lax.reduce_window(
            x, -jnp.inf, jax.lax.max, (1, 1, 3, 3), (1, 1, 2, 2), ((0, 0), (0, 0), *pads(1))
        ),
        relu=jax.nn.relu,
    )


LAYERS: dict[str, Callable[[], Layers]] = {
    "saccade": method_layers,
    "tinygrad": method_layers,
    "torch": torch_layers,
    "torch.compile": torch_layers,
    "jax": jax_layers,
}
