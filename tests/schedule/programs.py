"""Programs over inputs without data, as the scheduler takes them."""

from __future__ import annotations

from collections.abc import Callable
from math import prod
from typing import Any

from saccade.graph import dtypes
from saccade.graph.dtypes import DType
from saccade.graph.node import Shape, make
from saccade.graph.ops import Op
from saccade.graph.param import Param
from saccade.schedule.cost import CPU, Machine
from saccade.schedule.kernel_graph import KernelGraph
from saccade.schedule.schedule import schedule
from saccade.tensor import Tensor


def inputs(*shapes: Shape, dtype: DType = dtypes.float32, device: str | None = None) -> list[Tensor]:
    """One tensor a shape, on PARAMs numbered from 0."""
    made = []
    for slot, shape in enumerate(shapes):
        memory = make(Op.PARAM, dtype, (), Param(slot, prod(shape), device))
        made.append(Tensor._of(make(Op.RESHAPE, dtype, (memory,), shape)))
    return made


def scheduled(
    build: Callable[..., Any],
    *shapes: Shape,
    dtype: DType = dtypes.float32,
    machine: Machine = CPU,
    device: str | None = None,
) -> KernelGraph:
    """The kernels of a function of tensors of these shapes."""
    made = build(*inputs(*shapes, dtype=dtype, device=device))
    roots = made if isinstance(made, (tuple, list)) else [made]
    return schedule(tuple(t.node for t in roots), len(shapes), machine)
