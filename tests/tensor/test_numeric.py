"""gcd, bits of floats, histograms, windows, strides: laws, NumPy's values, and torch's."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from saccade import Tensor, grad

from .compare import agree, same, value

rng = np.random.default_rng(5)
Array = np.ndarray[Any, Any]
SPECIAL = np.array(
    [0.0, -0.0, 1.0, -1.0, 0.75, 8.0, 1e-40, -1e-45, 3e38, np.inf, -np.inf, np.nan], np.float32
)


@pytest.mark.parametrize(
    "dtype", ["int32", "uint8", *[pytest.param(d, marks=pytest.mark.slow) for d in ("int64", "int8")]]
)
def test_divisors_and_multiples(dtype: str) -> None:
    low = 0 if dtype == "uint8" else -100
    a, b = (rng.integers(low, 100, (6, 5)).astype(dtype) for _ in range(2))
    b[0], a[1] = 0, 0
    agree(Tensor(a).gcd(Tensor(b)), np.gcd(a, b))
    agree(Tensor(a).gcd(12), np.gcd(a, np.array(12, dtype)))
    if dtype not in ("int8", "uint8"):  # they overflow
        agree(Tensor(a).lcm(Tensor(b)), np.lcm(a, b))


def test_the_worst_case_of_euclid() -> None:
    a, b = 7540113804746346429, 4660046610375530309  # neighbours of Fibonacci's sequence, below 2**63
    assert Tensor([a * 1]).gcd(Tensor([b])).item() == 1
    least = np.array([-(2**31), -(2**31), 0], np.int32)  # its absolute value is no int32
    agree(Tensor(least).gcd(Tensor(np.array([6, 5, 0], np.int32))), np.array([2, 1, 0], np.int32))
    with pytest.raises(TypeError, match="gcd takes integers, not float32"):
        Tensor([1.0]).gcd(2)


@pytest.mark.parametrize("dtype", ["float32", "float16", pytest.param("float64", marks=pytest.mark.slow)])
def test_mantissa_and_exponent(dtype: str) -> None:
    with np.errstate(over="ignore"):
        x = np.concatenate([SPECIAL, rng.standard_normal(20) * 100]).astype(dtype)
    mantissa, exponent = Tensor(x).frexp()
    theirs, powers = np.frexp(x)
    agree(mantissa, theirs, rtol=0, atol=0)
    finite = np.isfinite(x)
    assert np.array_equal(exponent.numpy()[finite], powers[finite])


@pytest.mark.parametrize("dtype", ["float32", "float16", pytest.param("float64", marks=pytest.mark.slow)])
def test_the_next_number(dtype: str) -> None:
    with np.errstate(over="ignore"):
        x = np.concatenate([SPECIAL, rng.standard_normal(6)]).astype(dtype)
        for y in (np.inf, -np.inf, 0.0, 1.0, np.nan):
            to = np.full_like(x, y)
            agree(Tensor(x).nextafter(Tensor(to)), np.nextafter(x, to), rtol=0, atol=0)


def test_the_most_common_value() -> None:
    for x in (rng.integers(0, 4, (5, 9)), rng.integers(0, 3, (4, 6)).astype(np.float32)):
        for axis in (0, 1):
            values, places = Tensor(x).mode(axis)
            lines = np.moveaxis(x, axis, -1).reshape(-1, x.shape[axis])
            expected = [np.unique(line)[np.argmax(np.unique(line, return_counts=True)[1])] for line in lines]
            assert values.tolist() == expected
            assert [line[p] for line, p in zip(lines, places.tolist(), strict=True)] == expected
    kept = Tensor([[1, 1, 2]]).mode(keepdim=True)
    assert (kept.values.shape, kept.indices.tolist()) == ((1, 1), [[1]])
    torch = pytest.importorskip("torch")
    x = rng.integers(0, 4, (5, 9))
    same(value(tuple(Tensor(x).mode(1))), value(tuple(torch.tensor(x).mode(1))))


@pytest.mark.parametrize("density", [False, True])
def test_histograms(density: bool) -> None:
    x = rng.standard_normal(500).astype(np.float32)
    weight = rng.random(500).astype(np.float32)
    for bins, span in ((7, None), (5, (-1.0, 2.0)), (np.array([-2.0, -0.5, 0.0, 1.5], np.float32), None)):
        given = Tensor(bins) if isinstance(bins, np.ndarray) else bins
        ours = Tensor(x).histogram(given, range=span, weight=Tensor(weight), density=density)
        counts, edges = np.histogram(x, bins, span, density, weight)
        np.testing.assert_allclose(ours.hist.numpy(), counts, rtol=1e-5)
        np.testing.assert_allclose(ours.bin_edges.numpy(), edges, rtol=1e-6)
    with pytest.raises(ValueError, match="finite and rising"):
        Tensor([1.0, float("nan")]).histogram(3)


def test_areas_and_powers() -> None:
    y, x = rng.random((3, 5)).astype(np.float32), np.sort(rng.random(5)).astype(np.float32)
    agree(Tensor(y).trapezoid(), np.trapezoid(y))
    agree(Tensor(y).trapezoid(Tensor(x)), np.trapezoid(y, x))
    agree(Tensor(y).trapezoid(dx=0.5, dim=0), np.trapezoid(y, dx=0.5, axis=0))
    assert Tensor([1.0, 3.0, 5.0]).cumulative_trapezoid().tolist() == [2.0, 6.0]
    assert Tensor([1.0]).trapezoid().item() == 0
    agree(Tensor(x).vander(), np.vander(x), dtype=False)
    agree(Tensor(x).vander(3, increasing=True), np.vander(x, 3, increasing=True), dtype=False)
    assert Tensor([1, 2]).vander(0).shape == (2, 0)


def test_choices_and_places() -> None:
    assert Tensor([5, 6, 7]).combinations().tolist() == [[5, 6], [5, 7], [6, 7]]
    assert Tensor([5, 6]).combinations(2, with_replacement=True).tolist() == [[5, 5], [5, 6], [6, 6]]
    assert Tensor([5]).combinations().shape == (0, 2)
    places = rng.integers(0, 24, (3, 2))
    for ours, theirs in zip(
        Tensor(places).unravel_index((2, 3, 4)), np.unravel_index(places, (2, 3, 4)), strict=True
    ):
        agree(ours, theirs)
    for offset in (-2, 0, 1):
        agree(Tensor.tril_indices(3, 4, offset), np.stack(np.tril_indices(3, offset, 4)))
        agree(Tensor.triu_indices(3, 4, offset), np.stack(np.triu_indices(3, offset, 4)))


def test_norms_are_cut() -> None:
    x = rng.standard_normal((3, 4)).astype(np.float32) * 3
    made = Tensor(x).renorm(2, 0, 1.5).numpy()
    assert np.linalg.norm(made, axis=1) == pytest.approx(np.minimum(np.linalg.norm(x, axis=1), 1.5), rel=1e-5)
    torch = pytest.importorskip("torch")
    agree(Tensor(x).renorm(1, 1, 2.0), torch.tensor(x).renorm(1, 1, 2.0))


@pytest.mark.parametrize("count", [0, 1, 2, 7])
def test_windows_for_signals(count: int) -> None:
    for ours, theirs in (
        (Tensor.hann_window, np.hanning),
        (Tensor.blackman_window, np.blackman),
        (Tensor.bartlett_window, np.bartlett),
        (Tensor.hamming_window, np.hamming),
        (lambda n, periodic: Tensor.kaiser_window(n, periodic, 8.6), lambda n: np.kaiser(n, 8.6)),
    ):
        np.testing.assert_allclose(ours(count, False).numpy(), theirs(count), rtol=1e-5, atol=1e-6)
        periodic = theirs(count + 1)[:count] if count > 1 else np.ones(count)
        np.testing.assert_allclose(ours(count, True).numpy(), periodic, rtol=1e-5, atol=1e-6)


# --- strides


def test_strides_of_memory() -> None:
    x = np.arange(12.0, dtype=np.float32)
    view = np.lib.stride_tricks.as_strided
    agree(Tensor(x).as_strided((3, 2), (4, 1), 1), view(x[1:], (3, 2), (16, 4)))
    agree(Tensor(x).reshape(3, 4).T.as_strided((5, 3), (2, 1)), view(x, (5, 3), (8, 4)))
    agree(Tensor(x)[2:].as_strided((2, 2), (3, 1)), view(x[2:], (2, 2), (12, 4)))
    assert Tensor(x).as_strided((0, 3), (1, 1)).shape == (0, 3)
    with pytest.raises(ValueError, match="leaves the 12 elements"):
        Tensor(x).as_strided((3, 5), (4, 1))


@pytest.mark.host_memory
def test_strides_are_those_of_the_memory() -> None:
    assert Tensor(np.zeros(6, np.float32)).as_strided((2, 2), (3, 2)).numpy().strides == (12, 8)


def test_strides_are_views() -> None:
    x = Tensor(np.zeros(6, np.float32))
    corners = x.as_strided((2, 2), (3, 2))
    corners += 1
    assert x.tolist() == [1, 0, 1, 1, 0, 1]
    x[0] = 5
    assert corners.tolist() == [[5, 1], [1, 1]]
    with pytest.raises((ValueError, RuntimeError)):
        x.as_strided((3, 3), (1, 1)).add_(1)


def test_strides_have_gradients() -> None:
    slope = grad(lambda x: (x.as_strided((3, 3), (1, 1)) ** 2).sum())(Tensor([1.0, 2.0, 3.0, 4.0, 5.0]))
    assert slope.tolist() == [2.0, 8.0, 18.0, 16.0, 10.0]


# --- special functions


def test_bessel_and_polygamma() -> None:
    x = np.array([0.0, 0.1, 1.0, -3.0, 7.9, 8.1, 50.0, 80.0], np.float32)
    agree(Tensor(x).i0(), np.i0(x.astype(np.float64)).astype(np.float32), rtol=1e-6)
    assert Tensor([float("inf"), float("-inf")]).i0().tolist() == [float("inf")] * 2
    # polygamma(n, x + 1) = polygamma(n, x) + (-1)^n n! / x^(n+1)
    z = np.array([0.3, 1.0, 2.5, 7.0, -0.4, -1.7, -5.2])
    for n, factorial in ((1, 1), (4, 24)):
        step = Tensor(z + 1).polygamma(n).numpy() - Tensor(z).polygamma(n).numpy()
        np.testing.assert_allclose(step, (-1) ** n * factorial / z ** (n + 1), rtol=1e-9)
    assert Tensor([1.0]).polygamma(1).item() == pytest.approx(np.pi**2 / 6)
    assert Tensor([0.0, -1.0]).polygamma(1).tolist() == [float("inf")] * 2
    torch = pytest.importorskip("torch")
    y = np.array([0.1, 0.5, 3.0, 40.0, -0.5, -2.5])
    for n in (0, 3):
        agree(Tensor(y).polygamma(n), torch.polygamma(n, torch.tensor(y)), rtol=1e-9)


def test_the_mantissa_has_a_gradient() -> None:
    x = Tensor(np.array([3.0, -5.0, 0.7, 2.0**-1060]))
    slope = grad(lambda x: x.frexp().mantissa.sum())(x)
    agree(slope, np.array([0.25, 0.125, 1.0, np.inf]))  # of a subnormal number: 2^1059 and more
