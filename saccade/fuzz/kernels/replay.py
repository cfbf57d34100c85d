"""One kernel, every way: verified, proved in bounds, lowered for every target, run, compared.

    replay(kernel) -> Replay(name, problems=(), ran=True, ...)

Loops too long for the interpreter are cut to a part of them, somewhere: the CPU runs the whole kernel, and
the interpreter recomputes that part of its results. A kernel that adds to what is in memory, or reads what it
writes, is cut for both.

Sources for GPUs are written for three generations of cards and, where NVRTC is installed, compiled for one of
them, another for each kernel. LLVM compiles each for one platform that this machine is not, another for each
kernel, and where an emulator is installed it runs as x86-64 too.
"""

from __future__ import annotations

import importlib.util
from collections.abc import Callable
from dataclasses import dataclass, replace
from functools import partial
from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

from ...codegen.compile import cpu_source, shaped
from ...codegen.cuda.search.moves import Card
from ...codegen.cuda.source import laid_out
from ...codegen.moves.analysis import is_in_place, kernel_name, work
from ...codegen.search.trial import agree, looseness, numbers, small_integers
from ...graph.constants import is_anything
from ...graph.kernels.kernel import Kernel, loop, range_size
from ...graph.kernels.text import digest_of
from ...graph.node import Node, const, index_const
from ...graph.ops import Op
from ...graph.rules.symbolic import simplify
from ...graph.verify import verify
from ...runtime.cpu.build import build
from ...runtime.interpreter.interpreter import run_kernel
from ...runtime.memory.halves import storage_dtype
from ...runtime.plan import Plan
from ...runtime.program import Launch, Source
from ..programs.check import Guarded, prove_bounds, store_in_memory
from .platforms import EMULATED, PLATFORMS, Leaves, compiled, emulate, has_emulator, source_on

Array = NDArray[Any]

#: Cards that sources are written for: Turing, Ampere, Hopper.
CARDS: Final = {
    "sm_75": Card(shared=64 * 1024),
    "sm_80": Card(shared=163 * 1024),
    "sm_90a": Card(shared=227 * 1024, wgmma=True),
}
#: Instructions on single elements that the interpreter is asked for; one that combines takes it far longer.
MOST_WORK: Final = 2_000_000
_MOST_COMBINING: Final = 100_000
_MOST_BYTES: Final = 1 << 29


@dataclass(frozen=True)
class Replay:
    """What was found out about a kernel; `problems` is empty if it is as it should be."""

    digest: str
    name: str
    problems: tuple[str, ...]
    ran: bool
    proved: bool
    compiled: bool
    emulated: tuple[str, ...]

    def __str__(self) -> str:
        return f"{self.name} {self.digest}: {'; '.join(self.problems) or 'as it should be'}"


def replay(kernel: Kernel, seed: int = 0, nvrtc: bool = True) -> Replay:
    """Everything that can be asked of one kernel here, the slow compiler for GPUs included or not. Whatever
    it raises is a problem it has."""
    digest = digest_of(kernel)
    problems: list[str] = []

    def attempt(stage: str, step: Callable[[], bool]) -> bool:
        try:
            return step()
        except Exception as error:  # noqa: BLE001  a replay reports every kind of failure
            problems.append(f"{stage}: {type(error).__name__}: {error}"[:500])
            return False

    sorts = kernel.sink.src[0].op is Op.SORT
    if sorts or attempt("verify", lambda: _verified(kernel)):  # what is not well formed has no meaning
        proved = attempt("bounds", lambda: _proved(kernel))
        compiled = attempt("cuda", lambda: _on_cards(kernel, digest, nvrtc and has_nvrtc()))
        ran = attempt("cpu", lambda: _run(kernel, np.random.default_rng(seed)))
        attempt("platforms", lambda: _for_others(kernel, digest))
        emulated = tuple(
            name
            for name in EMULATED
            if attempt(name, partial(emulates, kernel, name, np.random.default_rng(seed)))
        )
    else:
        proved = compiled = ran = False
        emulated = ()
    return Replay(digest, kernel_name(kernel), tuple(problems), ran, proved, compiled, emulated)


def _verified(kernel: Kernel) -> bool:
    verify(kernel.sink, "kernel", loops=kernel.order)
    return True


def _proved(kernel: Kernel) -> bool:
    if not has_prover() or kernel.sink.src[0].op is Op.SORT:
        return False
    prove_bounds(kernel)
    prove_bounds(shaped(kernel))
    return True


def has_prover() -> bool:
    return importlib.util.find_spec("z3") is not None


def has_nvrtc() -> bool:
    try:
        return importlib.util.find_spec("cuda.bindings.nvrtc") is not None
    except ModuleNotFoundError:
        return False


def _on_cards(kernel: Kernel, digest: str, nvrtc: bool) -> bool:
    sources = {arch: laid_out(kernel, card).source for arch, card in CARDS.items()}
    for arch, source in sources.items():
        if not (source.text and 0 < source.block <= 1024 and source.grid > 0):
            raise AssertionError(f"{arch} is given {source.grid} blocks of {source.block} threads")
    if not nvrtc:
        return False
    from ...runtime.cuda.compiler import compile_cubin

    arch = list(CARDS)[int(digest, 16) % len(CARDS)]
    compile_cubin(sources[arch], arch)
    return True


# --- on the CPU


def _run(kernel: Kernel, rng: np.random.Generator) -> bool:
    """Compile it, and unless it is too large, run it and compare it with the interpreter."""
    source = cpu_source(kernel)
    _parsed(source)
    part = cut(kernel, rng)
    whole = kernel if _cuts_apart(kernel) else part
    *_, program = build([source, cpu_source(whole)], store_in_memory())
    if _too_large(part):
        return False
    launch = Launch(program, tuple((slot, 0) for slot in range(len(kernel.params))))
    _agrees(kernel, part, whole is part, rng, Plan([launch], len(kernel.params)))
    return True


