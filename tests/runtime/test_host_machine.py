"""What a machine says of its caches."""

from __future__ import annotations

from pathlib import Path

import pytest

from saccade.runtime.cpu import machine
from saccade.runtime.cpu.machine import cache_sizes, describe_host


def write(folder: Path, **values: str) -> None:
    folder.mkdir()
    for name, text in values.items():
        (folder / name).write_text(text + "\n")


def test_caches_for_data_nearest_first(tmp_path: Path) -> None:
    write(tmp_path / "index0", level="1", type="Data", size="32K")
    write(tmp_path / "index1", level="1", type="Instruction", size="64K")
    write(tmp_path / "index2", level="3", type="Unified", size="8192K")
    write(tmp_path / "index3", level="2", type="Unified", size="512K")
    write(tmp_path / "index4", level="4")
    assert cache_sizes(tmp_path) == [32 << 10, 512 << 10, 8 << 20]
    assert cache_sizes(tmp_path / "none") == []


def test_a_line_about_this_machine() -> None:
    assert "registers of" in describe_host()


@pytest.mark.parametrize(
    ("flags", "dots", "size"),
    [
        ("sse2", set(), 16),
        ("ssse3", {"pmaddubsw"}, 16),
        ("ssse3 avx2", {"pmaddubsw"}, 32),
        ("ssse3 avx2 avx_vnni", {"vpdpbusd"}, 32),
        ("ssse3 avx2 avx512f", set(), 64),
        ("ssse3 avx2 avx512f avx512bw", {"pmaddubsw"}, 64),
        ("ssse3 avx2 avx512f avx512bw avx512vl avx512_vnni", {"vpdpbusd"}, 64),
    ],
)
def test_what_a_processor_multiplies_bytes_with(
    flags: str, dots: set[str], size: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(machine, "_flags", lambda called: frozenset(flags.split()))
    monkeypatch.setattr(machine.platform, "machine", lambda: "x86_64")
    found = machine._found_registers.__wrapped__()
    assert (found.dots, found.bytes) == (dots, size)
