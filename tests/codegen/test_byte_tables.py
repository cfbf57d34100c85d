"""Tables of sixteen bytes: looked up by one instruction for a vector, the same bytes as one by one."""

from __future__ import annotations

import numpy as np
import pytest

from saccade import Tensor
from saccade.codegen.cpu.byte_tables import with_byte_tables
from saccade.fuzz.kernels.platforms import PLATFORMS, compiled, source_on
from saccade.graph.kernels.kernel import Kernel
from saccade.runtime.cpu.machine import Registers, assuming, host_registers
from tests.codegen.kernels import WITHOUT_VNNI, kernels_of, run_shaped_for


def looked_up(table: Tensor, codes: Tensor, most: int = 15) -> Tensor:
    return table[(codes & most).cast("int32")]


def kernel_of(size: int = 64, items: int = 16, dtype: str = "uint8", most: int = 15) -> Kernel:
    made = looked_up(Tensor(np.zeros(items, dtype)), Tensor(np.zeros(size, "uint8")), most)
    (kernel,) = kernels_of(made)
    return kernel


@pytest.mark.parametrize("dtype", ["int8", "uint8"])
@pytest.mark.parametrize("size", [1, 3, 8, 16, 31, 64, 777])
def test_values_are_those_of_numpy(dtype: str, size: int, rng: np.random.Generator) -> None:
    table, codes = rng.integers(0, 256, 16, np.uint8).view(dtype), rng.integers(0, 256, size, np.uint8)
    found = looked_up(Tensor(table), Tensor(codes))
    np.testing.assert_array_equal(found.numpy(), table[codes & 15])
    np.testing.assert_array_equal((found.float() * 2).numpy(), table[codes & 15] * np.float32(2))
    np.testing.assert_array_equal(found.cast("int32").sum().numpy(), table[codes & 15].sum(dtype=np.int32))


@pytest.mark.parametrize("registers", WITHOUT_VNNI, ids=lambda registers: f"{registers.bytes} bytes")
@pytest.mark.parametrize("size", [5, 17, 100])
def test_other_registers_find_the_same(registers: Registers, size: int, rng: np.random.Generator) -> None:
    table, codes = rng.integers(0, 256, 16, np.uint8), rng.integers(0, 256, size, np.uint8)
    kernel, out = kernel_of(size), np.zeros(size, np.uint8)
    (_, *given) = kernel.params
    run_shaped_for(kernel, registers, [out, *(table if n == 16 else codes for _, n in given)])

    np.testing.assert_array_equal(out, table[codes & 15])


@pytest.mark.parametrize(
    ("name", "called"),
    [
        ("x86-64-v2 linux", "pshuf.b"),
        ("x86-64-v3 linux", "pshuf.b"),
        ("x86-64-v4 linux", "pshuf.b"),
        ("arm64 linux", "tbl1"),
    ],
)
def test_a_processor_gets_its_instruction(name: str, called: str) -> None:
    source = source_on(kernel_of(), PLATFORMS[name])
    assert called in source.text
    assert len(compiled(source, PLATFORMS[name])) > 200


@pytest.mark.skipif(not host_registers().byte_shuffle, reason="this processor has no shuffle of bytes")
def test_only_bytes_of_sixteen_places_are_looked_up() -> None:
    some = kernel_of()
    assert with_byte_tables(some) is not some
    for other in (kernel_of(most=31), kernel_of(items=17), kernel_of(dtype="int16")):
        assert with_byte_tables(other) is other
    with assuming(Registers(16, 16, by_lane=False)):  # before SSSE3
        assert with_byte_tables(some) is some
