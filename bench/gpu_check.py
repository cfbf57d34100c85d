"""One command for a machine with an NVIDIA GPU: tests, agreement with the CPU, and times beside torch's.

    python -m bench.gpu_check                # everything
    python -m bench.gpu_check tests agree    # some of: tests, agree, speed, replay

Every line stands alone: a case that fails prints its error and the next one runs. Times are medians of device
times (events around many runs), the same inputs for both; `floor` is the least time the bytes or operations
take at the rates this card reached in the same run."""

from __future__ import annotations

import os
import statistics
import subprocess
import sys
import time
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np

from saccade import Tensor
from saccade.runtime.device import Device

Make = Callable[..., Any]
RNG = np.random.default_rng(0)


def attempt(name: str, work: Callable[[], str]) -> None:
    """Print a line for a case, or the error it met."""
    try:
        print(f"{name:34s} {work()}", flush=True)
    except Exception as error:  # noqa: BLE001 (a failure is a result here)
        text = f"{type(error).__name__}: {error}".replace("\n", " | ")
        print(f"{name:34s} FAILED {text[:600]}", flush=True)


# --- tests


def run_tests() -> None:
    """The device's own tests, then the op suite on the GPU, its files side by side."""
    own = ["-m", "gpu", "tests/runtime/test_cuda_device.py"]
    attempt("gpu tests", lambda: _tail(own, {}, 25))
    files = sorted(str(path) for path in Path("tests/tensor").glob("test_*.py"))
    with ThreadPoolExecutor(8) as threads:
        jobs = {f: threads.submit(_tail, [f, "--maxfail=8"], {"SACCADE_DEVICE": "cuda"}, 9) for f in files}
        for name, job in jobs.items():
            attempt(name.removeprefix("tests/tensor/"), job.result)


def _tail(arguments: list[str], environment: dict[str, str], count: int) -> str:
    """The last lines of a run of pytest."""
    command = [sys.executable, "-m", "pytest", "-q", "--no-header", "--tb=line", *arguments]
    result = subprocess.run(
        command, capture_output=True, text=True, timeout=420, env={**os.environ, **environment}, check=False
    )
    lines = (result.stdout + result.stderr).strip().splitlines()
    return "\n".join(line[:240] for line in (lines[-1:] if result.returncode == 0 else lines[-count:]))


# --- agreement


def floats(*shape: int, dtype: str = "float32") -> np.ndarray[Any, Any]:
    return RNG.standard_normal(shape).astype(dtype)


def agreement_cases() -> dict[str, tuple[Make, list[Any], float]]:
    """Name, program, arguments and the relative error allowed."""
    ints = RNG.integers(0, 300, (64, 40))
    return {
        "add": (lambda a, b: a + b, [floats(1000, 37), floats(1000, 37)], 1e-6),
        "chain": (lambda a: ((a * 2 + 1).exp() * a).tanh().sqrt(), [np.abs(floats(1 << 20))], 1e-5),
        "transpose": (lambda a: a.transpose(0, 1) + 0, [floats(700, 301)], 0.0),
        "sum all": (lambda a: a.sum(), [floats(3000, 1001)], 1e-4),
        "sum rows": (lambda a: a.sum(1), [floats(3000, 1000)], 1e-5),
        "sum columns": (lambda a: a.sum(0), [floats(3000, 1000)], 1e-5),
        "max rows": (lambda a: a.max(1), [floats(300, 1000)], 0.0),
        "argmax": (lambda a: a.argmax(1), [floats(300, 1000)], 0.0),
        "softmax": (lambda a: a.softmax(1), [floats(128, 4096)], 1e-5),
        "softmax short": (lambda a: a.softmax(1), [floats(5000, 77)], 1e-5),
        "softmax long": (lambda a: a.softmax(1), [floats(4, 200_001)], 1e-5),
        "layer norm": (
            lambda a: (a - a.mean(1, keepdim=True)) * (a.var(1, keepdim=True, correction=0) + 1e-5).rsqrt(),
            [floats(333, 16384)],
            1e-5,
        ),
        "topk": (lambda a: a.topk(10, 1), [floats(500, 1000)], 0.0),
        "sort": (lambda a: a.sort(1), [floats(50, 1000)], 0.0),
        "sort long": (lambda a: a.sort(0), [floats(20_000)], 0.0),
        "cumsum": (lambda a: a.cumsum(1), [floats(200, 1000)], 1e-4),
        "gather": (lambda a, i: a.gather(1, i), [floats(64, 300), ints], 0.0),
        "scatter add": (
            lambda a, i, u: a.scatter_add(1, i, u),
            [floats(64, 300), ints, floats(64, 40)],
            1e-5,
        ),
        "matmul": (lambda a, b: a @ b, [floats(515, 260), floats(260, 389)], 1e-5),
        "matmul f16": (
            lambda a, b: a @ b,
            [floats(512, 256, dtype="float16"), floats(256, 384, dtype="float16")],
            2e-3,
        ),
        "matmul transposed": (
            lambda a, b: a.transpose(0, 1) @ b.transpose(0, 1),
            [floats(64, 200), floats(72, 64)],
            1e-5,
        ),
        "attention": (
            lambda q, k, v: ((q @ k.transpose(-1, -2)) * 0.125).softmax(-1) @ v,
            [floats(2, 3, 200, 64), floats(2, 3, 200, 64), floats(2, 3, 200, 64)],
            1e-5,
        ),
        "nearest 10": (_nearest, [floats(3, 200, 3), floats(3, 500, 3)], 1e-5),
    }


