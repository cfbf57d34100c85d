"""The thread pool: every iteration runs exactly once, whatever the threads do."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import textwrap
import threading
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from saccade.runtime.cpu import serial
from saccade.runtime.cpu.pool import Pool
from saccade.runtime.plan import Plan
from saccade.runtime.program import Launch

from ...patience import HANG

MakePool = Callable[..., Pool]


def address(array: np.ndarray[Any, Any]) -> int:
    return int(array.ctypes.data)


@pytest.mark.parametrize("threads", [1, 2, 3, 8, 64])
@pytest.mark.parametrize("spin_us", [0, 50])
def test_random_launches_run_every_iteration_once(
    kernels: Any, make_pool: MakePool, rng: np.random.Generator, threads: int, spin_us: int
) -> None:
    pool = make_pool(threads, spin_us)
    launches, expected = [], np.zeros(300, np.int64)
    for _ in range(500):
        tasks, grain = int(rng.integers(0, 300)), int(rng.integers(1, 40))
        launches.append(Launch(kernels.get("count", tasks, grain), ((0, 0),) * 3))
        expected[:tasks] += 1
    plan = Plan(launches, 1, pool=pool)
    runs = 20  # 10 cases of 500 * 20 launches: 100,000 in all
    counts = np.zeros(300, np.int64)
    for _ in range(runs):
        plan([address(counts)])
    np.testing.assert_array_equal(counts, expected * runs)


def test_launches_of_a_plan_see_what_earlier_ones_wrote(kernels: Any, make_pool: MakePool) -> None:
    n, steps = 1000, 200
    one = np.ones(1, np.int64)
    even, odd = (
        Launch(kernels.get("add", n, 7), ((0, 0), (1, 0), (2, 0))),
        Launch(kernels.get("add", n, 13), ((1, 0), (0, 0), (2, 0))),
    )
    plan = Plan([even, odd] * (steps // 2), 3, pool=make_pool(4))
    x, y = np.arange(n), np.zeros(n, np.int64)
    plan([address(x), address(y), address(one)])
    np.testing.assert_array_equal(x, np.arange(n) + steps)


def test_each_thread_has_its_own_scratch_and_it_grows(kernels: Any, make_pool: MakePool) -> None:
    pool, n = make_pool(4), 4000
    out = np.zeros(n, np.int64)
    for extra in (0, 1 << 16, 1 << 20):
        program = kernels.get("scratch", n, 5, scratch=4096 + extra)
        Plan([Launch(program, ((0, 0),) * 3)] * 20, 1, pool=pool)([address(out)])
        assert (out > 0).all(), "another thread wrote into the scratch"
        assert (out % 64 == 0).all()
        assert 1 <= len(np.unique(out)) <= 4


def test_several_threads_take_part(kernels: Any, make_pool: MakePool) -> None:
    out = np.zeros(20000, np.int64)
    launch = Launch(kernels.get("scratch", len(out), 10, scratch=4096), ((0, 0),) * 3)
    plan = Plan([launch], 1, pool=make_pool(2))
    for _ in range(100):
        plan([address(out)])
        if len(np.unique(out)) > 1:
            return
    pytest.fail("100 launches of 2000 chunks, and no worker ever took one")


def test_a_launch_of_one_chunk_starts_no_threads(kernels: Any, make_pool: MakePool) -> None:
    before = _native_threads()
    counts = np.zeros(10, np.int64)
    plan = Plan([Launch(kernels.get("count", 10, grain=10), ((0, 0),) * 3)], 1, pool=make_pool(8))
    plan([address(counts)])
    assert _native_threads() == before
    assert (counts == 1).all()


def test_closing_ends_the_threads(kernels: Any) -> None:
    before = _native_threads()
    pool, counts = Pool(6), np.zeros(10, np.int64)
    Plan([Launch(kernels.get("count", 10, 1), ((0, 0),) * 3)], 1, pool=pool)([address(counts)])
    assert _native_threads() > before
    pool.close()
    assert _native_threads() == before


def _native_threads() -> int:
    if not os.path.isdir("/proc/self/task"):
        pytest.skip("the number of native threads is only known on Linux")
    return len(os.listdir("/proc/self/task"))


def test_idle_workers_use_no_processor_time(kernels: Any, make_pool: MakePool) -> None:
    """They fall asleep, and nothing wakes them; one that spins is never asleep."""
    _native_threads()  # or skip
    others, counts = set(os.listdir("/proc/self/task")), np.zeros(10, np.int64)
    plan = Plan([Launch(kernels.get("count", 10, 1), ((0, 0),) * 3)], 1, pool=make_pool(4))
    plan([address(counts)])
    workers = sorted(set(os.listdir("/proc/self/task")) - others)
    assert len(workers) == 3
    end = time.monotonic() + HANG
    while not all(_state(worker)[0] == "S" for worker in workers):
        assert time.monotonic() < end, "a worker spins"
        time.sleep(0.01)
    before = [_state(worker) for worker in workers]
    time.sleep(0.2)
    assert [_state(worker) for worker in workers] == before


def _state(thread: str) -> tuple[str, ...]:
    """Whether a thread of this process sleeps ("S"), and how often it was given a core or left one."""
    text = Path(f"/proc/self/task/{thread}/status").read_text()
    told = dict(line.split(":\t", 1) for line in text.splitlines() if ":\t" in line)
    names = ("voluntary_ctxt_switches", "nonvoluntary_ctxt_switches")
    return (told["State"][0], *(told[name] for name in names))


def test_python_threads_take_turns(kernels: Any, make_pool: MakePool) -> None:
    pool, n, rounds = make_pool(3), 500, 200
    shared = Plan([Launch(kernels.get("add", n, 11), ((0, 0), (1, 0), (2, 0)))] * 3, 3, pool=pool)
    wrong: list[int] = []

    def work(seed: int) -> None:
        x, y, c = np.arange(n) + seed, np.zeros(n, np.int64), np.array([seed])
        for _ in range(rounds):
            y[:] = 0
            shared([address(x), address(y), address(c)])
            if not (y == x + seed).all():
                wrong.append(seed)

    threads = [threading.Thread(target=work, args=(i,)) for i in range(1, 6)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert not wrong


def test_no_memory_for_scratch_is_an_error_that_names_the_kernel(kernels: Any, make_pool: MakePool) -> None:
    pool, out = make_pool(2), np.zeros(100, np.int64)
    for grain in (1, 100):
        program = kernels.get("scratch", 100, grain, scratch=1 << 60)
        with pytest.raises(MemoryError, match="'scratch'"):
            Plan([Launch(program, ((0, 0),) * 3)], 1, pool=pool)([address(out)])
    Plan([Launch(kernels.get("count", 100, 1), ((0, 0),) * 3)], 1, pool=pool)([address(out)])
    assert (out == 1).all(), "the pool is usable after an error"


@pytest.mark.parametrize("threads", [0, -1, 100_000])
def test_impossible_numbers_of_threads_are_refused(threads: int) -> None:
    with pytest.raises(ValueError, match="threads"):
        Pool(threads)


def test_the_serial_runner_agrees(kernels: Any, make_pool: MakePool, rng: np.random.Generator) -> None:
    launches = [Launch(kernels.get("add", 100, 9), ((0, 0), (1, 8 * i), (2, 0))) for i in range(5)]
    launches.append(Launch(kernels.get("scratch", 10, 1, scratch=4096), ((3, 0),) * 3))
    plan = Plan(launches, 4, pool=make_pool(2))
    x, c, s = rng.integers(0, 99, 100), np.array([5]), np.zeros(10, np.int64)
    pooled, alone = np.zeros(110, np.int64), np.zeros(110, np.int64)
    plan([address(a) for a in (x, pooled, c, s)])
    for slot, array in enumerate((x, alone, c, s)):
        plan.bind(slot, address(array))
    assert serial.run(1, plan._launches_address, len(launches), plan._table_address) == 0
    np.testing.assert_array_equal(pooled, alone)
    assert (s > 0).all()


_SETUP = """
    import ctypes, os, sys, numpy as np
    from saccade.runtime.cpu.build import build
    from saccade.runtime.plan import Plan
    from saccade.runtime.program import Launch, Source
    text = '''
    define void @fill(ptr %params, i64 %begin, i64 %end, ptr %scratch) nounwind {
    entry:
      %p = load ptr, ptr %params
      br label %head
    head:
      %i = phi i64 [ %begin, %entry ], [ %next, %body ]
      %more = icmp slt i64 %i, %end
      br i1 %more, label %body, label %done
    body:
      %q = getelementptr i64, ptr %p, i64 %i
      store i64 %i, ptr %q
      %next = add i64 %i, 1
      br label %head
    done:
      ret void
    }'''
    program = build([Source("fill", text, 1000, 1, grain=10)])[0]
    plan = Plan([Launch(program, ((0, 0),))] * 20, 1)
    def check():
        out = np.zeros(1000, np.int64)
        plan([out.ctypes.data])
        assert (out == np.arange(1000)).all()
    check()
