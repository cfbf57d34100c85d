"""One command for a machine with an NVIDIA GPU: tests, agreement with the CPU, and times beside torch's.

    python -m bench.gpu_check                # everything
    python -m bench.gpu_check tests agree    # of agree, replay, speed, ops, compiled, wgmma, cortex, steps
    python -m bench.gpu_check speed:GEMM     # of a section, the cases with this in their name

Every line stands alone: a case that fails prints its error and the next one runs. Times are medians of device
times, the same inputs for both: events around as many calls as take 4 ms, so that launching one overlaps with
running the one before. Ours are jitted. `floor` is the least time the bytes or operations take at the rates
this card reached in the same run, `error` the distance of our result from torch's."""

from __future__ import annotations

import argparse
import json
import math
import os
import statistics
import subprocess
import sys
import time
from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np

from bench.gpu_launching import run_replay
from bench.gpu_ops import run_ops
from bench.gpu_steps import run_steps
from bench.gpu_timing import RNG, attempt, device_ms, floats, torch_ms
from saccade import Tensor, jit
from saccade.runtime.device import Device
from saccade.tensor.tensor import where

Make = Callable[..., Any]


# --- tests


def run_tests() -> None:
    """The device's own tests, then the op suite on the GPU, its files side by side."""
    own = ["-m", "gpu and not slow", "tests/runtime"]
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


def integers(*shape: int) -> np.ndarray[Any, Any]:
    return RNG.integers(-128, 128, shape).astype("int8")


def eight_bits(x: Tensor) -> Tensor:
    return x.cast("float8_e4m3").contiguous()


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
        "matmul f16 large": (
            lambda a, b: a @ b,
            [floats(1500, 520, dtype="float16"), floats(520, 2048, dtype="float16")],
            2e-3,
        ),
        "matmul f16 large, transposed": (
            lambda a, b: a.transpose(0, 1) @ b.transpose(0, 1),
            [floats(520, 2048, dtype="float16"), floats(1536, 520, dtype="float16")],
            2e-3,
        ),
        "matmul int8": (
            lambda a, b: a.matmul(b, dtype="int32"),
            [integers(1500, 520), integers(520, 2048)],
            0.0,
        ),
        "matmul fp8": (
            lambda a, b: eight_bits(a).matmul(eight_bits(b), dtype="float32"),
            [floats(1500, 528), floats(528, 2048)],
            1e-3,
        ),
        "matmul dequantised": (
            lambda a, b, s: a @ (b.half() * s),
            [floats(1500, 520, dtype="float16"), integers(520, 2048), floats(2048, dtype="float16")],
            2e-3,
        ),
        "convolution": (
            lambda x, w, b: x.conv2d(w, b, padding=1).relu(),
            [floats(*n, dtype="float16") for n in ((8, 64, 30, 33), (96, 64, 3, 3), (96,))],
            2e-3,
        ),
        "convolution in groups": (
            lambda x, w: x.conv2d(w, stride=2, groups=4),
            [floats(4, 128, 40, 41, dtype="float16"), floats(256, 32, 3, 3, dtype="float16")],
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
        "attention f16": (
            lambda q, k, v: ((q @ k.transpose(-1, -2)) * 0.125).softmax(-1) @ v,
            [floats(2, 3, 200, 64, dtype="float16") for _ in range(3)],
            2e-3,
        ),
        "attention f16, causal": (
            lambda q, k, v: q.scaled_dot_product_attention(k, v, is_causal=True),
            [floats(2, 300, 128, dtype="float16") for _ in range(3)],
            2e-3,
        ),
        "nearest 10": (_nearest, [floats(3, 200, 3), floats(3, 500, 3)], 1e-5),
    }


def _nearest(queries: Any, nodes: Any) -> Any:
    groups, count, _ = queries.shape
    difference = queries.reshape(groups, count, 1, 3) - nodes.reshape(groups, 1, nodes.shape[1], 3)
    return (difference * difference).sum(-1).topk(10, -1, largest=False)


