"""Loading: our own loader and LLVM's place the same code; what cannot be loaded is refused by name."""

from __future__ import annotations

import ctypes
import gc
import math
import re
import sys
from pathlib import Path

import pytest

from saccade.runtime.cpu.engine import compile_object
from saccade.runtime.cpu.loader import ElfImage, EngineImage, Image, load, resolve
from saccade.runtime.cpu.relocations import AARCH64, X86_64, Place

linux = pytest.mark.skipif(sys.platform != "linux", reason="our loader places ELF objects")

# constants in memory, a table, data that is written, calls within the module and to libm, a global of libc
TEXT = """
@weights = internal constant [4 x double] [double 1.0, double 2.5, double -3.0, double 0.125]
@calls = internal global i64 40
@zeros = internal global [100 x i64] zeroinitializer
@table = internal constant [2 x ptr] [ptr @double_it, ptr @exp]
@environ = external global ptr
declare double @exp(double)
declare double @llvm.fabs.f64(double)

define internal double @double_it(double %x) noinline nounwind {
  %y = fmul double %x, 2.0
  ret double %y
}

define double @apply(i64 %which, double %x) nounwind {
  %n = load i64, ptr @calls
  %m = add i64 %n, 1
  store i64 %m, ptr @calls
  %f.p = getelementptr ptr, ptr @table, i64 %which
  %f = load ptr, ptr %f.p
  %y = call double %f(double %x)
  %e = call double @exp(double %y)
  %w.p = getelementptr double, ptr @weights, i64 %which
  %w = load double, ptr %w.p
  %z = fmul double %e, %w
  ret double %z
}

define i64 @count() nounwind {
  %n = load i64, ptr @calls
  %zero = load i64, ptr getelementptr (i64, ptr @zeros, i64 99)
  %sum = add i64 %n, %zero
  ret i64 %sum
}

define ptr @environment() nounwind {
  %e = load ptr, ptr @environ
  ret ptr %e
}

define <4 x float> @constant() nounwind {
  ret <4 x float> <float 1.5, float 2.5, float 3.5, float 4.5>
}
"""


@pytest.fixture(params=[pytest.param("ours", marks=linux), "llvm"])
def image(request: pytest.FixtureRequest) -> Image:
    code = compile_object("apply", TEXT)
    return ElfImage(code) if request.param == "ours" else EngineImage(code)


def test_code_data_and_calls_are_connected(image: Image) -> None:
    apply = ctypes.CFUNCTYPE(ctypes.c_double, ctypes.c_int64, ctypes.c_double)(image.address("apply"))
    assert apply(0, 0.5) == pytest.approx(math.exp(1.0))
    assert apply(1, 0.25) == pytest.approx(2.5 * math.exp(math.exp(0.25)))
    count = ctypes.CFUNCTYPE(ctypes.c_int64)(image.address("count"))
    assert count() == 42
    environment = ctypes.CFUNCTYPE(ctypes.c_void_p)(image.address("environment"))
    assert environment() == ctypes.c_void_p.in_dll(ctypes.CDLL(None), "environ").value


def test_unknown_names_are_refused(image: Image) -> None:
    with pytest.raises(KeyError, match="nowhere"):
        image.address("nowhere")


@linux
def test_no_page_is_writable_and_executable() -> None:
    image = ElfImage(compile_object("apply", TEXT))
    start = image.address("apply")
    rights = {}
    for line in Path("/proc/self/maps").read_text().splitlines():
        low, high, flags = re.match(r"(\w+)-(\w+) (\S+)", line).groups()  # type: ignore[union-attr]
        if int(low, 16) <= start < int(high, 16):
            rights["code"] = flags
    assert rights == {"code": "r-xp"}


@linux
def test_memory_is_given_back_with_the_image() -> None:
    code = compile_object("apply", TEXT)
    images = [load(code) for _ in range(50)]
    many = len(Path("/proc/self/maps").read_text().splitlines())
    del images
    gc.collect()
    assert len(Path("/proc/self/maps").read_text().splitlines()) < many


@linux
def test_functions_nobody_defines_are_named() -> None:
    text = TEXT.replace("@exp", "@no_such_function")
    with pytest.raises(OSError, match="no_such_function"):
        load(compile_object("apply", text))


@linux
def test_half_an_object_is_refused() -> None:
    code = compile_object("apply", TEXT)
    for end in (10, 63, len(code) // 2, len(code) - 1):
        with pytest.raises(ValueError):
            ElfImage(code[:end])


def test_libm_is_found() -> None:
    cosine = ctypes.CFUNCTYPE(ctypes.c_double, ctypes.c_double)(resolve("cos"))
    assert cosine(1.0) == math.cos(1.0)


# --- relocations of either machine, whatever machine this is


def place(word: int, address: int, symbol: int, addend: int = 0, veneer: int | None = None) -> Place:
    memory = memoryview(bytearray(word.to_bytes(8, "little")))
    return Place(memory, 0, address, symbol, addend, 0x7000_1238, veneer)


def word_of(p: Place) -> int:
    return int.from_bytes(p.memory[:4], "little")


@pytest.mark.parametrize("distance", [-(1 << 27), -4, 0, 4096, (1 << 27) - 4])
def test_arm64_calls_reach_as_far_as_they_can(distance: int) -> None:
    p = place(0x94000000, 0x5000_0000, 0x5000_0000 + distance)
    AARCH64.apply(283, p)
    field = word_of(p) & 0x3FFFFFF
    assert (field - (1 << 26) if field >> 25 else field) * 4 == distance
    assert word_of(p) >> 26 == 0x94000000 >> 26


def test_far_calls_use_the_veneer_or_are_refused() -> None:
    near = place(0x94000000, 0x5000_0000, 0x7FFF_0000_0000, veneer=0x5000_0100)
    AARCH64.apply(283, near)
    assert word_of(near) & 0x3FFFFFF == 0x40
    with pytest.raises(OverflowError, match="cannot reach"):
        AARCH64.apply(283, place(0x94000000, 0x5000_0000, 0x7FFF_0000_0000))
    with pytest.raises(OverflowError, match="cannot reach"):
        X86_64.apply(2, place(0, 0x5000_0000, 0x7FFF_0000_0000))


def test_arm64_pages() -> None:
    p = place(0x90000000, 0x5000_0FFC, 0x4FFF_E010, addend=0x20)
    AARCH64.apply(275, p)
    field = (word_of(p) >> 29 & 3) | (word_of(p) >> 5 & 0x7FFFF) << 2
    assert field - (1 << 21) == -2
    p = place(0x3DC00000, 0, 0x4FFF_E010, addend=0x20)
    AARCH64.apply(299, p)
    assert (word_of(p) >> 10 & 0xFFF) * 16 == 0x30


def test_x86_distances() -> None:
    p = place(0, 0x5000_0000, 0x5000_1000, addend=-4)
    X86_64.apply(2, p)
    assert word_of(p) == 0xFFC
    X86_64.apply(4, p)
    assert word_of(p) == 0xFFC
    X86_64.apply(42, p)
    assert word_of(p) == 0x7000_1238 - 4 - 0x5000_0000


def test_other_relocations_are_refused_by_number() -> None:
    with pytest.raises(ValueError, match="999 of arm64"):
        AARCH64.apply(999, place(0, 0, 0))
