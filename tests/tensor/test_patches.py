"""Patches and grids: laws that hold for every size, and torch's values where torch is installed."""

from __future__ import annotations

from itertools import product
from typing import Any

import numpy as np
import pytest

from saccade import Tensor, grad

from .compare import agree
from .test_losses import against_torch, normal

rng = np.random.default_rng(9)
#: every program is compiled, so the default run has one of each kind
SAMPLE = [("bilinear", "zeros", False), ("nearest", "border", True), ("bicubic", "reflection", False)]
PATCHES: list[dict[str, Any]] = [
    {"kernel_size": 2},
    {"kernel_size": (2, 3), "stride": (2, 1), "padding": 1},
    {"kernel_size": 3, "dilation": 2, "padding": (2, 1)},
]


@pytest.mark.parametrize("options", PATCHES)
def test_folding_is_the_transpose_of_unfolding(options: dict[str, Any]) -> None:
    x = Tensor(normal(2, 3, 7, 6))
    columns = x.im2col(**options)
    other = Tensor(normal(*columns.shape))
    back = other.fold((7, 6), **options)
    assert back.shape == x.shape
    # <unfold(x), y> = <x, fold(y)>
    assert (columns * other).sum().item() == pytest.approx((x * back).sum().item(), rel=1e-4, abs=1e-3)
    F = pytest.importorskip("torch").nn.functional
    torch = pytest.importorskip("torch")
    agree(columns, F.unfold(torch.tensor(x.numpy()), **options))
    agree(back, F.fold(torch.tensor(other.numpy()), (7, 6), **options), atol=1e-5)


def test_columns_of_one_picture() -> None:
    x = Tensor(np.arange(9.0, dtype=np.float32).reshape(1, 3, 3))
    assert x.im2col(2).tolist() == [[0, 1, 3, 4], [1, 2, 4, 5], [3, 4, 6, 7], [4, 5, 7, 8]]
    assert x.im2col(2).fold(3, 2).reshape(3, 3).tolist() == [[0, 2, 2], [6, 16, 10], [6, 14, 8]]
    with pytest.raises(ValueError, match="does not fit"):
        Tensor.ones(1, 8, 9).fold(3, 2)


@pytest.mark.parametrize("dims", [2, *[pytest.param(d, marks=pytest.mark.slow) for d in (1, 3)]])
def test_unpooling_puts_maxima_back(dims: int) -> None:
    x = Tensor(normal(2, 3, *(6,) * dims))
    values, places = getattr(x, f"max_pool{dims}d")(2, return_indices=True)
    back = getattr(values, f"max_unpool{dims}d")(places, 2)
    assert back.shape == x.shape
    kept = back.numpy() != 0
    assert np.array_equal(back.numpy()[kept], x.numpy()[kept])
    assert kept.sum() == values.numel()
    wider = getattr(values, f"max_unpool{dims}d")(places, 2, output_size=(7,) * dims)
    assert wider.shape[2:] == (7,) * dims


@pytest.mark.parametrize("p", [2.0, *[pytest.param(p, marks=pytest.mark.slow) for p in (1.0, 3.0)]])
def test_norms_of_windows(p: float) -> None:
    x = np.abs(normal(2, 3, 6))
    expected = (x.reshape(2, 3, 3, 2) ** p).sum(-1) ** (1 / p)
    agree(Tensor(x).lp_pool1d(p, 2), expected, dtype=False)
    against_torch(lambda F, x: F.lp_pool2d(x, p, (2, 3), stride=(2, 1)), np.abs(normal(2, 3, 6, 7)) + 0.1)
    against_torch(lambda F, x: F.lp_pool2d(x, p, 3, ceil_mode=True), np.abs(normal(2, 3, 7, 7)) + 0.1)


def test_channels() -> None:
    x = np.arange(6.0, dtype=np.float32).reshape(1, 6, 1)
    assert Tensor(x).channel_shuffle(2).ravel().tolist() == [0, 3, 1, 4, 2, 5]
    y = normal(2, 7, 3, 2)
    against_torch(lambda F, x: F.local_response_norm(x, 3, alpha=0.1, k=2.0), y)
    against_torch(lambda F, x: F.local_response_norm(x, 4), y[..., 0])
    mean = np.pad(y**2, ((0, 0), (1, 1), (0, 0), (0, 0)))
    mean = (mean[:, :-2] + mean[:, 1:-1] + mean[:, 2:]) / 3
    agree(Tensor(y).local_response_norm(3, 0.1), y / (mean * 0.1 + 1) ** 0.75, dtype=False)


# --- grids


@pytest.mark.parametrize(
    ("mode", "align_corners"), [("bilinear", False), ("nearest", True), ("bicubic", True)]
)
def test_the_identity_gives_the_picture_back(mode: str, align_corners: bool) -> None:
    x = Tensor(normal(2, 3, 5, 4))
    same = Tensor([[[1.0, 0.0, 0.0], [0.0, 1.0, 0.0]]] * 2)
    grid = Tensor.affine_grid(same, x.shape, align_corners)
    agree(x.grid_sample(grid, mode, align_corners=align_corners), x.numpy(), atol=1e-5)


GRIDS = [
    pytest.param(*case, marks=() if case in SAMPLE else pytest.mark.slow)
    for case in product(["bilinear", "nearest", "bicubic"], ["zeros", "border", "reflection"], [False, True])
]


@pytest.mark.parametrize(("mode", "padding_mode", "align_corners"), GRIDS)
def test_grids_like_torch(mode: str, padding_mode: str, align_corners: bool) -> None:
    x, grid = normal(2, 3, 5, 4), normal(2, 6, 3, 2) * 1.3
    torch = pytest.importorskip("torch")
    options: dict[str, Any] = {"mode": mode, "padding_mode": padding_mode, "align_corners": align_corners}
    theirs = torch.nn.functional.grid_sample(torch.tensor(x), torch.tensor(grid), **options)
    agree(Tensor(x).grid_sample(Tensor(grid), **options), theirs, atol=2e-5)
    if mode != "bicubic":
        x, grid = normal(2, 3, 5, 4, 3), normal(2, 2, 3, 2, 3)
        theirs = torch.nn.functional.grid_sample(torch.tensor(x), torch.tensor(grid), **options)
        agree(Tensor(x).grid_sample(Tensor(grid), **options), theirs, atol=2e-5)


@pytest.mark.parametrize("align_corners", [False, True])
def test_affine_grids_like_torch(align_corners: bool) -> None:
    torch = pytest.importorskip("torch")
    for theta, size in ((normal(2, 2, 3), (2, 3, 5, 1)), (normal(2, 3, 4), (2, 1, 3, 4, 5))):
        theirs = torch.nn.functional.affine_grid(torch.tensor(theta), size, align_corners=align_corners)
        agree(Tensor.affine_grid(Tensor(theta), size, align_corners), theirs, atol=1e-5)


def test_grids_have_gradients() -> None:
    x, grid = normal(1, 2, 5, 4), normal(1, 3, 3, 2) * 0.8
    slopes = grad(lambda x, g: (x.grid_sample(g) ** 2).sum(), (0, 1))(Tensor(x), Tensor(grid))
    torch = pytest.importorskip("torch")
    a, b = torch.tensor(x, requires_grad=True), torch.tensor(grid, requires_grad=True)
    (torch.nn.functional.grid_sample(a, b, align_corners=False) ** 2).sum().backward()
    agree(slopes[0], a.grad, atol=1e-5)
    agree(slopes[1], b.grad, atol=1e-4)
