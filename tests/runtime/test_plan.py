"""Plans: parameters are found by slot and offset, intermediates live in the arena, mistakes are named."""

from __future__ import annotations

import gc
import weakref
from functools import cache
from typing import Any

import numpy as np
import pytest

from saccade.runtime.cpu import pool
from saccade.runtime.cpu.pool import ROOM, Pool
from saccade.runtime.device import Device
from saccade.runtime.memory.buffer import Buffer
from saccade.runtime.plan import ARENA, Plan
from saccade.runtime.program import Launch, Source


def test_intermediates_go_through_the_arena(kernels: Any) -> None:
    n, c = 100, Buffer.from_numpy(np.array([10]))
    x, y = Buffer.from_numpy(np.arange(n)), Buffer.from_numpy(np.zeros(n, np.int64))
    add = kernels.get("add", n)
    launches = [
        Launch(add, ((0, 0), (ARENA, 0), (2, 0))),
        Launch(add, ((ARENA, 0), (ARENA, 8 * n), (2, 0))),
        Launch(add, ((ARENA, 8 * n), (1, 0), (2, 0))),
    ]
    plan = Plan(launches, 3, arena=16 * n)
    plan([x.address, y.address, c.address])
    np.testing.assert_array_equal(y.numpy(), np.arange(n) + 30)


def test_plans_of_a_pool_share_the_arena(kernels: Any) -> None:
    add = kernels.get("add", 4)
    large = Plan([Launch(add, ((0, 0), (ARENA, 0), (0, 0)))], 1, arena=1 << 20)
    small = Plan([Launch(add, ((0, 0), (ARENA, 0), (0, 0)))], 1, arena=1 << 10)
    x = np.arange(4)
    large([x.ctypes.data])
    small([x.ctypes.data])
    assert large._arena is small._arena


def test_a_larger_arena_takes_the_place_of_the_one_before(kernels: Any) -> None:
    """Every plan kept the block that it found first: 6 MB more for a prompt of a small language model."""
    add, x, one = kernels.get("add", 4), np.arange(4), np.array([1])
    y = np.zeros(4, np.int64)
    launches = [Launch(add, ((0, 0), (ARENA, 0), (2, 0))), Launch(add, ((ARENA, 0), (1, 0), (2, 0)))]
    given = [each.ctypes.data for each in (x, y, one)]
    pool = Pool(1)
    small, large = (Plan(launches, 3, arena=size, pool=pool) for size in (1 << 10, ROOM + 64))
    small(given)
    assert small._arena is not None
    before = weakref.ref(small._arena.block)
    bound = small.call(given)
    large(given)
    assert small._arena.block.nbytes > ROOM
    assert before() is not None  # it has its address
    y[:] = 0
    bound()
    np.testing.assert_array_equal(y, x + 2)
    del bound
    assert before() is None
    small(given)
    np.testing.assert_array_equal(y, x + 2)
    pool.close()


def test_an_arena_has_room_for_plans_that_need_more(kernels: Any) -> None:
    """As programs of a prompt do, whose attention looks at twice as many places each time."""
    add, x = kernels.get("add", 4), np.arange(4)
    plans = [Plan([Launch(add, ((0, 0), (ARENA, 0), (0, 0)))], 1, arena=n << 18) for n in (1, 2, 4, 8)]
    blocks = []
    for plan in plans:
        plan([x.ctypes.data])
        assert plan._arena is not None
        blocks.append(plan._arena.block)
    assert len(set(blocks)) == 1


def test_offsets_are_bytes_into_a_slot(kernels: Any) -> None:
    x, y, c = np.arange(10), np.zeros(10, np.int64), np.array([1, 2, 3])
    plan = Plan([Launch(kernels.get("add", 5), ((0, 40), (1, 8), (2, 16)))], 3)
    plan([x.ctypes.data, y.ctypes.data, c.ctypes.data])
    np.testing.assert_array_equal(y, [0, 8, 9, 10, 11, 12, 0, 0, 0, 0])