def _nearest(queries: Any, nodes: Any) -> Any:
    groups, count, _ = queries.shape
    difference = queries.reshape(groups, count, 1, 3) - nodes.reshape(groups, 1, nodes.shape[1], 3)
    return (difference * difference).sum(-1).topk(10, -1, largest=False)


def run_agreement() -> None:
    for name, (program, arrays, tolerance) in agreement_cases().items():
        attempt(f"agree: {name}", lambda p=program, a=arrays, t=tolerance: _compare(p, a, t))  # type: ignore[misc]


def _compare(program: Make, arrays: list[Any], tolerance: float) -> str:
    results = []
    for device in ("cpu", "cuda"):
        made = program(*[Tensor(a, device=device) for a in arrays])
        results.append([np.asarray(r.numpy()) for r in (made if isinstance(made, tuple) else (made,))])
    worst = 0.0
    for ours, theirs in zip(results[1], results[0], strict=True):
        if not np.all(np.isfinite(ours) == np.isfinite(theirs)):
            return "WRONG: not finite where the CPU is"
        a, b = ours.astype(np.float64), theirs.astype(np.float64)
        worst = max(worst, float(np.linalg.norm(a - b)) / max(float(np.linalg.norm(b)), 1e-30))
    return f"{'ok' if worst <= tolerance else 'WRONG'}  error {worst:.2e} (allowed {tolerance:.0e})"


# --- speed


def device_ms(run: Callable[[], object], repeats: int = 20) -> float:
    """The median device time of a call, in milliseconds, after two to warm up."""
    queue: Any = Device["cuda"].queue
    for _ in range(3):
        run()
    queue.synchronize()
    times = []
    for _ in range(repeats):
        start = queue.record(timing=True)
        run()
        end = queue.record(timing=True)
        end.wait()
        times.append(end.seconds_since(start) * 1e3)
    return float(statistics.median(times))


def torch_ms(run: Callable[[], object], repeats: int = 20) -> float:
    import torch

    for _ in range(3):
        run()
    torch.cuda.synchronize()
    times = []
    for _ in range(repeats):
        start, end = (torch.cuda.Event(enable_timing=True) for _ in range(2))
        start.record()
        run()
        end.record()
        end.synchronize()
        times.append(start.elapsed_time(end))
    return float(statistics.median(times))


def speed_cases() -> list[
    tuple[str, Callable[[], tuple[Callable[[], object], Callable[[], object], float, float]]]
]:
    """Name, and what makes (ours, torch's, bytes, operations)."""
    import torch
    import torch.nn.functional as F

    def ours(array: Any, dtype: str | None = None) -> Tensor:
        made = Tensor(array, device="cuda")
        return (made.cast(dtype) if dtype else made).contiguous().realize()

    def theirs(array: Any, dtype: Any = None) -> Any:
        return torch.from_numpy(array).cuda().to(dtype)

    def gemm(n: int, dtype: str) -> Any:
        a, b = floats(n, n), floats(n, n)
        x, y = ours(a, dtype), ours(b, dtype)
        p, q = theirs(a, getattr(torch, dtype)), theirs(b, getattr(torch, dtype))
        size = {"float32": 4}.get(dtype, 2)
        return (lambda: (x @ y).realize()), (lambda: p @ q), 3.0 * n * n * size, 2.0 * n**3

    def rows(kind: str) -> Any:
        a = floats(16384, 16384)
        x, p = ours(a), theirs(a)
        if kind == "softmax":
            return (lambda: x.softmax(1).realize()), (lambda: torch.softmax(p, 1)), 8.0 * a.size, 0.0
        mine = lambda: (  # noqa: E731
            (x - x.mean(1, keepdim=True)) * (x.var(1, keepdim=True, correction=0) + 1e-5).rsqrt()
        ).realize()
        return mine, (lambda: F.layer_norm(p, (16384,))), 8.0 * a.size, 0.0

    def total() -> Any:
        a = floats(1 << 28)
        x, p = ours(a), theirs(a)
        return (lambda: x.sum().realize()), (lambda: p.sum()), 4.0 * a.size, 0.0

    def chain() -> Any:
        a = floats(1 << 26)
        x, p = ours(a), theirs(a)
        fast = torch.compile(lambda t: torch.relu((t * 2 + 1).exp() * t - 3) * 0.5)
        return (
            (lambda: (((x * 2 + 1).exp() * x - 3).relu() * 0.5).realize()),
            (lambda: fast(p)),
            8.0 * a.size,
            0.0,
        )

    def attention() -> Any:
        shape = (4, 32, 4096, 128)
        arrays = [floats(*shape) for _ in range(3)]
        q, k, v = (ours(a, "bfloat16") for a in arrays)
        p = [theirs(a, torch.bfloat16) for a in arrays]
        mine = lambda: (((q @ k.transpose(-1, -2)) * 128**-0.5).softmax(-1) @ v).realize()  # noqa: E731
        return (
            mine,
            (lambda: F.scaled_dot_product_attention(*p)),
            8.0 * arrays[0].size,
            4.0 * 4 * 32 * 4096**2 * 128,
        )

    def conv() -> Any:
        a, w = floats(64, 256, 56, 56), floats(256, 256, 3, 3) * 0.02
        x, y = ours(a, "float16"), ours(w, "float16")
        p, q = theirs(a, torch.float16), theirs(w, torch.float16)
        mine = lambda: x.conv2d(y, padding=1).realize()  # noqa: E731
        return mine, (lambda: F.conv2d(p, q, padding=1)), 4.0 * a.size, 2.0 * 64 * 56 * 56 * 256 * 256 * 9

    def nearest() -> Any:
        a, b = floats(77, 2000, 3), floats(77, 1000, 3)
        x, y, p, q = ours(a), ours(b), theirs(a), theirs(b)

        def mine() -> object:
            values, indices = _nearest(x, y)
            return Tensor.realize(values, indices)

        return mine, (lambda: torch.cdist(p, q).topk(10, largest=False)), 77 * 3000 * 12.0, 77 * 2e6 * 8

    return [
        ("GEMM bf16 8192", lambda: gemm(8192, "bfloat16")),
        ("GEMM f16 4096", lambda: gemm(4096, "float16")),
        ("GEMM f32 4096", lambda: gemm(4096, "float32")),
        ("softmax 16384x16384", lambda: rows("softmax")),
        ("layer norm 16384x16384", lambda: rows("layer norm")),
        ("sum 268M", total),
        ("chain of 6, 67M", chain),
        ("attention bf16", attention),
        ("conv 3x3 f16", conv),
        ("nearest 10, 77x2000x1000", nearest),
    ]


