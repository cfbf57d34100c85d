"""Fourier transforms, by torch's names: `saccade.fft.fft(x)`, `saccade.fft.irfftn(x)`.

functions    the names, and what their arguments mean
short_time   spectra of pieces of a signal, and back
transform    the transform along one axis: mixed radix, and Bluestein's for large primes
tables       roots of unity, made on the host
"""

from .functions import (
    fft,
    fft2,
    fftfreq,
    fftn,
    fftshift,
    hfft,
    hfft2,
    hfftn,
    ifft,
    ifft2,
    ifftn,
    ifftshift,
    ihfft,
    ihfft2,
    ihfftn,
    irfft,
    irfft2,
    irfftn,
    rfft,
    rfft2,
    rfftfreq,
    rfftn,
)
from .short_time import istft, stft

#: for jit: functions without state
__jit_library__ = True

__all__ = [
    "fft",
    "fft2",
    "fftfreq",
    "fftn",
    "fftshift",
    "hfft",
    "hfft2",
    "hfftn",
    "ifft",
    "ifft2",
    "ifftn",
    "ifftshift",
    "ihfft",
    "ihfft2",
    "ihfftn",
    "irfft",
    "irfft2",
    "irfftn",
    "istft",
    "rfft",
    "rfft2",
    "rfftfreq",
    "rfftn",
    "stft",
]
