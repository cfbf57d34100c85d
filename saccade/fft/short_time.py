"""The short-time Fourier transform: spectra of pieces of a signal, and the signal of spectra (overlap-add).

>>> tone = Tensor([1.0, 0.0, -1.0, 0.0] * 4)
>>> spectra = stft(tone, n_fft=8, hop_length=4, window=Tensor.hann_window(8))
>>> spectra.shape, istft(spectra, 8, 4, window=Tensor.hann_window(8)).round(decimals=5).tolist()[:4]
((5, 5), [1.0, 0.0, -1.0, 0.0])
"""

from __future__ import annotations

from ..tensor.jit.trace import current_trace
from ..tensor.tensor import Tensor
from .functions import fft, ifft, irfft, rfft

#: what the squares of the windows over a sample add up to at least, where its value can be found again
LEAST_OVERLAP = 1e-11


def stft(
    input: Tensor,
    n_fft: int,
    hop_length: int | None = None,
    win_length: int | None = None,
    window: Tensor | None = None,
    center: bool = True,
    pad_mode: str = "reflect",
    normalized: bool = False,
    onesided: bool | None = None,
    return_complex: bool | None = True,
) -> Tensor:
    """Spectra (..., frequencies, pieces) of the pieces of n_fft samples of a signal (samples,) or (batch,
    samples) that begin `hop_length` apart (a quarter of n_fft), each multiplied by the window. With `center`
    the signal is padded, so that piece t has sample t * hop_length in its middle. Of real signals the
    n_fft // 2 + 1 frequencies that the others are conjugates of, unless `onesided` is False."""
    if input.ndim not in (1, 2):
        raise ValueError(f"stft takes a signal (samples,) or (batch, samples), not shape {input.shape}")
    if not return_complex:
        raise ValueError("stft returns complex numbers: use stft(...).view_as_real() for two real ones")
    hop, taper = _arguments(input, n_fft, hop_length, win_length, window)
    if center:
        half = n_fft // 2
        input = input.pad((half, half), pad_mode)
    if input.shape[-1] < n_fft:
        raise ValueError(f"a signal of {input.shape[-1]} samples has no piece of n_fft={n_fft}")
    pieces = input.unfold(-1, n_fft, hop) * taper
    is_real = not pieces.dtype.is_complex
    if onesided and not is_real:
        raise ValueError("the spectrum of complex numbers has no half to leave out: use onesided=False")
    spectra = rfft(pieces) if is_real and onesided is not False else fft(pieces)
    return (spectra * n_fft**-0.5 if normalized else spectra).transpose(-1, -2)


def istft(
    input: Tensor,
    n_fft: int,
    hop_length: int | None = None,
    win_length: int | None = None,
    window: Tensor | None = None,
    center: bool = True,
    normalized: bool = False,
    onesided: bool | None = None,
    length: int | None = None,
    return_complex: bool = False,
) -> Tensor:
    """The signal (..., samples) that has these spectra (..., frequencies, pieces), by least squares: pieces
    are added where they overlap, and divided by the sum of the squared windows there. `length` is the number
    of samples, with zeros behind where the pieces have fewer."""
    if input.ndim not in (2, 3) or not input.dtype.is_complex:
        raise ValueError(
            f"istft takes complex spectra (..., frequencies, pieces), not {input.dtype.name} {input.shape}"
        )
    onesided = not return_complex if onesided is None else onesided
    if onesided and return_complex:
        raise ValueError("half a spectrum stands for real numbers: use return_complex=False")
    wanted = n_fft // 2 + 1 if onesided else n_fft
    if input.shape[-2] != wanted:
        raise ValueError(f"spectra of {n_fft} samples have {wanted} frequencies, not {input.shape[-2]}")
    hop, taper = _arguments(input, n_fft, hop_length, win_length, window)
    spectra = input.transpose(-1, -2) * (n_fft**0.5 if normalized else 1.0)
    pieces = irfft(spectra, n_fft) if onesided else ifft(spectra)
    pieces = pieces if return_complex or onesided else pieces.real
    signal = _overlapped(pieces * taper, hop)
    squares = (taper * taper).expand(input.shape[-1], n_fft)
    first = n_fft // 2 if center else 0
    end = signal.shape[-1] - first if length is None else min(first + length, signal.shape[-1])
    signal, overlap = signal[..., first:end], _overlapped(squares, hop)[first:end]
    if current_trace() is None and overlap.numel() and overlap.abs().min().item() < LEAST_OVERLAP:
        raise ValueError("some samples lie under no window: use a smaller hop_length or another window")
    signal = signal / overlap
    missing = 0 if length is None else length - signal.shape[-1]
    return signal.pad((0, missing)) if missing > 0 else signal


def _arguments(
    x: Tensor, n_fft: int, hop_length: int | None, win_length: int | None, window: Tensor | None
) -> tuple[int, Tensor]:
    """How far apart pieces begin, and the window with zeros on both sides up to n_fft."""
    hop = n_fft // 4 if hop_length is None else hop_length
    width = n_fft if win_length is None else win_length
    if n_fft < 1 or hop < 1 or not 0 < width <= n_fft:
        raise ValueError(
            f"pieces need 0 < hop_length and 0 < win_length <= n_fft, not {hop}, {width} and {n_fft}"
        )
    if window is None:
        window = Tensor.ones(width, dtype=x.dtype.part, device=x.device)
    if window.shape != (width,):
        raise ValueError(f"a window of win_length={width} has shape ({width},), not {window.shape}")
    before = (n_fft - width) // 2
    return hop, window.pad((before, n_fft - width - before))


def _overlapped(pieces: Tensor, hop: int) -> Tensor:
    """Pieces (..., count, n) added with their beginnings `hop` apart: (..., n + (count - 1) hop).

    A piece is cut into blocks of `hop`; block k of piece t belongs to block t + k of the signal."""
    *lead, count, n = pieces.shape
    each = -(-n // hop)
    blocks = pieces.pad((0, each * hop - n)).reshape(*lead, count, each, hop)
    total = blocks[..., 0, :].pad((0, 0, 0, each - 1))
    for k in range(1, each):
        total = total + blocks[..., k, :].pad((0, 0, k, each - 1 - k))
    return total.reshape(*lead, -1)[..., : n + (count - 1) * hop]


__all__ = ["istft", "stft"]
