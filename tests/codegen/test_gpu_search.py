"""The search for GPU kernels: layouts are data, what cannot be is refused, and every candidate computes the
same (on the host's emulator)."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from functools import cache, partial
from typing import Any

import numpy as np
import pytest

from saccade import Tensor
from saccade.codegen import compile as compiling
from saccade.codegen.cuda.search import search as gpu_search
from saccade.codegen.cuda.search.bench import GpuBench
from saccade.codegen.cuda.search.compare import compare_sources
from saccade.codegen.cuda.search.moves import Attend, Card, Flat, GpuMove, Multiply, Rows, Turn
from saccade.codegen.cuda.search.neighbours import neighbours
from saccade.codegen.cuda.search.search import SearchWarning, search_gpu
from saccade.codegen.cuda.source import laid_out, other_layouts
from saccade.codegen.cuda.templates.attention.parts import parts_of
from saccade.codegen.moves.legal import IllegalMove
from saccade.codegen.moves.text import from_json, to_json
from saccade.codegen.search.saved import save_move, saved_move
from saccade.codegen.search.trial import WrongResult, numbers
from saccade.graph import dtypes
from saccade.graph.dtypes import DType
from saccade.graph.kernels.kernel import Kernel
from saccade.graph.node import Shape
from saccade.runtime.cache.searched import target_of
from saccade.runtime.config import settings
from saccade.runtime.memory.halves import WORDS, to_float32
from saccade.runtime.program import CompileError, Launch, Program, Source
from saccade.schedule.cost import machine_of
from saccade.schedule.schedule import schedule
from tests.codegen.cuda_emulator import EmulatedDevice, EmulatedPlan, emulated_gpu, needs_compiler
from tests.schedule.programs import inputs

HOPPER = Card(shared=232448, wgmma=True, processors=4)
OLDER = Card(shared=64 * 1024, processors=4)
H200 = Card(shared=232448, wgmma=True, processors=132)


def kernel_of(build: Callable[..., Any], *shapes: Shape, dtype: DType = dtypes.float32) -> Kernel:
    made = build(*inputs(*shapes, dtype=dtype))
    return schedule((made.node,), len(shapes), machine_of("cuda:0")).items[0].kernel


@cache
def softmax(rows: int = 9, length: int = 260) -> Kernel:
    return kernel_of(lambda x: x.softmax(1), (rows, length))


@cache
def product(m: int = 128, n: int = 128, k: int = 72, dtype: DType = dtypes.float16) -> Kernel:
    return kernel_of(lambda a, b: a @ b, (m, k), (k, n), dtype=dtype)


@cache
def attention(rows: int = 40, keys: int = 72) -> Kernel:
    def build(q: Any, k: Any, v: Any) -> Any:
        return ((q @ k.mT) * 0.125).softmax(-1) @ v

    return kernel_of(build, (2, rows, 64), (2, keys, 64), (2, keys, 64), dtype=dtypes.float16)


@cache
def turned() -> Kernel:
    return kernel_of(lambda x: x.permute(0, 2, 1).contiguous(), (3, 200, 200))


# --- moves as data


def reached(kernel: Kernel, card: Card) -> list[GpuMove]:
    """The legal neighbours of the heuristic's layout, and the other schemes."""
    move = laid_out(kernel, card).move
    assert move is not None
    legal: list[GpuMove] = list(other_layouts(kernel, card))
    for other in neighbours(move):
        try:
            legal.append(laid_out(kernel, card, other).move or other)
        except IllegalMove:
            continue
    return legal


@pytest.mark.parametrize(
    "make",
    [softmax, partial(product, 1024, 1024, 512), partial(attention, 256, 256), turned],
    ids=["rows", "product", "attention", "turned"],
)
@pytest.mark.parametrize("card", [HOPPER, OLDER], ids=["hopper", "older"])
def test_every_kind_of_kernel_has_other_layouts(make: Callable[[], Kernel], card: Card) -> None:
    kernel = make()
    found = reached(kernel, card)
    own = laid_out(kernel, card)
    assert own.source == laid_out(kernel, card, own.move).source
    for move in found:
        made = laid_out(kernel, card, move)
        assert made.move == move
        assert made.source.shared <= card.shared
        assert made.source.block <= 1024
    assert len({own.source, *(laid_out(kernel, card, move).source for move in found)}) >= 4


