"""Before and after a network: colours, crops, filters, boxes, masks, points, bytes."""

from __future__ import annotations

from typing import Any

from bench.sweep.program import Program, below, normal, small_bytes, uniform

PHOTOS = ((4, 3, 256), (16, 3, 128), (3, 3, 177))
BOXES = ((1024, 256), (8192, 32), (777, 333))
LINE = ((1 << 20,), (1 << 17,), (1_000_003,))
FLOAT = ("float32",)
HALF = ("float32", "float16")


def photos(n: int, c: int, s: int) -> Any:
    return (uniform(n, c, s, s),)


def normalised(t: Any, x: Any, mean: Any, std: Any) -> Any:
    return (x - mean.reshape(-1, 1, 1)) / (std.reshape(-1, 1, 1) + 0.1)


def from_bytes(t: Any, x: Any, mean: Any) -> Any:
    """Bytes with channels last to floats with channels first."""
    return (x.permute(0, 3, 1, 2).float() * (1 / 128.0) - mean.reshape(-1, 1, 1)).contiguous()


def to_bytes(t: Any, x: Any) -> Any:
    return (x.clamp(0, 1) * 127).round().permute(0, 2, 3, 1).to(t.int8)


def to_bytes_ours(t: Any, x: Any) -> Any:
    return (x.clamp(0, 1) * 127).round().permute(0, 2, 3, 1).cast("int8")


def grey(t: Any, x: Any) -> Any:
    return 0.299 * x[:, 0] + 0.587 * x[:, 1] + 0.114 * x[:, 2]


def colours_turned(t: Any, x: Any, m: Any) -> Any:
    """RGB to YCbCr and others: a 3 x 3 matrix at every pixel."""
    return t.einsum("dc,nchw->ndhw", m, x)


def hue(t: Any, x: Any) -> Any:
    """Saturation and value."""
    most, least = x.amax(1), x.amin(1)
    return t.stack(((most - least) / (most + 1e-3), most), 1)


def contrast(t: Any, x: Any) -> Any:
    mean = grey(t, x).mean((1, 2)).reshape(-1, 1, 1, 1)
    return ((x - mean) * 1.3 + mean).clamp(0, 1)


def stretched(t: Any, x: Any) -> Any:
    least, most = x.amin((1, 2, 3), keepdim=True), x.amax((1, 2, 3), keepdim=True)
    return (x - least) / (most - least + 1e-3)


def edges(t: Any, x: Any) -> Any:
    """Sobel's gradients and their length."""
    g = grey(t, x)
    g = g[:, :, 2:] - g[:, :, :-2], g[:, 2:] - g[:, :-2]
    return (g[0][:, 1:-1].square() + g[1][:, :, 1:-1].square() + 1e-4).sqrt()


def blurred(t: Any, x: Any, line: Any) -> Any:
    """A Gaussian along rows, then along columns."""
    c = x.shape[1]
    y = t.conv2d(
        x, line.reshape(1, 1, 1, -1).expand(c, 1, 1, line.shape[0]).contiguous(), padding=(0, 3), groups=c
    )
    return t.conv2d(
        y, line.reshape(1, 1, -1, 1).expand(c, 1, line.shape[0], 1).contiguous(), padding=(3, 0), groups=c
    )