def run_speed(only: str = "") -> None:
    import torch

    torch.backends.cuda.matmul.allow_tf32 = False
    a = torch.empty(1 << 30, dtype=torch.float32, device="cuda")
    bandwidth = 2 * 4 * a.numel() / (torch_ms(a.clone) * 1e-3)
    b = torch.randn(8192, 8192, device="cuda", dtype=torch.bfloat16)
    rate = 2 * 8192**3 / (torch_ms(partial(torch.mm, b, b)) * 1e-3)
    del a, b
    torch.cuda.empty_cache()
    print(f"copy {bandwidth / 1e12:.2f} TB/s, bf16 product {rate / 1e12:.0f} TFLOP/s")
    print(f"{'case':34s} {'ours ms':>9} {'torch ms':>9} {'ratio':>6} {'floor ms':>9}")
    for name, make in speed_cases():
        if only in name:
            attempt(name, lambda m=make: _race(m, bandwidth, rate))  # type: ignore[misc]
            torch.cuda.empty_cache()
            Device["cuda"]._allocator.clear()  # type: ignore[attr-defined]


def _race(make: Callable[[], Any], bandwidth: float, rate: float) -> str:
    ours, theirs, nbytes, operations = make()
    start = time.perf_counter()
    ours()
    Device["cuda"].queue.synchronize()
    first = time.perf_counter() - start
    mine = device_ms(ours, 3 if first > 2 else 20)
    other = torch_ms(theirs)
    floor = max(nbytes / bandwidth, operations / rate) * 1e3
    return f"{mine:9.3f} {other:9.3f} {other / mine:6.2f} {floor:9.3f}   (first call {first:.2f} s)"


# --- launching


def run_replay() -> None:
    attempt("replay of 20 kernels", _replay)
    attempt("copy to the GPU, pinned", _copies)


def _replay() -> str:
    from saccade import jit

    @jit
    def program(x: Tensor) -> Tensor:
        for _ in range(20):
            x = (x * 1.001 + 1).contiguous()
        return x

    x = Tensor(floats(1 << 16), device="cuda").realize()
    queue: Any = Device["cuda"].queue
    for _ in range(5):
        program(x)
    queue.synchronize()
    spent, best = [], float("inf")
    for _ in range(200):
        start = time.perf_counter()
        program(x)
        spent.append(time.perf_counter() - start)
    queue.synchronize()
    begin = queue.record(timing=True)
    for _ in range(100):
        program(x)
    end = queue.record(timing=True)
    end.wait()
    best = end.seconds_since(begin) / 100
    return f"{statistics.median(spent) * 1e6:.1f} us of Python a call, {best * 1e6:.1f} us on the device"


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


def main() -> None:
    wanted = sys.argv[1:] or ["agree", "replay", "speed", "tests"]
    sections = {"tests": run_tests, "agree": run_agreement, "speed": run_speed, "replay": run_replay}
    for name in wanted:
        print(f"--- {name}", flush=True)
        section, _, only = name.partition(":")
        attempt(f"section {name}", lambda s=section, o=only: sections[s](*[o] * bool(o)) or "done")  # type: ignore[misc]


if __name__ == "__main__":
    main()