def test_moves_survive_being_written_down() -> None:
    moves: list[GpuMove] = [
        Flat(128, 4, 2, 8),
        Rows(32, 8, 2, 4, True),
        Multiply("warps", 64, 64, 32, 3, 1),
        Attend("warpgroups", 128, 64, 2),
        Attend("warps", 16, 64, 2, parts=12),
        Turn(32, 64),
    ]
    assert from_json(to_json(moves)) == moves


def test_moves_written_down_before_keys_had_parts_have_one() -> None:
    text = '[{"move": "Attend", "by": "warps", "rows": 64, "keys": 64, "stages": 2, "strips": 1}]'
    assert from_json(text) == [Attend("warps", 64, 64, 2, parts=1)]


@pytest.mark.parametrize(
    "text",
    [
        '[{"move": "Flat", "threads": "many", "width": 1, "repeat": 1}]',
        '[{"move": "Flat", "threads": 32.5, "width": 1, "repeat": 1}]',
        '[{"move": "Rows", "team": 32}]',
        '["Flat"]',
    ],
)
def test_what_is_no_move_is_refused(text: str) -> None:
    with pytest.raises(ValueError, match=r"move|int"):
        from_json(text)


WIDE = partial(product, 200, 300, 72, dtypes.float32)


@pytest.mark.parametrize(
    ("make", "move"),
    [
        (softmax, Rows(48, 1, 4, 4, True)),
        (softmax, Rows(96, 2, 4, 4, True)),
        (softmax, Rows(2048, 1, 4, 4, True)),
        (softmax, Rows(128, 1, 8, 4, True)),
        (partial(softmax, 9, 40000), Rows(32, 1, 4, 4, True)),
        (softmax, Rows(32, 1, 4, 4, True, 2)),
        (lambda: kernel_of(lambda a, x: (a * x).sum(1), (24, 300), (1, 300)), Rows(32, 1, 4, 4, False, 5)),
        (softmax, Flat(100, 1, 1)),
        (softmax, Multiply("warps", 64, 64, 32, 4, 1)),
        (product, Flat(128, 1, 1)),
        (product, Multiply("magic", 64, 64, 32, 4, 1)),
        (product, Multiply("threads", 128, 128, 16, 2, 1)),
        (WIDE, Multiply("threads", 32, 64, 16, 2, 1)),
        (WIDE, Multiply("threads", 64, 80, 16, 2, 2)),
        (WIDE, Multiply("threads", 96, 64, 32, 2, 2)),
        (WIDE, Multiply("threads", 64, 64, 16, 2, 3)),
        (product, Multiply("warps", 48, 64, 32, 4, 1)),
        (product, Multiply("warps", 128, 128, 32, 40, 1)),
        (product, Multiply("warps", 256, 256, 32, 2, 1)),
        (product, Multiply("warpgroups", 128, 256, 64, 4, 2)),
        (product, Multiply("warpgroups", 128, 96, 64, 4, 1)),
        (product, Multiply("warpgroups", 128, 128, 64, 4, 1, helpers=2)),
        (attention, Attend("warps", 40, 64, 2)),
        (attention, Attend("warpgroups", 64, 64, 2)),
        (attention, Attend("warps", 64, 64, 0)),
        (attention, Attend("warps", 48, 64, 2)),
        (attention, Attend("warps", 64, 64, 2, parts=99)),
        (attention, Attend("warps", 64, 64, 2, parts=0)),
        (turned, Turn(24, 64)),
        (turned, Turn(8, 8)),
    ],
    ids=lambda each: None if callable(each) else str(each),
)
def test_what_a_kernel_has_no_place_for_is_refused(make: Callable[[], Kernel], move: GpuMove) -> None:
    with pytest.raises(IllegalMove):
        laid_out(make(), HOPPER, move)


