"""Fourier transforms beside NumPy's and torch's, and the laws they keep."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import saccade.array_api as xp
from saccade import Tensor, fft, jit
from saccade.fft.tables import roots
from saccade.fft.transform import MOST_PRIME, RADIX, radices

#: small ones, primes, powers, composites, a factor that takes a chirp
SIZES = (1, 3, 67, 20)
EVERY = (*range(1, 65), 97, 101, 128, 210, 315, 512, 1009, 1024, 2018, 4096, 10007, 46410)


def numbers(*shape: int, seed: int = 0) -> Any:
    rng = np.random.default_rng(seed)
    return rng.standard_normal(shape) + 1j * rng.standard_normal(shape)


def error(got: Any, want: Any) -> float:
    return float(np.linalg.norm(got - want) / max(np.linalg.norm(want), 1e-300))


def compare_sizes(sizes: tuple[int, ...], dtype: str, limit: float) -> None:
    """Forth for all sizes, and back for the last."""
    arrays = [numbers(2, n, seed=n).astype(dtype) for n in sizes]
    results = [*[fft.fft(Tensor(z)) for z in arrays], fft.ifft(Tensor(arrays[-1]))]
    results[0].realize(*results[1:])
    wide = [z.astype("complex128") for z in arrays]
    for got, want in zip(results, [*map(np.fft.fft, wide), np.fft.ifft(wide[-1])], strict=True):
        assert got.dtype.name == dtype
        assert error(got.numpy(), want) < limit, got.shape


def test_sizes_in_double() -> None:
    compare_sizes(SIZES, "complex128", 1e-15)


def test_sizes_in_single() -> None:
    compare_sizes((18,), "complex64", 5e-7)


@pytest.mark.slow
@pytest.mark.parametrize(("dtype", "limit"), [("complex128", 1.5e-15), ("complex64", 5e-7)])
def test_every_size(dtype: str, limit: float) -> None:
    for n in EVERY:
        compare_sizes((n,), dtype, limit)


def test_sizes_come_apart_into_few_steps() -> None:
    for n in (*range(1, 300), 4096, 1 << 20, 1009 * 6, 101 * 103):
        steps = radices(n)
        assert np.prod(steps) == n
        # all but the last are butterflies or matrices
        assert all(step <= max(RADIX, MOST_PRIME) for step in steps[:-1])
    assert radices(1 << 20) == (*(8,) * 6, 4)


def test_roots_are_right_to_the_last_digit() -> None:
    for n in (1, 2, 3, 7, 8, 12, 1000):
        k = np.arange(-n, 3 * n)
        re, im = roots(n, k)
        exact = np.exp(np.clongdouble(-2j) * np.longdouble(np.pi) * (k % n) / n)
        assert np.abs(re - exact.real).max() < 3e-16
        assert np.abs(im - exact.imag).max() < 3e-16
    re, im = roots(8, np.arange(8))
    assert re[2] == 0
    assert im[4] == 0


Case = tuple[str, bool, dict[str, Any]]
#: the function, whether it is of complex numbers, and its arguments
CASES: list[Case] = [
    ("fft", True, {"n": 5, "dim": 1}),
    ("rfft", False, {"n": 3, "norm": "forward"}),
    ("irfft", True, {"n": 5, "norm": "ortho"}),
    ("hfft", True, {"norm": "forward"}),
    ("irfftn", True, {"s": (2, 6), "dim": (1, 2)}),
]
MORE_CASES: list[Case] = [
    ("fft", False, {"n": 3}),
    ("ifft", True, {"dim": 0, "norm": "ortho"}),
    ("rfft", False, {"n": 9}),
    ("irfft", True, {"n": 9, "norm": "forward"}),
    ("irfft", True, {"dim": 1}),
    ("hfft", True, {"n": 6, "norm": "ortho"}),
    ("ihfft", False, {"norm": "ortho"}),
    ("fftn", True, {}),
    ("ifftn", True, {"dim": (0, 2), "norm": "forward"}),
    ("rfftn", False, {"s": (4, 7)}),
    ("irfftn", True, {"norm": "ortho"}),
    ("fft2", True, {}),
]


@pytest.mark.parametrize("cases", [CASES, pytest.param(MORE_CASES, marks=pytest.mark.slow)])
def test_arguments_mean_what_torchs_do(cases: list[Case]) -> None:
    torch = pytest.importorskip("torch")
    z = numbers(2, 3, 4)
    given = [z if is_complex else z.real.copy() for _, is_complex, _ in cases]
    pairs = list(zip(cases, given, strict=True))
    results = [getattr(fft, name)(Tensor(a), **arguments) for (name, _, arguments), a in pairs]
    results[0].realize(*results[1:])
    for ((name, _, arguments), a), result in zip(pairs, results, strict=True):
        got = result.numpy()
        want = getattr(torch.fft, name)(torch.tensor(a), **arguments).resolve_conj().numpy()
        assert (got.dtype, got.shape) == (want.dtype, want.shape), (name, arguments)
        assert error(got, want) < 2e-15, (name, arguments)


def test_frequencies_and_shifts() -> None:
    for n in (1, 2, 5, 8):
        for ours, theirs in ((fft.fftfreq, np.fft.fftfreq), (fft.rfftfreq, np.fft.rfftfreq)):
            np.testing.assert_allclose(ours(n, 0.3, dtype="float64").numpy(), theirs(n, 0.3), rtol=1e-15)
    a = np.arange(30).reshape(5, 6)
    for dim in (None, 1, (0, 1)):
        np.testing.assert_array_equal(fft.fftshift(Tensor(a), dim).numpy(), np.fft.fftshift(a, dim))
        np.testing.assert_array_equal(fft.ifftshift(Tensor(a), dim).numpy(), np.fft.ifftshift(a, dim))


def test_laws() -> None:
    n = 6
    a, b = numbers(3, n), numbers(3, n, seed=1)
    x, y = Tensor(a), Tensor(b)
    turned = fft.ifft(fft.fft(x) * fft.fft(y))  # a product of transforms is one of a convolution on a ring
    slow = Tensor.einsum("bi,bij->bj", x, Tensor.stack([y.roll(k, 1) for k in range(n)], 1))
    energy = fft.fft(x, norm="ortho").abs().square().sum(1)
    again, real = fft.ifft(fft.fft(x)), fft.irfft(fft.rfft(Tensor(a.real.copy())), n)
    turned.realize(slow, energy, again, real)
    assert error(turned.numpy(), slow.numpy()) < 1e-14
    assert error(again.numpy(), a) < 1e-15
    assert error(real.numpy(), a.real) < 1e-15
    np.testing.assert_allclose(energy.numpy(), (np.abs(a) ** 2).sum(1), rtol=1e-14)


def test_gradients_are_torchs() -> None:
    torch = pytest.importorskip("torch")
    a, w = numbers(2, 6), numbers(2, 6, seed=1)
    x, t = Tensor(a).requires_grad_(), torch.tensor(a, requires_grad=True)
    (fft.fft(x) * Tensor(w)).abs().sum().backward()
    (torch.fft.fft(t) * torch.tensor(w)).abs().sum().backward()
    assert x.grad is not None
    assert t.grad is not None
    assert error(x.grad.numpy(), t.grad.numpy()) < 1e-14


def test_gradients_of_real_transforms_are_torchs() -> None:
    torch = pytest.importorskip("torch")
    a, w = numbers(2, 6), numbers(2, 6, seed=1)
    x, t = Tensor(a.real.copy()).requires_grad_(), torch.tensor(a.real.copy(), requires_grad=True)
    fft.irfft(fft.rfft(x) * Tensor(w[:, :4])).square().sum().backward()
    torch.fft.irfft(torch.fft.rfft(t) * torch.tensor(w[:, :4])).square().sum().backward()
    assert x.grad is not None
    assert t.grad is not None
    assert error(x.grad.numpy(), t.grad.numpy()) < 1e-14


def test_jit_and_integers() -> None:
    transform = jit(lambda x: fft.fft(x))
    a = numbers(6)
    assert error(transform(Tensor(a)).numpy(), np.fft.fft(a)) < 1e-15
    assert error(transform(Tensor(a * 2)).numpy(), np.fft.fft(a * 2)) < 1e-15
    whole = fft.fft(Tensor([1, 2, 3]))
    assert whole.dtype.name == "complex64"
    assert error(whole.numpy(), np.fft.fft([1, 2, 3])) < 1e-6
    assert xp.fft.rfft(xp.asarray([1.0, 2.0])).tolist() == [3, -1]


def test_wrong_arguments() -> None:
    z = Tensor([1j, 2j])
    with pytest.raises(TypeError, match="rfft takes real numbers, not complex64: use fft"):
        fft.rfft(z)
    with pytest.raises(ValueError, match="at least 1 point, not 0"):
        fft.fft(z, 0)
    with pytest.raises(ValueError, match="unknown norm 'both'"):
        fft.fft(z, norm="both")
    with pytest.raises(ValueError, match="name one axis"):
        fft.fftn(z, dim=(0, -1))
    with pytest.raises(ValueError, match="2 sizes for 1 axes"):
        fft.fftn(z, (2, 2), (0,))
    with pytest.raises(IndexError, match="out of range"):
        fft.fft(z, dim=1)
    with pytest.raises(ValueError, match="no axis to transform"):
        fft.fft(Tensor(1j))


@pytest.mark.parametrize("norm", [None, "ortho", "forward"])
def test_hermitian_transforms_of_several_axes_are_scipys(norm: str | None) -> None:
    scipy = pytest.importorskip("scipy.fft")
    z = numbers(3, 4, 5)
    assert (
        error(fft.hfftn(Tensor(z), dim=(0, 2), norm=norm).numpy(), scipy.hfftn(z, axes=(0, 2), norm=norm))
        < 1e-14
    )
    assert error(fft.hfft2(Tensor(z), (4, 7), norm=norm).numpy(), scipy.hfft2(z, (4, 7), norm=norm)) < 1e-14
    assert error(fft.ihfftn(Tensor(z.real), norm=norm).numpy(), scipy.ihfftn(z.real, norm=norm)) < 1e-14
    assert error(fft.ihfft2(Tensor(z.real), norm=norm).numpy(), scipy.ihfft2(z.real, norm=norm)) < 1e-14
