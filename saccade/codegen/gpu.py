"""A kernel becomes CUDA C++: shape, types, lowering, rendering.

    cuda_source(kernel)      # a Source: text, grid, block, shared memory

The text does not depend on the card: what only some of them have is chosen by the compiler (`__CUDA_ARCH__`).
"""

from __future__ import annotations

from dataclasses import replace
from functools import lru_cache

from ..graph.kernel import UNROLL, Kernel
from ..graph.ops import Op
from ..runtime.program import Source
from .gpu_code import GpuCode
from .gpu_types import gpu_types
from .lower_gpu import GpuLowering
from .opt.analysis import kernel_name
from .opt.gpu import FLAT, Shape, flat, shape, without_cheap_tiles
from .opt.gpu_attention import attention_of
from .opt.gpu_contraction import contraction_of
from .opt.gpu_thin import thin_shape
from .opt.gpu_transpose import transpose_of
from .opt.ragged import shorten_folds
from .opt.sections import sections_of
from .render.cuda import render
from .render.cuda_attention import attention_source
from .render.cuda_product import product_source
from .render.cuda_scan import scan_of, scan_source
from .render.cuda_sections import sections_source
from .render.cuda_sort import sort_source
from .render.cuda_transpose import transpose_source

#: those of an H100 or H200
PROCESSORS = 132


@lru_cache(maxsize=4096)
def cuda_source(
    kernel: Kernel,
    shared: int = 96 * 1024,
    wgmma: bool = False,
    tf32: bool = False,
    processors: int = PROCESSORS,
) -> Source:
    """The source of a kernel for NVIDIA GPUs with so many processors, whose blocks may have so many bytes of
    shared memory; with `wgmma` for Hopper only, with `tf32` for cards from 8.0 on that may cut factors in
    float32 short."""
    if kernel.sink.src[0].op is Op.SORT:
        return sort_source(kernel, kernel_name(kernel))
    sections = sections_of(kernel)
    if sections:
        codes = {s.kernel: _lowered(flat(s.kernel, FLAT), s.kernel) for s in sections}
        launches = [(codes[s.kernel], s.slots) for s in sections]
        return sections_source(kernel_name(kernel), launches, len(kernel.params))
    plain = without_cheap_tiles(kernel)
    attention = attention_of(plain)
    if attention is not None:
        return attention_source(plain, attention, kernel_name(kernel), shared, wgmma)
    product = contraction_of(plain)
    if product is not None:
        return product_source(plain, product, kernel_name(kernel), shared, processors, wgmma, tf32)
    running = scan_of(plain)
    if running is not None:
        return scan_source(plain, running, kernel_name(kernel))
    turned = transpose_of(plain)
    if turned is not None:
        return transpose_source(plain, turned, kernel_name(kernel))
    return source_of(gpu_code(plain), kernel)


def gpu_code(kernel: Kernel) -> GpuCode:
    """Linear code of a kernel, in the shape the heuristics choose."""
    return _lowered(_shaped(kernel), kernel)


def _lowered(shaped: Shape, kernel: Kernel) -> GpuCode:
    sink = gpu_types(shaped.kernel.sink)
    moved = {r.arg: r for r in sink.toposort() if r.op is Op.RANGE}
    order = tuple(moved[r.arg] for r in shaped.kernel.order if r.arg in moved)
    return GpuLowering(replace(shaped.kernel, sink=sink, order=order), shaped.team).code(kernel_name(kernel))


def _shaped(kernel: Kernel) -> Shape:
    """The kernel in its shape. Padded lists end at their counts, unless a thread has several at once."""
    thin = thin_shape(kernel)
    if thin is not None:
        return thin
    made = shape(shorten_folds(kernel))
    ranges = [n for n in made.kernel.sink.toposort() if n.op is Op.RANGE]
    several = any(outer.arg.kind == UNROLL for r in ranges for outer in r.src[0].ranges)
    return shape(kernel) if several else made


def source_of(code: GpuCode, kernel: Kernel) -> Source:
    threads = code.teams * code.team
    return Source(
        code.name,
        render(code),
        tasks=code.grid * threads,
        params=len(kernel.params),
        grid=code.grid,
        block=threads,
        shared=code.shared * code.teams,
        workspace=code.workspace * code.teams * code.grid,
    )