def test_older_cards_have_no_warpgroups() -> None:
    with pytest.raises(IllegalMove, match="no products of warpgroups"):
        laid_out(product(), OLDER, Multiply("warpgroups", 128, 128, 64, 3, 1))


# --- what searches taught the heuristics


def test_few_queries_are_left_to_warps() -> None:
    few, many = (laid_out(attention(rows, 2048), HOPPER).move for rows in (16, 256))
    assert isinstance(few, Attend)
    assert isinstance(many, Attend)
    assert (few.by, many.by) == ("warps", "warpgroups")


def test_keys_are_cut_into_parts_where_the_rows_do_not_fill_the_card() -> None:
    few, many = (laid_out(attention(rows, 4096), H200).move for rows in (16, 20_000))
    assert isinstance(few, Attend)
    assert isinstance(many, Attend)
    assert few.parts > 8
    assert many.parts == 1


@pytest.mark.parametrize(
    ("size", "dtype", "move"),
    [
        (1 << 18, dtypes.float32, Flat(256, 4, 1)),
        (1 << 20, dtypes.float32, Flat(128, 4, 2)),
        (1 << 26, dtypes.float32, Flat(128, 4, 2)),
        (1 << 26, dtypes.float16, Flat(128, 8, 2)),
    ],
)
def test_threads_of_large_maps_have_two_vectors(size: int, dtype: DType, move: Flat) -> None:
    assert laid_out(kernel_of(lambda x: x * 2 + 1, (size,), dtype=dtype), H200).move == move


def test_what_a_map_has_behind_its_last_vector_is_a_section() -> None:
    laid = laid_out(kernel_of(lambda x: x * 2 + 1, ((1 << 26) + 1,)), H200)
    assert laid.move is None
    assert laid.source.grid == (1 << 26) // (256 * 4 * 2) + 1