def _for_others(kernel: Kernel, digest: str) -> bool:
    """Compile it for one of the platforms."""
    platform = list(PLATFORMS.values())[int(digest, 16) % len(PLATFORMS)]
    compiled(source_on(kernel, platform), platform)
    return True


def emulates(kernel: Kernel, processor: str, rng: np.random.Generator) -> bool:
    """Run a part of it on another processor, and compare that with the interpreter."""
    part = cut(kernel, rng)
    if not has_emulator() or _too_large(part):
        return False
    source = source_on(part, EMULATED[processor])
    code = compiled(source, EMULATED[processor])
    sizes = [size * dtype.itemsize for dtype, size in kernel.params]
    try:
        _agrees(kernel, part, True, rng, lambda addresses: emulate(source, code, addresses, sizes))
    except Leaves:
        return False
    return True


def _agrees(
    kernel: Kernel,
    part: Kernel,
    only_part: bool,
    rng: np.random.Generator,
    execute: Callable[[list[int]], object],
) -> None:
    """Run a kernel, or only a part of it, on random numbers; raise unless what it wrote is right."""
    small = small_integers(kernel)
    given = [numbers(dtype, size, rng, small) for dtype, size in kernel.params]
    memory = [Guarded(storage_dtype(dtype), size) for dtype, size in kernel.params]
    for guard, array in zip(memory, given, strict=True):
        guard.array[:] = array
    execute([guard.array.ctypes.data for guard in memory])
    for slot, guard in enumerate(memory):
        if not guard.is_intact():
            raise AssertionError(f"memory around parameter {slot} was written to")
        if slot not in kernel.outputs and guard.array.tobytes() != given[slot].tobytes():
            raise AssertionError(f"parameter {slot}, which is an input, was written to")
    found = [guard.array for guard in memory]
    # of a part, the other results are not computed: they are what was found
    start = given if only_part else [g if s not in kernel.outputs else f for s, (g, f) in
                                         enumerate(zip(given, found, strict=True))]  # fmt: skip
    _compare(part, start, given, found)


def _too_large(kernel: Kernel) -> bool:
    """Would it take the interpreter long? It sorts as fast as anybody; of the others a part has little work,
    but where a single result takes a lot."""
    if sum(size * dtype.itemsize for dtype, size in kernel.params) > _MOST_BYTES:
        return True
    return kernel.sink.src[0].op is not Op.SORT and work(kernel) > 16 * MOST_WORK


def _parsed(source: Source) -> None:
    import llvmlite.binding as llvm

    llvm.parse_assembly(source.text).verify()


def _compare(kernel: Kernel, start: list[Array], given: list[Array], found: list[Array]) -> None:
    """Raise unless the interpreter computes from `start` what was found. What a kernel leaves open may be
    anything the memory held before."""
    wanted = _interpreted(kernel, start)
    others = [node for node in kernel.nodes if is_anything(node)]
    other = wanted
    if others:
        filled = {node: const(1, node.dtype) for node in others}
        other = _interpreted(replace(kernel, sink=kernel.sink.substitute(filled)), start)
    loose = looseness(kernel)
    for slot in kernel.outputs:
        open_places = (wanted[slot] != other[slot]) & (found[slot] == given[slot])
        expected = np.where(open_places, found[slot], wanted[slot])
        if not agree(found[slot], expected, kernel.params[slot][0], loose):
            wrong = np.flatnonzero(found[slot] != expected)
            place = int(wrong[0])
            raise AssertionError(
                f"parameter {slot}: up to {len(wrong)} of {len(expected)} elements differ from the "
                f"interpreter's, as [{place}]: {found[slot][place]!r} and {expected[place]!r}"
            )


def _interpreted(kernel: Kernel, start: list[Array]) -> list[Array]:
    arrays = [a.copy() if slot in kernel.outputs else a for slot, a in enumerate(start)]
    run_kernel(kernel, arrays)
    return arrays


def _cuts_apart(kernel: Kernel) -> bool:
    """Is a part of the results the same whether or not the others are computed?"""
    return kernel.sink.src[0].op is Op.SORT or not is_in_place(kernel)


def cut(kernel: Kernel, rng: np.random.Generator) -> Kernel:
    """The kernel over a part of its loops, which part by chance; itself if it is small."""
    if kernel.sink.src[0].op is Op.SORT:
        return kernel
    left = work(kernel) / (MOST_WORK if _cuts_apart(kernel) else _MOST_COMBINING)
    along = {node.src[-1] for node in kernel.nodes if node.op is Op.PREFIX}  # needs what comes before
    parts: dict[Node, Node] = {}
    loops: dict[Node, Node] = {}
    for r in kernel.order:
        size = range_size(r)
        if left <= 1 or size == 1 or r in along or r.src[0].op is not Op.CONST:
            continue
        kept = max(int(size / left), 1)
        left *= kept / size
        start = index_const(int(rng.integers(0, size - kept + 1)))
        if kept > 1:
            loops[r] = loop(r.arg.number, kept, r.arg.kind)
        parts[r] = loops[r] + start if kept > 1 else start
    if not parts:
        return kernel
    order = [loops.get(r) if r in parts else r.substitute(parts) for r in kernel.order]
    kept_loops = tuple(r for r in order if r is not None)
    return replace(kernel, sink=simplify(kernel.sink.substitute(parts)), order=kept_loops)
