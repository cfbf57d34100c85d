"""The search on a real card: for each case the heuristic's time, the best found, its layout, torch's time.

    python -m bench.gpu_search --budget 60 --export results.json

Times are milliseconds of a kernel by device events. torch runs the same expression; where it needs several
kernels its time is that of all of them."""

from __future__ import annotations

import argparse
import time
import warnings
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np

from bench.gpu_timing import attempt, torch_ms
from saccade import Tensor
from saccade.codegen.cuda.search.bench import GpuBench
from saccade.codegen.cuda.search.search import Found, SearchWarning, search_gpu
from saccade.graph.kernels.kernel import Kernel
from saccade.runtime.cache.searched import target_of, write_file
from saccade.tensor.programs.form import canonical
from saccade.tensor.programs.prepare import scheduled
from saccade.tensor.programs.searching import gpu_shares

DEVICE = "cuda:0"
Program = Callable[..., Any]


def floats(*shape: int, dtype: str = "float32") -> np.ndarray[Any, Any]:
    """Random numbers, a million of them again and again: drawing more takes longer than searching."""
    block = np.random.default_rng(0).standard_normal((1 << 20) - 3, dtype=np.float32).astype(dtype)
    return np.resize(block, shape)


def half(*shape: int) -> np.ndarray[Any, Any]:
    return floats(*shape, dtype="float16")


def layer_norm(x: Any) -> Any:
    centred = x - x.mean(-1, keepdim=True)
    return centred / ((centred * centred).mean(-1, keepdim=True) + 1e-5).sqrt()


def attention(q: Any, k: Any, v: Any) -> Any:
    return ((q @ k.mT) * (1 / 8)).softmax(-1) @ v


def convolution(x: Any, w: Any) -> Any:
    if isinstance(x, Tensor):
        return x.conv2d(w, padding=1)
    import torch

    return torch.nn.functional.conv2d(x, w, padding=1)


def attended(q: Any, k: Any, v: Any) -> Any:
    if isinstance(q, Tensor):
        return attention(q, k, v)
    import torch

    return torch.nn.functional.scaled_dot_product_attention(q, k, v, scale=1 / 8)


def product(a: Any, b: Any) -> Any:
    return a @ b


#: name -> program, arguments
CASES: dict[str, tuple[Program, Callable[[], list[np.ndarray[Any, Any]]]]] = {
    "softmax 5000x3001": (lambda x: x.softmax(-1), lambda: [floats(5000, 3001)]),
    "sum columns 8192": (lambda x: x.sum(0), lambda: [floats(8192, 8192)]),
    "layer norm 16384": (layer_norm, lambda: [floats(16384, 16384)]),
    "gemm f16 2048": (product, lambda: [half(2048, 2048), half(2048, 2048)]),
    "gemm f16 4096": (product, lambda: [half(4096, 4096), half(4096, 4096)]),
    "gemm f16 1000x3000x777": (product, lambda: [half(1000, 777), half(777, 3000)]),
    "gemm f16 256x4096x4096": (product, lambda: [half(256, 4096), half(4096, 4096)]),
    "attention 16 rows": (attended, lambda: [half(2, 16, 16, 64), *[half(2, 16, 2048, 64)] * 2]),
    "conv 3x3 512ch 32x7x7": (convolution, lambda: [half(32, 512, 7, 7), half(512, 512, 3, 3)]),
    "attention 4x16x1024x64": (attended, lambda: [half(4, 16, 1024, 64)] * 3),
    "gemm f32 4096": (product, lambda: [floats(4096, 4096), floats(4096, 4096)]),
    "softmax 4096x1024": (lambda x: x.softmax(-1), lambda: [floats(4096, 1024)]),
    "sum middle 64x256x1024": (lambda x: x.sum(1), lambda: [floats(64, 256, 1024)]),
    "sum turned 4096x8192": (lambda x: x.mT.sum(1), lambda: [floats(4096, 8192)]),
    "argmax 16384x4096": (lambda x: x.argmax(1), lambda: [floats(16384, 4096)]),
    "map f16 32M": (lambda x: (x * 2 + 1).relu(), lambda: [half(1 << 25)]),
    "sum rows 8192": (lambda x: x.sum(1), lambda: [floats(8192, 8192)]),
}


def kernels_of(program: Program, arrays: list[np.ndarray[Any, Any]]) -> list[Kernel]:
    made = program(*[Tensor(a, device=DEVICE).realize() for a in arrays])
    form, _ = canonical([made.node])
    return list(dict.fromkeys(item.kernel for item in scheduled(form, DEVICE).items))


def torch_time(program: Program, arrays: list[np.ndarray[Any, Any]]) -> float:
    import torch

    torch.backends.cuda.matmul.allow_tf32 = False
    torch.backends.cudnn.allow_tf32 = False
    tensors = [torch.from_numpy(a).cuda() for a in arrays]
    return torch_ms(lambda: program(*tensors), 5)


def told(found: Found) -> str:
    failed = f", {len(found.failures)} FAILED: {found.failures[0]}" if found.failures else ""
    better = f"{found.before * 1e3:.4f} -> {found.after * 1e3:.4f} ms ({found.after / found.before:.2f})"
    return f"{better} {found.move}, {found.tried} seen{failed}"


def compares(kernel: Kernel) -> str:
    """Does the comparison see one wrong element, and no more than it should?"""
    from saccade.codegen.compile import source_for

    bench = GpuBench(kernel, DEVICE)
    (program,) = bench._load(source_for(kernel, DEVICE))
    bench.expect(program)
    bench.check(program)
    wanted = bench.expected[0]
    changed = wanted.numpy()
    changed[-1] += np.asarray(1, changed.dtype)
    wanted.copy_from(changed)
    try:
        bench.check(program)
    except AssertionError:
        return "right results pass, a wrong one does not"
    return "WRONG: a wrong result passes"


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--budget", type=float, default=120.0, help="seconds for all cases")
    parser.add_argument("--case", action="append", help="cases whose names contain this")
    parser.add_argument("--export", type=Path, help="write what was found to this file")
    options = parser.parse_args()
    warnings.simplefilter("ignore", SearchWarning)  # failures are in the lines
    chosen = {n: c for n, c in CASES.items() if not options.case or any(part in n for part in options.case)}
    end = time.perf_counter() + options.budget
    print(target_of(DEVICE), flush=True)
    attempt("comparison", lambda: compares(kernels_of(lambda x: x.sum(0), [floats(256, 512)])[0]))
    for number, (name, (program, arguments)) in enumerate(chosen.items()):
        share = (end - time.perf_counter()) / (len(chosen) - number)
        if share < 0.3:
            print("out of time at", name)
            break
        arrays = arguments()

        def work(program: Program = program, arrays: list[Any] = arrays, until: float = share) -> str:
            start = time.perf_counter()
            peer = torch_time(program, arrays)
            kernels = kernels_of(program, arrays)
            left = until - (time.perf_counter() - start)
            shares = gpu_shares(kernels)
            lines = [told(search_gpu(k, DEVICE, max(left * part, 0.3))) for k, part in shares.items()]
            took = time.perf_counter() - start
            return f"torch {peer:.4f} ms; {took:.1f} s\n      " + "\n      ".join(lines)

        attempt(name, work)
    if options.export is not None:
        print(f"{write_file(options.export, target_of(DEVICE))} results in {options.export}")


if __name__ == "__main__":
    main()
