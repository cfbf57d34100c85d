"""Sums of products of bytes: by the processor's dot instructions where it has them, exact anyway."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from saccade import Tensor
from saccade.fuzz.kernels.platforms import EMULATED, Platform, compiled, emulate, has_emulator, source_on
from saccade.fuzz.kernels.platforms import PLATFORMS as OTHERS
from saccade.graph.kernels.kernel import Kernel
from saccade.runtime.cpu.engine import Target
from saccade.runtime.cpu.machine import Registers, assuming, host_registers
from tests.codegen.kernels import WITHOUT_VNNI, kernels_of, run_shaped_for

Array = np.ndarray[Any, Any]
ELF = b"\x7fELF"
ARM = Target("aarch64-unknown-linux-gnu", "generic")
#: processors by what they have
PLATFORMS = {
    "sdot": Platform(ARM, Registers(16, 32, frozenset({"sdot", "udot"})), ELF),
    "udot": Platform(ARM, Registers(16, 32, frozenset({"sdot", "udot"})), ELF),
    "usdot": Platform(ARM, Registers(16, 32, frozenset({"sdot", "udot", "usdot"})), ELF),
    "vpdpbusd": Platform(
        Target("x86_64-unknown-linux-gnu", "x86-64-v3"), Registers(32, 16, frozenset({"vpdpbusd"})), ELF
    ),
    "pmaddubsw": OTHERS["x86-64-v3 linux"],
}
FACTORS = {
    "sdot": ("int8", "int8"),
    "udot": ("uint8", "uint8"),
    "usdot": ("int8", "uint8"),
    "vpdpbusd": ("uint8", "int8"),
    "pmaddubsw": ("uint8", "int8"),
}
#: what LLVM calls them, where it is another name
CALLED = {"pmaddubsw": "pmadd.ub.sw", "wide": "vpdpbusd.512", "wide pairs": "pmaddubs.w.512"}


def bytes_of(rng: np.random.Generator, dtype: str, *shape: int) -> Array:
    limits = np.iinfo(dtype)
    return rng.integers(limits.min, limits.max + 1, shape).astype(dtype)


def summed(a: Tensor, b: Tensor) -> Tensor:
    return (a.cast("int32") * b.cast("int32")).sum(-1, dtype="int32")


def exact(a: Array, b: Array) -> Array:
    return (a.astype(np.int64) * b.astype(np.int64)).sum(-1).astype(np.int32)


@pytest.mark.parametrize("name", list(PLATFORMS))
def test_a_processor_with_the_instruction_gets_it(name: str, rng: np.random.Generator) -> None:
    first, second = (Tensor(bytes_of(rng, dtype, 40, 64)) for dtype in FACTORS[name])
    on = PLATFORMS[name]
    (kernel,) = kernels_of(summed(first, second))
    source = source_on(kernel, on)
    assert CALLED.get(name, f"{name}.") in source.text
    assert len(compiled(source, on)) > 200


@pytest.mark.parametrize("dtype", ["int8", "uint8", "int32"])
@pytest.mark.parametrize("length", [1, 2, 67])
def test_two_vectors(dtype: str, length: int, rng: np.random.Generator) -> None:
    """A result without axes has no last one for lanes to lie along."""
    first, second = (rng.integers(0, 100, length).astype(dtype) for _ in range(2))
    np.testing.assert_array_equal(summed(Tensor(first), Tensor(second)).numpy(), exact(first, second))
    for on in PLATFORMS.values():
        with assuming(on.registers):
            assert len(kernels_of(summed(Tensor(first), Tensor(second)))) == 1


def test_one_without_does_not(rng: np.random.Generator) -> None:
    (kernel,) = kernels_of(summed(*(Tensor(bytes_of(rng, "int8", 40, 64)) for _ in range(2))))
    assert "dot" not in source_on(kernel, Platform(ARM, Registers(16, 32), ELF)).text


def test_unsigned_bytes_below_128_are_signed(rng: np.random.Generator) -> None:
    """Numbers of four bits times bytes: what packed weights are."""
    packed, given_bytes = Tensor(bytes_of(rng, "uint8", 40, 64)), Tensor(bytes_of(rng, "int8", 40, 64))
    (kernel,) = kernels_of(summed(packed >> 4, given_bytes))
    assert "sdot" in source_on(kernel, PLATFORMS["sdot"]).text
    (kernel,) = kernels_of(summed(packed, given_bytes))
    assert "sdot" not in source_on(kernel, PLATFORMS["sdot"]).text


@pytest.mark.parametrize("first", ["int8", "uint8"])
@pytest.mark.parametrize("second", ["int8", "uint8"])
@pytest.mark.parametrize("length", [1, 16, 31, 32, 48, 130, 512])
def test_sums_are_exact(first: str, second: str, length: int, rng: np.random.Generator) -> None:
    a, b = bytes_of(rng, first, 7, length), bytes_of(rng, second, 7, length)
    np.testing.assert_array_equal(summed(Tensor(a), Tensor(b)).numpy(), exact(a, b))
    np.testing.assert_array_equal(summed(Tensor(a), Tensor(b[:1])).numpy(), exact(a, b[:1]))


@settings(max_examples=15, deadline=None)
@given(st.integers(1, 5), st.integers(1, 4), st.sampled_from((16, 32, 64)), st.integers(0, 2**32 - 1))
def test_blocks_with_scales(rows: int, blocks: int, size: int, seed: int) -> None:
    """Dots inside a sum of floats, of two parts of a byte: a product with packed weights."""
    rng = np.random.default_rng(seed)
    packed, q = bytes_of(rng, "uint8", rows, blocks, size), bytes_of(rng, "int8", 2, blocks, size)
    scales = rng.integers(-8, 8, (rows, blocks)).astype(np.float32)
    low, high = Tensor(packed) & 15, Tensor(packed) >> 4
    dots = summed(low, Tensor(q[0])) + summed(high, Tensor(q[1]))
    found = (Tensor(scales) * dots.float()).sum(-1).numpy()
    expected = (scales * (exact(packed & 15, q[0]) + exact(packed >> 4, q[1]))).sum(-1)
    np.testing.assert_array_equal(found, expected)


WIDE = Platform(
    Target("x86_64-unknown-linux-gnu", "cascadelake"), Registers(64, 32, frozenset({"vpdpbusd"})), ELF
)


def in_lanes(w: Tensor, x: Tensor) -> Tensor:
    """w (groups, words, 16, 4) of four bits and x (tokens, words, 4) of int8 -> (tokens, groups * 16)."""
    return in_lanes_of(w & 15, x)


def in_lanes_of(codes: Tensor, x: Tensor) -> Tensor:
    """The same of any bytes."""
    return summed_in_lanes(codes, x.unsqueeze(1).unsqueeze(-2)).reshape(x.shape[0], -1)


def summed_in_lanes(w: Tensor, x: Tensor) -> Tensor:
    return (w.cast("int32") * x.cast("int32")).sum((-3, -1), dtype="int32")


@pytest.mark.parametrize("name", ["sdot", "vpdpbusd", "wide", "pmaddubsw", "wide pairs"])
@pytest.mark.parametrize("tokens", [1, 24])
def test_results_in_lanes(name: str, tokens: int, rng: np.random.Generator) -> None:
    w, x = bytes_of(rng, "uint8", 5, 8, 16, 4), bytes_of(rng, "int8", tokens, 8, 4)
    made = in_lanes(Tensor(w), Tensor(x))
    on = {"wide": WIDE, "wide pairs": OTHERS["x86-64-v4 linux"]}.get(name) or PLATFORMS[name]
    (kernel,) = kernels_of(made)
    source = source_on(kernel, on)
    assert CALLED.get(name, name) in source.text
    assert "vector.reduce" not in source.text  # nothing is added up across lanes
    assert len(compiled(source, on)) > 200
    expected = np.einsum("gwrf,twf->tgr", (w & 15).astype(int), x.astype(int)).reshape(tokens, -1)
    np.testing.assert_array_equal(made.numpy(), expected)


@pytest.mark.parametrize("words", [1, 3, 4, 6, 8, 12])
@pytest.mark.parametrize("tokens", [1, 3, 10])
def test_bytes_for_all_lanes_in_groups_of_words(words: int, tokens: int, rng: np.random.Generator) -> None:
    """Four words of them are one load where they lie in groups of four; two blocks, so that groups differ."""
    w, x = bytes_of(rng, "uint8", 3, 2, words, 16, 4), bytes_of(rng, "int8", tokens, 2, words, 4)
    sums = summed_in_lanes(Tensor(w) & 15, Tensor(x).unsqueeze(1).unsqueeze(-2))  # (tokens, 3, 2, 16)
    scale = rng.integers(1, 9, (3, 2, 16)).astype("float32")
    made = (sums.float() * Tensor(scale)).sum(2)
    expected = np.einsum("gbwrf,tbwf,gbr->tgr", (w & 15).astype(int), x.astype(int), scale.astype(int))
    np.testing.assert_array_equal(made.numpy(), expected)


def test_masks_and_dots_in_one_kernel(rng: np.random.Generator) -> None:
    """Masks that are taken apart may cost a kernel its AVX-512: then it has no dots, and the same result."""
    w, x = bytes_of(rng, "uint8", 5, 8, 16, 4), bytes_of(rng, "int8", 1, 8, 4)
    some = rng.integers(0, 2, 80).astype(bool)
    made = in_lanes(Tensor(w), Tensor(x)).reshape(80).float()
    chosen = (Tensor(some) & (made > 0)).any()
    sums = np.einsum("gwrf,twf->tgr", (w & 15).astype(int), x.astype(int)).reshape(80)
    assert chosen.item() == bool((some & (sums > 0)).any())
    np.testing.assert_allclose((made / (made * 0 + 3)).numpy(), sums / 3, rtol=1e-6)


# --- pairs in 16 bits


def extreme(rng: np.random.Generator, dtype: str, *shape: int) -> Array:
    """The values that sums of pairs are largest for."""
    values = (-128, -127, 127) if dtype == "int8" else (0, 127, 128, 255)
    return rng.choice(np.array(values, dtype), shape)


def result_of(kernel: Kernel, registers: Registers, a: Array, b: Array) -> Array:
    """What a kernel of uint8 and int8 gives, shaped for such registers."""
    (dtype, size), *given = kernel.params
    out = np.zeros(size, dtype.name)
    run_shaped_for(kernel, registers, [out, *(a if dtype.is_unsigned else b for dtype, _ in given)])
    return out


@pytest.mark.parametrize("registers", WITHOUT_VNNI, ids=lambda registers: f"{registers.bytes} bytes")
@pytest.mark.parametrize("worst", [(255, -128), (255, 127), (128, -128), None])
def test_pairs_never_saturate(
    registers: Registers, worst: tuple[int, int] | None, rng: np.random.Generator
) -> None:
    """Along the sum and across it: what is largest in every place, and the extremes mixed."""
    a, b = extreme(rng, "uint8", 7, 192), extreme(rng, "int8", 7, 192)
    if worst is not None:
        a[:], b[:] = worst
    with assuming(registers):
        (kernel,) = kernels_of(summed(Tensor(a), Tensor(b)))
    np.testing.assert_array_equal(result_of(kernel, registers, a, b), exact(a, b))
    w, x = a[:6].reshape(3, 6, 16, 4), b[:1, :24].reshape(1, 6, 4)
    with assuming(registers):
        (kernel,) = kernels_of(summed_in_lanes(Tensor(w), Tensor(x).unsqueeze(1).unsqueeze(-2)))
    expected = np.einsum("gwrf,twf->tgr", w.astype(int), x.astype(int)).reshape(-1)
    np.testing.assert_array_equal(result_of(kernel, registers, w, x), expected)


@pytest.mark.parametrize("registers", WITHOUT_VNNI, ids=lambda registers: f"{registers.bytes} bytes")
@pytest.mark.parametrize("least", [-128, -127, -32, -1])
@pytest.mark.parametrize("worst", [-128, 127, None])
def test_two_signed_bytes(
    registers: Registers, least: int, worst: int | None, rng: np.random.Generator
) -> None:
    """One of them is shifted so that it has no sign, as far as its bounds ask for."""
    codes, b = bytes_of(rng, "uint8", 7, 48), extreme(rng, "int8", 7, 48)
    if worst is not None:
        codes[:], b[:] = (0 if worst < 0 else 255), worst
    most = {-128: 255, -127: 127, -32: 63, -1: 1}[least]
    signed = (Tensor(codes) & most).cast("int8") + least  # of all of them, wrapped
    (kernel,) = kernels_of(summed(signed, Tensor(b)))
    found = result_of(kernel, registers, codes, b)
    np.testing.assert_array_equal(found, exact((codes & most).astype("int8") + np.int8(least), b))


@pytest.mark.parametrize("name", ["vpdpbusd", "pmaddubsw"])
def test_two_signed_bytes_get_the_instruction_of_x86(name: str, rng: np.random.Generator) -> None:
    signed, given_bytes = (Tensor(bytes_of(rng, "int8", 5, 64)) for _ in range(2))
    (kernel,) = kernels_of(summed(signed, given_bytes))
    source = source_on(kernel, PLATFORMS[name])
    assert CALLED.get(name, name) in source.text
    assert len(compiled(source, PLATFORMS[name])) > 200


@pytest.mark.parametrize("registers", WITHOUT_VNNI, ids=lambda registers: f"{registers.bytes} bytes")
@pytest.mark.parametrize("bits", [1, 2, 4, 5, 6, 7])
@pytest.mark.parametrize("words", [1, 3, 8])
def test_sums_of_codes_fit_16_bits(registers: Registers, bits: int, words: int) -> None:
    """Codes of so many bits, all of them at their most, and bytes of -128."""
    w = np.full((2, 5, words, 16, 4), 255, "uint8")
    x = np.full((1, 5, words, 4), -128, "int8")
    codes, given_bytes = Tensor(w) & (2**bits - 1), Tensor(x).unsqueeze(1).unsqueeze(-2)
    (kernel,) = kernels_of(summed_in_lanes(codes, given_bytes).sum(2, dtype="int32"))
    assert (result_of(kernel, registers, w, x) == -128 * (2**bits - 1) * 20 * words).all()


@pytest.mark.parametrize(("bits", "widened"), [(3, 1), (4, 1), (5, 2), (6, 4), (7, 8), (8, 2)])
def test_sums_stay_in_16_bits_as_long_as_they_fit(bits: int, widened: int) -> None:
    """Eight steps; whole bytes are two sums of four bits."""
    w, x = np.ones((1, 8, 16, 4), "uint8"), np.ones((1, 8, 4), "int8")
    (kernel,) = kernels_of(in_lanes_of(Tensor(w) & (2**bits - 1), Tensor(x)))
    source = source_on(kernel, OTHERS["x86-64-v4 linux"])
    called = [line for line in source.text.splitlines() if "call" in line]
    assert sum("pmaddubs" in line for line in called) == (16 if bits == 8 else 8)
    assert sum("pmaddw" in line for line in called) == widened


@pytest.mark.skipif(not has_emulator(), reason="needs the package unicorn")
def test_an_emulated_processor_agrees(rng: np.random.Generator) -> None:
    """One with SSSE3 and no more, of 16 bytes."""
    a, b = extreme(rng, "uint8", 5, 96), extreme(rng, "int8", 5, 96)
    on = EMULATED["x86-64"]
    (kernel,) = kernels_of(summed(Tensor(a), Tensor(b)))
    source, out = source_on(kernel, on), np.zeros(5, "int32")
    assert "pmadd.ub.sw" in source.text
    arrays = (out, a, b)
    emulate(source, compiled(source, on), [x.ctypes.data for x in arrays], [x.nbytes for x in arrays])
    np.testing.assert_array_equal(out, exact(a, b))


def test_what_this_machine_has_is_known() -> None:
    assert host_registers().dots <= {"sdot", "udot", "usdot", "vpdpbusd", "pmaddubsw"}
