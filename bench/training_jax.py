"""The cases of `bench.training` in JAX: plain functions of parameters, one compiled step each.

    STEPS["ResNet-18 forward, batch 1"]()      # -> a function of no arguments that waits for its result

Pictures are (batch, height, width, channels), which XLA's convolutions on a CPU like best; parameters and
what an optimiser keeps are donated, so that they are updated in place.
"""

from __future__ import annotations

from collections.abc import Callable
from itertools import pairwise
from typing import Any, Final

import numpy as np

Step = Callable[[], object]
Params = Any  # trees of arrays


def _jax() -> Any:
    import jax

    return jax


def _drawn(*shape: int) -> Any:
    scale = np.prod(shape[:-1]) ** -0.5 if len(shape) > 1 else 0.0
    made = np.random.default_rng(len(shape)).standard_normal(shape, dtype=np.float32) * np.float32(scale)
    return _jax().numpy.asarray(made)


def _cross_entropy(logits: Any, y: Any) -> Any:
    jax = _jax()
    return -jax.numpy.take_along_axis(jax.nn.log_softmax(logits), y[:, None], 1).mean()


def _repeated(update: Callable[..., Any], *state: Any) -> Step:
    """An update whose state is the next one's; it gives the state first, the loss last."""
    jax = _jax()
    compiled = jax.jit(update, donate_argnums=tuple(range(len(state))))
    held = [jax.device_put(part) for part in state]

    def step() -> Any:
        *held[:], loss = compiled(*held)
        return jax.block_until_ready((held, loss))

    return step


# --- a perceptron with Adam


def mlp() -> Step:
    jax, rng = _jax(), np.random.default_rng(0)
    jnp = jax.numpy
    sizes = (784, 512, 512, 10)
    params = [(_drawn(a, b), jnp.zeros(b)) for a, b in pairwise(sizes)]
    x = jnp.asarray(rng.standard_normal((512, 784), dtype=np.float32))
    y = jnp.asarray(rng.integers(0, 10, 512))

    def loss_of(params: Params) -> Any:
        h = x
        for number, (w, b) in enumerate(params):
            h = h @ w + b
            h = h if number == len(params) - 1 else jax.nn.relu(h)
        return _cross_entropy(h, y)

    def update(params: Params, mean: Params, square: Params, count: Any) -> Any:
        loss, grads = jax.value_and_grad(loss_of)(params)
        count = count + 1
        mean = jax.tree.map(lambda m, g: 0.9 * m + 0.1 * g, mean, grads)
        square = jax.tree.map(lambda v, g: 0.999 * v + 0.001 * g * g, square, grads)
        first, second = 1 - 0.9**count, 1 - 0.999**count
        params = jax.tree.map(
            lambda p, m, v: p - 1e-3 * (m / first) / (jnp.sqrt(v / second) + 1e-8), params, mean, square
        )
        return params, mean, square, count, loss

    zeros = [jax.tree.map(jnp.zeros_like, params) for _ in range(2)]
    return _repeated(update, params, *zeros, jnp.zeros(()))


# --- a block of a GPT, forward and backward


def _norm(x: Any, scale: Any, shift: Any) -> Any:
    mean, var = x.mean(-1, keepdims=True), x.var(-1, keepdims=True)
    return (x - mean) * _jax().lax.rsqrt(var + 1e-5) * scale + shift


