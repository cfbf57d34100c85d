"""Vision networks: convolutions of all kinds, norms, pools, whole blocks, as ResNet to ConvNeXt have them."""

from __future__ import annotations

from typing import Any

from bench.sweep.program import Program, normal, uniform

IMAGES = ((8, 64, 56), (4, 256, 14), (3, 33, 57))
SMALL = ((4, 64, 28), (8, 128, 14), (3, 33, 29))
HALF = ("float32", "float16")
FLOAT = ("float32",)


def images(n: int, c: int, s: int) -> Any:
    return (normal(n, c, s, s),)


def weight(out: int, into: int, side: int) -> Any:
    return normal(out, into, side, side, scale=(into * side * side) ** -0.5)


def convolved(side: int, groups: int = 0) -> Any:
    """An image and a weight; `groups` groups of channels, or each its own (-1)."""

    def inputs(n: int, c: int, s: int) -> Any:
        into = {0: c, -1: 1}.get(groups, c // max(groups, 1))
        return normal(n, c, s, s), weight(c, into, side)

    return inputs


def normed(n: int, c: int, s: int) -> Any:
    return normal(n, c, s, s), normal(c), normal(c)


def batch_norm(t: Any, x: Any, mean: Any, var: Any, w: Any, b: Any) -> Any:
    return t.batch_norm(x, mean, var, w, b)


def batch_norm_training(t: Any, x: Any, w: Any, b: Any) -> Any:
    mean, var = x.mean((0, 2, 3), keepdim=True), x.var((0, 2, 3), keepdim=True, unbiased=False)
    return (x - mean) * (var + 1e-5).rsqrt() * w.reshape(1, -1, 1, 1) + b.reshape(1, -1, 1, 1)


def norm_of_channels(t: Any, x: Any, w: Any, b: Any) -> Any:
    """ConvNeXt's layer norm with channels first."""
    mean = x.mean(1, keepdim=True)
    var = (x - mean).square().mean(1, keepdim=True)
    return (x - mean) * (var + 1e-6).rsqrt() * w.reshape(-1, 1, 1) + b.reshape(-1, 1, 1)


def residual(t: Any, x: Any, a: Any, b: Any) -> Any:
    return t.relu(t.conv2d(t.relu(t.conv2d(x, a, padding=1)), b, padding=1) + x)


def bottleneck(t: Any, x: Any, a: Any, b: Any, c: Any) -> Any:
    y = t.relu(t.conv2d(x, a))
    return t.relu(t.conv2d(t.relu(t.conv2d(y, b, padding=1)), c) + x)


def inverted(t: Any, x: Any, up: Any, each: Any, down: Any) -> Any:
    """MobileNet: wider, each channel by itself, narrower."""
    y = t.relu6(t.conv2d(x, up))
    y = t.relu6(t.conv2d(y, each, padding=1, groups=y.shape[1]))
    return x + t.conv2d(y, down)


def squeeze_excite(t: Any, x: Any, down: Any, up: Any) -> Any:
    s = t.relu(x.mean((2, 3)) @ down) @ up
    return x * s.sigmoid().reshape(*s.shape, 1, 1)


def global_response(t: Any, x: Any, w: Any, b: Any) -> Any:
    """ConvNeXt V2."""
    size = x.square().sum((2, 3), keepdim=True).sqrt()
    share = size / (size.mean(1, keepdim=True) + 1e-6)
    return w.reshape(-1, 1, 1) * (x * share) + b.reshape(-1, 1, 1) + x


def spatial_attention(t: Any, x: Any, w: Any) -> Any:
    """CBAM's gate of places."""
    both = t.cat((x.mean(1, keepdim=True), x.amax(1, keepdim=True)), 1)
    return x * t.conv2d(both, w, padding=3).sigmoid()


def patches(t: Any, x: Any, w: Any, b: Any) -> Any:
    """ViT's embedding of patches."""
    y = t.conv2d(x, w, b, stride=16)
    return y.flatten(2).permute(0, 2, 1)


def windows(t: Any, x: Any) -> Any:
    """Swin's windows of 7 x 7."""
    n, h, w, c = x.shape
    return x.reshape(n, h // 7, 7, w // 7, 7, c).permute(0, 1, 3, 2, 4, 5).reshape(-1, 49, c) * 1.0


def shuffled(t: Any, x: Any) -> Any:
    n, c, h, w = x.shape
    return x.reshape(n, 2, c // 2, h, w).permute(0, 2, 1, 3, 4).reshape(n, c, h, w) * 1.0


def skip_joined(t: Any, x: Any, skip: Any) -> Any:
    """U-Net: larger, joined with what came before."""
    return t.cat((t.interpolate(x, scale_factor=2.0, mode="nearest"), skip), 1)


def pyramid(t: Any, x: Any) -> Any:
    parts = [t.adaptive_avg_pool2d(x, s).flatten(1) for s in (1, 2, 4)]
    return t.cat(parts, 1)


def conv_block(t: Any, x: Any, w: Any, mean: Any, var: Any, g: Any, b: Any) -> Any:
    return t.relu(t.batch_norm(t.conv2d(x, w, padding=1), mean, var, g, b))


def convnext(t: Any, x: Any, each: Any, g: Any, b: Any, up: Any, down: Any) -> Any:
    y = t.conv2d(x, each, padding=3, groups=x.shape[1]).permute(0, 2, 3, 1)
    y = t.layer_norm(y, (y.shape[-1],), g, b)
    return x + (t.gelu(y @ up) @ down).permute(0, 3, 1, 2)


PROGRAMS = (
    Program("3x3 convolution", convolved(3), lambda t, x, w: t.conv2d(x, w, padding=1), SMALL, HALF),
    Program("1x1 convolution", convolved(1), lambda t, x, w: t.conv2d(x, w), SMALL, HALF),
    Program("5x5 convolution", convolved(5), lambda t, x, w: t.conv2d(x, w, padding=2), SMALL, HALF),
    Program("stem 7x7 by 2", lambda n, s: (normal(n, 3, s, s), weight(64, 3, 7)),
            lambda t, x, w: t.conv2d(x, w, stride=2, padding=3), ((2, 224), (8, 112), (1, 177)), HALF),
    Program("strided 3x3 convolution", convolved(3), lambda t, x, w: t.conv2d(x, w, stride=2, padding=1),
            SMALL, HALF),
    Program("dilated 3x3 convolution", convolved(3), lambda t, x, w: t.conv2d(x, w, padding=2, dilation=2),
            SMALL, HALF),
    Program("depthwise 3x3", convolved(3, -1), lambda t, x, w: t.conv2d(x, w, padding=1, groups=x.shape[1]),
            IMAGES, HALF),
    Program("depthwise 7x7", convolved(7, -1), lambda t, x, w: t.conv2d(x, w, padding=3, groups=x.shape[1]),
            IMAGES, HALF),
    Program("grouped 3x3 convolution", convolved(3, 8), lambda t, x, w: t.conv2d(x, w, padding=1, groups=8),
            ((4, 64, 28), (8, 128, 14), (3, 40, 29)), HALF),
    Program("transposed 2x2 convolution", lambda n, c,
            s: (normal(n, c, s, s), normal(c, c // 2, 2, 2, scale=0.1)),
            lambda t, x, w: t.conv_transpose2d(x, w, stride=2), SMALL, HALF),
    Program("3-D convolution", lambda n, c, s: (normal(n, c, 8, s, s), normal(c, c, 3, 3, 3, scale=0.05)),
            lambda t, x, w: t.conv3d(x, w, padding=1), ((1, 16, 28), (1, 32, 14), (1, 9, 17)), FLOAT),
    Program("convolution, norm, ReLU",
            lambda n, c, s: (*convolved(3)(n, c, s), normal(c), uniform(c), normal(c), normal(c)),
            conv_block, SMALL, HALF),
    Program("batch norm, inference", lambda n, c,
            s: (normal(n, c, s, s), normal(c), uniform(c), normal(c), normal(c)),
            batch_norm, IMAGES, HALF),
    Program("batch norm, training", normed, batch_norm_training, IMAGES, FLOAT),
    Program("group norm", lambda n, c, s: (normal(n, c, s, s), normal(c), normal(c)),
            lambda t, x, w, b: t.group_norm(x, 8, w, b), ((8, 64, 56), (4, 256, 14), (3, 40, 57)), HALF),
    Program("instance norm", images, lambda t, x: t.instance_norm(x), IMAGES, HALF),
    Program("layer norm of channels", normed, norm_of_channels, IMAGES, HALF),
    Program("global response norm", normed, global_response, IMAGES, FLOAT),
    Program("residual block", lambda n, c, s: (normal(n, c, s, s), weight(c, c, 3), weight(c, c, 3)),
            residual, SMALL, HALF),
    Program("bottleneck block",
            lambda n, c,
            s: (normal(n, c, s, s), weight(c // 4, c, 1), weight(c // 4, c // 4, 3), weight(c, c // 4, 1)),
            bottleneck,
            ((4, 256, 28), (8, 512, 7), (3, 132, 29)), HALF),
    Program("inverted residual",
            lambda n, c,
            s: (normal(n, c, s, s), weight(4 * c, c, 1), weight(4 * c, 1, 3), weight(c, 4 * c, 1)), inverted,
            ((4, 24, 56), (8, 64, 14), (3, 33, 29)), HALF),
    Program("ConvNeXt block",
            lambda n, c,
            s: (normal(n, c, s, s), weight(c, 1, 7), normal(c), normal(c), normal(c, 4 * c, scale=0.1),
                             normal(4 * c, c, scale=0.05)), convnext,
            ((2, 96, 28), (4, 192, 14), (1, 33, 29)), HALF),
    Program("squeeze and excite", lambda n, c,
            s: (normal(n, c, s, s), normal(c, c // 4, scale=0.2), normal(c // 4, c, scale=0.2)),
            squeeze_excite, IMAGES, HALF),
    Program("gate of places", lambda n, c, s: (normal(n, c, s, s), weight(1, 2, 7)), spatial_attention,
            IMAGES, FLOAT),
    Program("max pool 2x2", images, lambda t, x: t.max_pool2d(x, 2),
            ((8, 64, 112), (4, 256, 28), (3, 33, 57)), HALF),
    Program("max pool 3x3 by 2", images, lambda t, x: t.max_pool2d(x, 3, 2, 1),
            ((4, 64, 112), (4, 256, 28), (3, 33, 57)), HALF),
    Program("average pool 3x3 by 2", images, lambda t, x: t.avg_pool2d(x, 3, 2), IMAGES, HALF),
    Program("global average pool", images, lambda t, x: x.mean((2, 3)), IMAGES, HALF),
    Program("pyramid of pools", images, pyramid, ((8, 64, 56), (4, 256, 16), (3, 33, 57)), FLOAT),
    Program("nearest, twice as large", images, lambda t,
            x: t.interpolate(x, scale_factor=2.0, mode="nearest"), SMALL, HALF),
    Program("bilinear, twice as large", images,
            lambda t, x: t.interpolate(x, scale_factor=2.0, mode="bilinear", align_corners=False), SMALL,
            FLOAT),
    Program("pixel shuffle", images, lambda t, x: t.pixel_shuffle(x, 2) * 1.0,
            ((8, 64, 56), (4, 256, 14), (3, 36, 57)), HALF),
    Program("patch embedding", lambda n, s: (normal(n, 3, s, s), weight(192, 3, 16), normal(192)), patches,
            ((4, 224), (16, 112), (3, 144)), HALF),
    Program("windows", lambda n, s, c: (normal(n, 7 * s, 7 * s, c),), windows,
            ((8, 8, 96), (2, 4, 384), (3, 5, 33)), HALF),
    Program("channel shuffle", images, shuffled, ((8, 64, 56), (4, 256, 14), (3, 34, 57)), HALF),
    Program("larger and joined", lambda n, c, s: (normal(n, c, s, s), normal(n, c, 2 * s, 2 * s)),
            skip_joined, SMALL, HALF),
)  # fmt: skip