def test_bind_changes_one_slot(kernels: Any) -> None:
    x, y, z, c = np.arange(3), np.zeros(3, np.int64), np.zeros(3, np.int64), np.array([1])
    plan = Plan([Launch(kernels.get("add", 3), ((0, 0), (1, 0), (2, 0)))], 3)
    for slot, array in enumerate((x, y, c)):
        plan.bind(slot, array.ctypes.data)
    plan.run()
    plan.bind(1, z.ctypes.data)
    plan.run()
    np.testing.assert_array_equal(y, z)
    with pytest.raises(IndexError, match="slot 3"):
        plan.bind(3, 0)


def test_profile_measures_every_launch(kernels: Any) -> None:
    counts = np.zeros(100_000, np.int64)
    small, large = kernels.get("count", 1), kernels.get("count", 100_000)
    times = Plan([Launch(p, ((0, 0),) * 3) for p in (small, large, small)], 1).profile([counts.ctypes.data])
    assert len(times) == 3
    assert all(t >= 0 for t in times)
    assert (counts[1:] == 1).all()
    assert counts[0] == 3


@pytest.mark.parametrize("launches", [0, 1])
def test_a_plan_with_nothing_to_do_does_nothing(kernels: Any, launches: int) -> None:
    Plan([Launch(kernels.get("count", 0), ((0, 0),) * 3)] * launches, 1)([0])


def test_mistakes_are_named(kernels: Any) -> None:
    add = kernels.get("add", 3)
    with pytest.raises(ValueError, match="'add' takes 3 buffers, not 2"):
        Launch(add, ((0, 0), (1, 0)))
    with pytest.raises(ValueError, match="slot 2, but the plan has 2"):
        Plan([Launch(add, ((0, 0), (1, 0), (2, 0)))], 2)
    with pytest.raises(ValueError, match="arena of 16"):
        Plan([Launch(add, ((0, 0), (1, 0), (ARENA, 24)))], 2, arena=16)
    with pytest.raises(ValueError, match="2 slots was given 1"):
        Plan([], 2)([0])
    with pytest.raises(ValueError, match="negative"):
        Source("wrong", "", tasks=-1, params=0)


def test_the_device_compiles_plans_and_queues(kernels: Any) -> None:
    cpu = Device["cpu"]
    program = cpu.compile([kernels.get("add", 10).source])[0]
    x, y, c = np.arange(10), np.zeros(10, np.int64), np.array([7])
    plan = cpu.plan([Launch(program, ((0, 0), (1, 0), (2, 0)))], 3)
    cpu.queue.submit(plan, [x.ctypes.data, y.ctypes.data, c.ctypes.data])
    event = cpu.queue.record()
    event.wait()
    assert event.done()
    np.testing.assert_array_equal(y, x + 7)


def test_what_is_no_list_of_addresses_is_refused(kernels: Any) -> None:
    plan = Plan([Launch(kernels.get("add", 4), ((0, 0), (1, 0), (2, 0)))], 3)
    x, y, c = np.arange(4), np.zeros(4, np.int64), np.array([1])
    given = [array.ctypes.data for array in (x, y, c)]
    for wrong, error in (
        ([], ValueError),
        (given[:2], ValueError),
        ([*given, 0], ValueError),
        ([None, *given[1:]], TypeError),
        (["x", *given[1:]], TypeError),
        ([1 << 70, *given[1:]], OverflowError),
    ):
        with pytest.raises(error):
            plan(wrong)
    plan(tuple(given))
    np.testing.assert_array_equal(y, x + 1)


def test_a_plan_follows_its_pool_to_other_threads(kernels: Any) -> None:
    pool = Pool(1)
    plan = Plan([Launch(kernels.get("add", 1000), ((0, 0), (1, 0), (2, 0)))], 3, pool=pool)
    x, y, c = np.arange(1000), np.zeros(1000, np.int64), np.array([1])
    given = [array.ctypes.data for array in (x, y, c)]
    for threads in (3, 1, 2):
        pool.resize(threads)
        y[:] = 0
        plan(given)
        np.testing.assert_array_equal(y, x + 1)
    pool.close()


def test_programs_of_the_pool_stay(monkeypatch: pytest.MonkeyPatch) -> None:
    """Two threads that need it first may make one each: plans hold addresses of either."""
    monkeypatch.setattr(pool, "_program", cache(pool._program.__wrapped__))
    first = weakref.ref(pool._program())
    pool._program.cache_clear()
    pool._program()
    gc.collect()
    assert first() is not None
