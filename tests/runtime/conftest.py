"""Kernels written by hand, and what it takes to run them."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from pathlib import Path

import numpy as np
import pytest

from saccade.runtime.cache.cache import Cache
from saccade.runtime.cpu.build import CpuProgram, build
from saccade.runtime.cpu.pool import Pool
from saccade.runtime.program import Source

from .fake_gpu import build_driver


def loop_kernel(name: str, body: str, extra: str = "") -> str:
    """A kernel that runs `body` for %i in begin..end, with its first three parameters as %p0, %p1, %p2."""
    return f"""
define void @{name}(ptr %params, i64 %begin, i64 %end, ptr %scratch) nounwind {{
entry:
  %p0 = load ptr, ptr %params
  %a1 = getelementptr ptr, ptr %params, i64 1
  %p1 = load ptr, ptr %a1
  %a2 = getelementptr ptr, ptr %params, i64 2
  %p2 = load ptr, ptr %a2
  br label %head
head:
  %i = phi i64 [ %begin, %entry ], [ %next, %tail ]
  %more = icmp slt i64 %i, %end
  br i1 %more, label %body, label %done
body:
{body}
  br label %tail
tail:
  %next = add i64 %i, 1
  br label %head
done:
  ret void
}}
{extra}"""


#: p1[i] = p0[i] + p2[0], on int64
ADD = loop_kernel("add", """
  %x.p = getelementptr i64, ptr %p0, i64 %i
  %x = load i64, ptr %x.p
  %c = load i64, ptr %p2
  %y = add i64 %x, %c
  %y.p = getelementptr i64, ptr %p1, i64 %i
  store i64 %y, ptr %y.p""")  # fmt: skip

#: p0[i] += 1: says how often each iteration ran
COUNT = loop_kernel("count", """
  %x.p = getelementptr i64, ptr %p0, i64 %i
  %x = load i64, ptr %x.p
  %y = add i64 %x, 1
  store i64 %y, ptr %x.p""")  # fmt: skip

#: p1[i] = exp(p0[i]) on float32, by libm
EXP = loop_kernel("exp_f32", """
  %x.p = getelementptr float, ptr %p0, i64 %i
  %x = load float, ptr %x.p
  %y = call float @expf(float %x)
  %y.p = getelementptr float, ptr %p1, i64 %i
  store float %y, ptr %y.p""", "declare float @expf(float)")  # fmt: skip

#: p0[i] = the thread's scratch address; the scratch is filled with i and must still hold it at the end
SCRATCH_WORDS = 512
SCRATCH = loop_kernel("scratch", f"""
  br label %fill
fill:
  %j = phi i64 [ 0, %body ], [ %j1, %fill ]
  %s.p = getelementptr i64, ptr %scratch, i64 %j
  store volatile i64 %i, ptr %s.p
  %j1 = add i64 %j, 1
  %filling = icmp slt i64 %j1, {SCRATCH_WORDS}
  br i1 %filling, label %fill, label %check
check:
  %k = phi i64 [ 0, %fill ], [ %k1, %check ]
  %bad = phi i64 [ 0, %fill ], [ %bad1, %check ]
  %t.p = getelementptr i64, ptr %scratch, i64 %k
  %t = load volatile i64, ptr %t.p
  %d = xor i64 %t, %i
  %bad1 = or i64 %bad, %d
  %k1 = add i64 %k, 1
  %checking = icmp slt i64 %k1, {SCRATCH_WORDS}
  br i1 %checking, label %check, label %say
say:
  %address = ptrtoint ptr %scratch to i64
  %ok = icmp eq i64 %bad1, 0
  %told = select i1 %ok, i64 %address, i64 -1
  %o.p = getelementptr i64, ptr %p0, i64 %i
  store i64 %told, ptr %o.p""")  # fmt: skip

TEXTS = {"add": ADD, "count": COUNT, "exp_f32": EXP, "scratch": SCRATCH}


@dataclass(frozen=True)
class Kernels:
    """The hand-written kernels, compiled; `get` gives one with other sizes."""

    programs: dict[str, CpuProgram]

    def get(self, name: str, tasks: int, grain: int = 0, params: int = 3, scratch: int = 0) -> CpuProgram:
        program = self.programs[name]
        source = replace(program.source, tasks=tasks, grain=grain, params=params, scratch=scratch)
        return replace(program, source=source)


@pytest.fixture(scope="session")
def kernels() -> Kernels:
    names = list(TEXTS)
    return Kernels(dict(zip(names, build([Source(n, TEXTS[n], 1, 3) for n in names]), strict=True)))


@pytest.fixture
def make_pool() -> Iterator[Callable[..., Pool]]:
    """Pools that are closed at the end of the test."""
    made: list[Pool] = []

    def make(threads: int, spin_us: int = 50) -> Pool:
        made.append(Pool(threads, spin_us))
        return made[-1]

    yield make
    for pool in made:
        pool.close()


@pytest.fixture
def disk(tmp_path: Path) -> Cache:
    return Cache(tmp_path / "cache", 1 << 20)


@pytest.fixture
def rng() -> np.random.Generator:
    return np.random.default_rng(0)


@pytest.fixture(scope="module")
def driver(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The folder of a driver without a GPU; see `fake_gpu`."""
    folder = tmp_path_factory.mktemp("driver")
    build_driver(folder)
    return folder