def block(width: int = 384, heads: int = 6, batch: int = 8, length: int = 256) -> Step:
    jax, rng = _jax(), np.random.default_rng(0)
    jnp = jax.numpy
    shapes = {"qkv": (width, 3 * width), "out": (width, width), "wide": (width, 4 * width)}
    shapes["narrow"] = (4 * width, width)
    params = {name: (_drawn(*shape), jnp.zeros(shape[1])) for name, shape in shapes.items()}
    params |= {name: (jnp.ones(width), jnp.zeros(width)) for name in ("norm1", "norm2")}
    x = jnp.asarray(rng.standard_normal((batch, length, width), dtype=np.float32))

    def attention(x: Any, params: Params) -> Any:
        qkv = (x @ params["qkv"][0] + params["qkv"][1]).reshape(batch, length, 3, heads, width // heads)
        q, k, v = (qkv[:, :, part] for part in range(3))
        made = jax.nn.dot_product_attention(q, k, v, is_causal=True).reshape(batch, length, width)
        return made @ params["out"][0] + params["out"][1]

    def loss_of(params: Params, x: Any) -> Any:
        x = x + attention(_norm(x, *params["norm1"]), params)
        h = jax.nn.gelu(_norm(x, *params["norm2"]) @ params["wide"][0] + params["wide"][1], approximate=False)
        return ((x + h @ params["narrow"][0] + params["narrow"][1]) ** 2).mean()

    both = jax.jit(jax.value_and_grad(loss_of, argnums=(0, 1)))
    return lambda: jax.block_until_ready(both(params, x))


# --- ResNet-18


def _resnet(classes: int = 1000) -> Params:
    jnp = _jax().numpy

    def unit(size: int, inputs: int, outputs: int) -> Params:
        return _drawn(size, size, inputs, outputs), jnp.ones(outputs), jnp.zeros(outputs)

    blocks, inputs = [], 64
    for outputs, stride in ((64, 1), (128, 2), (256, 2), (512, 2)):
        for each, before in ((stride, inputs), (1, outputs)):
            narrow = unit(1, before, outputs) if each != 1 or before != outputs else None
            blocks.append((unit(3, before, outputs), unit(3, outputs, outputs), narrow))
        inputs = outputs
    return unit(7, 3, 64), blocks, (_drawn(512, classes), jnp.zeros(classes))


def _convolved(x: Any, unit: Params, stride: int, training: bool) -> Any:
    """A convolution and a batch norm; its running statistics are 0 and 1 where it does not train."""
    jax = _jax()
    weight, scale, shift = unit
    pad = weight.shape[0] // 2
    kind = ("NHWC", "HWIO", "NHWC")
    x = jax.lax.conv_general_dilated(x, weight, (stride,) * 2, ((pad, pad),) * 2, dimension_numbers=kind)
    if training:
        x = (x - x.mean((0, 1, 2))) * jax.lax.rsqrt(x.var((0, 1, 2)) + 1e-5)
    return x * scale + shift


def _logits(params: Params, x: Any, training: bool) -> Any:
    jax = _jax()
    first, blocks, (weight, bias) = params
    x = jax.nn.relu(_convolved(x, first, 2, training))
    around = ((0, 0), (1, 1), (1, 1), (0, 0))
    x = jax.lax.reduce_window(x, -np.inf, jax.lax.max, (1, 3, 3, 1), (1, 2, 2, 1), around)
    for number, (one, two, narrow) in enumerate(blocks):
        stride = 2 if number in (2, 4, 6) else 1
        y = jax.nn.relu(_convolved(x, one, stride, training))
        shortcut = x if narrow is None else _convolved(x, narrow, stride, training)
        x = jax.nn.relu(_convolved(y, two, 1, training) + shortcut)
    return x.mean((1, 2)) @ weight + bias


def resnet_forward() -> Step:
    jax, params = _jax(), _resnet()
    x = jax.numpy.asarray(np.random.default_rng(0).standard_normal((1, 224, 224, 3), dtype=np.float32))
    forward = jax.jit(lambda params, x: _logits(params, x, training=False))
    return lambda: jax.block_until_ready(forward(params, x))


def resnet_step() -> Step:
    jax, params, rng = _jax(), _resnet(), np.random.default_rng(0)
    x = jax.numpy.asarray(rng.standard_normal((8, 224, 224, 3), dtype=np.float32))
    y = jax.numpy.asarray(rng.integers(0, 1000, 8))

    def update(params: Params, momentum: Params) -> Any:
        loss, grads = jax.value_and_grad(lambda p: _cross_entropy(_logits(p, x, training=True), y))(params)
        momentum = jax.tree.map(lambda m, g: 0.9 * m + g, momentum, grads)
        return jax.tree.map(lambda p, m: p - 0.01 * m, params, momentum), momentum, loss

    return _repeated(update, params, jax.tree.map(jax.numpy.zeros_like, params))


def sorting() -> Step:
    jax = _jax()
    x = jax.numpy.asarray(np.random.default_rng(0).standard_normal(1_000_000, dtype=np.float32))
    ordered = jax.jit(jax.numpy.sort)
    return lambda: jax.block_until_ready(ordered(x))


#: by the name of a case
STEPS: Final[dict[str, Callable[[], Step]]] = {
    "MLP 784-512-512-10, batch 512, Adam": mlp,
    "GPT block forward+backward, d384 h6 s256 b8": block,
    "ResNet-18 forward, batch 1": resnet_forward,
    "ResNet-18 training step, batch 8": resnet_step,
    "sort 1M float32": sorting,
}
