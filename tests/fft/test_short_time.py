"""The short-time Fourier transform: beside its definition and torch's, there and back, what is refused."""

from __future__ import annotations

from functools import partial
from typing import Any

import numpy as np
import pytest

from saccade import Tensor, fft, grad, jit

#: n_fft, hop_length, win_length: a quarter, odd ones, a window shorter than a piece, pieces side by side
SIZES = ((16, None, None), (32, 7, 20), (25, 10, 25), (16, 16, 16))


def signal(*shape: int) -> Any:
    return np.random.default_rng(len(shape)).standard_normal(shape)


def hann(n: int) -> Any:
    """Without the zeros at its ends."""
    return np.hanning(n + 2)[1:-1]


def test_a_spectrum_is_that_of_a_windowed_piece() -> None:
    x, window = signal(2, 50), hann(16)
    spectra = fft.stft(Tensor(x), 16, 5, window=Tensor(window), center=False).numpy()
    assert spectra.shape == (2, 9, 7)
    for piece in range(7):
        want = np.fft.rfft(x[:, piece * 5 : piece * 5 + 16] * window)
        np.testing.assert_allclose(spectra[:, :, piece], want, atol=1e-13)


@pytest.mark.parametrize(("n_fft", "hop", "width"), SIZES)
@pytest.mark.parametrize("shape", [(301,), (3, 257)])
def test_there_and_back(n_fft: int, hop: int | None, width: int | None, shape: tuple[int, ...]) -> None:
    x, window = signal(*shape), Tensor(hann(width or n_fft))
    spectra = fft.stft(Tensor(x), n_fft, hop, width, window, normalized=True)
    again = fft.istft(spectra, n_fft, hop, width, window, normalized=True, length=250)
    known = min(250, shape[-1] // (hop or n_fft // 4) * (hop or n_fft // 4))  # up to the middle of the last
    np.testing.assert_allclose(again.numpy()[..., :known], x[..., :known], atol=1e-12)
    assert again.shape == (*shape[:-1], 250)


@pytest.mark.parametrize(("n_fft", "hop", "width"), SIZES)
@pytest.mark.parametrize("center", [True, False])
@pytest.mark.parametrize("onesided", [None, False])
def test_beside_torch(
    n_fft: int, hop: int | None, width: int | None, center: bool, onesided: bool | None
) -> None:
    torch = pytest.importorskip("torch")
    x, window = signal(3, 257), hann(width or n_fft)
    given: dict[str, Any] = {"center": center, "onesided": onesided, "normalized": center}
    ours = fft.stft(Tensor(x), n_fft, hop, width, Tensor(window), **given)
    theirs = torch.stft(
        torch.tensor(x), n_fft, hop, width, torch.tensor(window), return_complex=True, **given
    )
    np.testing.assert_allclose(ours.numpy(), theirs.numpy(), atol=1e-12)
    back = partial(fft.istft, ours, n_fft, hop, width, Tensor(window), length=250, **given)
    try:
        want = torch.istft(theirs, n_fft, hop, width, torch.tensor(window), length=250, **given)
    except RuntimeError:  # a window that is shorter than a piece leaves the first samples out
        with pytest.raises(ValueError, match="under no window"):
            back()
    else:
        np.testing.assert_allclose(back().numpy(), want.numpy(), atol=1e-10)


def test_complex_signals() -> None:
    z = signal(200) + 1j * signal(200)
    window = Tensor(hann(16))
    spectra = fft.stft(Tensor(z), 16, window=window)
    assert spectra.shape == (16, 51)
    again = fft.istft(spectra, 16, window=window, return_complex=True)
    np.testing.assert_allclose(again.numpy(), z, atol=1e-12)


def test_in_jit_and_differentiated() -> None:
    """The energy of spectra with pieces side by side is n_fft times that of the signal; its slope 2 n x."""
    x = Tensor(signal(64))

    def energy(x: Tensor) -> Tensor:
        spectra = fft.stft(x, 16, 16, center=False, onesided=False)
        return (spectra.abs() ** 2).sum()

    np.testing.assert_allclose(grad(energy)(x).numpy(), 32 * x.numpy(), atol=1e-11)
    there_and_back = jit(lambda x: fft.istft(fft.stft(x, 16), 16))
    for _ in range(2):
        np.testing.assert_allclose(there_and_back(x).numpy(), x.numpy(), atol=1e-12)


@pytest.mark.parametrize(
    ("call", "told"),
    [
        (lambda x: fft.stft(x.reshape(1, 1, -1), 16), "shape"),
        (lambda x: fft.stft(x, 128, center=False), "no piece of n_fft=128"),
        (lambda x: fft.stft(x, 16, 0), "hop_length"),
        (lambda x: fft.stft(x, 16, win_length=17), "win_length"),
        (lambda x: fft.stft(x, 16, window=x), "a window of win_length=16"),
        (lambda x: fft.stft(x, 16, return_complex=False), "view_as_real"),
        (lambda x: fft.stft(x * 1j, 16, onesided=True), "onesided=False"),
        (lambda x: fft.istft(x, 16), "complex spectra"),
        (lambda x: fft.istft(fft.stft(x, 16), 18), "10 frequencies, not 9"),
        (lambda x: fft.istft(fft.stft(x, 16, 16), 16, 20, center=False), "under no window"),
    ],
)
def test_what_is_refused(call: Any, told: str) -> None:
    with pytest.raises(ValueError, match=told):
        call(Tensor(signal(64)))
