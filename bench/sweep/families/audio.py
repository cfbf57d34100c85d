"""Audio: frames, spectra, features, convolutions along time, as recognisers and vocoders have them."""

from __future__ import annotations

import math
from typing import Any

from bench.sweep.program import Program, normal, uniform

WAVES = ((16, 32000), (4, 160000), (5, 44101))
SPECTRA = ((8, 80, 1000), (2, 201, 3000), (3, 65, 777))
CHANNELS = ((4, 128, 1000), (1, 256, 2000), (3, 33, 777))
HALF = ("float32", "float16")
FLOAT = ("float32",)


def wave(n: int, s: int) -> Any:
    return (normal(n, s, scale=0.3),)


def frames(t: Any, x: Any, window: Any) -> Any:
    return x.unfold(-1, 400, 160) * window


def spectrogram(t: Any, x: Any, window: Any, cos: Any, sin: Any) -> Any:
    """Power, by two products with the tables of the transform."""
    f = x.unfold(-1, 400, 160) * window
    return (f @ cos).square() + (f @ sin).square()


def power_of_transform(t: Any, x: Any) -> Any:
    f = t.fft.rfft(x.unfold(-1, 512, 256))
    return f.real.square() + f.imag.square()


def reverberated(t: Any, x: Any, room: Any) -> Any:
    """A long convolution, by transforms of both."""
    n = x.shape[-1] + room.shape[-1] - 1
    return t.fft.irfft(t.fft.rfft(x, n) * t.fft.rfft(room, n), n)


def log_mel(t: Any, power: Any, bank: Any) -> Any:
    return (bank @ power).clamp(1e-10).log10()


def whisper_scale(t: Any, x: Any) -> Any:
    """Whisper's last step: from the largest down by eight, scaled."""
    x = t.maximum(x, x.amax() - 8.0)
    return (x + 4.0) / 4.0


def cepstra(t: Any, x: Any, bank: Any, dct: Any) -> Any:
    return dct @ (bank @ x + 1e-6).log()


def normalised(t: Any, x: Any) -> Any:
    return (x - x.mean(-1, keepdim=True)) / (x.std(-1, keepdim=True) + 1e-5)


def deltas(t: Any, x: Any) -> Any:
    p = t.pad(x, (2, 2))
    n = x.shape[-1]
    return (2 * (p[..., 4:] - p[..., :n]) + (p[..., 3 : n + 3] - p[..., 1 : n + 1])) / 10


def mu_law(t: Any, x: Any) -> Any:
    y = x.sign() * (255 * x.abs()).log1p() / math.log(256)
    return ((y + 1) / 2 * 255 + 0.5).clamp(0, 255)


def from_mu_law(t: Any, x: Any) -> Any:
    y = x / 255 * 2 - 1
    return y.sign() * ((y.abs() * math.log(256)).exp() - 1) / 255


def wave_gate(t: Any, x: Any, a: Any, b: Any) -> Any:
    """WaveNet: a dilated convolution gated by another."""
    return t.conv1d(x, a, padding=4, dilation=4).tanh() * t.conv1d(x, b, padding=4, dilation=4).sigmoid()


def conformer(t: Any, x: Any, each: Any, g: Any, b: Any) -> Any:
    y = t.conv1d(t.glu(x, 1), each, padding=15, groups=each.shape[0])
    return t.silu(t.group_norm(y, 1, g, b))


def centroid(t: Any, x: Any, bins: Any) -> Any:
    return (x * bins).sum(1) / (x.sum(1) + 1e-3)


def flux(t: Any, x: Any) -> Any:
    return (x[..., 1:] - x[..., :-1]).relu().square().sum(1).sqrt()


def snake(t: Any, x: Any, a: Any) -> Any:
    """The periodic activation of vocoders."""
    a = a.reshape(-1, 1)
    return x + (x * a).sin().square() / (a + 1e-3)


def decibels(t: Any, x: Any) -> Any:
    d = 10 * (x + 1e-5).log10()
    return t.maximum(d, d.amax((1, 2), keepdim=True) - 80)


def conv(out: int, side: int, into: int = 0) -> Any:
    """An input with c channels and a weight of `out` (0: c) by `into` (0: c)."""
    return lambda n, c, s: (normal(n, c, s), normal(out or c, into or c, side, scale=0.1))


