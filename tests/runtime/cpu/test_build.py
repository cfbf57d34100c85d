"""Building: what was compiled once is not compiled again, not even by another process."""

from __future__ import annotations

import os
import subprocess
import sys
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from saccade.runtime.cache.cache import Cache
from saccade.runtime.cache.folder import MARKER
from saccade.runtime.cpu import build as build_module
from saccade.runtime.cpu.build import build, processor
from saccade.runtime.cpu.engine import compile_object
from saccade.runtime.cpu.pool import shared_pool
from saccade.runtime.plan import Plan
from saccade.runtime.program import CompileError, Launch, Source

from ...patience import HANG


@pytest.fixture
def source(kernels: Any) -> Source:
    found: Source = kernels.get("add", 10).source
    return found


def test_a_second_build_compiles_nothing(
    disk: Cache, source: Source, monkeypatch: pytest.MonkeyPatch
) -> None:
    shared_pool()
    build([source], disk)

    def refuse(name: str, text: str, quick: bool) -> bytes:
        raise AssertionError("compiled again")

    monkeypatch.setattr(build_module, "compile_object", refuse)
    program = build([source], Cache(disk.folder, disk.cap))[0]
    x, y, c = np.arange(10), np.zeros(10, np.int64), np.array([3])
    Plan([Launch(program, ((0, 0), (1, 0), (2, 0)))], 3)([x.ctypes.data, y.ctypes.data, c.ctypes.data])
    np.testing.assert_array_equal(y, x + 3)


def test_equal_texts_are_compiled_once(
    disk: Cache, source: Source, kernels: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    compiled: list[str] = []
    real = build_module.compile_object

    def count(name: str, text: str, quick: bool) -> bytes:
        compiled.append(name)
        return real(name, text, quick)

    monkeypatch.setattr(build_module, "compile_object", count)
    other = kernels.get("count", 5).source
    programs = build([source, replace(source, tasks=3), other, source], disk)
    assert sorted(compiled) == ["add", "count"]
    assert [p.source.tasks for p in programs] == [10, 3, 5, 10]
    assert programs[0].address == programs[3].address != programs[2].address


def test_quick_code_computes_the_same(disk: Cache, source: Source) -> None:
    quick, slow = build([replace(source, quick=True), source], disk)
    assert quick.address != slow.address
    x, c = np.arange(10), np.array([3])
    results = [np.zeros(10, np.int64), np.zeros(10, np.int64)]
    for program, y in zip((quick, slow), results, strict=True):
        Plan([Launch(program, ((0, 0), (1, 0), (2, 0)))], 3)([x.ctypes.data, y.ctypes.data, c.ctypes.data])
    np.testing.assert_array_equal(*results)


def test_libm_can_be_called(kernels: Any) -> None:
    x, y = np.linspace(-3, 3, 50, dtype=np.float32), np.zeros(50, np.float32)
    program = kernels.get("exp_f32", 50)
    Plan([Launch(program, ((0, 0), (1, 0), (0, 0)))], 2)([x.ctypes.data, y.ctypes.data])
    np.testing.assert_allclose(y, np.exp(x), rtol=1e-6)


def test_one_wrong_kernel_among_many_is_named_and_the_next_build_works(disk: Cache, source: Source) -> None:
    texts = [source.text.replace("add i64 %x, %c", f"add i64 %x, {i}") for i in range(6)]
    others = [replace(source, text=text) for text in texts]
    wrong = replace(source, name="wrong", text=source.text.replace("@add", "@wrong").replace("store", "stor"))
    with pytest.raises(CompileError, match="'wrong'"):
        build([*others, wrong], disk)
    assert len(build(others, disk)) == 6


def test_an_entry_that_is_no_object_is_discarded_and_compiled_again(disk: Cache, source: Source) -> None:
    build([source], disk)
    assert disk.folder is not None
    (key,) = (path.name for path in disk.folder.iterdir() if path.name != MARKER)
    code = disk.get(key)
    assert code is not None
    other = replace(source, name="other", text=source.text.replace("@add", "@other"))
    for wrong in (
        b"\x7fELF but nothing more",
        b"",
        code[: len(code) // 2],
        compile_object("other", other.text),
    ):
        disk.put(key, wrong)
        assert build([source], disk)[0].address
        assert disk.get(key) == code
    assert disk.discarded == 4


def test_code_of_another_llvm_is_not_used(
    disk: Cache, source: Source, monkeypatch: pytest.MonkeyPatch
) -> None:
    assert "0." in build_module.llvm_version()  # as llvmlite numbers its releases
    build([source], disk)
    monkeypatch.setattr(build_module, "llvm_version", lambda: "another")
    build([source], disk)
    assert disk.stats().entries == 2


def test_a_warm_process_does_not_load_llvm(tmp_path: Path) -> None:
    script = """
import sys
from saccade.runtime.cpu.pool import shared_pool
shared_pool()
print("llvmlite" in sys.modules)
"""
    environment = {**os.environ, "SACCADE_CACHE": str(tmp_path)}
    command = [sys.executable, "-c", script]
    seen = [
        subprocess.run(command, env=environment, capture_output=True, text=True, timeout=HANG)
        for _ in range(2)
    ]
    if sys.platform == "linux":
        assert [run.stdout.strip() for run in seen] == ["True", "False"], seen[0].stderr + seen[1].stderr


def test_the_processor_is_described() -> None:
    assert processor()
