"""Convolutions as products of transformed tiles: their numbers, kernels and limits."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from fractions import Fraction
from typing import Any

import numpy as np
import pytest

from saccade import Tensor, vjp
from saccade.codegen.cuda.search.moves import Card, Flat, Multiply
from saccade.codegen.cuda.source import laid_out
from saccade.graph.kernels.kernel import Kernel
from saccade.graph.ops import Op
from saccade.runtime.config import settings
from saccade.runtime.cuda.compiler import compile_ptx
from saccade.schedule import cost
from saccade.schedule.cost import CPU, GPU
from saccade.schedule.schedule import schedule
from saccade.schedule.winograd import tiles
from saccade.schedule.winograd.convolution import convolution_of
from saccade.schedule.winograd.cook_toom import MOST_POINTS, filtering
from saccade.schedule.winograd.estimate import (
    Filter,
    best_tile,
    microseconds_direct,
    microseconds_in_tiles,
)
from saccade.schedule.winograd.tiles import convolutions_in_tiles
from saccade.tensor.programs.form import canonical, graph_of
from saccade.transform.simplify import simplified
from tests.codegen.cuda_emulator import emulated_gpu, needs_compiler
from tests.codegen.test_cuda_render import nvrtc_missing
from tests.reference import evaluate

Array = np.ndarray[Any, Any]
TILES = replace(GPU, filters_tiles=True)


def floats(*shape: int) -> Array:
    return np.random.default_rng(3).standard_normal(shape).astype("float32")


def in_doubles(x: Array, w: Array, padding: tuple[int, ...]) -> Array:
    """The convolution in float64, a tap at a time."""
    x = np.pad(x.astype("float64"), ((0, 0), (0, 0), *[(p, p) for p in padding]))
    places = [n - r + 1 for n, r in zip(x.shape[2:], w.shape[2:], strict=True)]
    made = np.zeros((x.shape[0], w.shape[0], *places))
    for taps in np.ndindex(*w.shape[2:]):
        at: tuple[Any, ...] = (..., *[slice(t, t + n) for t, n in zip(taps, places, strict=True)])
        part = x[at]
        made += np.einsum("nc...,oc->no...", part, w[(..., *taps)].astype("float64"))
    return made


def error(made: Array, wanted: Array) -> float:
    return float(np.linalg.norm(made - wanted) / np.linalg.norm(wanted))


def kernels(*results: Tensor, machine: Any = TILES) -> list[Kernel]:
    form, _ = canonical([r.node for r in results])
    return [item.kernel for item in schedule(*graph_of(form), machine).items]


@pytest.fixture(name="tiles_of")
def tiles_of_fixture(monkeypatch: pytest.MonkeyPatch) -> Callable[..., None]:
    """Every convolution in tiles of this size, whatever an estimate says."""
    return lambda *tile: monkeypatch.setattr(tiles, "best_tile", lambda f, machine: tile)


@pytest.mark.parametrize(("m", "r"), [(m, r) for r in range(2, 8) for m in range(1, MOST_POINTS + 2 - r)])
def test_a_filter_by_its_points_is_the_filter(m: int, r: int) -> None:
    f = filtering(m, r)
    points = range(m + r - 1)
    for i in range(m):
        for k in range(r):
            for d in points:
                made = sum((f.results[i][p] * f.weights[p][k] * f.tiles[p][d] for p in points), Fraction(0))
                assert made == (d == i + k)


def test_there_is_an_end_to_points() -> None:
    with pytest.raises(ValueError, match=r"F\(7, 3\) needs 9 points"):
        filtering(7, 3)


@pytest.mark.parametrize(
    ("x", "w", "padding", "tile"),
    [
        ((2, 5, 9, 11), (7, 5, 3, 3), (1, 1), (4, 4)),
        ((1, 4, 8, 8), (4, 4, 3, 3), (0, 0), (2, 2)),
        ((1, 3, 10, 10), (4, 3, 5, 5), (2, 2), (4, 4)),
        ((1, 3, 13, 4), (2, 3, 3, 3), (2, 1), (6, 3)),
        ((3, 4, 7, 9), (5, 4, 3, 5), (1, 0), (2, 3)),
        ((2, 4, 6, 7), (6, 4, 1, 3), (0, 1), (4,)),
        ((2, 4, 13), (6, 4, 3), (1,), (6,)),
        ((1, 3, 6, 6, 5), (2, 3, 3, 3, 3), (1, 1, 1), (2, 2, 2)),
    ],
    ids=["3x3", "no padding", "5x5", "wide padding", "3x5", "1x3", "1d", "3d"],
)
def test_tiles_give_what_the_windows_give(
    x: tuple[int, ...],
    w: tuple[int, ...],
    padding: tuple[int, ...],
    tile: tuple[int, ...],
    tiles_of: Callable[..., None],
) -> None:
    tiles_of(*tile)
    a, b = floats(*x), floats(*w)
    node = Tensor(a).conv(Tensor(b), padding=padding).node
    (made,) = convolutions_in_tiles((node,), TILES)
    assert made is not node
    assert error(evaluate(made), in_doubles(a, b, padding)) < 5e-6


@pytest.mark.parametrize(("tile", "r", "most"), [(4, 3, 4e-6), (6, 3, 1e-5), (4, 5, 1e-5)])
def test_errors_of_many_channels_stay_small(
    tile: int, r: int, most: float, tiles_of: Callable[..., None]
) -> None:
    tiles_of(tile, tile)
    a, b = floats(1, 96, 2 * tile + r, 12), floats(16, 96, r, r)
    (made,) = convolutions_in_tiles((Tensor(a).conv2d(Tensor(b)).node,), TILES)
    assert error(evaluate(made), in_doubles(a, b, (0, 0))) < most


def test_what_is_no_such_convolution_stays(tiles_of: Callable[..., None]) -> None:
    tiles_of(2, 2)
    x, w = Tensor(floats(2, 32, 12, 12)), Tensor(floats(32, 32, 3, 3))
    for result in (
        x.conv2d(w, stride=2),
        x.conv2d(w, dilation=2),
        x.conv2d(w[:, :16], groups=2),
        x.conv2d(w[:, :1], groups=32),
        x.half().conv2d(w.half()),
        x.double().conv2d(w.double()),
        x.conv2d(w[:, :, :1, :1]),
        x.avg_pool2d(3, 1),
        x @ x,
    ):
        assert convolutions_in_tiles((result.node,), TILES) == (result.node,)
    assert convolutions_in_tiles((x.conv2d(w).node,), CPU) == (x.conv2d(w).node,)


def test_the_gradient_by_the_input_is_one_where_it_is_a_convolution(tiles_of: Callable[..., None]) -> None:
    tiles_of(3, 5)
    a, b = floats(2, 6, 9, 10), floats(5, 6, 3, 3)
    x, w = Tensor(a, device="cpu"), Tensor(b, device="cpu")
    out, back = vjp(lambda x: x.conv2d(w, padding=1), x)
    slope = floats(*out.shape)
    (dx,) = back(Tensor(slope, device="cpu"))
    convolved = [n for n in dx.node.toposort() if convolution_of(n) is not None]
    assert len(convolved) == 1
    (made,) = convolutions_in_tiles(simplified((dx.node,)), TILES)
    turned = np.ascontiguousarray(b.transpose(1, 0, 2, 3)[:, :, ::-1, ::-1])
    assert error(evaluate(made), in_doubles(slope, turned, (1, 1))) < 5e-6
    # what would be the gradient by padding has no tiles
    points, tiles = 5 * 7, 3 * 2
    assert max(n.size for n in made.toposort() if n.op is Op.CONTIGUOUS) == points * 6 * 2 * tiles


def test_a_gpu_convolves_slopes_where_tiles_are_fast() -> None:
    def gradient(x: Tensor, w: Tensor) -> Tensor:
        out, back = vjp(lambda x: x.conv2d(w, padding=1), x)
        dx: Tensor = back(Tensor(np.zeros(out.shape, "float32"), device="null:cuda"))[0]
        return dx

    for size, wanted in ((64, 1), (8, 0)):
        shapes = (size, size, 28, 28), (size, size, 3, 3)
        dx = gradient(*[Tensor(np.zeros(s, "float32"), device="null:cuda") for s in shapes])
        assert sum(convolution_of(n) is not None for n in simplified((dx.node,))[0].toposort()) == wanted


# --- which tiles


def test_an_estimate_says_which_tiles() -> None:
    many = Filter(128, 128, 128, (14, 14), (3, 3))
    assert best_tile(many, TILES) is not None
    assert microseconds_in_tiles(many, (4, 4), TILES) < 0.6 * microseconds_direct(many, TILES)
    assert best_tile(Filter(64, 64, 64, (28, 28), (5, 5)), TILES) == (4, 4)
    assert best_tile(replace(many, channels=8), TILES) is None
    assert best_tile(replace(many, outputs=3), TILES) is None
    assert best_tile(replace(many, images=1), TILES) is None  # few tiles are over in no time
    assert best_tile(replace(many, windows=(9, 9)), TILES) is None


# --- kernels


def large(epilogue: bool = True) -> Tensor:
    x, w, b = (Tensor(np.zeros(s, "float32")) for s in ((32, 64, 30, 30), (64, 64, 3, 3), (64,)))
    made = x.conv2d(w, b, padding=1)
    return (made * 0.5 + x).relu() if epilogue else made


@pytest.mark.parametrize(
    ("winograd", "tf32", "there"), [(True, False, True), (False, False, False), (True, True, False)]
)
def test_settings_say_whether(
    winograd: bool, tf32: bool, there: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(cost, "settings", replace(settings, winograd=winograd, tf32=tf32))
    assert cost.machine_of("null:cuda").filters_tiles is there
    assert not cost.machine_of("cpu").filters_tiles


@pytest.mark.parametrize("tile", [(4, 4), (5, 2), (6, 6)])
def test_four_kernels_with_the_epilogue_in_the_last(
    tile: tuple[int, ...], tiles_of: Callable[..., None]
) -> None:
    tiles_of(*tile)
    made = kernels(large())
    assert len(made) == 4
    moves = [laid_out(kernel, Card()).move for kernel in made]
    multiply = [m for m in moves if isinstance(m, Multiply)]
    assert [m.by for m in multiply] == ["threads"]
    for kernel, move in zip(made, moves, strict=True):
        if isinstance(move, Multiply):
            continue
        # a thread has a whole tile: it reads each element of it once, and works out all that is stored
        assert isinstance(move, Flat)
        source = laid_out(kernel, Card()).source
        stored = sum(kernel.params[slot][1] for slot in kernel.outputs)
        assert source.grid * source.block < stored / 2


def test_a_block_of_two_stores_what_lies_between() -> None:
    x, w = Tensor(np.zeros((64, 128, 14, 14), "float32")), Tensor(np.zeros((128, 128, 3, 3), "float32"))
    made = kernels((x.conv2d(w, padding=1).relu().conv2d(w, padding=1) + x).relu())
    assert len(made) == 7  # the weights of both are transformed once
    assert sum(isinstance(laid_out(kernel, Card()).move, Multiply) for kernel in made) == 2


@pytest.mark.skipif(nvrtc_missing() is not None, reason="needs NVRTC")
def test_kernels_keep_tiles_in_registers(tiles_of: Callable[..., None]) -> None:
    tiles_of(4, 4)
    for kernel in kernels(large()):
        text = compile_ptx(laid_out(kernel, Card()).source, "sm_90")
        assert ".local" not in text


@needs_compiler
@pytest.mark.parametrize(("shape", "tile"), [((2, 16, 13, 14), (4, 4)), ((1, 17, 9, 7), (2, 3))])
def test_kernels_compute_what_windows_do(
    shape: tuple[int, ...], tile: tuple[int, ...], tiles_of: Callable[..., None]
) -> None:
    """Loops that tiles do not divide, odd channels, and an epilogue that reads beside them."""
    tiles_of(*tile)
    x, w, b = floats(*shape), floats(shape[1], shape[1], 3, 3), floats(shape[1], 1, 1)
    wanted = np.maximum(in_doubles(x, w, (1, 1)) + b + x, 0)
    with emulated_gpu():
        a, c, d = (Tensor(each, device="cuda") for each in (x, w, b))
        made = (a.conv2d(c, padding=1) + d + a).relu().numpy()
    assert error(made, wanted) < 5e-6
