"""Products of matrices of bytes: tiles of dot instructions on x86, exact everywhere."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from saccade import Tensor
from saccade.codegen.compile import cpu_source, shaped
from saccade.codegen.moves.moves import Pack
from saccade.graph.node import walk
from saccade.graph.ops import Op
from saccade.runtime.cpu.machine import Registers, assuming, host_registers
from saccade.schedule.products.byte_products import bytes_for_dots
from tests.codegen.kernels import WITHOUT_VNNI, kernels_of, run_shaped_for

Array = np.ndarray[Any, Any]


def bytes_of(rng: np.random.Generator, dtype: str, *shape: int) -> Array:
    limits = np.iinfo(dtype)
    made = rng.integers(limits.min, limits.max + 1, shape).astype(dtype)
    made.flat[:2] = limits.min, limits.max
    return made


def exact(a: Array, b: Array) -> Array:
    return (a.astype(np.int64) @ b.astype(np.int64)).astype(np.int32)


@pytest.mark.parametrize(
    ("m", "k", "n"), [(8, 16, 16), (37, 67, 45), (64, 64, 64), (9, 131, 33), (7, 40, 100), (33, 24, 15)]
)
@pytest.mark.parametrize(
    "types", [("int8", "int8"), ("int8", "uint8"), ("uint8", "int8"), ("uint8", "uint8")]
)
def test_products_of_bytes_are_exact(
    m: int, k: int, n: int, types: tuple[str, str], rng: np.random.Generator
) -> None:
    a, b = bytes_of(rng, types[0], m, k), bytes_of(rng, types[1], k, n)
    assert np.array_equal(Tensor(a).matmul(Tensor(b), dtype="int32").numpy(), exact(a, b))


def test_the_extremes_of_long_sums_wrap_as_they_should() -> None:
    a, b = np.full((16, 4099), -128, "int8"), np.full((4099, 32), -128, "int8")
    assert (Tensor(a).matmul(Tensor(b), dtype="int32").numpy() == 4099 << 14).all()


@pytest.mark.parametrize("registers", WITHOUT_VNNI, ids=lambda registers: f"{registers.bytes} bytes")
@pytest.mark.parametrize(("m", "k", "n"), [(8, 16, 16), (13, 30, 33), (9, 131, 34), (8, 1025, 16)])
@pytest.mark.parametrize("worst", [(255, -128), (255, 127), None])
def test_tiles_of_pairs_never_saturate(
    registers: Registers, m: int, k: int, n: int, worst: tuple[int, int] | None, rng: np.random.Generator
) -> None:
    """Either factor may be the unsigned one, which is taken in halves."""
    a, b = bytes_of(rng, "uint8", m, k), bytes_of(rng, "int8", k, n)
    if worst is not None:
        a[:], b[:] = worst
    for first, second in ((a, b), (b.T.copy(), a.T.copy())):
        with assuming(registers):
            (kernel,) = kernels_of(Tensor(first).matmul(Tensor(second), dtype="int32"))
        out = np.zeros((len(first), second.shape[1]), "int32")
        of = {"uint8": a if first is a else second, "int8": b if first is a else first}
        run_shaped_for(kernel, registers, [out, *(of[dtype.name] for dtype, _ in kernel.params[1:])])
        np.testing.assert_array_equal(out, exact(first, second))


def test_a_product_in_parts_has_unsigned_bytes_too() -> None:
    """Few rows and a long sum, which threads share: signed bytes still meet the instruction of x86."""
    a, b = Tensor(np.full((16, 2048), -128, "int8")), Tensor(np.full((2048, 1024), -128, "int8"))
    made = a.matmul(b, dtype="int32")
    if host_registers().dots and not host_registers().by_lane:
        assert any("@llvm.x86." in cpu_source(kernel).text for kernel in kernels_of(made))
    assert (made.numpy() == 2048 << 14).all()


@pytest.mark.parametrize("turned", ["left", "right", "both"])
def test_turned_factors_and_epilogues(turned: str, rng: np.random.Generator) -> None:
    a, b = bytes_of(rng, "int8", 40, 52), bytes_of(rng, "int8", 52, 50)
    scale = rng.normal(size=50).astype("float32")
    first = Tensor(np.ascontiguousarray(a.T)).T if turned != "right" else Tensor(a)
    second = Tensor(np.ascontiguousarray(b.T)).T if turned != "left" else Tensor(b)
    made = first.matmul(second, dtype="int32").cast("float32") * Tensor(scale)
    np.testing.assert_array_equal(made.numpy(), exact(a, b).astype("float32") * scale)


def test_batches_of_bytes(rng: np.random.Generator) -> None:
    a, b = bytes_of(rng, "int8", 3, 20, 36), bytes_of(rng, "int8", 3, 36, 40)
    assert np.array_equal(Tensor(a).matmul(Tensor(b), dtype="int32").numpy(), exact(a, b))


@pytest.mark.skipif(host_registers().by_lane or not host_registers().dots, reason="for x86")
def test_signed_bytes_get_dot_instructions_and_a_narrow_panel(rng: np.random.Generator) -> None:
    a, b = Tensor(bytes_of(rng, "int8", 64, 128)), Tensor(bytes_of(rng, "int8", 128, 96))
    kernel = next(k for k in kernels_of(a.matmul(b, dtype="int32")) if len(k.order) == 2)
    assert any(isinstance(move, Pack) and move.narrow for move in shaped(kernel).moves)
    assert "@llvm.x86." in cpu_source(kernel).text


def test_casts_below_views_are_found(rng: np.random.Generator) -> None:
    """`a.int() @ b.int()` casts first and moves then: the same product, at the same price."""
    a, b = (rng.integers(-128, 128, shape, dtype=np.int8) for shape in ((40, 64), (64, 48)))
    made = Tensor(a).int() @ Tensor(b).int()
    turned = any(node.op is Op.XOR for node in walk(bytes_for_dots((made.node,))))
    assert turned == (bool(host_registers().dots) and "sdot" not in host_registers().dots)
    np.testing.assert_array_equal(made.numpy(), a.astype(np.int32) @ b.astype(np.int32))
