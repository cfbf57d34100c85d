"""Memory that was used before a large block is asked for goes back to the driver, which runs nothing here."""

from __future__ import annotations

import textwrap
from pathlib import Path

from .fake_gpu import NEEDS_A_DRIVER, run

pytestmark = NEEDS_A_DRIVER

SIZES = """
memory = Device["cuda"].main.memory
memory.clear()
start = memory.held
def megabytes():
    return [(n - start) >> 20 for n in (memory.held, memory.peak)]
"""


def test_a_large_block_comes_when_small_ones_have_gone(driver: Path) -> None:
    code = """
    small = [memory.allocate(8 << 20) for _ in range(3)]
    del small[0]
    print(megabytes())
    large = memory.allocate(96 << 20)
    print(megabytes(), len(small))
    """
    assert run(driver, SIZES + textwrap.dedent(code)).splitlines() == ["[24, 24]", "[112, 112] 2"]


def test_blocks_of_two_sizes_that_take_turns_are_kept(driver: Path) -> None:
    code = """
    for _ in range(4):
        for size in (16, 128):
            block = memory.allocate(size << 20)
            del block
        print(megabytes(), end=" ")
        log()
    """
    lines = run(driver, SIZES + textwrap.dedent(code))
    assert lines.strip() == "[128, 128] [144, 144] [144, 144] [144, 144]"


def test_each_size_goes_back_once(driver: Path) -> None:
    """However much is kept, and in whatever turns sizes come: from the third round on none is asked for."""
    code = """
    whole, held = memory._give_back, []
    memory._give_back = lambda sizes: (held.extend(sizes), whole(sizes))
    for number in range(5):
        for size in (32, 96, 64, 128, 80):
            block = memory.allocate(size << 20)
            del block
        print(len(held), end=" ")
    print(sorted(size >> 20 for size in held), megabytes())
    """
    found = run(driver, SIZES + textwrap.dedent(code)).strip()
    assert found == "4 5 5 5 5 [32, 64, 80, 96, 128] [400, 400]"
