"""The thread pool, as LLVM IR: no C compiler is needed where saccade runs, and it is cached like any other
program.

    void *pool_create(workers, spin_ns)
    int   pool_run(pool, launches, count, slots, times)     a whole plan; 0, or 1 + the launch without memory
    void  pool_destroy(pool)

and, of call.ll, `plan_call`, by which Python calls `pool_run` (builtin.py).

**Handing out work.** The state everybody reads is one 64-bit *ticket*: the high half numbers the launch, the
low half is the next chunk of its tasks. A thread reads the ticket, then the job, then takes the chunk by
compare-and-swap on the ticket. The swap fails if anything has happened since, so a thread that was held up
for any length of time does no harm, and a launch is over when all *chunks* are done, whether or not all
threads have noticed it. To change the job, the caller first closes the ticket (no chunk of a closed ticket
exists), then writes the job, then opens it:

    caller:  ticket = closed;  job = ...;  done = 0;  ticket = (launch, 0)
    thread:  t = ticket;  j = job;  if t.chunk < j.chunks and swap(ticket, t, t + 1): run j's chunk

Whoever has read a part of a new job has, by its acquire, also seen the ticket closed, and its swap fails.

**Waiting.** A worker with nothing to do watches the ticket for `spin_ns`, then sleeps on a condition
variable. It counts itself as a sleeper before it looks at the ticket for the last time; the caller opens the
ticket before it looks for sleepers (both sequentially consistent), so one of them sees the other.

**Robustness.** `pool_run` holds a lock for the whole plan, so plans of several Python threads take turns.
Workers are made at the first launch that has more than one chunk; if the system refuses threads, fewer
threads do the work. They block all signals: Ctrl-C belongs to Python's main thread. Scratch memory belongs to
a thread and grows when a launch needs more.
"""

from __future__ import annotations

import platform
import sys
from pathlib import Path

#: A launch in memory: eight words. `chunks` is tasks / grain, rounded up; `refs` has a (slot, byte offset)
#: for each of `count` parameters, whose addresses go to `params`.
LAUNCH_FIELDS = ("function", "tasks", "grain", "chunks", "count", "refs", "params", "scratch")

#: What a waiting thread does between two looks, for the good of its core; on arm64 only a barrier takes time.
_ARM_PAUSE = ("call void @llvm.aarch64.isb(i32 15)", "declare void @llvm.aarch64.isb(i32)")
_X86_PAUSE = ("call void @llvm.x86.sse2.pause()", "declare void @llvm.x86.sse2.pause()")
_PAUSES = {"aarch64": _ARM_PAUSE, "arm64": _ARM_PAUSE, "x86_64": _X86_PAUSE}


def pool_source() -> str:
    """The module for this machine: `pool.ll`, `call.ll` and what differs between systems."""
    here = Path(__file__)
    clock_monotonic, sig_block, sig_setmask = (6, 1, 3) if sys.platform == "darwin" else (1, 0, 2)
    pause, declaration = _PAUSES.get(platform.machine(), ("", ""))
    return f"""{here.with_name("pool.ll").read_text()}
{here.with_name("call.ll").read_text()}
@clock_monotonic = internal constant i32 {clock_monotonic}
@sig_block = internal constant i32 {sig_block}
@sig_setmask = internal constant i32 {sig_setmask}
{declaration}
define internal void @pause() alwaysinline nounwind {{
  {pause}
  ret void
}}
"""