def run_agreement(only: str = "") -> None:
    for name, (program, arrays, tolerance) in agreement_cases().items():
        if only in name:
            attempt(f"agree: {name}", partial(_compare, program, arrays, tolerance))


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
        return partial(jit(lambda a, b: a @ b), x, y), (lambda: p @ q), 3.0 * n * n * size, 2.0 * n**3

    def rows(kind: str) -> Any:
        mine, eager, nbytes = row_case(kind)
        return mine, eager, nbytes, 0.0

    def total() -> Any:
        a = floats(1 << 28)
        x, p = ours(a), theirs(a)
        return partial(jit(lambda x: x.sum()), x), (lambda: p.sum()), 4.0 * a.size, 0.0

    def chain() -> Any:
        a = floats(1 << 26)
        x, p = ours(a), theirs(a)
        fast = torch.compile(lambda t: torch.relu((t * 2 + 1).exp() * t - 3) * 0.5)
        return (
            partial(jit(lambda x: ((x * 2 + 1).exp() * x - 3).relu() * 0.5), x),
            (lambda: fast(p)),
            8.0 * a.size,
            0.0,
        )

    def attention(width: int, dtype: str, causal: bool) -> Any:
        shape, scale = (4, 32, 4096, width), 1 / math.sqrt(width)
        arrays = [floats(*shape) for _ in range(3)]
        q, k, v = (ours(a, dtype) for a in arrays)
        p = [theirs(a, getattr(torch, dtype)) for a in arrays]

        def naive(q: Tensor, k: Tensor, v: Tensor) -> Tensor:
            return ((q @ k.transpose(-1, -2)) * scale).softmax(-1) @ v

        def masked(q: Tensor, k: Tensor, v: Tensor) -> Tensor:
            scores = (q @ k.transpose(-1, -2)) * scale
            place = Tensor.arange(4096, device=q.device)
            return where(place <= place.reshape(-1, 1), scores, -math.inf).softmax(-1) @ v

        return (
            partial(jit(masked if causal else naive), q, k, v),
            (lambda: F.scaled_dot_product_attention(p[0], p[1], p[2], is_causal=causal)),
            8.0 * arrays[0].size,
            4.0 * 4 * 32 * 4096**2 * width / (2 if causal else 1),
        )

    def int8() -> Any:
        n = 4096
        a, b = integers(n, n), integers(n, n)
        x, y, p, q = ours(a), ours(b), theirs(a), theirs(b.T.copy()).t()  # the order torch is fastest with
        mine = jit(lambda a, b: a.matmul(b, dtype="int32"))
        return partial(mine, x, y), (lambda: torch._int_mm(p, q)), 6.0 * n * n, 2.0 * n**3

    def fp8() -> Any:
        n = 8192
        a, b = floats(n, n), floats(n, n)
        x, y = ours(a, "float8_e4m3"), ours(b, "float8_e4m3")
        p, q = theirs(a, torch.float8_e4m3fn), theirs(b, torch.float8_e4m3fn).t()
        one = torch.ones((), device="cuda")
        mine = jit(lambda a, b: a.matmul(b.mT, dtype="bfloat16"))
        return (
            partial(mine, x, y),
            (lambda: torch._scaled_mm(p, q, one, one, out_dtype=torch.bfloat16)),
            4.0 * n * n,
            2.0 * n**3,
        )

    def conv(bias: bool) -> Any:
        a, w, v = floats(64, 256, 56, 56), floats(256, 256, 3, 3) * 0.02, floats(256)
        x, y, z = (ours(t, "float16") for t in (a, w, v))
        p, q, r = (theirs(t, torch.float16) for t in (a, w, v))
        plain, whole = (
            jit(lambda x, y: x.conv2d(y, padding=1)),
            jit(lambda x, y, z: x.conv2d(y, z, padding=1).relu()),
        )
        return (
            partial(whole, x, y, z) if bias else partial(plain, x, y),
            (lambda: F.relu(F.conv2d(p, q, r, padding=1))) if bias else (lambda: F.conv2d(p, q, padding=1)),
            4.0 * a.size,
            2.0 * 64 * 56 * 56 * 256 * 256 * 9,
        )

    def nearest() -> Any:
        a, b = floats(77, 2000, 3), floats(77, 1000, 3)
        x, y, p, q = ours(a), ours(b), theirs(a), theirs(b)
        return (
            partial(jit(_nearest), x, y),
            (lambda: torch.cdist(p, q).topk(10, largest=False)),
            77 * 3000 * 12.0,
            77 * 2e6 * 8,
        )

    return [
        ("GEMM bf16 8192", lambda: gemm(8192, "bfloat16")),
        ("GEMM f16 4096", lambda: gemm(4096, "float16")),
        ("GEMM f32 4096", lambda: gemm(4096, "float32")),
        ("GEMM int8 4096", int8),
        ("GEMM fp8 8192", fp8),
        ("softmax 16384x16384", lambda: rows("softmax")),
        ("layer norm 16384x16384", lambda: rows("layer norm")),
        ("sum 268M", total),
        ("chain of 6, 67M", chain),
        ("attention bf16 128", lambda: attention(128, "bfloat16", causal=False)),
        ("attention bf16 128, causal", lambda: attention(128, "bfloat16", causal=True)),
        ("attention f16 64", lambda: attention(64, "float16", causal=False)),
        ("conv 3x3 f16", lambda: conv(False)),
        ("conv 3x3 f16, bias, relu", lambda: conv(True)),
        ("nearest 10, 77x2000x1000", nearest),
    ]