"""


def _script(body: str, **environment: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [sys.executable, "-c", textwrap.dedent(_SETUP) + textwrap.dedent(body)],
        capture_output=True,
        text=True,
        timeout=HANG,
        env={**os.environ, "SACCADE_THREADS": "4", **environment},
    )


@pytest.mark.skipif(not hasattr(os, "fork"), reason="no fork on this system")
def test_forked_children_have_a_pool_of_their_own() -> None:
    result = _script("""
        import threading, warnings
        warnings.simplefilter("ignore")
        stop = False
        def busy():
            while not stop: check()
        thread = threading.Thread(target=busy); thread.start()     # the pool is locked at most forks
        codes = []
        for _ in range(10):
            child = os.fork()
            if child == 0:
                check()
                grandchild = os.fork()
                if grandchild == 0:
                    check(); os._exit(0)
                os._exit(os.waitstatus_to_exitcode(os.waitpid(grandchild, 0)[1]))
            codes.append(os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]))
        stop = True; thread.join(); check()
        print(codes)
    """)
    assert result.stdout.strip() == str([0] * 10), result.stderr


def test_the_interpreter_ends_while_daemon_threads_compute() -> None:
    result = _script("""
        import threading
        def busy():
            while True: check()
        for _ in range(3): threading.Thread(target=busy, daemon=True).start()
        import time; time.sleep(0.1)
        print("end")
    """)
    assert (result.returncode, result.stdout.strip()) == (0, "end"), result.stderr


@pytest.mark.skipif(sys.platform == "win32", reason="no such signals")
def test_interrupts_reach_python() -> None:
    result = _script(f"""
        import threading, time
        threading.Timer(0.2, os.kill, (os.getpid(), {int(signal.SIGINT)})).start()
        try:
            while True: check()
        except KeyboardInterrupt:
            check()
            print("interrupted")
    """)
    assert result.stdout.strip() == "interrupted", result.stderr


def test_a_wrong_number_of_threads_in_the_environment_names_the_variable() -> None:
    result = _script("", SACCADE_THREADS="many")
    assert "SACCADE_THREADS='many'" in result.stderr
