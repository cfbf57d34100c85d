"""Kernels that follow each other over the same loops: which become one on a GPU, and that they stay right."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

from saccade import Tensor
from saccade.fuzz.programs.check import difference, interpret
from saccade.fuzz.programs.draw import draw
from saccade.fuzz.programs.reference import evaluate
from saccade.graph.node import Shape
from saccade.schedule.cost import GPU
from saccade.schedule.kernel_graph import KernelGraph
from saccade.schedule.schedule import schedule
from tests.schedule.programs import inputs


def on_gpu(build: Callable[..., Any], *shapes: Shape) -> KernelGraph:
    made = build(*inputs(*shapes))
    roots = made if isinstance(made, (tuple, list)) else [made]
    return schedule(tuple(t.node for t in roots), len(shapes), GPU)


def map_and_reader(x: Tensor, y: Tensor) -> tuple[Tensor, Tensor]:
    moved = (x * 2 + 1).contiguous()
    return moved, (moved.unsqueeze(-1) - y).abs().amin(-1)


def reader_elsewhere(x: Tensor, y: Tensor) -> tuple[Tensor, Tensor]:
    moved = (x * 2 + 1).contiguous()
    return moved, (moved.flip(0).unsqueeze(-1) - y).abs().amin(-1)


def fold_and_map(x: Tensor, y: Tensor) -> tuple[Tensor, Tensor]:
    nearest = (x.unsqueeze(-1) - y).abs().amin(-1).contiguous()
    return nearest, nearest * 3 + x


def rows_of_one_length(x: Tensor, y: Tensor) -> tuple[Tensor, ...]:
    return x.amax(1), x.amin(1), y.argmax(1)


def rows_of_two_lengths(x: Tensor, y: Tensor) -> tuple[Tensor, ...]:
    return x.amax(1), y.amin(1)


def rows_in_turn(x: Tensor, y: Tensor) -> tuple[Tensor, ...]:
    largest = x.amax(1).contiguous()
    return largest, (x - largest[:, None]).exp().sum(1), (y * largest[:, None]).sum(1)


def rows_of_another(x: Tensor, y: Tensor) -> tuple[Tensor, ...]:
    largest = x.amax(1).contiguous()
    return largest, (x - largest.flip(0)[:, None]).exp().sum(1)


KERNELS: dict[str, tuple[Callable[..., Any], tuple[Shape, ...], int]] = {
    "a map and its reader": (map_and_reader, ((5000,), (40,)), 1),
    "a map read elsewhere": (reader_elsewhere, ((5000,), (40,)), 2),
    "a reduction and a map of it": (fold_and_map, ((5000,), (40,)), 1),
    "rows of one length": (rows_of_one_length, ((70, 300), (70, 300)), 1),
    "rows that read a reduction of themselves": (rows_in_turn, ((7000, 1000), (7000, 1000)), 2),
    "rows that read one of other rows": (rows_of_another, ((70, 300), (70, 300)), 2),
    "rows of two lengths": (rows_of_two_lengths, ((70, 300), (70, 200)), 2),
}


@pytest.mark.parametrize("name", KERNELS)
def test_how_many_kernels(name: str) -> None:
    build, shapes, expected = KERNELS[name]
    assert len(on_gpu(build, *shapes).items) == expected


def test_small_parts_of_one_result_are_reduced_in_its_kernel() -> None:
    """A reduction that is one number among many columns is not computed for each of them."""

    def report(x: Tensor) -> Tensor:
        best = x.amax(-1).unsqueeze(-1)
        return Tensor.cat([x, best, x.argmax(-1).unsqueeze(-1).cast("float32"), x - best], dim=-1)

    made = on_gpu(report, (4, 77))
    assert len(made.items) == 1


def test_joined_programs_compute_the_same() -> None:
    joined = 0
    for seed in range(120):
        program = draw(seed)
        if sum(given.size for given in program.inputs) > 2000:
            continue
        plan = schedule(program.roots, len(program.inputs), GPU)
        kernels = [item.kernel for item in plan.items]
        joined += any(len(kernel.sink.src) > 1 for kernel in kernels)
        found = interpret(program, plan, kernels)
        assert difference(program.roots, evaluate(program.roots, program.arrays()), found) is None, seed
    assert joined > 3
