"""Complex tensors beside NumPy's arrays and torch's tensors: arithmetic, views, writes, jit, gradients."""

from __future__ import annotations

import copy
import pickle
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from saccade import Tensor, dtypes, grad, jit, where
from saccade.tensor.programs.realize import _executables

from .complexes import close, numbers, together

TOLERANCE = {np.complex64: 2e-6, np.complex128: 1e-14}


# --- arithmetic


@pytest.mark.parametrize("dtype", [np.complex128, pytest.param(np.complex64, marks=pytest.mark.slow)])
def test_arithmetic(dtype: Any) -> None:
    a, b, r = numbers(3, 4, dtype=dtype), numbers(4, dtype=dtype, seed=1), np.float32([1, -2, 0.5, 3])
    x, y, t = Tensor(a), Tensor(b), Tensor(r)
    own = [x + y, x - y, x * y, x / y, 1j - x, 2 / x, x * t, t / x, x**2, x**-3, x**0.5, x**y, x == x, x != y]
    theirs = [
        a + b,
        a - b,
        a * b,
        a / b,
        1j - a,
        2 / a,
        a * r,
        r / a,
        a**2,
        a**-3,
        a**0.5,
        a**b,
        a == a,
        a != b,
    ]
    for got, want in zip(together(*own), theirs, strict=True):
        close(got, want, 20 * TOLERANCE[dtype])


def test_division_neither_overflows_nor_vanishes() -> None:
    a = np.array([1e300 + 1e300j, 1e-300 + 1e-300j, 1 + 1j, 1 + 2j, complex(np.inf, 1)])
    b = np.array([1e300 + 2e300j, 2e-300 + 1e-300j, complex(np.inf, 0), 1e-310, 2])
    with np.errstate(all="ignore"):
        np.testing.assert_allclose((Tensor(a[:4]) / Tensor(b[:4])).numpy(), (a / b)[:4], rtol=1e-14)
    assert (Tensor(a) / 2).tolist()[-1] == complex(np.inf, 0.5)  # a real divisor leaves infinities alone
    assert (Tensor([complex(np.inf, 1.0)]) * 2.0).tolist() == [complex(np.inf, 2.0)]


PROMOTED = [
    "bool",
    "uint8",
    "int32",
    "int64",
    "float16",
    "bfloat16",
    "float32",
    "float64",
    "complex64",
    "complex128",
]


@pytest.mark.parametrize("name", PROMOTED)
def test_promotion_is_torchs(name: str) -> None:
    torch = pytest.importorskip("torch")
    for other in ("complex64", "complex128"):
        ours = (Tensor.zeros(1, dtype=name), Tensor.zeros(1, dtype=other), Tensor.zeros((), dtype=other))
        a, b, c = (torch.zeros(t.shape, dtype=getattr(torch, t.dtype.name)) for t in ours)
        assert str((a + b).dtype) == f"torch.{(ours[0] + ours[1]).dtype.name}"
        if name != "float16":  # complex32 is none of ours
            assert str((a + c).dtype) == f"torch.{(ours[0] + ours[2]).dtype.name}"
            assert str((a + 1j).dtype) == f"torch.{(ours[0] + 1j).dtype.name}"
        if not ours[0].dtype.is_complex:
            assert str((b * a).dtype) == f"torch.{(ours[1] * ours[0]).dtype.name}"


def test_what_has_no_meaning_raises() -> None:
    z = Tensor([1 + 2j, 3 - 1j])
    undefined: list[Callable[[], Any]] = [
        lambda: z < z,
        lambda: z >= 1,
        lambda: z.maximum(z),
        lambda: z.clamp(0, 1),
        lambda: z // 2,
        lambda: z % 2,
        lambda: ~z,
        lambda: z & z,
        lambda: z << 1,
        z.floor,
        z.ceil,
        z.trunc,
        z.amax,
        z.argmax,
        z.sort,
        z.argsort,
        z.median,
        z.erf,
        z.relu,
        z.signbit,
        z.isposinf,
        lambda: z.hypot(z),
        lambda: z.atan2(z),
        lambda: z.topk(1),
        lambda: z.cummax(0),
        z.float,
        z.long,
        lambda: z.bitcast("float64"),
        lambda: z.scatter_reduce(0, Tensor([0, 1]), z, "prod"),
        lambda: z.searchsorted(z),
        lambda: z.mse_loss(z),
        lambda: Tensor([1.0]).imag,
        lambda: Tensor([1.0]).fill_(1j),
        lambda: Tensor([1.0]).add_(1j),
        lambda: float(z[0]),
        lambda: z.dtype.max,
    ]
    for wrong in undefined:
        with pytest.raises(TypeError):
            wrong()
    with pytest.raises(TypeError, match=r"floor is not defined for complex64: use x\.real, x\.imag or abs"):
        z.floor()