def row_case(kind: str) -> tuple[Callable[[], object], Callable[[], Any], float]:
    """Ours and torch's for rows of 16384 float32, and the bytes to move."""
    import torch
    import torch.nn.functional as F

    a = floats(16384, 16384)
    x, p = Tensor(a, device="cuda").realize(), torch.from_numpy(a).cuda()
    if kind == "softmax":
        return partial(jit(lambda x: x.softmax(1)), x), partial(torch.softmax, p, 1), 8.0 * a.size
    norm = jit(
        lambda x: (x - x.mean(1, keepdim=True)) * (x.var(1, keepdim=True, correction=0) + 1e-5).rsqrt()
    )
    return partial(norm, x), partial(F.layer_norm, p, (16384,)), 8.0 * a.size


def copy_bandwidth() -> float:
    """Bytes a second, read plus written."""
    import torch

    a = torch.empty(1 << 30, dtype=torch.float32, device="cuda")
    bandwidth = 2.0 * 4 * int(a.numel()) / (torch_ms(a.clone) * 1e-3)
    del a
    torch.cuda.empty_cache()
    return bandwidth


#: Where a result lies in memory changes the time of writing it by 3 %: a race is repeated with results in so
#: many places, each other than those of the results that are held.
PLACES = 5


def run_compiled(only: str = "") -> None:
    """What torch.compile may make faster than torch's own kernels, against the better of the two."""
    bandwidth = copy_bandwidth()
    for kind in ("softmax", "layer norm"):
        if only in kind:
            attempt(f"{kind} 16384x16384", partial(_race_compiled, kind, bandwidth))


def _race_compiled(kind: str, bandwidth: float) -> str:
    import torch

    mine, eager, nbytes = row_case(kind)
    error = _distance(mine(), eager())
    compiled = torch.compile(eager.func if isinstance(eager, partial) else eager)
    arguments = eager.args if isinstance(eager, partial) else ()
    start = time.perf_counter()
    compiled(*arguments)
    torch.cuda.synchronize()
    compiling = time.perf_counter() - start
    times, held = [], []
    for _ in range(PLACES):
        times.append((device_ms(mine), torch_ms(eager), torch_ms(lambda: compiled(*arguments))))
        held += [mine(), compiled(*arguments)]
    ours, plain, fast = (statistics.median(column) for column in zip(*times, strict=True))
    least, most = (f"{pick(column[2] for column in times):.3f}" for pick in (min, max))
    return (
        f"ours {ours:.3f} ms, eager {plain:.3f}, compiled {fast:.3f} ({least} to {most}), "
        f"ratio {min(plain, fast) / ours:.3f}, floor {nbytes / bandwidth * 1e3:.3f}, error {error:.1e} "
        f"(torch compiled for {compiling:.0f} s)"
    )


def run_speed(only: str = "") -> None:
    import torch

    torch.backends.cuda.matmul.allow_tf32 = False
    torch.backends.cudnn.benchmark = True
    bandwidth = copy_bandwidth()
    b = torch.randn(8192, 8192, device="cuda", dtype=torch.bfloat16)
    rate = 2 * 8192**3 / (torch_ms(partial(torch.mm, b, b)) * 1e-3)
    del b
    torch.cuda.empty_cache()
    print(f"copy {bandwidth / 1e12:.2f} TB/s, bf16 product {rate / 1e12:.0f} TFLOP/s")
    print(f"{'case':34s} {'ours ms':>9} {'torch ms':>9} {'ratio':>6} {'floor ms':>9}")
    card: Any = Device["cuda"]
    for name, make in speed_cases():
        if only in name:
            attempt(name, partial(_race, make, bandwidth, rate))
            torch.cuda.empty_cache()
            card.release_memory()