PROGRAMS = (
    Program("frames under a window", lambda n, s: (*wave(n, s), uniform(400)), frames, WAVES),
    Program("spectrogram by products",
            lambda n,
            s: (*wave(n, s), uniform(400), normal(400, 201, scale=0.1), normal(400, 201, scale=0.1)),
            spectrogram, WAVES, FLOAT),
    Program("spectrogram by transform", wave, power_of_transform, WAVES, FLOAT, loose=5),
    Program("reverberation by transforms", lambda n, s: (normal(n, s), normal(s + 1)), reverberated,
            ((64, 1024), (256, 256), (33, 750)), FLOAT, loose=3),
    Program("log mel bands", lambda n, f, s: (uniform(n, f, s), uniform(80, f)), log_mel, SPECTRA, HALF),
    Program("Whisper's scale", lambda n, f, s: (normal(n, f, s),), whisper_scale, SPECTRA, HALF),
    Program("cepstra", lambda n, f, s: (uniform(n, f, s), uniform(40, f), normal(13, 40)), cepstra, SPECTRA,
            FLOAT, loose=3),
    Program("features normalised", lambda n, f, s: (normal(n, f, s),), normalised, SPECTRA),
    Program("deltas", lambda n, f, s: (normal(n, f, s),), deltas, SPECTRA),
    Program("decibels from the top", lambda n, f, s: (uniform(n, f, s),), decibels, SPECTRA, FLOAT),
    Program("pre-emphasis", wave, lambda t, x: x[:, 1:] - 0.97 * x[:, :-1], WAVES),
    Program("mu-law", wave, mu_law, WAVES, FLOAT),
    Program("from mu-law", lambda n, s: (uniform(n, s),), lambda t, x: from_mu_law(t, x * 255), WAVES, FLOAT),
    Program("loudness of frames", wave, lambda t, x: x.unfold(-1, 400, 160).square().mean(-1).sqrt(), WAVES),
    Program("wave normalised", wave, lambda t, x: x / (x.abs().amax(-1, keepdim=True) + 1e-6), WAVES),
    Program("half the rate", lambda n, s: (normal(n, 1, s), normal(1, 1, 31, scale=0.2)),
            lambda t, x, w: t.conv1d(x, w, stride=2, padding=15), WAVES, FLOAT),
    Program("conv1d 3", conv(0, 3), lambda t, x, w: t.conv1d(x, w, padding=1), CHANNELS, HALF),
    Program("conv1d 10 by 5 (wav2vec)", lambda n, s: (normal(n, 1, s), normal(128, 1, 10, scale=0.3)),
            lambda t, x, w: t.conv1d(x, w, stride=5), ((4, 16000), (1, 80000), (3, 11025)), HALF),
    Program("depthwise conv1d 31", conv(0, 31, 1), lambda t, x,
            w: t.conv1d(x, w, padding=15, groups=x.shape[1]), CHANNELS, FLOAT),
    Program("transposed conv1d 4 by 2", conv(0, 4), lambda t, x,
            w: t.conv_transpose1d(x, w, stride=2, padding=1),
            ((4, 64, 1000), (1, 128, 2000), (3, 33, 777)), FLOAT),
    Program("WaveNet gate", lambda n, c,
            s: (normal(n, c, s), normal(c, c, 3, scale=0.1), normal(c, c, 3, scale=0.1)), wave_gate,
            ((4, 64, 1000), (1, 128, 2000), (3, 33, 777)), HALF),
    Program("Conformer's convolution", lambda n, c,
            s: (normal(n, 2 * c, s), normal(c, 1, 31, scale=0.2), normal(c), normal(c)), conformer,
            CHANNELS, FLOAT),
    Program("snake activation", lambda n, c, s: (normal(n, c, s), uniform(c)), snake, CHANNELS, FLOAT,
            loose=3),
    Program("spectral centroid", lambda n, f, s: (uniform(n, f, s), uniform(f, 1)), centroid, SPECTRA),
    Program("spectral flux", lambda n, f, s: (uniform(n, f, s),), flux, SPECTRA),
)  # fmt: skip
