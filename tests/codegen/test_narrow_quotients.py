"""Quotients that only 16-bit floats are made of are not exact to the last bit, and no others."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from saccade import Tensor, where
from saccade.codegen.cuda.schemes.flat import choose_flat, flat
from saccade.codegen.linear.code import Block, Instruction
from saccade.codegen.linear.gpu.lower import GpuLowering
from saccade.codegen.linear.gpu.narrow import narrow_quotients
from saccade.graph.ops import Op
from tests.codegen.kernels import kernels_of

PROGRAMS: dict[str, tuple[Callable[[Tensor, Tensor], Tensor], str, bool]] = {
    "rounded": (lambda x, y: (x.float() / y.float()).cast(x.dtype), "bfloat16", True),
    "rounded to float16": (lambda x, y: (x.float() / y.float()).cast(x.dtype), "float16", True),
    "a factor": (lambda x, y: (-(x.float() / y.float()) * x.float()).cast(x.dtype), "bfloat16", True),
    "a divisor": (lambda x, y: (1.0 / (x.float() / y.float())).cast(x.dtype), "bfloat16", True),
    "chosen": (lambda x, y: where(y > 0, x.float() / y.float(), 0.0).cast(x.dtype), "bfloat16", True),
    "of 32 bits": (lambda x, y: x / y, "float32", False),
    "a term, which may cancel": (lambda x, y: (x.float() / y.float() - 1).cast(x.dtype), "bfloat16", False),
    "compared": (lambda x, y: (x.float() / y.float() < 1).cast(x.dtype), "bfloat16", False),
    "both": (
        lambda x, y: ((x.float() / y.float()) * ((x.float() / y.float()) - 1)).cast(x.dtype),
        "bfloat16",
        False,
    ),
}


@pytest.mark.parametrize("name", PROGRAMS)
def test_which_quotients_are_narrow(name: str) -> None:
    program, dtype, narrow = PROGRAMS[name]
    x, y = (Tensor([1.0, 2.0, 3.0]).cast(dtype).realize() for _ in range(2))
    (kernel,) = kernels_of(program(x, y))
    shape = flat(kernel, choose_flat(kernel))
    body = GpuLowering(shape.kernel, shape.team).code("k").body
    found = narrow_quotients(body)
    every = {i.result for i in instructions(body) if i.kind == "alu" and i.arg[0] in (Op.DIV, Op.RECIP)}
    assert every
    assert found == (every if narrow else set())


def instructions(block: Block) -> list[Instruction]:
    return [
        i
        for item in block.items
        for i in ([item] if isinstance(item, Instruction) else instructions(item.body))
    ]