def _race(make: Callable[[], Any], bandwidth: float, rate: float) -> str:
    ours, theirs, nbytes, operations = make()
    start = time.perf_counter()
    result = ours()
    Device["cuda"].queue.synchronize()
    first = time.perf_counter() - start
    error = _distance(result, theirs())
    mine, other = device_ms(ours), torch_ms(theirs)
    floor = max(nbytes / bandwidth, operations / rate) * 1e3
    numbers = f"{mine:9.3f} {other:9.3f} {other / mine:6.2f} {floor:9.3f}"
    return f"{numbers}   error {error:.1e}{' WRONG' if not error < 0.02 else ''} (first call {first:.2f} s)"


def _distance(ours: Any, theirs: Any) -> float:
    """How far our result is from torch's, relative to its norm: at both ends of what may be gigabytes."""
    squared = isinstance(ours, tuple)  # of the nearest neighbours, we have squared distances
    a, b = (ours[0], theirs[0]) if squared else (ours, theirs)
    a, b = a.reshape(-1), b.reshape(-1)
    gap, norm = 0.0, 0.0
    for part in (slice(0, 1 << 19), slice(max(0, b.shape[0] - (1 << 19)), b.shape[0])):
        x, y = a[part].float().numpy().astype(np.float64), b[part].double().cpu().numpy()
        x = np.sqrt(x) if squared else x
        gap, norm = gap + float(((x - y) ** 2).sum()), norm + float((y**2).sum())
    return math.sqrt(gap / max(norm, 1e-300))


# --- Hopper's matrix instructions


def run_wgmma() -> None:
    """The products again, in a process of their own, with what SACCADE_WGMMA=1 turns on."""
    wanted = ["agree:matmul", "speed:GEMM", "speed:attention", "speed:conv"]
    command = [sys.executable, "-m", "bench.gpu_check", *wanted]
    result = subprocess.run(
        command,
        capture_output=True,
        text=True,
        timeout=240,
        env={**os.environ, "SACCADE_WGMMA": "1"},
        check=False,
    )
    print(result.stdout + result.stderr[-2000:], flush=True)


# --- the cortex


def run_cortex() -> None:
    """Milliseconds of a step of learning modules, each case in a process of its own."""
    for modules, backend in ((1, "stacked"), (16, "stacked"), (16, "streams")):
        name = f"cortex, {modules} module(s) {backend}"
        attempt(name, partial(_cortex, modules, backend))


def _cortex(modules: int, backend: str) -> str:
    sizes = {"objects": 77, "nodes": 1000, "hypotheses": 2000, "neighbours": 10, "modules": modules}
    case = [word for name, size in sizes.items() for word in (f"--{name}", str(size))]
    command = [sys.executable, "-m", "bench.evidence", *case, "--backend", backend]
    command += ["--device", "cuda", "--json"]
    result = subprocess.run(command, capture_output=True, text=True, timeout=100, check=False)
    if result.returncode:
        raise RuntimeError(result.stderr.strip()[-500:])
    report = json.loads(result.stdout.strip().splitlines()[-1])
    told = {k: v for k, v in report.items() if (isinstance(v, float) and "ms" in k) or k == "in_range"}
    return ", ".join(f"{k} {v:.4g}" for k, v in told.items())


SECTIONS: dict[str, Callable[..., None]] = {
    "agree": run_agreement,
    "replay": run_replay,
    "speed": run_speed,
    "ops": run_ops,
    "compiled": run_compiled,
    "wgmma": run_wgmma,
    "cortex": run_cortex,
    "steps": run_steps,
    "tests": run_tests,
}


def _section(name: str, only: str) -> str:
    SECTIONS[name](*([only] if only else []))
    return "done"


def main(arguments: Sequence[str] | None = None) -> None:
    parser = argparse.ArgumentParser(
        prog="python -m bench.gpu_check",
        description=__doc__,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    parser.add_argument("sections", nargs="*", metavar="SECTION[:CASE]", help=f"of {', '.join(SECTIONS)}")
    wanted = parser.parse_args(arguments).sections or list(SECTIONS)
    for name in wanted:
        if name.partition(":")[0] not in SECTIONS:
            parser.error(f"there is no section {name!r}: use {', '.join(SECTIONS)}")
    for name in wanted:
        print(f"--- {name}", flush=True)
        section, _, only = name.partition(":")
        attempt(f"section {name}", partial(_section, section, only))


if __name__ == "__main__":
    main()