def cut_mix(t: Any, x: Any, y: Any) -> Any:
    s = x.shape[-1]
    rows = t.arange(s, device=x.device)
    inside = (rows > s // 4) & (rows < s // 2)
    return t.where(inside.unsqueeze(1) & inside.unsqueeze(0), y, x)


def overlaps(t: Any, a: Any, b: Any) -> Any:
    """The IoU of all pairs of boxes given as corner and size."""
    low = t.maximum(a[:, None, :2], b[None, :, :2])
    high = t.minimum(a[:, None, :2] + a[:, None, 2:], b[None, :, :2] + b[None, :, 2:])
    both = (high - low).clamp(0).prod(-1)
    return both / (a[:, 2:].prod(-1)[:, None] + b[:, 2:].prod(-1) - both + 1e-6)


def decoded(t: Any, deltas: Any, anchors: Any) -> Any:
    centre = deltas[:, :2] * anchors[:, 2:] + anchors[:, :2]
    size = deltas[:, 2:].clamp(-4, 4).exp() * anchors[:, 2:]
    return t.cat((centre - size / 2, centre + size / 2), 1)


def peaks(t: Any, x: Any) -> Any:
    """CenterNet: what is the largest of its neighbourhood stays."""
    return x * (t.max_pool2d(x, 3, 1, 1) == x)


def soft_argmax(t: Any, x: Any) -> Any:
    n, k, h, w = x.shape
    p = (x.reshape(n, k, h * w) * 10).softmax(-1).reshape(n, k, h, w)
    line = t.arange(h, device=x.device).type_as(x) / h
    return t.stack(((p.sum(2) * line).sum(-1), (p.sum(3) * line).sum(-1)), -1)


def confusion(t: Any, found: Any, wanted: Any, counts: Any) -> Any:
    return counts.index_add(0, found * 21 + wanted, t.ones(found.shape[0], device=found.device))


def moved(t: Any, p: Any, turn: Any, shift: Any) -> Any:
    return p @ turn.mT + shift


def turned(t: Any, q: Any, v: Any) -> Any:
    """Vectors turned by quaternions (w, x, y, z)."""
    w, u = q[:, :1], q[:, 1:]
    c = t.linalg.cross(u, v) + w * v
    return v + 2 * t.linalg.cross(u, c)


def to_points(t: Any, depth: Any) -> Any:
    _, h, w = depth.shape
    x = (t.arange(w, device=depth.device).type_as(depth) - w / 2) / w
    y = (t.arange(h, device=depth.device).type_as(depth) - h / 2) / h
    return t.stack((depth * x, depth * y.unsqueeze(1), depth), -1)


def quantised(t: Any, x: Any) -> Any:
    """Bytes and a scale for each row."""
    scale = x.abs().amax(1, keepdim=True) / 127 + 1e-6
    return (x / scale).round().clamp(-127, 127), scale


def class_map(t: Any, x: Any) -> Any:
    return x.argmax(1)


def kept(t: Any, boxes: Any, scores: Any) -> Any:
    """The best 100 boxes by score."""
    best = scores.topk(100)
    return boxes.gather(1, best.indices.unsqueeze(-1).expand(boxes.shape[0], 100, 4)), best.values


PROGRAMS = (
    Program("pictures normalised", lambda n, c, s: (uniform(n, c, s, s), uniform(c), uniform(c)), normalised,
            PHOTOS, HALF),
    Program("pictures from bytes", lambda n, c, s: (small_bytes(n, s, s, c), uniform(c, wide=True)),
            from_bytes, PHOTOS, ("int8",),
            loose=1.0),
    Program("pictures to bytes", photos, to_bytes_ours, PHOTOS, FLOAT, peer=to_bytes, loose=10),
    Program("grey", photos, grey, PHOTOS, HALF),
    Program("colours turned", lambda n, c, s: (uniform(n, c, s, s), normal(c, c)), colours_turned, PHOTOS,
            HALF),
    Program("saturation and value", photos, hue, PHOTOS, FLOAT),
    Program("gamma", photos, lambda t, x: (x + 1e-3) ** 0.45, PHOTOS, HALF),
    Program("contrast", photos, contrast, PHOTOS, FLOAT),
    Program("stretched to the range", photos, stretched, PHOTOS, FLOAT),
    Program("Sobel edges", photos, edges, PHOTOS, FLOAT),
    Program("Gaussian blur", lambda n, c, s: (uniform(n, c, s, s), uniform(7)), blurred, PHOTOS, FLOAT),
    Program("resize to 160", photos,
            lambda t, x: t.interpolate(x, size=(160, 160), mode="bilinear", align_corners=False), PHOTOS,
            FLOAT),
    Program("crop and flip", photos, lambda t, x: x[:, :, 16:-16, 16:-16].flip(3) * 1.0, PHOTOS, HALF),
    Program("zero padding", photos, lambda t, x: t.pad(x, (4, 4, 4, 4)), PHOTOS, HALF),
    Program("reflected padding", photos, lambda t, x: t.pad(x, (4, 4, 4, 4), mode="reflect"), PHOTOS, FLOAT),
    Program("mix of two pictures", lambda n, c,
            s: (uniform(n, c, s, s), uniform(n, c, s, s), uniform(n, 1, 1, 1)),
            lambda t, x, y, w: x * w + y * (1 - w), PHOTOS, HALF),
    Program("cut and mix", lambda n, c, s: (uniform(n, c, s, s), uniform(n, c, s, s)), cut_mix, PHOTOS, HALF),
    Program("overlaps of boxes", lambda n, m: (uniform(n, 4), uniform(m, 4)), overlaps, BOXES, FLOAT),
    Program("boxes decoded", lambda n, m: (normal(n * m, 4), uniform(n * m, 4)), decoded, BOXES, FLOAT),
    Program("best 100 boxes", lambda n, m: (uniform(n, m, 4), normal(n, m)), kept,
            ((16, 8400), (4, 25200), (7, 3333)), FLOAT),
    Program("peaks of heat maps", lambda n, c, s: (uniform(n, c, s, s),), peaks,
            ((4, 20, 64), (1, 80, 128), (3, 17, 57)), FLOAT),
    Program("soft argmax of heat maps", lambda n, c, s: (uniform(n, c, s, s),), soft_argmax,
            ((8, 17, 64), (2, 68, 32), (3, 17, 57)), FLOAT),
    Program("map of classes", lambda n, c, s: (normal(n, c, s, s),), class_map,
            ((2, 21, 128), (1, 150, 64), (3, 19, 77)), FLOAT),
    Program("confusion of classes", lambda n: (below(21, n), below(21, n), uniform(441)), confusion, LINE,
            FLOAT),
    Program("one-hot", lambda n: (below(64, n),), lambda t, i: t.one_hot(i, 64),
            ((1 << 16,), (1 << 13,), (33_333,)), FLOAT),
    Program("points moved", lambda n: (normal(n, 3), normal(3, 3), normal(3)), moved, LINE, FLOAT),
    Program("vectors turned by quaternions", lambda n: (normal(n, 4), normal(n, 3)), turned, LINE, FLOAT),
    Program("depth to points", lambda n, s: (uniform(n, s, s),), to_points, ((8, 256), (64, 64), (5, 177)),
            FLOAT),
    Program("rows in bytes", lambda n, d: (normal(n, d),), quantised,
            ((2048, 1024), (64, 16384), (1001, 777)), HALF, loose=10),
    Program("threshold of a mask", lambda n, c, s: (normal(n, c, s, s),), lambda t,
            x: (x.sigmoid() > 0.3).float().mean((2, 3)),
            PHOTOS, FLOAT),
)  # fmt: skip