@pytest.mark.parametrize(("m", "n"), [(512, 3136), (256, 12544), (1024, 1024), (40, 4096), (8192, 8192)])
def test_tiles_of_few_are_alone_on_their_processors(m: int, n: int) -> None:
    move = laid_out(product(m, n, 2048), H200).move
    assert isinstance(move, Multiply)
    tiles = -(-m // move.rows) * -(-n // move.columns)
    if tiles <= H200.processors:
        assert move.together == 1
        assert move.stages * (move.rows + move.columns) * 128 > H200.shared // 2
    else:
        assert m == 8192


def test_products_of_float32_have_tiles_that_keep_processors_busy() -> None:
    made = [
        laid_out(product(*sizes, dtypes.float32), H200).move
        for sizes in ((4096, 4096, 4096), (1300, 1300, 1300), (1024, 1024, 1024), (512, 49, 256))
    ]
    tiles = [(move.rows, move.columns) for move in made if isinstance(move, Multiply)]
    assert tiles == [(128, 256), (32, 64), (32, 128), (32, 64)]


@pytest.mark.parametrize("tiles", [1, 2, 3, 7, 64, 1000])
@pytest.mark.parametrize("blocks", [1, 5, 131, 132, 200, 5000])
def test_parts_have_keys_and_do_not_outnumber_the_card(blocks: int, tiles: int) -> None:
    parts = parts_of(blocks, tiles, 132)
    assert 1 <= parts <= tiles
    assert parts == 1 or blocks * parts <= 264


def test_sums_of_columns_are_spread_evenly() -> None:
    move = laid_out(kernel_of(lambda x: x.sum(1), (64, 256, 2048)), HOPPER).move
    assert isinstance(move, Flat)
    assert move.threads == 32
    heavy = laid_out(
        kernel_of(lambda x: (x.exp() * x.sin() + x.cos().tanh()).sum(1), (64, 256, 2048)), HOPPER
    )
    assert isinstance(heavy.move, Flat)
    assert heavy.move.threads > 32 or heavy.move.steps == 1


def test_an_index_among_many_is_found_by_few_threads() -> None:
    found = laid_out(kernel_of(lambda x: x.argmax(1), (16384, 4096)), HOPPER).move
    summed = laid_out(kernel_of(lambda x: x.sum(1), (16384, 16384)), HOPPER).move
    assert isinstance(found, Rows)
    assert isinstance(summed, Rows)
    assert found.in_flight > summed.in_flight


# --- candidates compute the same

CANDIDATES: dict[str, tuple[Callable[[], Kernel], Card, list[GpuMove]]] = {
    "rows": (softmax, OLDER, [Rows(32, 4, 4, 4, True), Rows(64, 1, 2, 1, False), Flat(64, 1, 1)]),
    "columns": (
        lambda: kernel_of(lambda x: x.sum(0) * 2, (96, 200)),
        OLDER,
        [Flat(64, 2, 2, 1), Flat(32, 4, 1, 8), Rows(64, 1, 1, 2, False)],
    ),
    "places in columns": (
        lambda: kernel_of(lambda x: x.argmin(0), (48, 200)),
        OLDER,
        [Flat(64, 2, 2, 1), Flat(32, 4, 1, 8), Flat(32, 1, 1, 16), Rows(64, 1, 1, 2, False)],
    ),
    "rows that share a vector": (
        lambda: kernel_of(lambda a, x: (a * x).sum(1) + 1, (24, 300), (1, 300)),
        OLDER,
        [Rows(32, 1, 4, 2, False, 2), Rows(32, 3, 1, 4, False, 4), Rows(64, 1, 4, 1, False, 3)],
    ),
    "map": (lambda: kernel_of(lambda x: x * 2 + 1, (3000,)), OLDER, [Flat(64, 4, 4), Flat(256, 8, 2)]),
    "joined rows": (
        lambda: kernel_of(
            lambda a, b, c: Tensor.cat((a, b, c), 1), (9, 32), (9, 8), (9, 48), dtype=dtypes.bfloat16
        ),
        OLDER,
        [Flat(64, 8, 2), Flat(32, 4, 1), Flat(32, 1, 4)],
    ),
    "stacked rows": (
        lambda: kernel_of(lambda a, b: Tensor.stack((a, b + 1), 1), (70000, 2), (70000, 2)),
        OLDER,
        [Flat(64, 2, 2), Flat(256, 1, 4)],
    ),
    "rows in turn": (
        lambda: kernel_of(lambda a, b: Tensor.stack((a, b + 1), -1), (70000, 8), (70000, 8)),
        OLDER,
        [Flat(64, 4, 2), Flat(64, 8, 1), Flat(256, 1, 4)],
    ),
    "quotients of 16 bits": (
        lambda: kernel_of(lambda a, b: (a / b).silu(), (9, 64), (9, 64), dtype=dtypes.bfloat16),
        OLDER,
        [Flat(64, 8, 1)],
    ),
    "product": (
        product,
        HOPPER,
        [Multiply("warps", 32, 64, 64, 2, 2), Multiply("warpgroups", 64, 128, 64, 3, 1)],
    ),
    "product of few tiles": (
        lambda: kernel_of(lambda a, b: a @ b.mT, (200, 520), (300, 520), dtype=dtypes.float16),
        HOPPER,
        [
            Multiply("bulk", 128, 96, 64, 6, 1),
            Multiply("bulk", 128, 64, 64, 8, 1),
            Multiply("warpgroups", 128, 96, 64, 8, 1),
            Multiply("warpgroups", 128, 192, 64, 5, 1),
        ],
    ),
    "product with helpers": (
        lambda: kernel_of(lambda a, b: a.mT @ b, (1480, 136), (1480, 200), dtype=dtypes.float16),
        replace(HOPPER, processors=9),
        [
            Multiply("bulk", 128, 128, 64, 4, 1, helpers=1),  # the tails of several tiles
            Multiply("bulk", 128, 128, 64, 4, 1, helpers=3),
            Multiply("bulk", 128, 256, 64, 4, 1, helpers=4),  # several helpers of a tile
            Multiply("bulk", 64, 256, 64, 4, 1, helpers=2),
        ],
    ),
    "product of float32": (
        lambda: product(200, 300, 72, dtypes.float32),
        OLDER,
        [
            Multiply("threads", 128, 256, 16, 2, 1),
            Multiply("threads", 128, 256, 8, 2, 1),
            Multiply("threads", 128, 128, 16, 2, 1),
            Multiply("threads", 128, 128, 8, 2, 2),
            Multiply("threads", 64, 128, 16, 2, 2),
            Multiply("threads", 64, 64, 16, 2, 1),
            Multiply("threads", 64, 64, 32, 2, 2),
            Multiply("threads", 64, 64, 16, 2, 4),
            Multiply("threads", 32, 64, 16, 2, 2),
            Multiply("threads", 32, 32, 16, 2, 4),
            Multiply("threads", 64, 96, 16, 2, 2),
        ],
    ),
    "product of odd rows": (  # which are copied word by word
        lambda: product(97, 149, 73, dtypes.float32),
        OLDER,
        [
            Multiply("threads", 128, 256, 16, 2, 1),
            Multiply("threads", 128, 128, 8, 4, 1),
            Multiply("threads", 64, 128, 16, 3, 2),
            Multiply("threads", 64, 64, 32, 2, 4),
            Multiply("threads", 96, 64, 16, 3, 2),
            Multiply("threads", 32, 64, 16, 4, 2),
            Multiply("threads", 32, 32, 16, 3, 4),
            Multiply("threads", 64, 160, 16, 2, 2),
        ],
    ),
    "product of odd columns": (
        lambda: kernel_of(lambda a, b: a.mT @ b.mT, (73, 97), (149, 73)),
        OLDER,
        [
            Multiply("threads", 128, 128, 16, 2, 1),
            Multiply("threads", 64, 64, 32, 2, 4),
            Multiply("threads", 96, 64, 16, 3, 2),
        ],
    ),
    "odd rows in slices": (
        lambda: kernel_of(lambda a, b: a @ b.mT, (97, 73), (149, 73)),
        HOPPER,
        [
            Multiply("threads", 32, 64, 32, 3, 2, slices=8),
            Multiply("threads", 64, 128, 16, 2, 1, slices=2),
            Multiply("threads", 64, 64, 16, 3, 2, slices=4),
            Multiply("threads", 64, 64, 64, 2, 1, slices=8),
            Multiply("threads", 32, 32, 32, 3, 1, slices=8),
        ],
    ),
    "odd rows by even ones": (
        lambda: kernel_of(lambda a, b: a @ b, (97, 76), (76, 149)),
        OLDER,
        [Multiply("threads", 64, 64, 16, 3, 2), Multiply("threads", 64, 96, 16, 3, 2)],
    ),
    "odd rows, an even result": (
        lambda: kernel_of(lambda a, b: a @ b, (97, 75), (75, 148)),
        OLDER,
        [Multiply("threads", 64, 128, 16, 2, 2), Multiply("threads", 64, 64, 16, 4, 1)],
    ),
    "softmax by teams of warps": (
        softmax,
        OLDER,
        [Rows(64, 2, 4, 4, True), Rows(64, 4, 4, 1, False), Rows(128, 2, 1, 2, True)],
    ),
    "a norm by teams of warps": (
        lambda: kernel_of(lambda x: (x - x.mean(1, keepdim=True)) * (x * x).mean(1, keepdim=True), (7, 260)),
        OLDER,
        [Rows(64, 2, 4, 4, True), Rows(64, 4, 4, 1, False)],
    ),
    "turned": (turned, OLDER, [Turn(32, 128), Turn(128, 32)]),
    "attention": (attention, HOPPER, [Attend("warps", 32, 32, 3), Attend("warps", 64, 64, 1, 2)]),
    "attention in parts": (
        lambda: attention(40, 600),
        HOPPER,
        [
            Attend("warps", 64, 64, 2, parts=3),
            Attend("warps", 32, 32, 3, 2, parts=19),
            Attend("warpgroups", 128, 128, 2, parts=5),
            Attend("warpgroups", 128, 64, 2, parts=4),
        ],
    ),
}


@needs_compiler
@pytest.mark.parametrize("name", CANDIDATES)
def test_candidates_compute_what_the_heuristic_does(name: str, gpu: None) -> None:
    make, card, moves = CANDIDATES[name]
    kernel = make()
    bench = GpuBench(kernel, "cuda:0")
    sources = [laid_out(kernel, card, move).source for move in (None, *moves)]
    first, *others = bench.compiled(sources)
    assert not isinstance(first, Exception)
    bench.expect(first)
    assert bench.expected[0].numpy().any()
    for program in others:
        assert not isinstance(program, Exception)
        bench.check(program)


# --- the search


@dataclass(frozen=True)
class Named:
    """A program that nobody runs."""

    source: Source


class Timed(GpuBench):
    """A bench that runs nothing, and on which larger blocks are faster."""

    def __init__(self, kernel: Kernel, device: str) -> None:
        self.kernel, self.device = kernel, device

    def compiled(self, sources: list[Source]) -> list[Program | Exception]:
        return [Named(source) for source in sources]

    def expect(self, program: Program) -> None:
        pass

    def check(self, program: Program) -> None:
        pass

    def seconds(self, program: Program, most: float = float("inf")) -> float | None:
        return 1.0 / program.source.block


@pytest.fixture
def timed(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    monkeypatch.setattr(gpu_search, "GpuBench", Timed)
    with emulated_gpu():
        yield


def small_map(length: int) -> Kernel:
    return kernel_of(lambda x: x * 2 + 1, (length,))


def test_the_fastest_is_kept_and_used(timed: None) -> None:
    kernel = small_map(2001)
    found = search_gpu(kernel, "cuda:0", 60.0)
    assert isinstance(found.move, Flat)
    assert found.move.threads == 1024
    assert found.after < found.before
    assert not found.failures
    card = compiling.card_of("cuda:0")
    assert saved_move(kernel, card, target_of("cuda:0")) == found.move
    assert compiling.source_for(kernel, "cuda:0").block == 1024
    assert compiling.moves_of(kernel, "cuda:0") == (found.move,)


def test_saved_moves_are_left_aside_if_the_setting_says_so(
    timed: None, monkeypatch: pytest.MonkeyPatch
) -> None:
    kernel = small_map(2003)
    search_gpu(kernel, "cuda:0", 60.0)
    monkeypatch.setattr(compiling, "settings", replace(settings, searched=False))
    assert compiling.source_for(kernel, "cuda:0").block != 1024


def test_the_next_search_goes_on_from_the_last(timed: None, monkeypatch: pytest.MonkeyPatch) -> None:
    kernel = small_map(2011)
    search_gpu(kernel, "cuda:0", 60.0)
    # and if the heuristic's turns out to be the best after all, that is what is kept
    monkeypatch.setattr(Timed, "seconds", lambda bench, program, most=0.0: float(program.source.block))
    found = search_gpu(kernel, "cuda:0", 60.0)
    assert isinstance(found.move, Flat)
    assert found.move.threads == 32
    assert saved_move(kernel, compiling.card_of("cuda:0"), target_of("cuda:0")) == found.move


def test_failures_are_counted_and_told(timed: None, monkeypatch: pytest.MonkeyPatch) -> None:
    def broken(bench: Timed, sources: list[Source]) -> list[Program | Exception]:
        return [CompileError("k", "", "no") if s.block > 256 else Named(s) for s in sources]

    monkeypatch.setattr(Timed, "compiled", broken)
    with pytest.warns(SearchWarning, match=r"candidates for kernel .* failed"):
        found = search_gpu(small_map(2005), "cuda:0", 60.0)
    assert found.failures
    assert "does not compile" in found.failures[0].reason
    assert isinstance(found.move, Flat)
    assert found.move.threads == 256


def test_a_wrong_candidate_is_never_chosen(timed: None, monkeypatch: pytest.MonkeyPatch) -> None:
    def strict(bench: Timed, program: Program) -> None:
        if program.source.block > 128:
            raise WrongResult("another")

    monkeypatch.setattr(Timed, "check", strict)
    with pytest.warns(SearchWarning):
        found = search_gpu(small_map(2007), "cuda:0", 60.0)
    assert isinstance(found.move, Flat)
    assert found.move.threads == 128
    assert {failure.reason for failure in found.failures} == {"another"}


def test_an_error_of_the_heuristics_own_kernel_is_raised(
    timed: None, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(Timed, "compiled", lambda *_: [CompileError("k", "", "no")])
    with pytest.raises(CompileError):
        search_gpu(small_map(2013), "cuda:0", 60.0)


def test_the_time_is_kept(timed: None) -> None:
    found = search_gpu(small_map(2009), "cuda:0", 1e-9)
    assert found.tried == 1
    assert found.before == found.after


def test_a_saved_move_that_does_not_fit_is_discarded_with_a_note(timed: None) -> None:
    kernel, card, target = small_map(2015), compiling.card_of("cuda:0"), target_of("cuda:0")
    save_move(kernel, card, target, Turn(64, 64), 2.0, 1.0)
    with pytest.warns(UserWarning, match="no layout for this kernel"):
        assert compiling.source_for(kernel, "cuda:0") == laid_out(kernel, card).source
    assert saved_move(kernel, card, target) is None


@needs_compiler
def test_the_comparison_sees_a_wrong_element(gpu: None) -> None:
    kernel = small_map(301)
    bench = GpuBench(kernel, "cuda:0")
    (program,) = bench.compiled([laid_out(kernel, OLDER).source])
    assert not isinstance(program, Exception)
    bench.expect(program)
    bench.check(program)
    wanted = bench.expected[0].numpy().copy()
    wanted[300] += 1
    bench.expected[0].copy_from(wanted)
    with pytest.raises(WrongResult):
        bench.check(program)


@needs_compiler
@pytest.mark.parametrize("dtype", [dtypes.float32, dtypes.float16, dtypes.bfloat16, dtypes.int64])
def test_results_are_compared_on_the_card(dtype: DType, gpu: None) -> None:
    size = 700
    sources = compare_sources(dtype, size, 1e-3)
    largest, differing = (EmulatedDevice().compile([source])[0] for source in sources)
    values = numbers(dtype, size, np.random.default_rng(0))
    changed = values.copy()
    changed[[3, 699]] = numbers(dtype, 1, np.random.default_rng(1))[0] + 5
    result = np.zeros(2, np.uint32)
    addresses = [changed.ctypes.data, values.ctypes.data, result.ctypes.data]
    for program, slots in ((largest, (1, 2)), (differing, (0, 1, 2))):
        launch = Launch(program, tuple((slot, 0) for slot in slots))
        EmulatedPlan([launch], 3, 0)(addresses)
    assert result[1] == 2
    assert result.view(np.float32)[0] == np.abs(wide(values, dtype)).max()


def wide(values: Any, dtype: DType) -> Any:
    return to_float32(values, dtype) if dtype in WORDS else values.astype(np.float32)


def test_small_products_have_small_tiles() -> None:
    """Of 27 x 27 results a tile of 32 x 64 computes half for nothing."""
    for side, columns in ((27, 32), (32, 32), (45, 64)):
        many = kernel_of(lambda a, b: a @ b, (999, side, side), (999, side, side))
        move = laid_out(many, replace(HOPPER, processors=132)).move
        assert isinstance(move, Multiply)
        assert move.columns == columns


def test_elements_of_both_factors_are_copied_one_by_one_where_those_of_one_are() -> None:
    """Rows of 400 come in whole chunks, those of 201 do not."""
    mixed = laid_out(kernel_of(lambda a, b: a @ b, (2219, 400), (400, 201)), HOPPER).source.text
    assert "#define A_SINGLY 1\n#define B_SINGLY 1\n" in mixed
    even = laid_out(kernel_of(lambda a, b: a @ b, (2219, 400), (400, 204)), HOPPER).source.text
    assert "#define A_SINGLY 0\n#define B_SINGLY 0\n" in even