# --- along axes


@pytest.mark.parametrize("shape", [(4, 5), (3, 0)])
def test_reductions(shape: tuple[int, ...]) -> None:
    a = numbers(*shape)
    x = Tensor(a)
    own = [
        x.sum(),
        x.sum(0),
        x.prod(-1),
        x.cumsum(-1),
        x.cumprod(-1),
        x.any(),
        x.all(0),
        x.norm(),
        x.count_nonzero(),
    ]
    theirs = [
        a.sum(),
        a.sum(0),
        a.prod(-1),
        a.cumsum(-1),
        a.cumprod(-1),
        a.any(),
        a.all(0),
        np.asarray(np.linalg.norm(a)),
        np.asarray(np.count_nonzero(a)),
    ]
    if a.size:
        own += [x.mean(-1), x.var(-1, unbiased=False), x.std(), x.prod()]
        theirs += [a.mean(-1), a.var(-1), np.asarray(a.std(ddof=1)), np.asarray(a.prod())]
    for got, want in zip(together(*own), theirs, strict=True):
        close(got, np.asarray(want), 1e-13)


def test_products_of_matrices() -> None:
    a, b = numbers(2, 3, 4), numbers(4, 5, seed=1)
    x, y = Tensor(a), Tensor(b)
    v, r = numbers(4, seed=2), np.random.default_rng(3).standard_normal((4, 2))
    own = [x @ y, Tensor.einsum("bij,jk->bki", x, y), Tensor(v).vdot(Tensor(v) * 1j), x.mH, x @ Tensor(r)]
    theirs = [
        a @ b,
        np.einsum("bij,jk->bki", a, b),
        np.asarray(np.vdot(v, v * 1j)),
        a.conj().swapaxes(1, 2),
        a @ r,
    ]
    for got, want in zip(together(*own), theirs, strict=True):
        close(got, want, 1e-14)


# --- parts, memory, views and writes


def test_parts() -> None:
    a = numbers(2, 3, dtype=np.complex64)
    z = Tensor(a)
    real, imag, pairs, again, angle = together(
        z.real, z.imag, z.view_as_real(), z.view_as_real().view_as_complex(), z.angle()
    )
    np.testing.assert_array_equal(real, a.real)
    np.testing.assert_array_equal(imag, a.imag)
    np.testing.assert_array_equal(pairs, np.stack([a.real, a.imag], -1))
    np.testing.assert_array_equal(again, a)
    np.testing.assert_allclose(angle, np.angle(a), rtol=1e-6)
    np.testing.assert_allclose(Tensor.polar(z.abs(), z.angle()).numpy(), a, rtol=1e-5)
    assert z.is_complex()
    assert not z.real.is_complex()
    assert z.real.real.dtype is dtypes.float32
    z.real = Tensor([1.0, 2.0, 3.0])
    z.imag = 0
    assert z.tolist() == [[1, 2, 3], [1, 2, 3]]


@pytest.mark.host_memory
def test_memory_is_shared_with_torch() -> None:
    torch = pytest.importorskip("torch")
    a = numbers(3, 2)
    x = Tensor.from_numpy(a)
    t = torch.from_dlpack(x)
    t[2, 1] = 5
    assert x[2, 1].item() == 5
    assert a[2, 1] == 5
    assert Tensor.from_dlpack(torch.tensor([1j])).tolist() == [1j]
    assert Tensor(torch.tensor([1j, 2.0])).dtype is dtypes.complex64


@pytest.mark.host_memory
def test_memory_is_shared_with_others() -> None:
    a = numbers(3, 2)
    x = Tensor.from_numpy(a)
    a[0, 0] = 7
    assert x[0, 0].item() == 7
    x[1] = 2j
    assert a[1].tolist() == [2j, 2j]
    for kept in (copy.deepcopy(x), pickle.loads(pickle.dumps(x))):
        np.testing.assert_array_equal(kept.numpy(), a)
    assert repr(Tensor([1 + 2j])) == "Tensor([1.+2.j], dtype=complex64)"


