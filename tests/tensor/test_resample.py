"""Other resolutions: laws that hold for every size, and torch's values where torch is installed."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from saccade import Tensor

from .compare import agree, same, value

rng = np.random.default_rng(0)


def test_a_line_stays_a_line_between_its_ends() -> None:
    line = np.linspace(-2, 3, 6, dtype=np.float32).reshape(1, 1, 6)
    for count in (1, 4, 6, 11):
        made = Tensor(line).interpolate(size=count, mode="linear", align_corners=True)
        expected = np.linspace(-2, 3, count, dtype=np.float32) if count > 1 else line[0, 0, :1]
        agree(made, expected.reshape(1, 1, count), atol=1e-5)


@pytest.mark.parametrize("mode", ["nearest", "nearest-exact", "bilinear", "bicubic", "area"])
def test_the_same_size_is_the_same_picture(mode: str) -> None:
    picture = rng.standard_normal((2, 3, 5, 4)).astype(np.float32)
    agree(Tensor(picture).interpolate(size=(5, 4), mode=mode), picture, atol=1e-6)


def test_a_factor_is_used_as_it_is_given() -> None:
    x = np.arange(7, dtype=np.float32).reshape(1, 1, 7)
    made = Tensor(x).interpolate(scale_factor=1.7)
    agree(made, x[..., np.floor(np.arange(11) / 1.7).astype(int)])


def test_channels_and_pixels_are_exchanged_without_loss() -> None:
    x = rng.standard_normal((2, 12, 3, 5)).astype(np.float32)
    fine = Tensor(x).pixel_shuffle(2)
    assert fine.shape == (2, 3, 6, 10)
    assert fine[1, 2, 3, 4].item() == x[1, 2 * 4 + 1 * 2 + 0, 1, 2]
    agree(fine.pixel_unshuffle(2), x)


@pytest.mark.parametrize(
    ("options", "said"),
    [
        ({"mode": "cubist"}, "cubist"),
        ({"size": 3, "mode": "linear"}, "linear"),
        ({"size": 0}, "at least 1"),
        ({}, "either size or scale_factor"),
        ({"size": (1, 2, 3)}, "2 spatial axes"),
    ],
)
def test_a_wrong_request_is_named(options: dict[str, Any], said: str) -> None:
    with pytest.raises(ValueError, match=said):
        Tensor.ones(1, 1, 4, 4).interpolate(**options)


@pytest.mark.parametrize("corners", [None, True])
@pytest.mark.parametrize("dims", [1, 2, 3])
def test_as_torch(dims: int, corners: bool | None) -> None:
    torch = pytest.importorskip("torch")
    x = rng.standard_normal((2, 3, 7, 6, 5)[: dims + 2]).astype(np.float32)
    linear = ("linear", "bilinear", "trilinear")[dims - 1]
    modes = [linear, *(["bicubic"] if dims == 2 else [])] if corners else ["nearest", "area", linear]
    for mode in modes:
        for options in ({"size": (4, 9, 3)[:dims]}, {"scale_factor": 2}, {"scale_factor": 0.6}):
            ours = Tensor(x).interpolate(**options, mode=mode, align_corners=corners)
            theirs = torch.nn.functional.interpolate(
                torch.from_numpy(x), **options, mode=mode, align_corners=corners
            )
            same(value(ours), value(theirs), atol=1e-5)


@pytest.mark.parametrize("mode", ["bilinear", "bicubic"])
def test_pictures_of_bytes_are_rounded_and_stay_in_range(mode: str) -> None:
    picture = rng.integers(0, 256, (2, 3, 5, 4), dtype=np.uint8)
    made = Tensor(picture).interpolate(size=(8, 9), mode=mode)
    exact = Tensor(picture.astype(np.float32)).interpolate(size=(8, 9), mode=mode).numpy()
    agree(made, np.floor(exact.clip(0, 255) + 0.5).astype(np.uint8))
    torch = pytest.importorskip("torch")
    if mode == "bicubic":  # torch rounds and clamps after each axis
        return
    theirs = torch.nn.functional.interpolate(torch.tensor(picture), size=(8, 9), mode=mode).numpy()
    assert np.abs(made.numpy().astype(int) - theirs.astype(int)).max() <= 1


def test_other_integers_are_not_weighed() -> None:
    with pytest.raises(TypeError, match="takes floats or uint8, not int32"):
        Tensor.ones(1, 1, 4, 4, dtype="int32").interpolate(size=(8, 8), mode="bilinear")


def test_float64_has_places_in_float64() -> None:
    torch = pytest.importorskip("torch")
    x = rng.standard_normal((1, 2, 7, 6))
    for mode in ("bilinear", "bicubic"):
        theirs = torch.nn.functional.interpolate(torch.tensor(x), size=(5, 9), mode=mode)
        agree(Tensor(x).interpolate(size=(5, 9), mode=mode), theirs.numpy(), atol=1e-13)


@pytest.mark.parametrize("mode", ["bilinear", "bicubic"])
def test_antialias_is_torchs(mode: str) -> None:
    torch = pytest.importorskip("torch")
    x = rng.standard_normal((1, 2, 13, 11))
    for options in (
        {"size": (5, 4)},
        {"size": (17, 3), "align_corners": True},
        {"scale_factor": 0.41},
        {"scale_factor": 0.41, "recompute_scale_factor": True},
    ):
        theirs = torch.nn.functional.interpolate(torch.tensor(x), mode=mode, antialias=True, **options)
        agree(Tensor(x).interpolate(mode=mode, antialias=True, **options), theirs.numpy(), atol=1e-13)


def test_antialias_of_one_colour_is_that_colour() -> None:
    agree(
        Tensor.full((1, 1, 9, 9), 3.0).interpolate(size=(2, 4), mode="bicubic", antialias=True),
        np.full((1, 1, 2, 4), 3.0, np.float32),
        atol=1e-6,
    )
    with pytest.raises(ValueError, match="antialias goes with"):
        Tensor.ones(1, 1, 4, 4).interpolate(size=(2, 2), mode="nearest", antialias=True)
