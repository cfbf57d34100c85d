"""Memory of a GPU: one arena for all plans of a queue, and large blocks that waste little."""

from __future__ import annotations

from pathlib import Path
from textwrap import dedent

import pytest

from saccade.runtime.cuda.memory.pool import rounded

from .fake_gpu import NEEDS_A_DRIVER, run

pytestmark = NEEDS_A_DRIVER

#: plans of three kernels with so many bytes of intermediates, and what of the GPU is in use
PLANS = """
device = Device["cuda"]

def plan(nbytes):
    through = kernel("through", 2)
    ways = [((-1, 0), (0, 0)), ((-1, 256), (-1, 0)), ((1, 0), (-1, 256))]
    return device.plan([Launch(through, way) for way in ways], 2, nbytes)

def used(begin):
    return (device.memory_in_use() - begin) >> 20

buffers = [device.allocate(1024) for _ in range(8)]
pairs = [[buffers[n].address, buffers[n + 1].address] for n in range(0, 8, 2)]
begin = device.memory_in_use()
"""


def test_plans_of_a_queue_share_their_intermediates(driver: Path) -> None:
    told = run(
        driver,
        PLANS
        + dedent("""
        plans = [plan(8 << 20) for _ in range(3)]
        for each in plans:
            for _ in range(3):
                each(pairs[0])
        print(used(begin))
        with stream(device="cuda"):
            plans[0](pairs[0])
            print(used(begin))  # another queue may run at the same time
        """),
    )
    assert told.split() == ["8", "16"]


def test_a_larger_arena_takes_the_place_of_the_one_before(driver: Path) -> None:
    told = run(
        driver,
        PLANS
        + dedent("""
        small, large = plan(8 << 20), plan(24 << 20)
        for _ in range(3):
            small(pairs[0])
        large(pairs[0])
        print(used(begin))
        small(pairs[0])  # a replay: the memory in its table is still its own
        print(used(begin))
        small(pairs[1])  # another table, with the larger one
        print(used(begin))
        log()
        small(pairs[0])
        print(*log(), sep=", ")  # what it knew of the smaller one is forgotten: the table is written first
        """),
    )
    *sizes, last = told.strip().splitlines()
    assert sizes == ["32", "32", "24"]
    assert "write_table" in last


def test_a_call_keeps_the_intermediates_that_are_part_of_its_graph(driver: Path) -> None:
    told = run(
        driver,
        PLANS
        + dedent("""
        small, large = plan(8 << 20), plan(24 << 20)
        call = device.call(small, pairs[0], [], None)
        large(pairs[0])
        small(pairs[1])
        print(used(begin))
        del call
        gc.collect()
        print(used(begin))
        """),
    )
    assert told.split() == ["32", "24"]


@pytest.mark.parametrize("nbytes", [1, 512, 5000, 1 << 20, (1 << 20) + 1, 12_681_216, 126_812_160, 3 << 30])
def test_large_blocks_waste_little(nbytes: int) -> None:
    size = rounded(nbytes)
    assert nbytes <= size <= max(512, nbytes + nbytes // (8 if nbytes <= 1 << 20 else 32))
    assert rounded(size) == size
    assert size % 512 == 0 or size < 1 << 20