def test_views_and_writes() -> None:
    a = numbers(4, 6, dtype=np.complex64)
    x, e = Tensor(a), a.copy()
    view, before = x[1:3, ::2], x * 1
    x += 1j
    e += 1j
    view *= 2
    e[1:3, ::2] *= 2
    x[0] = Tensor([1.0, 2.0, 3.0, 4.0, 5.0, 6.0])
    e[0] = [1, 2, 3, 4, 5, 6]
    x.T[3] = 0
    e.T[3] = 0
    np.testing.assert_allclose(x.numpy(), e, rtol=1e-6)
    np.testing.assert_allclose(view.numpy(), e[1:3, ::2], rtol=1e-6)
    np.testing.assert_array_equal(before.numpy(), a)


def test_movement_and_choice() -> None:
    a, b = numbers(3, 4), numbers(3, 4, seed=1)
    x, y, index = Tensor(a), Tensor(b), np.array([2, 0])
    mask = a.real > 0
    own = [
        x.permute(1, 0).reshape(2, 6),
        x.pad((1, 0)),
        x.flip(0),
        x.roll(1, 1),
        Tensor.cat([x, y], 1),
        x[index],
        x.gather(1, Tensor([[0], [3], [1]])),
        where(Tensor(mask), x, y),
        x.masked_fill(Tensor(mask), 1j),
        x.scatter_add(1, Tensor([[0], [0], [0]]), y),
        x.tril(),
        x.unfold(1, 2, 1),
        x[Tensor(mask)],
        x.unique(),
    ]
    added = a.copy()
    added[:, 0] += b[:, 0]
    theirs = [
        a.T.reshape(2, 6),
        np.pad(a, ((0, 0), (1, 0))),
        a[::-1],
        np.roll(a, 1, 1),
        np.concatenate([a, b], 1),
        a[index],
        np.take_along_axis(a, np.array([[0], [3], [1]]), 1),
        np.where(mask, a, b),
        np.where(mask, 1j, a),
        added,
        np.tril(a),
        np.lib.stride_tricks.sliding_window_view(a, 2, 1),
        a[mask],
        np.unique(a),
    ]
    for got, want in zip(together(*own), theirs, strict=True):
        np.testing.assert_array_equal(got, want)


def test_host_data() -> None:
    assert Tensor([1, 2j]).dtype is dtypes.complex64
    assert Tensor(1j, dtype="complex128").item() == 1j
    assert Tensor([0.1 + 0.2j], dtype=complex).tolist() == [complex(np.complex64(0.1 + 0.2j))]
    assert Tensor([0.1 + 0.2j], dtype="complex128").tolist() == [0.1 + 0.2j]
    assert Tensor.full((2,), 1 + 1j).tolist() == [1 + 1j] * 2
    assert Tensor.ones(2, dtype="complex64").tolist() == [1, 1]
    assert Tensor([1.0, 2.0]).cfloat().tolist() == [1, 2]
    assert Tensor([0j, 1j, 1]).bool().tolist() == [False, True, True]
    close(Tensor.linspace(0, 1 + 1j, 3, dtype="complex128").numpy(), np.linspace(0, 1 + 1j, 3), 1e-15)
    with pytest.raises(TypeError, match="take the real parts first"):
        Tensor([1j], dtype="float32")
    drawn = Tensor.randn(4000, dtype="complex64")
    assert abs(float(drawn.var()) - 1) < 0.1
    assert abs(float(drawn.real.var()) - 0.5) < 0.1


def test_jit() -> None:
    @jit
    def step(z: Tensor, c: complex, r: float) -> Tensor:
        return (z * c + r).exp().abs()

    a = numbers(5)
    for c, r in ((1j, 1.0), (1j, 2.0), (0.5 - 1j, 3.0)):
        np.testing.assert_allclose(step(Tensor(a), c, r).numpy(), np.abs(np.exp(a * c + r)), rtol=1e-13)
    total = Tensor(a)
    grown = jit(lambda z: z.mul_(2j))
    grown(total)
    np.testing.assert_allclose(total.numpy(), a * 2j)


def test_lengths_and_numbers_that_change_are_given_to_one_program() -> None:
    before = len(_executables)
    for n in range(20, 40):
        a = numbers(n)
        got = (Tensor(a) * complex(n, -n) + 1).abs().sum().item()
        assert got == pytest.approx(np.abs(a * complex(n, -n) + 1).sum())
    assert len(_executables) - before <= 3


# --- laws

parts = st.floats(-1e3, 1e3, allow_nan=False).filter(lambda v: v == 0 or abs(v) > 1e-3)
complexes = st.lists(st.builds(complex, parts, parts), min_size=4, max_size=4)


