"""What it costs to get work to a GPU: replaying captured graphs, gaps between kernels, copies.

python -m bench.gpu_check replay
"""

from __future__ import annotations

import statistics
import time
from typing import Any

import numpy as np

from bench.gpu_timing import attempt, device_ms, floats, torch_ms
from saccade import Tensor, dtypes, jit
from saccade.runtime.device import Device
from saccade.runtime.memory.buffer import Buffer
from saccade.runtime.program import Launch, Source


def run_replay() -> None:
    attempt("replay of 20 kernels", _replay)
    attempt("gaps between 20 kernels", _gaps)
    attempt("copy to the GPU, pinned", _copies)


def _replay() -> str:
    """Host time of a call, in a program that the GPU keeps up with."""

    @jit
    def program(x: Tensor) -> Tensor:
        for _ in range(20):
            x = (x.flip(0) * 1.001 + 1).contiguous()  # another place: not one kernel with the one before
        return x

    x = Tensor(floats(1 << 16), device="cuda").realize()
    queue: Any = Device["cuda"].queue
    for _ in range(5):
        program(x)
    spent = []
    for _ in range(100):
        queue.synchronize()
        for _ in range(5):
            start = time.perf_counter()
            program(x)
            spent.append(time.perf_counter() - start)
    queue.synchronize()
    begin = queue.record(timing=True)
    for _ in range(100):
        program(x)
    end = queue.record(timing=True)
    end.wait()
    spent.sort()
    least, median, most = (spent[len(spent) * tenth // 10] * 1e6 for tenth in (0, 5, 9))
    return (
        f"{median:.1f} us of Python a call (least {least:.1f}, nine of ten below {most:.1f}), "
        f"{end.seconds_since(begin) / 100 * 1e6:.1f} us on the device"
    )


STAMP = """
typedef unsigned long long u64;
extern "C" __global__ void stamp(const u64 *table, u64 a, u64 o) {
  u64 *out = (u64 *)((table ? table[a] : a) + o), now;
  asm volatile("mov.u64 %0, %globaltimer;" : "=l"(now));
  out[0] = now;
  long long start = clock64();
  while (clock64() - start < 10000) {}
  asm volatile("mov.u64 %0, %globaltimer;" : "=l"(now));
  out[1] = now;
}
"""


def _gaps() -> str:
    """Twenty kernels that note when they begin and end, replayed as one captured graph."""
    device: Any = Device["cuda"]
    (program,) = device.compile([Source("stamp", STAMP, 1, 1, grid=1, block=1)])
    plan = device.plan([Launch(program, ((0, 16 * n),)) for n in range(20)], 1)
    worst, usual = [], []
    for _ in range(20):
        times = Buffer(40, dtypes.uint64, "cuda")
        device.queue.submit(plan, [times.address])
        found = times.numpy().astype(np.int64)
        gaps = found[2::2] - found[1:-1:2]
        worst.append(int(gaps.max()))
        usual.append(float(np.median(gaps)))
    return (
        f"median {statistics.median(usual) / 1e3:.2f} us, longest {statistics.median(worst[2:]) / 1e3:.2f} us"
    )


def _copies() -> str:
    import torch

    device: Any = Device["cuda"]
    nbytes = 1 << 28
    pinned, target = device.pinned(nbytes), device.allocate(nbytes)
    mine = device_ms(lambda: device.queue.copy_in(target.address, pinned.address, nbytes))
    host, there = (
        torch.empty(nbytes, dtype=torch.uint8).pin_memory(),
        torch.empty(nbytes, dtype=torch.uint8, device="cuda"),
    )
    other = torch_ms(lambda: there.copy_(host, non_blocking=True))
    return f"{nbytes / mine / 1e6:.1f} GB/s, torch {nbytes / other / 1e6:.1f} GB/s, ratio {other / mine:.2f}"
