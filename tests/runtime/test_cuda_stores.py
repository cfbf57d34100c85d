"""Writes in place on a GPU: what the driver is asked to do, on one that runs nothing."""

from __future__ import annotations

import textwrap
from pathlib import Path

from .fake_gpu import NEEDS_A_DRIVER, run

pytestmark = NEEDS_A_DRIVER


def test_a_step_in_place_is_replayed_on_the_same_memory(driver: Path) -> None:
    code = """
        @jit
        def step(x):
            for _ in range(3):
                x.assign((x.flip(0) + 1).contiguous())   # another place: made elsewhere, copied back

        places = [address(x)]
        for _ in range(6):
            log()
            step(x)
            places.append(address(x))
        print(len(set(places)), log())
        cached = Device["cuda"].main.memory.cached
        step(x)
        print(Device["cuda"].main.memory.cached == cached)
    """
    assert run(driver, textwrap.dedent(code)).splitlines() == ["1 ['graph 1']", "True"]


def test_streams_wait_before_they_overwrite_and_after(driver: Path) -> None:
    code = """
        first, second = stream(device="cuda"), stream(device="cuda")
        with first:
            a = (x + 1).realize()                 # reads x
        log()
        with second:
            x += 1                                # overwrites it
            x.realize()
        print([line.split()[0] for line in log()])
        with first:
            b = (x + 1).realize()                 # reads what the second stream wrote
        print([line.split()[0] for line in log()])
    """
    assert run(driver, textwrap.dedent(code)).splitlines() == ["['wait', 'launch']"] * 2


def test_a_cache_is_written_at_offsets_that_are_arguments(driver: Path) -> None:
    code = """
        @jit
        def put(cache, new, t):
            cache[t : t + 2] = new

        cache = Tensor(np.zeros((16, 4), np.float32), device="cuda").realize()
        new = Tensor(np.ones((2, 4), np.float32), device="cuda").realize()
        place = address(cache)
        for t in range(8):
            log()
            put(cache, new, t)
        print(log(), place == address(cache), put.traces)
    """
    (told,) = run(driver, textwrap.dedent(code)).splitlines()
    assert told == "['launch 1 write_table', 'launch 1 map_2x4'] True 3"