@settings(max_examples=30, deadline=None)
@given(complexes, complexes)
def test_laws(first: list[complex], second: list[complex]) -> None:
    a, b = Tensor(first, dtype="complex128"), Tensor(second, dtype="complex128")
    product, conjugates, lengths, whole, square, logs = together(
        a * b,
        (a.conj() * b.conj()).conj(),
        a.abs() * b.abs(),
        Tensor.complex(a.real, a.imag),
        a.sqrt() ** 2,
        (a + 1e4).log().exp() - 1e4,
    )
    np.testing.assert_array_equal(product, conjugates)
    np.testing.assert_allclose(np.abs(product), lengths, rtol=1e-14)
    np.testing.assert_array_equal(whole, a.numpy())
    np.testing.assert_allclose(square, whole, rtol=1e-14, atol=1e-12)
    np.testing.assert_allclose(logs, whole, atol=1e-9)


# --- gradients

GRADIENTS: list[Any] = [
    ("product", lambda z: (z * z.conj() * (1 + 2j)).real.sum()),
    ("quotient", lambda z: ((z + 1j) / (z * z + 3)).imag.sum()),
    ("functions", lambda z: (z.exp() + z.log() * z.sqrt()).real.sum()),
    pytest.param("inverses", lambda z: (z.acos() + z.atanh()).imag.sum(), marks=pytest.mark.slow),
    ("length", lambda z: (z.abs() * z.angle()).sum()),
    ("matrices", lambda z: (z @ z.mH @ z).abs().sum()),
    ("moves", lambda z: (z[1:].T.reshape(-1).flip(0)[:4] * 1j).real.sum() + (z**3).imag[0].sum()),
    ("products", lambda z: (z.prod() * 1j).real + z.cumsum(0).abs().sum()),
]


@pytest.mark.parametrize(("name", "function"), GRADIENTS)
def test_gradients_are_torchs(name: str, function: Callable[[Any], Any]) -> None:
    torch = pytest.importorskip("torch")
    a = numbers(3, 3) * 0.8
    t = torch.tensor(a, requires_grad=True)
    function(t).backward()
    x = Tensor(a).requires_grad_()
    function(x).backward()
    assert x.grad is not None
    assert t.grad is not None
    np.testing.assert_allclose(x.grad.numpy(), t.grad.resolve_conj().numpy(), rtol=1e-9, atol=1e-12)


@pytest.mark.parametrize("which", [0, 2, 5, 6])
def test_gradients_are_slopes(which: int) -> None:
    """Along d, a loss grows by the real part of the sum of conj(gradient) * d."""
    function, a, d = GRADIENTS[which][1], numbers(3, 3) * 0.8, numbers(3, 3, seed=9)
    x = Tensor(a).requires_grad_()
    function(x).backward()
    assert x.grad is not None
    up, down = (function(Tensor(a + step * d)).item() for step in (1e-6, -1e-6))
    slope = (x.grad.numpy().conj() * d).real.sum()
    assert slope == pytest.approx((up - down) / 2e-6, rel=1e-6)


def test_gradients_of_real_tensors_through_complex_ones() -> None:
    torch = pytest.importorskip("torch")
    r = np.random.default_rng(0).standard_normal(4)
    x, t = Tensor(r).requires_grad_(), torch.tensor(r, requires_grad=True)
    ((x * (1 + 2j)).exp().imag.sum()).backward()
    ((t * (1 + 2j)).exp().imag.sum()).backward()
    assert x.grad is not None
    assert t.grad is not None
    assert x.grad.dtype is dtypes.float64
    np.testing.assert_allclose(x.grad.numpy(), t.grad.numpy(), rtol=1e-12)
    with pytest.raises(RuntimeError, match="a loss is real"):
        (x * 1j).sum().backward()


def test_a_quotient_by_an_imaginary_number_has_a_gradient() -> None:
    divisor = np.array([2j, -2j, 2.0, 1 + 1j])
    slope = grad(lambda z: (z / Tensor(divisor)).real.sum())(Tensor(np.full(4, 0.5 + 0.2j)))
    np.testing.assert_allclose(slope.numpy(), (1 / divisor).conj())


def test_lengths_bend_where_a_part_is_zero() -> None:
    """The second derivative of |2 + ix| is 1 / 2 at x = 0."""
    slope = grad(lambda x: (x * 1j + 2).abs().sum())
    assert grad(lambda x: slope(x).sum())(Tensor([0.0, 1e-4])).tolist() == pytest.approx([0.5, 0.5])
